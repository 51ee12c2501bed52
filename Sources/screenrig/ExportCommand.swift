internal import ArgumentParser
internal import Foundation
internal import Journal
internal import Reports

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print the exchanges of one household, or of one violation, for other tools.",
        discussion: """
            Example:
                screenrig export latest --household 17 --format har > household-17.har
                screenrig export latest --violation 1 --format curl

            RUN is a run directory, its history.sqlite, 'latest', or 'latest~1' for the one before. A violation is \
            named by its row in violations.csv, counted from 1. Requests and replies are kept of households with a \
            violation, of the first error of each sort and of the first household of each kind; of all others there \
            are times and outcomes.
            """)

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: .directory)
    var recorded: String

    @Option(help: ArgumentHelp("All exchanges of this household.", valueName: "N"))
    var household: Int?

    @Option(help: ArgumentHelp("The exchanges of this row of violations.csv.", valueName: "N"))
    var violation: Int?

    @Option(help: "har (HTTP Archive 1.2), jsonl (JSON lines) or curl (secrets as variables).")
    var format = Format.jsonl

    enum Format: String, ExpressibleByArgument, CaseIterable { case har, jsonl, curl }

    func validate() throws {
        guard (household == nil) != (violation == nil) else {
            throw ValidationError("name one of --household N and --violation N")
        }
    }

    func run() throws {
        let export: Export
        do {
            let directory = try RunDirectory.find(recorded)
            let history = try History(path: directory.history)
            let (number, exchanges) = try wanted(in: directory)
            export = try Export(history, household: number, exchanges: exchanges)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.couldNotRun("\(error)")
        }
        let (exchanges, messages) = export.count
        guard exchanges > 0 else {
            if let range = export.unknown {
                throw CommandFailure.badInput("there is no household \(export.household); \(range)")
            }
            throw CommandFailure.couldNotRun(
                "no exchange of household \(export.household) was kept; the rig's 'record' says which are"
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
                "note: requests and replies were kept of \(messages) of these \(exchanges) exchanges; "
                    + export.keptElsewhere)
        }
    }

    /// The household, and which of its exchanges; nil for all.
    private func wanted(in directory: RunDirectory) throws -> (Int, [Int]?) {
        if let household { return (household, nil) }
        let number = violation ?? 0
        let file = directory.file("violations.csv")
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw CommandFailure.couldNotRun("\(file) cannot be read; 'screenrig report' writes it")
        }
        guard let row = ViolationReference(row: number, of: text) else {
            throw CommandFailure.badInput("there is no violation \(number) in \(file)")
        }
        return (row.household, row.exchanges)
    }
}
