import Foundation
import TestSupport
import Testing

@Suite("From one protocol to the other, at the command line")
struct MigrateTests {
    private static let rig = """
        # What everybody watches.
        rig: evening
        target: {base: embedded}
        load: {closed: {households: 12}, settle: 1s}
        kinds:
          - name: living room
            viewer: {notices-code: fixed 1s, signs-in: fixed 1s, gives-up: 0%}
        polling: {every: 3s}
        after-sign-in: [authorize, media-token]   # playing
        shows: [poll-token pending]

        """

    @Test("migrate prints a rig that validate takes, and tells each line beside it")
    func printed() async throws {
        let ended = try await Trying.run(["migrate", "a.yaml"], files: ["a.yaml": Self.rig])
        #expect(ended.code == 0, "\(ended.errors)")
        #expect(ended.output.hasPrefix("# What everybody watches.\nrig: evening\n"))
        #expect(ended.output.contains("after-sign-in: [authorize]   # playing\n"))
        #expect(ended.errors.contains("a.yaml:9:28: removed: after-sign-in: media-token"))
        let next = try await Trying.run(["validate", "b.yaml"], files: ["b.yaml": ended.output])
        #expect(next.code == 0, "\(next.errors)")
    }

    @Test("a file is written once, and what is told goes to standard output")
    func written() async throws {
        let ended = try await Trying.run(
            ["migrate", "a.yaml", "--out", "b.yaml"], files: ["a.yaml": Self.rig])
        #expect(ended.code == 0, "\(ended.errors)")
        #expect(ended.output.contains("screenrig try b.yaml"))
        #expect(try ended.read("b.yaml").contains("protocol: adobe-pass-v2"))
        let again = try await Trying.run(
            ["migrate", "a.yaml", "--out", "b.yaml"],
            files: ["a.yaml": Self.rig, "b.yaml": "precious"])
        #expect(again.code == 2 && again.errors.contains("b.yaml already exists"))
        #expect(try again.read("b.yaml") == "precious")
    }

    @Test(
        "a rig that is wrong, or cannot move, is exit code 2 and leaves no file",
        arguments: [
            ("rig: a\nload: {closed: {households: 1}}\n", "target"),
            (
                "rig: a\ntarget: {base: embedded, protocol: adobe-pass-v2}\n"
                    + "load: {closed: {households: 1}}\n", "speaks adobe-pass-v2 already"
            ),
            (
                "rig: a\ntarget: {base: embedded}\nload: {closed: {households: 1}}\n"
                    + "kinds: [{name: app, first-screen: sdk-ios}]\n", "AccessEnabler SDK"
            ),
        ])
    func refused(rig: String, reason: String) async throws {
        let ended = try await Trying.run(
            ["migrate", "a.yaml", "--out", "b.yaml"], files: ["a.yaml": rig])
        #expect(ended.code == 2)
        #expect(ended.errors.contains(reason), "\(ended.errors)")
        #expect(throws: (any Error).self) { try ended.read("b.yaml") }
    }

    @Test("a run of both protocols is one line in summary.json, and taken apart by --by-protocol")
    func mixed() async throws {
        let folder = TestFolder()
        let mixed = Self.rig.replacing(
            "polling:",
            with: "  - {name: bedroom, protocol: adobe-pass-v2, viewer: "
                + "{notices-code: fixed 1s, signs-in: fixed 1s, gives-up: 0%}}\npolling:"
        ).replacing("poll-token pending", with: "poll-token ok")
        let rig = try folder.write(mixed, to: "mixed.yaml")
        let ran = try await Command.run("simulate", rig, "--out", "run", "--quiet", in: folder)
        #expect(ran.code == 0, "\(ran.output)\(ran.errors)")
        let run = try Run(folder, "run")
        #expect(run["run", "protocol"] as? String == "adobe-pass-v1+adobe-pass-v2")
        #expect(run["run", "protocols"] as? [String] == ["adobe-pass-v1", "adobe-pass-v2"])
        let compared = try await Command.run(
            "compare", "run", "--by-protocol", "--json", in: folder)
        #expect([0, 1].contains(compared.code), "\(compared.errors)")
        let read =
            try JSONSerialization.jsonObject(with: Data(compared.output.utf8)) as? [String: Any]
        let protocols = try #require(read?["protocols"] as? [String: Any])
        #expect(protocols["baseSignIns"] as? Int == 6 && protocols["runSignIns"] as? Int == 6)
        let two = try await Command.run("compare", "run", "run", "--by-protocol", in: folder)
        #expect(two.code == 2 && two.errors.contains("takes one run"))
    }

    @Test("list shows one sort of names, and explain the protocols")
    func names() async throws {
        let listed = try await Trying.run(["list", "protocols"])
        #expect(listed.code == 0 && !listed.output.contains("operations"))
        #expect(listed.output.contains("  adobe-pass-v2  "))
        let unknown = try await Trying.run(["list", "banana"])
        #expect(unknown.code == 2 && unknown.errors.contains("unknown list 'banana'"))
        let explained = try await Trying.run(["explain", "poll-token"])
        #expect(explained.output.contains("profiles-by-code"))
    }
}
