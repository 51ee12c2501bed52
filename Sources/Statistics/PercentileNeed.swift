/// How many values a percentile must be of to be judged: five lie beyond it then. The p99 of 76 values is the slowest of
/// them, and says more about one request than about a service.
public enum PercentileNeed {
    private static let beyond = 5.0

    /// `share`: 0.99 for p99. 10 for p50, 100 for p95, 500 for p99; for what lies beyond all values no number is enough.
    public static func values(atShare share: Double) -> Int {
        guard share < 1 else { return .max }
        let values = (beyond / (1 - share) - 1e-6).rounded(.up)
        return Int(exactly: values) ?? .max
    }
}
