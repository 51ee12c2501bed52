import Races
import Vocabulary

extension Case {
    /// A phone is told yes, and a poll 15 ms later sees nothing.
    static var sample: Case {
        var schedule = Schedule.noisy
        schedule.actors = [
            .init(name: "tv", screen: .first), .init(name: "phone", screen: .second),
        ]
        schedule.ops = [
            .init("create", "tv", .registrationCode, connection: .fresh),
            .init("sign-in", "phone", .authenticate, tag: "account-1", connection: .fresh),
            .init("check", "phone", .checkCode, gate: .lastByte, connection: .fresh),
            .init(
                "poll", "tv", .pollToken, anchor: .init(.firstReplyByte, of: "check"),
                offset: .milliseconds(15), gate: .lastByte, connection: .fresh),
        ]
        schedule.codeLifetime = nil
        return Case(
            name: "poll-authenticate-sign-in-visible", made: "2026-11-21T07:00:00Z",
            version: "0.0.0", rig: RigText(name: "races", source: "name: races\n"), seed: 7,
            policies: ["code-reuse: single", "new-code: replace"],
            target: Target(
                name: "embedded (in process), faults: ack-before-apply:window=30ms",
                protocolName: "adobe-pass-v1", date: "Sat, 21 Nov 2026 07:00:00 GMT",
                server: "screenrig-standin"),
            throttle: "none", schedule: schedule, swept: "poll",
            expected: Expected(
                .signInVisible, ops: ["check", "poll"], gap: .microseconds(15_012),
                signature: "sign-in-visible: check-code success > poll-token absent",
                sentence:
                    "poll-token #9 was sent 15 ms after check-code #8 had said yes, and saw no token"
            ),
            evidence: Evidence(
                rate: HitRate(hits: 41, trials: 50),
                achieved: .init([
                    .microseconds(14_990), .microseconds(15_012), .microseconds(15_060),
                ]), window: .init(low: .zero, high: .milliseconds(30)), best: .milliseconds(15),
                curve: [-100, -20, -2, 0, 2, 5, 10, 20, 28, 32, 50, 100].map { offset in
                    RaceFinding.CurvePoint(
                        offset: .milliseconds(offset),
                        rate: HitRate(hits: (0...30).contains(offset) ? 5 : 0, trials: 5))
                }, firstSeen: .milliseconds(2_400), trialTime: .milliseconds(812)),
            isMinimal: true, removed: ["household 1", "op early"],
            almost: [
                Almost(
                    without: "create", rate: HitRate(),
                    note: "sign-in could not be set up: there is no code"),
                Almost(without: "sign-in", rate: HitRate(hits: 0, trials: 6)),
                Almost(without: "check", rate: HitRate(), note: "others hang on it"),
                Almost(without: "poll", rate: HitRate(hits: 0, trials: 6)),
            ],
            controls: Controls(
                outside: Arm(
                    offset: .milliseconds(60), rate: HitRate(hits: 0, trials: 20), fisher: 3.2e-11),
                clean: Arm(
                    offset: .milliseconds(15), rate: HitRate(hits: 0, trials: 20), fisher: 3.2e-11),
                latency: .microseconds(480)),
            alternatives: [
                Alternative(
                    "the clocks of the two screens differ",
                    ruledOutBy: "one process sent both requests and used one monotonic clock")
            ],
            trial: Trial(startedMicroseconds: 1_763_708_400_000_000, exchanges: entries))
    }

    private static var entries: [Entry] {
        func entry(
            _ op: String, _ actor: String, _ operation: OperationName, _ sequence: Int,
            _ sent: Int64, _ took: Int64, _ answer: String, _ belief: Int, _ status: Int,
            isConflict: Bool = false
        ) -> Entry {
            Entry(
                op: op, actor: actor, operation: operation, household: 0, sequence: sequence,
                begun: sent - 120_000, sent: sent, firstByte: sent + took,
                ended: sent + took + 40_000, status: status, answer: answer, belief: belief,
                isConflict: isConflict, serverDate: "Sat, 21 Nov 2026 07:00:00 GMT",
                requestID: "req-\(sequence)",
                request: Request(
                    method: "GET", url: "http://127.0.0.1:8080/\(operation.name)?deviceId=case-1"))
        }
        return [
            entry("create", "tv", .registrationCode, 3, 1_000_000, 900_000, "success", 1, 201),
            entry("sign-in", "phone", .assertion, 7, 52_000_000, 1_100_000, "maybe", 3, 302),
            entry(
                "check", "phone", .checkCode, 8, 55_000_000, 700_000, "success", 2, 200,
                isConflict: true),
            entry(
                "poll", "tv", .pollToken, 9, 70_712_000, 600_000, "absent", 0, 404,
                isConflict: true),
            entry("", "tv", .pollToken, 10, 320_000_000, 500_000, "success", 2, 200),
        ]
    }
}
