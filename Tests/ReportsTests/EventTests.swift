import Dialects
import Journal
import Rigs
import Statistics
import Testing

@testable import Reports
@testable import Trends

@Suite("Events of a run") struct EventTests {
    /// A second with so many answers, errors among them, and a median in milliseconds.
    private static func second(
        _ ended: Int = 20, errors: Int = 0, median: Double? = 10, sent: Int? = nil
    ) -> EventSecond {
        EventSecond(sent: sent ?? ended, ended: ended, errors: errors, median: median)
    }

    private static let calm = second()
    private static let failing = second(errors: 12)
    private static let slow = second(median: 41)
    private static let frozen = second(0, median: nil, sent: 20)
    private static let idle = second(0, median: nil, sent: 0)

    @Test(
        "a recovery ends with the last disturbed second that calm ones follow",
        arguments: [
            ("nothing happened", [calm, calm, calm], EventRow.Recovery.undisturbed),
            ("errors for two seconds", [failing, failing, calm, calm], .after(2)),
            ("a median above twice the p95 before", [calm, slow, calm, calm], .after(2)),
            ("requests without an answer", [frozen, frozen, frozen, calm], .after(3)),
            ("a second without requests says nothing", [failing, idle, idle, calm], .after(1)),
            ("nothing was sent any more", [idle, idle], .unknown),
            ("still failing at the end", [calm, failing, failing], .notWithin(3)),
            (
                "what comes after five calm seconds is something else",
                [failing, calm, calm, calm, calm, calm, failing, calm], .after(1)
            ),
            ("one error of twenty is chance", [second(errors: 1), calm], .undisturbed),
            (
                "the median of three answers is chance", [second(3, median: 900), calm],
                .undisturbed
            ),
        ] as [(String, [EventSecond], EventRow.Recovery)])
    func recovery(name: String, seconds: [EventSecond], expected: EventRow.Recovery) {
        let read = EventRow.Recovery.read(
            [Self.calm, Self.calm] + seconds, from: 2, until: 100, through: 2,
            before: (errors: 0, ended: 40, p95: 20))
        #expect(read == expected, "\(name)")
    }

    @Test("a disturbance within a long event is waited for, however calm its beginning was")
    func late() {
        let seconds = Array(repeating: Self.calm, count: 10) + [Self.failing, Self.calm]
        let read = EventRow.Recovery.read(
            seconds, from: 0, until: 100, through: 11, before: (errors: 0, ended: 40, p95: 20))
        #expect(read == .after(11))
    }

    @Test("what an event breaks at once is in the second in which it begins")
    func atOnce() {
        let read = EventRow.Recovery.read(
            [Self.calm, Self.failing, Self.calm], from: 1.25, until: 100, through: 1,
            before: (errors: 0, ended: 40, p95: 20))
        #expect(read == .after(0.75))
    }

    @Test("a second in which an event goes on, if only in part, is of the event")
    func seconds() throws {
        var run = Deployed()
        (run.event.began, run.event.ended) = (
            Instant(.milliseconds(9_600)), Instant(.milliseconds(13_700))
        )
        let row = try #require(try RunFold(run).runEvents.first)
        #expect(row.phases.map(\.seconds) == [0..<9, 9..<14, 14..<20])
        #expect(row[.during]?.errors == 40 && row[.after]?.errors == 0)
        // A moment has no length: what it breaks at once comes after it.
        run.event.ended = nil
        let moment = try #require(try RunFold(run).runEvents.first)
        #expect(moment.phases.map(\.seconds) == [0..<9, 9..<20])
    }

    @Test("without requests before it nothing can be compared")
    func nothingBefore() {
        let read = EventRow.Recovery.read(
            [Self.failing], from: 0, until: 1, through: 0, before: (errors: 0, ended: 0, p95: nil))
        #expect(read == .unknown)
    }

