import Testing

@testable import Rigs

@Suite("Events of a rig") struct EventRigTests {
    private static func read(_ lines: String) throws -> Rig {
        try Rig.read(
            "rig: x\ntarget: {base: embedded}\nload: {arrivals: [{ramp-to: 1/s, over: 0s}, {hold: 1s}]}\n"
                + lines,
            file: "x.yaml"
        ).rig
    }

    private static func problems(_ lines: String) -> String {
        do {
            _ = try read(lines)
            return ""
        } catch { return "\(error)" }
    }

    @Test("commands are words, or a line of a shell")
    func commands() throws {
        let rig = try Self.read(
            """
            events:
              - {name: a, at: 5m, run: "kubectl rollout restart 'deploy/my auth'", until: 6m}
              - {name: b, at: 1s, run: "x | y", shell: true}
              - {name: c, at: 2s}
              - {name: d, at: 2s, run: 'sh -c "x | y > z" "&&" \\;'}
            """)
        #expect(rig.events[0].arguments == ["kubectl", "rollout", "restart", "deploy/my auth"])
        #expect(rig.events[0].until == .seconds(360))
        #expect(rig.events[1].arguments == ["/bin/sh", "-c", "x | y"])
        #expect(rig.events[2].arguments.isEmpty)
        #expect(rig.events[3].arguments == ["sh", "-c", "x | y > z", "&&", ";"])
    }

    @Test(
        "what cannot be meant is refused",
        arguments: [
            ("events: [{name: a, at: 5s, until: 5s}]", "until is not after 'at'"),
            ("events: [{name: a, at: 5s, run: \"x 'y\"}]", "a quote that is not closed"),
            ("events: [{name: a, at: 5s, run: \"x | y\"}]", "add 'shell: true'"),
            ("events: [{name: a, at: 5s, shell: true}]", "shell is about a command"),
            ("events: [{name: \"a b\", at: 5s}]", "letters, digits"),
            ("thresholds: [{limit: sign-in p95 < 5s, after: 3s}]", "'abort: true'"),
            (
                "thresholds: [{limit: rollout recovery < 5s, abort: true}]",
                "known at the end only"
            ),
            ("thresholds: [{abort: true}]", "limit"),
        ])
    func refused(lines: String, words: String) {
        #expect(Self.problems(lines).contains(words), "\(Self.problems(lines))")
    }

    @Test("a threshold may end a run; a recovery is one")
    func thresholds() throws {
        let rig = try Self.read(
            "thresholds: [{limit: errors < 5%, abort: true, after: 30s}, rollout recovery < 30s]")
        let abort = try #require(rig.thresholds.first { $0.text == "errors < 5%" })
        #expect(abort.abortsAfter == .seconds(30))
        let recovery = try #require(rig.thresholds.last)
        #expect(recovery.subject == .recovery(event: "rollout") && recovery.bound == 30e9)
        #expect(recovery.abortsAfter == nil)
        // It takes the place of the default on the same subject.
        #expect(!rig.thresholds.contains { $0.text == "errors < 1%" })
    }
}
