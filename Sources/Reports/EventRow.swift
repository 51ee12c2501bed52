internal import Checker
internal import Formats
public import Journal
internal import Rendering
internal import Statistics
internal import Vocabulary

/// An event of a run (`events` of a rig, `screenrig mark`), and what the service was like before it, during it and
/// after it.
public struct EventRow: Sendable, Hashable {
    public var name: String
    public var origin: RunEvent.Origin
    /// Seconds since the run began.
    public var from: Double
    /// Nil: a moment without a length.
    public var through: Double?
    /// What was run, and what came of it; empty where nothing was.
    public var command: String
    public var status: Int?
    public var output: String
    public var phases: [Phase]
    public var recovery: Recovery

    /// A stretch of the run.
    public struct Phase: Sendable, Hashable {
        public enum Name: String, Sendable, CaseIterable { case before, during, after }

        public var name: Name
        /// Whole seconds since the run began: one in which the event goes on, if only in part, is of the event. What it
        /// breaks is not of the time before or after.
        public var seconds: Range<Int>
        public var requests: Int
        public var errors: Int
        /// Of all requests that ended in it, in milliseconds.
        public var p50: Double?
        public var p99: Double?
        /// Proved by an answer that came in it.
        public var violations: Int

        fileprivate mutating func take(_ sum: Cell) {
            (requests, errors) = (sum.ended, sum.errors)
            p50 = sum.latency.milliseconds(atShare: 0.5)
            p99 = sum.latency.milliseconds(atShare: 0.99)
        }
    }

    /// How long the service took until it was as before.
    public enum Recovery: Sendable, Hashable {
        /// It was never anything else.
        case undisturbed
        /// Seconds from the begin of the event to the end of the last second that was disturbed.
        case after(Double)
        /// Not within so many seconds, when the record ends. `slower`: the operation that is slower for
        /// good, in words, where that is why.
        case notWithin(Double, slower: String? = nil)
        /// No request ended before it that it could be held against, or none in a whole second after its begin.
        case unknown

        /// Seconds, for a threshold; infinite where it did not recover, nil where nothing can be said.
        var seconds: Double? {
            switch self {
            case .undisturbed: 0
            case .after(let seconds): seconds
            case .notWithin: .infinity
            case .unknown: nil
            }
        }

        /// In words: `after 12 s`.
        public var text: String {
            switch self {
            case .undisturbed: "not disturbed"
            case .after(let seconds): "after \(Figures.span(seconds: seconds))"
            case .notWithin(let seconds, let slower):
                "not within \(Figures.span(seconds: seconds))" + (slower.map { ": \($0)" } ?? "")
            case .unknown: "unknown: nothing to compare"
            }
        }
    }

    subscript(name: Phase.Name) -> Phase? { phases.first { $0.name == name } }

    /// Whether an instant, in seconds since the run began, lies in it: from its begin until it has ended and the
    /// service has recovered.
    func covers(_ second: Double) -> Bool {
        let end =
            switch recovery {
            case .after(let seconds), .notWithin(let seconds, _): from + seconds
            case .undisturbed, .unknown: from
            }
        return second >= from && second <= max(end, through ?? from)
    }
}

/// The requests of one second, as far as a recovery is read off them.
struct EventSecond: Sendable {
    var sent = 0
    var ended = 0
    var errors = 0
    /// Milliseconds; nil where nothing was answered.
    var median: Double?
}

extension EventRow.Recovery {
    /// So many seconds in a row without a disturbance are a recovery.
    static let quiet = 5
    /// A second with fewer answers says nothing about latency: the median of two is one slow request.
    static let fewest = 5