    @Test("a run is told before, during and after apart, with its recovery as a threshold")
    func phases() throws {
        let fold = try RunFold(Deployed())
        let row = try #require(fold.runEvents.first)
        #expect(row.phases.map(\.name) == [.before, .during, .after])
        #expect(row[.before]?.requests == 200 && row[.before]?.errors == 0)
        #expect(row[.during]?.requests == 60 && row[.during]?.errors == 30)
        #expect(row[.after]?.requests == 140 && row[.after]?.errors == 10)
        #expect(row.recovery == .after(4))
        #expect(
            row.line.hasPrefix(
                "event rollout at 10 s (3 s): recovered after 4 s; before: 0 % errors"))
        #expect(row.covers(13.5) && !row.covers(14.5) && !row.covers(9.9))
        for (line, met, actual) in [
            ("rollout recovery < 30s", true, "4.00 s"), ("rollout recovery < 2s", false, "4.00 s"),
            ("other recovery < 30s", false, "no event of that name"),
        ] {
            let threshold = try #require(Self.threshold(line))
            let result = ThresholdResult(threshold, fold)
            #expect(
                result.met == met && result.actual.hasPrefix(actual), "\(line): \(result.actual)")
        }
    }

    @Test(
        "an operation that is slower for good has not recovered, however calm the median of all is",
        arguments: [(10, 15, nil), (10, 40, "poll-token p50 10.0 ms before, 40.0 ms after")])
    func slower(before: Int, after: Int, words: String?) throws {
        var run = Deployed()
        run.fails = false
        run.latency = { Duration.milliseconds($0 < 13 ? before : after) }
        let fold = try RunFold(run)
        let row = try #require(fold.runEvents.first)
        #expect(row.recovery == (words.map { .notWithin(10, slower: $0) } ?? .undisturbed))
        let threshold = try #require(Self.threshold("rollout recovery < 30s"))
        #expect(ThresholdResult(threshold, fold).met == (words == nil))
        if let words { #expect(row.line.contains("recovered not within 10 s: \(words); before:")) }
    }

    @Test(
        "of an operation with few responses, each after the event is longer than the longest before it",
        arguments: [(40, 40, true), (40, 9, false), (12, 12, false)])
    func slowerOfFew(after: Int, last: Int, isSlower: Bool) throws {
        var run = Deployed()
        run.fails = false
        run.rare = { Duration.milliseconds($0 < 13 ? 10 : $0 < 19 ? after : last) }
        let row = try #require(try RunFold(run).runEvents.first)
        #expect(
            row.recovery
                == (isSlower
                    ? .notWithin(10, slower: "authorize p50 10.0 ms before, 40.0 ms after")
                    : .undisturbed))
    }

    @Test(
        "what is slower for good is told whatever begins within the event, and however calm the last second"
    )
    func slowerBesides() throws {
        let slower = EventRow.Recovery.notWithin(
            10, slower: "authorize p50 10.0 ms before, 40.0 ms after")
        var run = Deployed()
        run.fails = false
        run.rare = { .milliseconds($0 < 13 ? 10 : 40) }
        run.later = [
            RunEvent(
                name: "within", origin: .rig, began: Instant(.seconds(11)),
                ended: Instant(.seconds(12)))
        ]
        #expect(try RunFold(run).runEvents.first?.recovery == slower)
        run.later = []
        run.latency = { .milliseconds((10..<19).contains($0) ? 150 : 10) }
        run.rare = { .milliseconds($0 < 10 ? 10 : 40) }
        #expect(
            try RunFold(run).runEvents.first?.recovery.seconds == .infinity)
    }

    @Test("of a moment's own second some answers are from before it")
    func slowerMoment() throws {
        var run = Deployed()
        run.fails = false
        (run.event.began, run.event.ended) = (Instant(.milliseconds(10_900)), nil)
        run.rare = { .milliseconds($0 < 11 ? 10 : 40) }
        #expect(try RunFold(run).runEvents.first?.recovery.seconds == .infinity)
    }

    @Test("what was slow while it was disturbed is no part of what is slower for good")
    func slowerWhileDisturbed() throws {
        var run = Deployed()
        run.fails = false
        run.event.ended = Instant(.seconds(11))
        run.later = [RunEvent(name: "next", origin: .rig, began: Instant(.seconds(14)))]
        run.latency = { Duration.milliseconds((10...13).contains($0) ? 150 : 10) }
        #expect(try RunFold(run).runEvents.map(\.recovery) == [.after(4), .undisturbed])
        run.later = []
        run.latency = { Duration.milliseconds((10...12).contains($0) ? 150 : 10) }
        #expect(try RunFold(run).runEvents.map(\.recovery) == [.after(3)])
        run.rare = { .milliseconds($0 < 10 ? 10 : 40) }
        #expect(
            try RunFold(run).runEvents.map(\.recovery)
                == [.notWithin(10, slower: "authorize p50 10.0 ms before, 40.0 ms after")])
    }

    @Test(
        "an event that goes on until the run ends has the recovery of a moment",
        arguments: [10, 40])
    func goesOn(after: Int) throws {
        var run = Deployed()
        run.latency = { Duration.milliseconds($0 < 13 ? 10 : after) }
        func row(until ended: Instant?) throws -> EventRow {
            run.event.ended = ended
            return try #require(try RunFold(run).runEvents.first)
        }
        let open = try row(until: Instant(.seconds(20)))
        #expect(open.phases.map(\.name) == [.before, .during])
        let moment = try row(until: nil)
        #expect(open.recovery == moment.recovery)
        #expect((moment.recovery.seconds == 4) == (after == 10))
    }

    @Test(
        "what the next event ends has recovered by it; what recovers before the next has nothing to do with it",
        arguments: [11.2, 13, 14, 17])
    func undone(next: Double) throws {
        var run = Deployed()
        run.later = [
            RunEvent(name: "back", origin: .rig, began: Instant(.milliseconds(Int64(next * 1000))))
        ]
        #expect(try RunFold(run).runEvents.map(\.recovery).first == .after(4))
    }

    @Test("of an event in the last second of a run nothing is known")
    func tooLate() {
        let read = EventRow.Recovery.read(
            [Self.calm, Self.calm], from: 1.9, until: 100, through: 1,
            before: (errors: 0, ended: 40, p95: 20))
        #expect(read == .unknown)
    }

    @Test("a command that failed is told")
    func trouble() throws {
        var run = Deployed()
        run.event.status = 1
        let row = try #require(try RunFold(run).runEvents.first)
        #expect(row.line.contains("its command ended with status 1"))
        let page = EventSection.html([row]).text
        #expect(page.contains("kubectl &lt;deploy&gt;") && page.contains("no such deployment"))
    }

    @Test("a night whose arrivals somebody changed has no values, and a comparison doubts it")
    func pacedByHand() throws {
        func night(_ run: Deployed) throws -> Night {
            try Night(run, series: [], started: "2026-11-21T02:00:00Z", path: "x", isOurs: true)
        }
        var run = Deployed()
        #expect(try !night(run).isGap)
        (run.event.origin, run.event.name) = (.control, "arrivals-paused")
        #expect(try night(run).gap.hasPrefix("its arrivals were changed by 'screenrig control'"))
        let doubts = Comparability(try Summary(run, thresholds: []), run.header).doubts
        #expect(doubts == ["had its arrivals changed by 'screenrig control'"])
    }

    private static func threshold(_ line: String) -> Threshold? {
        let text =
            "rig: x\ntarget: {base: embedded}\nload: {arrivals: [{ramp-to: 1/s, over: 0s}, {hold: 1s}]}\n"
        return try? Rig.read(text + "thresholds: [\(line)]\n", file: "x.yaml").rig.thresholds
            .last { $0.text == line }
    }
}

