import Formats
import Foundation
import Journal
import Rigs
import Statistics
import TestSupport
import Testing
import Vocabulary

@testable import Reports

@Suite("The files of a run directory")
struct FilesTests {
    /// Rendered once: making the run up takes longer than reporting it.
    static let evening = Result { try Rendered(Sample()) }

    @Test(
        "every file of a known run is as it was reviewed",
        arguments: [
            "summary.json", "latencies.csv", "timeline.csv", "households.csv", "violations.csv",
            "junit.xml", "summary.md", "report.html",
        ])
    func golden(name: String) throws {
        let rendered = try Self.evening.get()
        #expect(rendered.written.errors.isEmpty)
        #expect(rendered.written.files.contains(name))
        try Golden.expect(rendered[name], is: "evening/\(name)")
    }

    @Test("the same history renders to the same bytes", arguments: Seed.samples(3))
    func stable(seed: Seed) throws {
        let shape = Shape(households: 12)
        let (first, second) = (
            try Rendered(Sample(shape, seed: seed)), try Rendered(Sample(shape, seed: seed))
        )
        #expect(first.written.files.count == 9)
        for name in first.written.files { #expect(first[name] == second[name]) }
    }

    @Test("summary.md fits a comment on a pull request, whatever happened")
    func comment() throws {
        let long = String(repeating: "<script>|*_`[x](y)\n", count: 400)
        var shape = Shape(households: 30, perSecond: 6, kinds: [long, "b"], trouble: 0...60)
        (shape.refusal, shape.rigName, shape.failure) = (long, long, long)
        var sample = Sample(shape)
        sample.gaps = Array(repeating: long, count: 200)
        let thresholds = (0..<500).map { index in
            Threshold(
                subject: .everything, measure: .errors, comparison: .below, bound: 0,
                text: "errors < \(index)% \(String(repeating: "x", count: 60))")
        }
        let page = try Rendered(sample, thresholds: thresholds)["summary.md"]
        #expect(page.utf16.count < 65_536)
        #expect(page.contains("thresholds more"))
    }

    @Test("a file that cannot be written does not keep the others from being written")
    func unwritable() throws {
        let folder = TestFolder()
        let blocked = folder.path + "/timeline.csv/occupied"
        try FileManager.default.createDirectory(atPath: blocked, withIntermediateDirectories: true)
        let written = try Report.write(
            Sample(Shape(households: 2)), thresholds: [], to: folder.path)
        #expect(written.files.count == 8)
        #expect(try folder.read("households.csv").contains("living room"))
        let error = try #require(written.errors.first)
        guard case .unwritten(let file, let why) = error else { throw error }
        #expect(file == "timeline.csv")
        #expect(!why.isEmpty)
        #expect("\(error)".contains("screenrig report"))
    }

    @Test("a history that cannot be read is one error, with the reason in it")
    func unreadable() throws {
        let error = #expect(throws: ReportError.self) {
            try Report.write(Broken(), thresholds: [], to: TestFolder().path)
        }
        #expect(error == .unreadable(why: "page 7 is torn"))
    }

    @Test("a recorded history gives the report that its exchanges give", arguments: Seed.samples(2))
    func throughTheJournal(seed: Seed) throws {
        let sample = Sample(Shape(households: 10), seed: seed)
        var recorded = try Self.record(sample)
        let made = try Summary(sample, thresholds: Thresholds.sample)
        recorded.run.historyHash = made.run.historyHash
        #expect(recorded.households == made.households)
        #expect(recorded.operations == made.operations)
        #expect(recorded.errors == made.errors)
        #expect(recorded.kinds == made.kinds)
        #expect(recorded.throttling == made.throttling)
        #expect(recorded == made)
    }

