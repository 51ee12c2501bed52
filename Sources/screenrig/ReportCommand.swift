internal import ArgumentParser
internal import Journal
internal import Reports
internal import Rigs

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Render the reports of a recorded run again, also of one that was cut short.",
        discussion: """
            Example:
                screenrig report latest
            RUN is a run directory, its history.sqlite, 'latest', or 'latest~1' for the one before.
            """)

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: .directory)
    var recorded: String

    func run() throws {
        let directory: RunDirectory
        let thresholds: [Threshold]
        do {
            directory = try RunDirectory.find(recorded)
            thresholds = try Self.thresholds(of: History(path: directory.history))
        } catch {
            throw Failure.couldNotRun("\(error)")
        }
        try Outcome.report(directory, thresholds: thresholds)
    }

    /// The history's header holds the rig as it was resolved, without its secrets.
    static func thresholds(of history: History) throws -> [Threshold] {
        let header = history.header
        let reading = try Rig.read(
            header.rigSource, file: "the rig of \(header.run)",
            with: RigSurroundings(secrets: .omitted, contents: { _ in nil }))
        return reading.rig.thresholds
    }
}
