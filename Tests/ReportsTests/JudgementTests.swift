import Checker
import Dialects
import Journal
import Rigs
import Statistics
import Testing

@testable import Reports

@Suite("What a run means")
struct JudgementTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var outcome: RunOutcome
        var status: Summary.ExitStatus
        var headline: String
        var thresholds: [Threshold] = []
        var change: @Sendable (inout Shape) -> Void = { _ in }
    }

    private static let cases: [Case] = [
        Case(
            testDescription: "all is well", outcome: .pass, status: .passed,
            headline: "Passed: all 6 households signed in, and the only threshold was met.",
            thresholds: [Thresholds.poll(below: 5000)]),
        Case(
            testDescription: "without thresholds", outcome: .pass, status: .passed,
            headline: "Passed: all 6 households signed in."),
        Case(
            testDescription: "a threshold is missed", outcome: .fail, status: .missed,
            headline: "Failed: 1 of 2 thresholds was missed; all 6 households signed in.",
            thresholds: [Thresholds.poll(below: 1), Thresholds.poll(below: 5000)]),
        Case(
            testDescription: "the rig was late", outcome: .invalid, status: .untrusted,
            headline: "Invalid: the rig itself was the bottleneck, so the latencies describe this "
                + "machine rather than the service.",
            thresholds: [Thresholds.poll(below: 5000)]
        ) { $0.lateness = .milliseconds(20) },
        Case(
            testDescription: "the rig was late, and a time was too long", outcome: .invalid,
            status: .untrusted,
            headline: "Invalid: the rig itself was the bottleneck, so the latencies describe this "
                + "machine rather than the service. Also, the only threshold was missed; all 6 "
                + "households signed in.",
            thresholds: [Thresholds.poll(below: 1)]
        ) { $0.lateness = .milliseconds(20) },
        Case(
            testDescription: "the rig was late, and households failed", outcome: .fail,
            status: .failed,
            headline:
                "Failed: none of 6 households signed in: register-client was turned down; "
                + "2 of 2 thresholds were missed. Do not trust its latencies: the rig itself "
                + "was the bottleneck.",
            thresholds: [Thresholds.poll(below: 5000), Thresholds.failed(below: 0.05)]
        ) {
            $0.busy = 1.2
            $0.everybodyFails = true
        },
        Case(
            testDescription: "the rig was late, which only warns, and households failed",
            outcome: .fail, status: .failed,
            headline:
                "Failed: none of 6 households signed in: register-client was turned down; the "
                + "only threshold was missed.",
            thresholds: [Thresholds.failed(below: 0.05)]
        ) {
            $0.busy = 1.2
            $0.everybodyFails = true
            $0.breachFails = false
        },
        Case(
            testDescription: "a lane was busy", outcome: .invalid, status: .untrusted,
            headline: "Invalid: the rig itself was the bottleneck, so the latencies describe this "
                + "machine rather than the service."
        ) { $0.busy = 1.2 },
        Case(
            testDescription: "a lane was busy, and that only warns", outcome: .pass,
            status: .passed,
            headline: "Passed: all 6 households signed in."
        ) {
            $0.busy = 1.2
            $0.breachFails = false
        },
        Case(
            testDescription: "lateness means nothing in virtual time", outcome: .pass,
            status: .passed, headline: "Passed: all 6 households signed in."
        ) {
            $0.isVirtual = true
            $0.lateness = .milliseconds(20)
            $0.busy = 1.2
        },
        Case(
            testDescription: "interrupted beats the bottleneck and thresholds", outcome: .aborted,
            status: .interrupted,
            headline: "Interrupted after 8.2 s: all 6 households signed in.",
            thresholds: [Thresholds.poll(below: 1)]
        ) {
            $0.isInterrupted = true
            $0.busy = 1.2
        },
        Case(
            testDescription: "cut short", outcome: .aborted, status: .interrupted,
            headline: "Cut short: the record ends after 9 s; all 6 households signed in."
        ) { $0.isCutShort = true },
        Case(
            testDescription: "a full disk beats an interruption", outcome: .aborted,
            status: .couldNotRun, headline: "Stopped: no space left for the history."
        ) {
            $0.failure = "no space left for the history"
            $0.isInterrupted = true
        },
        Case(
            testDescription: "nothing was sent", outcome: .aborted, status: .couldNotRun,
            headline: "Could not run: no request was sent."
        ) { $0.households = 0 },
        Case(
            testDescription: "interrupted before the first request", outcome: .aborted,
            status: .interrupted, headline: "Interrupted after 0 s: no household started."
        ) {
            $0.households = 0
            $0.isInterrupted = true
        },
        Case(
            testDescription: "signed in is signed in, also where authorize failed later",
            outcome: .fail, status: .failed,
            headline:
                "Failed: the only threshold was missed; all 6 households signed in, 6 of them "
                + "failed later.", thresholds: [Thresholds.failed(below: 0.05)]
        ) { $0.failsAfterSignIn = true },
        Case(
            testDescription: "accounts without a package are no failure", outcome: .pass,
            status: .passed,
            headline:
                "Passed: all 6 households signed in, 6 were denied a resource, and the only "
                + "threshold was met.",
            thresholds: [Thresholds.failed(below: 0.05)]
        ) { $0.isDenied = true },
        Case(
            testDescription: "one household", outcome: .pass, status: .passed,
            headline: "Passed: the only household signed in."
        ) { $0.households = 1 },
    ]

    @Test("every ending has its outcome, its exit status and its sentence", arguments: cases)
    private func ending(of row: Case) throws {
        var shape = Shape(households: 6, trouble: nil)
        row.change(&shape)
        let summary = try Summary(Sample(shape, seed: Seed(11)), thresholds: row.thresholds)
        #expect(summary.outcome == row.outcome)
        #expect(summary.exitStatus == row.status)
        #expect(summary.headline == row.headline)
    }

    @Test("no promise is taken for kept where the judge did not hear everything")
    func unheard() throws {
        var findings = Judge(Rules()).finish()
        let sample = Sample(Shape(households: 6, trouble: nil), seed: Seed(11))
        #expect(try Summary(sample, thresholds: [], findings: findings).exitStatus == .passed)
        findings.unjudgedFrom = Instant(nanoseconds: 12_500_000_000)
        let summary = try Summary(sample, thresholds: [], findings: findings)
        #expect(summary.outcome == .invalid)
        #expect(summary.exitStatus == .untrusted)
        #expect(summary.headline.hasPrefix("Invalid: not checked from second 12 on: "))
    }

    @Test("when nobody answers, the message leads with the first thing that failed")
    func nobodyAnswers() throws {
        let summary = try Summary(Silent(), thresholds: [Thresholds.errors(below: 0.01)])
        #expect(summary.exitStatus == .couldNotRun)
        #expect(
            summary.headline
                == "Could not run: none of 20 requests got a response; 20 of 20 "
                + "register-client requests got no response (connection-refused).")
        #expect(
            summary.firstFailure
                == "20 of 20 register-client requests got no response (connection-refused)"
        )
        let text = TerminalReport.text(summary, width: 80, color: false)
        #expect(text.contains("check that the service is up and reachable"))
    }

    @Test("when no household gets anywhere, the first failure comes first")
    func gotNowhere() throws {
        var shape = Shape(households: 20, trouble: nil)
        shape.everybodyFails = true
        shape.refusal = "invalid_software_statement"
        let summary = try Summary(Sample(shape), thresholds: [Thresholds.failed(below: 0.05)])
        #expect(summary.exitStatus == .failed)
        #expect(
            summary.explanations.first
                == "First error: 20 of 20 register-client requests got 400 invalid_software_statement"
        )
    }

    @Test("a warning about the rig says what was measured and what is allowed")
    func reasons() throws {
        var shape = Shape(households: 6)
        (shape.lateness, shape.busy, shape.breachFails) = (.milliseconds(20), 1.2, false)
        let summary = try Summary(Sample(shape), thresholds: [])
        #expect(!summary.rigHealth.valid)
        #expect(summary.rigHealth.reasons.count == 2)
        #expect(
            summary.rigHealth.reasons[0].contains("10.0 ms is allowed (validity.lateness-p99)"))
        #expect(summary.rigHealth.reasons[1].contains("90 % is allowed (validity.busy)"))
        #expect(summary.notes.contains { $0.hasPrefix("The rig itself was the bottleneck") })
    }

    @Test(
        "a process that did not run for more than one hundredth of a run has times of its own",
        arguments: [(share: 0.009, valid: true), (share: 0.012, valid: false)])
    func stalled(share: Double, valid: Bool) throws {
        var sample = Sample(Shape(households: 20, trouble: nil), seed: Seed(11))
        let length = try Summary(sample, thresholds: []).run.seconds
        sample.end?.stalls = [
            Standstill(
                noticed: Instant(.seconds(1)), length: .nanoseconds(Int64(share * length * 1e9)))
        ]
        let summary = try Summary(sample, thresholds: [Thresholds.errors(below: 0.01)])
        #expect(summary.rigHealth.valid == valid, "\(summary.rigHealth.reasons)")
        #expect(summary.exitStatus == (valid ? .passed : .untrusted))
        #expect(
            summary.rigHealth.reasons.allSatisfy { $0.hasPrefix("its process did not run for ") })
        // A merge asks the same of a shard, and of nothing else.
        #expect(RigHealth(try RunFold(healthOf: sample)).valid == valid)
    }

    @Test(
        "lateness of few requests needs evidence: 10 and 5 % of them; from 1,000 on, p99 decides",
        arguments: [
            (requests: 200, late: 9, valid: true), (requests: 200, late: 10, valid: false),
            (requests: 60, late: 9, valid: true), (requests: 999, late: 49, valid: true),
            (requests: 999, late: 50, valid: false), (requests: 1000, late: 10, valid: true),
            (requests: 1000, late: 11, valid: false),
        ] as [(requests: Int, late: Int, valid: Bool)])
    func evidence(requests: Int, late: Int, valid: Bool) throws {
        var sample = Sample(Shape(households: 100, perSecond: 20, trouble: nil), seed: Seed(11))
        sample.exchanges = Array(sample.exchanges.prefix(requests))
        try #require(sample.exchanges.count == requests)
        for index in sample.exchanges.indices {
            let lateness: Duration = index < late ? .milliseconds(11) : .zero
            sample.exchanges[index].begun = sample.exchanges[index].planned + lateness
        }
        let summary = try Summary(sample, thresholds: [Thresholds.errors(below: 0.01)])
        #expect(summary.rigHealth.valid == valid, "\(summary.rigHealth.reasons)")
        #expect(summary.exitStatus == (valid ? .passed : .untrusted))
    }

    @Test(
        "a threshold that only requests miss which the rig sent late is not the service's",
        arguments: [
            // So many polls were sent a second late, so many answered a second late.
            (late: 5, slow: 0, status: .untrusted), (late: 0, slow: 5, status: .missed),
            (late: 5, slow: 5, status: .missed), (late: 5, slow: 1, status: .untrusted),
        ] as [(late: Int, slow: Int, status: Summary.ExitStatus)])
    func lateRequests(late: Int, slow: Int, status: Summary.ExitStatus) throws {
        var sample = Sample(Shape(households: 100, perSecond: 20, trouble: nil), seed: Seed(11))
        let polls = sample.exchanges.indices.filter {
            sample.exchanges[$0].operation == .pollToken
        }
        for (number, index) in polls.prefix(60).enumerated() {
            var exchange = sample.exchanges[index]
            let delay: Duration = number < late + slow ? .seconds(1) : .zero
            if number < late { exchange.begun = exchange.begun + delay }
            if number < late { exchange.sent = exchange.sent + delay }
            exchange.firstByte = exchange.firstByte.map { $0 + delay }
            exchange.ended = exchange.ended + delay
            sample.exchanges[index] = exchange
        }
        let others = Set(polls.dropFirst(60))
        sample.exchanges = sample.exchanges.indices.filter { !others.contains($0) }
            .map { sample.exchanges[$0] }
        let threshold = Threshold(
            kind: nil, subject: .operation(.pollToken), measure: .percentile(0.95, .latency),
            comparison: .below, bound: 500e6, text: "poll-token p95 < 500ms")
        let summary = try Summary(sample, thresholds: [threshold])
        #expect(summary.exitStatus == status, "\(summary.headline) \(summary.rigHealth.reasons)")
        #expect(summary.rigHealth.reasons.count == (status == .untrusted ? 1 : 0))
    }

    @Test(
        "accounts that were turned down for one reason are one cause, whichever lines they are in")
    func accounts() throws {
        var shape = Shape(households: 6, trouble: nil)
        shape.everybodyFails = true
        var sample = Sample(shape)
        for number in sample.records.indices {
            let reason = number == 5 ? "locked" : "wrong password"
            sample.records[number].cause =
                "the account in accounts.csv:\(number + 2) was turned down: \(reason)"
        }
        #expect(
            try Summary(sample, thresholds: []).headline.contains(
                "none of 6 households signed in: accounts in accounts.csv were turned down: wrong "
                    + "password (5 of 6)"))
        let same = HouseholdRecord.ofSeveralAccounts("authorize answered 503: in a.csv:3")
        #expect(same == nil)
    }

    @Test("a pass says what most signed-in households never came to", arguments: [2, 3])
    func unreached(expired: Int) throws {
        var sample = Sample(Shape(households: 6, trouble: nil), seed: Seed(11))
        for number in 0..<expired {
            sample.records[number].cause =
                "user-metadata answered 412 authn" + HouseholdRecord.signInExpired
        }
        let headline = try Summary(sample, thresholds: []).headline
        #expect(
            headline.contains(
                "Not tested: the remaining steps of 3 of 6 signed-in households: their sign-ins expired first "
                    + "(user-metadata answered 412 authn)") == (expired == 3), "\(headline)")
    }

    @Test("JUnit has the bottleneck beside what outranks it")
    func bottleneckInJUnit() throws {
        var shape = Shape(households: 6, trouble: nil)
        (shape.busy, shape.everybodyFails) = (1.2, true)
        let text = JUnit.text(
            try Summary(Sample(shape), thresholds: [Thresholds.failed(below: 0.05)]))
        #expect(text.contains("failures=\"2\""), "\(text)")
        #expect(text.contains("the rig was not the bottleneck"))
    }

    @Test("a quiet start and end do not hide a busy middle")
    func loadedPart() {
        let lanes = (0..<30).map { second in
            LaneHealth(
                lane: 0, from: Instant(.seconds(second)), through: Instant(.seconds(second + 1)),
                turns: 1, busy: (10..<20).contains(second) ? .milliseconds(950) : .milliseconds(10),
                longestTurn: .zero)
        }
        var timeline = Timeline()
        for second in 0..<30 {
            var cell = Cell(key: Cell.CellKey(second: second, operation: .pollToken, kind: 0))
            cell.sent = (10..<20).contains(second) ? 1000 : 5
            timeline.add(cell)
        }
        timeline.finish()
        #expect(timeline.loaded == 10...19)
        #expect(LaneLoad(lanes, within: timeline.loaded).busiest == 0.95)
        #expect(LaneLoad(lanes, within: nil).busiest! < 0.4)
        #expect(LaneLoad([], within: nil).busiest == nil)
    }

    @Test(
        "the chart of the busiest lane divides by the whole second, also where a lane measured less of it"
    )
    func busyChart() throws {
        func lane(_ number: Int, _ from: Int, _ through: Int, busy: Int) -> LaneHealth {
            LaneHealth(
                lane: number, from: Instant(.milliseconds(from)),
                through: Instant(.milliseconds(through)), turns: 1, busy: .milliseconds(busy),
                longestTurn: .zero)
        }
        let lanes = [
            lane(0, 0, 1_000, busy: 200), lane(1, 0, 500, busy: 50), lane(1, 500, 1_000, busy: 50),
            // Half of it lies in the next second.
            lane(0, 1_500, 2_500, busy: 400),
            // The last turn of a lane: nearly all of an interval of 20 ms.
            lane(1, 4_000, 4_020, busy: 19),
            // Nothing was sent any more.
            lane(0, 5_000, 9_000, busy: 4_000),
        ]
        let shares = Course.busy(lanes, width: 1, count: 5)
        let wanted = [0.2, 0.2, 0.2, nil, 0.019]
        try #require(shares.count == wanted.count)
        for (share, wanted) in zip(shares, wanted) {
            #expect((share == nil) == (wanted == nil))
            #expect(abs((share ?? 0) - (wanted ?? 0)) < 1e-9, "\(shares)")
        }
        let whole = try #require(Course.busy(lanes, width: 5, count: 1)[0])
        #expect(abs(whole - 0.12) < 1e-9)
    }
}

