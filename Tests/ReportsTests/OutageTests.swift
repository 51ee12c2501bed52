import Dialects
import Journal
import Testing

@testable import Reports
@testable import Trends

@Suite("A service that dies, and a rig that is late about it")
struct OutageTests {
    /// A service that answers to the end of second 3 and is dead from then on; the rig is late by `late`
    /// with whatever is due in `lateFrom` or after it.
    private func sample(late: Duration, from lateFrom: Int) -> Sample {
        var sample = Sample(Shape(households: 12, perSecond: 4, trouble: nil))
        for index in sample.exchanges.indices {
            var exchange = sample.exchanges[index]
            if exchange.sent.second >= lateFrom {
                exchange.begun = exchange.planned + late
                exchange.sent = exchange.begun
                exchange.ended = max(exchange.ended, exchange.sent)
            }
            if exchange.ended.second > 3 {
                exchange.delivery = .unknown(
                    TransportError(.connectionRefused, "nobody listens"))
                exchange.outcome = .transport
            }
            sample.exchanges[index] = exchange
        }
        return sample
    }

    private func summary(late: Duration, from lateFrom: Int, met: Bool = false) throws -> Summary {
        try Summary(
            sample(late: late, from: lateFrom),
            thresholds: met ? [] : [Thresholds.errors(below: 0.01)])
    }

    @Test(
        "one that came back is told with its times, and what was refused is no load",
        arguments: [false, true])
    func interrupted(answers: Bool) throws {
        var sample = Sample(Shape(households: 24, perSecond: 4, trouble: nil))
        var failed = 0
        for index in sample.exchanges.indices {
            var exchange = sample.exchanges[index]
            guard (3...4).contains(exchange.ended.second) else { continue }
            failed += 1
            exchange.delivery =
                answers
                ? .answered(status: 503)
                : .unknown(TransportError(.connectionRefused, "nobody listens"))
            exchange.outcome = answers ? .serverError : .transport
            sample.exchanges[index] = exchange
        }
        try #require(failed >= 10)
        let sentence =
            "outage from 07:00:03 to 07:00:05 UTC (seconds 3 to 4): \(failed) requests "
            + "\(answers ? "failed" : "got no response"); then the service recovered"
        let summary = try Summary(sample, thresholds: [Thresholds.errors(below: 0.01)])
        #expect(summary.explanations.first == sentence, "\(summary.explanations)")
        let requests = try #require(summary.serviceLoad?.measures.first)
        #expect((requests.steps[3] == 0) == !answers, "\(requests.steps)")
        let row = try #require(summary.errors.first)
        #expect(summary.errors.allSatisfy { $0.count <= row.count })
        let most = "; the most frequent: \(row.sentence)"
        let errors = summary.explanations.filter { $0.hasPrefix("First error: ") }
        #expect(errors.count == 1 && errors[0].hasSuffix(most), "\(errors)")
        let place = ErrorRow.whereabouts(of: [row])
        #expect(place.hasPrefix("07:00:0"), "\(place)")
        #expect(place.contains(" UTC; one is request "), "\(place)")
        let group = try #require(ErrorRow.grouped(summary.errors).first)
        let whole = ErrorRow.whereabouts(of: group)
        #expect(whole.hasPrefix("07:00:03 to 07:00:04 UTC"), "\(whole)")
        #expect(TerminalReport.text(summary, width: 200, color: false).contains(whole))
    }

