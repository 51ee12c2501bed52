import Foundation
import TestSupport
import Testing

/// What the pods of `--upload` do where their upload fails: a history that is not uploaded is lost with its pod.
extension ManifestTests {
    /// Runs the script of a pod with a stand-in for screenrig that ends with `code`, and an upload that succeeds at
    /// the try `good` (0: never), and else ends with 7. Waits are noted, and not waited.
    private static func upload(
        _ job: String, code: Int, good: Int = 0, in folder: TestFolder
    ) async throws -> (ended: Command.Ended, calls: [String], manifest: String) {
        try full(in: folder)
        try program(stub, "screenrig", in: folder)
        try program("#!/bin/sh\necho \"sleep $1\" >> \"$CALLS\"\n", "sleep", in: folder)
        try program(
            """
            #!/bin/sh
            echo "upload $1" >> "$CALLS"
            [ "$(grep -c '^upload' "$CALLS")" = "$GOOD" ] || exit 7

            """, "upload", in: folder)
        let text = try await manifest(
            [
                "kubernetes", "full.yaml", "--shards", "8", "--upload", "upload {}", "--fetch",
                "cat {}/history.sqlite",
            ] + image, in: folder)
        let script = try podScript(job, in: folder, of: text)
        _ = try folder.write("rig: x\n", to: "pod/rig/full.yaml")
        let ended = try await Command(
            ["-c", script], in: folder,
            environment: environment(
                folder,
                [
                    "SCREENRIG_SHARDS": "8", "SCREENRIG_RUN_ID": "night-7",
                    "JOB_COMPLETION_INDEX": "3", "START_AT": "2026-11-26T20:00:00Z",
                    "CODE": "\(code)", "GOOD": "\(good)",
                ]), program: "/bin/sh"
        ).ended()
        // The first call is that of screenrig.
        let calls = try folder.read("calls").split(separator: "\n").dropFirst().map(String.init)
        return (ended, calls, text)
    }

    /// Name of the Job, and of the run directory that its pod uploads.
    private static let directories = [
        "premiere-full": "pod/reports/night-7/shard-3",
        "premiere-full-merge": "pod/reports/night-7/merged",
    ]

    @Test(
        "a pod whose upload fails four times says so, and is not complete",
        arguments: [
            ("premiere-full", 0, 3), ("premiere-full", 1, 3), ("premiere-full", 4, 3),
            ("premiere-full", 3, 3), ("premiere-full", 130, 130),
            ("premiere-full-merge", 0, 3), ("premiere-full-merge", 1, 3),
            ("premiere-full-merge", 4, 3), ("premiere-full-merge", 130, 130),
        ] as [(job: String, code: Int, ends: Int32)])
    func failedUpload(job: String, code: Int, ends: Int32) async throws {
        let folder = TestFolder()
        let name = try #require(Self.directories[job])
        let directory = folder.path(name)
        let (ended, calls, text) = try await Self.upload(job, code: code, in: folder)
        #expect(ended.code == ends, "\(ended.errors)")
        let upload = "upload \(directory)"
        #expect(
            calls == [
                "sleep 0", upload, "sleep 10", upload, "sleep 20", upload, "sleep 40", upload,
            ])
        let lines = ended.errors.split(separator: "\n")
        #expect(lines.count == 1, "\(ended.errors)")
        #expect(ended.errors.contains("run night-7: upload of \(directory) failed 4 times"))
        #expect(ended.errors.contains("exit code 7"))
        // No other pod signs in the same households, and 70 s of waits fit into the time after SIGTERM.
        let shards = try #require(try Self.job("premiere-full", in: text))
        let spec = try #require(shards["spec"] as? [String: Any])
        #expect(spec["backoffLimitPerIndex"] as? Int == 0)
        let policy = try #require(spec["podFailurePolicy"] as? [String: Any])
        let rules = try #require(policy["rules"] as? [[String: Any]])
        let failing = rules.filter { $0["action"] as? String == "FailIndex" }
        let codes = failing.compactMap {
            ($0["onExitCodes"] as? [String: Any])?["values"] as? [Int]
        }
        #expect(codes == [[2, 3]])
        let template = try #require(spec["template"] as? [String: Any])
        let pod = try #require(template["spec"] as? [String: Any])
        let grace = try #require(pod["terminationGracePeriodSeconds"] as? Int)
        #expect(grace > 100)
    }

    @Test(
        "an upload that succeeds at its third try is one",
        arguments: [
            ("premiere-full", 0, 0), ("premiere-full", 1, 0), ("premiere-full", 3, 3),
            ("premiere-full-merge", 0, 0), ("premiere-full-merge", 1, 1),
        ] as [(job: String, code: Int, ends: Int32)])
    func lateUpload(job: String, code: Int, ends: Int32) async throws {
        let folder = TestFolder()
        let name = try #require(Self.directories[job])
        let upload = "upload \(folder.path(name))"
        let (ended, calls, _) = try await Self.upload(job, code: code, good: 3, in: folder)
        #expect(ended.code == ends, "\(ended.errors)")
        #expect(calls == ["sleep 0", upload, "sleep 10", upload, "sleep 20", upload])
        #expect(ended.errors.isEmpty, "\(ended.errors)")
    }

    @Test(
        "where there is no run directory, nothing is uploaded",
        arguments: ["premiere-full", "premiere-full-merge"])
    func nothingToUpload(job: String) async throws {
        let folder = TestFolder()
        let (ended, calls, _) = try await Self.upload(job, code: 2, in: folder)
        #expect(ended.code == 2, "\(ended.errors)")
        #expect(calls.isEmpty && ended.errors.isEmpty, "\(calls) \(ended.errors)")
    }
}
