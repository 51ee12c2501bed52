internal import Dialects
package import Journal
internal import Rendering
internal import Statistics
internal import Vocabulary

/// One second of one operation: a row of timeline.csv.
struct TimelineRow: Hashable {
    var second: Int
    var operation: OperationName
    var sent = 0
    var completed = 0
    var errors = 0
    /// Of the errors, those without a response within `target.timeout`.
    var timeouts = 0
    /// Latency of the answers of this second in milliseconds; nil when there were none.
    var p50: Double?
    var p99: Double?
    var max: Double?
    /// Sent and not yet ended when the second was over.
    var inFlight = 0
    /// Of all operations together.
    var householdsWaiting = 0

    /// Of timeline.csv.
    static let columns: [Column<TimelineRow>] = [
        Column("second", about: "since the run began") { .count($0.second) },
        Column("operation", about: "its name") { .text($0.operation.name) },
        Column("sent", about: "in that second") { .count($0.sent) },
        Column("completed", about: "in that second") { .count($0.completed) },
        Column("errors", about: "in that second") { .count($0.errors) },
        Column("p50_ms", about: "of what ended in that second, as in latencies.csv") {
            .number($0.p50)
        },
        Column("p99_ms", about: "of what ended in that second, as in latencies.csv") {
            .number($0.p99)
        },
        Column("max_ms", about: "of what ended in that second, as in latencies.csv") {
            .number($0.max)
        },
        Column("in_flight", about: "requests in flight at the end of the second") {
            .count($0.inFlight)
        },
        Column(
            "households_waiting",
            about: "TVs waiting with a code on screen at the end of the second"
        ) { .count($0.householdsWaiting) },
    ]
}

extension Histogram: Mergeable {}

/// Folds cells, which come ordered by second, into rows by second and buckets for charts.
struct Timeline {
    private(set) var rows: [TimelineRow] = []
    private(set) var moments = TimeBuckets<Course.Bucket>(limit: 300)
    /// Latency of each operation over time, for the small curve in its row of the table.
    private(set) var latencies: [OperationName: TimeBuckets<Histogram>] = [:]
    /// Seconds for each of `latencies(of:through:)`: those of the operation that occurred longest.
    var trendWidth: Int { latencies.values.map(\.width).max() ?? 1 }

    /// Latency of an operation in steps of `trendWidth`, as many for every operation.
    func latencies(of operation: OperationName, through seconds: Double) -> [Histogram] {
        guard var buckets = latencies[operation] else { return [] }
        let width = trendWidth
        buckets.widen(to: width)
        let count = max(1, Int((seconds / Double(width)).rounded(.up)))
        let missing = max(0, count - buckets.values.count)
        return buckets.values + Array(repeating: Histogram(), count: missing)
    }

    /// Latency of all requests in at most `limit` steps, and their length in seconds.
    func latencies(limit: Int, through seconds: Double) -> (columns: [Histogram], width: Int) {
        var coarse = TimeBuckets<Histogram>(limit: limit)
        coarse.widen(to: moments.width)
        for (position, moment) in moments.values.enumerated() {
            coarse.update(second: position * moments.width) { $0.merge(moment.latency) }
        }
        let count = Int((seconds / Double(coarse.width)).rounded(.up))
        let missing = max(0, count - coarse.values.count)
        return (coarse.values + Array(repeating: Histogram(), count: missing), coarse.width)
    }

    /// Requests sent in each second, and of them those by which first screens poll.
    private(set) var sent: [Int] = []
    private(set) var polls: [Int] = []
    /// How the service did in each second.
    private(set) var health: [Health] = []

    /// Of what ended in a second.
    struct Health: Hashable {
        /// Responses, and of them those that are no failure of the service.
        var responses = 0
        var good = 0
        var failed = 0
        /// Requests, and of them polls, that a connection was refused to or lost under.
        var unreached = 0
        var unreachedPolls = 0
        /// Those that waited until `target.timeout`.
        var timeouts = 0
        /// Requests in flight at its end.
        var waiting = 0
        /// Operations of the service of which requests were in flight at its end, or timed out in it.
        var waitingOperations = 0
    }
    /// Requests throttled in each second.
    private(set) var throttled: [Int] = []

    private var kindLatencies: [Int: TimeBuckets<Histogram>] = [:]

    /// Latency of all requests by position of the kind, in buckets of one width, and that width in seconds.
    var kinds: (columns: [Int: [Histogram]], width: Int) {
        let width = kindLatencies.values.map(\.width).max() ?? 1
        let columns = kindLatencies.mapValues { buckets in
            var buckets = buckets
            buckets.widen(to: width)
            return buckets.values
        }
        return (columns, width)
    }

    private var current: [OperationName: Cell] = [:]
    private var second = 0
    private var inFlight: [OperationName: Int] = [:]

