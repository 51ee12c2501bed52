import Foundation
import TestSupport
import Testing

/// A disk of its own for one command: a small tmpfs in a mount namespace of its own, which needs
/// root and a kernel that lets it.
@Suite("A full disk", .ownThread)
struct DiskTests {
    private static let refusal: String? = {
        guard geteuid() == 0 else { return "mounting a small disk needs root" }
        let command = ["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt"]
        guard let trial = try? Program(command) else { return "there is no unshare" }
        return trial.status == 0 ? nil : "this kernel lets nobody mount here"
    }()

    @Test("a run ends with exit code 3, in words, and with what it could keep", arguments: [1, 14])
    func full(megabytes: Int) async throws {
        if let refusal = Self.refusal { return print("not tested: a full disk; \(refusal)") }
        let folder = TestFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "disk"), withIntermediateDirectories: false)
        // Copies what is left on the disk to where it outlives the namespace.
        let script = """
            mount -t tmpfs -o size=\(megabytes)m tmpfs disk || exit 99
            "$0" simulate "$1" --out disk/run --quiet
            code=$?
            cp -r disk/run kept 2>/dev/null
            exit $code
            """
        let command = try Command(
            [
                "unshare", "-m", "sh", "-c", script, Command.binary,
                Command.rig("second-screen.yaml"),
            ], in: folder, program: "/usr/bin/env")
        let ended = try await command.ended(within: .seconds(120))
        #expect(ended.code == 3, "\(ended.output)\(ended.errors)")
        #expect(!ended.wasSignalled)
        let words = (ended.output + ended.errors).lowercased()
        #expect(words.contains("free some space") || words.contains("disk is full"), "\(words)")
        if megabytes > 8 {
            // The reserve of 8 MB is freed for the report.
            try expectComplete(folder, "kept")
            #expect(try Run(folder, "kept")["outcome"] as? String == "aborted")
        }
    }

    @Test("a judge that lags and has no room for its spill file says so, and such a run is no pass")
    func spill() async throws {
        if let refusal = Self.refusal { return print("not tested: a full disk; \(refusal)") }
        let folder = TestFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "disk"), withIntermediateDirectories: false)
        // Room for one history and its reserve of 8 MB, and not for the reserve of another.
        let script = """
            mount -t tmpfs -o size=10m tmpfs disk || exit 99
            "$0" simulate "$1" --out disk/run --record aggregates --judge-backlog=-1
            code=$?
            cp -r disk/run kept
            exit $code
            """
        let command = try Command(
            ["unshare", "-m", "sh", "-c", script, Command.binary, Command.rig("twenty.yaml")],
            in: folder, program: "/usr/bin/env")
        let ended = try await command.ended(within: .seconds(120))
        #expect(ended.code == 4, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("Invalid: not checked from second "))
        let run = try Run(folder, "kept")
        #expect(run["outcome"] as? String == "invalid")
        #expect(
            try FileManager.default.contentsOfDirectory(
                atPath: folder.url.appending(path: "kept").path
            )
            .allSatisfy { !$0.hasPrefix("spill") })
    }
}
