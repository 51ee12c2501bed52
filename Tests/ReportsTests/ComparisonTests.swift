import Dialects
import Formats
import Foundation
import Journal
import Statistics
import Synchronization
import TestSupport
import Testing

@testable import Rendering
@testable import Trends

@Suite("Two runs side by side")
struct ComparisonTests {
    /// Enough households for verdicts, without the seconds of trouble.
    static let calm: Shape = {
        var shape = Shape(households: 240, perSecond: 8)
        shape.trouble = nil
        return shape
    }()

    /// Calm runs as they are, by seed: making one takes seconds.
    private static let calmRuns = Mutex<[UInt64: ComparedRun]>([:])

    /// A run; without `shape` a calm one.
    static func side(
        _ shape: Shape? = nil, seed: UInt64 = 7,
        breaches counted: [String: Int]? = ["token-isolation": 0], known: Int = 0,
        change: ((inout Sample) -> Void)? = nil
    ) throws -> ComparedRun {
        let breaches = counted.map { counts in
            counts.mapValues { Comparison.Breaches(failing: $0, others: known) }
        }
        func made() throws -> ComparedRun {
            var sample = Sample(shape ?? calm, seed: Seed(seed))
            change?(&sample)
            return try ComparedRun(sample, breaches: breaches)
        }
        guard shape == nil, change == nil else { return try made() }
        return try calmRuns.withLock { known in
            var run = try known[seed] ?? made()
            known[seed] = run
            run.breaches = breaches
            return run
        }
    }

    /// The base, and the same service with slow and failing polls for a while.
    static let worse = Result {
        var shape = calm
        shape.trouble = 8...26
        return Comparison(
            try side(), try side(shape, seed: 8, breaches: ["token-isolation": 3]), draws: 300)
    }

    @Test("two runs of one service differ in nothing", arguments: [11, 12, 13, 14] as [UInt64])
    func same(seed: UInt64) throws {
        let comparison = Comparison(
            try Self.side(seed: seed), try Self.side(seed: seed + 100), draws: 200)
        #expect(comparison.verdict == .noise, "\(comparison.headline)")
        #expect(comparison.worse.isEmpty && comparison.better.isEmpty)
        #expect(comparison.warnings.isEmpty)
        #expect(comparison.compared >= 20)
        #expect(comparison.headline.hasPrefix("No difference: "))
    }

    @Test("a stall that no percentile shows is told with the verdict")
    func stalled() throws {
        let stalled = try Self.side { sample in
            for index in sample.exchanges.indices
            where (8...9).contains(sample.exchanges[index].ended.second) {
                sample.exchanges[index].ended = .start + .milliseconds(10_001)
            }
        }
        let headline = Comparison(try Self.side(), stalled, draws: 200).headline
        #expect(headline.hasPrefix("In the run: no response from "), "\(headline)")
        #expect(headline.contains(" waited; then responses came again. "), "\(headline)")
        #expect(!Comparison(stalled, stalled, draws: 200).headline.contains("no response"))
    }

    @Test("a run held against itself has no difference and no width to speak of")
    func itself() throws {
        let run = try Self.side()
        let comparison = Comparison(run, run, draws: 200)
        #expect(comparison.verdict == .noise)
        #expect(comparison.rows.allSatisfy { $0.difference == 0 && $0.low <= 0 && $0.high >= 0 })
    }

    @Test("slow and failing polls are worse, and the other way round better")
    func worseAndBetter() throws {
        var shape = Self.calm
        shape.trouble = 8...26
        let comparison = try Self.worse.get()
        #expect(comparison.verdict == .worse)
        let poll = try #require(comparison.worse.first { $0.name == "poll-token p95" })
        #expect(poll.run > 2 * poll.base && poll.sure > 0.99)
        #expect(poll.low > 0 && poll.high > poll.low)
        #expect(comparison.worse.contains { $0.name == "poll-token errors" })
        #expect(comparison.better.isEmpty)
        let back = Comparison(try Self.side(shape, seed: 8), try Self.side(), draws: 300)
        #expect(back.verdict == .better)
        #expect(back.better.contains { $0.name == "poll-token p95" })
        #expect(back.goneErrors.contains { $0.sentence.contains("503 overloaded") })
    }

