public import Formats
internal import Statistics
public import Vocabulary

/// What a race search found out about one promise: the schedule that breaks it most often, and how
/// often and when it does.
public struct RaceFinding: Sendable, Hashable {
    public var plan: String
    public var invariant: Invariant
    /// Whose promise it is, by the judge: what `sentence` says decides it.
    public var source: PromiseSource
    /// The best schedule, its swept offset set to `best`.
    public var schedule: Schedule
    /// The op whose offset was swept.
    public var swept: String
    /// Between which achieved offsets it is broken; nil where one edge could not be found.
    public var window: Window?
    /// The offset of `schedule`, in the middle of the window.
    public var best: Duration
    /// At `best`, in trials made for nothing else.
    public var rate: HitRate
    /// Achieved offsets of those trials.
    public var achieved: Quantiles?
    /// Hits over the offset, in the order of offsets.
    public var curve: [CurvePoint] = []
    /// The first breach in the judge's words.
    public var sentence: String
    /// From the start of the search to the first hit.
    public var firstSeen: Duration = .zero
    /// No wider than what can be aimed at: the two are "simultaneous".
    public var isSimultaneous: Bool = false
    /// Neither its window nor its rate at one offset was looked for: `rate` is that of all trials.
    public var isUnrefined: Bool = false
    /// It had broken before anything was raced: no offset decides it.
    public var isOfSetup: Bool = false
    /// The edges of its window are those of the sweep, for the search ended before they were measured.
    public var isCoarse: Bool = false
    /// How it was come by: `sweep`, `random order`, `priorities, 2 change points`.
    public var method: String = "sweep"
    /// What went on around the trials: `nobody` where they would have been in each other's way.
    public var company: Isolation = .crowd

    /// Below this share of hits, with no window to be made out, it is rare.
    static let rare = 0.2

    /// It breaks now and then, and no offset makes it break often.
    public var isRare: Bool {
        // Cut short, there is no other rate than that of all trials.
        window == nil && !isSimultaneous && (rate.trials > 0 ? rate : total).share < Self.rare
    }

    /// Of all trials at all offsets.
    public var total: HitRate { curve.total }

    /// Two requests of one sort, of which it makes no difference which comes first: it broke on both sides of zero, and not
    /// around it.
    var isTwoSided: Bool {
        guard let window, let op = schedule[op: swept], let anchor = op.anchor,
            schedule[op: anchor.op]?.step == op.step, window.low > .zero || window.high < .zero
        else { return false }
        return curve.contains {
            $0.rate.hits > 0 && (window.low > .zero ? $0.offset < .zero : $0.offset > .zero)
        }
    }

    /// Between two offsets; `low` is below `high`.
    public struct Window: Sendable, Hashable {
        public var low: Duration
        public var high: Duration
        /// The search went no further out: the true edge lies beyond.
        public var isLowOpen: Bool
        public var isHighOpen: Bool

        public init(
            low: Duration, high: Duration, isLowOpen: Bool = false, isHighOpen: Bool = false
        ) {
            self.low = low
            self.high = high
            self.isLowOpen = isLowOpen
            self.isHighOpen = isHighOpen
        }

        public var width: Duration { high - low }
        public var middle: Duration { low + (high - low) / 2 }
    }

    /// Tenth, median and ninetieth percentile.
    public struct Quantiles: Codable, Sendable, Hashable {
        public var p10: Duration
        public var p50: Duration
        public var p90: Duration

        /// Nil of nothing.
        public init?(_ values: [Duration]) {
            guard !values.isEmpty else { return nil }
            let sorted = values.sorted()
            func at(_ tenths: Int) -> Duration { sorted[(sorted.count - 1) * tenths / 10] }
            p10 = at(1)
            p50 = at(5)
            p90 = at(9)
        }
    }

    /// What happened at one offset.
    public struct CurvePoint: Codable, Sendable, Hashable {
        private enum CodingKeys: String, CodingKey {
            case offset = "offsetUs"
            case rate
        }

        /// The mean of what was achieved.
        public var offset: Duration
        public var rate: HitRate

        public init(offset: Duration, rate: HitRate) {
            self.offset = offset
            self.rate = rate
        }
    }
}

extension [RaceFinding.CurvePoint] {
    /// Of all trials at all offsets.
    var total: HitRate { map(\.rate).reduce(HitRate(), +) }

    /// `seen at offsets from -6.81 ms to +1.2 ms (74 of 218 trials), at others in none of 131`; nil where it was seen from end
    /// to end. `isSure`: and where so few trials at others may have missed it by chance.
    func seenText(isSure: Bool = false) -> String? {
        guard let first = firstIndex(where: { $0.rate.hits > 0 }),
            let last = lastIndex(where: { $0.rate.hits > 0 })
        else { return nil }
        let inside = Array(self[first...last]).total
        let others = HitRate(hits: 0, trials: total.trials - inside.trials)
        guard others.trials > 0, !isSure || inside.chance(against: others) < 0.01 else {
            return nil
        }
        let (low, high) = (Offsets.text(self[first].offset), Offsets.text(self[last].offset))
        return "seen at \(low == high ? low : "offsets from \(low) to \(high)") "
            + "(\(inside.counted) trials), at others in none of \(others.trials)"
    }

    /// Where it broke besides: `1 of 4 at +71.1 ms`; the runs of points with hits on either side of a window, without those
    /// in which its edges lie.
    func besides(_ window: RaceFinding.Window) -> [String] {
        let (low, high) = (Curve.bin(of: window.low), Curve.bin(of: window.high))
        let outside = [
            filter { Curve.bin(of: $0.offset) < low && !window.isLowOpen },
            filter { Curve.bin(of: $0.offset) > high && !window.isHighOpen },
        ]
        return outside.flatMap { side in
            side.split { $0.rate.hits == 0 }.map { run in
                let (low, high) = (run[run.startIndex].offset, run[run.endIndex - 1].offset)
                let at = low == high ? "" : "\(Offsets.text(low)) to "
                return "\(Array(run).total.counted) at \(at)\(Offsets.text(high))"
            }
        }
    }
}

/// k hits of n trials.
public struct HitRate: Codable, InlineCodable, Sendable, Hashable {
    public static let firstKey = "k"

    private enum CodingKeys: String, CodingKey {
        case hits = "k"
        case trials = "n"
    }

    public var hits: Int
    public var trials: Int

    public init(hits: Int = 0, trials: Int = 0) {
        self.hits = hits
        self.trials = trials
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        trials = try container.decode(in: 0...1_000_000_000, forKey: .trials)
        hits = try container.decode(in: 0...trials, forKey: .hits)
    }

    /// 0 of nothing.
    public var share: Double { trials > 0 ? Double(hits) / Double(trials) : 0 }

    public mutating func add(_ isHit: Bool) {
        trials += 1
        if isHit { hits += 1 }
    }

    /// What it is at least, with 95 %.
    var surely: Double { Interval.exactShare(of: hits, in: trials).low }

    /// How unlikely so clear a difference would be if there were none: Fisher's exact test, two-sided.
    func chance(against other: HitRate) -> Double {
        fisherExact(hits, of: trials, against: other.hits, of: other.trials)
    }

    static func + (left: HitRate, right: HitRate) -> HitRate {
        HitRate(hits: left.hits + right.hits, trials: left.trials + right.trials)
    }
}
