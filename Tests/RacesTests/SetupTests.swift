import Journal
import Statistics
import Testing
import Vocabulary

@testable import Races
@testable import Rigs

/// Each trial: setup of exchange 1, then what is raced, exchange 2 of its own household.
private struct StagedArena: Arena {
    var isolatesTrials: Bool { true }
    /// What breaks at an offset of a plan.
    let breaches: @Sendable (Schedule, Duration) -> [Breach]

    func play(_ schedules: [Schedule]) async -> [TrialResult] {
        schedules.map { schedule in
            let raced = schedule.ops.filter { $0.gate != .none }
            let offset = raced.last?.offset ?? .zero
            var result = TrialResult(schedule: schedule, households: [0, 1])
            result.releases = raced.map { op in
                .init(
                    op: op.id, sent: .start + .seconds(5) + op.offset, sequence: 2,
                    offset: op.anchor == nil ? nil : op.offset)
            }
            result.exchanges = [0, 1].flatMap { household in
                [1, 2].map { number in
                    Exchange(
                        lane: 0, sequence: number,
                        device: DeviceID(household: household, role: .firstScreen),
                        operation: .createSession, planned: .start, sent: .start,
                        ended: .start + .seconds(number == 1 ? 1 : 6),
                        delivery: .answered(status: 200), outcome: .ok)
                }
            }
            result.breaches = breaches(schedule, offset)
            return result
        }
    }
}

@Suite("Races: what breaks in setup, and what is looked into first") struct SetupTests {
    private func search(_ plans: [String], trials: Int = 4000) -> RaceSearch {
        var terms = RaceTerms(plans: plans.map { .named($0) })
        terms.trials = trials
        var search = RaceSearch(
            plans: RacePlan.plans(terms), terms: terms, seed: Seed(1), gateError: .zero,
            clock: { .zero })
        search.exploresOrders = false
        return search
    }

    private static func broken(
        _ invariant: Invariant, by number: Int, in household: Int = 0
    ) -> Breach {
        Breach(invariant, sentence: "broke", household: household, exchanges: [number])
    }

    @Test("what breaks in setup is told once, without a window")
    func setup() async throws {
        let outcome = await search(["poll-authenticate"]).run(
            in: StagedArena { _, offset in
                offset.magnitude > .milliseconds(1) ? [Self.broken(.codeUnique, by: 1)] : []
            })
        let finding = try #require(outcome.findings.first)
        #expect(finding.isOfSetup && finding.window == nil)
        #expect(RaceText.whenText(finding).hasPrefix("in setup, before poll-token (tv) is sent"))
        #expect(outcome.trials < 150, "no trials are spent on it")
        #expect(outcome.examples.first??.breaks(.codeUnique) == true)
    }

    @Test("a promise is located in the plan that races it, not where it breaks in setup")
    func racedElsewhere() async throws {
        let outcome = await search(["poll-authenticate", "create-create"]).run(
            in: StagedArena { schedule, offset in
                guard schedule.plan == "create-create" else {
                    return [Self.broken(.codeUnique, by: 1)]
                }
                return offset >= .zero && offset < .milliseconds(8)
                    ? [Self.broken(.codeUnique, by: 2)] : []
            })
        let finding = try #require(outcome.findings.first)
        #expect(outcome.findings.count == 1)
        #expect(finding.plan == "create-create" && !finding.isOfSetup)
        let window = try #require(finding.window)
        #expect(abs(window.high / .milliseconds(1) - 8) < 0.5)
        #expect(outcome.alsoIn.map(\.plan) == ["poll-authenticate"])
    }

    @Test("of two twins in two homes it makes no difference which is accused")
    func twins() async throws {
        let outcome = await search(["create-create"]).run(
            in: StagedArena { schedule, offset in
                guard schedule.actors.contains(where: { $0.household == 1 }),
                    offset.magnitude < .milliseconds(8)
                else { return [] }
                let raced = schedule.ops.filter { $0.gate != .none }
                let late = offset < .zero ? raced.first : raced.last
                let home = late.flatMap { schedule[actor: $0.actor]?.household } ?? 0
                return [Self.broken(.codeUnique, by: 2, in: home)]
            })
        let window = try #require(outcome.findings.first?.window)
        #expect(abs(window.low / .milliseconds(1) + 8) < 0.5)
        #expect(abs(window.high / .milliseconds(1) - 8) < 0.5)
    }

    @Test(
        "a plan in which something documented broke once is swept again before the rest is located")
    func documentedFirst() async throws {
        let outcome = await search(["poll-logout", "poll-authenticate"], trials: 400).run(
            in: StagedArena { schedule, offset in
                if schedule.plan == "poll-authenticate" {
                    return offset > .milliseconds(1) ? [Self.broken(.signInVisible, by: 2)] : []
                }
                let window = Duration.microseconds(150)...(.microseconds(330))
                return window.contains(offset) ? [Self.broken(.logoutFinal, by: 2)] : []
            })
        #expect(outcome.findings.first?.invariant == .logoutFinal)
        #expect(outcome.findings.first?.window != nil)
    }
}
