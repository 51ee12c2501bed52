import Dialects
import Journal
import Rigs
import Statistics
import Synchronization
import TestSupport
import Testing

@testable import Races

@Suite struct ArmTests {
    private func comparison(
        _ plan: String, faults: [String], perArm: Int, seed: UInt64 = 1
    ) async throws -> ArmComparison {
        let stage = try await TestStage(plans: [plan], faults: faults, seed: seed)
        let own = try #require(ArmPlan.plans(stage.rig.race).first)
        return await ArmTrials(own, perArm: perArm, seed: Seed(seed)).run(in: stage.arena)
    }

    @Test("a sign-in that is known to one node is told by dropping what leads to it")
    func path() async throws {
        // A half against a thirty-second: with 30 each, chance hides that one time in some ten.
        let found = try await comparison(
            "path-independence", faults: ["sticky-only"], perArm: 60)
        #expect(found.isBroken)
        #expect(found.plan.invariant == .pathIndependence)
        #expect(found.arms[0].rate.hits > found.arms[1].rate.hits)
        // Whether polls are many makes no difference to it.
        let other = try await comparison("poll-is-pure", faults: ["sticky-only"], perArm: 12)
        #expect(!other.isBroken && !other.isPartial)
    }

    @Test("a poll that writes back what it read is told by polling more often")
    func polls() async throws {
        let fault = "poll-erases-approval:window=30ms"
        let found = try await comparison("poll-is-pure", faults: [fault], perArm: 10)
        #expect(found.isBroken)
        #expect(found.arms.map(\.rate) == [HitRate(hits: 10, trials: 10), HitRate(trials: 10)])
        let other = try await comparison("path-independence", faults: [fault], perArm: 10)
        #expect(!other.isBroken && !other.isPartial)
    }

