/// How long something human or remote takes. Sampling is integer and polynomial arithmetic of our
/// own, so that a seed gives the same plan on every processor.
///
/// The unbounded ones are cut: a draw is never beyond the value that one draw in a million would
/// exceed (nor, for a log-normal, below the one that one in a million would undercut), and never
/// longer than `longest`. One viewer who takes a day would otherwise decide how long a run lasts.
public enum Distribution: Hashable, Sendable {
    case fixed(Duration)
    /// Evenly between the two.
    case uniform(Duration, Duration)
    case exponential(mean: Duration)
    /// `p95` must be above `median`, and both above zero.
    case lognormal(median: Duration, p95: Duration)

    /// No draw is longer: 30 days.
    public static let longest: Duration = .seconds(30 * 86_400)
    /// The share cut off at an open end.
    private static let cut = 1e-6

    /// One draw; never negative. Each case but `fixed` uses one number of the dice.
    public func sample(using dice: inout Dice) -> Duration {
        Sampler(self).sample(using: &dice)
    }

    /// The value at or below which `share` (0 to 1) of all draws lie, cut as draws are.
    public func value(atShare share: Double) -> Duration { Sampler(self).value(atShare: share) }

    /// A distribution made ready for many draws: its logarithm is taken once.
    public struct Sampler: Sendable {
        private enum Shape {
            case fixed(Int64)
            case uniform(from: Double, to: Double)
            case exponential(mean: Double)
            case lognormal(median: Double, sigma: Double)
        }

        /// In nanoseconds.
        private let shape: Shape
        private static let longest = Double(Distribution.longest.nanoseconds)

        public init(_ distribution: Distribution) {
            shape =
                switch distribution {
                case .fixed(let value):
                    .fixed(min(max(value, .zero), Distribution.longest).nanoseconds)
                case .uniform(let low, let high):
                    .uniform(from: Double(low.nanoseconds), to: Double(high.nanoseconds))
                case .exponential(let mean): .exponential(mean: Double(mean.nanoseconds))
                case .lognormal(let median, let p95):
                    .lognormal(
                        median: Double(median.nanoseconds),
                        sigma: Distribution.sigma(median, p95))
                }
        }

        /// One draw; see `Distribution.sample`.
        public func sample(using dice: inout Dice) -> Duration {
            .nanoseconds(nanoseconds(using: &dice))
        }

        /// One draw in whole nanoseconds: what is added to an instant is not multiplied and divided again in
        /// 128 bits.
        public func nanoseconds(using dice: inout Dice) -> Int64 {
            nanoseconds(atShare: dice.unit())
        }

        func value(atShare share: Double) -> Duration {
            .nanoseconds(nanoseconds(atShare: share))
        }

        /// `share` is asked for where the value depends on it: a fixed one leaves the dice alone.
        private func nanoseconds(atShare share: @autoclosure () -> Double) -> Int64 {
            let nanoseconds: Double
            switch shape {
            case .fixed(let value): return value
            case .uniform(let from, let to):
                nanoseconds = from + (to - from) * min(max(share(), 0), 1)
            case .exponential(let mean):
                nanoseconds = -Elementary.logarithm(1 - Self.inside(share())) * mean
            case .lognormal(let median, let sigma):
                let exponent = sigma * Elementary.normalQuantile(Self.inside(share()))
                nanoseconds = median * Elementary.exponential(min(max(exponent, -700), 700))
            }
            return Int64(min(max(nanoseconds, 0), Self.longest).rounded())
        }

        private static func inside(_ share: Double) -> Double {
            min(max(share, Distribution.cut), 1 - Distribution.cut)
        }
    }

    /// The expected draw, for estimates; the cut is not taken into account.
    public var mean: Duration {
        switch self {
        case .fixed(let value): return value
        case .uniform(let low, let high): return (low + high) / 2
        case .exponential(let mean): return mean
        case .lognormal(let median, let p95):
            let sigma = Self.sigma(median, p95)
            let factor = Elementary.exponential(min(sigma * sigma / 2, 700))
            let nanoseconds = Double(median.nanoseconds) * factor
            return .nanoseconds(Int64(min(nanoseconds, Double(Self.longest.nanoseconds))))
        }
    }

    /// ln(p95 / median) over the normal quantile of 0.95; zero where the two leave no spread.
    private static func sigma(_ median: Duration, _ p95: Duration) -> Double {
        guard median > .zero, p95 > median else { return 0 }
        let ratio = Double(p95.nanoseconds) / Double(median.nanoseconds)
        return Elementary.logarithm(ratio) / 1.644853626951472714864
    }

    /// The next gap of a Poisson process of rate one, of the same arithmetic; at most 36.7.
    public static func unitGap(using dice: inout Dice) -> Double {
        -Elementary.logarithm(1 - dice.unit())
    }
}
