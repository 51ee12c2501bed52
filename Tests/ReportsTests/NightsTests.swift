import Foundation
import Journal
import Statistics
import TestSupport
import Testing

@testable import Trends

/// Made-up nights of a rig.
enum MadeUp {
    static let series = ["sign-in-service p95", "poll-token p99", "errors", "rate"]

    /// One a day from 2026-09-20 on.
    static func night(_ index: Int, _ values: [String: Double], gap: String = "") -> Night {
        let day = Date(timeIntervalSince1970: 1_789_869_600 + Double(index) * 86_400)
            .formatted(.iso8601)
        let run = gap.isEmpty ? "nightly-\(index)" : ""
        return Night(
            rig: "nightly", started: day, run: run, path: run, isOurs: true,
            outcome: gap.isEmpty ? "pass" : "aborted", headline: "", gap: gap, version: "0.1.0",
            terms: gap.isEmpty ? "a" : "", series: series, values: gap.isEmpty ? values : [:])
    }

    /// 40 nights with a step of 20 % from the 31st on, an improvement, gaps, and another rig before.
    static let story: [Night] = {
        var dice = Seed(12).generator()
        return (0..<40).map { index in
            func around(_ level: Double, _ noise: Double = 0.015) -> Double {
                level * (1 + noise * (2 * dice.unit() - 1) * 1.7)
            }
            let values = [
                "sign-in-service p95": around(index >= 30 ? 6240 : 5200),
                "poll-token p99": around(index < 18 ? 24 : 18),
                "errors": index < 35 ? 0 : 0.004,
                "rate": around(1200),
            ]
            var night = night(index, values)
            if index == 12 { night = Self.night(index, [:], gap: "the rig was the bottleneck") }
            if index == 26 { night = Self.night(index, [:], gap: "nothing answered <at all>") }
            if index == 22 { night.outcome = "fail" }
            if index < 6, !night.isGap { night.terms = "another" }
            return night
        }
    }()
}

@Suite("Nights that remember")
struct NightsTests {
    @Test("each lasting change has its first night, the night that told of it, and its size")
    func changes() throws {
        let view = NightsView(MadeUp.story, rig: "nightly")
        #expect(view.restarts == [0, 6])
        let signIn = try #require(view.series.first)
        #expect(signIn.changes.map(\.first) == [30])
        #expect((32...33).contains(signIn.changes[0].noticed))
        #expect(signIn.changes[0].isWorse)
        let poll = view.series[1]
        #expect(poll.changes.map(\.isWorse) == [false])
        #expect((17...19).contains(poll.changes[0].first))
        let errors = view.series[2]
        #expect(errors.changes.map(\.noticed) == [37])
        #expect(view.series[3].changes.isEmpty)
        // Six nights of another rig do not count.
        #expect(view.gaps == 2 && view.counted == 32)
    }

