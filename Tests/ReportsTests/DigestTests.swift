import Formats
import Foundation
import Journal
import Statistics
import TestSupport
import Testing

@testable import Trends

/// Made-up nights of one series, in 2 % of noise around 5.2 s, one a day from 2026-09-20 on.
private func nights(
    _ levels: [Double], noise: Double = 0.02, seed: UInt64 = 4, mark: (Int) -> String = { _ in "" }
) -> [Night] {
    var dice = Seed(seed).generator()
    return levels.enumerated().map { index, level in
        let value = 5200 * level * (1 + noise * 1.7 * (2 * dice.unit() - 1))
        var night = MadeUp.night(index, ["sign-in-service p95": value])
        night.series = ["sign-in-service p95"]
        night.mark = mark(index)
        return night
    }
}

private func digest(_ nights: [Night], now: String? = nil, accepted: [Acceptance] = []) -> Digest {
    Digest(NightsView(nights, rig: "nightly", accepted: accepted), now: now)
}

/// Nights of one series with these values, one a day.
private func nights(
    of series: String, _ values: [Double], mark: (Int) -> String = { $0 < 8 ? "v1" : "v2" }
) -> [Night] {
    values.enumerated().map { index, value in
        var night = MadeUp.night(index, [series: value])
        night.series = [series]
        night.mark = mark(index)
        return night
    }
}

/// authorize p95 of 76 households on eight quiet nights, as a trial measured it.
private let trial = [16.4, 18.3, 15.9, 17.6, 16.8, 16.6, 16.7, 15.1]

private func promise(_ count: Int, fails: Bool = true) -> NightFact {
    NightFact(
        kind: .promise, name: "sign-in-visible", fails: fails && count > 0, count: count,
        text: "sign-in-visible: \(count) violations in 900 checks")
}

private let quiet = [Double](repeating: 1, count: 20)

@Suite("The digest of a morning")
struct DigestTests {
    @Test("a quiet night is green, says so in a line, and finds nothing")
    func calm() {
        let digest = digest(nights(quiet))
        #expect(digest.colour == .green && digest.findings.isEmpty)
        #expect(digest.subject == "nightly: no change for the worse proved")
        #expect(digest.headline == "All is well: the night of 2026-10-09.")
    }

