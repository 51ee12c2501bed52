import Foundation
import TestSupport
import Testing

@Suite("Shards as processes", .ownThread)
struct ShardCommandTests {
    /// Forty households in forty seconds: a loaded machine has time to kill one of the shards. Twenty seconds were too few once,
    /// beside three hundred other tests.
    private static let load = [
        "--set", "load.arrivals=[{ramp-to: 1/s, over: 0s}, {hold: 40s}]", "--set", "load.settle=1s",
        "--set", "identities=per-run",
    ]

    private func start(
        _ shard: String, _ more: [String] = [], in folder: TestFolder
    ) throws -> Command {
        try Command(
            ["run", Command.rig("smoke.yaml"), "--shard", shard, "--run-id", "test"] + Self.load
                + more, in: folder)
    }

    private func households(_ run: Run) throws -> [Int] {
        try run.table("households.csv").compactMap { $0["household"].flatMap { Int($0) } }
    }

    @Test("start together, one is killed and resumed: every household once, the lost by name")
    func killed() async throws {
        let folder = TestFolder()
        let server = try Command(["serve", "--port", "0"], in: folder)
        let url = try await server.url()
        let startAt = String(Int(Date.now.timeIntervalSince1970) + 4)
        let common = ["--target", url, "--start-at", startAt, "--resume"]
        let shards = try (0..<2).map {
            try start("\($0)/2", common + ["--out", "shard-\($0)"], in: folder)
        }
        try await shards[1].wait("households that signed in") {
            shards[1].errors.contains(/\b[1-9]\d* signed in/)
        }
        shards[1].send(SIGKILL)
        let killed = try await shards[1].ended()
        #expect(killed.wasSignalled)
        let refused = try await start("1/2", ["--target", url, "--out", "shard-1"], in: folder)
            .ended()
        #expect(refused.code == 3)
        #expect(refused.errors.contains("add --resume"), "\(refused.errors)")

        let resumed = try await start("1/2", common + ["--out", "shard-1"], in: folder).ended()
        #expect(resumed.code == 0, "\(resumed.output)\(resumed.errors)")
        #expect(resumed.output.hasPrefix("Shard 1 of 2 (50 % of the plan): Passed"))
        #expect(resumed.errors.contains("shard 1/2, attempt 2: runs"))
        let whole = try await shards[0].ended()
        #expect(whole.code == 0, "\(whole.output)\(whole.errors)")

        let report = try await Command.run("report", "shard-1", in: folder)
        #expect(report.output.hasPrefix("Shard 1 of 2"), "\(report.output)\(report.errors)")
        let runs = try ["shard-0", "shard-1", "shard-1-2"].map { try Run(folder, $0) }
        let all = try runs.flatMap { try households($0) }
        #expect(Set(all).count == all.count)
        #expect(Set(runs.map { $0["run", "runId"] as? String }).count == 1)
        let shard = try #require(runs[2]["run", "shard"] as? [String: Any])
        #expect(shard["attempt"] as? Int == 2)
        #expect(shard["earlier"] as? [String] == ["shard-1"])
        let lost = try #require(shard["lost"] as? [Int])
        let open = try runs[1].table("households.csv").filter { $0["outcome"] == "running" }
            .compactMap { $0["household"].flatMap { Int($0) } }
        #expect(Set(open).isSubset(of: lost))
        // A household that began within the last moments has no record, and is lost by name all the same.
        #expect(Set(all).union(lost) == Set(0..<40))
        let first = try #require(runs[0]["run", "shard"] as? [String: Any])
        #expect(first["startLatenessMs"] as? Double ?? -1 >= 0)

        // What came to its end is told again, and nothing runs.
        let again = try await start("0/2", common + ["--out", "shard-0"], in: folder).ended()
        #expect(again.code == 0)
        #expect(again.errors.contains("nothing is left to run"), "\(again.errors)")
        #expect(!folder.holds("shard-0-2"))
    }

