import Rigs
import Statistics
import Testing

@Suite("A seed is a run")
struct RepeatTests {
    /// Numbers of lanes that rigs are played on a second time, in turn.
    private static let lanes = [2, 3, 8]

    @Test(
        "each rig gives the same history twice, on any number of lanes, and another one by another seed",
        arguments: zip(RigFiles.names, RigFiles.names.indices))
    func repeats(name: String, position: Int) throws {
        let rig = try RigFiles.read(name, limit: 24)
        // Households that meet are on one lane.
        let lanes = rig.whyOneLane == nil ? Self.lanes[position % Self.lanes.count] : 1
        let (first, second) = (try Rehearsal(rig), try Rehearsal(rig, lanes: lanes))
        #expect(first.hash.count == 32)
        #expect(first.hash == second.hash, "screenrig simulate rigs/\(name) --lanes \(lanes)")
        #expect(try first.exchanges() == second.exchanges())
        #expect(try first.households() == second.households())
        #expect(try first.events() == second.events())
        #expect(first.end == second.end)
        let other = try Rehearsal(RigFiles.read(name, seed: rig.seed.value + 1, limit: 24))
        #expect(first.hash != other.hash)
    }

    @Test("weather, throttling and strangers repeat as well", arguments: Seed.samples(4))
    func rough(seed: Seed) throws {
        let overrides: KeyValuePairs = [
            "standin.network.loss": "5%", "load.spacing": "poisson", "polling.every": "500ms",
        ]
        let hashes = try (0..<2).map { _ in
            try Rehearsal(RigFiles.read("poisson.yaml", seed: seed.value, overrides)).hash
        }
        #expect(hashes[0] == hashes[1], "screenrig simulate rigs/poisson.yaml --seed \(seed)")
    }

    @Test("no rig runs away from its name")
    func names() {
        #expect(RigFiles.names.count >= 11)
    }

    @Test("two lanes repeat too, and hold each household once")
    func lanes() throws {
        let rig = try RigFiles.read("premiere-ramp.yaml")
        let runs = try (0..<2).map { _ in try Rehearsal(rig, lanes: 2) }
        #expect(runs[0].hash == runs[1].hash)
        let households = try runs[0].households()
        let planned = try #require(Plan(rig, seed: rig.seed).households)
        #expect(households.map(\.household) == Array(0..<planned))
        // What a history says hangs on no number of lanes.
        #expect(households.allSatisfy { $0.lane == 0 && $0.fate == .signedIn })
        #expect(try runs[0].exchanges().allSatisfy { $0.lane == 0 })
    }

    @Test("households are the same on one lane and on two")
    func split() throws {
        let rig = try RigFiles.read("smoke.yaml", ["standin.network.latency": "fixed 2ms"])
        let lives = try [1, 2].map { lanes in
            try Rehearsal(rig, lanes: lanes).households().map { record in
                [record.arrived, record.codeShown, record.tokenSeen, record.ended]
            }
        }
        #expect(lives[0] == lives[1])
    }
}