    /// Reads a recovery off the seconds from that of `begin` until before `end`: what an event breaks at once is in the
    /// second in which it begins. The event itself lasts through second `through`. `before` is the time before it: its
    /// share of errors and its p95 in milliseconds.
    ///
    /// A second is disturbed if its errors are more than chance makes of the share before (lower end of the 99 %
    /// interval, and more than 1 %), if its median is above twice the p95 before, or if requests left and none was
    /// answered. A second without requests says nothing.
    ///
    /// ```text
    /// before | x x . x . . . . .      x disturbed: 4 s after the begin of the event,
    ///        ^begin     ^ 5 quiet     for 5 quiet seconds follow the fourth
    /// ```
    static func read(
        _ seconds: [EventSecond], from begin: Double, until end: Int, through: Int,
        before: (errors: Int, ended: Int, p95: Double?)
    ) -> EventRow.Recovery {
        let first = Int(begin)
        guard before.ended > 0, first < min(end, seconds.count) else { return .unknown }
        let usual = max(0.01, Double(before.errors) / Double(before.ended))
        let last = min(end, seconds.count)
        var disturbed: Int?
        var calm = 0
        var hasWhole = false
        for second in first..<last {
            if isDisturbed(seconds[second], usual: usual, p95: before.p95) {
                (disturbed, calm) = (second, 0)
            } else if seconds[second].ended > 0 {
                calm += 1
                // What was answered in the second in which it begins may have been answered before it.
                hasWhole = hasWhole || Double(second) >= begin
            }
            if calm >= quiet, second >= through { break }
        }
        guard let disturbed else { return hasWhole ? .undisturbed : .unknown }
        return calm > 0
            ? .after(Double(disturbed + 1) - begin) : .notWithin(Double(last) - begin)
    }

    private static func isDisturbed(_ second: EventSecond, usual: Double, p95: Double?) -> Bool {
        if second.ended == 0 { return second.sent > 0 }
        if second.errors > 0,
            Interval.share(of: second.errors, in: second.ended, confidence: 0.98).low > usual
        {
            return true
        }
        guard let p95, let median = second.median, second.ended >= fewest else { return false }
        return median > 2 * p95
    }
}

extension EventRow {
    /// A run's events in the order of time, each with its phases. `loadBegins` and `seconds` bound the load.
    static func rows(
        _ history: some Recorded, _ findings: Findings?, loadBegins: Int, seconds: Double
    ) throws -> [EventRow] {
        let events = try history.runEvents()
        guard !events.isEmpty else { return [] }
        var rows = events.map { EventRow($0) }
        let phases = rows.indices.map { Self.phases(of: $0, in: rows, loadBegins, seconds) }
        let (sums, timeline) = try sums(of: phases, in: history, from: loadBegins)
        let proofs = (findings?.violations ?? []).filter { $0.standing == .fails }
            .map { Double($0.at) / 1e9 }
        var readings: [Reading] = []
        for event in rows.indices {
            rows[event].phases = phases[event]
            for (phase, sum) in sums[event].enumerated() {
                rows[event].phases[phase].take(sum)
                let span = phases[event][phase].seconds
                rows[event].phases[phase].violations = proofs.count { span.contains(Int($0)) }
            }
            var before = phases[event].firstIndex { $0.name == .before }
                .map { (seconds: phases[event][$0].seconds, sum: sums[event][$0]) }
            if before?.sum.ended ?? 0 == 0 {
                // It begins as another ends: it is held against the time before both.
                before = rows[..<event].indices.last {
                    rows[$0].through ?? rows[$0].from <= rows[event].from
                }.flatMap { readings[$0].before }
            }
            readings.append(
                Reading(of: event, in: rows, timeline, before: before, until: seconds))
        }
        let latencies = try latencies(of: readings, in: history)
        for event in rows.indices {
            rows[event].recovery =
                slower(latencies[event].before, latencies[event].after).map {
                    .notWithin(
                        Double(readings[event].after.upperBound) - rows[event].from, slower: $0)
                } ?? readings[event].recovery
        }
        return rows
    }

    /// All requests of each phase, and those of each second.
    private static func sums(
        of phases: [[Phase]], in history: some Recorded, from loadBegins: Int
    ) throws -> ([[Cell]], [EventSecond]) {
        func empty() -> Cell { Cell(key: .init(second: 0, operation: .connect, kind: 0)) }
        var sums = phases.map { $0.map { _ in empty() } }
        var timeline: [EventSecond] = []
        var current = empty()
        var second = 0
        func close() {
            while timeline.count < second { timeline.append(EventSecond()) }
            timeline.append(
                EventSecond(
                    sent: current.sent, ended: current.ended, errors: current.errors,
                    median: current.latency.milliseconds(atShare: 0.5)))
            current = empty()
        }
        try history.cells { cell in
            guard !cell.key.operation.isOfConnection, cell.key.second >= loadBegins else { return }
            if cell.key.second > second {
                close()
                second = cell.key.second
            }
            current.merge(cell)
            for event in phases.indices {
                for phase in phases[event].indices
                where phases[event][phase].seconds.contains(cell.key.second) {
                    sums[event][phase].merge(cell)
                }
            }
        }
        close()
        return (sums, timeline)
    }

