import Formats
import Journal
import TestSupport
import Testing

@testable import Reports

@Suite("The report of a shard")
struct ShardRowTests {
    private static func sample(_ shard: ShardRecord) -> Sample {
        var sample = Sample(Shape(households: 6))
        sample.header.shard = shard
        return sample
    }

    static let whole = ShardRecord(
        number: 3, count: 8, host: "node-2", startAtMicroseconds: 1_795_244_400_000_000,
        beganMicroseconds: 1_795_244_400_000_420,
        clock: ClockReading(isSynchronised: true, errorMicroseconds: 1_250),
        households: 250, householdsOfPlan: 2_000)
    static let resumed = ShardRecord(
        number: 0, count: 3, attempt: 2, host: "node-7",
        startAtMicroseconds: 1_795_244_400_000_000, beganMicroseconds: 1_795_244_401_250_000,
        clock: ClockReading(isSynchronised: false, errorMicroseconds: 16_000_000),
        earlier: ["smoke-shard-0-of-3-20261121T070000Z"], lost: Array(0..<25).map { $0 * 3 },
        begins: Instant(.milliseconds(9_400)))

    @Test("says in every output which part of the plan it is of, and what a reader must know")
    func outputs() throws {
        var text = ""
        for shard in [Self.whole, Self.resumed] {
            let summary = try Summary(Self.sample(shard), thresholds: [])
            let row = try #require(summary.run.shard)
            #expect(summary.headline.hasPrefix(row.sentence + ": "))
            #expect(
                TerminalReport.text(summary, width: 200, color: false).hasPrefix(row.sentence))
            #expect(summary.notes.starts(with: row.notes))
            #expect(MarkdownPage.text(summary).contains(row.sentence))
            text += ([row.sentence, row.details] + row.notes).joined(separator: "\n") + "\n"
            text += row.json.text(.page) + "\n\n"
        }
        try Golden.expect(text, is: "shards.txt")
    }

    @Test("a run that was not split says nothing of shards")
    func none() throws {
        let summary = try Summary(Sample(Shape(households: 6)), thresholds: [])
        #expect(summary.run.shard == nil)
        #expect(!summary.headline.contains("hard"))
    }

    @Test("rates count from where an attempt began")
    func rates() throws {
        let whole = try Summary(Sample(Shape(households: 6)), thresholds: [])
        var shard = Self.whole
        shard.begins = Instant(.seconds(1))
        let late = try Summary(Self.sample(shard), thresholds: [])
        let seconds = whole.run.seconds
        #expect(
            abs(late.exchanges.perSecond * (seconds - 1) - whole.exchanges.perSecond * seconds)
                < 1e-6)
    }
}
