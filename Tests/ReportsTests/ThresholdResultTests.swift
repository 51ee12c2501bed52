import Dialects
import Journal
import Rigs
import Statistics
import Testing

@testable import Reports

@Suite("Thresholds held against a run")
struct ThresholdResultTests {
    /// 4 polls of 100, 200, 300 and 400 ms, the last a 503; 2 throttled codes; 3 households of kind
    /// `a` that signed in after 2, 4 and 6 s, one of kind `b` that failed.
    static let small = Small()

    typealias Row = (
        kind: String?, subject: Threshold.Subject, measure: Threshold.Measure,
        comparison: Threshold.Relation, bound: Double, actual: String, met: Bool
    )

    @Test(
        "a threshold reads what it names, with its unit",
        arguments: [
            (
                nil, .operation(.pollToken), .percentile(0.5, .latency), .below, 250e6, "200 ms",
                true
            ),
            (
                nil, .operation(.pollToken), .percentile(0.99, .latency), .below, 250e6, "400 ms",
                false
            ),
            (
                nil, .operation(.pollToken), .percentile(0.99, .service), .below, 400e6, "390 ms",
                true
            ),
            (nil, .operation(.pollToken), .max(.lateness), .atMost, 10e6, "10.0 ms", true),
            (nil, .operation(.pollToken), .max(.lateness), .below, 10e6, "10.0 ms", false),
            (nil, .operation(.pollToken), .min(.latency), .equal, 100e6, "100 ms", true),
            (nil, .operation(.pollToken), .mean(.latency), .below, 251e6, "250.00 ms", true),
            (nil, .operation(.pollToken), .errors, .below, 0.2, "25 %", false),
            (nil, .everything, .errors, .atMost, 0.2, "16.7 %", true),
            (nil, .everything, .throttled, .below, 0.3, "33.3 %", false),
            (nil, .everything, .rate, .atLeast, 0.6, "0.60/s", true),
            (nil, .operation(.pollToken), .rate, .above, 0.4, "0.40/s", false),
            (nil, .signIn, .percentile(0.5, .latency), .below, 5e9, "4.00 s", true),
            ("a", .signIn, .max(.latency), .below, 7e9, "6.00 s", true),
            (nil, .signInService, .max(.latency), .below, 5e9, "5.00 s", false),
            (nil, .tokenVisibility, .max(.latency), .below, 1e9, "500 ms", true),
            (nil, .householdsFailed, .share, .below, 0.05, "25 % (1 of 4)", false),
            (nil, .householdsFailed, .count, .below, 2, "1 of 4", true),
            ("a", .householdsFailed, .count, .below, 1, "0 of 3", true),
            ("b", .householdsFailed, .share, .below, 0.05, "100 % (1 of 1)", false),
            (nil, .householdsAbandoned, .count, .equal, 0, "0 of 4", true),
            (nil, .householdsNotEntitled, .share, .below, 0.5, "25 % (1 of 4)", true),
            ("b", .householdsNotEntitled, .count, .equal, 0, "0 of 1", true),
            (nil, .violations, .count, .equal, 0, "0 (not checked)", true),
            (nil, .undecided, .share, .below, 0.001, "0 (not checked)", true),
            (nil, .invariant(.tokenIsolation), .count, .equal, 0, "not checked", false),
        ] as [Row])
    func reads(row: Row) throws {
        let result = try result(row.subject, row.measure, row.comparison, row.bound, kind: row.kind)
        #expect(result.actual == row.actual)
        #expect(result.met == row.met)
    }

    @Test(
        "of nothing measured a time is never met, and no errors are no errors",
        arguments: [
            (.operation(.logout), .percentile(0.99, .latency), .below, 1e9, false),
            (.operation(.logout), .percentile(0.99, .latency), .above, 0, false),
            (.operation(.logout), .errors, .below, 0.01, true),
            (.operation(.logout), .errors, .above, 0.01, false),
        ] as [(Threshold.Subject, Threshold.Measure, Threshold.Relation, Double, Bool)])
    func nothing(
        subject: Threshold.Subject, measure: Threshold.Measure, comparison: Threshold.Relation,
        bound: Double, met: Bool
    ) throws {
        let result = try result(subject, measure, comparison, bound)
        #expect(result.actual == "nothing measured")
        #expect(result.sentence.hasSuffix(": nothing was measured"))
        #expect(result.met == met)
    }

    @Test("a near miss shows the digits that decide")
    func nearMiss() throws {
        let result = try result(.operation(.pollToken), .max(.latency), .below, 399.7e6)
        #expect(result.actual == "400.00 ms")
        #expect(!result.met)
    }