    @Test(
        "with fewer nights than a change takes to be detected the digest says that there is no result"
    )
    func tooFew() {
        for count in 1...7 {
            let early = digest(nights(Array(quiet.prefix(count))))
            #expect(early.colour == .green)
            #expect(early.subject == "nightly: no result yet, \(count) of the 8 nights")
            #expect(
                early.headline.hasPrefix(
                    "No result yet, \(count) of the 8 nights needed to detect a change: the night of"
                ))
        }
        let eight = digest(nights(Array(quiet.prefix(8))))
        #expect(eight.subject == "nightly: no change for the worse proved")
    }

    @Test("a rise with a new mark that too few nights can judge is shown, and nothing is claimed")
    func unjudgedRise() {
        // The rig is another one from night 20 on: three nights with v2, then v3 with 30 % more.
        func told(_ later: Int) -> Digest {
            let levels = quiet + [1, 1, 1] + [Double](repeating: 1.3, count: later)
            var all = nights(levels, noise: 0) { $0 < 23 ? "v2" : "v3" }
            for index in 20..<all.count { all[index].terms = "load: another" }
            return digest(all)
        }
        for later in 1...4 {
            let told = told(later)
            #expect(told.subject == "nightly: no result yet, \(3 + later) of the 8 nights")
            #expect(!told.notes.contains { $0.contains("for the worse") })
            #expect(
                told.notes.contains(
                    "Higher, and not judged because there are too few nights, since the mark changed "
                        + "from v2 to v3 (3 nights before, \(later) since): sign-in-service p95 from "
                        + "5.20 s to 6.76 s, +30 %."), "\(told.notes)")
        }
        #expect(
            told(1).notes.contains(
                "The mark changed from v2 to v3 last night; too early to tell whether anything got "
                    + "worse with it."))
        // Three nights are no level: that many nights later it is not judged either.
        #expect(told(6).notes.contains { $0.hasPrefix("Higher, and not judged") })
        #expect(!told(9).notes.contains { $0.hasPrefix("Higher, and not judged") })
        // Where the nights suffice the change is a finding, and no note.
        let judged = digest(nights(quiet + [1.3, 1.3, 1.3], noise: 0.01) { $0 < 20 ? "v2" : "v3" })
        #expect(judged.colour == .red && !judged.notes.contains { $0.hasPrefix("Higher") })
        // No rise, no note.
        let level = nights(Array(quiet.prefix(6))) { $0 < 3 ? "v2" : "v3" }
        #expect(!digest(level).notes.contains { $0.hasPrefix("Higher") })
    }

    @Test("the level in the table is the level in the sentence")
    func oneLevel() throws {
        var all = nights([Double](repeating: 1, count: 12))
        for index in all.indices {
            all[index].series.append("errors")
            all[index].values["errors"] = index == 11 ? 0.748 : 0.000_001
        }
        let told = digest(all)
        let jump = try #require(told.findings.first { $0.name == "errors" })
        #expect(jump.text.contains("from its level of < 0.001 %."), "\(jump.text)")
        let row = DigestText.text(told, link: "x").split(separator: "\n").last {
            $0.hasPrefix("errors")
        }
        #expect(row.map { $0.hasSuffix("74.8 %  < 0.001 %") } == true, "\(row ?? "")")
        #expect(DigestPage.text(told, link: "x").contains("<td>74.8 %</td><td>&lt; 0.001 %</td>"))
        let terminal = NightsText.text([told.view], width: 90, color: false)
        #expect(
            terminal.split(separator: "\n").contains {
                $0.hasPrefix("errors") && $0.contains("< 0.001 %")
            })
    }

    @Test("an odd night and the newest one are not in the level, and what is back was where it was")
    func robust() throws {
        var odd = nights(quiet)
        odd[5].values["sign-in-service p95"] = 18_000
        odd[19].values["sign-in-service p95"] = 4_900
        let level = try #require(digest(odd).view.series[0].level)
        #expect((5_100...5_300).contains(level))
        let worse = quiet + [2, 2, 2, 2]
        for back in 1...2 {
            let early = digest(nights(worse + Array(repeating: 1, count: back)))
            let still = try #require(early.findings.first { $0.kind == .stillWorse })
            #expect(still.text.contains("to 10."), "\(still.text)")
        }
        let gone = digest(nights(worse + [1, 1, 1]))
        let better = try #require(gone.findings.first { $0.kind == .better })
        #expect(better.text.contains("It had been at 10."), "\(better.text)")
    }

    @Test("no quiet morning of a hundred series of 40 nights is red", arguments: [0.02, 0.04])
    func falseAlarms(noise: Double) {
        // The detector lets 2.5 % of series alarm: of the digest it must be no more.
        var red = 0
        for seed in 1...100 as ClosedRange<UInt64> {
            let all = nights([Double](repeating: 1, count: 40), noise: noise, seed: seed)
            red += (1...40).contains { digest(Array(all.prefix($0))).colour == .red } ? 1 : 0
        }
        #expect(red <= 5)
    }

    @Test("what got worse is told with its first night, that night's mark and the one before")
    func worse() throws {
        let all = nights(quiet + [1.5, 1.5, 1.5]) { $0 < 20 ? "v2.2" : "v2.3" }
        let told = digest(all)
        let found = try #require(told.findings.first)
        #expect(told.colour == .red && told.findings.count == 1 && found.kind == .worse)
        #expect(found.since?.night == all[20].started)
        #expect(found.since?.mark == "v2.3" && found.since?.markBefore == "v2.2")
        #expect(
            found.since?.text
                == "Since the night of 2026-10-10, when the mark changed from v2.2 to v2.3.")
        #expect(told.subject.hasPrefix("nightly: sign-in-service p95 +4"))
        #expect(told.subject.hasSuffix("since 2026-10-10 (v2.3)"))
        // The same mark before and after names no deploy.
        let same = digest(nights(quiet + [1.5, 1.5, 1.5]) { _ in "v2.2" })
        #expect(
            same.findings[0].since?.text
                == "Since the night of 2026-10-10, with the same mark as the night before (v2.2).")
    }

    @Test("the next morning it is still worse, since the same night; accepted, it is green")
    func standing() throws {
        let all = nights(quiet + [1.5, 1.5, 1.5, 1.5, 1.5])
        let told = digest(all)
        #expect(told.findings.map(\.kind) == [.stillWorse] && told.colour == .red)
        #expect(told.findings[0].since?.night == all[20].started)
        #expect(told.headline.hasPrefix("Still worse than it was"))
        let acceptance = Acceptance(
            rig: "nightly", series: "sign-in-service p95", through: all[24].started, note: "")
        #expect(digest(all, accepted: [acceptance]).colour == .green)
        // Nor is it back at its old level where it is accepted on the night that detects it.
        let detected = digest(Array(all.prefix(23)), accepted: [acceptance])
        #expect(detected.findings.isEmpty, "\(detected.findings)")
        let mending = digest(nights(quiet + [1.5, 1.5, 1.5, 1.5, 1]))
        #expect(mending.colour == .red)
        #expect(mending.findings[0].text.hasSuffix("as before the change: the next nights decide."))
    }

    @Test("screenrig's own new version is named beside a change that begins with it")
    func version() throws {
        var all = nights(quiet + [1.5, 1.5, 1.5])
        for index in all.indices.dropFirst(20) { all[index].version = "0.3.0" }
        let text = try #require(digest(all).findings.first?.since?.text)
        #expect(
            text.hasSuffix("screenrig itself changed from 0.1.0 to 0.3.0 with that night."),
            "\(text)")
    }

    @Test("an unusual night is amber, and the next one tells that it is over")
    func unusual() throws {
        let first = digest(nights(quiet + [28]))
        #expect(first.findings.map(\.kind) == [.unusual] && first.colour == .amber)
        #expect(first.findings[0].text.hasSuffix("one more night decides."))
        let second = digest(nights(quiet + [28, 1]))
        #expect(second.findings.map(\.kind) == [.better] && second.colour == .green)
        #expect(second.findings[0].text.contains("after one unusual night"))
        let third = digest(nights(quiet + [28, 1, 1]))
        #expect(third.findings.isEmpty)
        let again = digest(nights(quiet + [28, 27]))
        #expect(
            again.colour == .red
                && again.findings[0].since?.night == nights(quiet + [28, 27])[20].started)
    }

    @Test(
        "a night after an unusual one that is not near the level either is not back: amber, and more nights decide"
    )
    func notBack() throws {
        // The second night is 37 % above its level, and by itself not sure enough to be called unusual.
        let all = nights(of: "authorize p95", trial + [23.4, 22.8])
        let told = digest(all)
        let found = try #require(told.findings.first)
        #expect(told.findings.map(\.kind) == [.unusual] && told.colour == .amber)
        #expect(told.view.verdict == .unusual && told.headline.hasPrefix("Worth a look"))
        #expect(
            found.text
                == "authorize p95 was 22.8 ms, 36.9 % above its level of 16.7 ms, and not back since an "
                + "unusual night. Two nights prove nothing yet: one more night decides.",
            "\(found.text)")
        #expect(found.short == "authorize p95 not back at its level, 22.8 ms")
        #expect(
            found.since?.text
                == "Since the night of 2026-09-28, when the mark changed from v1 to v2.")
        #expect(
            told.view.headline.hasPrefix(
                "Not back at its level: authorize p95 was 22.8 ms, 36.9 % above its level of 16.7 ms; "
                    + "one more night decides."), "\(told.view.headline)")
        let json = NightJSON.text(told.view, exitCode: 0, report: nil, page: "p", digest: .null)
        #expect(json.contains(#""alarm":false"#) && json.contains(#""verdict":"unusual""#))
        // 20 % above it is not back, nor on the third night; what lies among the quiet nights is.
        let fifth = digest(nights(of: "authorize p95", trial + [23.4, 20.0]))
        #expect(fifth.colour == .amber && !fifth.findings.contains { $0.kind == .better })
        let third = digest(nights(of: "authorize p95", trial + [23.4, 20.0, 19.9]))
        #expect(third.colour == .amber, "\(third.findings)")
        #expect(third.findings.first?.text.hasSuffix("The next nights decide.") == true)
        for value in [16.7, 18.2] {
            let back = digest(nights(of: "authorize p95", trial + [23.4, value]))
            #expect(back.findings.map(\.kind) == [.better] && back.colour == .green)
            #expect(
                back.findings[0].text.contains("(its level is 16.7 ms) after one unusual night"),
                "\(back.findings[0].text)")
        }
        let late = digest(nights(of: "authorize p95", trial + [23.4, 22.8, 16.7]))
        #expect(late.findings.map(\.kind) == [.better] && late.colour == .green)
        #expect(late.findings[0].text.hasSuffix("after 2 nights beyond it."))
    }

    @Test("after an odd night a quiet service is called back within two nights, mostly at once")
    func isBack() {
        var (atOnce, second) = (0, 0)
        for seed in 1...100 as ClosedRange<UInt64> {
            let all = nights(quiet + [1.8, 1, 1], noise: 0.1, seed: seed)
            atOnce += digest(Array(all.prefix(22))).colour == .green ? 1 : 0
            second += digest(all).colour == .green ? 1 : 0
        }
        #expect(atOnce >= 95 && second >= 95, "\(atOnce), \(second)")
    }

    @Test("what is mended is told once, with how long it had been worse")
    func mended() throws {
        let told = (1...5).map { count in
            digest(nights(quiet + [1.5, 1.5, 1.5, 1.5] + [Double](repeating: 1, count: count)))
        }
        let better = told.indices.filter { told[$0].findings.contains { $0.kind == .better } }
        #expect(better.count == 1)
        let found = try #require(told[better[0]].findings.first)
        #expect(found.text.contains("It had been at "), "\(found.text)")
        #expect(found.text.contains("since 2026-10-10"), "\(found.text)")
    }

    @Test("a violated promise fails the night, since the first of an unbroken row, gaps apart")
    func promises() throws {
        var all = nights(quiet + [1, 1, 1]) { $0 < 21 ? "a" : "b" }
        for index in all.indices { all[index].facts = [promise(0)] }
        for index in [4, 20, 22] {
            all[index].facts = [promise(12)]
            all[index].outcome = "fail"
        }
        all[21] = MadeUp.night(21, [:], gap: "interrupted")
        let told = digest(all)
        #expect(
            told.findings.map(\.kind) == [.failed] && told.findings[0].name == "sign-in-visible")
        #expect(told.findings[0].since?.night == all[20].started)
        #expect(told.subject == "nightly: sign-in-visible violated since 2026-10-10 (a)")
        var well = all + [all[22]]
        well[23].facts = [promise(0)]
        (well[23].outcome, well[23].started) = ("pass", "2026-10-13T02:00:00Z")
        let after = digest(well)
        #expect(after.findings.map(\.kind) == [.better] && after.colour == .green)
        #expect(after.findings[0].text.contains("on 2 nights in a row since 2026-10-10 (a)"))
        // Not checked at all: nobody knows.
        well[23].facts = []
        #expect(digest(well).findings.isEmpty)
    }

    @Test("a violation that fails no run is amber the first time, and a note afterwards")
    func observed() {
        var all = nights(quiet)
        for index in all.indices { all[index].facts = [promise(index < 19 ? 0 : 3, fails: false)] }
        let first = digest(all)
        #expect(first.findings.map(\.kind) == [.observed] && first.colour == .amber)
        all[18].facts = [promise(3, fails: false)]
        let next = digest(all)
        #expect(next.colour == .green && next.notes.contains { $0.hasPrefix("Still observed") })
    }

    @Test("a mark that a night without values had first did not come last night")
    func markOfGap() throws {
        var all = nights(quiet + [1, 1]) { $0 < 20 ? "v1" : "v2" }
        for index in all.indices { all[index].facts = [promise(index < 21 ? 0 : 3)] }
        all[21].outcome = "fail"
        all[20] = MadeUp.night(20, [:], gap: "interrupted")
        all[20].mark = "v2"
        let told = digest(all)
        let since = try #require(told.findings.first?.since)
        #expect(
            since.text == "Since last night, with mark v2; the last night with values had v1.",
            "\(since.text)")
        #expect(
            told.notes.contains("Mark v2 is new since the last night with values, which had v1."))
    }

    @Test(
        "a deviation from another rule is another one: it began when its own rule was broken first")
    func rules() throws {
        func conforms(_ rules: [String], fails: Bool) throws -> NightFact {
            let examples = rules.map {
                "\"household 1: the TV's media-token #17: \($0); found missing\""
            }
            let folder = TestFolder()
            _ = try folder.write(
                #"{"outcome": "fail", "headline": "x", "invariants": [{"name": "conforms", "checked": 9, "#
                    + #""violations": \#(fails ? 3 : 0), "observed": \#(fails ? 0 : 3), "#
                    + #""examples": [\#(examples.joined(separator: ", "))]}]}"#,
                to: "summary.json")
            let stored = try #require(StoredRun(RunDirectory(path: folder.path("."))))
            return try #require(stored.facts.first)
        }
        let (one, other) = (
            "REST V1, N4: expires is present", "REST V1, Z5: serializedToken is present"
        )
        for fails in [true, false] {
            var all = nights(quiet)
            for index in all.indices { all[index].outcome = fails && index >= 18 ? "fail" : "pass" }
            all[18].facts = [try conforms([one], fails: fails)]
            all[19].facts = [try conforms([other], fails: fails)]
            let told = digest(all)
            #expect(told.findings.map(\.kind) == [fails ? .failed : .observed])
            #expect(told.findings.first?.since?.night == all[19].started)
            #expect(told.findings.first?.text.contains(other) ?? false, "\(told.findings)")
            // The same rule, beside another.
            all[19].facts = [try conforms([other, one], fails: fails)]
            let same = digest(all).findings.first
            #expect(same?.since?.night == (fails ? all[18].started : nil))
        }
    }

    @Test(
        "a violation that becomes known is not mended; failing again it began when it first was violated"
    )
    func known() throws {
        var all = nights(quiet)
        for index in all.indices { all[index].facts = [promise(index < 17 ? 0 : 3, fails: true)] }
        var known = promise(3)
        (known.kind, known.fails) = (.known, false)
        all[19].facts = [promise(0), known]
        #expect(digest(all).colour == .green && digest(all).findings.isEmpty)
        #expect(
            digest(all).notes.contains { $0.hasPrefix("Known, does not fail the run: sign-in") })
        (all[18].facts, all[19].facts) = ([promise(0), known], [promise(3)])
        all[19].outcome = "fail"
        let again = try #require(digest(all).findings.first)
        #expect(again.kind == .failed && again.since?.night == all[17].started)
    }

    @Test(
        "what failed in a night that its breaker stopped is reported, and no value of it is compared"
    )
    func stopped() throws {
        var all = nights(quiet)
        all[19].gap = "stopped by the breaker: 100% of exchanges were errors for 10 s"
        all[19].facts = [
            NightFact(
                kind: .threshold, name: "errors < 1%", fails: true, count: 1,
                text: "threshold 'errors < 1%' missed: 44 %")
        ]
        (all[19].outcome, all[19].headline) = ("fail", "Stopped by the breaker")
        let stopped = digest(all)
        #expect(stopped.findings.map(\.kind) == [.failed, .noValues] && stopped.colour == .red)
        #expect(stopped.subject == "nightly: threshold 'errors < 1%' missed")
        #expect(stopped.view.newestFailure == "this night's run: Stopped by the breaker")
    }

    @Test("a missed threshold names itself; that violations were counted is left to the promise")
    func thresholds() {
        func threshold(_ name: String) -> NightFact {
            NightFact(
                kind: .threshold, name: name, fails: true, count: 1,
                text: "threshold '\(name)' missed: 2 %")
        }
        let error = NightFact(
            kind: .error, name: "poll-token: 503", fails: false, count: 12,
            text: "poll-token: 503, 12 times")
        var all = nights(quiet)
        all[19].outcome = "fail"
        all[19].facts = [threshold("errors < 1%"), threshold("violations == 0"), error]
        #expect(digest(all).findings.map(\.name) == ["errors < 1%", "violations == 0"])
        #expect(
            digest(all).notes == ["Most frequent errors last night: poll-token: 503, 12 times."])
        all[19].facts.append(promise(3))
        #expect(Set(digest(all).findings.map(\.name)) == ["errors < 1%", "sign-in-visible"])
        // An old history knows the headline only.
        all[19].facts = [threshold("errors < 1%")]
        all[19].headline = "Failed: the service stopped responding after 14 s."
        #expect(
            digest(all).notes == [
                "Verdict of the run: Failed: the service stopped responding after 14 s."
            ])
        all[19].facts = []
        all[19].headline = "Failed: 1 of 5 thresholds was missed"
        #expect(digest(all).findings.map(\.text) == ["Failed: 1 of 5 thresholds was missed"])
    }

    @Test("an event that the night before did not have stands beside what began that night")
    func events() throws {
        func event(_ name: String) -> NightFact {
            NightFact(
                kind: .event, name: name, fails: false, count: 0,
                text: "event \(name) at 5 s: not disturbed")
        }
        var all = nights(quiet + [1.5, 1.5, 1.5])
        for index in all.indices { all[index].facts = [event("backup")] }
        all[20].facts.append(event("rollout"))
        let found = try #require(digest(all).findings.first)
        #expect(found.since?.events == ["rollout"])
        #expect(found.since?.text.hasSuffix("; new in that night's run: event rollout.") ?? false)
        #expect(digest(all).notes.contains("Event backup at 5 s: not disturbed."))
    }

    @Test("a rise of 20 % since the mark changed is shown with as many nights as one likes")
    func risenWithMark() throws {
        let first = digest(nights(of: "authorize p95", trial + [22.8]))
        #expect(first.colour == .green)
        #expect(first.subject == "nightly: no change for the worse proved, but values are higher")
        #expect(
            first.headline
                == "Nothing proved, but values are higher: the night of 2026-09-28 (v2).")
        #expect(
            first.notes == [
                "The mark changed from v1 to v2 last night; no change for the worse was proved with it so far.",
                "Higher, and not proved to be more than chance so far, since the mark changed from v1 to v2 "
                    + "(8 nights before, 1 since): authorize p95 from 16.7 ms to 22.8 ms, +37 %.",
            ], "\(first.notes)")
        // Nights of a level that was mended, or accepted, are not what it is held against.
        let mended = nights(
            of: "authorize p95", trial + trial.map { $0 * 2 } + trial + [16.6],
            mark: { $0 < 24 ? "v1" : "v2" })
        #expect(!digest(mended).notes.contains { $0.hasPrefix("Higher") })
        let worse = nights(of: "authorize p95", trial + [33, 34, 33, 34])
        let acceptance = Acceptance(
            rig: "nightly", series: "authorize p95", through: worse[11].started, note: "")
        #expect(!digest(worse, accepted: [acceptance]).notes.contains { $0.hasPrefix("Higher") })
    }

    @Test("a night that was killed is told by the digest of the next one")
    func unfinished() {
        var all = nights(quiet + [1.5, 1.5])
        let killed = all.count - 2
        all[killed] = MadeUp.night(killed, [:], gap: Night.unfinished)
        all[killed].series = all[0].series
        let told = digest(all)
        #expect(told.findings.contains { $0.text.contains("has no values: \(Night.unfinished)") })
        #expect(told.colour != .green)
    }

    @Test("nights of one day are told apart by their time, in each place; others keep their words")
    func sameDay() throws {
        var all = nights(quiet + [1.5, 1.5, 1.5, 1.5]) { $0 < 20 ? "v2.2" : "v2.3" }
        for (index, hour) in zip(20..<24, ["02:00", "02:30", "14:00", "16:00"]) {
            all[index].started = "2026-10-10T\(hour):00Z"
        }
        all.append(MadeUp.night(24, [:], gap: "interrupted"))
        all[24].series = all[0].series
        all[24].started = "2026-10-10T17:00:00Z"
        let detected = digest(Array(all.prefix(23)))
        #expect(detected.headline == "Look at this today: the night of 2026-10-10 14:00 (v2.3).")
        #expect(detected.subject.hasSuffix("since 2026-10-10 02:00 (v2.3)"))
        #expect(
            detected.findings[0].since?.text
                == "Since the night of 2026-10-10 02:00, when the mark changed from v2.2 to v2.3.")
        let told = digest(Array(all.prefix(24)))
        #expect(told.findings[0].text.contains("It was detected on 2026-10-10 14:00, and is"))
        let view = digest(all).view
        let terminal = NightsText.text([view], width: 400, color: false)
        #expect(terminal.contains("since 2026-10-10 02:00 (v2.3) (detected 2026-10-10 14:00)"))
        #expect(terminal.contains("No values for the night of 2026-10-10 17:00: interrupted"))
        #expect(terminal.contains("no values on 2026-10-10 17:00: interrupted"))
        let page = NightsPage.text([view]) { "\($0.run)/report.html" }
        #expect(page.contains("<title>2026-10-10 02:30 (v2.3): "))
        #expect(page.contains("<title>2026-10-10 17:00: no values; interrupted</title>"))
        #expect(page.contains("aria-label=\"2026-10-10 02:30, "))
        #expect(page.contains("from 10-10 02:00</text>"))
        #expect(page.contains("<title>2026-10-09 (v2.2): "))
        let message = NightJSON.text(view, exitCode: 1, report: nil, page: "p", digest: .null)
        #expect(message.contains(#""firstNight":"2026-10-10T02:00:00Z""#))
        // Within one minute it takes the seconds.
        all[24].started = "2026-10-10T16:00:20Z"
        let both = digest(all)
        #expect(both.headline.hasSuffix(": the night of 2026-10-10 16:00:20."))
        #expect(both.view.nights[23].name == "2026-10-10 16:00:00 (v2.3)")
        #expect(both.view.nights[21].name == "2026-10-10 02:30 (v2.3)")
    }

    @Test("one change has one size: in the headline, the table, the digest and the message")
    func oneSize() throws {
        // Three nights of a planted defect, then one as before it: the median was 24 % up, the mean 18 %.
        let signIn =
            [1780.5, 1780.5, 1776.3, 1784.7, 1784.7, 1780.5, 1788.9, 1788.9]
            + [2210.4, 2218.8, 2210.4, 1793.1]
        let errors =
            [0, 0.0024, 0.0008, 0.0008, 0.0016, 0, 0.0008, 0.0016]
            + [0.0087, 0.0149, 0.0063, 0.011]
        var all = nights(of: "sign-in-service p95", signIn)
        for index in all.indices {
            all[index].series.append("errors")
            all[index].values["errors"] = errors[index]
            all[index].values["errors of"] = 1265
        }
        for count in [11, 12] {
            let told = digest(Array(all.prefix(count)))
            let terminal = NightsText.text([told.view], width: 400, color: false)
            let kind: Digest.Finding.Kind = count == 11 ? .worse : .stillWorse
            // The cause before the consequence.
            let names = told.findings.filter { $0.kind == kind }.map(\.name)
            #expect(names == ["errors", "sign-in-service p95"], "\(names)")
            let message = NightJSON.text(
                told.view, exitCode: 1, report: nil, page: "p", digest: .null)
            let read = try #require(
                try JSONSerialization.jsonObject(with: Data(message.utf8)) as? [String: Any])
            let changes = try #require(
                read[count == 11 ? "changes" : "standing"] as? [[String: Any]])
            #expect(changes.count == 2)
            for change in changes {
                let (size, low, high) = (
                    change["change"] as? Double, change["low"] as? Double, change["high"] as? Double
                )
                #expect(try (#require(low)...#require(high)).contains(#require(size)), "\(change)")
            }
            for finding in told.findings where finding.kind == kind {
                let match = try #require(
                    finding.text.firstMatch(
                        of: /went from (.+?) to (.+?), ([+−×0-9.]+ (?:%|points))/), "\(finding)")
                let line = "WORSE  \(finding.name) \(match.1) → \(match.2), \(match.3)"
                #expect(terminal.contains(line), "\(line): \(terminal)")
                #expect(finding.text.contains(finding.name == "errors" ? "points" : "+24 %"))
            }
        }
    }

    @Test("a percentile of too few values is judged as compare judges it, and the digest says so")
    func tooFewValues() throws {
        // The slowest of 76 answers, on the night of a right server on which it was 31.0 ms.
        let slowest = [21.0, 20.2, 24.1, 18.8, 20.6, 21.3, 20.7, 20.0, 19.9, 19.8, 17.6, 31.0]
        func told(_ series: String, _ values: [Double], of count: Double?) -> Digest {
            var all = nights(of: series, values) { _ in "v1" }
            for index in all.indices { all[index].values["authorize values"] = count }
            return digest(all)
        }
        for count in [nil, 500] as [Double?] {
            #expect(told("authorize p99", slowest, of: count).findings.map(\.kind) == [.unusual])
        }
        let few = told("authorize p99", slowest, of: 76)
        #expect(few.findings.isEmpty && few.colour == .green)
        #expect(
            few.notes == [
                "Single nights of these are not judged, because percentiles are of too few values: "
                    + "authorize p99 (76; it takes 500)."
            ], "\(few.notes)")
        let terminal = NightsText.text([few.view], width: 200, color: false)
        #expect(
            terminal.contains(
                "authorize p99: single nights are not judged: it is of 76 values, and takes 500"))
        #expect(
            NightsPage.text([few.view]) { _ in nil }.contains(
                "single nights are not judged: it is of 76 values, and takes 500"))
        // Three nights of 76 are 228: enough for a p95, on either side, and not for a p99.
        let risen = trial + [23.4, 22.8, 23.7]
        #expect(told("authorize p95", risen, of: 76).findings.map(\.kind) == [.worse])
        #expect(told("authorize p95", Array(risen.dropLast()), of: 76).findings.isEmpty)
        #expect(told("authorize p99", risen, of: 76).findings.isEmpty)
        #expect(told("authorize p99", risen, of: 170).findings.map(\.kind) == [.worse])
    }

    @Test("a mark that is new is told, and that no change for the worse was proved with it")
    func deploy() {
        let told = digest(nights(quiet) { $0 < 19 ? "v1" : "v2" })
        #expect(told.colour == .green)
        #expect(
            told.notes == [
                "The mark changed from v1 to v2 last night; no change for the worse was proved with it so far."
            ]
        )
    }

    @Test("another rig is told on its first night, with what is no longer followed")
    func changed() {
        var all = nights(quiet + [1.5, 1.5, 1.5, 1.5, 1.5])
        all[24].terms = "b"
        let told = digest(all)
        #expect(told.findings.map(\.kind) == [.rigChanged] && told.colour == .amber)
        #expect(told.findings[0].text.contains("no longer followed: sign-in-service p95"))
    }

    @Test("texts of a rig or a mark are no markup, and the message is one line")
    func hostile() throws {
        var all = nights(quiet + [1.5, 1.5, 1.5]) { $0 < 20 ? "" : "<b>&\"" }
        for index in all.indices { all[index].rig = "<i>\n" }
        let told = Digest(NightsView(all, rig: "<i>", accepted: []))
        let page = DigestPage.text(told, link: "https://a.test/?a=\"><b>")
        #expect(!page.contains("<b>") && !page.contains("<i>"))
        let message = DigestFiles.message(
            told, exitCode: 1, book: "reports/nights.sqlite", page: "reports/nights.html", base: nil
        )
        #expect(!message.contains("\n"))
        let read = try #require(
            try JSONSerialization.jsonObject(with: Data(message.utf8)) as? [String: Any])
        let inner = try #require(read["digest"] as? [String: Any])
        #expect(inner["colour"] as? String == "red")
        let findings = try #require(inner["findings"] as? [[String: Any]])
        #expect((findings[0]["since"] as? [String: Any])?["mark"] as? String == "<b>&\"")
    }

    @Test("the text and the page of a story are as they were reviewed")
    func golden() throws {
        var story = Array(MadeUp.story.prefix(36))
        story[30].mark = "v2.3"
        story[29].mark = "v2.2"
        story[35].facts = [promise(24)]
        story[35].outcome = "fail"
        let told = Digest(NightsView(story, rig: "nightly"))
        let link = "https://ci.example/reports/nightly-35/report.html"
        let text = DigestText.text(told, link: link)
        for line in text.split(separator: "\n") { #expect(line.count <= 78 || line.contains(link)) }
        try Golden.expect(text, is: "nights/digest.txt")
        try Golden.expect(DigestPage.text(told, link: link), is: "nights/digest.html")
    }

    @Test("a level of no errors at all is 0 %")
    func nothing() throws {
        let all = (0..<20).map { index in
            var night = MadeUp.night(index, ["errors": index < 19 ? 0 : 0.04])
            night.series = ["errors"]
            return night
        }
        let found = try #require(digest(all).findings.first)
        #expect(found.text.contains("from its level of 0 %."), "\(found.text)")
    }

    @Test("the link leads to the night's report where it is about that night, else to all nights")
    func links() throws {
        let folder = TestFolder()
        let book = folder.path + "/nights.sqlite"
        let report = folder.path + "/nightly-20"
        try FileManager.default.createDirectory(atPath: report, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: report + "/report.html"))
        func link(_ levels: [Double], base: String?) -> String {
            DigestFiles.link(
                digest(nights(quiet + levels)), book: book, page: folder.path + "/nights.html",
                base: base)
        }
        #expect(
            link([28], base: "https://ci.test/r/") == "https://ci.test/r/nightly-20/report.html")
        #expect(link([1], base: "https://ci.test/r") == "https://ci.test/r/nights.html")
        #expect(link([28], base: nil) == report + "/report.html")
    }
}

