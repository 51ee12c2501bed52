import Checker
import Dialects
import Foundation
import Reports
import Rigs
import TestSupport
import Testing
import Vocabulary

@testable import Journal

@Suite("Evidence that a history keeps for the judge")
struct JudgingAgainTests {
    private static let epoch: Int64 = 1_760_000_000_000

    private func exchange(
        _ sequence: Int, _ operation: OperationName, at seconds: Int, _ result: Observation.Result,
        status: Int, outcome: Outcome, expires: Int64? = nil, generated: Int64? = nil
    ) -> Exchange {
        let sent = Instant(.seconds(seconds))
        let ended = sent + .milliseconds(4)
        return Exchange(
            lane: 0, sequence: sequence, device: DeviceID(household: 1, role: .firstScreen),
            operation: operation, code: Code("AAAAAA1"), planned: sent, sent: sent,
            firstByte: ended, ended: ended, delivery: .answered(status: status), outcome: outcome,
            observation: Observation(
                result, code: Code("AAAAAA1"), generated: generated, expires: expires))
    }

    /// A code of 60 s that is gone after 10 s by our clock.
    private func findings(
        _ standstills: [Standstill], judging: [String] = Rules().texts
    ) throws -> Findings {
        let folder = TestFolder()
        var header = Shape(households: 1).header(.init(1))
        header.judging = judging
        let writer = try HistoryWriter(
            path: folder.path("history.sqlite"), header: header, waits: true)
        let made = Self.epoch + 1_002
        writer.append(
            Batch(
                lane: 0,
                exchanges: [
                    exchange(
                        1, .registrationCode, at: 1, .success, status: 201, outcome: .ok,
                        expires: made + 60_000, generated: made),
                    exchange(2, .pollToken, at: 2, .absent, status: 404, outcome: .pending),
                    exchange(3, .pollToken, at: 3, .absent, status: 404, outcome: .pending),
                    exchange(4, .pollToken, at: 4, .absent, status: 404, outcome: .pending),
                    exchange(
                        5, .registrationRecord, at: 11, .absent, status: 404, outcome: .rejected),
                ], through: Instant(.seconds(12))))
        _ = writer.finish(
            HistoryEnd(
                ended: Instant(.seconds(12)), interrupted: false, failure: "", cpuPercent: 0,
                historyHash: "", standstills: standstills))
        return try #require(try Findings(rejudging: History(path: folder.path)))
    }

    @Test("rules that cannot be read are an error with their name, never a verdict by others")
    func unreadable() throws {
        let texts = Rules().texts.map {
            $0.replacingOccurrences(of: "visibility_ns", with: "visibility_us")
        }
        let error = #expect(throws: ReportError.self) { try findings([], judging: texts) }
        #expect(
            error?.description.contains(
                "cannot be checked: the rules in its header have the unknown key 'visibility_us'; "
                    + "use the screenrig that recorded it (version ") == true)
    }

    @Test(
        "so is each word in them that this screenrig does not know: no default takes its place",
        arguments: [
            ("code-reuse=single", "code-reuse=sometimes", "'sometimes' for 'code-reuse'"),
            ("promises=strict", "promises=often", "'often' for 'promises'"),
            ("promises=strict", "promise:no-such=strict", "the unknown key 'promise:no-such'"),
        ])
    func unknownWord(known: String, unknown: String, told: String) throws {
        let rules = Rules().texts
        #expect(rules.contains(known))
        let texts = rules.map { $0 == known ? unknown : $0 }
        let error = #expect(throws: ReportError.self) { try findings([], judging: texts) }
        #expect(error?.description.contains(told) == true)
    }

    @Test("this machine slept: nothing has run out early, live or when judged again")
    func slept() throws {
        #expect(try findings([]).violations.map(\.invariant) == [.expiryRespected])
        let slept = Standstill(noticed: Instant(.seconds(5)), length: .seconds(60))
        let findings = try findings([slept])
        #expect(findings.violations.map(\.sentence) == [])
        #expect(findings.changes == ["this machine's clock stopped for 60 s at 5000 ms"])
    }

    @Test(
        "what a preflight found decides whether the throttle is judged",
        arguments: [
            (nil, .unknown), (.unknown, .unknown), (.nothing, .unknown),
            (.forwardedAddress, .household), (.device, .unknown), (.peerAddress, .peer),
        ] as [(ThrottleKey?, Rules.ThrottledBy)])
    func throttle(key: ThrottleKey?, expected: Rules.ThrottledBy) throws {
        let rig = try Rig.read(
            """
            rig: one
            target: {base: "http://127.0.0.1:8080"}
            load: {closed: {households: 1}, settle: 1s}
            """, file: "one.yaml"
        ).rig
        let rules = Rules(
            rig, isEmbedded: false, startedMicroseconds: 0, throttledBy: key)
        #expect(rules.throttledBy == expected)
        #expect(try Rules(texts: rules.texts).throttledBy == expected)
    }

    @Test(
        "whom a program names to the service is learned, as from a service of others",
        arguments: [
            ("", true), ("login: {command: ./login.py}", false),
            ("kinds: [{platform-sign-on: {command: ./platform.py}}]", false),
            ("kinds: [{platform-sign-on: {account: none}}]", true),
        ])
    func programs(more: String, knowsUsers: Bool) throws {
        let rig = try Rig.read(
            "rig: x\ntarget: {base: embedded}\nload: {closed: {households: 1}}\n" + more,
            file: "x.yaml", with: .recorded
        ).rig
        let rules = Rules(rig, isEmbedded: true, startedMicroseconds: 0)
        #expect(rules.knowsUsers == knowsUsers)
    }
}