    @Test(
        "a stall is told, also where what waited timed out; a slow start and a suspended rig are none",
        arguments: [false, true])
    func stalled(timesOut: Bool) throws {
        var sample = Sample(Shape(households: 24, perSecond: 4, trouble: nil))
        var waited = 0
        for index in sample.exchanges.indices {
            var exchange = sample.exchanges[index]
            guard (3...4).contains(exchange.ended.second) else { continue }
            waited += 1
            exchange.ended = .start + .milliseconds(5_001)
            if timesOut {
                exchange.delivery = .unknown(TransportError(.timeout, "late"))
                exchange.outcome = .timeout
            }
            sample.exchanges[index] = exchange
        }
        try #require(waited >= 10)
        let waiting = sample.exchanges.count {
            $0.sent.second <= 4 && $0.ended.second > 4 && !$0.operation.isOfConnection
        }
        let end = timesOut ? ", \(waited) requests timed out (target.timeout)" : ""
        #expect(
            try Summary(sample, thresholds: []).interruptions == [
                "no response from 07:00:03 to 07:00:05 UTC (seconds 3 to 4) while \(waiting) requests waited\(end); "
                    + (timesOut ? "then the service recovered" : "then responses came again")
            ])
        // From the first second on; and of a rig that sent nothing meanwhile.
        var early = sample
        for index in early.exchanges.indices where early.exchanges[index].ended.second < 3 {
            early.exchanges[index].ended = .start + .milliseconds(5_001)
        }
        var suspended = sample
        for index in suspended.exchanges.indices
        where (3...4).contains(suspended.exchanges[index].sent.second) {
            suspended.exchanges[index].sent = .start + .milliseconds(2_999)
        }
        // And where it is the provider's pages and one operation of the service that take long.
        var elsewhere = sample
        for index in elsewhere.exchanges.indices
        where elsewhere.exchanges[index].sent.second <= 4
            && elsewhere.exchanges[index].ended.second > 4
            && !elsewhere.exchanges[index].operation.isOfConnection
        {
            elsewhere.exchanges[index].operation = index % 2 == 0 ? .mvpdLogin : .pollToken
        }
        for sample in [early, suspended, elsewhere] where !timesOut {
            #expect(try Summary(sample, thresholds: []).interruptions == [])
        }
    }

    @Test("a second in which requests of several operations timed out is one of the stall")
    func timedOut() throws {
        var sample = Sample(Shape(households: 24, perSecond: 4, trouble: nil))
        // In its second half second only one operation is asked for.
        sample.exchanges.removeAll { $0.sent.second == 4 && $0.operation != .pollToken }
        var waited = 0
        for index in sample.exchanges.indices {
            var exchange = sample.exchanges[index]
            guard (3...4).contains(exchange.ended.second) else { continue }
            let isLate = exchange.sent.second == 4
            waited += isLate ? 0 : 1
            exchange.ended = .start + .milliseconds(isLate ? 5_001 : 4_500)
            if !isLate {
                exchange.delivery = .unknown(TransportError(.timeout, "late"))
                exchange.outcome = .timeout
            }
            sample.exchanges[index] = exchange
        }
        try #require(waited >= 10)
        let sentences = try Summary(sample, thresholds: []).interruptions
        try #require(sentences.count == 1, "\(sentences)")
        #expect(
            sentences[0].hasPrefix(
                "no response from 07:00:03 to 07:00:05 UTC (seconds 3 to 4) while "))
        #expect(sentences[0].contains("\(waited) requests timed out"), "\(sentences)")
    }

    @Test("a service that fails most of the time had no outage")
    func alwaysFailing() throws {
        var sample = Sample(Shape(households: 24, perSecond: 4, trouble: nil))
        for index in sample.exchanges.indices where sample.exchanges[index].ended.second > 0 {
            sample.exchanges[index].delivery = .answered(status: 503)
            sample.exchanges[index].outcome = index % 20 == 0 ? .ok : .serverError
        }
        let summary = try Summary(sample, thresholds: [])
        #expect(summary.interruptions == [])
    }

    @Test("it is the headline, with 1, however late the rig was afterwards")
    func lateAfterwards() throws {
        let summary = try summary(late: .milliseconds(80), from: 4)
        #expect(summary.exitStatus == .failed && summary.outcome == .fail)
        #expect(
            summary.headline.hasPrefix(
                "Failed: the service stopped responding at second 3: none of "),
            "\(summary.headline)")
        #expect(summary.rigHealth.valid && summary.rigHealth.isLateInSilence)
        #expect(!summary.explanations.contains { $0.hasPrefix("the rig: ") })
        #expect(summary.notes.contains { $0.contains("only after the outage") })
    }

    @Test("it is so where the rig was late before, which is told, and where no threshold is missed")
    func lateBefore() throws {
        let late = try summary(late: .milliseconds(80), from: 0)
        #expect(late.exitStatus == .failed && !late.rigHealth.valid)
        #expect(late.headline.hasPrefix("Failed: the service stopped responding"))
        #expect(late.explanations.contains { $0.hasPrefix("the rig: ") })
        #expect(late.judgedScope == " up to the outage")
        let met = try summary(late: .zero, from: 0, met: true)
        #expect(met.exitStatus == .failed)
        #expect(JUnit.text(met).contains("failures=\"1\""))
    }

    @Test("a comparison does not take such a run for one like others")
    func comparison() throws {
        let dead = try ComparedRun(sample(late: .zero, from: 9))
        #expect(dead.comparability.doubts == ["had a service outage"])
    }

    @Test("the night counts as a failed one, not as a gap")
    func night() throws {
        let night = try Night(
            sample(late: .milliseconds(80), from: 4), series: [], started: "2026-11-21T02:00:00Z",
            path: "x", isOurs: true)
        #expect(!night.isGap && night.outcome == "fail")
        let view = NightsView([night], rig: night.rig)
        let words = "this night's run: Failed: the service stopped responding at second 3"
        #expect(NightsText.text([view], width: 200, color: false).contains(words))
        #expect(
            NightJSON.text(view, exitCode: 1, report: nil, page: "p", digest: .null).contains(
                words))
        #expect(NightsPage.text([view]) { _ in nil }.contains("<div class=\"verdict fail\""))
    }

    @Test(
        "a night on which the service answered nothing is an alarm; one without a network of its own is none"
    )
    func unanswered() throws {
        func night(_ kinds: TransportError.Kind..., day: Int = 21) throws -> Night {
            var sample = Sample(Shape(households: 12, perSecond: 4, trouble: nil))
            for index in sample.exchanges.indices {
                let error = TransportError(kinds[index % kinds.count], "words")
                sample.exchanges[index].delivery = .unknown(error)
                sample.exchanges[index].outcome = error.outcome
            }
            return try Night(
                sample, series: [], started: "2026-11-\(day)T02:00:00Z", path: "x", isOurs: true)
        }
        func digest(_ nights: [Night]) -> Digest { Digest(NightsView(nights, rig: nights[0].rig)) }
        for kind in [.connectionRefused, .connectionLost, .timeout] as [TransportError.Kind] {
            let dead = digest([try night(kind)])
            #expect(dead.colour == .red && dead.view.verdict == .worse, "\(kind)")
            #expect(dead.subject == "evening rush: the service did not answer")
            #expect(
                dead.view.headline.wholeMatch(
                    of:
                        /The service did not answer on the night of 2026-11-21: none of \d+ requests got a response \([a-z-]+\)\./
                ) != nil, "\(dead.view.headline)")
            #expect(dead.findings.map(\.kind) == [.failed, .noValues])
            #expect(dead.headline.hasPrefix("Look at this today"))
            let json = NightJSON.text(dead.view, exitCode: 3, report: nil, page: "p", digest: .null)
            #expect(json.contains(#""alarm":true"#) && json.contains(#""verdict":"worse""#))
            #expect(json.contains(#""gap":"the service did not answer: none of "#))
        }
        let nodes = [try night(.connectionRefused, .connectionLost, day: 20), try night(.timeout)]
        let second = digest(nodes)
        #expect(second.findings[0].since?.night == nodes[0].started)
        #expect(second.subject.hasSuffix("the service did not answer since 2026-11-20"))
        // Nobody can say that it was the service: names, routes, and this machine.
        for kind in [.nameNotResolved, .connectFailed, .proxy, .localLimit] as [TransportError.Kind]
        {
            let gap = digest([try night(kind, .connectionRefused)])
            #expect(gap.colour == .amber && gap.view.verdict == .gap, "\(kind)")
        }
    }

    @Test(
        "who had signed in and was under way at the end of a record is counted under both, and it is said"
    )
    func running() throws {
        var sample = Sample(Shape(households: 6, trouble: nil, isCutShort: true))
        let signedIn = sample.records.indices.filter { sample.records[$0].fate == .signedIn }
        for index in signedIn.prefix(3) { sample.records[index].fate = .running }
        sample.records[signedIn[0]].tokenSeen = nil
        sample.records[signedIn[0]].stage = .codeShown
        let summary = try Summary(sample, thresholds: [])
        #expect(summary.households.running == 3 && summary.households.runningSignedIn == 2)
        #expect(
            ReportPage.text(summary).contains("3 still in progress, of which 2 had signed in"))
    }

    @Test("an error without a request id is not found by it")
    func withoutID() throws {
        var sample = Sample(Shape(households: 8, trouble: nil))
        for index in sample.exchanges.indices where sample.exchanges[index].operation == .pollToken
        {
            sample.exchanges[index].delivery = .answered(status: 503)
            sample.exchanges[index].outcome = .blocked
            sample.exchanges[index].evidence = ["Server": "nginx/1.22.1"]
        }
        let hint = try #require(try Summary(sample, thresholds: []).errors.first?.hint)
        #expect(hint.contains("or limits requests; the example has no request id"), "\(hint)")
        #expect(hint.contains("at this address (nginx/1.22.1), by its time"), "\(hint)")
        for index in sample.exchanges.indices {
            sample.exchanges[index].evidence = ["X-Request-Id": "abc"]
        }
        let found = try #require(try Summary(sample, thresholds: []).errors.first?.hint)
        #expect(found.hasSuffix("its team can find the example in its logs by the request ids"))
    }

    @Test("whoever was under way at Ctrl-C is counted; an untrusted run says what to do")
    func wording() throws {
        var sample = Sample(Shape(households: 6, trouble: nil, isInterrupted: true))
        for index in [2, 4] {
            sample.records[index].fate = .abandoned
            sample.records[index].cause = HouseholdRecord.stopped
            sample.records[index].stage = .codeShown
            sample.records[index].tokenSeen = nil
        }
        let summary = try Summary(sample, thresholds: [])
        #expect(
            summary.headline.hasSuffix(": 4 of 6 households signed in, 2 cut off."),
            "\(summary.headline)")
        let late = try Summary(
            Sample(Shape(households: 6, trouble: nil, busy: 1.2)), thresholds: [])
        #expect(late.explanations.contains("what to do: \(Summary.bottleneckRemedy)"))
        #expect(Explanation.of("4")[0].harmless.contains(Summary.bottleneckRemedy))
    }
}