@Suite("A rise that crept up")
struct GradualRiseTests {
    private func rise(_ levels: [Double], noise: Double, seed: UInt64) -> GradualRise? {
        let view = NightsView(nights(levels, noise: noise, seed: seed), rig: "nightly")
        return GradualRise(view.series[0], from: 0)
    }

    @Test("a step is no slow rise, whatever its size and age", arguments: [1.1, 1.3, 2])
    func steps(size: Double) {
        for age in [3, 6, 12, 20] {
            let wrong = (1...50 as ClosedRange<UInt64>).count { seed in
                rise(quiet + [Double](repeating: size, count: age), noise: 0.02, seed: seed) != nil
            }
            #expect(wrong <= 1, "\(age) nights: \(wrong) of 50")
        }
    }

    @Test("two steps are no slow rise", arguments: [(7, 1.5, 3, 2.25), (4, 1.3, 3, 1.69)])
    func twoSteps(nights: Int, one: Double, more: Int, two: Double) {
        let levels =
            quiet + [Double](repeating: one, count: nights) + [Double](repeating: two, count: more)
        let wrong = (1...50 as ClosedRange<UInt64>).count {
            rise(levels, noise: 0.02, seed: $0) != nil
        }
        #expect(wrong <= 1, "\(wrong) of 50")
    }

