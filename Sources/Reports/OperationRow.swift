internal import Dialects
internal import Formats
internal import Journal
internal import Rendering
internal import Statistics
internal import Vocabulary

/// One operation over the whole run: a row of latencies.csv, an entry of summary.json. A new column is a
/// value here and its `Column` below.
public struct OperationRow: Sendable, Hashable {
    public var name: String
    /// Exchanges that were sent and came to an end, whichever.
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
    /// From the intended send time, of the answered and those that timed out (`Exchange.isTimed`).
    public var latency: Spread?
    /// From the actual send time, of the same.
    public var service: Spread?
    /// How late the rig itself was, of all sent.
    public var lateness: Spread?
    /// The whole distribution of the latency.
    public var curve: [PercentilePoint]
    /// p99 of the latency over time in milliseconds, nil where nothing ended: as many values
    /// in every row, of `Summary.trendWidth` seconds each, from the start of the run to its end.
    public var trend: [Double?]
    /// Latency over time; nil where nothing ended.
    public var heat: HeatMap?

    func count(of outcome: Outcome) -> Int { outcomes[Int(outcome.rawValue)].count }

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
        count = sum.ended
        sent = sum.sent
        completed = sum.completed
        errors = sum.errors
        notEntitled = sum[.notEntitled]
        perSecond = fold.loadSeconds > 0 ? Double(sum.completed) / fold.loadSeconds : 0
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

    /// Of every table of operations.
    static let columns: [Column<OperationRow>] =
        [
            Column(
                "operation", json: "name", page: "Operation", summary: "operation",
                terminal: "operation", isText: true, about: "its name",
                explained: .own(
                    "a type of request",
                    "'screenrig list' names them in the order of a sign-in."),
                drawn: { "<span class=\"name\">\($0.name)</span>" }, value: { .text($0.name) }),
            Column(
                "count", json: "count", page: "Count", summary: "count", terminal: "count",
                about: "requests that were sent and ended, whatever their outcome",
                explained: .own(
                    "the number of requests or samples",
                    "For operations: requests that ended, failed ones included. For durations: the "
                        + "number of samples.")
            ) { .count($0.count) },
            Column(json: "sent") { .count($0.sent) },
            Column("completed", added: 1, json: "completed", about: "responses") {
                .count($0.completed)
            },
            Column(
                "errors", json: "errors", page: "Errors", summary: "errors", terminal: "errors",
                about:
                    "of those: rejected (unless provoked by the rig), server-error, timeout, transport, malformed, blocked",
                explained: .own(
                    "requests that failed",
                    "Requests with the outcome rejected, server-error, timeout, transport, malformed "
                        + "or blocked, except rejections that the rig provokes on purpose. A pending poll "
                        + "(404, 410) and a throttled request (429) are not errors; they are counted "
                        + "separately."),
                drawn: { row in
                    let count = CellValue.count(row.errors).html
                    return row.errors == 0 ? count : "<span class=\"bad\">\(count)</span>"
                }, value: { .count($0.errors) }),
            Column(
                "rate_per_s", json: "perSecond", page: "Per s", terminal: "answers/s", rank: 1,
                about: "responses per second over the whole run", explained: .like("answers/s")
            ) { .number($0.perSecond) },
            Column(json: "outcomes") { .json(counts($0.outcomes)) },
            Column(json: "statuses") { .json(counts($0.statuses)) },
            time("min", \.min, rank: 5), time("mean", \.mean, rank: 4),
            time("p50", \.p50, page: "p50", summary: "p50"), time("p75", \.p75, rank: 6),
            time("p90", \.p90, page: "p90", rank: 3),
            time("p95", \.p95, page: "p95", summary: "p95"),
            time("p99", \.p99, page: "p99", summary: "p99"),
            time("p99.9", \.p999, page: "p99.9", rank: 2),
            time("max", \.max, page: "Max", summary: "max", rank: 1),
            Column(json: "latencyMs") { .json(Spread.json($0.latency)) },
            Column(json: "serviceMs") { .json(Spread.json($0.service)) },
            Column(json: "latenessMs") { .json(Spread.json($0.lateness)) },
            Column(terminal: "late p99", rank: 7, explained: .like("lateness")) {
                .number($0.lateness?.p99)
            },
            Column(terminal: "outcomes", rank: 8, isText: true, explained: .like("outcome")) {
                .text(
                    $0.outcomes.filter { $0.count > 0 && $0.name != "ok" }
                        .map { "\($0.name) \(Figures.count($0.count))" }.joined(separator: ", "))
            },
            Column(
                "not_entitled", added: 1,
                about:
                    "of those: the account may not watch this (403 of authorize); not counted as "
                    + "errors"
            ) { .count($0.notEntitled) },
        ]

    /// Of the folded table below it.
    static let details: [Column<OperationRow>] = [
        columns[0],
        Column(page: "Outcomes", isText: true, explained: .like("outcome")) {
            .text(list($0.outcomes))
        },
        Column(page: "HTTP statuses", isText: true, explained: .like("outcome")) {
            .text(list($0.statuses))
        },
        Column(page: "Service p50 / p99", unit: "ms", explained: .like("service")) {
            .text(ends($0.service))
        },
        Column(page: "Sent late p50 / p99", unit: "ms", explained: .like("lateness")) {
            .text(ends($0.lateness))
        },
    ]

    private static func list(_ counts: [Count]) -> String {
        counts.filter { $0.count > 0 }.map { "\($0.name) \(Figures.count($0.count))" }
            .joined(separator: ", ")
    }

    private static func ends(_ spread: Spread?) -> String {
        spread.map { "\(Figures.significant($0.p50)) / \(Figures.significant($0.p99))" } ?? "–"
    }

    /// A column of the latency.
    private static func time(
        _ name: String, _ path: KeyPath<Spread, Double> & Sendable, page: String = "",
        summary: String = "", rank: Int = 0
    ) -> Column<OperationRow> {
        Column(
            "\(name.replacing(".", with: "_"))_ms", page: page, summary: summary, terminal: name,
            rank: rank, unit: "ms",
            about:
                "from when a request was due to the end of its response; without one, until it was given up "
                + "after `target.timeout`, or the run was stopped; other failures without a response do not count",
            explained: .like("percentile")
        ) { .number($0.latency?[keyPath: path]) }
    }

    private static func counts(_ counts: [Count]) -> JSON {
        .members(counts.map { ($0.name, .integer($0.count)) })
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