    @Test(
        "a service that keeps its promises is not accused", arguments: ["none", "slow", "noisy"])
    func controls(fault: String) async throws {
        for plan in RaceTerms.armPlanNames {
            let found = try await comparison(plan, faults: [fault], perArm: 8)
            #expect(!found.isPartial, "\(plan): \(found.reason)")
            #expect(
                found.arms.allSatisfy { $0.rate.hits == $0.rate.trials }, "\(plan): \(found.arms)")
        }
    }

    @Test("what hangs on an answer that never came is not sent, nor what hangs on that")
    func lost() async throws {
        let stage = try await TestStage(
            plans: ["path-independence"], more: "standin: {network: {loss: 2%}}")
        let plan = try #require(ArmPlan.plans(stage.rig.race).first)
        let results = await stage.arena.play(
            Array(repeating: plan.arms[0].schedule, count: 400))
        #expect(results.count == 400)
        let cut = results.filter { result in
            result[release: "read-1"] != nil && result[release: "read-1"]?.firstByte == nil
        }
        #expect(!cut.isEmpty)
        for result in cut {
            for read in plan.reads.dropFirst() { #expect(result[release: read] == nil) }
        }
    }

    @Test("the plans of two arms are those of the format, and differ in nothing but their polls")
    func plans() {
        #expect(ArmPlan.catalogue.map(\.name) == RaceTerms.armPlanNames)
        for plan in ArmPlan.catalogue {
            #expect(plan.name == plan.invariant.name)
            #expect(plan.invariant.isDecidedByRace)
            #expect(plan.arms.count == 2)
            let others = plan.arms.map { arm in
                arm.schedule.ops.filter { $0.step != .pollToken }
            }
            #expect(others[0] == others[1])
            for arm in plan.arms {
                for read in plan.reads { #expect(arm.schedule[op: read]?.step == .pollToken) }
                // The burst that the protocol allows a TV.
                #expect(arm.schedule.ops.count { $0.actor == "tv" } <= 10)
            }
        }
    }

    @Test("as many trials as were fixed, the arms taking turns", arguments: [1, 2] as [UInt64])
    func turns(seed: UInt64) async {
        let arena = ArmArena { arm, _ in arm == 0 }
        let found = await trials(seed: seed, perArm: 50).run(in: arena)
        #expect(found.arms.map(\.rate) == [HitRate(hits: 50, trials: 50), HitRate(trials: 50)])
        #expect(found.isBroken)
        #expect(arena.order.count == 100)
        for pair in stride(from: 0, to: 100, by: 2) {
            #expect(Set(arena.order[pair..<pair + 2]) == [0, 1])
        }
        #expect(Set(stride(from: 0, to: 100, by: 2).map { arena.order[$0] }) == [0, 1])
    }

    @Test("two arms that fail equally often are not told apart; nor are too few trials")
    func equal() async {
        let arena = ArmArena { _, number in number % 4 < 2 }
        let found = await trials(seed: 1, perArm: 50).run(in: arena)
        #expect(!found.isBroken)
        #expect(found.chance > 0.5)
        var short = trials(seed: 1, perArm: 50)
        short.isOver = { true }
        let cut = await short.run(in: ArmArena { arm, _ in arm == 0 })
        #expect(cut.isPartial && !cut.isBroken)
    }

    @Test("a trial in which a poll was not answered tells nothing, and another takes its place")
    func unread() async {
        let arena = ArmArena { arm, number in number % 3 == 0 ? nil : arm == 0 }
        let found = await trials(seed: 1, perArm: 20).run(in: arena)
        #expect(found.arms.allSatisfy { $0.rate.trials >= 20 && $0.discarded > 0 })
        #expect(found.reason == "the response to read-1 does not show whether the TV is signed in")
    }

    @Test("the verdict has both rates, the chance, and how sure it is")
    func text() throws {
        var outcome = RaceOutcome()
        outcome.comparisons = zip(ArmPlan.catalogue, [(52, 3), (100, 99)]).map { plan, hits in
            ArmComparison(
                plan: plan,
                arms: zip(plan.arms, [hits.0, hits.1]).map {
                    ArmComparison.Arm(
                        name: $0.name, rate: HitRate(hits: $1, trials: 100), discarded: $1 % 2)
                })
        }
        let text = RaceText.report(outcome, cases: [], width: 80)
        try Golden.expect(text + "\n", is: "arms.txt")
        try Golden.expect(RaceText.json(outcome, cases: []) + "\n", is: "arms.jsonl")
    }

    @Test("a race that only compared arms, although there were schedules to try, is no pass")
    func nothingTried() throws {
        var outcome = RaceOutcome()
        outcome.comparisons = [
            ArmComparison(
                plan: ArmPlan.catalogue[0],
                arms: ArmPlan.catalogue[0].arms.map {
                    .init(name: $0.name, rate: HitRate(hits: 1, trials: 50), discarded: 0)
                })
        ]
        #expect(outcome.whyNothingCameAbout == nil)
        outcome.sweeps = [
            .init(
                plan: "poll-poll", title: "poll-poll", rounds: 0, isWhole: false, trials: 0,
                discarded: 0, obstacle: "")
        ]
        #expect(
            outcome.whyNothingCameAbout
                == "no schedule was tried: the search ended first; give it more time or trials")
    }

    @Test("arms without a conclusive trial have no rate")
    func inconclusive() {
        let plan = ArmPlan.catalogue[0]
        let comparison = ArmComparison(
            plan: plan,
            arms: plan.arms.map { .init(name: $0.name, rate: HitRate(), discarded: 200) },
            isPartial: true)
        let lines = RaceText.lines(comparison, RaceOutcome())
        #expect(
            lines[1] == "  \(plan.arms[0].name): no conclusive trial; 200 were inconclusive",
            "\(lines)")
    }

    private func trials(seed: UInt64, perArm: Int) -> ArmTrials {
        ArmTrials(ArmPlan.catalogue[0], perArm: perArm, seed: Seed(seed))
    }
}

/// Two arms without devices: how a trial ends is a rule of the test's own, of its arm (0 or 1) and its
/// number; nil: a poll had no answer.
private final class ArmArena: Arena {
    private let played = Mutex<[Int]>([])
    var order: [Int] { played.withLock { $0 } }
    private let rule: @Sendable (Int, Int) -> Bool?

    init(_ rule: @escaping @Sendable (Int, Int) -> Bool?) { self.rule = rule }

    func play(_ schedules: [Schedule]) async -> [TrialResult] {
        let arms = ArmPlan.catalogue[0].arms.map(\.schedule)
        return schedules.map { schedule in
            let arm = schedule == arms[0] ? 0 : 1
            let count = played.withLock { played in
                played.append(arm)
                return played.count
            }
            var result = TrialResult(schedule: schedule, households: [7])
            for (number, read) in ArmPlan.catalogue[0].reads.enumerated() {
                result.releases.append(.init(op: read, sent: .start, sequence: number))
                let seen: Observation.Result =
                    switch rule(arm, count) {
                    case true?: .success
                    case false?: number == 0 ? .success : .absent
                    case nil: .none
                    }
                result.exchanges.append(
                    Exchange(
                        lane: 0, sequence: number,
                        device: DeviceID(household: 7, role: .firstScreen), operation: .pollToken,
                        planned: .start, sent: .start, ended: .start,
                        delivery: .answered(status: 200), outcome: .ok,
                        observation: Observation(seen)))
            }
            return result
        }
    }
}