    @Test("2 % more every night for 16 nights is one")
    func drift() throws {
        let levels = quiet + (1...16).map { Elementary.exponential(0.02 * Double($0)) }
        let found = (1...50 as ClosedRange<UInt64>).compactMap {
            rise(levels, noise: 0.02, seed: $0)
        }
        #expect(found.count >= 45, "\(found.count) of 50")
        #expect(found.allSatisfy { (15...25).contains($0.first) })
    }
}

@Suite("Nights that did not run")
struct NightCalendarTests {
    /// Days of November 2026, of which the first is a Sunday.
    private func starts(_ days: [Int]) -> [String] {
        days.map { "2026-11-\($0 < 10 ? "0" : "")\($0)T02:15:00Z" }
    }

    private func missing(_ days: [Int]) -> [String] {
        let starts = starts(days)
        return NightCalendar(starts).missing(
            after: starts[starts.count - 2], before: starts[starts.count - 1])
    }

    @Test("a day without its night is missing once a night has run on such a day of the week")
    func daily() {
        #expect(missing(Array(1...9) + [11]) == ["2026-11-10"])
        #expect(missing(Array(1...9) + [13]) == ["2026-11-10", "2026-11-11", "2026-11-12"])
        #expect(missing(Array(1...10)).isEmpty)
        #expect(missing([1, 2, 3, 5]).isEmpty, "no Wednesday was ever seen")
    }

