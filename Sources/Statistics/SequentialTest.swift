/// Wald's sequential probability ratio test of a share (Annals of Mathematical Statistics 16, 1945):
/// asks for one trial after another until it is sure which of two shares it looks at. Between 0.05
/// and 0.5 that takes three to five trials.
public struct SequentialTest: Hashable, Sendable {
    public enum TestDecision: Hashable, Sendable {
        /// The share is the larger one, or above.
        case high
        /// The share is the smaller one, or below.
        case low
    }

    public private(set) var hits = 0
    public private(set) var trials = 0
    private var evidence = 0.0
    private let stepUp: Double
    private let stepDown: Double
    private let bound: Double

    /// Tells a share of `low` from one of `high`, `low` below `high`, wrong with probability `error`
    /// at most at either; between the two it may say either.
    public init(low: Double, high: Double, error: Double = 0.05) {
        precondition(low < high && error > 0 && error < 0.5, "two shares in order, and an error")
        // Certainty would end the test for ever at the first contradiction.
        let low = min(max(low, 1e-6), 1 - 2e-6)
        let high = max(min(high, 1 - 1e-6), low + 1e-6)
        stepUp = Elementary.logarithm(high / low)
        stepDown = Elementary.logarithm((1 - high) / (1 - low))
        bound = Elementary.logarithm((1 - error) / error)
    }

    /// Takes the outcome of one more trial; gives the decision once there is one.
    @discardableResult
    public mutating func add(_ isHit: Bool) -> TestDecision? {
        trials += 1
        hits += isHit ? 1 : 0
        evidence += isHit ? stepUp : stepDown
        return decision
    }

    /// Nil while more trials are needed.
    public var decision: TestDecision? {
        evidence >= bound ? .high : evidence <= -bound ? .low : nil
    }

    /// What it leans to, for whoever runs out of trials.
    public var leaning: TestDecision { evidence > 0 ? .high : .low }
}
