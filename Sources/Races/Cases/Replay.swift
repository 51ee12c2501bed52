internal import Journal
public import Statistics
public import Vocabulary

/// Plays a case again and again and counts how often the same promise breaks.
public struct Replay: Sendable {
    public let replayed: Case
    let arena: any Arena

    public init(_ replayed: Case, on arena: any Arena) {
        self.replayed = replayed
        self.arena = arena
    }

    /// What came of it.
    public struct ReplayOutcome: Sendable {
        public var rate: HitRate
        /// Offsets of the swept op that counted.
        public var achieved: RaceFinding.Quantiles?
        /// Of those whose achieved offset lay in the window that was measured: where the rest lay, the
        /// machine was late, or the service's answers took another time.
        public var within = HitRate()
        /// Trials that told nothing, with the reason of the first.
        public var discarded: Int
        public var reason: String
        /// Other promises that broke.
        public var others: [Invariant: Int]
        /// The first breach in the judge's words.
        public var sentence: String
        /// The first trial that hit, and by what.
        public var example: TrialResult?
        var hit: Breach?
        public var wasStopped: Bool
        /// A set-up was throttled to its end.
        public var isHeldUp = false
        /// Whose sign-ins TVs showed.
        var users = ShownUsers()
        /// What each read took to be answered: the same short request over and over.
        var latencies: [Duration] = []

        /// How much the way through a proxy varies, by what its reads took.
        public func path(through via: String) -> Case.PathJitter? {
            RaceFinding.Quantiles(latencies).map { Case.PathJitter(via: via, spread: $0) }
        }

        /// Whose promise it is: by the judge where it broke, as the case has it where it did not.
        public func source(_ replayed: Case) -> PromiseSource {
            hit?.source ?? replayed.expected.source
        }

        /// Why no hit is no answer where the case is about what belongs to another household; nil where it is one.
        public func whyUndecided(_ replayed: Case) -> String? {
            let isAboutUsers = [.tokenIsolation, .identityIsolation].contains(
                replayed.expected.invariant)
            return rate.hits == 0 && isAboutUsers ? users.whyMixed : nil
        }

        /// With 95 %, from both sides.
        public var interval: Interval { .exactShare(of: rate.hits, in: rate.trials) }
    }

    private static let together = 24

    /// Plays it until `times` trials counted, as many again were discarded, or the set-up of one was
    /// throttled to its end. `progress` is told after each batch.
    public func play(
        times: Int, batch: Int? = nil, progress: (HitRate) -> Void = { _ in }
    ) async -> ReplayOutcome {
        var outcome = ReplayOutcome(
            rate: HitRate(), discarded: 0, reason: "", others: [:], sentence: "",
            wasStopped: false)
        var offsets: [Duration] = []
        // Most of a trial is waiting, which as many as an arena plays at once do together.
        let rounds = (times + Self.together - 1) / Self.together
        let batch = batch ?? (times + rounds - 1) / max(1, rounds)
        while outcome.rate.trials < times, !outcome.wasStopped, !outcome.isHeldUp {
            guard outcome.discarded <= times + 5 else { break }
            let count = min(batch, times - outcome.rate.trials)
            let results = await arena.play(
                Array(repeating: replayed.schedule, count: max(1, count)),
                in: replayed.company)
            guard !results.isEmpty else { break }
            for result in results { outcome.take(result, replayed, &offsets) }
            outcome.isHeldUp = results.allSatisfy {
                $0.discarded != nil && $0.isThrottledThroughout
            }
            progress(outcome.rate)
        }
        outcome.achieved = RaceFinding.Quantiles(offsets)
        return outcome
    }
}

extension Replay.ReplayOutcome {
    fileprivate mutating func take(
        _ result: TrialResult, _ replayed: Case, _ offsets: inout [Duration]
    ) {
        let expected = replayed.expected
        // Of answers against the form the same is the same operation's.
        let hit =
            expected.invariant == .conforms
            ? result.deviations.first {
                $0.breaks(.conforms, of: expected.source) && $0.signature == expected.signature
            } : result.breaches.first { $0.breaks(expected) }
        // An answer that cannot be read says nothing but that it breaks the form.
        if hit == nil, let discard = result.discarded {
            if discard == .stopped { wasStopped = true }
            if reason.isEmpty || reason == "\(TrialResult.Discard.stopped)" {
                reason = result.reasonOfDiscard
            }
            discarded += 1
            return
        }
        users.add(result)
        latencies += result.exchanges.compactMap { exchange in
            guard exchange.isPoll, let first = exchange.firstByte else {
                return nil
            }
            return first - exchange.sent
        }
        rate.add(hit != nil)
        if let swept = replayed.swept, let offset = result[release: swept]?.offset {
            offsets.append(offset)
            if let window = replayed.evidence?.window, window.low...window.high ~= offset {
                within.add(hit != nil)
            }
        }
        let besides = result.breaches.filter { !$0.breaks(replayed.expected) }
        for invariant in Set(besides.map(\.invariant)) { others[invariant, default: 0] += 1 }
        guard example == nil, let hit else { return }
        (sentence, example, self.hit) = (hit.sentence, result, hit)
    }
}

/// How many replays without a hit make it fixed.
public struct FixedAt: Sendable, Hashable {
    public let confidence: Double
    /// The lower bound of the old rate, on which it stands.
    public let oldRate: Double
    /// Nil where nothing is known of the old rate.
    public let replays: Int?

    public init(_ known: Case, confidence: Double) {
        self.confidence = confidence
        var rate = known.evidence?.rate ?? HitRate()
        // Hits at all offsets, which older cases have, say nothing of the one at which this case is played.
        if let curve = known.evidence?.curve, curve.count > 1, curve.total == rate {
            rate = HitRate()
        }
        oldRate = Interval.exactShare(of: rate.hits, in: rate.trials).low
        replays = TrialCount.toCallFixed(oldRate, confidence: confidence)
    }
}
