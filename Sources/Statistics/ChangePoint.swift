/// A lasting change of the level of a series.
public struct ChangePoint: Sendable, Hashable {
    /// Position of the first value of the new level, as the whole series tells it now.
    public var first: Int
    /// Position of the value with which it was noticed; it never changes as values are added.
    public var noticed: Int
    /// Geometric means of the values before it, since the change before that, and after it, up to
    /// the next change.
    public var before: Double
    public var after: Double
    /// `after / before`, with 95 % confidence.
    public var ratio: Interval
    /// How many standard errors lay between both levels when it was noticed, as a normal
    /// deviate.
    public var strength: Double

    public var isRise: Bool { after > before }
}

/// Finds lasting changes of level in a series that grows by one value at a time, and says with which
/// value each was noticed.
///
/// It is the change-point model of statistical process control (Hawkins, Qiu and Kang, Journal of
/// Quality Technology 35, 2003): with each new value the series since the last change is split at
/// every place that may be new, the two sides are compared by Student's t on logarithms, and the
/// best split counts when it passes a limit that allows for how often one looks. The limits are set
/// by what is to be found soon: a level that has held for four to six values is let pass most easily.
///
/// ```text
/// 181 178 184 180 176 183 179 185 | 199 197 203 201   <- noticed with the last one
///          the level before       |  three values or more
/// ```
///
/// A share of which it is known how many it is of must also differ by more than such counts do by chance (an exact
/// conditional test on the sums of both sides: Przyborowski and Wilenski, Biometrika 31, 1940): 0 0 0 0 0 1 1 1 errors of
/// 800 requests each are no change, though the first five do not scatter.
///
/// Four things keep odd values from mattering: a new level has three values at least; what its last one or
/// two tell more clearly waits; it must still stand out, by one and a half standard errors, without the
/// farther half of its values; and values of the old level that lie far out (five robust standard
/// deviations) are drawn in to there.
public struct ChangePointDetector: Sendable, Hashable {
    /// Added to each value before its logarithm is taken, so that a share may be zero.
    public var offset: Double
    /// Smaller relative changes of level are none, however sure.
    public var smallest: Double
    /// Of percentiles: of how many values either side of a change must be, all of its own together, and a single one that is
    /// held against a level (`PercentileNeed`).
    public var needed: Int

    /// A value of the first level is never compared with fewer others than this.
    static let shortest = 5
    /// A later level was told by so many values: it may end as soon, so that what got worse and was mended
    /// is seen to be mended.
    private static func shortest(from start: Int) -> Int { start == 0 ? shortest : freshest }
    /// A new level has at least as many values.
    static let freshest = 3
    /// How far back a split is looked for, and how much of the old level is used at most.
    static let reach = 30
    static let memory = 180
    /// Values are never taken to scatter less than this around their level.
    static let calm = 0.005

    public init(offset: Double = 0, smallest: Double = 0.03, needed: Int = 0) {
        self.offset = offset
        self.smallest = smallest
        self.needed = needed
    }

    /// The limit, as a normal deviate, for a new level of `fresh` values after `old` ones. How often
    /// series without a change pass it, and how soon those with one, is measured in docs/nights.md.
    static func limit(old: Int, fresh: Int) -> Double {
        if old < 14 || fresh < 4 { return 4.0 }
        return fresh <= 6 ? 3.35 : 3.8
    }

    /// All lasting changes, in their order. Values below zero count as zero. `wholes`: of how many each value is a share;
    /// nil, or left away, where that is not known: then those that tell stand for it. `counts`: of how many each is a
    /// percentile; where that is not known, of enough.
    public func changes(
        in values: [Double], wholes: [Double?] = [], counts: [Double?] = []
    ) -> [ChangePoint] {
        let values = readings(values, wholes, counts)
        var found: [Split] = []
        var start = 0
        for end in 0..<values.count {
            guard let split = newest(values, from: start, through: end) else { continue }
            found.append(split)
            start = split.first
        }
        return points(of: settled(found, values), values)
    }

    private func readings(
        _ values: [Double], _ wholes: [Double?], _ counts: [Double?]
    ) -> [Reading] {
        let known = wholes.compactMap(\.self)
        let usual = known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
        return values.indices.map { position in
            Reading(
                log: Elementary.logarithm(max(0, values[position]) + max(offset, 1e-9)),
                share: max(0, values[position]),
                whole: (position < wholes.count ? wholes[position] : nil) ?? usual,
                count: (position < counts.count ? counts[position] : nil) ?? .infinity)
        }
    }