    @Test("an alarm is raised on the night that tells of it, and once")
    func alarms() {
        let told = (1...40).filter { count in
            !NightsView(Array(MadeUp.story.prefix(count)), rig: "nightly").newAlarms.isEmpty
        }
        #expect(told.count == 2, "\(told)")
        #expect((33...34).contains(told[0]) && told[1] == 38)
        let view = NightsView(Array(MadeUp.story.prefix(told[0])), rig: "nightly")
        #expect(view.headline.hasPrefix("It got worse: sign-in-service p95 went from 5.1"))
        let later = NightsView(MadeUp.story, rig: "nightly")
        #expect(
            later.headline.hasPrefix(
                "Still worse since 2026-10-20: sign-in-service p95 went from 5."))
        #expect(later.standing.map(\.series.name) == ["sign-in-service p95", "errors"])
        #expect(later.verdict == .worse)
    }

    /// `quiet` nights in 2 % of noise, then as many times that level as `rest` says.
    private func nights(_ quiet: Int, then rest: [Double], alarm: Double? = nil) -> [Night] {
        var dice = Seed(4).generator()
        return (0..<(quiet + rest.count)).map { index in
            let times = index < quiet ? 1 : rest[index - quiet]
            var night = MadeUp.night(
                index, ["sign-in-service p95": 5200 * times * (1 + 0.04 * (dice.unit() - 0.5))])
            night.series = ["sign-in-service p95"]
            night.alarm = alarm
            return night
        }
    }

    private func view(
        _ quiet: Int, then rest: [Double], alarm: Double? = nil, accepted: [Acceptance] = []
    ) -> NightsView {
        NightsView(nights(quiet, then: rest, alarm: alarm), rig: "nightly", accepted: accepted)
    }

    @Test("the night on which p95 is 28 times its level is unusual, amber, and no alarm yet")
    func unusual() {
        let view = view(20, then: [28])
        #expect(view.verdict == .unusual)
        #expect(
            view.headline.wholeMatch(
                of:
                    /Unusual tonight: sign-in-service p95 was 14\d s, 28 times its level of 5\.\d+ s; one more night decides\./
            ) != nil, "\(view.headline)")
        let json = NightJSON.text(view, exitCode: 0, report: nil, page: "p", digest: .null)
        #expect(json.contains(#""alarm":false"#) && json.contains(#""verdict":"unusual""#))
        let page = NightsPage.text([view]) { _ in nil }
        #expect(page.contains("<div class=\"verdict invalid\""))
        #expect(page.contains("<title>unusual: nightly"))
        // No tick beside it: only the nights before have one.
        #expect(page.contains("met its own thresholds</span> <span class=\"warn\">▲ unusual: "))
        // Amber in a terminal.
        #expect(NightsText.text([view], width: 80, color: true).hasPrefix("\u{1b}[1;33m"))
    }

    @Test(
        "the next night decides: as bad is an alarm, as ever is nothing, and the third is a change")
    func nextNight() {
        let again = view(20, then: [28, 27])
        #expect(again.verdict == .worse && again.newAlarms.isEmpty)
        #expect(
            again.headline.wholeMatch(
                of:
                    /Much worse for two nights: sign-in-service p95 was 1\d\d s, 2\d times its level of 5\.\d+ s\./
            ) != nil, "\(again.headline)")
        #expect(view(20, then: [28, 1]).verdict == .quiet)
        let third = view(20, then: [28, 27, 28])
        #expect(third.headline.hasPrefix("It got worse: "), "\(third.headline)")
        #expect(third.jumps.isEmpty)
    }

    @Test("what is 20 % above its level takes two more nights")
    func smallJump() {
        let first = view(20, then: [1.2])
        #expect(first.verdict == .unusual)
        #expect(first.headline.hasSuffix("; 2 more nights decide."), "\(first.headline)")
        let second = view(20, then: [1.2, 1.2])
        #expect(second.verdict == .unusual)
        #expect(second.headline.hasSuffix("; one more night decides."), "\(second.headline)")
    }

    @Test("a night that is better, one of few, and one within its noise are nothing unusual")
    func usual() {
        #expect(view(20, then: [0.3]).verdict == .quiet)
        #expect(view(4, then: [28]).verdict == .quiet)
        #expect(view(20, then: [1.03]).verdict == .quiet)
    }

    @Test("beyond the rig's factor one night is an alarm; below it, it is not")
    func alarmFactor() {
        let beyond = view(20, then: [3.4], alarm: 3)
        #expect(beyond.verdict == .worse && beyond.newAlarms.isEmpty)
        #expect(
            beyond.headline.hasPrefix(
                "Alarm: far worse than its level tonight: sign-in-service p95"))
        #expect(view(20, then: [2.7], alarm: 3).verdict == .unusual)
    }

    @Test("a regression stays red until it is gone")
    func stays() {
        let bad = view(20, then: Array(repeating: 1.5, count: 12))
        #expect(bad.verdict == .worse && bad.newAlarms.isEmpty)
        #expect(
            bad.headline.hasPrefix("Still worse since 2026-10-10: sign-in-service p95 went from"))
        let better = view(
            20, then: Array(repeating: 1.5, count: 12) + Array(repeating: 1.2, count: 6))
        #expect(better.verdict == .worse, "half of it is left: \(better.headline)")
        #expect(better.headline.contains(", +2"), "\(better.headline)")
        let gone = view(
            20, then: Array(repeating: 1.5, count: 12) + Array(repeating: 1, count: 6))
        #expect(gone.verdict == .quiet, "\(gone.headline)")
    }

    @Test("what was mended on its fourth night is seen to be mended within three more")
    func mended() {
        for nights in 1...6 {
            let view = view(20, then: [28, 28, 28] + Array(repeating: 1, count: nights))
            #expect(view.verdict == (nights < 3 ? .worse : .quiet), "\(nights): \(view.headline)")
        }
    }

    @Test("what is accepted on the night that detects it is no alarm any more")
    func acceptedAtOnce() {
        var detected = 0
        for count in 1...8 {
            let rest = Array(repeating: 1.5, count: count)
            guard !view(20, then: rest).newAlarms.isEmpty else { continue }
            detected += 1
            let acceptance = Acceptance(
                rig: "nightly", series: "sign-in-service p95",
                through: nights(20, then: rest).last?.started ?? "", note: "new page")
            let accepted = view(20, then: rest, accepted: [acceptance])
            #expect(accepted.newAlarms.isEmpty && accepted.regressions.isEmpty)
            #expect(!accepted.headline.contains("It got worse"), "\(accepted.headline)")
        }
        #expect(detected > 0)
    }

    @Test("an accepted regression is the new normal; what comes after it is reported again")
    func accepted() {
        let rest = Array(repeating: 1.5, count: 8)
        let through = nights(20, then: rest).last?.started ?? ""
        let acceptance = Acceptance(
            rig: "nightly", series: "sign-in-service p95", through: through, note: "new page")
        #expect(view(20, then: rest).verdict == .worse)
        let accepted = view(20, then: rest, accepted: [acceptance])
        #expect(accepted.verdict == .quiet, "\(accepted.headline)")
        #expect(NightsPage.text([accepted]) { _ in nil }.contains("accepted: new page"))
        #expect(
            NightsText.text([accepted], width: 200, color: false).contains("; accepted: new page)"))
        let later = view(
            20, then: rest + Array(repeating: 2.3, count: 5), accepted: [acceptance])
        #expect(later.verdict == .worse)
        #expect(later.regressions.first?.regression.change.first == 28)
        for other in ["errors", "x"] {
            let others = Acceptance(rig: "nightly", series: other, through: through, note: "")
            #expect(view(20, then: rest, accepted: [others]).verdict == .worse)
        }
    }

    @Test("what was accepted later was not accepted then")
    func acceptedLater() {
        let acceptance = Acceptance(
            rig: "nightly", series: "poll-token p99", through: "2026-11-10T02:00:00Z", note: "",
            at: "2026-11-11T09:00:00Z")
        #expect(!acceptance.isMade(by: "2026-11-10T08:00:00Z"))
        #expect(acceptance.isMade(by: "2026-11-11T09:00:00Z"))
        // A book from before it kept the time.
        let older = Acceptance(
            rig: "nightly", series: "poll-token p99", through: "2026-11-10T02:00:00Z", note: "")
        #expect(older.isMade(by: "2026-11-10T08:00:00Z"))
    }

    @Test("a night's mark stands wherever the night does")
    func marks() {
        var nights = nights(20, then: Array(repeating: 1.5, count: 5))
        nights[20].mark = "v2.3 <b>"
        let view = NightsView(nights, rig: "nightly")
        #expect(view.headline.hasPrefix("Still worse since 2026-10-10 (v2.3 <b>): "))
        let page = NightsPage.text([view]) { _ in nil }
        #expect(page.contains("v2.3 &lt;b&gt;") && !page.contains("v2.3 <b>"))
    }

    @Test("a change that the rig itself made is no change of the service")
    func restarts() {
        let nights = (0..<40).map { index in
            var night = MadeUp.night(index, ["poll-token p99": index < 20 ? 10 : 30])
            night.series = ["poll-token p99"]
            night.terms = index < 20 ? "a" : "b"
            return night
        }
        let view = NightsView(nights, rig: "nightly")
        #expect(view.series[0].changes.isEmpty)
        #expect(abs((view.series[0].level ?? 0) - 30) < 1e-9)
        var same = nights
        for index in same.indices { same[index].terms = "a" }
        #expect(NightsView(same, rig: "nightly").series[0].changes.map(\.noticed) == [22])
    }

    @Test(
        "a night with another rig is named with what differs, and the series begins anew with it")
    func odd() throws {
        func terms(_ target: String) throws -> String {
            var sample = Sample(Shape(households: 2))
            sample.header.target = target
            sample.header.rigSource +=
                target.contains("faults") ? "faults: [{ack-before-apply: {window: 1s}}]\n" : ""
            return try Night(
                sample, series: [], started: "2026-11-21T02:00:00Z", path: "", isOurs: true
            ).terms
        }
        let usual = try terms("embedded (http://127.0.0.1:4711)")
        let slow = try terms("embedded (http://127.0.0.1:4712), faults: slow")
        var nights = (0..<4).map { MadeUp.night($0, ["rate": 10]) }
        for index in nights.indices { nights[index].terms = index == 2 ? slow : usual }
        let view = NightsView(Array(nights.prefix(3)), rig: "nightly")
        #expect(view.restarts == [0, 2] && view.counted == 1)
        #expect(
            view.headline
                == "No result yet: the rig changed between night 2 and night 3 (faults), so "
                + "the series starts again: 1 of the 8 nights needed to detect a change.")
        #expect(NightsText.text([view], width: 100, color: false).contains("▄▄¦▄"))
        // Back at what it was, it goes on where it was.
        let back = NightsView(nights, rig: "nightly")
        #expect(back.restarts == [0] && back.counted == 3)
        #expect(back.nights[2].gap == "not compared: its rig was another one (faults)")
        #expect(NightsText.text([back], width: 100, color: false).contains("▄▄×▄"))
        // A book from before the parts were kept says that it differs, and not in what; against terms of today
        // nothing is known.
        nights[1].terms = "older"
        nights[2].terms = "old"
        #expect(
            NightsView(Array(nights.prefix(3)), rig: "nightly").headline.contains(
                "changed between night 2 and night 3, so"))
        #expect(NightsView(Array(nights.prefix(2)), rig: "nightly").restarts == [0])
    }

    @Test(
        "between terms of different formats only protocol and lanes are compared",
        arguments: ["1f", "2.1f", "3.1f"], ["1f", "2.1f", "3.1f"])
    func formats(one: String, other: String) {
        func restarts(_ load: String, _ lanes: String) -> [Int] {
            var nights = (0..<2).map { MadeUp.night($0, ["rate": 10]) }
            nights[0].terms = "\(one) load=1 protocol=1 lanes=1"
            nights[1].terms = "\(other)\(load) load=\(load) protocol=1 lanes=\(lanes)"
            return NightsView(nights, rig: "nightly").restarts
        }
        #expect(restarts("2", "1") == (one == other ? [0, 1] : [0]))
        #expect(restarts("2", "2") == [0, 1])
    }

    @Test("what the interval of polls decides is no change of the service")
    func grid() {
        func view(_ after: Double) -> NightsView {
            let nights = (0..<30).map { index in
                var night = MadeUp.night(
                    index,
                    [
                        "token-visibility p95": index < 20 ? 2900 : after,
                        Night.pollInterval: 3300,
                    ])
                night.series = ["token-visibility p95"]
                return night
            }
            return NightsView(nights, rig: "nightly")
        }
        #expect(view(2300).series[0].changes.isEmpty && view(2300).series[0].isOnGrid)
        #expect(NightsText.text([view(2300)], width: 200, color: false).contains("not compared"))
        // The night itself is enough, however many nights before it pull a mean down.
        let night = view(5000).nights.prefix(21)
        let first = NightsView(Array(night), rig: "nightly")
        #expect(first.verdict == .unusual && !first.series[0].isOnGrid)
        // Beyond one interval the service had its part in it.
        #expect(view(5000).series[0].changes.map(\.isWorse) == [true])
        #expect(!view(5000).series[0].isOnGrid)
    }

    @Test("a night with another load costs none of the nights before it, once the load is back")
    func aside() throws {
        func view(_ count: Int) -> NightsView {
            NightsView(
                (0..<count).map { index in
                    var night = MadeUp.night(
                        index, ["errors": index < 12 ? 0 : 0.01, "rate": index == 10 ? 500 : 1000])
                    night.terms = index == 10 ? "3.b load=2" : "3.a load=1"
                    return night
                }, rig: "nightly")
        }
        // On that night nothing is known of what became of it.
        #expect(view(11).restarts == [0, 10] && view(11).counted == 1)
        let after = view(12)
        #expect(after.restarts == [0] && after.counted == 11 && after.gaps == 1)
        #expect(after.nights[10].gap == "not compared: its rig was another one (load)")
        let errors = try #require(view(15).series.first { $0.name == "errors" })
        #expect(errors.changes.map(\.noticed) == [14])
        #expect(view(15).series.first { $0.name == "rate" }?.changes.isEmpty == true)
    }

    @Test("of two rigs in turn each is held against its own nights")
    func inTurn() throws {
        func view(_ count: Int) -> NightsView {
            NightsView(
                (0..<count).map { index in
                    let isOther = !index.isMultiple(of: 2)
                    var night = MadeUp.night(
                        index, ["errors": 0, "rate": isOther ? 500 : index < 14 ? 1000 : 800])
                    night.terms = isOther ? "3.b load=2" : "3.a load=1"
                    return night
                }, rig: "nightly")
        }
        let odd = view(18)
        #expect(odd.restarts == [0, 1] && odd.counted == 9 && odd.gaps == 8)
        #expect(odd.series.first { $0.name == "rate" }?.changes.isEmpty == true)
        let even = view(19)
        #expect(even.restarts == [0] && even.counted == 10 && even.gaps == 9)
        let rate = try #require(even.series.first { $0.name == "rate" })
        #expect(rate.changes.map(\.first) == [14] && rate.changes.map(\.noticed) == [18])
    }

    @Test("what creeps up is told as that, by headline, message and digest alike")
    func creeping() throws {
        var dice = Seed(3).generator()
        let nights = (0..<20).map { index in
            var night = MadeUp.night(
                index,
                [
                    "sign-in-service p95": 400 * (1 + 0.03 * Double(max(0, index - 6)))
                        * (1 + 0.004 * (2 * dice.unit() - 1))
                ])
            night.mark = index < 9 ? "v1" : "v2"
            return night
        }
        let view = NightsView(nights, rig: "nightly")
        #expect(view.verdict == .worse)
        #expect(
            view.headline.hasPrefix(
                "Still getting worse: sign-in-service p95 gets a little worse every night: from 4"),
            "\(view.headline)")
        let terminal = NightsText.text([view], width: 200, color: false)
        #expect(!terminal.contains("v2"), "\(terminal)")
        let text = NightJSON.text(view, exitCode: 0, report: nil, page: "p", digest: .null)
        let message = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let standing = try #require((message?["standing"] as? [[String: Any]])?.first)
        #expect(standing["gradual"] as? Bool == true && standing["low"] is NSNull)
        let size = try #require(standing["change"] as? Double)
        #expect(abs(size - 0.39) < 0.04, "\(size)")
        #expect(Digest(view).subject.contains("a little every night"))
    }

    /// 0 0 0 0 0 1 1 1 errors: of 800 requests that is chance, of 80,000 it is not.
    @Test("a share is judged by how many it is of, where the nights tell")
    func wholes() {
        func changes(of whole: Double?) -> [Bool] {
            let nights = (0..<8).map { index in
                MadeUp.night(
                    index,
                    ["errors": index < 5 ? 0 : 0.00125, Night.whole(of: "errors"): whole]
                        .compactMapValues(\.self))
            }
            let view = NightsView(nights, rig: "nightly")
            #expect(whole != 800 || view.jumps.isEmpty)
            return view.series[2].changes.map(\.isWorse)
        }
        #expect(changes(of: 800).isEmpty)
        #expect(changes(of: 80_000) == [true])
        #expect(changes(of: nil) == [true])
    }

    @Test("a higher rate is better, a lower one worse")
    func rate() {
        let nights = (0..<30).map { MadeUp.night($0, ["rate": $0 < 20 ? 1000 : 800]) }
        let view = NightsView(nights, rig: "nightly")
        #expect(view.series[3].changes.map(\.isWorse) == [true])
    }

    @Test("few nights, and a night without values, are told as such")
    func headlines() {
        #expect(
            NightsView(Array(MadeUp.story.prefix(3)), rig: "nightly").headline
                == "No result yet: 3 of the 8 nights needed to detect a change.")
        #expect(
            NightsView(Array(MadeUp.story.prefix(11)), rig: "nightly").headline
                == "No result yet: the rig changed between night 6 and night 7, so the series "
                + "starts again: 5 of the 8 nights needed to detect a change.")
        #expect(
            NightsView(Array(MadeUp.story.prefix(13)), rig: "nightly").headline
                == "No values for the night of 2026-10-02: the rig was the bottleneck")
        #expect(
            NightsView(Array(MadeUp.story.prefix(16)), rig: "nightly").headline
                == "No lasting change so far, and nothing unusual tonight.")
        #expect(NightsView([], rig: "nightly").headline == "No night yet.")
    }

    @Test("the terminal shows it as it was reviewed", arguments: [80, 200])
    func text(width: Int) throws {
        let view = NightsView(MadeUp.story, rig: "nightly")
        let text = NightsText.text([view], width: width, color: false, page: "reports/nights.html")
        try Golden.expect(text, is: "nights/story-\(width).txt")
        for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
        let colored = NightsText.text(
            [view], width: width, color: true, page: "reports/nights.html")
        #expect(colored.replacing(#/\u{1b}\[[0-9;]*m/#, with: "") == text)
    }

    @Test("the page is as it was reviewed, and links only to reports that are there")
    func page() throws {
        let view = NightsView(MadeUp.story, rig: "nightly")
        let page = NightsPage.text([view]) { night in
            night.run == "nightly-39" ? "./nightly-39/report.html" : nil
        }
        try Golden.expect(page, is: "nights/story.html")
        #expect(page.ranges(of: "href=\"./nightly-39/report.html\"").count == 5)
        #expect(page.ranges(of: "report.html").count == 5)
        #expect(!page.contains("<script") && !page.contains("src=") && !page.contains("url("))
        #expect(page.contains("nothing answered &lt;at all&gt;"))
        #expect(!page.contains("<at all>"))
        #expect(page.contains("href=\"#series-1\"") && page.contains("id=\"series-1\""))
    }

    @Test("nights of one day have labels that do not overlap")
    func labels() {
        let nights = (10..<22).map { hour in
            var night = MadeUp.night(hour, ["rate": 10])
            night.started = "2026-09-20T\(hour):00:00Z"
            return night
        }
        let page = NightsPage.text([NightsView(nights, rig: "nightly")]) { _ in nil }
        let labels = page.matches(of: />09-20 (\d\d:00)</).map { String($0.1) }
        #expect(Array(labels.prefix(4)) == ["10:00", "13:00", "16:00", "19:00"], "\(labels)")
    }

    @Test("many nights are judged, the newest shown; two rigs stand on one page")
    func many() {
        let nights = (0..<200).map { index in
            MadeUp.night(index, ["poll-token p99": index < 20 ? 10 : index < 150 ? 30 : 40])
        }
        var other = nights.prefix(9).map { $0 }
        for index in other.indices { other[index].rig = "other" }
        let views = NightsView.all(other + nights)
        #expect(views.map(\.rig) == ["nightly", "other"])
        let page = NightsPage.text(views) { _ in nil }
        #expect(page.contains("80 older nights not shown"))
        #expect(page.contains("▲ +33 % from"))
        let recent = views[0].recent(NightsPage.shown)
        #expect(recent.series[1].changes.map(\.first) == [70])
        #expect(views[0].series[1].changes.map(\.first) == [20, 150])
    }

    @Test("a message to a command is one line of JSON with all that it needs")
    func message() throws {
        let view = NightsView(Array(MadeUp.story.prefix(33)), rig: "nightly")
        let last = view.newAlarms.isEmpty ? 34 : 33
        let told = NightsView(Array(MadeUp.story.prefix(last)), rig: "nightly")
        let line = NightJSON.text(
            told, exitCode: 1, report: "reports/x/report.html", page: "reports/nights.html",
            digest: .null)
        #expect(!line.contains("\n"))
        let read = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(read["alarm"] as? Bool == true)
        #expect(read["exitCode"] as? Int == 1)
        let changes = try #require(read["changes"] as? [[String: Any]])
        #expect(changes.map { $0["series"] as? String } == ["sign-in-service p95"])
        #expect(changes[0]["firstNight"] as? String == MadeUp.story[30].started)
        #expect((0.15...0.25).contains(changes[0]["change"] as? Double ?? 0))
        let gap = NightJSON.text(
            NightsView(Array(MadeUp.story.prefix(13)), rig: "nightly"), exitCode: 4, report: nil,
            page: "p", digest: .null)
        #expect(gap.contains(#""alarm":false"#) && gap.contains("bottleneck"))
    }
}
