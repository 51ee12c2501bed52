import Checker
import Dialects
import Foundation
import Journal
import Rigs
import Statistics
import TestSupport
import Testing

@testable import Reports

@Suite("A run that goes on")
struct LiveTests {
    static let quiet = LiveState(
        title: "smoke → embedded (in process)", progress: Progress(), planned: .seconds(26),
        plannedHouseholds: 20)

    static var busy: LiveState {
        var progress = Progress()
        progress.elapsed = Instant(.seconds(65))
        (progress.households.started, progress.households.signedIn) = (1_642, 1_310)
        (progress.households.failed, progress.households.abandoned) = (3, 12)
        progress.households.preSignedIn = 5
        progress.households.runningAt[Int(Stage.registered.rawValue)] = 4
        progress.households.runningAt[Int(Stage.codeShown.rawValue)] = 208
        progress.households.runningAt[Int(Stage.codeTyped.rawValue)] = 120
        progress.households.runningAt[Int(Stage.signedIn.rawValue)] = 17
        (progress.perSecond, progress.throttled) = (205.4, 7)
        (progress.sent, progress.completed, progress.errors) = (12_350, 12_345, 37)
        progress.latencyP50 = .microseconds(4210)
        progress.latencyP99 = .milliseconds(61)
        progress.latenessP99 = .microseconds(210)
        (progress.heldBack, progress.heldNow) = (1_204, 31)
        progress.worstErrors = [
            .init(
                operation: .authenticate, outcome: .serverError, status: 503,
                reason: "overloaded, come back later", count: 28),
            .init(
                operation: .pollToken, outcome: .timeout, status: 0, reason: "timeout", count: 7),
            .init(
                operation: .checkCode, outcome: .rejected, status: 400, reason: "status 400",
                count: 2),
        ]
        var findings = LiveFindings()
        findings.checked = 45_210
        findings.counts = [
            .init(.signInVisible, violations: 1_204), .init(.linearizable, violations: 3),
        ]
        var work = Progress.Work(.pollToken)
        (work.sent, work.completed, work.errors) = (9_000, 8_993, 7)
        work.outcomes[Int(Outcome.ok.rawValue)] = 8_993
        work.outcomes[Int(Outcome.timeout.rawValue)] = 7
        work.latency = histogram(.milliseconds(312), times: 8_993)
        progress.works = [work]
        progress.lateness = histogram(.milliseconds(14), times: 12_350)
        var state = LiveState(
            title: "staging load → https://auth.staging.example", progress: progress,
            planned: .seconds(150), plannedHouseholds: 2_000, phase: .viewers(389),
            recentRates: (0..<120).map { Double($0 % 40) }, findings: findings)
        state.hold(against: thresholds, allowed: .milliseconds(10))
        return state
    }

    private static func histogram(_ value: Duration, times: Int) -> Histogram {
        var histogram = Histogram()
        for _ in 0..<times { histogram.record(value) }
        return histogram
    }

    private static let thresholds = [
        Threshold(
            subject: .operation(.pollToken), measure: .percentile(0.99, .latency),
            comparison: .below, bound: 250e6, text: "poll-token p99 < 250ms"),
        Threshold(
            subject: .householdsFailed, measure: .share, comparison: .below, bound: 0.05,
            text: "households failed < 5%"),
        Threshold(
            subject: .signInService, measure: .percentile(0.95, .latency), comparison: .below,
            bound: 8e9, text: "sign-in-service p95 < 8s"),
    ]

