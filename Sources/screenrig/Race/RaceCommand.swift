internal import ArgumentParser
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

            Exit codes: 0 no violation found, 1 violation found, 2 bad command line or rig, 3 could not run, \
            130 interrupted.
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

    func run() async throws {
        var rig = try RigFile.read(traffic, isVirtual: isVirtual)
        try apply(to: &rig)
        if let refusal = RacePlan.refusal(rig.race, in: rig.racedProtocol) {
            throw CommandFailure.badInput(refusal)
        }
        let directory: RunDirectory
        do {
            directory = try RunDirectory.create(
                rig: "race \(rig.name)", startedMicroseconds: WallClock.microseconds,
                out: traffic.out)
        } catch {
            throw CommandFailure.couldNotRun("\(error)")
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
            stage, into: directory, isTimed: !isVirtual || time != nil)
        let interrupts = Interrupts(stopping: stage.arena) { session.stop() }
        let rows = try await session.replayKept(beside: traffic.rig.rig)
        if !traffic.play.json {
            for row in rows { Terminal.print(inWords: "stored case \(row.file): \(row.line)") }
        }
        let kept = rows.contains { $0.rate.hits > 0 }
        let outcome = await session.search { news in
            show.tell(news)
            watch?.tell(news)
        }
        let cases =
            interrupts.hasInterrupted
            ? [] : await session.makeCases(outcome) { Terminal.complain($0) }
        var report = session.report(
            outcome, cases: cases, isInterrupted: interrupts.hasInterrupted)
        report.stillReproduces = kept
        show.end(outcome, cases: cases, stage, page: leave(report, in: directory))
        await watch?.end(outcome, report, at: directory.path)
        await stage.shutdown()
        if interrupts.hasInterrupted { throw CommandFailure(code: .interrupted, message: "") }
        if let reason = outcome.whyNothingCameAbout {
            throw CommandFailure.couldNotRun("no trial could be completed: \(reason)")
        }
        if outcome.isAccusing || kept { throw CommandFailure(code: .failed, message: "") }
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
                    "unknown race plan '\(name)'; 'screenrig list' shows the plans")
            }
            return .named(name)
        }
    }
}
