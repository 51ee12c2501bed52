import Foundation
import Journal
import TestSupport
import Testing

@testable import Reports
@testable import Trends

@Suite("The report of a merged run")
struct MergedRunTests {
    /// Four shards of an evening, of which one was killed and continued.
    static func sample(
        count: Int = 4, gaps: [String] = [], change: (inout [MergedShard]) -> Void = { _ in }
    ) -> Sample {
        var sample = Sample(Shape(households: 40))
        for shard in 0..<count {
            sample.shardRows.append(
                MergedShard(
                    shard: shard, count: 4, attempt: 1, run: "evening-rush-shard-\(shard)",
                    host: "node-\(shard % 3)", target: "http://127.0.0.1:8080",
                    startedMicroseconds: 1_795_244_400_000_000 + Int64(shard) * 12_000,
                    startAtMicroseconds: 1_795_244_400_000_000,
                    skew: .milliseconds(12 * shard), planned: 10, started: 10,
                    lost: shard == 2 ? 1 : 0, exchanges: 400 + shard, lateness: .microseconds(180),
                    isValid: true, reasons: [],
                    ended: shard == 2 ? nil : Instant(.seconds(28)),
                    clockError: shard == 1 ? nil : .microseconds(1_400)))
        }
        change(&sample.shardRows)
        sample.merge = MergeRecord(
            gaps: gaps,
            notes: [
                "shard 2 was cut short after 9.2 s and was continued by attempt 2; 1 household was lost (22)"
            ])
        return sample
    }

    private static let rendered = Result {
        try Rendered(
            sample { rows in
                var again = rows[2]
                (again.attempt, again.lost, again.planned, again.started) = (2, 0, 3, 3)
                (again.run, again.host) = ("evening-rush-shard-2-2", "node-0")
                (again.exchanges, again.ended) = (90, Instant(.seconds(28)))
                (again.startedMicroseconds, again.skew) = (1_795_244_411_000_000, nil)
                rows.insert(again, at: 3)
            })
    }

    @Test(
        "its shards are as they were reviewed: on the page, as a table, in summary.json, in a terminal"
    )
    func golden() throws {
        let rendered = try Self.rendered.get()
        #expect(rendered.written.files.contains("shards.csv"))
        try Golden.expect(rendered["shards.csv"], is: "merged/shards.csv")
        let page = rendered["report.html"]
        let start = try #require(page.firstRange(of: "<section id=\"shards\"")).lowerBound
        let end = try #require(page[start...].firstRange(of: "</section>")).upperBound
        try Golden.expect(String(page[start..<end]) + "\n", is: "merged/shards.html")
        for width in [80, 120] {
            let text = TerminalReport.text(
                rendered.written.summary, width: width, color: false, path: "reports/evening")
            for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
            try Golden.expect(text, is: "merged/terminal-\(width).txt")
        }
        let json = rendered["summary.json"]
        let from = try #require(json.firstRange(of: "  \"shards\": [")).lowerBound
        try Golden.expect(String(json[from...]), is: "merged/summary.json")
        #expect(rendered["summary.md"].contains("merged from 4 of 4 shards in 5 attempts"))
    }

    @Test("a shard that was started again is no other set-up: its lanes count once")
    func lanes() throws {
        func comparability(_ sample: Sample, lanes: Int) throws -> Comparability {
            var summary = try Summary(sample, thresholds: [])
            summary.run.lanes = lanes
            return Comparability(summary, sample.header)
        }
        let whole = try comparability(Self.sample(), lanes: 8)
        let again = try comparability(Self.sample { $0.insert($0[2], at: 3) }, lanes: 10)
        #expect(whole.fingerprint == again.fingerprint && again.lanes == 8)
        let single = try comparability(Sample(Shape(households: 40)), lanes: 8)
        #expect(single.lanes == 8)
    }