    @Test("thresholds and validity are told as they turn, and what only the end decides is not")
    func thresholds() {
        var state = Self.busy
        #expect(state.thresholds.map(\.met) == [false, true])
        #expect(state.undecidedThresholds == 1)
        #expect(
            state.invalidity?.hasPrefix("it sent 1 % of requests at least 14.0 ms late") == true)
        let rows = LiveBlock.lines(state, width: 200, color: false)
        #expect(
            rows.contains {
                $0.hasPrefix(
                    "thresholds  1 of 2 met so far · MISSED poll-token p99 < 250ms: it was 312 ms")
            })
        #expect(rows.contains { $0.hasPrefix("rig         INVALID: it sent 1 % of requests") })
        #expect(
            ProgressLine.text(state).contains("1 threshold missed so far (poll-token p99 < 250ms"))
        state.progress.works[0].latency = Self.histogram(.milliseconds(3), times: 8_993)
        state.progress.lateness = Histogram()
        state.hold(against: Self.thresholds, allowed: .milliseconds(10))
        #expect(state.thresholds.allSatisfy(\.met) && state.invalidity == nil)
        #expect(!LiveBlock.lines(state, width: 200, color: false).joined().contains("MISSED"))
        state.progress.lateness = Self.histogram(.milliseconds(14), times: 12_350)
        state.hold(against: Self.thresholds, allowed: nil)
        #expect(state.invalidity == nil, "nothing is late in virtual time")
    }

    @Test("what was not judged is said, with the second from which on")
    func gap() {
        var findings = Judge(Rules()).finish()
        #expect(!TerminalReport.verdicts(findings).contains("not checked"))
        findings.unjudgedFrom = Instant(.milliseconds(12_400))
        #expect(TerminalReport.verdicts(findings).contains("not checked from second 12 on"))
    }

    @Test("the block is as it was reviewed", arguments: [40, 80, 200])
    func golden(width: Int) throws {
        let states = [Self.quiet, Self.busy]
        let blocks = states.map { LiveBlock.lines($0, width: width, color: false) }
        let text = blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
        try Golden.expect(text, is: "live/block-\(width).txt")
    }

    @Test(
        "the block never changes its height, and no line is wider than the terminal",
        arguments: [1, 20, 33, 57, 79, 80, 81, 119, 120, 160, 200, 400])
    func size(width: Int) {
        for state in [Self.quiet, Self.busy] {
            let lines = LiveBlock.lines(state, width: width, color: false)
            #expect(lines.count == 10)
            for line in lines { #expect(line.count <= max(20, width), "\(line)") }
        }
    }

    @Test("colour changes no word", arguments: [40, 80, 200])
    func color(width: Int) {
        let plain = LiveBlock.lines(Self.busy, width: width, color: false)
        let colored = LiveBlock.lines(Self.busy, width: width, color: true)
        #expect(plain != colored)
        #expect(colored.map { $0.replacing(#/\u{1b}\[[0-9;]*m/#, with: "") } == plain)
        #expect(!plain.joined().contains("\u{1b}"))
    }

    @Test("what the service says cannot break the block")
    func hostile() {
        var state = Self.busy
        state.progress.worstErrors[0].reason = "a\u{1b}[2J\nb\rc"
        for line in LiveBlock.lines(state, width: 200, color: false) {
            #expect(!line.contains { $0.isNewline || $0 == "\u{1b}" })
        }
    }

    @Test(
        "it says what the run waits for",
        arguments: [
            (LiveState.Phase.arrivals, "more households"), (.viewers(1), "1 viewer"),
            (.viewers(389), "389 viewers"),
            (.settling(.seconds(12)), "late tokens; polling continues for 12 s"),
            (.leaving(3), "3 households to finish"),
            (.stopping, "households to finish, at most 5 s"),
        ])
    func waits(phase: LiveState.Phase, words: String) {
        var state = Self.quiet
        state.phase = phase
        #expect(LiveBlock.lines(state, width: 80, color: false).last == "waiting for \(words)")
    }

    @Test("while nothing is answered, it is responses that are waited for")
    func silent() {
        var state = Self.quiet
        (state.progress.sent, state.progress.completed) = (464, 432)
        state.progress.works = [Progress.Work(.pollToken)]
        state.progress.works[0].underWay = 32
        #expect(
            LiveBlock.lines(state, width: 80, color: false).suffix(2) == [
                "rig         nothing sent just now", "waiting for 32 responses",
            ])
        state.progress.perSecond = 1
        #expect(
            LiveBlock.lines(state, width: 80, color: false).last == "waiting for more households")
    }

    @Test("a progress object is one line with the keys as they were reviewed")
    func progressJSON() throws {
        let lines = [Self.quiet, Self.busy].map { ProgressJSON.progress($0) }
        for line in lines {
            #expect(!line.contains { $0.isNewline })
            let read = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(read?["type"] as? String == "progress")
        }
        try Golden.expect(lines.joined(separator: "\n") + "\n", is: "live/progress.jsonl")
    }

    @Test("a result object has the outcome, the exit code, the path and the thresholds")
    func resultJSON() throws {
        let summary = try Summary(Silent(), thresholds: [Thresholds.errors(below: 0.01)])
        let line = ProgressJSON.result(summary, exitCode: 3, path: "reports/x")
        let read = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(read["type"] as? String == "result")
        #expect(read["outcome"] as? String == "aborted")
        #expect(read["exitCode"] as? Int == 3)
        #expect(read["path"] as? String == "reports/x")
        #expect((read["thresholds"] as? [[String: Any]])?.first?["met"] as? Bool == false)
        let failure = ProgressJSON.failure("a \"word\"\nmore", exitCode: 2)
        let told = try JSONSerialization.jsonObject(with: Data(failure.utf8)) as? [String: Any]
        #expect(told?["headline"] as? String == "a \"word\"\nmore")
        #expect(!failure.contains { $0.isNewline })
    }
}