    /// How far the last of `values` lies from the level of those before it, which need be five; nil where they are
    /// fewer, or where it or they are percentiles of too few values. `wholes` and `counts` as in `changes`.
    public func departure(
        of values: [Double], wholes: [Double?] = [], counts: [Double?] = []
    ) -> Departure? {
        guard values.count > Self.shortest else { return nil }
        let readings = readings(values, wholes, counts)
        guard isEnough(readings.dropLast()), isEnough(readings.suffix(1)) else { return nil }
        let both = TwoSampleTest(
            drawnIn(Array(readings.dropLast().suffix(Self.memory))), readings.suffix(1))
        return Departure(
            level: max(0, Elementary.exponential(both.old) - offset),
            ratio: Elementary.exponential(both.difference), deviate: both.deviate)
    }

    /// One value held against the level of those before it.
    public struct Departure: Sendable, Hashable {
        /// Geometric mean of the values before it.
        public var level: Double
        /// How many times that level the value is, with the offset added to both.
        public var ratio: Double
        /// Student's t of the difference as a normal deviate; positive above the level.
        public var deviate: Double

        /// Beyond it a single value is unusual: so far up lie 0.7 of 1,000 values of a level that has not
        /// changed (docs/nights.md has what was measured).
        public static let limit = 3.2
        /// Smaller differences are not worth a word, however sure.
        public static let smallest = 1.1
        /// Two values in a row that are each so many times their level need no third.
        public static let large = 1.5
    }

    /// A value as it is compared.
    private struct Reading {
        var log: Double
        var share: Double
        /// Of how many it is a share, where that is known.
        var whole: Double?
        /// Of how many it is a percentile; infinite where that is not known.
        var count: Double
    }

    private func isEnough(_ values: some Sequence<Reading>) -> Bool {
        values.reduce(0) { $0 + $1.count } >= Double(needed)
    }

    /// Where a level begins, and with which value that was noticed.
    private struct Split {
        var first: Int
        var noticed: Int
        var strength: Double
    }

    /// The clearest split of the values since `start` that passes its limit, if any.
    private func newest(_ values: [Reading], from start: Int, through end: Int) -> Split? {
        let longest = min(end + 1 - start - Self.shortest(from: start), Self.reach)
        guard longest >= Self.freshest else { return nil }
        var best: (margin: Double, split: Split)?
        for fresh in Self.freshest...longest {
            let first = end + 1 - fresh
            let from = max(start, first - Self.memory)
            let old = drawnIn(Array(values[from..<first]))
            let new = Array(values[first...end])
            let both = TwoSampleTest(old, new)
            let margin = both.deviate.magnitude - Self.limit(old: old.count, fresh: fresh)
            guard margin > best?.margin ?? 0, isLarge(both.difference), isEnough(old),
                isEnough(new),
                both.deviate.magnitude >= clearest(after: old, new)
            else { continue }
            // Without its farther half it must still stand out: {1000 1000 10} is no new level.
            let nearer = new.sorted { ($0.log < $1.log) == (both.difference > 0) }.dropLast(
                fresh == Self.freshest ? 2 : fresh / 2)
            let without = TwoSampleTest(old, Array(nearer))
            guard without.deviate * both.deviate > 0, without.deviate.magnitude >= 1.5 else {
                continue
            }
            best = (
                margin, Split(first: first, noticed: end, strength: both.deviate.magnitude)
            )
        }
        return best?.split
    }

    /// 10 10 30 30: the last four are no level of four values, but the last two stand out. What one or two
    /// values tell more clearly than all of `new` waits for the third. The others of `new` count as they are: drawn in to an
    /// old level that did not scatter, they would pass for it, and each next value would stand out.
    private func clearest(after old: [Reading], _ new: [Reading]) -> Double {
        (1..<Self.freshest).map { newest in
            TwoSampleTest(old + new.dropLast(newest), Array(new.suffix(newest))).deviate.magnitude
        }.max() ?? 0
    }

    private func isLarge(_ difference: Double) -> Bool {
        difference.magnitude >= Elementary.logarithm(1 + smallest)
    }

