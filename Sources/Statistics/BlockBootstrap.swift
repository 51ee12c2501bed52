/// A distribution measured in consecutive stretches of time, from which runs that might have been
/// are drawn: the non-overlapping block bootstrap (Carlstein, Annals of Statistics 14, 1986).
///
/// Answers that are near each other in time are alike, because they met the same queue; drawing
/// single ones would take each for news and find differences where there are none. Whole stretches
/// are drawn instead. A run whose load rises and falls has stretches that cannot stand for each
/// other, so each is replaced by one of the same part of the run.
///
/// ```text
/// recorded   | a b c d e | f g h i j |     two parts of five stretches
/// drawn      | b b e a c | j f f i g |
/// ```
///
/// A queue that takes longer than a stretch to empty makes neighbouring stretches alike, too. Then there are fewer of
/// them than were counted: their error is as much larger as that of an autoregressive series of first order
/// (`dependence`; Bayley and Hammersley, Supplement to the Journal of the Royal Statistical Society 8, 1946).
///
/// Where there are too few stretches, single values are drawn after all (`drawsSingles`).
public struct BlockBootstrap: Sendable {
    /// Fewer stretches with anything in them say nothing about how alike neighbours are.
    static let fewest = 8
    /// Upper bounds of the values of one position, in nanoseconds.
    private let values: [Int64]
    /// For each position the number of values up to it, of one stretch after the other: what a draw
    /// adds up lies together.
    private let running: [Int32]
    private let parts: [Range<Int>]
    private let stretchCount: Int
    /// All stretches together.
    let all: Histogram
    public let drawsSingles: Bool

    public var count: Int { all.count }

    /// Stretches in the order of time; empty ones count for nothing.
    public init(_ stretches: [Histogram]) {
        let filled = stretches.filter { $0.count > 0 }
        var whole = Histogram()
        for stretch in filled { whole.merge(stretch) }
        all = whole
        drawsSingles = filled.count < Self.fewest
        let buckets = whole.filled
        values = buckets.map { $0.low + $0.width / 2 }
        let used = drawsSingles ? [whole].filter { $0.count > 0 } : filled
        var running = [Int32](repeating: 0, count: used.count * buckets.count)
        for (number, stretch) in used.enumerated() {
            var own = stretch.filled[...]
            var seen: Int32 = 0
            for (position, bucket) in buckets.enumerated() {
                if let next = own.first, next.low == bucket.low {
                    seen += Int32(next.count)
                    own.removeFirst()
                }
                running[position * used.count + number] = seen
            }
        }
        self.running = running
        stretchCount = used.count
        let number = max(1, min(4, used.count / 5))
        parts = (0..<number).map {
            (used.count * $0 / number)..<(used.count * ($0 + 1) / number)
        }
    }

    /// How well its own error is known.
    var freedom: Double { drawsSingles ? .infinity : Double(stretchCount - parts.count) }

    /// The measured value at `share`, in nanoseconds; nil while there is none.
    public func value(atShare share: Double) -> Double? {
        all.value(atShare: share).map(Double.init)
    }

