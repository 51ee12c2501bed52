/// The distribution of a time that was never seen itself, only between two others: the
/// non-parametric maximum-likelihood estimate from interval-censored values, by self-consistency
/// (Turnbull, JRSS B 38, 1976). Where the data cannot say how a share lies within an interval, the
/// estimate does not either: quantiles are intervals.
///
/// ```text
/// seen        [0     3]   [2  4]      [6     9]
///                  [1   4]               [8    12]
/// innermost         [2 3]                [8 9]        all mass lies in these
/// ```
public struct Turnbull: Sendable, Hashable {
    /// A value that lies from `low` to `high`, seen `count` times.
    public struct CensoredValue: Sendable, Hashable {
        public var low: Double
        public var high: Double
        public var count: Int

        public init(low: Double, high: Double, count: Int = 1) {
            self.low = low
            self.high = max(low, high)
            self.count = count
        }
    }

    /// An innermost interval with the share of all values that lies in it.
    public struct Step: Sendable, Hashable {
        public var low: Double
        public var high: Double
        public var share: Double
    }

    /// From the lowest to the highest; without overlap.
    public let steps: [Step]
    /// Values in all.
    public let count: Int

    /// Ends are closed. Costs rounds times observations, after sorting them.
    public init(_ observations: [CensoredValue], rounds: Int = 2_000) {
        let observations = observations.filter { $0.count > 0 }
        count = observations.reduce(0) { $0 + $1.count }
        let innermost = Self.innermost(observations)
        guard count > 0, !innermost.isEmpty else {
            steps = []
            return
        }
        let spans = observations.map { Self.span(of: $0, in: innermost) }
        let shares = Self.shares(observations, spans, innermost.count, rounds: rounds)
        steps = zip(innermost, shares).map { Step(low: $0.low, high: $0.high, share: $1) }
            // A share that went to nothing is rounding.
            .filter { $0.share > 1e-9 }
    }

    /// Where the value of that rank lies: 0 is the least, 1 the greatest. Nil without observations.
    public func quantile(_ rank: Double) -> Interval? {
        var sum = 0.0
        for step in steps {
            sum += step.share
            // Shares add up to one only nearly.
            if sum >= rank - 1e-6 { return Interval(low: step.low, high: step.high) }
        }
        return steps.last.map { Interval(low: $0.low, high: $0.high) }
    }

    /// A low end that a high end follows, with no other end between.
    private static func innermost(
        _ observations: [CensoredValue]
    ) -> [(low: Double, high: Double)] {
        // Lows first on equal values: the ends belong to their intervals.
        let ends =
            (observations.map { (at: $0.low, isHigh: false) }
            + observations.map { (at: $0.high, isHigh: true) })
            .sorted { ($0.at, $0.isHigh ? 1 : 0) < ($1.at, $1.isHigh ? 1 : 0) }
        var found: [(low: Double, high: Double)] = []
        var low: Double?
        for end in ends {
            if !end.isHigh {
                low = end.at
            } else if let start = low {
                found.append((start, end.at))
                low = nil
            }
        }
        return found
    }

    /// Those of the innermost intervals that lie within an observation: they follow each other.
    private static func span(
        of observation: CensoredValue, in innermost: [(low: Double, high: Double)]
    ) -> Range<Int> {
        func first(_ holds: (Int) -> Bool) -> Int {
            var (low, high) = (0, innermost.count)
            while low < high {
                let middle = (low + high) / 2
                if holds(middle) { high = middle } else { low = middle + 1 }
            }
            return low
        }
        let start = first { innermost[$0].low >= observation.low }
        return start..<max(start, first { innermost[$0].high > observation.high })
    }

    /// Each round every observation spreads itself over its intervals as the shares so far would
    /// have it; the next shares are what all of them put there. Likelihood never falls.
    private static func shares(
        _ observations: [CensoredValue], _ spans: [Range<Int>], _ count: Int, rounds: Int
    ) -> [Double] {
        var shares = [Double](repeating: 1 / Double(count), count: count)
        let total = Double(observations.reduce(0) { $0 + $1.count })
        for _ in 0..<rounds {
            // What an interval gets is the sum over all observations that span it: differences at
            // their ends, summed up from the left.
            var before = [0.0]
            for share in shares { before.append(before[before.count - 1] + share) }
            var changes = [Double](repeating: 0, count: count + 1)
            for (observation, span) in zip(observations, spans) {
                let mass = before[span.upperBound] - before[span.lowerBound]
                guard mass > 0 else { continue }
                let weight = Double(observation.count) / mass
                changes[span.lowerBound] += weight
                changes[span.upperBound] -= weight
            }
            var weight = 0.0
            var moved = 0.0
            for position in shares.indices {
                weight += changes[position]
                let next = max(0, shares[position] * weight / total)
                moved = max(moved, abs(next - shares[position]))
                shares[position] = next
            }
            if moved < 1e-7 { break }
        }
        return shares
    }
}
