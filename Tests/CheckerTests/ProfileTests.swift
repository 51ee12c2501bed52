import Statistics
import Testing
import Vocabulary

@testable import Checker

/// Households that speak REST V2 (rest-v2.md § 15).
@Suite("Profiles, sessions and identities")
struct ProfileTests {
    @Test("a clean life breaks nothing, and is checked against nearly everything")
    func clean() {
        let findings = Story.cleanProfiles().findings
        #expect(findings.violations.isEmpty, "\(findings.violations.map(\.sentence))")
        #expect(findings.undecided == 0)
        #expect(findings.strongestLevel == .linearizable)
        for invariant in [
            Invariant.noTokenBeforeSignIn, .tokenIsolation, .tokenMonotonic, .oneOwner, .oneToken,
            .codeUnique, .expiryRespected, .logoutFinal, .authorizationGates, .clockAgreement,
            .pollingEnds, .linearizable, .conforms, .signInDelivered, .profileConsistent,
            .profileViewsAgree, .actionTrue, .profileNotProlonged, .decisionTrue,
            .preauthorizeInert, .sessionSuperseded,
        ] {
            #expect(findings[invariant].checked > 0, "\(invariant)")
        }
    }

    @Test(
        "each promise, with a history that breaks it and one close to it",
        arguments: ProfileCase.all)
    func cases(_ one: ProfileCase) {
        let findings = one.story.findings
        let told = findings.violations.filter { $0.standing != .suspected }
        #expect(told.map(\.invariant) == [one.broken].compactMap(\.self), "\(one.story.sentences)")
        for violation in told {
            #expect(violation.sentence.hasPrefix("household "), "\(violation.sentence)")
        }
    }

    @Test(
        "whatever a home asks a service that keeps its promises, nothing is accused",
        arguments: Seed.samples(1000))
    func random(seed: Seed) {
        // Its TV polls for codes that are long over; the service is not to blame.
        let found = ProfileService(seed).story.findings.violations.filter {
            $0.invariant != .pollingEnds && $0.standing != .suspected
        }
        #expect(found.map(\.sentence) == [], "seed \(seed)")
    }

    @Test(
        "whatever devices of one identity ask a service that keeps its promises, nothing is accused",
        arguments: Seed.samples(500))
    func sharing(seed: Seed) {
        let found = SharedHomeService(seed).story.findings.violations.filter {
            $0.invariant != .pollingEnds && $0.standing != .suspected
        }
        #expect(found.map(\.sentence) == [], "seed \(seed)")
    }

    @Test("a run without REST V2 has none of its promises")
    func apart() {
        let findings = Story.clean().findings
        #expect(!findings.verdicts.contains { $0.invariant.isOfProfiles })
        #expect(findings[.profileConsistent].checked == 0)
    }

    @Test("rules of degraded access are kept in the header of a history")
    func degradations() throws {
        var rules = Rules()
        rules.degradations = [
            Rules.Degradation(mvpd: "a:b", from: .seconds(1), until: .milliseconds(2_500)),
            Rules.Degradation(mvpd: "DemoCable", from: .zero, until: .seconds(9)),
        ]
        #expect(rules.texts.contains("degradation=1000000000:2500000000:a:b"))
        #expect(try Rules(texts: rules.texts) == rules)
    }

    @Test("texts name the requests that were sent")
    func texts() throws {
        var story = Story()
        story.session()
        story.login(at: 7_000)
        story.pollCode(at: 8_040)
        story.pollCode(at: 10_000, Story.shown(Story.alice, from: 8_002))
        let found = try story.only()
        #expect(
            found.sentence
                == "household 7: the TV's profiles-by-code #6, sent 26 ms after the phone's "
                + "profiles-by-code #5 had confirmed the sign-in to the phone, returned \"not "
                + "signed in\"")
        #expect(found.companions == [.linearizable])
        #expect(
            found.signature
                == "sign-in-visible: profiles-by-code success > profiles-by-code absent")
    }

    @Test("what stays of a device that several may sign in on fits where it did")
    func sizes() {
        #expect(MemoryLayout<DeviceState>.size == 8)
        #expect(MemoryLayout<TokenRead>.stride == 32)
        #expect(MemoryLayout<SignOut>.stride == MemoryLayout<CompactOperation>.stride)
        #expect(MemoryLayout<SignInAttempt>.stride == 32)
        #expect(MemoryLayout<Observed>.stride == 72)
    }

    @Test("a profile's values and its code in the model's eight bytes")
    func model() throws {
        var state = DeviceState()
        for slot in 1...DeviceState.profiles {
            state.set(slot, token: slot + 8, code: 15 - slot)
        }
        for code in 0..<DeviceState.profileCodes { state.set(code, .fresh) }
        state.killFreshCodes()
        for slot in 1...DeviceState.profiles {
            #expect(state.profile(slot).token == slot + 8)
            #expect(state.profile(slot).code == 15 - slot)
        }
        var values = ModelOperation.ProfileValues()
        #expect(values.act == nil)
        for slot in 1...DeviceState.profiles { values[slot] = slot + 8 }
        #expect(values.hold(in: state))
        values[3] = ModelOperation.ProfileValues.somebody
        let act = try #require(values.act)
        #expect(DeviceModel(Rules()).holds(state, act))
        values[3] = 0
        #expect(!values.hold(in: state))
    }
}
