import Dialects
import Statistics
import Testing
import Vocabulary

@testable import Checker

/// What counts as checked, what levels are broken by, and what becomes of answers that fail.
@Suite("Counting")
struct CountingTests {
    @Test("an answer that says no after a sign-out or a deletion was checked as well")
    func ends() {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.poll(at: 2_000, Story.alice)
        story.tell(.tv, .deleteRegistration, at: 3_000, status: 204)
        #expect(story.findings[.logoutFinal].checked == 0)
        #expect(story.findings[.deleteFinal].checked == 0)
        story.tell(.tv, .registrationRecord, at: 3_500, .absent)
        story.tell(.tv, .logout, at: 4_000, code: nil, status: 204)
        story.poll(at: 5_000)
        story.tell(.tv, .mediaToken, at: 6_000, .denied, code: nil, resource: "demo-1")
        let findings = story.findings
        #expect(findings.violations.map(\.sentence) == [])
        #expect(findings[.deleteFinal].checked == 1)
        #expect(findings[.logoutFinal].checked == 2)
    }

    @Test("the first poll after the phone was told done tests whether the TV sees it: once")
    func clean() {
        var story = Story()
        story.code()
        story.poll(at: 1_000)
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.poll(at: 10_000, Story.alice)
        story.poll(at: 11_000, Story.alice)
        #expect(story.sentences == [])
        #expect(story.findings[.signInVisible].checked == 1)
        #expect(story.findings[.tokenMonotonic].checked == 1)
        #expect(Story.clean().findings[.signInVisible].checked == 1)
    }

    @Test("a delay runs from the login's answer to the answer of the first poll sent after it")
    func delays() throws {
        var story = Story()
        story.code()
        story.poll(at: 1_000)
        story.poll(at: 7_998, took: 10)
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.poll(at: 10_000, Story.alice)
        story.poll(at: 11_000, Story.alice)
        story.poll(at: 12_000, Story.alice)
        let visible = try #require(story.findings[.signInVisible].exposure)
        #expect(visible.events == 1)
        #expect(visible.delays.count == 1 && visible.delays.smallest == 2_000_000_000)
        let monotonic = try #require(story.findings[.tokenMonotonic].exposure)
        #expect(monotonic.events == 1)
        #expect(monotonic.delays.count == 1 && monotonic.delays.smallest == 1_000_000_000)
        #expect(story.findings[.signInVisible].households == 1)
        #expect(story.findings[.oneToken].exposure == nil)
    }

    @Test(
        "a sign-in that no poll followed, a logout and a deletion that nothing followed were not looked at"
    )
    func unlooked() throws {
        var story = Story()
        story.code()
        story.assertion(at: 2_000)
        // It was on its way already.
        story.poll(at: 1_999, took: 20, Story.alice)
        story.tell(.tv, .deleteRegistration, at: 3_000, status: 204)
        story.tell(.tv, .logout, at: 4_000, code: nil, status: 204)
        for invariant in [Invariant.signInVisible, .tokenMonotonic, .logoutFinal, .deleteFinal] {
            let exposure = try #require(story.findings[invariant].exposure)
            #expect(exposure.events == 1 && exposure.delays.count == 0, "\(invariant)")
        }
        story.tell(.tv, .registrationRecord, at: 4_500, .absent)
        story.poll(at: 5_000)
        story.poll(at: 6_000)
        let logout = try #require(story.findings[.logoutFinal].exposure)
        #expect(logout.delays.count == 1 && logout.delays.smallest == 1_000_000_000)
        let deletion = try #require(story.findings[.deleteFinal].exposure)
        #expect(deletion.delays.count == 1 && deletion.delays.smallest == 1_500_000_000)
    }