    @Test("start skew is told by nearest rank, of first attempts only")
    func skew() throws {
        let skew = try #require(try Self.rendered.get().written.summary.startSkew)
        #expect(skew.isAsked && skew.shards == 4)
        #expect((skew.p50, skew.p99, skew.max) == (12, 36, 36))
        let early = Self.sample { rows in
            for position in rows.indices {
                rows[position].startAtMicroseconds = nil
                if position == 3 { rows[position].skew = .milliseconds(-40) }
            }
        }
        let other = try #require(try Summary(early, thresholds: []).startSkew)
        #expect(!other.isAsked && other.max == 40)
        #expect(StartSkew([]) == nil)
    }

    @Test("a shard that was the bottleneck makes the whole run invalid, and is named")
    func bottleneck() throws {
        let valid = try Summary(Self.sample(), thresholds: [])
        #expect(valid.rigHealth.valid && valid.exitStatus == .passed)
        let late = Self.sample { rows in
            rows[1].isValid = false
            rows[1].reasons = ["it sent 1 % of requests at least 40 ms late"]
        }
        let summary = try Summary(late, thresholds: [])
        #expect(!summary.rigHealth.valid && summary.exitStatus == .untrusted)
        #expect(
            summary.rigHealth.reasons == [
                "shard 1 on node-1: it sent 1 % of requests at least 40 ms late"
            ])
    }

    @Test("a run of which a part was not seen does not pass, and says how much was")
    func gaps() throws {
        let gap =
            "30 of 40 planned households (75 %) were seen to their end: shard 3 of 4 is missing"
        let summary = try Summary(Self.sample(count: 3, gaps: [gap]), thresholds: [])
        #expect(summary.exitStatus == .untrusted && summary.outcome == .invalid)
        #expect(summary.headline.hasPrefix("Invalid: \(gap); "))
        // What failed failed, whatever is missing; the gap is told beside it.
        var failing = Self.sample(count: 3, gaps: [gap])
        failing.end?.breaker = "the error rate was above 50 % for 10 s"
        let failed = try Summary(failing, thresholds: [])
        #expect(failed.exitStatus == .failed)
        #expect(failed.explanations.contains(gap))
    }

    @Test(
        "the headline says how many households were lost, in which shards",
        arguments: [
            ([2], "1 lost in shard 2"), ([0, 2], "2 lost in shards 0 and 2"),
            ([0, 1, 2, 3], "4 lost in shards 0, 1, 2 and 3"),
        ] as [([Int], String)])
    func losses(losing: [Int], words: String) throws {
        let sample = Self.sample { rows in
            for position in rows.indices { rows[position].lost = losing.contains(position) ? 1 : 0 }
        }
        let rendered = try Rendered(sample)
        let summary = rendered.written.summary
        #expect(summary.headline.contains(" households signed in, \(words)"), "\(summary.headline)")
        #expect(rendered["report.html"].contains(words))
        #expect(rendered["junit.xml"].contains("<system-out>households: \(words)"))
    }

    @Test("a CI server sees that a part of the plan is missing")
    func junit() throws {
        let gaps = [
            "20 of 40 planned households (50 %) were seen to their end: shard 1 was cut short; shard 2 is damaged",
            "shard 1 was cut short", "shard 2 is damaged", "household 3 ran twice",
        ]
        let text = try Rendered(Self.sample(count: 3, gaps: gaps))["junit.xml"]
        #expect(
            text.contains(
                "name=\"the whole plan was seen\" time=\"0\">\n      <failure message=\"\(gaps[0]); \(gaps[3])\"/>"
            ), "\(text)")
        let whole = try Rendered(Self.sample { $0[2].lost = 0 })["junit.xml"]
        #expect(whole.contains("name=\"the whole plan was seen\" time=\"0\"/>"))
    }

    @Test("a run of one process has no word of shards")
    func plain() throws {
        let rendered = try FilesTests.evening.get()
        #expect(!rendered.written.files.contains("shards.csv"))
        #expect(rendered.written.summary.startSkew == nil)
        for file in ["report.html", "summary.json"] {
            #expect(!rendered[file].contains("\"shards\""))
        }
    }
}
