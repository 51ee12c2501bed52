import Testing
import Vocabulary

@testable import Rigs

@Suite("Policies, and the stand-in's own")
struct PoliciesTests {
    @Test("each policy is read, and printed as it was written")
    func given() throws {
        let rig = try Rig.sample(
            """
            policies: {code-reuse: until-expiry, new-code: keep, second-sign-in: reject,
              media-reuse: until-expiry, gone-decays: false, visibility: 250ms, sweep-lag: 1s,
              clock-tolerance: 5ms, unknown-deadline: 2m, throttle: {rate: 2/s, burst: 5}}
            """)
        #expect(
            rig.policies
                == Policies(
                    codeReuse: .untilExpiry, newCode: .keep, secondSignIn: .reject,
                    mediaReuse: .untilExpiry, goneDecays: false, visibility: .milliseconds(250),
                    sweepLag: .seconds(1), clockTolerance: .milliseconds(5),
                    unknownDeadline: .seconds(120),
                    throttle: .init(rate: Rate(perSecond: 2), burst: 5)))
        #expect(
            rig.policies.lines == [
                "code-reuse: until-expiry", "new-code: keep", "second-sign-in: reject",
                "media-reuse: until-expiry", "gone-decays: false", "visibility: 250ms",
                "sweep-lag: 1s", "clock-tolerance: 5ms", "unknown-deadline: 120s",
                "throttle: 2/s, burst 5",
            ])
        #expect(rig.standin.policies == rig.policies)
    }

    @Test("the defaults are those of the protocol's page")
    func defaults() throws {
        let rig = try Rig.sample()
        #expect(rig.policies == Policies())
        #expect(rig.standin.policies == Policies())
        #expect(rig.policies.lines.last == "throttle: 1/s, burst 10")
        #expect(rig.policies.lines.contains("visibility: 0ms"))
        let free = try Rig.sample("policies: {throttle: none}")
        #expect(free.policies.throttle == nil && free.standin.policies.throttle == nil)
        #expect(free.policies.lines.last == "throttle: none")
    }

    @Test("the stand-in may differ from what it is held to")
    func differing() throws {
        let rig = try Rig.sample(
            """
            standin: {policies: {code-reuse: until-expiry, gone-decays: false}, throttle: off}
            """)
        #expect(rig.policies == Policies())
        #expect(
            rig.standin.policies
                == Policies(codeReuse: .untilExpiry, goneDecays: false, throttle: nil))
        let tight = try Rig.sample("standin: {throttle: {rate: 30/m, burst: 0}}")
        #expect(tight.standin.policies.throttle?.rate.perSecond == 0.5)
        #expect(tight.standin.policies.throttle?.burst == 0)
    }

    @Test("providers of the stand-in, with what they are on the platform")
    func providers() throws {
        let rig = try Rig.sample(
            """
            standin: {providers: [{id: A}, {id: B, platform: picker, proxy: Hub, metadata: false},
              {id: T, temp-pass: 10m, authn-ttl: 1h}, {id: Z, platform: none, encrypted-zip: true}]}
            """)
        typealias Provider = Rig.StandinTerms.Provider
        #expect(
            rig.standin.providers == [
                Provider(id: "A"),
                Provider(id: "B", platform: .picker, offersMetadata: false, proxy: "Hub"),
                Provider(
                    id: "T", platform: .none, passTime: .seconds(600),
                    authnLifetime: .seconds(3600)),
                Provider(id: "Z", platform: .none, encryptsZip: true),
            ])
        #expect(throws: RigErrors.self) {
            try Rig.sample("standin: {providers: [{id: A}, {id: A}]}")
        }
        #expect(throws: RigErrors.self) { try Rig.sample("policies: {code-reuse: twice}") }
    }
}
