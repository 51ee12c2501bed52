import Dialects
import Journal
import Testing
import Vocabulary

@testable import Races

@Suite("Trials whose reads were not answered")
struct UnreadTests {
    private func trial(_ outcomes: [(OperationName, Outcome)]) throws -> TrialResult {
        let schedule = try #require(RacePlan.catalogue.first?.variants.first).at(.zero)
        return TrialResult(
            schedule: schedule, households: [7],
            exchanges: outcomes.enumerated().map { number, read in
                Exchange(
                    lane: 0, sequence: number,
                    device: DeviceID(household: 7, role: .firstScreen), operation: read.0,
                    planned: .start, sent: .start, ended: .start,
                    delivery: .answered(status: 200), outcome: read.1,
                    observation: Observation(.none))
            })
    }

    @Test(
        "tell nothing: a service that is gone keeps every promise",
        arguments: [Outcome.transport, .timeout, .serverError, .malformed, .blocked])
    func lost(outcome: Outcome) throws {
        let unread = try trial([(.registrationCode, .ok), (.pollToken, outcome)]).unread
        #expect(unread == .unread(.pollToken, outcome.name))
        #expect(try trial([(.pollToken, .ok), (.checkCode, outcome)]).unread != nil)
    }

    @Test(
        "show nothing of authorizations where none is ever granted",
        arguments: [
            ([Observation.Result.success, .denied, .denied], "no authorization was granted"),
            ([.absent, .denied, .denied], "no sign-in or refusal took effect"),
            ([.success, .success, .denied], nil),
            ([.success, .denied, .success], "no authorization was granted"),
        ])
    func ungranted(results: [Observation.Result], words: String?) throws {
        let plan = try #require(RacePlan.catalogue.first { $0.name == "authorize-media" })
        var trial = try trial([(.pollToken, .ok), (.authorize, .ok), (.mediaToken, .ok)])
        trial.schedule = try #require(plan.variants.first).at(.zero)
        for (position, result) in results.enumerated() {
            trial.exchanges[position].observation.result = result
        }
        #expect(trial.withoutEffect == words)
    }

    @Test(
        "tell nothing where the last poll of a device grant came too early, and the decision was not seen before"
    )
    func tooEarly() throws {
        func polls(_ results: [Observation.Result]) throws -> TrialResult.Discard? {
            var trial = try trial(
                results.map { (.deviceToken, $0 == .success ? .ok : .pending) })
            for position in results.indices {
                trial.exchanges[position].observation.result = results[position]
            }
            return trial.unread
        }
        #expect(try polls([.absent, .none]) != nil)
        #expect(try polls([.none, .absent]) == nil)
        #expect(try polls([.success, .none]) == nil)
        #expect(try polls([.denied, .none]) == nil)
    }

    @Test(
        "a last poll of a device grant that came too early is repeated when the server lets it be")
    func repeated() async throws {
        let stage = try await TestStage(
            plans: ["refuse-poll"], faults: ["refusal-lost"],
            target: "base: embedded, protocol: oauth-device-grant, device-grant: "
                + "{user-from: userinfo, refused-when: [Device turned down]}",
            more: "standin: {interval: 10s}")
        let schedule = stage.plans[0].variants[0].at(.zero)
        for result in await stage.arena.play(Array(repeating: schedule, count: 4)) {
            #expect(result.discarded == nil, "\(result.reasonOfDiscard)")
            let polls = result.exchanges.filter { $0.operation == .deviceToken }
            #expect(polls.count { $0.reason == "slow_down" } == 3)
            #expect(polls.last?.observation.result == .absent)
            #expect(result.breaks(.refusalDelivered))
        }
    }

    @Test("one answer with a state is enough", arguments: [Outcome.ok, .pending, .rejected])
    func told(outcome: Outcome) throws {
        #expect(try trial([(.pollToken, .timeout), (.pollToken, outcome)]).unread == nil)
        #expect(try trial([(.registrationCode, .timeout)]).unread == nil)
    }
}