    /// Adds a cell; its second must not be before that of the cell before it.
    mutating func add(_ cell: Cell) {
        let at = max(0, cell.key.second)
        precondition(at >= second, "cells come ordered by second")
        if at > second { close(before: at) }
        let key = Cell.CellKey(second: at, operation: cell.key.operation, kind: 0)
        current[cell.key.operation, default: Cell(key: key)].merge(cell)
        guard !cell.key.operation.isOfConnection, cell.latency.count > 0 else { return }
        kindLatencies[cell.key.kind, default: TimeBuckets(limit: 60)].update(second: at) {
            $0.merge(cell.latency)
        }
    }

    /// Closes the last second; call it once, after the last cell.
    mutating func finish() {
        close(before: second + 1)
    }

    /// Writes the rows of the current second, and of those after it in which answers were still
    /// awaited: a frozen service must show as a row of zeros, not as a gap.
    private mutating func close(before next: Int) {
        while second < next {
            let cells = current
            current = [:]
            for operation in OperationName.allCases {
                let cell = cells[operation]
                if let cell { close(cell) }
                guard cell != nil || inFlight[operation, default: 0] > 0 else { continue }
                rows.append(row(operation, cell))
            }
            noteWaiting(cells)
            if cells.isEmpty, inFlight.values.allSatisfy({ $0 == 0 }) {
                second = next
            } else {
                second += 1
            }
        }
    }

    private mutating func noteWaiting(_ ended: [OperationName: Cell]) {
        let waiting = inFlight.filter { $0.value > 0 && !$0.key.isOfConnection }
        let timedOut = ended.filter { $0.value[.timeout] > 0 && !$0.key.isOfConnection }
        let operations = Set(waiting.keys).union(timedOut.keys)
        guard !operations.isEmpty else { return }
        lengthen()
        health[second].waiting = waiting.values.reduce(0, +)
        health[second].waitingOperations = operations.count { !$0.isOfProvider }
    }

    /// What is kept by second reaches the current one.
    private mutating func lengthen() {
        while sent.count <= second {
            sent.append(0)
            polls.append(0)
            throttled.append(0)
            health.append(Health())
        }
    }

    private mutating func close(_ cell: Cell) {
        let operation = cell.key.operation
        inFlight[operation] = max(0, inFlight[operation, default: 0] + cell.sent - cell.ended)
        latencies[operation, default: TimeBuckets(limit: 60)].update(second: second) { histogram in
            histogram.merge(cell.latency)
        }
        if operation.isOfConnection { return }
        moments.update(second: second) { moment in
            moment.completed += Double(cell.completed)
            moment.errors += Double(cell.errors)
            moment.latency.merge(cell.latency)
            moment.lateness.merge(cell.lateness)
            moment.statuses.merge(cell.statuses, uniquingKeysWith: +)
            let unanswered = cell.ended - cell.completed
            if unanswered > 0 { moment.statuses[0, default: 0] += unanswered }
        }
        lengthen()
        health[second].add(cell)
        sent[second] += cell.sent
        if operation.isPoll { polls[second] += cell.sent }
        throttled[second] += cell.outcomes[Int(Outcome.throttled.rawValue)]
    }

    private func row(_ operation: OperationName, _ cell: Cell?) -> TimelineRow {
        var row = TimelineRow(second: second, operation: operation)
        row.inFlight = inFlight[operation, default: 0]
        guard let cell else { return row }
        row.sent = cell.sent
        row.completed = cell.completed
        row.errors = cell.errors
        row.timeouts = cell[.timeout]
        row.p50 = cell.latency.milliseconds(atShare: 0.5)
        row.p99 = cell.latency.milliseconds(atShare: 0.99)
        row.max = cell.latency.milliseconds(atShare: 1)
        return row
    }

    /// The loaded part of the run: the seconds between which the middle nine tenths of all requests
    /// were sent. Neither the quiet start nor the quiet end can then hide a busy middle, whatever
    /// the shape of the load. Nil when nothing was sent.
    var loaded: ClosedRange<Int>? {
        let total = sent.reduce(0, +)
        guard total > 0 else { return nil }
        var seen = 0
        var first: Int?
        for (second, count) in sent.enumerated() {
            seen += count
            if first == nil, seen * 20 > total { first = second }
            if seen * 20 >= total * 19 { return (first ?? second)...second }
        }
        return nil
    }
}

extension Timeline.Health {
    fileprivate mutating func add(_ cell: Cell) {
        responses += cell.completed
        good += max(0, cell.completed - cell[.serverError] - cell[.malformed] - cell[.blocked])
        // What timed out failed for want of a response in an earlier second.
        failed += cell.errors - cell[.timeout]
        timeouts += cell[.timeout]
        unreached += cell[.transport]
        if cell.key.operation.isPoll { unreachedPolls += cell[.transport] }
    }
}

extension Cell {
    /// Exchanges that were sent and came to an end, whichever.
    package var ended: Int {
        outcomes.reduce(0, +) - outcomes[Int(Outcome.notSent.rawValue)]
    }
}