    /// How an event's recovery was read.
    private struct Reading {
        /// What it is held against.
        let before: (seconds: Range<Int>, sum: Cell)?
        let recovery: Recovery
        /// The seconds in which the service should be as before: neither disturbed nor of the event, until it is read no further.
        let after: Range<Int>

        init(
            of event: Int, in rows: [EventRow], _ timeline: [EventSecond],
            before: (seconds: Range<Int>, sum: Cell)?, until seconds: Double
        ) {
            let row = rows[event]
            // Of what goes on until the run ends nobody knows when it will be over: it is read as a moment is.
            let hasAfter = row[.after] != nil
            let through = hasAfter ? row.through ?? row.from : row.from
            // The next event may be what it recovers by: only what recovers before it has nothing to do with it.
            let later = rows.dropFirst(event + 1).map(\.from).filter { $0 > row.from }
            var recovery = Recovery.unknown
            var end = 0
            for next in later + [seconds.rounded(.up)] {
                end = Int(next)
                recovery = Recovery.read(
                    timeline, from: row.from, until: end, through: Int(through),
                    before: (
                        before?.sum.errors ?? 0, before?.sum.ended ?? 0,
                        before?.sum.latency.milliseconds(atShare: 0.95)
                    ))
                guard case .notWithin = recovery else { break }
            }
            (self.before, self.recovery) = (before, recovery)
            // Of a moment's own second some answers are from before it.
            let begin = hasAfter ? max(row.end, Int(row.from.rounded(.up))) : Int(row.from)
            // Another event may begin before this one has ended.
            end = max(end, (row[.after] ?? row[.during])?.seconds.upperBound ?? end)
            var calm = begin
            if case .after(let disturbed) = recovery {
                calm = max(calm, Int((row.from + disturbed).rounded()))
                // That the last seconds of the run were calm says little.
                if end - calm < Recovery.quiet, end >= Int(seconds.rounded(.up)) { calm = begin }
            }
            after = min(calm, end)..<end
        }
    }

    /// Latencies of each operation before each event, and after it.
    private static func latencies(
        of readings: [Reading], in history: some Recorded
    ) throws -> [(before: [OperationName: Histogram], after: [OperationName: Histogram])] {
        var latencies = readings.map { _ in
            (before: [OperationName: Histogram](), after: [OperationName: Histogram]())
        }
        try history.cells { cell in
            guard !cell.key.operation.isOfConnection else { return }
            for (event, reading) in readings.enumerated() {
                if let before = reading.before?.seconds, before.contains(cell.key.second) {
                    latencies[event].before[cell.key.operation, default: Histogram()]
                        .merge(cell.latency)
                }
                if reading.after.contains(cell.key.second) {
                    latencies[event].after[cell.key.operation, default: Histogram()]
                        .merge(cell.latency)
                }
            }
        }
        return latencies
    }

    /// The operation that is slower for good, by the most: at least twice the median, with three of four answers slower than
    /// three of four before. Of fewer than 20 answers before or after, all have to be slower than all before: of 10 each
    /// chance does that once in 184,756 times, but answers of one burst are alike. Nil for fewer answers, and if no operation is slower.
    private static func slower(
        _ before: [OperationName: Histogram], _ after: [OperationName: Histogram]
    ) -> String? {
        var worst: (name: OperationName, before: Double, after: Double)?
        // In their order: of two that are slower by the same, it is always the same one.
        for name in OperationName.allCases {
            guard let earlier = before[name], let times = after[name],
                case let fewest = min(earlier.count, times.count), fewest >= 10,
                let usual = earlier.milliseconds(atShare: 0.5),
                let now = times.milliseconds(atShare: 0.5), now >= 2 * usual,
                let high = earlier.milliseconds(atShare: fewest < 20 ? 1 : 0.75),
                let low = times.milliseconds(atShare: fewest < 20 ? 0 : 0.25), low > high,
                now - usual > (worst.map { $0.after - $0.before } ?? 0)
            else { continue }
            worst = (name, usual, now)
        }
        return worst.map { worst in
            let times = [worst.before, worst.after].map { Figures.time(milliseconds: $0) }
            return "\(worst.name) p50 \(times[0]) before, \(times[1]) after"
        }
    }

