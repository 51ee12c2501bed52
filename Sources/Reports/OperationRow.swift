internal import Dialects
internal import Journal
internal import Statistics
internal import Vocabulary

/// One operation over the whole run: a row of latencies.csv, an entry of summary.json.
public struct OperationRow: Sendable, Hashable {
    public var name: String
    /// Exchanges that came to an end, whichever; those that never left the machine too.
    public var count: Int
    public var sent: Int
    public var completed: Int
    public var errors: Int
    /// Answers that said the account may not watch this; no errors.
    public var notEntitled: Int
    /// Answers per second of the whole run.
    public var perSecond: Double
    /// By the order of `Outcome.allCases`.
    public var outcomes: [Count]
    /// By rising status.
    public var statuses: [Count]
    /// From the intended send time, of the answered.
    public var latency: Spread?
    /// From the actual send time, of the answered.
    public var service: Spread?
    /// How late the rig itself was, of all sent.
    public var lateness: Spread?
    /// The whole distribution of the latency.
    public var curve: [PercentilePoint]
    /// p99 of the latency over time in milliseconds, nil where nothing was answered: as many values
    /// in every row, of `Summary.trendWidth` seconds each, from the start of the run to its end.
    public var trend: [Double?]
    /// Latency over time; nil where nothing was answered.
    public var heat: HeatMap?

    /// How often a name occurred.
    public struct Count: Sendable, Hashable {
        public var name: String
        public var count: Int
    }

    /// `share` of the answers took at most `ms`.
    public struct PercentilePoint: Sendable, Hashable {
        public var share: Double
        public var ms: Double
    }

    init(_ operation: OperationName, _ fold: RunFold) {
        let sum = fold.sum(operation)
        name = operation.name
        count = sum.outcomes.reduce(0, +)
        sent = sum.sent
        completed = sum.completed
        errors = sum.errors
        notEntitled = sum[.notEntitled]
        perSecond = fold.seconds > 0 ? Double(sum.completed) / fold.seconds : 0
        outcomes = Outcome.allCases.map { Count(name: $0.name, count: sum[$0]) }
        statuses = sum.statuses.sorted { $0.key < $1.key }
            .map { Count(name: String($0.key), count: $0.value) }
        latency = Spread(sum.latency)
        service = Spread(sum.service)
        lateness = Spread(sum.lateness)
        curve = Self.curve(sum.latency)
        let columns = fold.timeline.latencies(of: operation, through: fold.seconds)
        trend = columns.map { $0.milliseconds(atShare: 0.99) }
        heat = HeatMap(columns, width: fold.timeline.trendWidth)
    }

    /// Points at equal steps of nines, so that the tail gets as much room as the body: p0, p50, p90,
    /// p99, p99.9 … as far as there are values to speak of. It ends with the largest, which one
    /// answer in so many took: nothing of the tail is left out.
    private static func curve(_ histogram: Histogram) -> [PercentilePoint] {
        guard histogram.count > 0 else { return [] }
        var points: [PercentilePoint] = []
        for share in PercentilePoint.shares {
            guard (1 - share) * Double(histogram.count) >= 1 || share == 0 else { break }
            let ms =
                share == 0
                ? Double(histogram.smallest) / 1e6 : histogram.milliseconds(atShare: share)
            if let ms { points.append(PercentilePoint(share: share, ms: ms)) }
        }
        if histogram.count > 1 {
            let share = 1 - 1 / Double(histogram.count)
            if points.last?.share == share { points.removeLast() }
            points.append(PercentilePoint(share: share, ms: Double(histogram.largest) / 1e6))
        }
        return points
    }
}

extension OperationRow.PercentilePoint {
    /// 12 shares to a nine, up to six nines: 1 - 10^(-k/12).
    static let shares: [Double] = (0...72).map { step in
        var rest = 1.0
        for _ in 0..<(step / 12) { rest /= 10 }
        return 1 - rest * twelfths[step % 12]
    }

    /// 10^(-k/12).
    private static let twelfths = [
        1, 0.825404, 0.681292, 0.562341, 0.464159, 0.383119, 0.316228, 0.261016, 0.215443, 0.177828,
        0.146780, 0.121153,
    ]
}
