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
            left alone. --promises judges it by another level than the run was held to.

            Exit codes: 0 passed, 1 a promise broken or a threshold missed, 3 not every exchange was recorded, or \
            the rules in the history cannot be read.
            """)

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: .directory)
    var recorded: String

    @Option(
        help: ArgumentHelp(
            "Which broken promises fail it: strict, documented or observe; replaces the run's.",
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
        let directory: RunDirectory
        let thresholds: [Threshold]
        let findings: Findings
        do {
            directory = try RunDirectory.find(recorded)
            let history = try History(path: directory.history)
            thresholds = try ReportCommand.thresholds(of: history)
            guard let found = try Findings(rejudging: history, promises: level) else {
                if let verdicts = history.end?.verdicts, !verdicts.isEmpty {
                    Terminal.print("while it ran:\n\(verdicts)")
                }
                throw CommandFailure.couldNotRun(Self.refusal(history))
            }
            findings = found
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.couldNotRun("\(error)")
        }
        let beside = directory.path + "-judged"
        let summary = try RunCompletion.write(
            directory, thresholds: thresholds, findings: findings, into: beside)
        try RunCompletion.tell(summary, at: beside)
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
