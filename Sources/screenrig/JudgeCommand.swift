internal import ArgumentParser
internal import Checker
internal import Journal
internal import Reports
internal import Rigs
internal import Runner
internal import Vocabulary

struct JudgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract: "Check a recorded run again from its history; the reports go next to the run.",
        discussion: """
            Example:
                screenrig judge latest
                screenrig judge reports/smoke-20261121T103500Z

            RUN is a run directory, its history.sqlite, 'latest', or 'latest~1' for the one before. The \
            reports go to a new directory next to the run, whose name ends in -judged; the run itself is not \
            changed. --promises applies another level than the run's.

            Exit codes: 0 passed, 1 a promise broken or a threshold missed, 3 not every exchange was \
            recorded, or the history's rules cannot be read.
            """)

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: .directory)
    var recorded: String

    @Option(
        help: ArgumentHelp(
            "Which broken promises fail the run: strict, documented or observe; default: the "
                + "run's own level.",
            valueName: "LEVEL"),
        completion: .list(["strict", "documented", "observe"]))
    var promises: String?

    private func level() throws -> Promises? {
        try promises.map { text in
            guard let level = Promises.Level(rawValue: text) else {
                throw CommandFailure.badInput(
                    "--promises is '\(text)'; it must be strict, documented or observe")
            }
            return Promises(level)
        }
    }

    func run() throws {
        let level = try level()
        let (directory, thresholds, findings) = try CommandFailure.catching(as: .couldNotRun) {
            let directory = try RunDirectory.find(recorded)
            let history = try History(path: directory.history)
            let thresholds = try ReportCommand.thresholds(of: history)
            guard let found = try Findings(rejudging: history, promises: level) else {
                if let verdicts = history.end?.verdicts, !verdicts.isEmpty {
                    Terminal.print("during the run:\n\(verdicts)")
                }
                throw CommandFailure.couldNotRun(Self.refusal(history))
            }
            return (directory, thresholds, found)
        }
        let beside = directory.path + "-judged"
        let summary = try RunReports.write(
            directory, thresholds: thresholds, findings: findings, into: beside,
            complain: { Terminal.complain($0) })
        try summary.tell(at: beside)
    }

    private static func refusal(_ history: History) -> String {
        let run = history.header.run
        if history.header.judging.isEmpty {
            return "\(run) cannot be checked: its history does not contain the rules (policies "
                + "and promises) to check it by; run the rig again"
        }
        return "\(run) cannot be checked again: only \(history.kept.recorded) of "
            + "\(history.kept.total) exchanges were recorded (record: \(history.recording)); the "
            + "violations found during the run stand. Set 'record: all' to check later runs again"
    }
}