    @Test(
        "connections have lines of their own, and change no total, no curve and no verdict",
        arguments: Seed.samples(2))
    func connectionsApart(seed: Seed) throws {
        var sample = Sample(Shape(households: 10), seed: seed)
        for index in sample.exchanges.indices where index.isMultiple(of: 2) {
            // Slow enough to show wherever they were counted.
            sample.exchanges[index].connect = .milliseconds(1_700)
            if index.isMultiple(of: 4) { sample.exchanges[index].tls = .milliseconds(2_900) }
        }
        var recorded = try Self.record(sample)
        let names = [OperationName.connect.name, OperationName.tls.name]
        let lines = recorded.operations.filter { names.contains($0.name) }
        #expect(lines.map(\.name) == names)
        #expect(
            lines.map(\.count) == [
                sample.exchanges.count { $0.connect != nil },
                sample.exchanges.count { $0.tls != nil },
            ])
        recorded.operations.removeAll { names.contains($0.name) }
        // A sample's own sums know of no connections.
        let made = try Summary(sample, thresholds: Thresholds.sample)
        recorded.run.historyHash = made.run.historyHash
        #expect(recorded.exchanges == made.exchanges)
        #expect(recorded.operations == made.operations)
        #expect(recorded.course == made.course)
        #expect(recorded == made)
    }

    /// What is told of a sample that a journal wrote to a file.
    private static func record(_ sample: Sample) throws -> Summary {
        let folder = TestFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let file = folder.path + "/history.sqlite"
        let writer = try HistoryWriter(path: file, header: sample.header)
        let through = try #require(sample.end).ended + .seconds(1)
        // As in a run: a household is known before its first request.
        for record in sample.records {
            let arrived = HouseholdRecord(
                household: record.household, kind: record.kind, lane: record.lane,
                arrived: record.arrived)
            writer.append(Batch(lane: record.lane, households: [arrived], through: .start))
        }
        for exchange in sample.exchanges.sorted(by: { $0.ended < $1.ended }) {
            writer.append(
                Batch(lane: exchange.lane, exchanges: [exchange], through: exchange.ended))
        }
        for record in sample.records {
            writer.append(Batch(lane: record.lane, households: [record], through: through))
        }
        for health in sample.lanes {
            writer.append(Batch(lane: health.lane, health: health, through: through))
        }
        let end = writer.finish(try #require(sample.end))
        let summary = try Summary(try History(path: file), thresholds: Thresholds.sample)
        #expect(summary.run.historyHash == end.historyHash)
        return summary
    }
}

/// A history whose file is damaged.
private struct Broken: Recorded {
    struct Torn: Error, CustomStringConvertible { var description: String { "page 7 is torn" } }
    var header = Shape().header(Seed(1))
    var end: HistoryEnd?
    var gaps: [String] = []
    func cells(_ body: (Cell) throws -> Void) throws { throw Torn() }
    func households(_ body: (HouseholdRecord) throws -> Void) throws {}
    func errorGroups() throws -> [ErrorGroup] { [] }
    func health() throws -> [LaneHealth] { [] }
}

/// All files of a run, in memory.
struct Rendered: Sendable {
    let written: Report.Written
    private let texts: [String: String]

    init(_ history: some Recorded, thresholds: [Threshold] = Thresholds.sample) throws {
        let folder = TestFolder()
        written = try Report.write(history, thresholds: thresholds, to: folder.path)
        var texts: [String: String] = [:]
        for name in written.files { texts[name] = try folder.read(name) }
        self.texts = texts
    }

    subscript(name: String) -> String { texts[name] ?? "" }
}

enum Thresholds {
    static let sample = [
        poll(below: 250), signInService(below: 8), errors(below: 0.001), failed(below: 0.05),
        Threshold(
            subject: .violations, measure: .count, comparison: .equal, bound: 0,
            text: "violations == 0"),
    ]

    static func poll(below milliseconds: Double) -> Threshold {
        Threshold(
            subject: .operation(.pollToken), measure: .percentile(0.99, .latency),
            comparison: .below, bound: milliseconds * 1e6,
            text: "poll-token p99 < \(Int(milliseconds))ms")
    }

    static func signInService(below seconds: Double) -> Threshold {
        Threshold(
            subject: .signInService, measure: .percentile(0.95, .latency), comparison: .below,
            bound: seconds * 1e9, text: "sign-in-service p95 < \(Int(seconds))s")
    }

    static func errors(below share: Double) -> Threshold {
        Threshold(
            subject: .everything, measure: .errors, comparison: .below, bound: share,
            text: "errors < \(DecimalText.trimmed(share * 100))%")
    }

    static func failed(below share: Double) -> Threshold {
        Threshold(
            subject: .householdsFailed, measure: .share, comparison: .below, bound: share,
            text: "households failed < \(DecimalText.trimmed(share * 100))%")
    }
}