/// Twenty households that found a closed port.
struct Silent: Recorded {
    var header = Shape(households: 20).header(Seed(1))
    var end: HistoryEnd? = HistoryEnd(
        ended: Instant(.seconds(2)), interrupted: false, failure: "", cpuPercent: 1,
        historyHash: "")
    var gaps: [String] = []

    func cells(_ body: (Cell) throws -> Void) throws {
        var cell = Cell(key: Cell.CellKey(second: 0, operation: .registerClient, kind: 0))
        (cell.sent, cell.errors) = (20, 20)
        cell.outcomes[Int(Outcome.transport.rawValue)] = 20
        for _ in 0..<20 { cell.lateness.record(.microseconds(100)) }
        try body(cell)
    }

    func households(_ body: (HouseholdRecord) throws -> Void) throws {
        for index in 0..<20 {
            var record = HouseholdRecord(
                household: index, kind: "living room", lane: 0, arrived: .start)
            (record.fate, record.cause) = (.failed, "no answer to register-client")
            record.ended = Instant(.milliseconds(5))
            try body(record)
        }
    }

    func errorGroups() throws -> [ErrorGroup] {
        [
            ErrorGroup(
                operation: .registerClient, outcome: .transport, status: 0,
                reason: "connection-refused", count: 20, first: .start,
                last: Instant(.seconds(1)), example: nil)
        ]
    }

    func health() throws -> [LaneHealth] { [] }
}
