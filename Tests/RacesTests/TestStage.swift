import Rigs
import Runner

@testable import Races

/// An arena over a stand-in with faults, in virtual time or over sockets.
struct TestStage {
    let stage: RaceStage
    var rig: Rig { stage.rig }
    var arena: LaneArena { stage.arena }
    var plans: [RacePlan] { stage.plans }

    init(
        plans names: [String] = ["poll-authenticate"], faults: [String] = [], seed: UInt64 = 1,
        target: String = "base: embedded, resources: [live]", more: String = "",
        isVirtual: Bool = true
    ) async throws {
        let text = """
            rig: race
            seed: \(seed)
            target: {\(target)}
            load: {closed: {households: 1}}
            faults: [\(faults.map { "'\($0)'" }.joined(separator: ", "))]
            race: {plans: [\(names.joined(separator: ", "))]}
            \(more)
            """
        stage = try await RaceStage(
            Rig.read(text, file: "race.yaml").rig, isVirtual: isVirtual, allowed: [])
    }

    func search(trials: Int = 2000) -> RaceSearch {
        var terms = rig.race
        terms.trials = trials
        return RaceSearch(
            plans: plans, terms: terms, seed: rig.seed, gateError: .zero, clock: { .zero })
    }
}
