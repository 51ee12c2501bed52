import Dialects
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
            .codeUnique, .logoutFinal, .authorizationGates, .clockAgreement, .pollingEnds,
            .linearizable, .conforms, .signInDelivered, .profileConsistent, .profileViewsAgree,
            .actionTrue, .profileNotProlonged, .decisionTrue, .preauthorizeInert,
            .sessionSuperseded, .codeBindsDevice,
        ] {
            #expect(findings[invariant].checked > 0, "\(invariant)")
        }
        // Nothing came to its end, and there was one provider.
        for invariant in [Invariant.expiryRespected, .providerIndependence] {
            #expect(findings[invariant].checked == 0, "\(invariant)")
        }
    }

    @Test("I10: after a permit that came too late, that there is no profile is right")
    func permitAfterLogout() {
        var story = Story()
        story.session()
        story.login(at: 7_000)
        story.pollCode(at: 10_000, Story.shown(Story.alice, from: 8_002))
        story.signOut(at: 12_000)
        // Its profile is not shown: the permit alone says that somebody is signed in.
        story.decide(at: 12_030)
        story.see(at: 12_300)
        let found = story.findings.violations
        #expect(found.map(\.invariant) == [.logoutFinal], "\(found.map(\.sentence))")
        #expect(found.first?.companions.contains(.profileViewsAgree) == false)
    }

    @Test("a look at one provider's profile after something at another tests their independence")
    func independence() {
        let bob = Tag(mvpd: "DemoNet", user: "bob")
        let (first, second) = (
            Story.shown(Story.alice, from: 8_002), Story.shown(bob, from: 68_002)
        )
        var story = Story()
        story.see(at: 0)
        story.session(at: 10)
        story.login(at: 7_000)
        story.pollCode(at: 10_000, first)
        story.see([first], at: 11_000)
        #expect(story.findings[.providerIndependence].checked == 0)
        story.session("BBBBBB2", at: 60_000)
        story.login(bob, at: 67_000, code: "BBBBBB2")
        story.pollCode(at: 70_000, second, code: "BBBBBB2")
        story.see([first, second], at: 71_000)
        let findings = story.findings
        #expect(findings.violations.map(\.sentence) == [])
        #expect(findings[.providerIndependence].checked == 1)
    }

    @Test(
        "a view with the device's own times and another household's user is that household's",
        arguments: [true, false])
    func anothersName(isAnothers: Bool) throws {
        let bob = Tag(mvpd: Story.alice.mvpd, user: "bob")
        var story = Story()
        if isAnothers { story.liveWithProfiles(in: 8, tag: bob, code: "BBBBBB2") }
        story.see(at: 0)
        story.session(at: 10)
        story.login(at: 7_000)
        story.pollCode(at: 10_000, Story.shown(Story.alice, from: 8_002))
        story.see(at: bob.mvpd, Story.shown(bob, from: 8_002), at: 11_000)
        let found = try story.only()
        #expect(found.household == 7)
        #expect(found.invariant == (isAnothers ? .tokenIsolation : .profileViewsAgree))
        #expect(found.sentence.hasSuffix("household 8 signed in as that user") == isAnothers)
    }

    /// The profile's own times, by the service's clock, tell which login made it. Another phone may have begun its login
    /// before, and have been turned down after.
    @Test(
        "a profile with the times of a login that was let in is not a rejected one's",
        arguments: [true, false], [9_000.0, 7_500.0])
    func renamed(isOlder: Bool, rejected: Double) throws {
        let mvpd = Story.alice.mvpd
        var story = Story()
        story.rules.knowsUsers = false
        story.session()
        story.resume(at: 7_000)
        story.assertion(Tag(mvpd: mvpd, user: "first login"), at: 8_000)
        story.resume(at: 7_200)
        let took = 11_000 - rejected
        story.assertion(
            Tag(mvpd: mvpd, user: "other login"), at: rejected, took: took, by: .otherPhone,
            .denied,
            status: 400)
        story.confirm(at: 14_000, Story.shown(Tag(mvpd: mvpd, user: "oid-1"), from: 8_002))
        story.pollCode(at: 15_000, Story.shown(Tag(mvpd: mvpd, user: "oid-1"), from: 8_002))
        story.see(
            [Story.shown(Tag(mvpd: mvpd, user: "oid-2"), from: isOlder ? 8_002 : 11_002)],
            at: 15_500)
        let found = try story.only()
        #expect(found.invariant == (isOlder ? .profileViewsAgree : .errorsHaveNoEffect))
        #expect(
            found.sentence.contains("; only one login can have made it") == isOlder,
            "\(found.sentence)")
    }

    /// Whose it is the other finding tells; with two users it is not one profile.
    @Test("profiles of two users of one account are not compared as one")
    func twoFaces() throws {
        let account = Tag(mvpd: Story.alice.mvpd, user: "the login")
        var story = Story()
        story.rules.knowsUsers = false
        for (number, code) in ["AAAAAA1", "BBBBBB2"].enumerated() {
            let start = Double(number) * 30_000
            story.session(code, at: start)
            story.resume(at: 7_000 + start, code: code)
            story.assertion(account, at: 8_000 + start, code: code)
            story.pollCode(
                at: 10_000 + start,
                Story.shown(
                    Tag(mvpd: account.mvpd, user: "oid-\(number)"), from: 8_002 + Int64(start)),
                code: code)
        }
        for later in [500, 1_000] as [Int64] {
            story.see(
                [Story.shown(Tag(mvpd: account.mvpd, user: "oid-1"), from: 38_002 + later)],
                at: 45_000 + Double(later))
        }
        let sentences = story.findings.violations.map(\.sentence)
        #expect(sentences.contains { $0.contains("the profile of oid-1 at") }, "\(sentences)")
        #expect(!sentences.contains { $0.contains("the profile of oid-0 at") }, "\(sentences)")
    }

    @Test("after a logout and a new login, the profile of before is a suspicion")
    func revived() throws {
        var story = Story()
        ProfileCase.again(&story, from: 8_002)
        let found = try story.only()
        #expect(found.invariant == .logoutFinal && found.standing == .suspected)
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

    /// The configuration is not requested again, and the provider may be switched on meanwhile.
    @Test(
        "a platform's profile at a provider that the configuration has switched off is a suspicion",
        arguments: [true, false])
    func switchedOff(isOfProvider: Bool) {
        var story = Story()
        story.see(at: 0)
        let off = isOfProvider ? "DemoSatellite,DemoCable" : "DemoSatellite"
        story.tell(.tv, .configuration, at: 50, code: nil, record: off)
        story.exchange(at: 1_000)
        let found = story.findings.violations.map { ($0.invariant, $0.standing) }
        #expect(found.map(\.0) == (isOfProvider ? [.conforms] : []))
        #expect(found.allSatisfy { $0.1 == .suspected })
    }

    @Test("I14: a denial while the media token of a permit is valid is a suspicion")
    func reversal() throws {
        var story = Story()
        story.session()
        story.login(at: 7_000)
        story.pollCode(at: 10_000, Story.shown(Story.alice, from: 8_002))
        story.decide(at: 12_000)
        story.decide(at: 12_005, .denied, reason: "authorization_denied_by_mvpd")
        story.decide(at: 12_010, token: 9)
        let found = try story.only()
        #expect(found.invariant == .authorizationGates && found.standing == .suspected)
        #expect(
            found.sentence
                == "household 7: the TV's authorize #8 denied demo-1 1 ms after the TV's authorize #7 had "
                + "permitted it, while that permit's media token was valid; nothing in between changed the sign-in"
        )
        // Neither another resource, nor when that token is over, nor for another reason; a denial is not kept.
        story.exchanges.removeLast(2)
        story.decide(
            at: 12_010, .denied, resource: "demo-2", reason: "authorization_denied_by_mvpd")
        story.decide(at: 12_020, resource: "demo-2")
        story.decide(at: 12_030, .denied, reason: "authorization_denied_by_parental_controls")
        story.decide(at: 500_000, .denied, reason: "authorization_denied_by_mvpd")
        #expect(story.sentences == [])
    }

    @Test("what a TV asks by the platform's word after its logout tests that the profile ended")
    func partnersLogout() throws {
        var story = Story()
        story.exchange(at: 1_000)
        story.signOut(at: 12_000, "partner_logout")
        story.see(at: Story.alice.mvpd, at: 13_000)
        let logout = story.findings[.logoutFinal]
        #expect(logout.checked == 1 && logout.exposure?.delays.count == 1)
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

    /// Household 8 signs in under "viewer 1", household 9 is then shown its profile as a device's own.
    private static func home(
        apps: Int, shownTo subject: String, knowsUsers: Bool
    ) -> Findings {
        var story = Story()
        story.rules.appsOfDevice = apps
        story.rules.knowsUsers = knowsUsers
        story.see(at: 0, in: 8, subject: "viewer 1")
        story.session(at: 10, in: 8, subject: "viewer 1")
        story.login(at: 6_998, in: 8)
        story.see([Story.profile], .profilesByCode, at: 9_000, in: 8, code: "AAAAAA1")
        story.see([Story.profile], at: 20_000, in: 9, subject: subject)
        story.decide(at: 20_100, in: 9, subject: subject)
        return story.findings
    }

    @Test(
        "profiles that a service keeps for the device are no leak between two apps of it (B18)",
        arguments: [true, false])
    func appsOfDevice(knowsUsers: Bool) throws {
        let kept = Self.home(apps: 2, shownTo: "viewer 1", knowsUsers: knowsUsers)
        #expect(kept.violations.map(\.sentence) == [])
        #expect(kept.strongestLevel == .linearizable)
        // Of another home it is one all the same.
        let leaked = Self.home(apps: 2, shownTo: "viewer 2", knowsUsers: knowsUsers)
        #expect(leaked.violations.map(\.invariant) == [.identityIsolation])
        // Two devices of a home are told apart, and the sentence does not read as a leak between homes.
        let devices = Self.home(apps: 1, shownTo: "viewer 1", knowsUsers: knowsUsers)
        #expect(devices.violations.map(\.invariant) == [.tokenIsolation])
        let sentence = try #require(devices.violations.first).sentence
        #expect(
            sentence.hasSuffix(
                "; household 8 of the same home signed in as that user, on another device: its own "
                    + "profile is shown as this device's, and nothing went to another home"),
            "\(sentence)")
    }

    @Test(
        "a suspicion about the issuer does not hide whose profile it is", arguments: [true, false])
    func anothersIssuer(knowsUsers: Bool) {
        var story = Story()
        story.rules.knowsUsers = knowsUsers
        for (household, user) in [(7, "user-7"), (8, "user-8")] {
            let start = Double(household) * 10
            let account = Dialects.Tag(
                mvpd: Story.alice.mvpd, user: knowsUsers ? user : "a\(household)")
            let own = Story.shown(
                Dialects.Tag(mvpd: account.mvpd, user: user), from: 8_002 + Int64(start))
            let code = "AAAAAA\(household)"
            story.session(code, at: start, in: household)
            story.login(account, at: 7_000 + start, in: household, code: code)
            story.confirm(at: 9_000 + start, own, in: household, code: code)
            story.pollCode(at: 10_000 + start, own, in: household, code: code)
        }
        var wrong = Story.shown(Dialects.Tag(mvpd: Story.alice.mvpd, user: "user-8"), from: 8_082)
        wrong.issuer = Story.satellite
        story.pollCode(at: 15_000, wrong, code: "AAAAAA7")
        let failing = story.findings.violations.filter { $0.standing == .fails }
        #expect(Set(failing.map(\.invariant)) == [.tokenIsolation])
        #expect(failing.contains { $0.household == 7 }, "\(failing.map(\.sentence))")
    }

    @Test("another issuer alone is a suspicion, and nothing besides")
    func issuer() throws {
        var story = Story()
        story.session()
        story.login(at: 7_000)
        var profile = Story.shown(Story.alice, from: 8_002)
        profile.issuer = Story.satellite
        story.pollCode(at: 10_000, profile)
        let found = story.findings.violations
        #expect(found.map(\.invariant) == [.profileConsistent], "\(found.map(\.sentence))")
        #expect(found.map(\.standing) == [.suspected])
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
