internal import ArgumentParser
internal import Checker
internal import Journal
internal import Reports
internal import Rigs

struct JudgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract: "Judge a recorded run again, from its history alone; writes beside the run.",
        discussion: """
            Example:
                screenrig judge latest
                screenrig judge reports/smoke-20261121T103500Z

            RUN is a run directory, its history.sqlite, 'latest', or 'latest~1' for the one before. The same \
            reports as of the run go to a directory beside it, whose name ends in -judged; the run itself is \
            left alone.

            Exit codes: 0 passed, 1 a promise broken or a threshold missed, 3 not every exchange was recorded.
            """)

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: .directory)
    var recorded: String

    func run() throws {
        let directory: RunDirectory
        let thresholds: [Threshold]
        let findings: Findings
        do {
            directory = try RunDirectory.find(recorded)
            let history = try History(path: directory.history)
            thresholds = try ReportCommand.thresholds(of: history)
            guard let found = try Findings(rejudging: history) else {
                if let verdicts = history.end?.verdicts, !verdicts.isEmpty {
                    Terminal.print("while it ran:\n\(verdicts)")
                }
                throw Failure.couldNotRun(Self.refusal(history))
            }
            findings = found
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure.couldNotRun("\(error)")
        }
        let beside = directory.path + "-judged"
        let summary = try Outcome.write(
            directory, thresholds: thresholds, findings: findings, into: beside)
        try Outcome.tell(summary, at: beside)
    }

    private static func refusal(_ history: History) -> String {
        let run = history.header.run
        if history.header.judging.isEmpty {
            return "\(run) cannot be judged: its history does not say by what rules"
        }
        return "\(run) cannot be judged again: \(history.kept.recorded) of \(history.kept.total) "
            + "exchanges were recorded one by one (record: \(history.recording)); what was found "
            + "while it ran stands"
    }
}