/// A run with something that kept it from its rig.
private struct Restrained: Recorded {
    var inner: Sample
    var restraint: Restraint
    var header: HistoryHeader { inner.header }
    var end: HistoryEnd?
    var gaps: [String] { inner.gaps }

    init(_ restraint: Restraint, breaker: String = "", _ shape: Shape = Shape(households: 6)) {
        inner = Sample(shape)
        self.restraint = restraint
        end = inner.end
        end?.breaker = breaker
    }

    func cells(_ body: (Cell) throws -> Void) throws { try inner.cells(body) }
    func households(_ body: (HouseholdRecord) throws -> Void) throws { try inner.households(body) }
    func errorGroups() throws -> [ErrorGroup] { try inner.errorGroups() }
    func health() throws -> [LaneHealth] { try inner.health() }
}

@Suite("What kept a run from its rig")
struct RestraintTests {
    @Test("held-back requests are counted in a note")
    func held() throws {
        let restraint = Restraint(heldBack: 1_204, longestHold: .milliseconds(4_200))
        let notes = try Summary(Restrained(restraint), thresholds: []).notes
        #expect(
            notes.contains {
                $0.hasPrefix("1,204 requests were held back by max-rate")
                    && $0.contains("the longest for 4.20 s")
            })
        #expect(try Summary(Restrained(Restraint()), thresholds: []).notes == [])
    }

    @Test("each host that may not be reached is named once, with the line to paste, first of all")
    func refusals() throws {
        let hosts = ["a.example", "b.example"].map {
            "\($0) is not a loopback address; list it under target.allow or pass --allow \($0)"
        }
        let summary = try Summary(Restrained(Restraint(refusals: hosts)), thresholds: [])
        #expect(summary.explanations.prefix(2) == hosts.map { "not allowed: \($0)" }[...])
        let text = TerminalReport.text(summary, width: 200, color: false)
        for host in hosts { #expect(text.components(separatedBy: host).count == 2) }
    }

    @Test("a run that the breaker stopped has failed, and says why")
    func breaker() throws {
        let words = "75% of exchanges were errors for 10 s, and target.breaker allows 50%"
        let summary = try Summary(Restrained(Restraint(), breaker: words), thresholds: [])
        #expect(summary.outcome == .fail)
        #expect(summary.exitStatus == .failed)
        #expect(summary.headline.hasPrefix("Stopped by the breaker: \(words); "))
        let failure = "<failure message=\"Stopped by the breaker: \(words)\"/>"
        let junit = JUnit.text(summary)
        let completed = try #require(junit.firstRange(of: "name=\"the run completed\""))
        #expect(junit[completed.upperBound...].prefix(200).contains(failure))
    }

    @Test(
        "a threshold on times with `abort` fails a run only where the rig was in time itself; one on counts always does",
        arguments: [
            (Thresholds.poll(below: 1), Duration.zero, RunOutcome.fail),
            (Thresholds.poll(below: 1), .milliseconds(20), .invalid),
            (Thresholds.failed(below: 0.05), .milliseconds(20), .fail),
        ])
    func abortedByTimes(threshold: Threshold, lateness: Duration, outcome: RunOutcome) throws {
        var shape = Shape(households: 6)
        shape.lateness = lateness
        let words = "the threshold '\(threshold.text)' was missed for 10 s (it was 2 ms)"
        let summary = try Summary(
            Restrained(Restraint(), breaker: words, shape), thresholds: [threshold])
        #expect(summary.outcome == outcome, "\(summary.headline)")
        let told = [summary.headline] + summary.explanations
        #expect(told.contains { $0.contains("Ended early: \(words)") }, "\(told)")
    }

    @Test("households that waited for an account are counted in a note")
    func accounts() throws {
        let restraint = Restraint(accountWaits: 25, longestAccountWait: .seconds(49))
        let notes = try Summary(Restrained(restraint), thresholds: []).notes
        #expect(
            notes.contains {
                $0.hasPrefix("25 households waited for an account, the longest for 49.0 s")
            }, "\(notes)")
    }

    @Test("an interruption weighs more than the breaker")
    func interrupted() throws {
        var shape = Shape(households: 6)
        shape.isInterrupted = true
        let summary = try Summary(Restrained(Restraint(), breaker: "x", shape), thresholds: [])
        #expect(summary.exitStatus == .interrupted)
    }
}
