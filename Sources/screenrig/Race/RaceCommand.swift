internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import Journal
internal import Lanes
internal import Races
internal import Rigs
internal import Runner
internal import Synchronization

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
            "Race plan to search instead of the rig's, or 'all'; repeatable.", valueName: "NAME"))
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
        show.begin(stage, stage.estimate(isVirtual: isVirtual))
        let arena = stage.arena
        let flag = StopFlag()
        let interrupts = Interrupts(stopping: arena) { flag.raise() }
        let began = LiveLoop.monotonic()
        let clock: @Sendable () -> Duration = { .nanoseconds(LiveLoop.monotonic() - began) }
        let allowance = Allowance(
            trials: rig.race.trials, time: isVirtual && time == nil ? nil : rig.race.time,
            clock: clock)
        let allowed = AllowedArena(arena, allowance)
        stop(arena, after: allowance.end)
        let kept = try await replayKept(on: stage, allowed)
        var search = RaceSearch(
            plans: stage.plans, terms: rig.race, seed: rig.seed,
            gateError: isVirtual ? .zero : .microseconds(50),
            clock: clock,
            isInterrupted: { flag.isRaised },
            news: { news in
                show.tell(news)
                watch?.tell(news)
            })
        // Lanes that wait for nothing are soon idle.
        if isVirtual { search.ordersAtOnce = 256 }
        if isVirtual, time == nil, search.terms.timeLimit != nil {
            // What a search finds may not hang on how fast this machine is.
            search.terms.time = .seconds(3600)
        }
        let arms = RaceArms(
            stage, in: allowed,
            isOver: { [search] in
                search.isInterrupted()
                    || search.terms.timeLimit.map { search.clock() >= $0 } ?? false
            }, news: { show.tell($0) })
        let comparisons = await arms.compare()
        if let given = search.terms.trials {
            search.terms.trials = max(0, given - comparisons.reduce(0) { $0 + $1.played })
        }
        var outcome = await search.run(in: allowed)
        outcome.comparisons = comparisons
        outcome.isVirtual = isVirtual
        outcome.promises = stage.promises
        outcome.faults = stage.strikes?.sentence
        let work = RaceCases(
            stage, isVirtual: isVirtual, directory: directory, allowance: allowance)
        let cases =
            interrupts.hasInterrupted ? [] : await work.make(outcome) { Terminal.complain($0) }
        var report = report(
            outcome, cases: cases, of: stage, isInterrupted: interrupts.hasInterrupted)
        report.stillReproduces = kept
        show.end(outcome, cases: cases, stage, page: leave(report, in: directory))
        await watch?.end(outcome, report, at: directory.path)
        await stage.strike()
        if interrupts.hasInterrupted { throw CommandFailure(code: .interrupted, message: "") }
        if let reason = outcome.whyNothingCameAbout {
            throw CommandFailure.couldNotRun("no trial could be completed: \(reason)")
        }
        if outcome.isAccusing || kept { throw CommandFailure(code: .failed, message: "") }
    }

    /// Cases that are kept beside the rig come first. Whether one of them still reproduces.
    private func replayKept(on stage: RaceStage, _ arena: AllowedArena) async throws -> Bool {
        let kept = try KeptCases(beside: traffic.rig.rig, plans: stage.plans.map(\.name))
        let rows = await kept.replay(on: arena, of: stage)
        if !traffic.play.json {
            for row in rows { Terminal.print(inWords: "stored case \(row.file): \(row.line)") }
        }
        return rows.contains { $0.rate.hits > 0 }
    }

    /// What is under way when the time is up counts for nothing.
    private func stop(_ arena: LaneArena, after time: Duration?) {
        guard let time else { return }
        DispatchQueue.global(qos: .userInitiated).asyncAfter(
            deadline: .now() + .milliseconds(Int(time / .milliseconds(1)))
        ) { arena.stop() }
    }

    private func report(
        _ outcome: RaceOutcome, cases: [String?], of stage: RaceStage, isInterrupted: Bool
    ) -> RaceReport {
        RaceReport(
            outcome, cases: cases.map { $0.map { "cases/\(($0 as NSString).lastPathComponent)" } },
            about: .init(
                rig: stage.rig.name, target: stage.venue.targetName, version: Screenrig.version,
                seed: stage.rig.seed.value, startedMicroseconds: stage.startedMicroseconds),
            isInterrupted: isInterrupted)
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
        rig.race.plans = try plans.map { name in
            let known = RaceTerms.planNames + RaceTerms.armPlanNames
            guard name == "all" || known.contains(name) else {
                throw CommandFailure.badInput(
                    "unknown race plan '\(name)'; 'screenrig list' shows the plans")
            }
            return .named(name)
        }
    }
}
