internal import Checker
internal import Dialects
internal import Journal
internal import Statistics

/// Makes a case of what a search has found: shrinks it, measures it again in trials made for
/// nothing else, and holds it against its controls.
public struct CaseWork: Sendable {
    /// What is known of the search that is no part of a finding.
    public struct SearchOrigin: Sendable {
        public var version: String
        public var rig: Case.RigText
        public var seed: UInt64
        public var policies: [String]
        public var target: Case.Target
        public var throttle: String
        /// Microseconds since 1970 at instant zero of the exchanges.
        public var startedMicroseconds: Int64
        /// The proxy that the requests go through; nil without one.
        public var via: String?

        public init(
            version: String, rig: Case.RigText, seed: UInt64, policies: [String] = [],
            target: Case.Target, throttle: String = "", startedMicroseconds: Int64,
            via: String? = nil
        ) {
            self.version = version
            self.rig = rig
            self.seed = seed
            self.policies = policies
            self.target = target
            self.throttle = throttle
            self.startedMicroseconds = startedMicroseconds
            self.via = via
        }
    }

    let origin: SearchOrigin
    let arena: any Arena
    /// A stand-in without faults that takes so long to answer; nil where there can be none.
    let clean: Clean?
    let budget: Shrinker.Budget
    /// Trials of the case itself and of each control.
    let trials: Int
    /// What all of it may spend; nil: what it takes.
    let allowance: Allowance?

    /// Makes the arena of the second control. It lives as long as the call that it is lent to.
    public typealias Clean =
        @Sendable (
            _ latency: Duration, _ play: (any Arena) async -> Case.Arm?
        ) async -> Case.Arm?

    public init(
        _ origin: SearchOrigin, on arena: any Arena, clean: Clean? = nil,
        budget: Shrinker.Budget = Shrinker.Budget(), trials: Int = 20,
        allowance: Allowance? = nil
    ) {
        self.origin = origin
        self.arena = arena
        self.clean = clean
        self.budget = budget
        self.trials = trials
        self.allowance = allowance
    }

    /// Half of what is left, at most, goes into shrinking: a case that was not measured proves little.
    private var shrinking: Shrinker.Budget {
        var budget = budget
        if let left = allowance?.trialsLeft { budget.replays = min(budget.replays, left / 2) }
        if let left = allowance?.timeLeft { budget.time = min(budget.time, left / 2) }
        return budget
    }

    /// The case of `finding`, made at that time (UTC, microseconds since 1970). `example`: a trial that
    /// showed it.
    public func make(
        _ finding: RaceFinding, example: TrialResult? = nil, madeAt microseconds: Int64
    ) async -> Case {
        if finding.isRare { return await rare(finding, example: example, madeAt: microseconds) }
        var shrinker = Shrinker(
            of: finding.invariant, source: finding.source, on: arena, peak: finding.rate.share,
            window: finding.window,
            swept: finding.swept, pinned: Self.pinned(finding), company: finding.company,
            budget: shrinking)
        let shrunk = await shrinker.shrink(finding.schedule)
        var made = plain(finding, shrunk.schedule, madeAt: microseconds)
        (made.isMinimal, made.removed) = (shrunk.isMinimal, shrunk.removed)
        made.almost = shrunk.almost
        let measured = await measure(&made, of: finding, example: example)
        // Cut short, it knows less than what the search measured.
        let isWhole = measured.rate.trials >= min(trials, max(1, finding.rate.trials))
        let best = made.swept.flatMap { made.schedule[op: $0]?.offset } ?? finding.best
        made.evidence = Case.Evidence(
            rate: isWhole ? measured.rate : finding.rate, method: finding.method,
            achieved: isWhole ? measured.achieved ?? finding.achieved : finding.achieved,
            window: finding.window, best: best, isSimultaneous: finding.isSimultaneous,
            curve: finding.curve, firstSeen: finding.firstSeen,
            trialTime: measured.example.map(Self.length) ?? .zero)
        made.path = origin.via.flatMap { measured.path(through: $0) }
        if let example = measured.example ?? example {
            made.take(example, startedMicroseconds: origin.startedMicroseconds)
        }
        made.controls = await controls(made)
        made.prefixes = await Prefixes(
            schedule: made.schedule, invariant: finding.invariant, reach: Self.reach(finding),
            seed: Seed(origin.seed), source: finding.source
        ).play(in: arena, company: made.company, trials: trials)
        made.alternatives = Alternatives.considered(made)
        return made
    }

