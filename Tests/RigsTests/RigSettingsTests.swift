import Testing

@testable import Rigs

/// What two recorded rigs are compared by.
@Suite("The effective settings of a rig, however it is written")
struct RigSettingsTests {
    private static let plain = """
        rig: x
        target: {base: "http://127.0.0.1:8080"}
        load: {arrivals: [{ramp-to: 4/s, over: 0s}, {hold: 8s}], settle: 1s}
        polling: {every: 4s, jitter: 20%}
        after-sign-in: [user-metadata, {logout: 50%}]
        """

    private func same(_ other: String) -> Bool {
        Rig.settings(of: Self.plain) == Rig.settings(of: other)
    }

    @Test("order of keys, style and comments say nothing")
    func style() {
        #expect(
            same(
                """
                polling:   # how
                  jitter: 20%
                  every: "4s"
                after-sign-in:
                  - user-metadata
                  - logout: 50%
                load:
                  settle: 1s
                  arrivals: [{over: 0s, ramp-to: 4/s}, {hold: 8s}]
                target: {base: http://127.0.0.1:8080}
                rig: x
                """))
    }

    @Test(
        "neither does a default that is written out",
        arguments: [
            ("settle: 1s", "settle: 1s", true), ("8080\"}", "8080\", max-rate: none}", true),
            ("8080\"}", "8080\", max-rate: 5/s}", false), ("rig: x", "rig: x\nrecord: all", true),
            ("jitter: 20%", "jitter: 30%", false), ("hold: 8s", "hold: 9s", false),
        ])
    func defaults(text: String, by: String, isSame: Bool) {
        #expect(same(Self.plain.replacing(text, with: by)) == isSame)
    }

    @Test(
        "nor does the unit of a value",
        arguments: [
            ("every: 4s", "every: 4000ms", true), ("every: 4s", "every: 4001ms", false),
            ("4/s", "240/m", true), ("4/s", "241/m", false), ("settle: 1s", "settle: 1000ms", true),
            ("20%", "20.0 %", true), ("logout: 50%", "logout: 50.00%", true),
            ("hold: 8s", "hold: 0m8s", true),
        ])
    func units(text: String, by: String, isSame: Bool) {
        #expect(same(Self.plain.replacing(text, with: by)) == isSame)
    }

    @Test("a map whose order says something keeps it, and no other")
    func order() {
        let (one, other) = (
            "load: {closed: {households: 1, for: 5s}}\n",
            "load: {closed: {for: 5s, households: 1}}\n"
        )
        func rig(_ load: String, _ headers: String) -> String {
            "rig: x\n\(load)target: {base: \"http://127.0.0.1:8080\", headers: {\(headers)}}\n"
        }
        let same = Rig.settings(of: rig(other, "X-B: b, X-A: a"))
        #expect(Rig.settings(of: rig(one, "X-B: b, X-A: a")) == same)
    }

    @Test("where a fault stands says nothing")
    func faults() {
        let (one, other) = (
            "rig: x\nload: {closed: {households: 1}}\ntarget: {base: embedded}\n",
            "faults: [{ack-before-apply: {window: 1s}}]\n"
        )
        #expect(Rig.settings(of: one + other) == Rig.settings(of: other + one))
        #expect(Rig.settings(of: other + one)["target"] == "{}\n")
    }

    @Test("options that change nothing leave it as it is")
    func options() throws {
        let surroundings = RigSurroundings(
            overrides: [("load.settle", "1s"), ("target.max-rate", "none")],
            target: .url("http://127.0.0.1:8080"))
        let read = try Rig.read(Self.plain, file: "x.yaml", with: surroundings)
        #expect(read.rig.source != Self.plain && same(read.rig.source))
    }

    @Test("a rig of another version is compared as it is written, without comments")
    func unreadable() {
        let one = Rig.settings(of: "rig: x\nodd: {b: 1, a: 2} # why\n")
        #expect(one == Rig.settings(of: "odd:\n  a: 2\n  b: 1\nrig: x\n"))
        #expect(one["odd"] != nil)
    }
}
