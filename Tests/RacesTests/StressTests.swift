import Dialects
import Statistics
import Synchronization
import Testing

@testable import Races
@testable import Rigs

@Suite struct StressTests {
    @Test("what living rooms share shows when another one signs in at the same time")
    func company() async throws {
        let stage = try await TestStage(faults: ["device-blind-cache:ttl=30ms"])
        let alone = stage.plans[0].variants[0]
        let crowded = try #require(Stress.company.applied(to: alone))
        let offsets: [Duration] = [.milliseconds(5), .milliseconds(12), .milliseconds(20)]
        for result in await stage.arena.play(offsets.map { alone.at($0) }) {
            #expect(!result.breaks(.tokenIsolation))
        }
        let results = await stage.arena.play(offsets.map { crowded.at($0) })
        #expect(results.compactMap(\.discarded) == [])
        #expect(results.contains { $0.breaks(.tokenIsolation) })
    }

    @Test("a service that keeps its promises keeps them under each stress, in all plans")
    func clean() async throws {
        let stage = try await TestStage(plans: ["all"])
        for variant in stage.plans.flatMap(\.variants) {
            let stressed = Stress.allCases.compactMap { $0.applied(to: variant) }
            #expect(stressed.count == Stress.allCases.count)
            let last = try #require(stressed.last)
            for result in await stage.arena.play([last.at(.milliseconds(3))]) {
                #expect(result.discarded == nil, "\(variant.title)")
                #expect(
                    result.breaches.isEmpty, "\(variant.title): \(result.breaches.map(\.sentence))")
            }
        }
    }

    @Test(
        "who signs in at the same time speaks the protocol of the plan",
        arguments: ProtocolName.allCases)
    func words(protocolName: ProtocolName) throws {
        let terms = RaceTerms(plans: [.named("all")])
        let variants = RacePlan.plans(terms, in: protocolName).flatMap(\.variants)
        #expect(!variants.isEmpty)
        for variant in variants {
            let crowded = try #require(Stress.company.applied(to: variant)).schedule
            for op in crowded.ops {
                #expect(
                    op.step.counterpart(in: protocolName) == op.step, "\(variant.title): \(op.id)")
            }
            let room = try #require(crowded.actors.last?.household)
            let passing = crowded.ops.filter { crowded[actor: $0.actor]?.household == room }
            #expect(passing.contains { $0.step.signsIn } && passing.count == 3)
        }
    }

    @Test("each is tried when nothing was found, and nothing of it once something was")
    func tried() async {
        var terms = RaceTerms(plans: [.named("poll-logout")])
        terms.perOffset = 1
        terms.trials = 300
        let phases = Mutex<[String]>([])
        var search = RaceSearch(
            plans: RacePlan.plans(terms), terms: terms, seed: Seed(1), clock: { .zero },
            news: { news in
                if case .phase(let phase) = news { phases.withLock { $0.append(phase) } }
            })
        search.gateError = .zero
        _ = await search.run(in: RuleArena { _, _ in false })
        for stress in Stress.allCases {
            #expect(phases.withLock { $0.contains { $0.contains(stress.rawValue) } })
        }
        phases.withLock { $0 = [] }
        _ = await search.run(in: RuleArena { _, _ in true })
        #expect(!phases.withLock { $0.contains { $0.contains(Stress.fresh.rawValue) } })
    }
}