    /// With hindsight a change may turn out to lie a few values off: each is moved to the best split
    /// between its neighbours that is not far from where it was noticed.
    private func settled(_ found: [Split], _ values: [Reading]) -> [Split] {
        var settled = found
        for index in settled.indices {
            let from = index == 0 ? 0 : settled[index - 1].first
            let to = index + 1 < settled.count ? settled[index + 1].first : values.count
            let near = max(from + 1, found[index].first - 3)...max(from + 1, found[index].first + 3)
            var best: (deviate: Double, first: Int)?
            for first in near where first <= found[index].noticed && first < to {
                // As they are: drawn in, values of the new level would pass for the old one.
                let old = Array(values[max(from, first - Self.memory)..<first])
                let deviate = TwoSampleTest(old, Array(values[first..<to])).deviate.magnitude
                if deviate > best?.deviate ?? 0 { best = (deviate, first) }
            }
            if let best { settled[index].first = best.first }
        }
        return settled
    }

    private func points(of splits: [Split], _ values: [Reading]) -> [ChangePoint] {
        splits.indices.map { index in
            let split = splits[index]
            let from = index == 0 ? 0 : splits[index - 1].first
            let to = index + 1 < splits.count ? splits[index + 1].first : values.count
            let both = TwoSampleTest(
                Array(values[from..<split.first]), Array(values[split.first..<to]))
            let (low, high) = (
                both.difference - 1.96 * both.error, both.difference + 1.96 * both.error
            )
            func level(_ mean: Double) -> Double {
                max(0, Elementary.exponential(mean) - offset)
            }
            return ChangePoint(
                first: split.first, noticed: split.noticed, before: level(both.old),
                after: level(both.new),
                ratio: Interval(
                    low: Elementary.exponential(low), high: Elementary.exponential(high)),
                strength: split.strength)
        }
    }

    /// Student's comparison of two samples with one variance.
    private struct TwoSampleTest {
        var old: Double
        var new: Double
        /// Standard error of the difference of means.
        var error: Double
        /// Student's t of the difference, as a normal deviate with the same tail; of shares whose wholes are known
        /// the deviate of the sums, where that is nearer to zero.
        var deviate: Double

        var difference: Double { new - old }

        init(_ before: [Reading], _ after: [Reading]) {
            let (k, m) = (Double(before.count), Double(after.count))
            old = before.reduce(0) { $0 + $1.log } / k
            new = after.reduce(0) { $0 + $1.log } / m
            var squares = 0.0
            for value in before { squares += (value.log - old) * (value.log - old) }
            for value in after { squares += (value.log - new) * (value.log - new) }
            let freedom = max(1, k + m - 2)
            let deviation = max((squares / freedom).squareRoot(), calm)
            error = deviation * (1 / k + 1 / m).squareRoot()
            deviate = Significance.deviate(ofStudent: (new - old) / error, freedom: freedom)
            guard let first = Self.hits(before), let second = Self.hits(after) else { return }
            let counted = Significance.deviate(
                ofHits: second.hits, among: first.hits + second.hits,
                share: second.whole / (first.whole + second.whole))
            if counted * deviate < 0 {
                deviate = 0
            } else if counted.magnitude < deviate.magnitude {
                deviate = counted
            }
        }

        /// Of all values together; nil where one of them does not tell, or there was nothing.
        static func hits(_ values: [Reading]) -> (hits: Double, whole: Double)? {
            var sum = (hits: 0.0, whole: 0.0)
            for value in values {
                guard let whole = value.whole else { return nil }
                sum.hits += (value.share * whole).rounded()
                sum.whole += whole
            }
            return sum.whole > 0 ? sum : nil
        }
    }

    /// Values farther than five robust standard deviations from the median are drawn in to there;
    /// of few values none is far.
    private func drawnIn(_ values: [Reading]) -> [Reading] {
        guard values.count >= 8 else { return values }
        let logs = values.map(\.log)
        let middle = Self.median(logs)
        let spread = 1.4826 * Self.median(logs.map { ($0 - middle).magnitude })
        let far = 5 * max(spread, Self.calm, chance(values))
        return values.map { value in
            guard (value.log - middle).magnitude > far else { return value }
            var near = value
            near.log = min(max(value.log, middle - far), middle + far)
            near.share = max(0, Elementary.exponential(near.log) - offset)
            return near
        }
    }

    /// How much logarithms of shares scatter by chance alone, where it is known of how many they are: most of a few
    /// errors in hundreds of requests are none, one or two, and those that are two do not lie far out.
    private func chance(_ values: [Reading]) -> Double {
        guard let all = TwoSampleTest.hits(values) else { return 0 }
        let share = all.hits / all.whole
        let each = all.whole / Double(values.count)
        return (share * max(0, 1 - share) / each).squareRoot() / (share + max(offset, 1e-9))
    }

    /// Of at least one value.
    public static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let half = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
    }
}
