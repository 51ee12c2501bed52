internal import Formats
internal import Statistics

/// How a time was spread over its occurrences, in milliseconds: the columns of every table of
/// latencies (docs/reports.md, summary.json). There is none of nothing.
public struct Spread: Sendable, Hashable {
    public var count: Int
    public var min: Double
    public var mean: Double
    public var p50: Double
    public var p75: Double
    public var p90: Double
    public var p95: Double
    public var p99: Double
    public var p999: Double
    public var max: Double

    init?(_ histogram: Histogram) {
        guard let mean = histogram.mean else { return nil }
        func at(_ share: Double) -> Double { histogram.milliseconds(atShare: share) ?? 0 }
        count = histogram.count
        min = Double(histogram.smallest) / 1e6
        self.mean = mean / 1e6
        (p50, p75, p90, p95) = (at(0.5), at(0.75), at(0.9), at(0.95))
        (p99, p999) = (at(0.99), at(0.999))
        max = Double(histogram.largest) / 1e6
    }

    /// Keys of summary.json, in their order.
    static let names = ["min", "mean", "p50", "p75", "p90", "p95", "p99", "p99.9", "max"]

    /// An entry of summary.json; its values are null where nothing was measured.
    static func json(_ spread: Spread?) -> JSON {
        let values = spread?.values.map { JSON.decimal($0) } ?? names.map { _ in .null }
        return .members([("count", .integer(spread?.count ?? 0))] + zip(names, values))
    }

    /// The values of `names`.
    var values: [Double] { [min, mean, p50, p75, p90, p95, p99, p999, max] }
}

extension Histogram {
    /// The percentile in milliseconds; nil while empty.
    func milliseconds(atShare share: Double) -> Double? {
        value(atShare: share).map { Double($0) / 1e6 }
    }
}
