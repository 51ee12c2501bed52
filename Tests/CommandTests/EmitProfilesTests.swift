import Foundation
import TestSupport
import Testing

/// Scripts of the promises that only REST V2 has: each against a server of its own, with the fault and without.
@Suite("A case of REST V2 for people without this tool", .ownThread)
struct EmitProfilesTests {
    struct Planted: Sendable, CustomStringConvertible {
        var plan: String
        var fault: String
        var promise: String
        /// As the race and the server take them.
        var sets: [String] = []
        var description: String { "\(promise) by \(fault)" }
    }

    static let planted: [Planted] = [
        Planted(plan: "own-look", fault: "wrong-provider-profile", promise: "profile-consistent"),
        Planted(plan: "own-look", fault: "views-differ", promise: "profile-views-agree"),
        Planted(plan: "forecast", fault: "views-differ", promise: "token-isolation"),
        Planted(plan: "named-session", fault: "premature-authorize", promise: "action-true"),
        Planted(plan: "two-permits", fault: "media-token-repeat", promise: "decision-true"),
        Planted(plan: "forecast", fault: "preauthorize-token", promise: "preauthorize-inert"),
        Planted(
            plan: "two-identities", fault: "foreign-service-token", promise: "identity-isolation"),
        Planted(plan: "shared-sign-in", fault: "partial-single-logout", promise: "single-logout"),
        Planted(
            plan: "pass", fault: "temppass-refill", promise: "temppass-budget",
            sets: ["race.offsets=1200ms..1500ms"]),
        Planted(
            plan: "nobody", fault: "degradation-outlives-rule:window=1h",
            promise: "degradation-bounded",
            sets: ["standin.degrade=[{mvpd: DemoCable, rule: AuthNAll, until: 1ms}]"]),
        Planted(plan: "older-code", fault: "superseded-code-lives", promise: "session-superseded"),
    ]

    @Test(
        "the script sees the fault, and nothing on a service that keeps its promises",
        arguments: planted)
    func script(_ one: Planted) async throws {
        let folder = TestFolder()
        let rig = Command.rig("races/v2-own-steps.yaml")
        let raced = try await Command(
            ["race", rig, "--virtual", "--quiet", "--plan", one.plan, "--fault", one.fault]
                + one.sets.flatMap { ["--set", $0] } + ["--out", "race"], in: folder
        ).ended()
        #expect(raced.code == 1, "\(raced.output)\(raced.errors)")
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.path("race/cases"))
        let name = try #require(
            names.sorted().first { $0.hasSuffix("\(one.promise).json") },
            "\(names)\(raced.output)")
        try await Self.play("race/cases/\(name)", one, in: folder)
    }

    @Test("a case out of a run, in which a session went to another home's device")
    func hijacked() async throws {
        let folder = TestFolder()
        let one = Planted(plan: "", fault: "session-hijack", promise: "code-binds-device")
        let ended = try await Command(
            [
                "simulate", Command.rig("detection-v2.yaml"), "--fault", one.fault, "--out", "run",
                "--quiet", "--set", "load.arrivals.1.hold=6s",
            ], in: folder
        ).ended(within: .seconds(240))
        #expect(ended.code == 1, "\(ended.output)")
        try await Self.play("run/cases/\(one.promise).json", one, in: folder)
    }

    /// The script exits 1 and counts where the fault is, and exits 0 where it is not.
    private static func play(_ file: String, _ one: Planted, in folder: TestFolder) async throws {
        let script = try await Command.run("replay", file, "--emit", "python", in: folder)
        #expect(script.code == 0 && script.errors.isEmpty, "\(script.errors)")
        _ = try folder.write(script.output, to: "race.py")
        for (fault, code) in [(one.fault, Int32(1)), ("none", 0)] {
            let policies = one.sets.filter { $0.hasPrefix("standin.") }
            let server = try Command(
                [
                    "serve", "--port", "0", "--no-throttle", "--fault", fault, "--rig",
                    Command.rig("races/v2-own-steps.yaml"),
                ] + policies.flatMap { ["--policy", $0] }, in: folder)
            let url = try await server.url()
            let ended = try await Command(
                ["python3", "race.py", "4"], in: folder, environment: ["SCREENRIG_TARGET": url],
                program: "/usr/bin/env"
            ).ended()
            #expect(ended.code == code, "\(fault): \(ended.output)\(ended.errors)")
            let hits = ended.output.firstMatch(of: #/(\d+) of 4 \(Clopper-Pearson/#)?.1
            let count = try #require(Int(hits ?? ""), "\(ended.output)\(ended.errors)")
            #expect(code == 0 ? count == 0 : count > 0, "\(ended.output)")
            server.send(SIGINT)
            _ = try await server.ended()
        }
    }
}
