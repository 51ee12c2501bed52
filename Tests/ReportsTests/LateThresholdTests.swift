import Dialects
import Journal
import Rigs
import Testing

@testable import Reports

/// Polls that take so long, of which some were sent late.
private struct Polled: Recorded {
    var took: Duration
    var polls = 200
    /// Every other poll takes as long as this instead.
    var others: Duration?
    /// Every so many polls one was sent `lateness` late; 0: none.
    var lateEvery = 0
    var lateness = Duration.zero
    /// So many households, and how long after their phones' last responses their TVs had their tokens.
    var homes = 20
    var seenAfter = Duration.milliseconds(600)
    /// Every so many of them because of a rig that was late for `lateness` of it.
    var lateHomes = 0

    var header: HistoryHeader { Small().header }
    var end: HistoryEnd? { Small().end }
    var gaps: [String] { [] }

    func cells(_ body: (Cell) throws -> Void) throws {
        var cell = Cell(key: Cell.CellKey(second: 1, operation: .pollToken, kind: 0))
        (cell.sent, cell.completed) = (polls, polls)
        cell.outcomes[Int(Outcome.ok.rawValue)] = polls
        for poll in 0..<polls {
            let took = poll % 2 == 0 ? took : others ?? took
            let late = lateEvery > 0 && poll % lateEvery == 0 ? lateness : .zero
            cell.latency.record(took + late)
            cell.punctual.record(took)
            cell.service.record(took)
            cell.lateness.record(late)
        }
        try body(cell)
    }

    func households(_ body: (HouseholdRecord) throws -> Void) throws {
        for home in 0..<homes {
            let late = lateHomes > 0 && home % lateHomes == 0 ? lateness : .zero
            var record = HouseholdRecord(
                household: home, kind: "family", lane: 0, arrived: .start)
            record.codeShown = .start
            record.phoneDone = .start + .seconds(10)
            record.tokenSeen = .start + .seconds(10) + seenAfter + late
            record.rigLateness = SignInLateness(inSignIn: late, inVisibility: late)
            (record.stage, record.fate) = (.signedIn, .signedIn)
            try body(record)
        }
    }

    func errorGroups() throws -> [ErrorGroup] { [] }
    func health() throws -> [LaneHealth] { [] }
}

@Suite("Thresholds on times, and a rig that was late")
struct LateThresholdTests {
    private func summary(_ run: Polled, _ measures: (Threshold.Measure, milliseconds: Double)...)
        throws -> Summary
    {
        try Summary(
            run,
            thresholds: measures.map(threshold))
    }

    private func threshold(_ measure: Threshold.Measure, _ milliseconds: Double) -> Threshold {
        Threshold(
            subject: .operation(.pollToken), measure: measure, comparison: .below,
            bound: milliseconds * 1e6, text: "\(measure) < \(milliseconds)")
    }

    /// A measure of sign-ins.
    private func summary(
        _ run: Polled, _ subject: Threshold.Subject, _ share: Double, _ milliseconds: Double
    ) throws -> Summary {
        let threshold = Threshold(
            subject: subject, measure: .percentile(share, .latency), comparison: .below,
            bound: milliseconds * 1e6, text: "\(subject) < \(milliseconds)")
        return try Summary(run, thresholds: [threshold])
    }

