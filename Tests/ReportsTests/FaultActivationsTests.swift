import Dialects
import Journal
import Testing
import Vocabulary

@testable import Reports

@Suite("What a verdict says first, and last")
struct StrikesTests {
    private static func line(_ event: String, _ fault: String) -> String {
        #"{"event":"\#(event)","id":1,"fault":"\#(fault)","us":1,"wallMs":1}"#
    }

    @Test("a fault that was switched on and never activated is told")
    func never() {
        let lines = ["token-flap", "slow"].map { Self.line("enabled", $0) }
        var activations = FaultActivations(lines: lines.joined(separator: "\n"))
        #expect(
            activations.note(breaches: 0, in: ["adobe-pass-v1"])
                == "injected fault token-flap: never activated; injected fault slow: never "
                + "activated, so this run did not test it. This rig never triggers the "
                + "fault; rigs/detection.yaml does where it has a meaning in adobe-pass-v1 "
                + "('screenrig explain' tells): it keeps polling after the sign-in and the logout")
        let inGrant = activations.note(breaches: 0, in: ["oauth-device-grant"]) ?? ""
        #expect(inGrant.contains("rigs/detection-grant.yaml does where"))
        activations.add("slow", "activated")
        #expect(
            activations.sentence
                == "injected fault token-flap: never activated; injected fault slow: activated 1 time, "
                + "certainly visible in no response")
    }

    @Test(
        "faults that were activated and that no answer showed are told, with what would show them")
    func unseen() {
        let lines = (0..<104).map { _ in Self.line("activated", "token-flap") }
        let activations = FaultActivations(lines: lines.joined(separator: "\n") + "\nnonsense\n")
        #expect(activations.counts == [.init(fault: "token-flap", activated: 104, visible: 0)])
        #expect(
            activations.note(breaches: 0, in: ["adobe-pass-v1"])
                == "injected fault token-flap: activated 104 times, certainly visible in no response. "
                + "No violation was found: a TV that stops polling at its first token rarely "
                + "sees the effect; rigs/detection.yaml keeps polling")
    }

    @Test(
        "faults that were found are told briefly, in the order of their first events; none, not at all"
    )
    func seen() {
        let events = [("activated", "b"), ("observable", "b"), ("activated", "a")]
        let activations = FaultActivations(lines: events.map(Self.line).joined(separator: "\n"))
        #expect(
            activations.note(breaches: 3, in: ["adobe-pass-v1"])
                == "injected fault b: activated 1 time, certainly visible in 1 response; injected fault "
                + "a: activated 1 time, certainly visible in no response. One response can violate "
                + "several promises, or none by itself")
        #expect(FaultActivations(lines: "").note(breaches: 0, in: []) == nil)
    }

    private static func row(
        _ second: Int, answered: Int, lost: Int, sent: Int = 0,
        _ operation: OperationName = .pollToken, late: Int = 0
    ) -> TimelineRow {
        TimelineRow(
            second: second, operation: operation, sent: sent, completed: answered, errors: lost,
            timeouts: late)
    }

    @Test("an operation that is slower than the time-out while others are answered is no outage")
    func slowOperation() throws {
        let others = [Self.row(0, answered: 5, lost: 0), Self.row(6, answered: 9, lost: 0)]
        func tried(from second: Int, answered: Int = 0) -> [TimelineRow] {
            [Self.row(1, answered: answered, lost: 0, .mediaToken)]
                + (second..<second + 4).map {
                    Self.row($0, answered: 0, lost: 9, sent: 9, .mediaToken, late: 9)
                }
        }
        func sorted(_ rows: [TimelineRow]) -> [TimelineRow] {
            rows.sorted { $0.second < $1.second }
        }
        // Never answered in time, or not since before the others were answered for the last time.
        #expect(Silence(sorted(others + tried(from: 7))) == nil)
        #expect(Silence(sorted(others + tried(from: 4))) == nil)
        #expect(Silence(sorted(others + tried(from: 4, answered: 3))) == nil)
        // All at once: it is named, for nothing else was asked.
        let stopped = try #require(Silence(sorted(others + tried(from: 7, answered: 3))))
        #expect(
            stopped.sentence
                == "media-token stopped responding at second 6: none of 36 requests after that got a response "
                + "within target.timeout")
        #expect(stopped.isOutage)
        // Of one that was never asked before nobody knows what it takes.
        #expect(Silence(others + [Self.row(7, answered: 0, lost: 4, sent: 4, .mediaToken)]) == nil)
        let hung = try #require(
            Silence(
                others + [Self.row(9, answered: 0, lost: 4, sent: 4, late: 4)]
                    + [Self.row(9, answered: 0, lost: 2, sent: 2, .logout, late: 1)]))
        #expect(hung.sentence.hasPrefix("the service stopped responding at second 6: none of 6 "))
    }

    /// Both hang from second 3 on, with a time-out of 2 s; logins are answered to second 6.
    @Test("operations that were asked before others were answered are no outage, however many")
    func slowOperations() throws {
        var rows: [TimelineRow] = []
        for second in 0..<12 {
            for operation in [OperationName.pollToken, .checkAuthentication] {
                let answered = second < 3 ? 5 : 0
                let late = second < 5 ? 0 : 5
                rows.append(
                    Self.row(
                        second, answered: answered, lost: late, sent: 5, operation, late: late))
            }
            rows.append(Self.row(second, answered: second <= 6 ? 3 : 0, lost: 0, .authenticate))
        }
        #expect(Silence(rows, timeout: .seconds(2)) == nil)
        // What was under way when the service stopped at second 3 was asked shortly before.
        let gone = try #require(
            Silence(
                rows.filter { $0.operation != .authenticate || $0.second < 3 },
                timeout: .seconds(2)))
        #expect(
            gone.isOutage && gone.second == 2
                && gone.sentence.hasPrefix("check-authentication and poll-token stopped responding")
        )
    }

    @Test("a service that is gone is told with the second of its last answer")
    func silence() throws {
        let rows = [
            Self.row(0, answered: 5, lost: 0), Self.row(7, answered: 1, lost: 4),
            Self.row(8, answered: 0, lost: 9), Self.row(8, answered: 3, lost: 0, .connect),
            Self.row(11, answered: 0, lost: 2, .logout),
        ]
        let silence = try #require(Silence(rows))
        #expect(
            silence.sentence
                == "the service stopped responding at second 7: none of 11 requests after that got a response"
        )
        // Their answers were awaited when the last one came: that may be a stall, and is no outage yet.
        #expect(!silence.isOutage)
        #expect(Silence(rows + [Self.row(12, answered: 0, lost: 3, sent: 3)])?.isOutage == true)
        // Answered again, never answered, or merely unlucky at the end.
        #expect(Silence(rows + [Self.row(12, answered: 1, lost: 0)]) == nil)
        #expect(Silence([Self.row(3, answered: 0, lost: 40)]) == nil)
        #expect(
            Silence([Self.row(3, answered: 9, lost: 0), Self.row(4, answered: 0, lost: 2)]) == nil)
    }

    @Test("errors that look alike but for their operation are one line")
    func grouped() throws {
        let summary = try Summary(Silent(), thresholds: [])
        var first = try #require(summary.errors.first)
        first.hint = "nothing listens"
        var second = first
        second.operation = "logout"
        var other = first
        other.reason = "timeout"
        let groups = ErrorRow.grouped([first, other, second])
        #expect(groups.map(\.count) == [2, 1])
        let sentence = ErrorRow.sentence(groups[0])
        #expect(sentence.hasPrefix("got no response (") && sentence.contains(", logout "))
        #expect(ErrorRow.sentence(groups[1]) == other.sentence)
    }

    @Test(
        "a few garbled answers among good ones do not make the service no HTTP server",
        arguments: [0, 40])
    func garbled(answered: Int) {
        let error = TransportError(
            .notHTTP,
            "the answer of h:80 is not HTTP; " + TransportError.remedyForNoHTTP(at: "h:80"))
        let example = Exchange(
            lane: 0, sequence: 1, device: DeviceID(household: 0, role: .firstScreen),
            operation: .pollToken, planned: .start, sent: .start, ended: .start,
            delivery: .unknown(error), outcome: .malformed)
        let group = ErrorGroup(
            operation: .pollToken, outcome: .malformed, status: 0, reason: "not-http", count: 2,
            first: .start, last: .start, example: example)
        let hint = Remedy.hint(group, answered: answered)
        #expect(hint.contains("no HTTP server") == (answered == 0))
        #expect(
            hint.hasSuffix(
                "is not HTTP; 40 other responses to poll-token were in order: the service, or a proxy on the way, "
                    + "garbles some") == (answered == 40), "\(hint)")
    }

    @Test(
        "who has answered is neither missing nor another server",
        arguments: [
            (
                TransportError.Kind.connectionRefused,
                "nothing listens on h:80; start the service or correct target.base (x)",
                "nothing listens on h:80; 41 other responses were in order: the service, or a node of it, was down then"
            ),
            (
                .connectionLost,
                "h:80 closed the connection without an answer; if it speaks TLS, use https:// (x)",
                "h:80 closed the connection without an answer; 41 other responses were in order"
            ),
        ])
    func down(kind: TransportError.Kind, detail: String, words: String) {
        let example = Exchange(
            lane: 0, sequence: 1, device: DeviceID(household: 0, role: .firstScreen),
            operation: .pollToken, planned: .start, sent: .start, ended: .start,
            delivery: .refused(TransportError(kind, detail)), outcome: .transport)
        let group = ErrorGroup(
            operation: .pollToken, outcome: .transport, status: 0, reason: kind.rawValue, count: 2,
            first: .start, last: .start, example: example)
        #expect(Remedy.hint(group, answered: 1, ofOthers: 40) == words)
        #expect(Remedy.hint(group) == detail)
    }

    @Test(
        "an HTML page of status 5xx is the service's failure or that of what is in front of it; of another, a block",
        arguments: [(500, "the service itself failed"), (502, "load balancer"), (403, "firewall")])
    func blockedBy(status: Int, words: String) {
        let group = ErrorGroup(
            operation: .pollToken, outcome: .blocked, status: status, reason: "HTML", count: 1,
            first: .start, last: .start, example: nil)
        #expect(Remedy.hint(group).contains(words))
    }

    @Test("what only a gateway says may be the gateway's", arguments: [500, 502, 503, 504])
    func gateway(status: Int) {
        let group = ErrorGroup(
            operation: .pollToken, outcome: .serverError, status: status, reason: "", count: 1,
            first: .start, last: .start, example: nil)
        #expect(Remedy.hint(group).contains("load balancer") == (status != 500))
    }
}
