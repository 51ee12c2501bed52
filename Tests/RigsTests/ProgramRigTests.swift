import Testing

@testable import Rigs

@Suite("TVs that stay on") struct ProgramRigTests {
    private static func read(_ activity: String, _ spoken: String = "adobe-pass-v1") throws -> Rig {
        try Rig.read(
            """
            rig: stays on
            target: {base: embedded, protocol: \(spoken), resources: [news, sports]}
            load: {arrivals: [{ramp-to: 1/s, over: 0s}, {hold: 3s}]}
            after-sign-in: [\(activity)]
            """, file: "r.yaml"
        ).rig
    }

    private static func problem(_ activity: String, _ spoken: String = "adobe-pass-v1") -> String {
        do {
            _ = try read(activity, spoken)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("programs follow one another for as long as the TV stays on")
    func programs() throws {
        let rig = try Self.read("{plays: {for: 4h, every: 45m}}")
        let activities = Plan(rig, seed: rig.seed).household(0)?.activities ?? []
        let programs = activities.filter(\.isProgram)
        #expect(programs == (0..<6).map { .program($0) })
        let watched = activities.compactMap { activity -> Duration? in
            if case .watch(let time) = activity { time } else { nil }
        }
        #expect(watched.reduce(.zero, +) == .seconds(4 * 3600))
        #expect(watched.last == .seconds(15 * 60))
    }

    @Test("the plan counts a media token for each program, and an authorization for each resource")
    func estimate() throws {
        let rig = try Self.read("{plays: {for: 4h, every: 30m}}")
        // 97 % of viewers sign in.
        let estimate = PlanEstimate(Plan(rig, seed: rig.seed), on: PlanEstimateTests.machine)
        #expect(estimate.description.contains(#/media-token +7\.76 /#), "\(estimate.description)")
        #expect(estimate.description.contains(#/authorize +1\.94 /#), "\(estimate.description)")
    }

    @Test("what a rig runs on this machine is told, without its secrets")
    func commands() throws {
        let rig = try Rig.read(
            """
            rig: x
            target: {base: embedded}
            load: {arrivals: [{ramp-to: 1/s, over: 0s}, {hold: 9s}]}
            events: [{name: deploy, at: 5s, run: "deploy --key ${KEY}"}]
            """, file: "x.yaml", with: RigSurroundings(environment: ["KEY": "hunter2-hunter2"])
        ).rig
        #expect(rig.events[0].run == "deploy --key hunter2-hunter2")
        #expect(
            rig.commands == [
                "deploy, 5 s after the load begins: deploy --key (secret) (without a shell, at most "
                    + "10 min; not in virtual time)"
            ])
    }

    @Test("what cannot be played is refused, and says what to change")
    func refused() {
        #expect(
            Self.problem("{plays: {for: 8h, every: 1s}}")
                .contains("a TV would play more than 500 programs; make 'every' longer"))
        #expect(Self.problem("{plays: {every: 1h}}").contains("for"))
        #expect(
            Self.problem("{plays: {for: 1h}}", "oauth-device-grant")
                .contains("plays needs authorizations, and oauth-device-grant has none"))
    }
}