    @Test("the time to connect is the machine's and the network's: it is shown, and no verdict")
    func connect() throws {
        // A sample's own sums know of no connections.
        func run(_ seed: UInt64, _ time: Duration) throws -> ComparedRun {
            var run = try Self.side(seed: seed)
            var times = Stretches()
            for number in 0..<1200 {
                times.add(time + .microseconds(number * 7 % 90), at: number / 30)
            }
            run.times["connect"] = times.bootstrap
            return run
        }
        let comparison = Comparison(
            try run(31, .microseconds(610)), try run(32, .microseconds(3_500)), draws: 200)
        let row = try #require(comparison.rows.first { $0.name == "connect p95" })
        #expect(row.verdict == .worse)
        let judged = comparison.rows.filter { $0.verdict != .tooFew && $0.subject != "connect" }
        #expect(comparison.compared == judged.count { !$0.isOnGrid })
        #expect(comparison.verdict == .noise && comparison.worse.isEmpty)
        #expect(
            comparison.headline.hasSuffix(
                ", except connect: the time of the load machine and its network."
            ), "\(comparison.headline)")
        let text = ComparisonText.text(comparison, width: 120, color: false)
        #expect(text.contains("connect"))
        let page = ComparisonPage.text(comparison)
        #expect(page.contains("<span class=\"name\">connect p95</span>"), "\(page)")
    }

    @Test("new kinds of errors are told, and count when chance would hardly hide as many")
    func newErrors() throws {
        let comparison = try Self.worse.get()
        let kind = try #require(comparison.newErrors.first { $0.what == "got 503 overloaded" })
        #expect(kind.operation == "poll-token" && kind.isSure)
        // One odd answer is told, but is no change for the worse.
        let one = try Self.side(seed: 20) { sample in
            let index = sample.exchanges.firstIndex { $0.operation == .authorize }!
            sample.exchanges[index].outcome = .serverError
            sample.exchanges[index].delivery = .answered(status: 500)
        }
        let odd = Comparison(try Self.side(), one, draws: 200)
        #expect(odd.newErrors.map(\.isSure) == [false])
        #expect(odd.verdict == .noise)
    }

    @Test("a few errors each of many operations are many errors together")
    func scattered() throws {
        let run = try Self.side(seed: 21) { sample in
            let places = Dictionary(grouping: sample.exchanges.indices) {
                sample.exchanges[$0].operation
            }
            for own in places.values {
                // Four of each, spread over the run: errors that come together may be one mishap.
                for part in 1...4 where own.count > 40 {
                    let index = own[own.count * part / 5]
                    sample.exchanges[index].outcome = .serverError
                    sample.exchanges[index].delivery = .answered(status: 500)
                }
            }
        }
        let comparison = Comparison(try Self.side(), run, draws: 100)
        #expect(comparison.worse.map(\.name) == ["all errors"], "\(comparison.headline)")
    }

    @Test("errors that come in one stretch of a run may be one incident, and are not called chance")
    func incident() throws {
        let run = try Self.side(seed: 22) { sample in
            for index in sample.exchanges.indices
            where (10..<12).contains(Int(sample.exchanges[index].ended.milliseconds / 1000)) {
                sample.exchanges[index].outcome = .serverError
                sample.exchanges[index].delivery = .answered(status: 500)
            }
        }
        let comparison = Comparison(try Self.side(), run, draws: 100)
        let row = try #require(comparison.rows.first { $0.name == "all errors" })
        #expect(row.verdict == .noise && row.isInBursts, "\(row)")
        let text = ComparisonText.text(comparison, width: 200, color: false)
        #expect(text.contains("now; not evenly over the run, so it may be one incident"))
    }

    @Test("no time gets shorter by more than all of it, however uncertain it is")
    func bounded() throws {
        func side(_ seed: UInt64, _ time: @escaping (Int) -> Duration) throws -> ComparedRun {
            try Self.side(seed: seed) { sample in
                for (number, index) in sample.exchanges.indices.enumerated()
                where sample.exchanges[index].operation == .authorize {
                    sample.exchanges[index].ended = sample.exchanges[index].planned + time(number)
                }
            }
        }
        let base = try side(23) { .milliseconds($0 % 100 < 51 ? 20 : 1) }
        let comparison = Comparison(base, try side(24) { _ in .microseconds(100) }, draws: 200)
        let row = try #require(comparison.rows.first { $0.name == "authorize p50" })
        #expect(row.low == -row.base, "\(row)")
    }

    @Test("what is newly observed is told, and is no verdict")
    func observed() throws {
        let clean = try Self.side(breaches: ["conforms": 0])
        let run = try Self.side(seed: 9, breaches: ["conforms": 0], known: 60)
        for (before, after, words) in [
            (clean, run, "newly observed, which fails no run: 0 before, 60 now"),
            (run, clean, "no longer observed: 60 before, 0 now"),
        ] {
            let comparison = Comparison(before, after, draws: 100)
            #expect(comparison.verdict == .noise)
            let text = ComparisonText.text(comparison, width: 200, color: false)
            #expect(text.contains("promise conforms \(words)"), "\(text)")
        }
    }

    @Test(
        "promises: newly broken is worse, kept again better, broken as before neither",
        arguments: [
            ([0, 1], Comparison.Verdict.worse), ([4, 0], .better), ([3, 30], .noise),
            ([0, 0], .noise),
        ])
    func promises(counts: [Int], verdict: Comparison.Verdict) throws {
        let comparison = Comparison(
            try Self.side(breaches: ["one-token": counts[0]]),
            try Self.side(seed: 9, breaches: ["one-token": counts[1]]), draws: 100)
        #expect(comparison.verdict == verdict)
        #expect((comparison.promises ?? []).isEmpty == (counts == [0, 0]))
    }

    @Test("violations that became known, or fail a run again, are neither mended nor new")
    func standings() throws {
        let fails = try Self.side(breaches: ["one-token": 28])
        let known = try Self.side(seed: 9, breaches: ["one-token": 0], known: 28)
        for (base, run, words) in [
            (fails, known, "still violated: 28 before, 28 now, which did not fail the run"),
            (known, fails, "still violated: 28 before, which did not fail the run; 28 now"),
        ] {
            let comparison = Comparison(base, run, draws: 100)
            #expect(comparison.verdict == .noise)
            let text = ComparisonText.text(comparison, width: 200, color: false)
            #expect(text.contains("promise one-token \(words)"), "\(text)")
        }
    }

    @Test("new violations beside known ones are new all the same")
    func besideKnown() throws {
        let known = try Self.side(breaches: ["one-token": 0], known: 1)
        let more = try Self.side(seed: 9, breaches: ["one-token": 40], known: 1)
        #expect(Comparison(known, more, draws: 100).verdict == .worse)
        #expect(Comparison(more, known, draws: 100).verdict == .better)
    }

    @Test("where one of the two was not judged there is no word on promises")
    func unjudged() throws {
        let comparison = Comparison(
            try Self.side(breaches: nil), try Self.side(breaches: ["one-token": 3]), draws: 100)
        #expect(comparison.promises == nil)
        #expect(comparison.verdict == .noise)
        #expect(ComparisonText.text(comparison, width: 80, color: false).contains("not checked"))
    }

    @Test("token-visibility within one interval of polls is shown, and not judged")
    func grid() throws {
        // Half as long, and both below the 5 s that are the default.
        let run = try Self.side { sample in
            for index in sample.records.indices {
                guard let seen = sample.records[index].tokenSeen,
                    let done = sample.records[index].phoneDone
                else { continue }
                sample.records[index].tokenSeen = done + (seen - done) / 2
            }
        }
        let base = try Self.side()
        #expect(base.grid == PollGrid(longestMs: 5500))
        let comparison = Comparison(base, run, draws: 100)
        let rows = comparison.rows.filter { $0.subject == "token-visibility" && $0.isOnGrid }
        #expect(!rows.isEmpty && rows.allSatisfy { $0.verdict == .noise })
        #expect(!comparison.better.contains { $0.subject == "token-visibility" })
        let text = ComparisonText.text(comparison, width: 200, color: false)
        #expect(text.contains("# token-visibility is not compared"))
        #expect(ComparisonPage.text(comparison).contains(">poll interval</span>"))
        // Where nothing is known of polls, or a value lies beyond them, it is judged as ever.
        var quick = run
        quick.grid = PollGrid(longestMs: 1)
        #expect(
            Comparison(base, quick, draws: 100).better.contains { $0.subject == "token-visibility" }
        )
    }

    @Test("the headline is about sign-ins first, then about what costs most time")
    func gravity() {
        func row(_ subject: String, _ base: Double, _ run: Double) -> Comparison.Row {
            Comparison.Row(
                subject: subject, statistic: "p50", unit: .milliseconds, base: base, run: run,
                baseCount: 500, runCount: 500, low: 0, high: 0, sure: 1, verdict: .worse,
                isSmall: false)
        }
        let rows = [
            row("check-code", 0.1, 90), row("authorize", 80, 400), row("sign-in", 9000, 9600),
        ]
        let order = rows.sorted { $0.gravity > $1.gravity }.map(\.subject)
        #expect(order == ["sign-in", "authorize", "check-code"])
    }

    @Test("what is surely there but small is no difference")
    func floor() throws {
        let base = try Self.side()
        // Every answer a little later: sure, but below half a millisecond.
        let run = try Self.side { sample in
            for index in sample.exchanges.indices {
                sample.exchanges[index].ended =
                    sample.exchanges[index].ended + .microseconds(400)
            }
        }
        let comparison = Comparison(base, run, draws: 200)
        #expect(comparison.verdict == .noise, "\(comparison.headline)")
        #expect(comparison.rows.contains { $0.isSmall })
        let strict = Comparison(
            base, run, floor: Comparison.Floor(relative: 0.01, milliseconds: 0.01), draws: 200)
        #expect(strict.verdict == .worse)
    }

    @Test("too few households for a verdict are told as such")
    func few() throws {
        var shape = Self.calm
        shape.households = 4
        let comparison = Comparison(
            try Self.side(shape), try Self.side(shape, seed: 2), draws: 100)
        let p99 = try #require(comparison.rows.first { $0.name == "sign-in p99" })
        #expect(p99.verdict == .tooFew)
        #expect(!comparison.worse.contains { $0.statistic == "p99" })
    }

    @Test(
        "what is not alike is told",
        arguments: [
            "different rig", "different load", "different target", "different protocol",
            "virtual time",
            "number of lanes", "interrupted", "cut short", "load generator",
            "different screenrig version",
            "rig keys: polling",
        ])
    func unlike(what: String) throws {
        let base = try Self.side()
        var shape = Self.calm
        if what == "different rig" { shape.rigName = "morning" }
        if what == "virtual time" { shape.isVirtual = true }
        if what == "interrupted" { shape.isInterrupted = true }
        if what == "cut short" { shape.isCutShort = true }
        if what == "load generator" { shape.busy = 1.5 }
        if what == "rig keys: polling" { shape.source += "polling: {every: 9s}\n" }
        let run = try Self.side(shape) { sample in
            if what == "different load" { sample.header.load = "9/s for 20 s" }
            if what == "different target" { sample.header.target = "http://127.0.0.1:9" }
            if what == "different protocol" { sample.header.protocolName = "adobe-pass-v2" }
            if what == "number of lanes" { sample.header.lanes = 7 }
            if what == "different screenrig version" { sample.header.version = "9.9" }
        }
        let comparison = Comparison(base, run, draws: 20)
        #expect(
            comparison.warnings.contains { $0.contains(what) }, "\(what): \(comparison.warnings)")
        #expect(
            run.comparability.isComparable(to: base.comparability)
                == (what == "different screenrig version"))
        #expect(ComparisonText.text(comparison, width: 100, color: false).contains("warning: "))
        // What one of the runs itself lacks is no difference of the set-ups.
        let isOfSetup = !["interrupted", "cut short", "load generator"].contains(what)
        #expect((comparison.reservation?.contains("may not be the cause") ?? false) == isOfSetup)
        let page = ComparisonPage.text(comparison)
        #expect(page.contains("Set-ups differ: ") == isOfSetup)
        #expect(page.contains("<p class=\"note\">The run ") == !isOfSetup)
    }

    @Test("a port that changes with each run of the embedded stand-in is no other target")
    func ports() {
        #expect(
            Comparability.withoutPort("embedded (http://127.0.0.1:4711), faults: noisy")
                == "embedded, faults: noisy")
        #expect(Comparability.withoutPort("http://127.0.0.1:80 (x)") == "http://127.0.0.1:80 (x)")
    }

    @Test("the terminal shows it as it was reviewed", arguments: [80, 200])
    func text(width: Int) throws {
        let text = ComparisonText.text(try Self.worse.get(), width: width, color: false)
        try Golden.expect(text, is: "comparison/worse-\(width).txt")
        for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
        let colored = ComparisonText.text(try Self.worse.get(), width: width, color: true)
        #expect(colored.replacing(#/\u{1b}\[[0-9;]*m/#, with: "") == text)
    }

    @Test("page and JSON are as they were reviewed")
    func files() throws {
        let comparison = try Self.worse.get()
        try Golden.expect(ComparisonPage.text(comparison), is: "comparison/worse.html")
        let json = ComparisonJSON.text(comparison)
        try Golden.expect(json, is: "comparison/worse.json")
        let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(read?["verdict"] as? String == "worse")
        #expect((read?["values"] as? [Any])?.count == comparison.rows.count)
    }

    @Test("the page needs no network and no script, and says the same as the rest")
    func page() throws {
        let comparison = try Self.worse.get()
        let page = ComparisonPage.text(comparison)
        #expect(!page.contains("<script") && !page.contains("http-equiv=\"refresh\""))
        #expect(!page.contains("src=") && !page.contains("url("))
        #expect(page.contains(Markup.escaped(comparison.headline)))
    }

    @Test("a part of report.html says what changed, or that there is nothing to compare with")
    func part() throws {
        let part = try Self.worse.get().section.text
        let first = try #require(try Self.worse.get().worse.first)
        #expect(part.contains(first.name) && part.contains("newly violated"))
    }

    @Test("what a server says cannot become markup")
    func hostile() throws {
        var shape = Self.calm
        shape.trouble = 8...26
        shape.refusal = "<script>alert(1)</script>"
        let comparison = Comparison(try Self.side(), try Self.side(shape, seed: 8), draws: 50)
        #expect(!ComparisonPage.text(comparison).contains("<script>"))
    }

    @Test("the same two runs give the same bytes")
    func stable() throws {
        let texts = try (0..<2).map { _ in
            ComparisonJSON.text(Comparison(try Self.side(), try Self.side(seed: 8), draws: 50))
        }
        #expect(texts[0] == texts[1])
    }
}
