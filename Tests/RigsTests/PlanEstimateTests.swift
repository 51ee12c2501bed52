import Testing

@testable import Rigs

@Suite("What a plan will come to")
struct PlanEstimateTests {
    static let machine = MachineLimits(
        descriptors: 1_024, descriptorsAtMost: 20_000, ports: 28_232, cores: 2)

    static func estimate(_ file: String, _ sets: [(String, String)] = []) throws -> PlanEstimate {
        let rig = try Rig.read(
            contentsOf: Golden.rigs.appending(path: file).path,
            with: RigSurroundings(overrides: sets.map { (path: $0.0, value: $0.1) })
        ).rig
        return PlanEstimate(Plan(rig, seed: rig.seed, run: "r1"), on: machine)
    }

    @Test(
        "the table is what the golden file says",
        arguments: [
            "second-screen", "closed", "twenty", "slow-viewer",
        ])
    func table(name: String) throws {
        let text = try Self.estimate("\(name).yaml").description
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        try Golden.expect(
            text + "\n", matches: Golden.folder.appending(path: "estimate-\(name).txt"))
    }

    @Test("households alive are rate times life, and requests per second rate times requests")
    func little() throws {
        let estimate = try Self.estimate("second-screen.yaml")
        #expect(estimate.households == 2_000)
        #expect(abs(estimate.alive - 50 * estimate.life.seconds) < 1)
        let codes = try #require(estimate.operations.first { $0.name == .registrationCode })
        #expect(codes.perHousehold == 1 && abs(codes.peak - 50) < 1e-6)
        let polls = try #require(estimate.operations.first { $0.name == .pollToken })
        #expect(abs(polls.perHousehold - 2.5) < 1e-6)
        #expect(estimate.descriptors > 2 * estimate.connections)
    }

    @Test(
        "what this machine cannot do is said, with what to change",
        arguments: [
            ("load.arrivals.0.ramp-to", "2000/s", "descriptors"),
            ("connections", "fresh", "a closed one keeps its port"),
            ("lanes", "9", "this machine has 2 cores"),
        ])
    func warnings(path: String, value: String, words: String) throws {
        #expect(try !Self.estimate("second-screen.yaml").description.contains(words + ":"))
        let estimate = try Self.estimate("second-screen.yaml", [(path, value)])
        #expect(estimate.warnings.contains { $0.contains(words) })
    }
}