    /// What breaks now and then, whatever the offset, is kept as it was seen: there is no rate by which
    /// smaller schedules could be told apart. What it does at its own offset is measured all the same: hits at
    /// all offsets say nothing of how often a replay reproduces it.
    private func rare(
        _ finding: RaceFinding, example: TrialResult?, madeAt microseconds: Int64
    ) async -> Case {
        var made = plain(finding, example?.schedule ?? finding.schedule, madeAt: microseconds)
        // One trial broke it where it lies; where several did, more will.
        if let swept = made.swept, finding.method.hasPrefix("sweep"),
            let most = finding.curve.max(by: { $0.rate.surely < $1.rate.surely }),
            most.rate.hits > 1
        {
            made.schedule[op: swept]?.offset = most.offset
        }
        let measured = await measure(&made, of: finding, example: example)
        made.evidence = Case.Evidence(
            // Cut short: what the search saw.
            rate: measured.rate.trials > 0 ? measured.rate : finding.total,
            method: finding.method, achieved: measured.achieved ?? finding.achieved,
            best: made.swept.flatMap { made.schedule[op: $0]?.offset } ?? finding.best,
            curve: finding.curve, firstSeen: finding.firstSeen,
            trialTime: (measured.example ?? example).map(Self.length) ?? .zero)
        if let example = measured.example ?? example {
            made.take(example, startedMicroseconds: origin.startedMicroseconds)
        }
        made.alternatives = Alternatives.considered(made)
        return made
    }

    /// Where significantly more trials break the promise when what follows the race comes as late as in a trial that broke it,
    /// it keeps those offsets: the schedule alone, which a script plays, would not break it.
    private func measure(
        _ made: inout Case, of finding: RaceFinding, example: TrialResult?
    ) async -> Replay.ReplayOutcome {
        let measured = await Replay(made, on: arena).play(times: trials, batch: Self.batch)
        // Cut short: of its times nothing is known but those of the trial that broke it.
        if measured.rate.trials == 0, finding.isUnrefined, let example,
            let timed = made.schedule.timed(as: example, but: nil)
        {
            made.schedule = timed
        }
        // It is not to take the trials of the controls.
        guard measured.rate.trials > 0, measured.rate.share < Self.often,
            allowance?.trialsLeft ?? .max >= 4 * trials,
            let example = measured.example ?? example,
            let timed = made.schedule.timed(as: example, but: made.swept)
        else { return measured }
        var late = made
        late.schedule = timed
        let again = await Replay(late, on: arena).play(times: trials, batch: Self.batch)
        guard again.rate.trials >= measured.rate.trials,
            again.rate.share > measured.rate.share,
            again.rate.chance(against: measured.rate) < 0.05
        else { return measured }
        made = late
        // Its ops were tried at their old times.
        made.isMinimal = false
        return again
    }

    private static let often = 0.8

    /// What is known without a single trial.
    private func plain(
        _ finding: RaceFinding, _ schedule: Schedule, madeAt microseconds: Int64
    ) -> Case {
        Case(
            name: "\(finding.plan)-\(finding.invariant.name)",
            made: Self.utc(microseconds), version: origin.version, rig: origin.rig,
            seed: origin.seed, policies: origin.policies, target: origin.target,
            throttle: origin.throttle, schedule: schedule, company: finding.company,
            swept: schedule[op: finding.swept] == nil ? nil : finding.swept,
            expected: Case.Expected(
                finding.invariant, source: finding.source, sentence: finding.sentence))
    }

    /// Trials that are played together.
    private static let batch = 10

    /// The conflict itself: what was swept, and what it was aimed at.
    private static func pinned(_ finding: RaceFinding) -> Set<String> {
        var pinned: Set<String> = [finding.swept]
        if let anchor = finding.schedule[op: finding.swept]?.anchor { pinned.insert(anchor.op) }
        return pinned
    }