    @Test(
        "sign-ins that only the rig's own lateness made too long are not the service's",
        arguments: [(Threshold.Subject.signIn, 11_000.0), (.tokenVisibility, 1_000)])
    func signIns(subject: Threshold.Subject, bound: Double) throws {
        var run = seldomLate
        run.lateHomes = 10
        let late = try summary(run, subject, 0.95, bound)
        #expect(late.exitStatus == .untrusted, "\(late.headline)")
        #expect(
            late.rigHealth.reasons.first?.contains("would be met: ") == true,
            "\(late.rigHealth.reasons)")
        // Without the lateness it is missed, too.
        let slow = try summary(run, subject, 0.95, bound - 500)
        #expect(slow.exitStatus == .missed, "\(slow.headline)")
        run.lateHomes = 0
        #expect(try summary(run, subject, 0.95, bound).exitStatus == .passed)
    }

    @Test(
        "sign-ins of which most are too long fail a run whose rig was late, and others do not",
        arguments: [
            (Threshold.Subject.tokenVisibility, 500.0, Summary.ExitStatus.missed),
            (.signIn, 10_500, .missed), (.signInService, 10_500, .missed),
            (.tokenVisibility, 601, .untrusted),
        ])
    func slowSignIns(subject: Threshold.Subject, bound: Double, status: Summary.ExitStatus) throws {
        let run = Polled(
            took: .milliseconds(600), lateEvery: 15, lateness: .milliseconds(700), lateHomes: 2)
        let summary = try summary(run, subject, 0.95, bound)
        #expect(!summary.rigHealth.valid)
        #expect(summary.exitStatus == status, "\(summary.headline)")
        #expect(
            summary.headline.contains("missed by more than half, and it sent most requests in time")
                == (status == .missed), "\(summary.headline)")
    }

    /// Below 1,000 requests a twentieth of them may be late: this is less.
    private let seldomLate = Polled(
        took: .milliseconds(600), lateEvery: 40, lateness: .milliseconds(700))

    @Test("lateness and service time together over the bound, and neither alone: the rig's own")
    func together() throws {
        let summary = try summary(
            seldomLate, (.percentile(0.99, .latency), 1_000), (.max(.latency), 1_000))
        #expect(summary.exitStatus == .untrusted, "\(summary.headline)")
        #expect(!summary.rigHealth.valid && summary.rigHealth.isLateForThresholds)
        let reason = try #require(summary.rigHealth.reasons.first)
        #expect(
            reason.hasPrefix("it sent requests up to 700 ms late, and without that "), "\(reason)")
        #expect(reason.contains("would be met: 600 ms instead of 1.30 s"), "\(reason)")
    }

    @Test("one threshold that is missed without lateness, too, is the service's, and then all are")
    func both() throws {
        let summary = try summary(
            seldomLate, (.percentile(0.99, .latency), 1_000), (.percentile(0.5, .service), 500))
        #expect(summary.exitStatus == .missed && summary.rigHealth.valid)
    }

    @Test("a bound that no answer meets is missed, however little the rig was late")
    func tiny() throws {
        let run = Polled(
            took: .milliseconds(5), lateEvery: 1, lateness: .microseconds(150))
        #expect(try summary(run, (.percentile(0.95, .latency), 0.001)).exitStatus == .missed)
    }

    @Test(
        "more than half of the requests over a mean that only lateness lifts over its bound: the rig's own"
    )
    func mean() throws {
        // 101 ms and 98 ms: just below 100 in the mean.
        let run = Polled(
            took: .milliseconds(101), others: .milliseconds(98), lateEvery: 15,
            lateness: .milliseconds(700))
        #expect(try summary(run, (.mean(.latency), 100)).exitStatus == .untrusted)
    }

    @Test(
        "a step of find-limit does not count where lateness alone missed what was missed, and counts otherwise"
    )
    func step() throws {
        let late = threshold(.percentile(0.99, .latency), 1_000)
        func reason(_ run: Polled, _ thresholds: [Threshold]) throws -> String? {
            try summary(run).rigHealth.whyNoStep(
                SteadyPart(run, seconds: 0..<10, findings: nil), thresholds)
        }
        #expect(try reason(seldomLate, [late])?.contains("would be met: 600 ms") == true)
        #expect(try reason(seldomLate, [late, threshold(.percentile(0.5, .service), 500)]) == nil)
        #expect(try reason(seldomLate, [threshold(.percentile(0.5, .latency), 1_000)]) == nil)
        #expect(try reason(seldomLate, [threshold(.max(.lateness), 10)]) != nil)
        // More often late than a run may be: then what most requests missed counts, and nothing else.
        let often = Polled(took: .seconds(3), lateEvery: 15, lateness: .milliseconds(700))
        #expect(try reason(often, [threshold(.percentile(0.95, .latency), 500)]) == nil)
        #expect(
            try reason(often, [threshold(.percentile(0.95, .latency), 3_500)])?
                .contains("too late") == true)
    }

    @Test(
        "what most requests miss that were sent in time fails a run whose rig was late",
        arguments: [
            (3_000, 15, 500.0, Summary.ExitStatus.missed),
            // Just over, only by its own lateness, or with most requests late: who knows.
            (3_000, 3, 500, .untrusted), (400, 15, 500, .untrusted),
        ])
    func slowAnyway(took: Int, lateEvery: Int, bound: Double, status: Summary.ExitStatus) throws {
        let run = Polled(
            took: .milliseconds(took), lateEvery: lateEvery, lateness: .milliseconds(700))
        let summary = try summary(
            run, (.percentile(0.95, .latency), bound), (.max(.lateness), 10))
        #expect(!summary.rigHealth.valid)
        #expect(summary.exitStatus == status, "\(summary.headline)")
        if status == .missed {
            #expect(
                summary.headline.contains(
                    "missed by more than half, and it sent most requests in time"),
                "\(summary.headline)")
        }
    }
}
