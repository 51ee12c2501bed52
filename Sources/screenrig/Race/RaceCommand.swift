internal import ArgumentParser
internal import Glibc
internal import Journal
internal import Races
internal import Rigs
internal import Runner

struct RaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "race",
        abstract: "Search for the interleavings that break a promise; leaves replayable cases.",
        discussion: """
            Example:
                screenrig race rigs/races/poll-authenticate.yaml \\
                    --fault ack-before-apply:window=30ms

            The rig's 'race' section chooses the race plans; --plan replaces them. The result is the window \
            of offsets in which a promise breaks, how often it breaks there, and a case for 'screenrig \
            replay'. The run directory has report.html, summary.json, junit.xml and tables. A limit (--for, \
            --trials) includes shrinking and measuring the findings; --plan all without a limit ends when \
            every plan is swept.

            --baseline names an earlier race (its run directory or summary.json): violations that it already has do not \
            fail this race. \
            --watch runs the race again after each deploy, which it notices by a command that prints what is \
            deployed; Ctrl-C ends it, with 1 if a race found a violation, else 0 (130 during a race). For git: git bisect run screenrig race RIG --bisect --target URL.

            Exit codes: 0 no violation found, 1 violation found, 2 bad command line or rig, 3 could not run, \
            130 interrupted. With --bisect: 0 no violation found, all sweeps complete; 1 violation found; 125 could not \
            run, ended before its sweeps were complete, or most trials were inconclusive; 128 bad command line or rig; 130 interrupted.
            """)

    @OptionGroup var traffic: TrafficOptions

    @OptionGroup var pages: PageOptions

    @Option(
        name: .customLong("plan"),
        help: ArgumentHelp(
            "Race plan to search instead of the rig's: one of 'screenrig list', one that the rig defines, or 'all'; repeatable.",
            valueName: "NAME"))
    var plans: [String] = []

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Stop after this time, such as 60s.", valueName: "T"))
    var time: String?

    @Option(help: ArgumentHelp("Stop after this many trials.", valueName: "N"))
    var trials: Int?

    @Flag(
        name: .customLong("virtual"),
        help: "Run in virtual time against the stand-in in this process; repeatable from the seed.")
    var isVirtual = false

    @Option(
        help: ArgumentHelp(
            "Violations in this earlier race (run directory or summary.json) do not fail this one.",
            valueName: "RUN"), completion: .file())
    var baseline: String?

    @Option(
        help: ArgumentHelp(
            "Race again whenever this command prints something new, such as a deployed version.",
            valueName: "COMMAND"))
    var watch: String?

    @Flag(name: .customLong("bisect"), help: "Exit codes for 'git bisect run'.")
    var isBisecting = false

    func validate() throws {
        if pages.control {
            throw ValidationError(
                "--control is for runs: a race has no arrivals; end it with Ctrl-C")
        }
        guard watch != nil else { return }
        if isBisecting { throw ValidationError("--watch never ends by itself; leave --bisect out") }
        if traffic.out != nil {
            throw ValidationError(
                "--watch leaves a run directory for each race, so it cannot be --out; leave that out"
            )
        }
    }

    func run() async throws {
        var rig = try RigFile.read(traffic, isVirtual: isVirtual)
        try apply(to: &rig)
        if let refusal = RacePlan.refusal(rig.race, in: rig.racedProtocol) {
            throw CommandFailure.badInput(refusal)
        }
        if let watch {
            return try await race(
                rig,
                after: try DeployWatch(command: watch, hiding: { [rig] in rig.hidingSecrets($0) }))
        }
        let ending = try await race(rig)
        if ending.isAccusing { throw CommandFailure(code: .failed, message: "") }
        if isBisecting, let reason = ending.doubt {
            throw CommandFailure(
                code: .untrusted,
                message: "no violation found, but the result is inconclusive: \(reason)")
        }
    }

    /// Races now and after each deploy, until Ctrl-C.
    private func race(_ rig: Rig, after deploys: DeployWatch) async throws {
        var version: String
        switch await deploys.now() {
        case .deployed(let text): version = text
        case .failed(let reason): throw CommandFailure.couldNotRun("--watch: \(reason)")
        }
        let flag = StopFlag()
        // While a race goes on, it hears of Ctrl-C itself.
        let interrupts = Interrupts { number in
            if number > 1 { _exit(ExitCode.interrupted.rawValue) }
            flag.raise()
        }
        defer { withExtendedLifetime(interrupts) {} }
        var isAccusing = false
        while true {
            say("deployed: \(version)")
            do {
                isAccusing = try await race(rig, deployed: version).isAccusing || isAccusing
            } catch let failure as CommandFailure where failure.code == .couldNotRun {
                // In the middle of a deploy a service may be gone for a while.
                Terminal.complain(inWords: failure.message)
            }
            say("waiting for the next deploy; Ctrl-C ends")
            let next = await deploys.change(
                from: version, until: { flag.isRaised }, say: { Terminal.complain(inWords: $0) })
            guard let next else { break }
            version = next
        }
        if isAccusing { throw CommandFailure(code: .failed, message: "") }
    }

    private func say(_ text: String) {
        if !traffic.play.quiet, !traffic.play.json { Terminal.complain(inWords: text) }
    }

    /// What a race came to.
    private struct RaceEnding {
        var isAccusing: Bool
        /// Why having found nothing is no answer; nil where it is one.
        var doubt: String?
    }

    /// One race, from the stage to its report.
    private func race(_ rig: Rig, deployed: String? = nil) async throws -> RaceEnding {
        let known = try CommandFailure.catching(as: .badInput) {
            try baseline.map { try RaceBaseline(contentsOf: $0) }
        }
        let directory = try CommandFailure.catching(as: .couldNotRun) {
            try RunDirectory.create(
                rig: "race \(rig.name)", startedMicroseconds: WallClock.microseconds,
                out: traffic.out)
        }
        let counts = pages.areWanted ? ProgressSink() : nil
        let stage = try await RaceStage(
            rig, isVirtual: isVirtual, allowed: traffic.play.allowed,
            recordingTo: counts ?? Unrecorded())
        let watch = try await RaceWatch.open(
            pages, on: stage, counting: counts, run: directory.name,
            limit: isVirtual && time == nil ? nil : rig.race.timeLimit)
        let show = RaceShow(traffic)
        show.begin(stage, stage.estimate())
        let session = RaceSession(
            stage, into: directory, isTimed: !isVirtual || time != nil, baseline: known,
            deployed: deployed, say: { show.say($0) })
        let interrupts = Interrupts(stopping: stage.arena) { session.stop() }
        let rows = try await session.replayKept(beside: traffic.rig)
        if !traffic.play.json {
            for row in rows { Terminal.print(inWords: "stored case \(row.file): \(row.line)") }
        }
        let outcome = await session.search { news in
            show.tell(news)
            watch?.tell(news)
        }
        let kept = rows.contains { row in
            row.rate.hits > 0
                && !outcome.isKnown(
                    Promise(row.known.expected.invariant, row.known.expected.source),
                    in: row.known.schedule.plan)
        }
        // By a signal, or by 'screenrig control stop'.
        let wasStopped = interrupts.hasInterrupted || outcome.end == .interrupted
        show.clear()
        let cases = await session.makeCases(outcome) { Terminal.complain($0) }
        var report = session.report(outcome, cases: cases, isInterrupted: wasStopped)
        report.stillReproduces = kept
        show.end(outcome, cases: cases, stage, page: leave(report, in: directory))
        await watch?.end(outcome, report, at: directory.path)
        await stage.shutdown()
        if wasStopped { throw CommandFailure(code: .interrupted, message: "") }
        if !kept, let reason = outcome.whyNothingCameAbout {
            throw CommandFailure.couldNotRun(reason)
        }
        return RaceEnding(
            isAccusing: outcome.isAccusing || kept, doubt: outcome.whyNothingIsNoAnswer)
    }

    /// Writes it; the path of its page, nil where that did not go.
    private func leave(_ report: RaceReport, in directory: RunDirectory) -> String? {
        do {
            try report.write(to: directory.path)
            return directory.file("report.html")
        } catch {
            Terminal.complain("\(error)")
            return nil
        }
    }

    private func apply(to rig: inout Rig) throws {
        if let time {
            guard let duration = Duration(rigText: time), duration > .zero else {
                throw CommandFailure.badInput(
                    "--for is '\(time)'; it must be a duration such as "
                        + "60s")
            }
            rig.race.time = duration
        }
        if let trials {
            guard (1...10_000_000).contains(trials) else {
                throw CommandFailure.badInput("--trials is \(trials); it must be 1 to 10000000")
            }
            rig.race.trials = trials
        }
        guard !plans.isEmpty else { return }
        let own = rig.race.plans
        rig.race.plans = try plans.map { name in
            // A plan that the rig defines goes by its name, too.
            for case .own(let plan) in own where plan.name == name { return .own(plan) }
            let known = RaceTerms.planNames + RaceTerms.armPlanNames
            guard name == "all" || known.contains(name) else {
                throw CommandFailure.badInput(
                    "unknown race plan '\(name)'; "
                        + (name.contains(",") ? "name each with a --plan of its own; " : "")
                        + "'screenrig list' shows the plans")
            }
            return .named(name)
        }
    }
}
