import Dialects
import Testing

@testable import Checker

/// I1 to I5.
@Suite("Invariants: whose sign-in, and when it is seen")
struct SignInInvariantTests {
    @Test("I1: a token before anybody signed in")
    func causality() throws {
        var story = Story()
        story.code()
        story.poll(at: 5_000, Story.alice)
        story.assertion(at: 8_000)
        let found = try story.only()
        #expect(found.invariant == .noTokenBeforeSignIn)
        #expect(found.certainty == .certain)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #2 returned the sign-in of alice at "
                + "DemoCable 2996 ms before the first sign-in was sent (the phone's "
                + "assertion #3)")
        #expect(found.gap == 2_996_000_000)
        #expect(found.exchanges == [3, 2])
    }

    @Test("I1: a poll that was under way when the phone signed in may have seen it")
    func causalityOverlap() {
        var story = Story()
        story.code()
        story.poll(at: 7_999, took: 10, Story.alice)
        story.assertion(at: 8_009, took: 1)
        #expect(story.sentences == [])
    }

    @Test("I2: the token of another household")
    func isolation() throws {
        var story = Story.clean()
        story.code("BBBBBB2", at: 0, in: 8)
        story.assertion(Story.bob, at: 9_000, in: 8, code: "BBBBBB2")
        story.poll(at: 11_000, Story.alice, in: 8, code: "BBBBBB2")
        let found = try story.only()
        #expect(found.invariant == .tokenIsolation)
        #expect(
            found.sentence
                == "household 8: the TV's poll-token #3 returned the sign-in of alice at "
                + "DemoCable; this household signed in as bob at DemoCable; household 7 "
                + "signed in as that user"
        )
    }

    @Test("I2: another household's token before one's own sign-in is isolation, not causality")
    func isolationEarly() throws {
        var story = Story.clean()
        story.code("BBBBBB2", at: 0, in: 8)
        story.poll(at: 11_000, Story.alice, in: 8, code: "BBBBBB2")
        let found = try story.only()
        #expect(found.invariant == .tokenIsolation)
        #expect(found.signature == "token-isolation: poll-token success")
    }

    @Test("I2: a user of nobody's")
    func phantom() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 10_000, Story.bob)
        let found = try story.only()
        #expect(found.invariant == .tokenIsolation)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #3 returned the sign-in of bob at "
                + "DemoCable; this household signed in as alice at DemoCable; no other "
                + "household of this run signed in as that user")
    }

    @Test("I3: the phone was told \"done\", and the TV \"not yet\"")
    func visible() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.poll(at: 8_030)
        story.poll(at: 8_060, Story.alice)
        let found = try story.only()
        #expect(found.invariant == .signInVisible)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #4, sent 16 ms after the phone's "
                + "check-code #3 had confirmed the sign-in to the phone, returned \"not "
                + "signed in\"")
        #expect(found.gap == 16_000_000)
        #expect(found.companions == [.linearizable])
        story.rules.policies.visibility = .milliseconds(30)
        #expect(story.sentences == [])
    }

    @Test(
        "an authorization that is refused within the time that a sign-in may take to be seen tells nothing of it"
    )
    func refusedTooEarly() {
        var story = Story()
        story.rules.policies.visibility = .milliseconds(50)
        story.code()
        story.assertion(at: 8_000)
        story.tell(
            .tv, .authorize, at: 8_006, .unauthenticated, code: nil, resource: "demo-1",
            status: 403)
        story.check(at: 8_400)
        story.poll(at: 8_500, Story.alice)
        #expect(story.sentences == [])
        story.rules.policies.visibility = .zero
        #expect(story.sentences != [])
    }

    @Test("I3: without a check, the token that came later tells when it was there")
    func visibleLater() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_014)
        story.poll(at: 8_060, Story.alice)
        let found = try story.only()
        #expect(found.invariant == .signInVisible)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #3, sent 10 ms after the response to the "
                + "phone's assertion #2, returned \"not yet\"; the TV's poll-token #4 then "
                + "returned that sign-in")
        #expect(story.findings.staleness.proven == 1)
    }

    @Test("I3: the phone was not told \"done\" either: the redirect promises nothing")
    func visibleToNeither() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_004.5)
        story.check(at: 8_010, .absent)
        story.poll(at: 8_016)
        story.check(at: 8_500)
        story.poll(at: 8_560, Story.alice)
        #expect(story.sentences == [])
        #expect(story.findings.undecided == 0)
    }

    @Test("I3: a check of the phone that is not over yet says so as well")
    func slowCheck() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.tell(.phone, .checkCode, at: 8_010, took: 2_400, .absent, status: 403)
        story.poll(at: 8_900)
        story.poll(at: 9_900, Story.alice)
        story.check(at: 10_600)
        #expect(story.sentences == [])
    }

    @Test("I5: a second sign-in of the same user is not gone before it was seen")
    func secondOfSameUser() {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.check(at: 1_010)
        story.poll(at: 2_000, Story.alice)
        story.tell(.tv, .logout, at: 3_000, code: nil, status: 204)
        story.code("BBBBBB2", at: 4_000)
        story.assertion(at: 8_000, code: "BBBBBB2")
        story.check(at: 8_010, .absent, code: "BBBBBB2")
        story.poll(at: 8_100, code: "BBBBBB2")
        story.poll(at: 9_000, Story.alice, code: "BBBBBB2")
        #expect(story.sentences == [])
    }

    @Test(
        "I10: a login that its redirect left open may come after a logout, unless it was seen before",
        arguments: [false, true])
    func openLoginAndLogout(isSeen: Bool) {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.check(at: 1_010)
        story.poll(at: 2_000, Story.alice)
        story.code("BBBBBB2", at: 3_000)
        story.assertion(Story.bob, at: 5_000, code: "BBBBBB2")
        story.check(at: 5_010, .absent, code: "BBBBBB2")
        if isSeen { story.poll(at: 5_500, Story.bob, code: "BBBBBB2") }
        story.tell(.tv, .logout, at: 6_000, code: nil, status: 204)
        story.poll(at: 8_000, Story.bob, code: "BBBBBB2")
        let found = story.findings.violations.map(\.invariant)
        #expect(found.contains(.logoutFinal) == isSeen, "\(story.sentences)")
        if !isSeen { #expect(story.sentences == []) }
    }

    @Test("I3: a poll sent before the answer may still say \"not yet\"")
    func visibleOverlap() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.poll(at: 8_004, took: 20)
        story.poll(at: 8_060, Story.alice)
        #expect(story.sentences == [])
    }

    @Test("I4: told \"done\", and never seen")
    func delivered() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        for second in 2...6 { story.poll(at: Double(second) * 5_000) }
        let found = try story.only()
        #expect(found.invariant == .signInDelivered)
        #expect(found.certainty == .given("one poll interval, 5500 ms"))
        #expect(found.companions.sorted() == [.signInVisible, .linearizable])
        #expect(
            found.sentence
                == "household 7: the phone's check-code #3 confirmed the sign-in to the "
                + "phone; the TV's poll-token #5, sent 6986 ms later, still returned \"not "
                + "signed in\" (allowed: one poll interval, 5500 ms)")
    }

    @Test("I4: a TV that stopped asking soon proves no loss, only that it was late")
    func deliveredTooSoon() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.poll(at: 10_000)
        #expect(try story.only().invariant == .signInVisible)
    }

    @Test("I4: a login that came back without an error, and nobody saw it")
    func silentLoss() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        for attempt in 0..<5 { story.check(at: 8_010 + Double(attempt) * 1_500, .absent) }
        for second in 2...6 { story.poll(at: Double(second) * 5_000) }
        let found = try story.only()
        #expect(found.invariant == .signInDelivered)
        #expect(
            found.certainty == .given("a login that ends without an error has succeeded"))
        #expect(
            found.sentence
                == "household 7: the login ended without an error (the phone's assertion #2), "
                + "but neither the phone (the phone's check-code #8) nor the TV, which "
                + "polled for 22 s more (the TV's poll-token #12), ever got the sign-in "
                + "(no page says that such a login has succeeded)")
    }

    @Test("I4: the same on a device that signs in by itself, where there is no phone to ask")
    func silentLossInWebView() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, by: .tv)
        for second in 2...6 { story.poll(at: Double(second) * 5_000) }
        let found = try story.only()
        #expect(found.invariant == .signInDelivered)
        #expect(
            found.sentence
                == "household 7: the login ended without an error (the TV's assertion #2), "
                + "but the device, which polled for 22 s more (the TV's poll-token #7), never got "
                + "the sign-in (no page says that such a login has succeeded)")
    }

    @Test("I4: a phone that never asked whether the login succeeded proves no loss")
    func unasked() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        for second in 2...6 { story.poll(at: Double(second) * 5_000) }
        #expect(story.sentences == [])
    }

    @Test("I4: a login that came back with an error has lost nothing")
    func refusedLogin() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, .denied)
        story.check(at: 8_010, .absent)
        for second in 2...6 { story.poll(at: Double(second) * 5_000) }
        #expect(story.sentences == [])
    }

    @Test("I5: seen, then not")
    func monotonic() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_020, Story.alice)
        story.poll(at: 8_050)
        story.poll(at: 8_080, Story.alice)
        let found = try story.only()
        #expect(found.invariant == .tokenMonotonic)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #4 returned \"not signed in\", 26 ms "
                + "after the TV's poll-token #3 had returned a sign-in; nothing this household did "
                + "in between ended it")
        #expect(found.companions == [.linearizable])
    }

    @Test("I5: a sign-out that was under way explains it")
    func monotonicLogout() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_020, Story.alice)
        story.tell(.tv, .logout, at: 8_030, took: 60, code: nil)
        story.poll(at: 8_050)
        #expect(story.sentences == [])
    }

    @Test("I5: an older sign-in comes back")
    func older() throws {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.poll(at: 2_000, Story.alice)
        story.code("BBBBBB2", at: 3_000)
        story.assertion(Story.bob, at: 4_000, code: "BBBBBB2")
        story.poll(at: 5_000, Story.bob, code: "BBBBBB2")
        story.poll(at: 6_000, Story.alice, code: "BBBBBB2")
        let found = try story.only()
        #expect(found.invariant == .tokenMonotonic)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #7 returned another sign-in than the "
                + "TV's poll-token #6, 996 ms before; there was no sign-in in between")
    }

    @Test("I3: a TV that has exchanged its token is signed in from then on")
    func exchanged() throws {
        var story = Story()
        story.tell(
            .tv, .tokenExchange, at: 1_000, code: nil, tag: Story.alice, status: 204)
        story.poll(at: 1_020)
        story.poll(at: 1_200, Story.alice)
        let found = try story.only()
        #expect(found.invariant == .signInVisible && found.certainty == .certain)
        #expect(found.source == .documented, "204: the token is live at once (rest-v1.md § 13)")
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #2, sent 16 ms after the TV's "
                + "token-exchange #1 had signed in, returned \"not signed in\"")
    }

    @Test("I4: an exchanged token that no poll ever shows")
    func exchangedLost() throws {
        var story = Story()
        story.tell(
            .tv, .tokenExchange, at: 1_000, code: nil, tag: Story.alice, status: 204)
        for at in stride(from: 1_020.0, to: 9_000, by: 500) { story.poll(at: at) }
        let found = try story.only()
        #expect(found.invariant == .signInDelivered && found.companions.contains(.signInVisible))
    }
}
