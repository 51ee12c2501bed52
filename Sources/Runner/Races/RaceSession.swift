internal import Dispatch
internal import Foundation
package import Journal
internal import Lanes
package import Races
internal import Rigs

/// One search for the races of a rig, from its stage to cases and report. Its time begins with this value.
package final class RaceSession: Sendable {
    private let stage: RaceStage
    private let directory: RunDirectory
    private let allowance: Allowance
    private let arena: AllowedArena
    private let isTimed: Bool
    private let clock: @Sendable () -> Duration
    private let flag = StopFlag()
    private let baseline: RaceBaseline?
    private let deployed: String?
    private let desk: EventDesk
    /// Where other processes ask for marks and for its end; nil in virtual time, where the rig's commands are not run
    /// either.
    private let control: ControlFile?
    private let queue = DispatchQueue(label: "screenrig.race.control")
    private let say: @Sendable (String) -> Void

    /// Without `isTimed` no clock on the wall ends it, whatever the rig says: in virtual time, what a search
    /// finds may not hang on how fast this machine is.
    /// `deployed`: what the user's own command says is deployed.
    package init(
        _ stage: RaceStage, into directory: RunDirectory, isTimed: Bool,
        baseline: RaceBaseline? = nil, deployed: String? = nil,
        say: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.stage, self.directory, self.isTimed) = (stage, directory, isTimed)
        (self.baseline, self.deployed, self.say) = (baseline, deployed, say)
        desk = EventDesk(
            stage.rig.events, gate: stage.gate, keep: { _ in }, say: say)
        control = stage.venue.isVirtual ? nil : ControlFile(in: directory)
        let began = LiveLoop.monotonic()
        clock = { .nanoseconds(LiveLoop.monotonic() - began) }
        let terms = stage.rig.race
        allowance = Allowance(
            trials: terms.trials, time: isTimed ? terms.time : nil, clock: clock)
        arena = AllowedArena(stage.arena, allowance)
        guard let end = allowance.end else { return }
        // What is under way when the time is up counts for nothing.
        DispatchQueue.global(qos: .userInitiated).asyncAfter(
            deadline: .now() + .milliseconds(Int(end / .milliseconds(1)))
        ) { [arena = stage.arena] in arena.stop() }
    }

    /// Ends the search as soon as it can. From any thread.
    package func stop() { flag.raise() }

    /// Commands of the rig that are running are ended, and nobody can ask for anything any more.
    private func closeDesk(_ timer: (any DispatchSourceTimer)?) {
        timer?.cancel()
        queue.sync {
            obey()
            control?.close()
        }
        desk.end(at: .start + clock())
    }

    /// Does what other processes asked for since the last time.
    private func obey() {
        for (request, microseconds) in control?.read() ?? [] {
            let ago = max(0, WallClock.microseconds - microseconds)
            let instant = Instant.start + max(.zero, clock() - .microseconds(ago))
            switch request {
            case .mark(let name, let edge): desk.mark(name, edge, at: instant)
            case .stop:
                stop()
                stage.arena.stop()
            case .pause, .resume, .rate:
                say("note: a race has no arrivals that could be paused or paced")
            }
        }
    }

    private func openDesk() -> (any DispatchSourceTimer)? {
        guard !stage.venue.isVirtual else { return nil }
        desk.begin(from: .start + clock(), clock: { [clock] in .start + clock() })
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [weak self] in self?.obey() }
        timer.activate()
        return timer
    }

    /// Cases that are kept beside the rig, which come first.
    package func replayKept(beside rigFile: String) async throws -> [KeptCases.KeptCase] {
        let kept = try KeptCases(
            beside: rigFile, plans: stage.plans.map(\.name), in: stage.rig.racedProtocol)
        return await kept.replay(on: arena, of: stage)
    }

    /// Compares the arms, and searches.
    package func search(
        news: @escaping @Sendable (RaceNews) -> Void
    ) async -> RaceOutcome {
        let isVirtual = stage.venue.isVirtual
        let timer = openDesk()
        var search = stage.search(clock: clock, isInterrupted: { [flag] in flag.isRaised }, news)
        // Lanes that wait for nothing are soon idle.
        if isVirtual { search.ordersAtOnce = 256...1024 }
        if !isTimed, search.terms.timeLimit != nil { search.terms.time = .seconds(3600) }
        let arms = RaceArms(
            stage: stage, arena: arena,
            isOver: { [search] in
                search.isInterrupted()
                    || search.terms.timeLimit.map { search.clock() >= $0 } ?? false
            }, news: news)
        let comparisons = await arms.compare()
        if let given = search.terms.trials {
            search.terms.trials = max(0, given - comparisons.reduce(0) { $0 + $1.played })
        }
        var outcome = await search.run(in: arena)
        outcome.comparisons = comparisons
        outcome.isVirtual = isVirtual
        outcome.promises = stage.promises
        outcome.startedMicroseconds = stage.startedMicroseconds
        outcome.faults = stage.activations?.totals
        outcome.concurrencyLimit = stage.concurrencyLimit
        outcome.replayOption = ReplayPermission.option(
            forRig: stage.rig.source, target: stage.venue.targetName)
        outcome.baseline = baseline
        closeDesk(timer)
        outcome.events = desk.events
        return outcome
    }

    /// Shrinks each finding and writes it to `cases/`: the path of each finding's case, in their order; nil
    /// where it could not be written, and `complain` is told why.
    package func makeCases(
        _ outcome: RaceOutcome, complain: (String) -> Void
    ) async -> [String?] {
        // Interrupted, or nobody answers: what was found is kept, and no more trials are played.
        let left =
            flag.isRaised || outcome.end == .noAnswer
            ? Allowance(trials: 0, time: nil, clock: clock) : allowance
        return await RaceCases(stage, directory: directory, allowance: left)
            .make(outcome, complain: complain)
    }

    /// What the search has left: `cases` as they were made.
    package func report(
        _ outcome: RaceOutcome, cases: [String?], isInterrupted: Bool
    ) -> RaceReport {
        RaceReport(
            outcome, cases: cases.map { $0.map { "cases/\(($0 as NSString).lastPathComponent)" } },
            about: .init(
                rig: stage.rig.name, target: stage.venue.targetName, version: Release.version,
                seed: stage.rig.seed.value, startedMicroseconds: stage.startedMicroseconds,
                deployed: deployed),
            isInterrupted: isInterrupted)
    }
}
