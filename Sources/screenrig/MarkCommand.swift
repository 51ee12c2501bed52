internal import ArgumentParser
internal import Journal
internal import Rigs
internal import Runner
internal import Vocabulary

/// What `mark` and `control` have in common: which run they speak to.
struct LiveRun: ParsableArguments {
    @Option(
        name: .customLong("run"),
        help: ArgumentHelp("The run that goes on.", valueName: "RUN"), completion: .directory)
    var run = RunDirectory.latest

    func ask(_ request: RunRequest) throws -> RunDirectory {
        try CommandFailure.catching(as: .couldNotRun) {
            let directory = try RunDirectory.find(run)
            try ControlFile.ask(request, of: directory, microseconds: WallClock.microseconds)
            return directory
        }
    }
}

struct MarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark",
        abstract: "Mark an event, such as a deploy, in the report of a run that goes on.",
        discussion: """
            Example:
                screenrig mark rollout
                screenrig mark failover --begin
                screenrig mark failover --end
                screenrig mark cache-flush --run reports/staging-load-20261124T060000Z

            The event is a line in every chart over time; the report tells latency, errors and violations before, \
            during and after it apart, and how long the service took to recover. 'rollout recovery < 30s' is a \
            threshold. The run is the newest one unless --run names another.
            """)

    @Argument(help: ArgumentHelp("Letters, digits, '-', '_' and '.'.", valueName: "NAME"))
    var name: String

    @Flag(help: "It begins now, and ends with --end, or with the run.")
    var begin = false

    @Flag(help: "It has ended now.")
    var end = false

    @OptionGroup var going: LiveRun

    func validate() throws {
        guard EventTerms.isName(name) else {
            throw ValidationError(
                "'\(name)' is no name of an event; use at most 40 letters, digits, '-', '_' and '.', "
                    + "such as rollout-2")
        }
        if begin, end { throw ValidationError("--begin and --end are two calls") }
    }

    func run() throws {
        let directory = try going.ask(
            .mark(name: name, begin ? .begin : end ? .end : .moment))
        Terminal.print("marked \(name) in \(directory.name)")
    }
}

struct ControlCommand: ParsableCommand {
    enum Deed: String, ExpressibleByArgument, CaseIterable { case pause, resume, rate, stop }

    static let configuration = CommandConfiguration(
        commandName: "control",
        abstract: "Pause, resume or pace the arrivals of a run that goes on, or stop it.",
        discussion: """
            Example:
                screenrig control pause
                screenrig control resume
                screenrig control rate 50/s
                screenrig control stop --run reports/staging-load-20261124T060000Z

            Only the user who started a run can control it. 'pause' stops arrivals; households that are there go \
            on. 'rate' has households arrive evenly at that rate from then on, as many as the rig plans. 'stop' is the \
            same as Ctrl-C. Each takes effect within a second. What was done is in the report, as an event. Open loads only ('load.arrivals').
            """)

    @Argument(help: ArgumentHelp("pause, resume, rate or stop.", valueName: "ACTION"))
    var deed: Deed

    @Argument(help: ArgumentHelp("With rate: such as 50/s or 10/m.", valueName: "RATE"))
    var rate: String?

    @OptionGroup var going: LiveRun

    private func request() throws -> RunRequest {
        guard deed == .rate else {
            if rate != nil { throw ValidationError("only 'rate' takes a rate") }
            return deed == .pause ? .pause : deed == .resume ? .resume : .stop
        }
        guard let text = rate, let perSecond = Rate(rigText: text)?.perSecond,
            (0.001...100_000).contains(perSecond)
        else {
            throw ValidationError(
                "'rate' needs how many households arrive, with a unit, such as 'rate 50/s' or 'rate 10/m'; at least "
                    + "0.001/s, at most 100000/s"
            )
        }
        return .rate(.init(perSecond: perSecond))
    }

    func validate() throws { _ = try request() }

    func run() throws {
        let directory = try going.ask(try request())
        Terminal.print("asked \(directory.name): \(deed.rawValue)\(rate.map { " \($0)" } ?? "")")
    }
}