    private init(_ event: RunEvent) {
        name = Sanitizer.line(event.name)
        origin = event.origin
        from = Double(event.began.nanoseconds) / 1e9
        through = event.ended.map { Double($0.nanoseconds) / 1e9 }
        command = Sanitizer.line(event.command, limit: 400)
        status = event.status
        output = Sanitizer.lines(event.output)
        phases = []
        recovery = .unknown
    }

    /// Before: since the event before it has ended. During: while it lasts. After: until the next one begins.
    private static func phases(
        of index: Int, in rows: [EventRow], _ loadBegins: Int, _ seconds: Double
    ) -> [Phase] {
        let row = rows[index]
        let (first, end) = (Int(row.from), row.end)
        let earlier = rows[..<index].filter { $0.through ?? $0.from <= row.from }.map(\.end).max()
        let later = rows[(index + 1)...].filter { $0.from >= row.through ?? row.from }
            .map { Int($0.from) }.min()
        return [
            (Phase.Name.before, max(loadBegins, earlier ?? 0), first), (.during, first, end),
            (.after, end, later ?? Int(seconds.rounded(.up))),
        ].filter { $0.1 < $0.2 }.map {
            Phase(
                name: $0.0, seconds: $0.1..<$0.2, requests: 0, errors: 0, p50: nil, p99: nil,
                violations: 0)
        }
    }

    /// The first whole second that is not of it; of a moment, that in which it is.
    private var end: Int {
        guard let through, through > from else { return Int(from) }
        return Int(through.rounded(.up))
    }
}

// MARK: Outputs

extension EventRow {
    /// `rollout at 5 min (12 s)`.
    public var title: String {
        let length = through.map { " (\(Figures.span(seconds: $0 - from)))" } ?? ""
        return "\(name) at \(Figures.span(seconds: from))\(length)"
    }

    /// What came of its command: `exit status 1`; nil where nothing was run or all was well.
    var trouble: String? {
        guard !command.isEmpty, status != 0 else { return nil }
        return status.map { "its command ended with status \($0)" }
            ?? "its command did not end by itself"
    }

    /// Its line in a terminal.
    var line: String {
        let figures = phases.filter { $0.requests > 0 }.map { phase in
            let p99 = phase.p99.map { ", p99 \(Figures.time(milliseconds: $0))" } ?? ""
            return
                "\(phase.name.rawValue): \(Figures.percent(phase.errors, of: phase.requests)) errors\(p99)"
        }
        let recovered =
            switch recovery {
            case .after, .notWithin: "recovered \(recovery.text)"
            case .undisturbed, .unknown: recovery.text
            }
        return "event \(title): "
            + ([recovered, trouble].compactMap(\.self) + figures).joined(separator: "; ")
    }

    var json: JSON {
        .members([
            ("name", .string(name)), ("origin", .string(origin.rawValue)),
            ("fromSeconds", .decimal(from)),
            ("throughSeconds", through.map { .decimal($0) } ?? .null),
            ("command", command.isEmpty ? .null : .string(command)),
            ("status", status.map(JSON.integer) ?? .null),
            (
                "recoverySeconds",
                recovery.seconds.flatMap { $0.isFinite ? .decimal($0) : nil } ?? .null
            ),
            ("recovery", .string(recovery.text)),
            (
                "phases",
                .array(
                    phases.map { phase in
                        .members([
                            ("name", .string(phase.name.rawValue)),
                            ("fromSeconds", .integer(phase.seconds.lowerBound)),
                            ("throughSeconds", .integer(phase.seconds.upperBound)),
                            ("requests", .integer(phase.requests)),
                            ("errors", .integer(phase.errors)),
                            ("p50Ms", phase.p50.map { .decimal($0) } ?? .null),
                            ("p99Ms", phase.p99.map { .decimal($0) } ?? .null),
                            ("violations", .integer(phase.violations)),
                        ])
                    })
            ),
        ])
    }
}

extension Summary {
    /// Names of the events that an instant falls into, in seconds since the run began.
    func events(at second: Double) -> [String] {
        events.filter { $0.origin != .control && $0.covers(second) }.map(\.name)
    }
}
