internal import ArgumentParser
internal import Foundation
internal import Journal
internal import Reports

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print the exchanges of one household or one violation for other tools.",
        discussion: """
            Example:
                screenrig export latest --household 17 --format har > household-17.har
                screenrig export latest --violation 1 --format curl

            RUN is a run directory, its history.sqlite, 'latest', or 'latest~1' for the one before. A \
            violation is named by its row in violations.csv, counted from 1. Requests and responses are \
            recorded for households with a violation, the first error of each sort and the first household \
            of each kind; for all others, only times and outcomes.
            """)

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: .directory)
    var recorded: String

    @Option(help: ArgumentHelp("Print all exchanges of this household.", valueName: "N"))
    var household: Int?

    @Option(
        help: ArgumentHelp("Print the exchanges of this row of violations.csv.", valueName: "N"))
    var violation: Int?

    @Option(
        help: "Format: har (HTTP Archive 1.2), jsonl (JSON lines) or curl (secrets as variables).")
    var format = Format.jsonl

    enum Format: String, ExpressibleByArgument, CaseIterable { case har, jsonl, curl }

    func validate() throws {
        guard (household == nil) != (violation == nil) else {
            throw ValidationError("give either --household N or --violation N")
        }
    }

    func run() throws {
        let export = try CommandFailure.catching(as: .couldNotRun) {
            let directory = try RunDirectory.find(recorded)
            let history = try History(path: directory.history)
            let (number, exchanges) = try wanted(in: directory)
            return try Export(history, household: number, exchanges: exchanges)
        }
        let (exchanges, messages) = export.count
        guard exchanges > 0 else {
            if let range = export.unknown {
                throw CommandFailure.badInput(
                    "no household \(export.household) in this run; "
                        + "\(range)")
            }
            throw CommandFailure.couldNotRun(
                "no exchange of household \(export.household) was recorded; set 'record: all' in "
                    + "the rig to record every household"
            )
        }
        let form: Export.Format =
            switch format {
            case .har: .har
            case .jsonl: .jsonl
            case .curl: .curl
            }
        Terminal.print(String(export.text(as: form).dropLast()))
        if messages < exchanges {
            Terminal.complain(
                "note: requests and responses were recorded for \(messages) of these "
                    + "\(exchanges) exchanges; "
                    + export.keptElsewhere)
        }
    }

    /// The household, and which of its exchanges; nil for all.
    private func wanted(in directory: RunDirectory) throws -> (Int, [Int]?) {
        if let household { return (household, nil) }
        let number = violation ?? 0
        let file = directory.file("violations.csv")
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw CommandFailure.couldNotRun(
                "\(file) cannot be read; 'screenrig report RUN' "
                    + "writes it again")
        }
        guard let row = ViolationReference(row: number, of: text) else {
            throw CommandFailure.badInput("no violation \(number) in \(file)")
        }
        return (row.household, row.exchanges)
    }
}