    /// As far as the search went, as far as one can tell.
    private static func reach(_ finding: RaceFinding) -> Duration {
        let far = finding.curve.map(\.offset.magnitude).max()
        return max(far ?? .zero, .milliseconds(1))
    }

    private static func utc(_ microseconds: Int64) -> String {
        let text = Case.Trial(startedMicroseconds: microseconds, exchanges: []).utc(0)
        return text.prefix(19) + "Z"
    }

    private static func length(_ trial: TrialResult) -> Duration {
        let begun = trial.exchanges.map(\.begun).min() ?? .start
        let ended = trial.exchanges.map(\.ended).max() ?? .start
        return ended - begun
    }

    // MARK: Controls

    private func controls(_ made: Case) async -> Case.Controls {
        var controls = Case.Controls(latency: made.trial?.latency)
        if let outside = Self.outside(made) {
            let offset = outside.swept.flatMap { outside.schedule[op: $0]?.offset } ?? .zero
            controls.outside = await arm(outside, at: offset, on: arena, against: made)
        }
        if let clean {
            let offset = made.evidence?.best ?? .zero
            controls.clean = await clean(controls.latency ?? .zero) {
                await arm(made, at: offset, on: $0, against: made)
            }
        }
        return controls
    }

    private func arm(
        _ control: Case, at offset: Duration, on arena: any Arena, against made: Case
    ) async -> Case.Arm? {
        let played = await Replay(control, on: arena).play(times: trials, batch: Self.batch)
        guard played.rate.trials > 0 else { return nil }
        let own = made.evidence?.rate ?? HitRate()
        return Case.Arm(
            offset: offset, rate: played.rate, fisher: own.chance(against: played.rate))
    }

    /// The same schedule as far outside its window as the window is wide, and 20 ms at least: beyond
    /// the edge that was found, the upper one if both were.
    static func outside(_ made: Case) -> Case? {
        guard let window = made.evidence?.window, let swept = made.swept,
            !(window.isLowOpen && window.isHighOpen)
        else { return nil }
        let margin = max(window.width, .milliseconds(20))
        var control = made
        control.schedule[op: swept]?.offset =
            window.isHighOpen ? window.low - margin : window.high + margin
        return control
    }
}

extension Case {
    /// Takes what a replay has measured as its evidence: a case of a run has none of its own.
    public mutating func measured(
        _ outcome: Replay.ReplayOutcome, on name: String, startedMicroseconds: Int64
    ) {
        var evidence = evidence ?? Evidence(rate: outcome.rate, method: "seen in a run")
        evidence.rate = outcome.rate
        evidence.achieved = outcome.achieved
        evidence.best = swept.flatMap { schedule[op: $0]?.offset } ?? .zero
        self.evidence = evidence
        target.name = name
        if let example = outcome.example {
            take(example, startedMicroseconds: startedMicroseconds)
        }
    }

    /// Takes an execution that broke the promise as the one to be shown.
    mutating func take(_ example: TrialResult, startedMicroseconds: Int64) {
        let wanted = expected.invariant
        guard let breach = example.breaches.first(where: { $0.breaks(expected) }) else { return }
        trial = Trial(example, breach: breach, startedMicroseconds: startedMicroseconds)
        let ids = trial?.exchanges.filter { $0.isConflict && !$0.op.isEmpty }.map(\.op) ?? []
        expected = Expected(
            wanted, source: breach.source, ops: schedule.ops.map(\.id).filter { ids.contains($0) },
            gap: breach.gap.map { .nanoseconds($0) }, signature: breach.signature,
            sentence: example.naming(breach.sentence))
        target.take(example.exchanges)
    }
}

extension TrialResult {
    /// A sentence with the schedule's screens beside the numbers of several households: `household 102 (other-tv)`.
    fileprivate func naming(_ sentence: String) -> String {
        guard households.count > 1 else { return sentence }
        return sentence.replacing(/household (\d+)\b/) { found in
            let place = Int(found.1).flatMap(households.firstIndex(of:))
            let name = place.flatMap { place in
                schedule.actors.first { $0.household == place && $0.screen == .first }?.name
            }
            return name.map { "\(found.0) (\($0))" } ?? String(found.0)
        }
    }