    /// By how much the variance of the value at `share` is larger than if each stretch stood for itself: 1 where
    /// neighbours are not alike.
    func dependence(atShare share: Double) -> Double {
        // Of fewer stretches it is chance.
        let number = min(4, stretchCount / Self.comparable)
        guard !drawsSingles, number > 1 else { return 1 }
        let once = [Int32](repeating: 1, count: stretchCount)
        let start = position(atShare: share, once) * stretchCount
        let last = (values.count - 1) * stretchCount
        let below = (0..<stretchCount).map { Double(running[start + $0]) }
        let total = (0..<stretchCount).map { Double(running[last + $0]) }
        var residuals: [Double] = []
        for index in 0..<number {
            // What the load has made of a part of the run does not make neighbours alike.
            let part = (stretchCount * index / number)..<(stretchCount * (index + 1) / number)
            let usual = below[part].reduce(0, +) / max(1, total[part].reduce(0, +))
            residuals += part.map { below[$0] - usual * total[$0] }
        }
        let squares = residuals.reduce(0) { $0 + $1 * $1 }
        guard squares > 0 else { return 1 }
        let autocorrelation =
            zip(residuals, residuals.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / squares
        // Residuals of one average are less alike than what they are residuals of (Marriott and Pope, Biometrika 41, 1954).
        let each = Double(stretchCount) / Double(number)
        let corrected = (autocorrelation * each + 1) / (each - 4)
        let alike = min(Self.mostAlike, max(0, corrected))
        return (1 + alike) / (1 - alike)
    }

    /// Stretches that an autocorrelation needs, and the highest that so few can show.
    private static let comparable = 10
    private static let mostAlike = 0.85

    /// The values at `shares` of one run that might have been.
    public func drawn(atShares shares: [Double], using dice: inout Dice) -> [Double] {
        guard count > 0 else { return shares.map { _ in 0 } }
        if drawsSingles { return shares.map { single(atShare: $0, using: &dice) } }
        var times = [Int32](repeating: 0, count: stretchCount)
        for part in parts {
            for _ in part { times[part.lowerBound + dice.below(part.count)] += 1 }
        }
        return shares.map { Double(values[position(atShare: $0, times)]) }
    }

    /// That of the value at `share` where each stretch was drawn so many times.
    private func position(atShare share: Double, _ times: [Int32]) -> Int {
        let last = values.count - 1
        let rank = max(1, Int((share * Double(seen(upTo: last, times))).rounded(.up)))
        var (low, high) = (0, last)
        while low < high {
            let middle = (low + high) / 2
            if seen(upTo: middle, times) >= rank { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Values up to a position where each stretch was drawn so many times. Some hundred thousand of these
    /// sums make one comparison: without a check for overflow, which 40 stretches of 32 bits are far
    /// from, eight are added at a time.
    private func seen(upTo position: Int, _ times: [Int32]) -> Int {
        let start = position * stretchCount
        return running[start..<start + stretchCount].withUnsafeBufferPointer { running in
            times.withUnsafeBufferPointer { times in
                var seen: Int64 = 0
                for stretch in 0..<min(running.count, times.count) {
                    seen &+= Int64(running[stretch]) &* Int64(times[stretch])
                }
                return Int(seen)
            }
        }
    }

    /// The value at `share` of as many single values drawn again: its rank among the recorded ones is
    /// binomial, here by its normal limit.
    private func single(atShare share: Double, using dice: inout Dice) -> Double {
        let spread = (share * (1 - share) / Double(count)).squareRoot()
        let probability = min(max(dice.unit(), 1e-9), 1 - 1e-9)
        let moved = share + spread * Elementary.normalQuantile(probability)
        return all.value(atShare: min(1, max(0, moved))).map(Double.init) ?? 0
    }
}

/// How two measured values differ, and how sure that is.
public struct Difference: Sendable, Hashable {
    /// The measured values, in nanoseconds.
    public var base: Double
    public var run: Double
    /// `run - base`, with 95 % confidence.
    public var interval: Interval
    /// The probability of a ratio at least as far from 1 by chance alone.
    public var probability: Double

    /// Of the quantiles at `shares`, from `draws` pairs of runs that might have been. The same seed
    /// gives the same answer. Empty when one side has no values.
    public static func quantiles(
        _ base: BlockBootstrap, _ run: BlockBootstrap, atShares shares: [Double], seed: Seed,
        draws: Int = 600
    ) -> [Difference] {
        guard base.count > 0, run.count > 0 else { return [] }
        var (baseDice, runDice) = (
            seed.child("base").generator(), seed.child("run").generator()
        )
        var differences = shares.map { _ in [Double]() }
        var (ones, others) = (differences, differences)
        for _ in 0..<draws {
            let one = base.drawn(atShares: shares, using: &baseDice)
            let other = run.drawn(atShares: shares, using: &runDice)
            for index in shares.indices {
                differences[index].append(other[index] - one[index])
                ones[index].append(Self.logarithm(one[index]))
                others[index].append(Self.logarithm(other[index]))
            }
        }
        return shares.indices.map { index in
            let (from, to) = (
                base.value(atShare: shares[index]) ?? 0, run.value(atShare: shares[index]) ?? 0
            )
            let sorted = differences[index].sorted()
            let tail = Double(draws) * 0.025
            let (one, other) = (variance(ones[index]), variance(others[index]))
            let whole =
                one * base.dependence(atShare: shares[index])
                + other * run.dependence(atShare: shares[index])
            let wider = one + other > 0 ? (whole / (one + other)).squareRoot() : 1
            let middle = to - from
            let low = middle + wider * (sorted[Int(tail)] - middle)
            let high =
                middle + wider * (sorted[min(draws - 1, Int(Double(draws) - tail))] - middle)
            // A percentile is known to within its bucket of the histogram, 0.2 %.
            let error = max(whole.squareRoot(), 0.002)
            // The error itself is known only as well as there are values beyond the percentile, or
            // stretches, to know it from.
            let freedom = min(
                min(base.freedom, run.freedom),
                Double(min(base.count, run.count)) * (1 - shares[index]))
            let deviate = Significance.deviate(
                ofStudent: (Self.logarithm(to) - Self.logarithm(from)) / error,
                freedom: max(1, freedom))
            return Difference(
                base: from, run: to,
                interval: Interval(low: min(low, to - from), high: max(high, to - from)),
                probability: Significance.twoSided(deviate))
        }
    }

    private static func logarithm(_ nanoseconds: Double) -> Double {
        Elementary.logarithm(max(nanoseconds, 1))
    }

    private static func variance(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return squares / Double(max(1, values.count - 1))
    }
}