    @Test("weekends are no news where nights run on weekdays")
    func weekdays() {
        #expect(missing([2, 3, 4, 5, 6, 9]).isEmpty)
        #expect(missing([2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 16]).isEmpty)
        #expect(missing([2, 3, 4, 5, 6, 9, 10, 12]) == ["2026-11-11"])
    }

    @Test("no date is missing twice, and none on which a night ran late")
    func datesOfMissingNights() {
        func missing(_ starts: [String]) -> [String] {
            NightCalendar(starts).missing(after: starts[starts.count - 2], before: starts.last!)
        }
        let early = (20...26).map { "2026-11-\($0)T02:00:00Z" }
        #expect(missing(early + ["2026-11-29T21:00:00Z"]) == ["2026-11-27", "2026-11-28"])
        // Every 20 hours, as somebody's evenings may be.
        let start = UTCTime(rfc3339: "2026-11-15T04:00:00Z")!.seconds
        let often = (0...12).map { UTCTime(seconds: start + $0 * 72_000).rfc3339 }
        #expect(missing(often + ["2026-11-28T04:00:00Z"]) == ["2026-11-26", "2026-11-27"])
    }

    @Test("of nights that are run by hand within hours none is missing after a pause")
    func byHand() {
        func starts(_ hours: [Int]) -> [String] {
            hours.map {
                "2026-11-\($0 / 24 + 1 < 10 ? "0" : "")\($0 / 24 + 1)T"
                    + "\($0 % 24 < 10 ? "0" : "")\($0 % 24):15:00Z"
            }
        }
        for step in [1, 6, 12] {
            let times = starts((0..<10).map { $0 * step } + [9 * step + 4 * step])
            #expect(
                NightCalendar(times).missing(after: times[9], before: times[10]).isEmpty,
                "one each \(step) hours")
            #expect(
                NightCalendar(times).missing(after: times[10], until: "2026-11-20T00:00:00Z")
                    .isEmpty)
        }
        // Each 18 hours: the next is due on the same date.
        let often = starts((0..<9).map { $0 * 18 + 6 })
        #expect(
            NightCalendar(often).missing(after: often[8], until: "2026-11-07T23:59:00Z").isEmpty)
    }

    @Test("this morning's night is missing three hours after it was due")
    func now() {
        let calendar = NightCalendar(starts(Array(1...9)))
        func missing(_ now: String) -> Int {
            calendar.missing(after: "2026-11-09T02:15:00Z", until: now).count
        }
        #expect(missing("2026-11-09T08:00:00Z") == 0)
        #expect(missing("2026-11-10T02:30:00Z") == 0)
        #expect(missing("2026-11-10T08:00:00Z") == 1)
        #expect(missing("2026-11-12T08:00:00Z") == 3)
        #expect(missing("no time") == 0)
    }
}
