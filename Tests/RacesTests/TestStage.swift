import Checker
import Devices
import Dialects
import Journal
import Lanes
import Reports
import Rigs
import Runner
import Signing
import Standin

@testable import Races

/// An arena in virtual time over a stand-in with faults.
struct TestStage {
    let rig: Rig
    let arena: LaneArena
    let plans: [RacePlan]

    init(
        plans names: [String] = ["poll-authenticate"], faults: [String] = [], seed: UInt64 = 1,
        more: String = ""
    ) async throws {
        let text = """
            rig: race
            seed: \(seed)
            target: {base: embedded, resources: [live]}
            load: {closed: {households: 1}}
            faults: [\(faults.map { "'\($0)'" }.joined(separator: ", "))]
            race: {plans: [\(names.joined(separator: ", "))]}
            \(more)
            """
        var rig = try Rig.read(text, file: "race.yaml").rig.racing(phones: 4)
        rig.race.gate = .lastByte
        self.rig = rig
        let venue = try await Venue(rig, isVirtual: true, allowed: [])
        plans = RacePlan.plans(rig.race)
        let lanes = try venue.lanes(recordingTo: Unrecorded())
        var terms = RunConfiguration(
            rig, statement: Secret(Signing.demoSoftwareStatement()),
            dialect: venue.dialect(of:))
        terms.platforms = try Assembly.platforms(rig, program: nil)
        terms.retries = 1
        var rules = Rules(rig, isEmbedded: true, startedMicroseconds: Venue.virtualEpoch)
        rules.throttledBy = .unknown
        rules.delivery = RacePlan.patience(rig.race, nil) - .milliseconds(10)
        arena = LaneArena(
            lanes, plan: Plan(rig, seed: rig.seed), terms: terms, rules: rules,
            isVirtual: true, settings: .virtual)
    }

    func search(trials: Int = 2000) -> RaceSearch {
        var terms = rig.race
        terms.trials = trials
        return RaceSearch(
            plans: plans, terms: terms, seed: rig.seed, gateError: .zero, clock: { .zero })
    }
}