    /// On one busy core, where no thread but the one that speaks has its turn at once, and with the signal sent at the
    /// first byte: a program that speaks of Ctrl-C before it hears it goes on waiting in nine of ten rounds.
    @Test("Ctrl-C ends the waiting for the common start, however early it comes")
    func waiting() async throws {
        let rounds = """
            import os, signal, subprocess, sys
            busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(4)]
            try:
                for _ in range(4):
                    waits = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE)
                    said = os.read(waits.stderr.fileno(), 1)
                    waits.send_signal(signal.SIGINT)
                    try:
                        print(waits.wait(15), said + waits.stderr.read())
                    except subprocess.TimeoutExpired:
                        waits.kill()
                        print("not heard")
            finally:
                for one in busy: one.kill()
            """
        let startAt = String(Int(Date.now.timeIntervalSince1970) + 600)
        let words = [
            "run", Command.rig("smoke.yaml"), "--shard", "0/2", "--run-id", "test", "--start-at",
            startAt,
        ]
        let ended = try await Command(
            ["-c", "0", "python3", "-c", rounds, Command.binary] + words + Self.load,
            in: TestFolder(), program: "/usr/bin/taskset"
        ).ended(within: .seconds(150))
        let lines = ended.output.split(separator: "\n")
        #expect(lines.count == 4, "\(ended.errors)")
        for line in lines {
            #expect(line.hasPrefix("130 ") && line.contains("waiting for the common start at "))
            #expect(line.contains("interrupted before the run started"))
        }
    }

    @Test("an engine's restart without a history is refused, unless --anew")
    func unseen() async throws {
        let folder = TestFolder()
        func command(_ more: [String]) throws -> Command {
            try Command(
                ["run", Command.rig("smoke.yaml"), "--shard", "auto", "--resume"] + more,
                in: folder,
                environment: [
                    "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "2",
                    "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "1",
                    "SLURM_ARRAY_JOB_ID": "4711", "SLURM_RESTART_COUNT": "1",
                ])
        }
        let refused = try await command([]).ended()
        #expect(refused.code == 3)
        #expect(
            refused.errors.contains(
                "Slurm says that this is attempt 2 of shard 1/2, and there is no history of an earlier one "
                    + "(reports/smoke-shard-1-of-2-*)"), "\(refused.errors)")
        let anew = try await command(["--anew"]).ended()
        #expect(anew.code == 0, "\(anew.output)\(anew.errors)")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("reports"))
                .first { $0.hasPrefix("smoke-shard-1-of-2-") })
        let shard = try Run(folder, "reports/\(name)")["run", "shard"] as? [String: Any]
        #expect(shard?["attempt"] as? Int == 2)
        #expect(try households(Run(folder, "reports/\(name)")) == [1, 3, 5, 7])
    }

    @Test("what shards cannot do is refused, and the sentence says what to do")
    func refusals() async throws {
        let folder = TestFolder()
        var sentences: [String] = []
        for words in [
            ["run", "RIG", "--shard", "8/8"], ["run", "RIG", "--shard", "0/8"],
            ["run", "RIG", "--shard", "0/8", "--run-id", "auto"],
            ["run", "RIG", "--run-id", "a"],
            ["run", "RIG", "--start-at", "soon", "--shard", "0/1"],
            ["run", "RIG", "--start-at", "1"], ["run", "RIG", "--resume"],
            ["run", "RIG", "--virtual", "--shard", "0/2", "--start-at", "1"],
            ["run", "RIG", "--virtual", "--shard", "0/2", "--resume"],
        ] {
            let rig = words.map { $0 == "RIG" ? Command.rig("smoke.yaml") : $0 }
            let ended = try await Command(rig, in: folder).ended()
            #expect(ended.code == 2, "\(words)")
            sentences.append("\(words.joined(separator: " "))\n  \(ended.errors)")
        }
        try Golden.expect(sentences.joined(), is: "errors/shards.txt")
    }
}