/// Twenty requests a second for twenty seconds; from the tenth on half of them fail for three seconds, and in the
/// fourth after that again.
private struct Deployed: Recorded {
    var header = Shape(kinds: ["a"]).header(Seed(1))
    var end: HistoryEnd? = HistoryEnd(
        ended: Instant(.seconds(20)), interrupted: false, failure: "", cpuPercent: 1,
        historyHash: "")
    var gaps: [String] = []
    var event = RunEvent(
        name: "rollout", origin: .rig, began: Instant(.seconds(10)), ended: Instant(.seconds(13)),
        command: "kubectl <deploy>", status: 0, output: "no such deployment")
    var later: [RunEvent] = []
    var fails = true
    /// Of each answer, by the second in which it came.
    var latency: @Sendable (Int) -> Duration = { _ in .milliseconds(10) }
    /// Likewise of the two answers a second of another operation; nil: there is none.
    var rare: (@Sendable (Int) -> Duration)?

    func cells(_ body: (Cell) throws -> Void) throws {
        for second in 0..<20 {
            var cell = Cell(key: Cell.CellKey(second: second, operation: .pollToken, kind: 0))
            let errors = fails && (10...13).contains(second) ? 10 : 0
            (cell.sent, cell.completed, cell.errors) = (20, 20, errors)
            cell.outcomes[Int(Outcome.ok.rawValue)] = 20 - errors
            cell.outcomes[Int(Outcome.serverError.rawValue)] = errors
            for _ in 0..<20 { cell.latency.record(latency(second)) }
            try body(cell)
            guard let rare else { continue }
            var other = Cell(key: Cell.CellKey(second: second, operation: .authorize, kind: 0))
            (other.sent, other.completed) = (2, 2)
            other.outcomes[Int(Outcome.ok.rawValue)] = 2
            for _ in 0..<2 { other.latency.record(rare(second)) }
            try body(other)
        }
    }

    func households(_ body: (HouseholdRecord) throws -> Void) throws {}
    func errorGroups() throws -> [ErrorGroup] { [] }
    func health() throws -> [LaneHealth] { [] }
    func runEvents() throws -> [RunEvent] { [event] + later }
}
