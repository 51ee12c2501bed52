import Foundation
import Journal
import Statistics
import TestSupport
import Testing

@testable import Trends

@Suite("The last comparable run")
struct ComparableRunsTests {
    /// Writes a made-up run where runs lie; `minute` orders them.
    @discardableResult
    static func write(_ sample: Sample, in folder: TestFolder, minute: Int) throws -> RunDirectory {
        var sample = sample
        sample.header.startedMicroseconds = 1_795_244_400_000_000 + Int64(minute) * 60_000_000
        let directory = try RunDirectory.create(
            rig: sample.header.rigName,
            startedMicroseconds: sample.header.startedMicroseconds, under: folder.path)
        sample.header.run = directory.name
        let writer = try HistoryWriter(path: directory.history, header: sample.header)
        for exchange in sample.exchanges.sorted(by: { $0.ended < $1.ended }) {
            writer.append(
                Batch(lane: exchange.lane, exchanges: [exchange], through: exchange.ended))
        }
        for record in sample.records {
            writer.append(
                Batch(lane: record.lane, households: [record], through: record.ended ?? .start))
        }
        _ = writer.finish(try #require(sample.end))
        return directory
    }

    private static let small: Shape = {
        var shape = Shape(households: 12)
        shape.trouble = nil
        return shape
    }()

    @Test("the newest one before it that is alike, past other rigs and runs that prove nothing")
    func newest() throws {
        let folder = TestFolder()
        let sample = Sample(Self.small)
        var interrupted = sample
        interrupted.end?.interrupted = true
        var other = sample
        other.header.load = "100/s for 20 s"
        var morning = sample
        morning.header.rigName = "morning"
        let wanted = try Self.write(sample, in: folder, minute: 1)
        try Self.write(interrupted, in: folder, minute: 2)
        try Self.write(other, in: folder, minute: 3)
        try Self.write(morning, in: folder, minute: 4)
        let run = try Self.write(Sample(Self.small, seed: Seed(9)), in: folder, minute: 5)
        try Self.write(sample, in: folder, minute: 6)
        let comparison = try #require(try Comparison.sinceLastComparable(run, draws: 20))
        #expect(comparison.base.id == wanted.name)
        #expect(comparison.run.id == run.name)
        #expect(comparison.promises == nil)
    }

    @Test("a copy of the run is none, however it is called")
    func copy() throws {
        let folder = TestFolder()
        let run = try Self.write(Sample(Self.small), in: folder, minute: 5)
        try FileManager.default.copyItem(
            atPath: run.path, toPath: folder.path("a-20261121T070000Z"))
        #expect(RunDirectory.all(under: folder.path).count == 2)
        #expect(try Comparison.sinceLastComparable(run, draws: 20) == nil)
    }

    @Test("an age is counted from the run: the newest that is at least so much older")
    func age() throws {
        let folder = TestFolder()
        let sample = Sample(Self.small)
        let runs = try [0, 60, 90, 120].map { try Self.write(sample, in: folder, minute: $0) }
        let last = runs[3]
        let candidates = ComparableRuns(to: try ComparedRun(last), last)
        #expect(candidates.newest()?.name == runs[2].name)
        #expect(candidates.newest(notAfter: last.stamp(before: 3600))?.name == runs[1].name)
        #expect(candidates.newest(notAfter: last.stamp(before: 3601))?.name == runs[0].name)
        #expect(candidates.newest(notAfter: last.stamp(before: 86_400)) == nil)
    }

    @Test("the first run has none before it")
    func first() throws {
        let folder = TestFolder()
        let run = try Self.write(Sample(Self.small), in: folder, minute: 0)
        #expect(try Comparison.sinceLastComparable(run) == nil)
    }

    @Test("what became of promises is read from the summary beside the history")
    func breaches() throws {
        let folder = TestFolder()
        let run = try Self.write(Sample(Self.small), in: folder, minute: 0)
        #expect(ComparedRun.breaches(in: run) == nil)
        let summary = #"{"invariants": [{"name": "one-token", "checked": 3, "violations": 2}]}"#
        try summary.write(toFile: run.file("summary.json"), atomically: true, encoding: .utf8)
        #expect(
            ComparedRun.breaches(in: run) == ["one-token": Comparison.Breaches(failing: 2)])
        try #"{"invariants": []}"#.write(
            toFile: run.file("summary.json"), atomically: true, encoding: .utf8)
        #expect(ComparedRun.breaches(in: run) == nil)
    }
}
