internal import ArgumentParser
internal import Checker
internal import Journal
internal import Reports
internal import Rigs
internal import Runner

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Render the reports of a recorded run again, even if the run was killed.",
        discussion: """
            Example:
                screenrig report latest
                screenrig report latest --share for-the-vendor.zip

            RUN is a run directory, its history.sqlite, 'latest', or 'latest~1' for the one before. With \
            --share the run directory is not changed: the reports go to an archive, with pseudonyms for \
            people and devices and without the history.
            """)

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: .directory)
    var recorded: String

    @Option(
        help: ArgumentHelp(
            "Write the reports to this archive, with pseudonyms for people and devices.",
            valueName: "OUT.zip"), completion: .file(extensions: ["zip"]))
    var share: String?

    func run() throws {
        let (directory, thresholds) = try CommandFailure.catching(as: .couldNotRun) {
            let directory = try RunDirectory.find(recorded)
            let history = try History(path: directory.history)
            if let unended = directory.unendedSentence(history) {
                Terminal.complain(inWords: "\(unended). This is what it says so far")
            }
            return (directory, try Self.thresholds(of: history))
        }
        if let share { return try Self.share(directory, thresholds, as: share) }
        try RunReports.write(
            directory, thresholds: thresholds, complain: { Terminal.complain($0) }
        ).tell(at: directory.path)
    }

    private static func share(
        _ directory: RunDirectory, _ thresholds: [Threshold], as archive: String
    ) throws {
        try CommandFailure.catching(as: .couldNotRun) {
            let history = try History(path: directory.history)
            try Report.share(
                history, thresholds: thresholds, findings: try Findings(rejudging: history),
                as: archive)
        }
        Terminal.print(
            "\(archive): the reports of \(directory.name), with pseudonyms for people and devices")
    }

    /// The history's header holds the rig as it was resolved, without its secrets.
    static func thresholds(of history: History) throws -> [Threshold] {
        let header = history.header
        let reading = try Rig.read(
            header.rigSource, file: "the rig of \(header.run)",
            with: .recorded)
        return reading.rig.thresholds
    }
}