    @Test("a time that refusals have made says so")
    func refused() throws {
        let bound = Threshold(
            subject: .operation(.pollToken), measure: .percentile(0.99, .latency),
            comparison: .below, bound: 250e6, text: "poll-token p99 < 250ms")
        for (count, isTold) in [(8, false), (36, true)] {
            let summary = try Summary(
                Small(unanswered: count, outcome: .throttled), thresholds: [bound])
            let actual = try #require(summary.thresholds.first).actual
            let told =
                " (\(count + 1) of \(count + 4) were refused with 429 or 5xx, and count as fast as they were)"
            #expect(actual.hasSuffix(told) == isTold, "\(actual)")
        }
    }

    @Test("requests that got no answer in time are in every time, and the result says how many")
    func timedOut() throws {
        let bound = Threshold(
            subject: .operation(.pollToken), measure: .percentile(0.99, .latency),
            comparison: .below, bound: 250e6, text: "poll-token p99 < 250ms")
        let summary = try Summary(Small(unanswered: 2), thresholds: [bound])
        let result = try #require(summary.thresholds.first)
        #expect(!result.met)
        #expect(
            result.actual
                == "3.00 s (2 of 6 got no answer, and count as long as they were waited for)")
        #expect(
            summary.notes.contains {
                $0.hasPrefix("no answer within target.timeout: 2 of 6 poll-token. In latency")
            })
    }

    @Test("what waited for an answer when the run was stopped is in every time, and no error")
    func cutOff() throws {
        var stopped = Small(unanswered: 2, outcome: .cutOff)
        let note = "no answer before the run was stopped: 2 of 6 poll-token. In latency"
        #expect(!(try Summary(stopped, thresholds: [])).notes.contains { $0.hasPrefix(note) })
        stopped.end?.interrupted = true
        let summary = try Summary(stopped, thresholds: [])
        #expect(summary.notes.contains { $0.hasPrefix(note) })
        let row = try #require(summary.operations.first { $0.name == "poll-token" })
        #expect(row.errors == 1 && row.sent == 6 && row.latency?.max == 3000)
    }

    private func result(
        _ subject: Threshold.Subject, _ measure: Threshold.Measure,
        _ comparison: Threshold.Relation, _ bound: Double, kind: String? = nil
    ) throws -> ThresholdResult {
        let threshold = Threshold(
            kind: kind, subject: subject, measure: measure, comparison: comparison, bound: bound,
            text: "as written")
        return try #require(Summary(Self.small, thresholds: [threshold]).thresholds.first)
    }
}

/// A run small enough to know by heart.
struct Small: Recorded {
    var header = Shape(kinds: ["a", "b"]).header(Seed(1))
    var end: HistoryEnd? = HistoryEnd(
        ended: Instant(.seconds(10)), interrupted: false, failure: "", cpuPercent: 1,
        historyHash: "")
    var gaps: [String] = []
    /// Polls that got no answer in 3 s, and what became of them then.
    var unanswered = 0
    var outcome = Outcome.timeout

    func cells(_ body: (Cell) throws -> Void) throws {
        var codes = Cell(key: Cell.CellKey(second: 0, operation: .registrationCode, kind: 0))
        codes.sent = 2
        codes.completed = 2
        codes.outcomes[Int(Outcome.throttled.rawValue)] = 2
        try body(codes)
        var polls = Cell(key: Cell.CellKey(second: 1, operation: .pollToken, kind: 0))
        (polls.sent, polls.completed, polls.errors) = (4, 4, 1)
        polls.outcomes[Int(Outcome.ok.rawValue)] = 3
        polls.outcomes[Int(Outcome.serverError.rawValue)] = 1
        for milliseconds in [100, 200, 300, 400] {
            polls.latency.record(.milliseconds(milliseconds))
            polls.service.record(.milliseconds(milliseconds - 10))
            polls.lateness.record(.milliseconds(10))
        }
        polls.sent += unanswered
        polls.outcomes[Int(outcome.rawValue)] += unanswered
        polls.errors += outcome.isError ? unanswered : 0
        for _ in 0..<unanswered {
            polls.latency.record(.seconds(3))
            polls.service.record(.seconds(3))
            polls.lateness.record(.milliseconds(10))
        }
        try body(polls)
    }

    func households(_ body: (HouseholdRecord) throws -> Void) throws {
        for index in 0..<3 {
            var record = HouseholdRecord(household: index, kind: "a", lane: 0, arrived: .start)
            (record.stage, record.fate) = (.signedIn, .signedIn)
            record.codeShown = .start
            record.tokenSeen = Instant(.seconds(2 * (index + 1)))
            record.phoneDone = Instant(.milliseconds(2000 * (index + 1) - 500))
            record.viewerTime = .seconds(1)
            if index == 0 { record.denials = 2 }
            try body(record)
        }
        var failed = HouseholdRecord(household: 3, kind: "b", lane: 0, arrived: .start)
        failed.fate = .failed
        try body(failed)
    }

    func errorGroups() throws -> [ErrorGroup] { [] }
    func health() throws -> [LaneHealth] { [] }
}
