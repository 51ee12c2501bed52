import Dialects
import Journal
import Testing
import Vocabulary

@testable import Races

@Suite("Why a trial did not come about")
struct ObstacleTests {
    private static let late = TransportError(.timeout, "no complete answer within 2000 ms")

    private func trial(
        _ sent: [(OperationName, Delivery, Outcome)], _ discard: TrialResult.Discard = .stopped
    ) throws -> TrialResult {
        let schedule = try #require(RacePlan.catalogue.first?.variants.first).at(.zero)
        return TrialResult(
            schedule: schedule, households: [7], discarded: discard,
            exchanges: sent.enumerated().map { number, sent in
                Exchange(
                    lane: 0, sequence: number,
                    device: DeviceID(household: 7, role: .firstScreen), operation: sent.0,
                    planned: .start, sent: .start, ended: .start, delivery: sent.1,
                    outcome: sent.2, observation: Observation(.none))
            })
    }

    private static let fine: (OperationName, Delivery, Outcome) = (
        .registrationCode, .answered(status: 200), .ok
    )
    private static let lost: (OperationName, Delivery, Outcome) = (
        .pollToken, .unknown(late), .timeout
    )
    private static let throttled: (OperationName, Delivery, Outcome) = (
        .registerClient, .answered(status: 429), .throttled
    )

    @Test("is the operation that was never answered, where the search was stopped meanwhile")
    func stopped() throws {
        let stop = TransportError(.stopped, "the run was stopped")
        let trial = try trial([
            Self.fine, Self.lost, Self.fine, (.checkCode, .refused(stop), .notSent),
        ])
        #expect(
            trial.reasonOfDiscard == "poll-token was not answered: no complete answer within "
                + "2000 ms")
        #expect(try self.trial([Self.throttled]).reasonOfDiscard == "register-client answered 429")
        #expect(try self.trial([Self.fine]).reasonOfDiscard == "the search was stopped")
        let early = try self.trial([Self.lost], .throttled(op: "poll"))
        #expect(early.reasonOfDiscard == "poll was throttled")
    }

    @Test("is not the stop, where anything else kept a search from its trials")
    func outcome() {
        var outcome = RaceOutcome()
        outcome.trials = 6
        outcome.discarded = [("the search was stopped", 4), ("poll-token had no answer", 2)]
        #expect(
            outcome.whyNothingCameAbout
                == "no trial could be completed: poll-token had no answer")
        outcome.discarded = [("the search was stopped", 6)]
        #expect(
            outcome.whyNothingCameAbout == "no trial could be completed: the search was stopped")
    }

    @Test("a set-up that is throttled to its end ends a replay, a single 429 does not")
    func throttledThroughout() throws {
        let ended = try trial(
            Array(repeating: Self.throttled, count: 60), .throttled(op: "create"))
        #expect(ended.isThrottledThroughout)
        #expect(
            try !trial([Self.fine, Self.throttled], .throttled(op: "poll")).isThrottledThroughout)
        let through =
            Array(repeating: Self.throttled, count: 20) + [
                (OperationName.registerClient, Delivery.answered(status: 200), Outcome.ok)
            ]
        #expect(try !trial(through, .throttled(op: "poll")).isThrottledThroughout)
    }
}
