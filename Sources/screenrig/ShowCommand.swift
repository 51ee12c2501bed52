internal import ArgumentParser
internal import Foundation
internal import Journal
internal import Reports
internal import Runner

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Write the page of one household: both screens on one time axis, step by step.",
        discussion: """
            Example:
                screenrig show latest --household 17
                screenrig show latest --household 17 --out household-17.html

            RUN is a run directory, its history.sqlite, 'latest', or 'latest~1' for the one before. The page \
            goes to households/N.html in the run directory, or to FILE. It is one file that needs no network: \
            every request and response, what happened on the devices, and the state that the judge derived \
            after each. Reports already include the pages of the households they name.
            """)

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: .directory)
    var recorded: String

    @Option(help: ArgumentHelp("The household.", valueName: "N"))
    var household: Int

    @Option(
        help: ArgumentHelp("Write the page to this file.", valueName: "FILE"),
        completion: .file(extensions: ["html"]))
    var out: String?

    func run() throws {
        let (directory, page) = try CommandFailure.catching(as: .couldNotRun) {
            let directory = try RunDirectory.find(recorded)
            let history = try History(path: directory.history)
            guard let record = try Self.record(of: household, in: history) else {
                let export = try Export(history, household: household)
                throw CommandFailure.badInput(
                    "no household \(household) in this run; \(export.unknown ?? "")")
            }
            guard try !history.exchanges(household: household).isEmpty else {
                throw CommandFailure.couldNotRun(
                    "no exchange of household \(household) was recorded (record: "
                        + "\(history.recording)); set 'record: all' in the rig to record every household"
                )
            }
            return (directory, try RunReports.page(of: record, history, isAlone: out != nil))
        }
        let path = out ?? directory.file(TraceFolder.file(household))
        do {
            if out == nil {
                try PrivateFile.makeFolder((path as NSString).deletingLastPathComponent)
                try PrivateFile.write(Data(page.utf8), to: path)
            } else {
                // By name, for others to have: with the rights that the user gives new files.
                try Data(page.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            }
        } catch {
            throw CommandFailure.couldNotRun(
                "\(path) could not be written: \(error.localizedDescription); choose another place with "
                    + "--out FILE")
        }
        Terminal.print(path)
    }

    private static func record(of household: Int, in history: History) throws -> HouseholdRecord? {
        var found: HouseholdRecord?
        try history.households { if $0.household == household { found = $0 } }
        return found
    }
}
