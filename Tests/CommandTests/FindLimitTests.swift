import Foundation
import TestSupport
import Testing

@Suite("find-limit from outside", .ownThread)
struct FindLimitTests {
    private static func report(_ folder: TestFolder, _ name: String = "limit") throws -> [String:
        Any]
    {
        let read = try JSONSerialization.jsonObject(
            with: Data(try folder.read("\(name)/limit.json").utf8))
        return try #require(read as? [String: Any])
    }

    /// One queue, 200 requests a second: at random arrivals 99 in 100 polls wait less than 250 ms up to about 95 % of
    /// that, and none does beyond 100 %.
    @Test("finds the limit of a queue whose limit is known")
    func queue() async throws {
        let folder = TestFolder()
        let ended = try await Command(
            [
                "find-limit", Command.rig("limit.yaml"), "--virtual", "--threshold",
                "poll-token p99 < 250ms", "--from", "4/s", "--step-for", "20s", "--resolution",
                "20%", "--out", "limit",
            ], in: folder
        ).ended(within: .seconds(300))
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("report: limit/limit.html"))
        let found = try Self.report(folder)
        #expect(found["schema"] as? String == "screenrig/limit/1")
        let requests = try #require(found["requestsPerSecond"] as? Double)
        #expect((165...205).contains(requests), "\(requests)")
        let interval = try #require(found["interval95"] as? [Double])
        let limit = try #require(found["limitPerSecond"] as? Double)
        #expect(interval[0] <= limit && limit <= interval[1])
        let capacity = 200 / requests * limit
        #expect(interval[0] < capacity && interval[1] > 0.85 * capacity, "\(interval)")
        let steps = try #require(found["steps"] as? [[String: Any]])
        #expect(steps.count > 4 && steps.count <= 30)
        for step in steps {
            let run = try #require(step["run"] as? String)
            #expect(folder.holds("limit/\(run)/summary.json"))
            #expect(folder.holds("limit/\(run)/history.sqlite"))
            // Its arrivals are random: what came in the 20 s is what was judged.
            let (rate, came) = try (
                #require(step["ratePerSecond"] as? Double), #require(step["households"] as? Int)
            )
            #expect(abs(rate * 20 - Double(came)) < 0.01, "\(rate) \(came)")
        }
        #expect(try folder.read("limit/steps.csv").hasPrefix("step,rate_per_s,held,"))
    }

    @Test("the same seed gives the same steps, another one others")
    func repeats() async throws {
        let folder = TestFolder()
        func steps(_ name: String, seed: Int) async throws -> String {
            let ended = try await Command.run(
                "find-limit", Command.rig("limit.yaml"), "--virtual", "--from", "8/s",
                "--step-for", "3s", "--warm-up", "2s", "--max-steps", "3", "--seed", "\(seed)",
                "--out", name, in: folder)
            #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
            return try folder.read("\(name)/steps.csv")
        }
        let first = try await steps("first", seed: 7)
        #expect(try await steps("second", seed: 7) == first)
        #expect(try await steps("third", seed: 8) != first)
    }

    @Test("no limit up to --to is exit code 0, a threshold missed at --from already is 1")
    func ends() async throws {
        let folder = TestFolder()
        let short = ["--step-for", "5s", "--warm-up", "5s", "--virtual", "--quiet"]
        for (name, more, code, words) in [
            ("high", ["--to", "3/s"], 0 as Int32, "No limit up to 3.00 households/s"),
            ("low", ["--from", "60/s"], 1, "The limit is below 60.0 households/s"),
        ] {
            let ended = try await Command(
                ["find-limit", Command.rig("limit.yaml"), "--out", name] + short + more, in: folder
            ).ended()
            #expect(ended.code == code && ended.output.contains(words), "\(ended.output)")
            #expect(try Self.report(folder, name)["limitPerSecond"] is NSNull)
        }
    }

    /// However late this machine is while others compile on it: these tests are not about the rig's own limit.
    private static let unhurried = ["--set", "validity.on-breach=warn"]

    @Test("Ctrl-C in the middle of a step reports what is known so far, with exit code 130")
    func interrupted() async throws {
        let folder = TestFolder()
        let command = try Command(
            [
                "find-limit", Command.rig("limit.yaml"), "--from", "4/s", "--step-for", "12s",
                "--warm-up", "4s", "--pause", "0s", "--out", "limit",
            ] + Self.unhurried, in: folder)
        try await command.wait("the second step") { command.errors.contains("step 2: ") }
        command.send(SIGINT)
        let ended = try await command.ended()
        #expect(ended.code == 130, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("Interrupted after 1 step"))
        let report = try Self.report(folder)
        #expect(report["ending"] as? String == "interrupted")
        #expect((report["steps"] as? [Any])?.count == 1)
    }

    @Test("Ctrl-C between two steps is heard at once: no other step begins")
    func interruptedPause() async throws {
        let folder = TestFolder()
        let command = try Command(
            [
                "find-limit", Command.rig("limit.yaml"), "--from", "2/s", "--step-for", "2s",
                "--warm-up", "2s", "--pause", "1h", "--out", "limit",
            ] + Self.unhurried, in: folder)
        // The line that begins a step ends in dots, the one that ends it does not.
        try await command.wait("the end of the first step") {
            command.errors.split(separator: "\n").count { $0.hasPrefix("step 1: ") } == 2
        }
        command.send(SIGINT)
        let ended = try await command.ended()
        #expect(ended.code == 130, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("Interrupted after 1 step"))
        #expect(!ended.errors.contains("step 2: "))
        #expect((try Self.report(folder)["steps"] as? [Any])?.count == 1)
    }

    @Test("a later step that cannot be played leaves a report of those before it")
    func laterFailure() async throws {
        let folder = TestFolder()
        try FileManager.default.copyItem(
            atPath: Command.rig("limit.yaml"), toPath: folder.path("mine.yaml"))
        let command = try Command(
            [
                "find-limit", "mine.yaml", "--from", "2/s", "--step-for", "2s", "--warm-up", "2s",
                "--pause", "0s", "--out", "limit",
            ] + Self.unhurried, in: folder)
        try await command.wait("the first step") { command.errors.contains("step 1: 2.00") }
        // Each step reads the rig anew.
        try FileManager.default.removeItem(atPath: folder.path("mine.yaml"))
        let ended = try await command.ended()
        #expect(ended.code == 3, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("Could not run: step 2: "), "\(ended.output)")
        let report = try Self.report(folder)
        #expect(report["ending"] as? String == "could-not-run")
        #expect((report["steps"] as? [Any])?.count == 1)
    }

    @Test("a service that nobody serves is exit code 3, and a host without leave is refused")
    func refused() async throws {
        let folder = TestFolder()
        for (target, words) in [
            ("http://127.0.0.1:1", "Could not run: "),
            ("http://192.0.2.1", "pass --allow 192.0.2.1"),
        ] {
            let ended = try await Command(
                [
                    "find-limit", Command.rig("limit.yaml"), "--set", "faults=[]", "--target",
                    target, "--step-for", "2s", "--warm-up", "0s", "--pause", "0s",
                ], in: folder
            ).ended()
            #expect(ended.code == 3, "\(ended.output)\(ended.errors)")
            #expect((ended.output + ended.errors).contains(words), "\(ended.output)\(ended.errors)")
        }
    }

    @Test(
        "what cannot be is told, with exit code 2",
        arguments: [
            (["--threshold", "poll-tokn p99 < 250ms"], "did you mean poll-token?"),
            (["--from", "20"], "--from is '20'; it must be a rate of households"),
            (["--from", "20/s", "--to", "10/s"], "--from 20/s is above --to 10/s"),
            (["--step-for", "0s"], "--step-for is 0s; it must be 1s to 24h"),
            (["--resolution", "10"], "--resolution is '10'; it must be 1% to 100%"),
            (["--max-steps", "0"], "--max-steps is 0; it must be 1 to 500"),
            (["--threshold", "rollout recovery < 5s"], "is about an event of a run"),
        ])
    func mistakes(options: [String], words: String) async throws {
        let ended = try await Command(
            ["find-limit", Command.rig("limit.yaml"), "--virtual"] + options, in: TestFolder()
        ).ended()
        #expect(ended.code == 2 && ended.errors.contains(words), "\(ended.errors)")
    }
}