    @Test("a delay that policies.visibility allows is none")
    func allowed() throws {
        var story = Story()
        story.rules.policies.visibility = .seconds(3)
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 10_000)
        story.poll(at: 12_000, Story.alice)
        let exposure = try #require(story.findings[.signInVisible].exposure)
        #expect(exposure.delays.count == 1 && exposure.delays.smallest == 4_000_000_000)
    }

    @Test("each of sixteen late polls counts once", arguments: [true, false])
    func late(isTold: Bool) throws {
        var story = Story()
        story.code()
        story.poll(at: 1_000)
        story.assertion(at: 8_000)
        if isTold { story.check(at: 8_010) }
        for number in 0..<16 { story.poll(at: 9_000 + Double(number) * 100) }
        for number in 0..<4 { story.poll(at: 11_000 + Double(number) * 100, Story.alice) }
        let found = try story.only()
        #expect(found.invariant == .signInVisible)
        #expect(story.findings[.signInVisible].checked == 17)
        #expect(story.findings[.tokenMonotonic].checked == 3)
    }

    @Test("a login that came to nothing tests nothing")
    func noSignIn() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        for number in 0..<16 { story.poll(at: 9_000 + Double(number) * 100) }
        #expect(story.findings[.signInVisible].checked == 0)
        story.assertion(at: 12_000)
        story.poll(at: 13_000, Story.alice)
        #expect(story.sentences == [])
        #expect(story.findings[.signInVisible].checked == 1)
    }

    @Test("the sign-in after a logout is tested as the first was")
    func again() throws {
        var story = Story.clean()
        story.code("BBBBBB2", at: 22_000)
        story.assertion(Story.bob, at: 23_000, code: "BBBBBB2")
        story.check(at: 23_500, code: "BBBBBB2")
        var late = story
        story.poll(at: 24_000, Story.bob, code: "BBBBBB2")
        #expect(story.sentences == [])
        #expect(story.findings[.signInVisible].checked == 2)
        late.poll(at: 24_000, code: "BBBBBB2")
        late.poll(at: 25_000, Story.bob, code: "BBBBBB2")
        #expect(try late.only().invariant == .signInVisible)
        #expect(late.findings[.signInVisible].checked == 3)
    }

    @Test("polls before the sign-in could have shown a token")
    func early() {
        var story = Story()
        story.code()
        for number in 1...5 { story.poll(at: Double(number) * 1_000) }
        #expect(story.findings[.noTokenBeforeSignIn].checked == 5)
    }

    @Test(
        "an answer before the code tests it only where there never is a code, one after the sign-in never"
    )
    func tooEarly() {
        var story = Story()
        story.tell(.tv, .checkAuthentication, at: 0, .absent, code: nil, status: 403)
        #expect(story.findings[.noTokenBeforeSignIn].checked == 1)
        story.code(at: 10)
        story.assertion(at: 1_000)
        story.poll(at: 2_000, Story.alice)
        #expect(story.findings[.noTokenBeforeSignIn].checked == 0)
    }

    @Test("a violation is a check, whatever found it")
    func broken() throws {
        var story = Story()
        story.tell(.tv, .checkAuthentication, at: 0, code: nil)
        story.code(at: 10)
        #expect(try story.only().invariant == .noTokenBeforeSignIn)
        let result = story.findings[.noTokenBeforeSignIn]
        #expect(result.checked == 1 && result.households == 1)
    }

    @Test("what comes after the end of a code or of a sign-in tests that they end")
    func expiry() {
        var story = Story()
        story.code(life: 60)
        story.poll(at: 1_000)
        story.tell(.phone, .registrationRecord, at: 30_000)
        #expect(story.findings[.expiryRespected].checked == 0)
        story.tell(.phone, .authenticate, at: 90_000, .denied)
        #expect(story.findings[.expiryRespected].checked == 1)

        var token = Story()
        token.code()
        token.assertion(at: 1_000)
        token.poll(at: 2_000, Story.alice, expires: Story.epoch + 60_000)
        #expect(token.findings[.expiryRespected].checked == 0)
        token.tell(.tv, .checkAuthentication, at: 90_000, .absent, code: nil, status: 403)
        #expect(token.findings[.expiryRespected].checked == 1)
        #expect(story.sentences == [] && token.sentences == [])
    }

    @Test("answers after a refused sign-in, or a refused logout, could have shown an effect")
    func errors() {
        var story = Story()
        story.code()
        story.poll(at: 1_000)
        story.assertion(at: 2_000, .denied, status: 400)
        story.poll(at: 3_000)
        story.poll(at: 4_000)
        #expect(story.findings[.errorsHaveNoEffect].checked == 2)
        story.assertion(at: 5_000)
        story.poll(at: 6_000, Story.alice)
        #expect(story.findings[.errorsHaveNoEffect].checked == 2)
        story.tell(.tv, .logout, at: 7_000, .denied, code: nil, status: 400)
        story.poll(at: 8_000, Story.alice)
        #expect(story.sentences == [])
        #expect(story.findings[.errorsHaveNoEffect].checked == 3)
    }

    @Test("an answer counts once for a promise that several rules look at")
    func once() {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.poll(at: 2_000, Story.alice)
        let findings = story.findings
        for invariant in [
            Invariant.tokenIsolation, .signInVisible, .oneOwner, .oneToken,
        ] {
            #expect(findings[invariant].checked == 1, "\(invariant)")
        }
    }

    @Test("refused media tokens, and what was authorized, were checked as well")
    func gates() {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.poll(at: 2_000, Story.alice)
        story.gated(.mediaToken, at: 3_000, .unauthorized)
        story.authorize(at: 4_000)
        #expect(story.findings[.authorizationGates].checked == 1)
        story.gated(.authorizationToken, at: 5_000)
        story.authorize(at: 6_000)
        story.gated(.mediaToken, at: 7_000, secret: 1)
        #expect(story.sentences == [])
        #expect(story.findings[.authorizationGates].checked == 4)
    }

    @Test("a 429 after a sign-out tells nothing, and is not counted")
    func throttled() {
        var story = Story.clean()
        let before = story.findings[.logoutFinal].checked
        #expect(before == 1)
        story.tell(.tv, .pollToken, at: 22_000, .none, status: 429)
        #expect(story.findings[.logoutFinal].checked == before)
    }

    @Test("a sign-in that our client tried again is one intent, whatever came between")
    func retried() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, .none, status: 503)
        story.check(at: 8_100, .absent)
        story.tell(.phone, .authenticate, at: 8_200)
        story.assertion(at: 9_000)
        story.poll(at: 9_500, Story.alice)
        #expect(story.sentences == [])
        #expect(story.findings[.retryOnce].checked == 1)
        story.poll(at: 9_600, Story.alice, expires: Story.epoch + 21_601_000)
        #expect(try story.only().invariant == .retryOnce)
    }

    @Test("two sign-ins that were both answered are no retry")
    func notRetried() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.assertion(at: 9_000)
        story.poll(at: 9_500, Story.alice)
        #expect(story.findings[.retryOnce].checked == 0)
    }

    @Test("an exchange for a token that was tried again and took effect twice")
    func retriedExchange() throws {
        var story = Story()
        story.tell(
            .tv, .tokenExchange, at: 1_000, .none, code: nil, tag: Story.alice, status: 503)
        story.tell(.tv, .tokenExchange, at: 2_000, code: nil, tag: Story.alice, status: 204)
        story.poll(at: 3_000, Story.alice)
        story.poll(at: 4_000, Story.alice)
        #expect(story.sentences == [])
        #expect(story.findings[.retryOnce].checked == 2)
    }

    @Test("such an exchange that made two tokens is a suspicion: each may have been done as asked")
    func twiceExchanged() throws {
        var story = Story()
        story.tell(
            .tv, .tokenExchange, at: 1_000, .none, code: nil, tag: Story.alice, status: 503)
        story.poll(at: 1_500, Story.alice)
        story.tell(.tv, .tokenExchange, at: 2_000, code: nil, tag: Story.alice, status: 204)
        story.poll(at: 3_000, Story.alice, expires: Story.epoch + 21_601_000)
        let found = try story.only()
        #expect(found.invariant == .retryOnce)
        #expect(found.standing == .suspected)
        #expect(
            found.sentence.hasSuffix(
                "a retried sign-in without a code took effect twice"))
        #expect(story.findings.failing == 0)
    }

    @Test("a sign-in that was refused while a poll showed it has no distance in time")
    func sameMoment() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, took: 20, .denied, status: 400)
        story.poll(at: 8_010, took: 20, Story.alice)
        let found = try story.only()
        #expect(found.invariant == .errorsHaveNoEffect)
        #expect(found.gap == nil)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #3 returned a sign-in that the phone's "
                + "assertion #2 had rejected at the same time")
    }

    @Test(
        "a throttled sign-in that took effect is one, whether or not its login was throttled before",
        arguments: [false, true])
    func throttledTwice(isLoginThrottled: Bool) throws {
        var story = Story()
        story.rules.knowsUsers = false
        story.rules.inventsLogins = true
        story.code()
        if isLoginThrottled {
            story.tell(.phone, .mvpdLogin, at: 7_000, .none, tag: Story.alice, status: 429)
        }
        story.tell(.phone, .mvpdLogin, at: 7_900, .none, tag: Story.alice, status: 200)
        story.assertion(at: 8_000, status: 429)
        story.poll(at: 8_900, Story.alice)
        story.assertion(at: 13_000)
        story.check(at: 13_010)
        #expect(try story.only().invariant == .errorsHaveNoEffect)
    }

    @Test("no violation has a negative distance", arguments: [0.0, 10, 30])
    func gaps(lead: Double) {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_020, took: 20, Story.alice)
        story.poll(at: 8_020 + lead, took: 20, Story.alice, expires: Story.epoch + 21_600_030)
        let found = story.findings.violations
        #expect(found.map(\.invariant) == [.oneToken])
        #expect(found.allSatisfy { $0.gap ?? 0 >= 0 })
    }

    @Test("a TV that stopped asking within a poll interval: late for certain, and not proven lost")
    func lateAndLost() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.poll(at: 8_020)
        let found = try story.only()
        #expect(found.invariant == .signInVisible)
        #expect(!found.companions.contains(.signInDelivered))
        #expect(story.findings[.signInDelivered].checked == 0)
    }

    @Test("a server's failure is an error of the run, and no deviation from the protocol")
    func serverErrors() {
        var story = Story.clean()
        for status in [500, 502, 503, 504] {
            story.tell(.tv, .pollToken, at: 22_000 + Double(status), .none, status: status)
        }
        let findings = story.findings
        #expect(findings.violations.map(\.sentence) == [])
        #expect(findings[.conforms].violations == 0)
    }

    // MARK: Levels

    @Test("what a screen did itself and does not see is another level than what the other did")
    func ownWrites() {
        var own = Story()
        own.tell(.tv, .tokenExchange, at: 1_000, code: nil, tag: Story.alice, status: 204)
        own.poll(at: 2_000)
        own.poll(at: 3_000, Story.alice)
        #expect(own.findings.violations.map(\.invariant) == [.signInVisible])
        #expect(own.findings.strongestLevel == .monotonicReads)
        var others = Story()
        others.code()
        others.assertion(at: 1_000)
        others.poll(at: 2_000)
        others.poll(at: 3_000, Story.alice)
        #expect(others.findings.strongestLevel == .readYourWrites)
    }

    @Test("a suspicion breaks no level")
    func suspicion() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_020, Story.alice)
        story.poll(at: 8_050, evidence: ["Age": "12"])
        let findings = story.findings
        #expect(findings.violations.map(\.standing) == [.suspected])
        #expect(findings.strongestLevel == .linearizable)
    }

    // MARK: Staleness

    @Test("how stale answers were lies between the last \"not yet\" and the first token")
    func staleness() {
        var story = Story()
        for household in 0..<40 {
            let code = "CODE\(household)"
            story.code(code, in: household)
            let user = Tag(mvpd: "DemoCable", user: "viewer-\(household)")
            story.assertion(user, at: 8_000, took: 1, in: household, code: code)
            // Answered at 8,001: told "not yet" 50 ms later, and the token 100 ms later.
            story.poll(at: 8_051, took: 1, in: household, code: code)
            story.poll(at: 8_100, took: 1, user, in: household, code: code)
        }
        let staleness = story.findings.staleness
        #expect(staleness.count == 40)
        #expect(staleness.proven == 40)
        #expect(staleness.delta == 50_000_000)
        let half = staleness.estimate.quantile(0.5)
        #expect((45e6...50e6).contains(half?.low ?? 0))
        #expect((100e6...107e6).contains(half?.high ?? 0))
    }
}
