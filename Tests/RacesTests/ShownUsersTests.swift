import Dialects
import Journal
import Testing
import Vocabulary

@testable import Races

@Suite("Whose sign-ins the TVs of a race showed, over all trials")
struct ShownUsersTests {
    /// Each trial: who signs in, and whom the TV is shown.
    private func outcome(_ trials: [(login: String, shown: String)]) throws -> RaceOutcome {
        var outcome = RaceOutcome()
        outcome.trials = trials.count
        for result in try Self.results(trials) { outcome.users.add(result) }
        return outcome
    }

    private static func results(
        _ trials: [(login: String, shown: String)]
    ) throws -> [TrialResult] {
        let schedule = try #require(RacePlan.catalogue.first?.variants.first).at(.zero)
        return trials.enumerated().map { number, trial in
            func exchange(_ operation: OperationName, _ role: DeviceID.Role, _ user: String)
                -> Exchange
            {
                var observation = Observation(operation == .assertion ? .none : .success)
                observation.tag = Tag(mvpd: "DemoCable", user: user)
                return Exchange(
                    lane: 0, sequence: 1, device: DeviceID(household: number, role: role),
                    operation: operation, planned: .start, sent: .start, ended: .start,
                    delivery: .answered(status: 200), outcome: .ok, observation: observation)
            }
            return TrialResult(
                schedule: schedule, households: [number],
                exchanges: [
                    exchange(.assertion, .secondScreen, trial.login),
                    exchange(.pollToken, .firstScreen, trial.shown),
                ])
        }
    }

    private struct Played: Arena {
        var results: [TrialResult]
        func play(_ schedules: [Schedule]) async -> [TrialResult] { results }
    }

    @Test("a replay without a hit is no answer where one user was shown to two accounts")
    func replayed() async throws {
        var found = Case.sample
        found.expected.invariant = .tokenIsolation
        for (shown, isUndecided) in [("u2", true), ("u3", false)] {
            let trials = [("anna", "u1"), ("otto", "u2"), ("maria", shown)]
                .map { (login: $0.0, shown: $0.1) }
            let outcome = await Replay(found, on: Played(results: try Self.results(trials)))
                .play(times: 3)
            #expect((outcome.whyUndecided(found) != nil) == isUndecided)
        }
    }

    @Test("a user who is shown to TVs of two accounts leaves open whose token they got: no pass")
    func mixed() throws {
        let right = (0..<6).map { (login: "viewer-\($0)", shown: "u\($0)") }
        #expect(try outcome(right).whyNothingCameAbout == nil)
        let reason = try #require(
            try outcome(right + [("viewer-7", "u2")]).whyNothingCameAbout)
        #expect(
            reason.hasPrefix(
                "of 6 users that the service named 1 was shown to TVs of two accounts, in different trials"
            ))
        // The same account again is no other one.
        #expect(try outcome(right + [("viewer-2", "u2")]).whyNothingCameAbout == nil)
        // Every second TV got the token of the one before it: half as many users as accounts.
        let pairs = (0..<8).map { (login: "viewer-\($0)", shown: "u\($0 / 2)") }
        #expect(try outcome(pairs).whyNothingCameAbout?.hasPrefix("of 4 users") == true)
        // A service that has one name for all tells nothing by it.
        let constant = (0..<6).map { (login: "viewer-\($0)", shown: "everybody") }
        #expect(try outcome(constant).whyNothingCameAbout == nil)
    }

    @Test("that a trial could not tell whose token it saw is said, unless the users are the logins")
    func nameless() throws {
        let lines = RaceText.report(
            try outcome([("anna", "u1"), ("otto", "u2")]), cases: [], width: 500)
        #expect(lines.contains("whose token each TV got was tested within a trial only"))
        let named = RaceText.report(
            try outcome([("anna", "anna"), ("otto", "otto")]), cases: [], width: 500)
        #expect(!named.contains("whose token"))
    }
}
