/// A range that holds the true value with a stated confidence.
public struct Interval: Hashable, Sendable {
    public var low: Double
    public var high: Double

    public init(low: Double, high: Double) {
        self.low = low
        self.high = high
    }

    /// The share behind `hits` of `trials`, by Wilson's score (JASA 22, 1927): it stays within 0
    /// and 1 and keeps its promise at 0 of N, where the textbook interval has no width. Without
    /// trials it says nothing: 0 to 1. `confidence` is within 0 and 1, both excluded.
    public static func share(of hits: Int, in trials: Int, confidence: Double = 0.95) -> Interval {
        guard trials > 0 else { return Interval(low: 0, high: 1) }
        let n = Double(trials)
        let seen = Double(min(max(hits, 0), trials)) / n
        let z = Elementary.normalQuantile(1 - (1 - confidence) / 2)
        let weight = 1 + z * z / n
        let center = (seen + z * z / (2 * n)) / weight
        let reach = z * (seen * (1 - seen) / n + z * z / (4 * n * n)).squareRoot() / weight
        // At both ends the two terms are equal, but only up to rounding.
        return Interval(
            low: hits <= 0 ? 0 : max(0, center - reach),
            high: hits >= trials ? 1 : min(1, center + reach))
    }

    public func contains(_ value: Double) -> Bool {
        low <= value && value <= high
    }
}
