import Dialects
import Foundation
import Reports
import Runner
import Standin
import Statistics
import Testing

@Suite("Virtual lanes side by side")
struct SideBySideTests {
    @Test("by any seed, with loss, throttle and faults", arguments: Seed.samples(6))
    func seeds(seed: Seed) throws {
        let overrides: KeyValuePairs = [
            "standin.network.loss": "3%", "polling.every": "500ms",
            "faults":
                "[\"token-flap:probability=20%,window=2s\", \"lost-session:probability=20%\"]",
        ]
        let rig = try RigFiles.read("premiere-ramp.yaml", seed: seed.value, overrides)
        let runs = try [1, 2, 5].map { try Rehearsal(rig, lanes: $0) }
        for run in runs.dropFirst() {
            #expect(run.hash == runs[0].hash)
            #expect(try Self.nameless(run.summary()) == Self.nameless(runs[0].summary()))
        }
    }

    /// Without the name of its directory.
    private static func nameless(_ summary: Summary) -> Summary {
        var summary = summary
        summary.run.id = ""
        return summary
    }

    @Test("what the faults did is told alike")
    func truth() throws {
        let rig = try RigFiles.read(
            "premiere-ramp.yaml", ["faults": "[\"ack-before-apply:probability=30%,window=2s\"]"])
        let truths = try [1, 3].map { lanes in
            let run = try Rehearsal(rig, lanes: lanes)
            let file = try #require(
                FileManager.default.enumerator(at: run.directory, includingPropertiesForKeys: nil)?
                    .compactMap { $0 as? URL }.first { $0.lastPathComponent == "truth.jsonl" })
            return try String(contentsOf: file, encoding: .utf8)
        }
        #expect(truths[0].contains("activated"))
        #expect(truths[0] == truths[1])
    }

    @Test(
        "a rig whose households meet runs on one lane, and says why",
        arguments: [
            (["target.max-rate": "100/s"], "target.max-rate"),
            (["target.breaker": "{errors: 50%, for: 5s}"], "target.breaker"),
            (["target.clients": "shared"], "target.clients"),
            (["forwarded-for": "none"], "forwarded-for"),
            (["load.settle": "0s"], "load.settle"),
            (["faults": "[duplicate-live-code]"], "duplicate-live-code"),
        ] as [(KeyValuePairs<String, String>, String)])
    func oneLane(overrides: KeyValuePairs<String, String>, word: String) throws {
        let rig = try RigFiles.read("smoke.yaml", overrides)
        let reason = try #require(rig.whyOneLane)
        #expect(reason.contains(word))
        #expect(try rig.virtualLanes(asked: nil) == 1)
        #expect(try rig.virtualLanes(asked: 1) == 1)
        #expect(throws: RunError.self) { try rig.virtualLanes(asked: 2) }
    }

    @Test("a rig whose households do not meet may have as many as somebody asks for")
    func several() throws {
        let rig = try RigFiles.read("smoke.yaml")
        #expect(rig.whyOneLane == nil)
        #expect(try rig.virtualLanes(asked: 5) == 5)
    }

    @Test("a fault that needs no service for all acts alike on lanes", arguments: FaultKind.all)
    func faults(kind: FaultKind) throws {
        guard !kind.meetsOthers else { return }
        let benches: [(ProtocolName, String)] = [
            (.adobePassV1, "detection.yaml"), (.adobePassV2, "detection-v2.yaml"),
            (.oauthDeviceGrant, "detection-grant.yaml"),
        ]
        for (spoken, name) in benches where kind.protocols.contains(spoken) {
            let fault = kind.text(with: kind.detection.parameters)
            let rig = try RigFiles.read(name, ["faults": "[\"\(fault)\"]"], limit: 6)
            try #require(rig.whyOneLane == nil)
            let hashes = try [1, 3].map { try Rehearsal(rig, lanes: $0).hash }
            #expect(hashes[0] == hashes[1], "\(fault) in rigs/\(name)")
        }
    }
}
