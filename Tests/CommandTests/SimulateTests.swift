import Foundation
import TestSupport
import Testing

@Suite("Simulation from outside", .ownThread)
struct SimulateTests {
    /// `--set` for a second-screen rig of 200 households.
    private static let small = ["--set", "load.arrivals=[{ramp-to: 50/s, over: 0s}, {hold: 4s}]"]

    /// A network that loses something, and thresholds that forgive it.
    private static let lossy = [
        "--set", "standin.network.loss=2%",
        "--set", "thresholds=[errors < 50%, households failed < 50%]",
    ]

    private func simulate(
        _ rig: String, seed: Int = 1, _ more: [String] = []
    ) async throws -> Run {
        let folder = TestFolder()
        let ended = try await Command(
            ["simulate", Command.rig(rig), "--seed", String(seed), "--out", "run"] + more,
            in: folder
        ).ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        return try Run(folder, "run")
    }

    @Test(
        "twice gives the same hash, another seed another one",
        arguments: ["twenty.yaml", "xml.yaml"])
    func twice(rig: String) async throws {
        let first = try await simulate(rig)
        let second = try await simulate(rig)
        #expect(first.hash.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(first.hash == second.hash)
        #expect(first.hash != (try await simulate(rig, seed: 2)).hash)
        for file in ["latencies.csv", "timeline.csv", "households.csv"] {
            #expect(try first.table(file) == second.table(file), "\(file)")
        }
    }

    @Test("run --virtual is simulate")
    func virtual() async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "run", Command.rig("twenty.yaml"), "--virtual", "--out", "run", in: folder)
        #expect(ended.code == 0)
        #expect(try Run(folder, "run").hash == (try await simulate("twenty.yaml")).hash)
    }

    @Test("a thousand times faster than life, for twenty households")
    func speed() async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--out", "run", in: folder)
        let seconds = try #require(try Run(folder, "run")["run", "seconds"] as? Double)
        // The optimised build's bar is 1,000; this one is for gross mistakes.
        let took = Double(ended.after.components.seconds) + 1
        #expect(seconds / took > 5)
    }

    /// Those on record were made by an optimised build, and `swift test` holds the debug build against
    /// them: that both agree, on every machine, is what a seed in a report promises.
    @Test("debug and optimised builds give the hashes on record")
    func builds() async throws {
        var lines = ""
        for (rig, more) in [
            ("twenty.yaml", []), ("second-screen.yaml", Self.small), ("poisson.yaml", []),
            ("slow-viewer.yaml", Self.lossy),
        ] {
            lines += "\(rig) \(try await simulate(rig, more).hash)\n"
        }
        try Golden.expect(lines, is: "hashes.txt")
    }
}
