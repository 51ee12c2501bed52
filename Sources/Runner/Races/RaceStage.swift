internal import Checker
internal import Devices
internal import Dialects
package import Journal
internal import Lanes
package import Races
internal import Rendering
package import Reports
package import Rigs
package import Vocabulary

/// Where the schedules of a rig are executed: the venue, and an arena over its lanes.
package struct RaceStage {
    package let rig: Rig
    package let venue: Venue
    package let arena: LaneArena
    /// The plans that the rig asks for.
    package let plans: [RacePlan]
    /// Those of two arms that it asks for.
    package let armPlans: [ArmPlan]
    /// What a run on this rig and target would be held to.
    package let promises: Promises
    /// On all lanes together, over sockets.
    private let trialsAtOnce: Int
    /// Why fewer trials are played at a time than `race.at-once` asks for; nil where nothing limits them.
    let concurrencyLimit: String?
    /// How long the last read comes after the one before.
    package let patience: Duration
    /// What lets words of others through.
    let gate: OutputGate
    /// Microseconds since 1970 at instant zero of its exchanges.
    package let startedMicroseconds: Int64

    /// As many on every machine: which lane plays a trial decides its details, and a seed must repeat.
    private static let virtualLanes = 4

    /// `sink` hears of every exchange of every trial.
    package init(
        _ rig: Rig, isVirtual: Bool, allowed: [String],
        recordingTo sink: any HistorySink = Unrecorded()
    ) async throws {
        var rig = rig.racing(phones: 4)
        // One connection carries what is to leave together.
        let isGroup =
            rig.race.gate == .group || rig.race.gate == .auto && rig.target.http == .http2
        if isGroup { rig.connections = .pooled }
        if rig.race.gate == .auto {
            rig.race.gate =
                isGroup ? .group : rig.target.proxy == .none ? .lastByte : .none
        }
        let venue = try await Venue(rig, isVirtual: isVirtual, allowed: allowed)
        self.venue = venue
        if isVirtual, case .listed(var list) = rig.accounts {
            // Lanes side by side must not learn from each other's logins: a seed repeats.
            (list.atOnce, list.failuresAtMost) = (nil, .max)
            rig.accounts = .listed(list)
        }
        self.rig = rig
        let patience = venue.isEmbedded ? nil : rig.load.settle
        self.patience = RacePlan.patience(rig.race, patience)
        plans = RacePlan.plans(
            rig.race, patience: patience, in: rig.racedProtocol,
            hasOtherClient: rig.target.deviceGrant.otherClient != nil)
        armPlans = ArmPlan.plans(rig.race, patience: patience, in: rig.racedProtocol)
        var lanes = try venue.lanes(
            recordingTo: sink, virtual: Self.virtualLanes)
        var atOnce = rig.race.atOnce * lanes.count
        if case .listed(let list) = rig.accounts, let each = list.atOnce {
            let fewest = list.providers.map(\.accounts).min() ?? 1
            let needed = plans.flatMap(\.variants).map(\.schedule.accounts).max() ?? 1
            let asked = atOnce
            atOnce = max(1, min(asked, fewest * each / max(1, needed)))
            lanes = Array(lanes.prefix(atOnce))
            concurrencyLimit =
                atOnce == asked
                ? nil
                : "\(list.file) allows \(Figures.counted(atOnce, "trial")) at a time instead of \(asked): a trial "
                    + "needs \(Figures.counted(needed, "account")) of a provider, and each account serves "
                    + "\(Figures.counted(each, "household")) at a time (accounts.sharing); "
                    + "more accounts make the search faster"
        } else {
            concurrencyLimit = nil
        }
        trialsAtOnce = atOnce
        let onEach = atOnce / lanes.count
        gate = lanes[0].gate
        var terms = try venue.configuration(of: rig)
        terms.retries = 1
        let started = isVirtual ? Venue.virtualEpoch : WallClock.microseconds(ofStart: lanes[0])
        startedMicroseconds = started
        var rules = Rules(rig, isEmbedded: venue.isEmbedded, startedMicroseconds: started)
        rules.throttledBy = .unknown
        rules.part = .trial
        promises = rules.promises
        // The last read comes so long after the one before.
        rules.delivery = RacePlan.patience(rig.race, patience) - .milliseconds(10)
        arena = LaneArena(
            lanes, plan: Plan(rig, seed: rig.seed, run: venue.run), terms: terms, rules: rules,
            isVirtual: isVirtual,
            settings: isVirtual
                ? .virtual
                : .init(
                    ripening: .milliseconds(venue.isNear ? 10 : 100),
                    patience: rig.target.timeout, atOnce: onEach, batch: onEach))
    }

    /// What the stand-in's faults have done so far; nil where it has none.
    package var activations: FaultActivations? {
        guard venue.isEmbedded, !rig.faults.isEmpty else { return nil }
        let activations = (try? Assembly.faults(rig)).map { FaultActivations($0, venue.truths) }
        return activations?.counts.isEmpty == false ? activations : nil
    }

    /// A search of its plans; `clock` is zero when it begins.
    package func search(
        clock: @escaping @Sendable () -> Duration,
        isInterrupted: @escaping @Sendable () -> Bool = { false },
        _ news: @escaping @Sendable (RaceNews) -> Void = { _ in }
    ) -> RaceSearch {
        RaceSearch(
            plans: plans, terms: rig.race, seed: rig.seed,
            gateError: venue.isVirtual ? .zero : .microseconds(50), clock: clock,
            isInterrupted: isInterrupted, news: news)
    }

    /// Replays a case; `batch`: how many at once, nil as many as it can.
    package func replay(
        _ known: Case, times: Int, batch: Int? = nil,
        _ tell: (HitRate) -> Void = { _ in }
    ) async -> Replay.ReplayOutcome {
        var played = known
        // A sign-in that never comes is told from a late one by a last read that comes late enough: what did
        // on a stand-in is too soon elsewhere.
        if !venue.isEmbedded, known.expected.invariant == .signInDelivered {
            played.schedule.settle.every = max(known.schedule.settle.every, patience)
        }
        return await Replay(played, on: arena).play(times: times, batch: batch, progress: tell)
    }

    /// What the race will be; in virtual time without how long it takes.
    package func estimate() -> RaceEstimate {
        RaceEstimate(
            plans, arms: armPlans, terms: rig.race,
            pace: venue.isVirtual ? nil : { pace($0) }, concurrencyLimit: concurrencyLimit)
    }

    /// What a trial takes among as many as go on at once: most of it is waiting. Where the target has a
    /// ceiling, each of its requests has its turn.
    private func pace(_ schedule: Schedule) -> Duration {
        let settle = schedule.settle
        let length =
            settle.quiet + settle.every * max(0, settle.reads - 1)
            + (schedule.codeLifetime ?? .zero) + .milliseconds(200)
        let least: Duration = .milliseconds(25)
        let shared = length / trialsAtOnce
        // Two screens register, a login is walked, and everything is read in the end.
        let requests = schedule.ops.count + 11
        let ceiling = rig.target.courtesy.ceiling(onLoopback: venue.isNear)
        let turns = ceiling.map { Duration.seconds(Double(requests) / $0.perSecond) } ?? .zero
        return max(least, shared, turns)
    }

    /// Takes everything down.
    package func shutdown() async {
        await arena.close()
        await venue.shutdown()
    }
}
