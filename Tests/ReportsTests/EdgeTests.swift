import Dialects
import Foundation
import Journal
import Statistics
import Testing
import Vocabulary

@testable import Reports

/// Runs at the edge of what there is to report.
@Suite("Edges of a run")
struct EdgeTests {
    private struct Edge: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var shape: Shape
    }

    private static let edges = [
        Edge(testDescription: "no exchange at all", shape: Shape(households: 0)),
        Edge(testDescription: "one household", shape: Shape(households: 1)),
        Edge(testDescription: "cut short", shape: Shape(households: 5, isCutShort: true)),
        Edge(testDescription: "no sign-in", shape: Shape(households: 5, everybodyFails: true)),
        Edge(testDescription: "virtual time", shape: Shape(households: 5, isVirtual: true)),
        Edge(testDescription: "one kind", shape: Shape(households: 5, kinds: ["living room"])),
    ]

    @Test("every file is written, is what it says, and holds finite numbers", arguments: edges)
    private func files(edge: Edge) throws {
        let rendered = try Rendered(Sample(edge.shape))
        #expect(rendered.written.files.count == 9)
        let json = Data(rendered["summary.json"].utf8)
        let object = try JSONSerialization.jsonObject(with: json) as? [String: Any]
        #expect(object?["schema"] as? String == "screenrig/summary/1")
        for key in ["signInMs", "signInServiceMs", "tokenVisibilityMs"] {
            let spread = try #require(object?[key] as? [String: Any])
            #expect(Set(spread.keys) == Set(Spread.names + ["count"]))
        }
        for name in ["latencies.csv", "timeline.csv", "households.csv", "violations.csv"] {
            #expect(try !Table.read(rendered[name]).isEmpty)
        }
        _ = try Elements.read(rendered["report.html"])
        _ = try Elements.read(rendered["junit.xml"])
        for name in rendered.written.files {
            let words = rendered[name].lowercased()
            #expect(!words.contains(#/\bnan\b/#))
            #expect(!words.contains("infinity") && !words.contains(" inf"))
            #expect(!words.contains("optional(") && !words.contains("grdb"))
        }
        let text = TerminalReport.text(rendered.written.summary, width: 80, color: false)
        #expect(text.replacing("\n", with: " ").hasPrefix(rendered.written.summary.headline))
    }

    @Test("where nothing was measured, a time is null and never 0")
    func nothingMeasured() throws {
        let rendered = try Rendered(Sample(Shape(households: 3, everybodyFails: true)))
        #expect(rendered["summary.json"].contains("\"signInMs\": {\"count\": 0, \"min\": null"))
        #expect(!rendered["report.html"].contains("id=\"sign-in\""))
        #expect(rendered["summary.md"].contains("No sign-in was completed."))
    }

    @Test("the page of a clean run has no section on errors")
    func noErrors() throws {
        let rendered = try Rendered(Sample(Shape(households: 4, trouble: nil)))
        #expect(!rendered["report.html"].contains("id=\"errors\""))
        #expect(rendered.written.summary.firstFailure == nil)
    }

    @Test("a frozen service shows as rows of zeros, not as a gap")
    func frozen() {
        var timeline = Timeline()
        var sent = Cell(key: Cell.CellKey(second: 1, operation: .pollToken, kind: 0))
        sent.sent = 3
        var ended = Cell(key: Cell.CellKey(second: 5, operation: .pollToken, kind: 0))
        (ended.completed, ended.outcomes[0]) = (3, 3)
        timeline.add(sent)
        timeline.add(ended)
        timeline.finish()
        #expect(timeline.rows.map(\.second) == [1, 2, 3, 4, 5])
        #expect(timeline.rows.map(\.inFlight) == [3, 3, 3, 3, 0])
        #expect(timeline.rows[2].p99 == nil)
    }

    @Test("requests that never left the machine are neither sent nor in flight")
    func notSent() throws {
        var timeline = Timeline()
        var cell = Cell(key: Cell.CellKey(second: 0, operation: .authenticate, kind: 0))
        cell.outcomes[Int(Outcome.notSent.rawValue)] = 4
        timeline.add(cell)
        timeline.finish()
        #expect(timeline.rows.map(\.inFlight) == [0])
        #expect(timeline.loaded == nil)
    }

    @Test("the page of an hour's run stays under 1 MB")
    func hour() throws {
        let rendered = try Rendered(Hour())
        #expect(rendered.written.summary.run.seconds == 3600)
        #expect(rendered.written.summary.course.width == 15)
        #expect(rendered.written.summary.course.points.count == 240)
        #expect(rendered["report.html"].utf8.count < 1_000_000)
        #expect(rendered["report.html"].utf8.count > 50_000)
    }
}

/// An hour, with far more sorts of errors and losses than anyone wants to read.
private struct Hour: Recorded {
    var header = Shape(households: 3600).header(Seed(1))
    var end: HistoryEnd? = HistoryEnd(
        ended: Instant(.seconds(3600)), interrupted: false, failure: "", cpuPercent: 1,
        historyHash: "")
    var gaps: [String] = []

    func cells(_ body: (Cell) throws -> Void) throws {
        for second in 0..<3600 {
            for operation in [OperationName.registrationCode, .checkCode, .pollToken, .logout] {
                var cell = Cell(key: Cell.CellKey(second: second, operation: operation, kind: 0))
                (cell.sent, cell.completed, cell.outcomes[0]) = (1, 1, 1)
                cell.latency.record(.microseconds(1000 + second * 7919 % 9000))
                cell.lateness.record(.microseconds(50))
                try body(cell)
            }
        }
    }

    func households(_ body: (HouseholdRecord) throws -> Void) throws {
        for index in 0..<3600 {
            var record = HouseholdRecord(
                household: index, kind: "living room", lane: 0, arrived: Instant(.seconds(index)))
            (record.fate, record.cause) = (.failed, "cause \(index % 500) of many")
            record.ended = Instant(.seconds(index + 1))
            try body(record)
        }
    }

    func errorGroups() throws -> [ErrorGroup] {
        (0..<1000).map { index in
            ErrorGroup(
                operation: .pollToken, outcome: .rejected, status: 400,
                reason: String(repeating: "reason \(index) ", count: 40), count: 1, first: .start,
                last: .start, example: nil)
        }
    }

    func health() throws -> [LaneHealth] {
        (0..<3600).map { second in
            LaneHealth(
                lane: 0, from: Instant(.seconds(second)), through: Instant(.seconds(second + 1)),
                turns: 1, busy: .milliseconds(second % 700), longestTurn: .zero)
        }
    }
}
