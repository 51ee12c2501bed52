import Foundation
import TestSupport
import Testing

@Suite("export", .ownThread)
struct ExportCommandTests {
    private func simulated() async throws -> TestFolder {
        let folder = TestFolder()
        let ended = try await Command.run(
            "simulate", Command.rig("smoke.yaml"), "--out", "run", "--fault",
            "ack-before-apply:window=5s", "--set", "polling.every=3s", in: folder)
        #expect([0, 1].contains(ended.code), "\(ended.output)\(ended.errors)")
        return folder
    }

    @Test(
        "a household in each format; a run by its directory or its history",
        arguments: [
            ("har", "\"version\": \"1.2\""), ("jsonl", "screenrig/exchange/1"),
            ("curl", "curl -sS -i"),
        ])
    func household(format: String, mark: String) async throws {
        let folder = try await simulated()
        for run in ["run", "run/history.sqlite"] {
            let ended = try await Command.run(
                "export", run, "--household", "0", "--format", format, in: folder)
            #expect(ended.code == 0, "\(ended.errors)")
            #expect(ended.output.contains(mark))
            #expect(ended.output.hasSuffix("\n") && !ended.output.hasSuffix("\n\n"))
        }
    }

    @Test("a violation by its row: the exchanges that prove it, and no others")
    func violation() async throws {
        let folder = try await simulated()
        let row = try #require(try Run(folder, "run").table("violations.csv").first)
        let ended = try await Command.run("export", "run", "--violation", "1", in: folder)
        #expect(ended.code == 0, "\(ended.errors)")
        let lines = ended.output.split(separator: "\n")
        let ids = try lines.map { line in
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            // All of a violated household is kept.
            #expect(object["request"] is [String: Any])
            return "\(object["household"] ?? "")/\(object["sequence"] ?? "")"
        }
        let proof = row["exchange_ids"]?.split(separator: " ").map(String.init) ?? []
        #expect(!proof.isEmpty && Set(ids) == Set(proof))
    }

    @Test("what cannot be exported is said, with the exit code of its cause")
    func troubles() async throws {
        let folder = try await simulated()
        let cases: [([String], Int32, String)] = [
            (["--household", "4711"], 2, "no household 4711 in this run; the run has "),
            (["--violation", "4711"], 2, "no violation 4711"),
            ([], 2, "give either --household N or --violation N"),
            (["--household", "0", "--violation", "1"], 2, "give either"),
            (["--household", "0", "--format", "pdf"], 2, "pdf"),
        ]
        for (arguments, code, words) in cases {
            let ended = try await Command(["export", "run"] + arguments, in: folder).ended()
            #expect(ended.code == code)
            #expect(ended.errors.contains(words), "\(ended.errors)")
        }
        let missing = try await Command.run("export", "nowhere", "--household", "1", in: folder)
        #expect(missing.code == 3)
    }
}