    /// What the schedule calls the screen of an exchange.
    fileprivate func actor(_ exchange: Exchange, at home: Int) -> String {
        let isFirst = exchange.device.role == .firstScreen
        let own = schedule.actors.first {
            $0.household == home && ($0.screen == .first) == isFirst
        }
        return home > 0 ? own?.name ?? exchange.device.name : exchange.device.name
    }
}

extension Case.Target {
    /// What the service's answers say of it, where that is not known yet. Pages of the provider's
    /// login are not the service's.
    mutating func take(_ exchanges: [Exchange]) {
        let headers = exchanges.lazy.filter { $0.operation != .mvpdLogin }.map(\.evidence)
        if date.isEmpty { date = headers.compactMap { $0["Date"] }.first ?? "" }
        if server.isEmpty { server = headers.compactMap { $0["Server"] }.first ?? "" }
        let set = headers.flatMap(\.fields).filter { $0.name.lowercased() == "set-cookie" }
        let names = set.compactMap { $0.value.split(separator: "=").first.map(String.init) }
        cookies = Set(names + cookies).sorted()
    }
}

extension Case.Trial {
    /// An execution as a case keeps it.
    init(_ result: TrialResult, breach: Breach, startedMicroseconds: Int64) {
        let named = result.releases
        let order = result.exchanges.indices.sorted {
            result.exchanges[$0].sent < result.exchanges[$1].sent
        }
        // Of a code that two homes got the judge names the exchange of one.
        let code =
            breach.invariant == .codeUnique
            ? result.exchanges.first {
                $0.device.household == breach.household && breach.exchanges.contains($0.sequence)
            }?.code : nil
        let exchanges = order.map { place -> Case.Entry in
            let exchange = result.exchanges[place]
            let number = exchange.device.household
            let home = result.households.firstIndex(of: number) ?? 0
            let isOwn = number == breach.household
            let scene = isOwn ? breach.scene.first { $0.sequence == exchange.sequence } : nil
            let op = named.first {
                $0.sequence == exchange.sequence && $0.sent == exchange.sent
                    && result.household(of: $0.op) ?? number == number
            }?.op
            var entry = Case.Entry(
                exchange, op: op ?? "",
                actor: op.flatMap { result.schedule[op: $0]?.actor }
                    ?? result.actor(exchange, at: home),
                household: home, scene: scene,
                isConflict: isOwn
                    ? breach.exchanges.contains(exchange.sequence)
                    : code != nil && exchange.code == code
                        && exchange.operation.step(onFirstScreen: true) == .issueCode)
            if result.requests.indices.contains(place) { entry.request = result.requests[place] }
            return entry
        }
        self.init(startedMicroseconds: startedMicroseconds, exchanges: exchanges)
    }

    /// What the service took to answer, in the middle of them.
    var latency: Duration? {
        let times = exchanges.filter { !$0.isOpen }.map { $0.firstByte - $0.sent }.sorted()
        return times.isEmpty ? nil : .nanoseconds(times[times.count / 2])
    }
}

extension Case.Entry {
    init(
        _ exchange: Exchange, op: String, actor: String, household: Int, scene: SceneEntry?,
        isConflict: Bool
    ) {
        let isOpen = exchange.delivery.status == nil
        let told =
            switch exchange.observation.result {
            case .success: "success"
            case .absent: "absent"
            case .expired: "expired"
            case .denied: "denied"
            case .unauthenticated: "unauthenticated"
            case .unauthorized: "unauthorized"
            case .none, .ledBack, .ledOn:
                isOpen ? "lost" : exchange.operation == .assertion ? "maybe" : "ok"
            }
        self.init(
            op: op, actor: actor, operation: exchange.operation, household: household,
            sequence: exchange.sequence, begun: exchange.begun.nanoseconds,
            sent: exchange.sent.nanoseconds,
            firstByte: (exchange.firstByte ?? exchange.ended).nanoseconds,
            ended: exchange.ended.nanoseconds, isOpen: isOpen, status: exchange.delivery.status,
            answer: scene?.answer ?? told, belief: scene.map { Int($0.belief) },
            isConflict: isConflict,
            serverDate: exchange.evidence["Date"] ?? "",
            requestID: exchange.requestID ?? "")
    }
}
