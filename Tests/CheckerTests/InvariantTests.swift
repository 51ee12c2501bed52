import Dialects
import Journal
import Testing

@testable import Checker

/// Each promise with a history that keeps it and one that breaks it.
@Suite("Invariants")
struct InvariantTests {
    private func only(_ story: Story) throws -> Violation {
        let violations = story.findings.violations
        try #require(violations.count == 1, "\(violations.map(\.sentence))")
        return violations[0]
    }

    @Test("a clean life breaks nothing, and is checked against nearly everything")
    func clean() {
        let findings = Story.clean().findings
        #expect(findings.violations.isEmpty, "\(findings.violations.map(\.sentence))")
        #expect(findings.undecided == 0)
        #expect(findings.strongestLevel == .linearizable)
        for invariant in [
            Invariant.noTokenBeforeSignIn, .tokenIsolation, .tokenMonotonic, .oneOwner, .oneToken,
            .codeUnique, .expiryRespected, .authorizationGates, .clockAgreement, .pollingEnds,
            .linearizable, .conforms, .signInDelivered,
        ] {
            #expect(findings[invariant].checked > 0, "\(invariant)")
        }
        #expect(findings[.pollIsPure].note == "decided by race only")
    }

    @Test("two lives in one household, with the same user, break nothing")
    func again() {
        var story = Story.clean()
        story.live(in: 7, tag: Story.alice, code: "BBBBBB2", from: 30_000)
        #expect(story.sentences == [])
    }

    @Test("I1: a token before anybody signed in")
    func causality() throws {
        var story = Story()
        story.code()
        story.poll(at: 5_000, Story.alice)
        story.assertion(at: 8_000)
        let found = try only(story)
        #expect(found.invariant == .noTokenBeforeSignIn)
        #expect(found.certainty == .certain)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #2 showed the sign-in of alice at DemoCable "
                + "2996 ms before the first sign-in was sent (the phone's assertion #3)")
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
        let found = try only(story)
        #expect(found.invariant == .tokenIsolation)
        #expect(
            found.sentence
                == "household 8: the TV's poll-token #3 showed the sign-in of alice at DemoCable; "
                + "this household signed in as bob at DemoCable; household 7 signed in as that user"
        )
    }

    @Test("I2: another household's token before one's own sign-in is isolation, not causality")
    func isolationEarly() throws {
        var story = Story.clean()
        story.code("BBBBBB2", at: 0, in: 8)
        story.poll(at: 11_000, Story.alice, in: 8, code: "BBBBBB2")
        let found = try only(story)
        #expect(found.invariant == .tokenIsolation)
        #expect(found.signature == "token-isolation: poll-token success")
    }

    @Test("I2: a user of nobody's")
    func phantom() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 10_000, Story.bob)
        let found = try only(story)
        #expect(found.invariant == .tokenIsolation)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #3 showed the sign-in of bob at DemoCable; this "
                + "household signed in as alice at DemoCable; nobody in this run signed in as that "
                + "user")
    }

    @Test("I3: the phone was told \"done\", and the TV \"not yet\"")
    func visible() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.poll(at: 8_030)
        story.poll(at: 8_060, Story.alice)
        let found = try only(story)
        #expect(found.invariant == .signInVisible)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #4, sent 16 ms after the phone's check-code #3 "
                + "had told the phone that the sign-in is done, was told that nobody is signed in")
        #expect(found.gap == 16_000_000)
        #expect(found.companions == [.linearizable])
        story.rules.policies.visibility = .milliseconds(30)
        #expect(story.sentences == [])
    }

    @Test("I3: without a check, the token that came later tells when it was there")
    func visibleLater() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_014)
        story.poll(at: 8_060, Story.alice)
        let found = try only(story)
        #expect(found.invariant == .signInVisible)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #3, sent 10 ms after the phone's assertion #2 "
                + "had been answered, was told \"not yet\"; the TV's poll-token #4 then saw that "
                + "sign-in")
        #expect(story.findings.staleness.proven == 1)
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
        let found = try only(story)
        #expect(found.invariant == .signInDelivered)
        #expect(found.certainty == .given("a settle phase of 15 s"))
        #expect(found.companions.sorted() == [.signInVisible, .linearizable])
        #expect(
            found.sentence
                == "household 7: the phone's check-code #3 told the phone that the sign-in is done; "
                + "the TV asked for 22 s more and never saw it (the TV's poll-token #8 was the last)"
        )
    }

    @Test("I4: a TV that stopped asking soon proves no loss, only that it was late")
    func deliveredTooSoon() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.poll(at: 10_000)
        #expect(try only(story).invariant == .signInVisible)
    }

    @Test("I4: a login that came back without an error, and nobody saw it")
    func silentLoss() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        for attempt in 0..<5 { story.check(at: 8_010 + Double(attempt) * 1_500, .absent) }
        for second in 2...6 { story.poll(at: Double(second) * 5_000) }
        let found = try only(story)
        #expect(found.invariant == .signInDelivered)
        #expect(
            found.certainty == .given("a login that comes back without an error has succeeded"))
        #expect(
            found.sentence
                == "household 7: the login came back without an error (the phone's assertion #2), "
                + "but neither the phone (the phone's check-code #8) nor the TV, which asked for 22 s"
                + " more (the TV's poll-token #12), ever saw a sign-in")
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
        let found = try only(story)
        #expect(found.invariant == .tokenMonotonic)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #4 was told that nobody is signed in, 26 ms "
                + "after the TV's poll-token #3 had shown a sign-in; nothing ended it between")
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
        let found = try only(story)
        #expect(found.invariant == .tokenMonotonic)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #7 saw another sign-in than the TV's "
                + "poll-token #6, 996 ms before; nobody signed in between")
    }

    @Test("I6: one code, two users")
    func owner() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, took: 20)
        story.assertion(Story.bob, at: 8_005, took: 20, by: .otherPhone)
        story.poll(at: 8_030, Story.alice)
        story.poll(at: 8_060, Story.bob)
        let found = try only(story)
        #expect(found.invariant == .oneOwner)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #5 showed bob at DemoCable, the TV's poll-token "
                + "#4 had shown alice at DemoCable: code AAAAAA1 was used for two sign-ins")
        #expect(found.source == .policy)
        story.rules.policies.codeReuse = .untilExpiry
        #expect(story.findings[.oneOwner].violations == 0)
    }

    @Test("I6: two phones that were both sent back prove nothing")
    func ownerUnproven() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, took: 20)
        story.assertion(Story.bob, at: 8_005, took: 20, by: .otherPhone)
        story.poll(at: 8_030, Story.alice)
        story.check(at: 8_040, by: .otherPhone)
        #expect(story.sentences == [])
    }

    @Test("I6: a code that was gone is there again")
    func ended() throws {
        var story = Story()
        story.code(life: 10)
        story.tell(.phone, .registrationRecord, at: 10_200, .absent)
        story.tell(.phone, .registrationRecord, at: 10_201, took: 1, .success)
        let found = try only(story)
        // Expired long since: that is the first cause.
        #expect(found.invariant == .expiryRespected)
        var early = Story()
        early.code()
        early.code("BBBBBB2", at: 1_000)
        early.tell(.phone, .registrationRecord, at: 2_000, .absent)
        early.tell(.phone, .registrationRecord, at: 3_000)
        let back = try only(early)
        #expect(back.invariant == .oneOwner)
        #expect(
            back.sentence
                == "household 7: the phone's registration-record #4 found code AAAAAA1 again, 996 ms "
                + "after the phone's registration-record #3 was told that it is gone")
    }

    @Test("I7: one sign-in, two tokens")
    func token() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_020, Story.alice)
        story.poll(at: 8_050, Story.alice, expires: Story.epoch + 21_600_030)
        let found = try only(story)
        #expect(found.invariant == .oneToken)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #3 and the TV's poll-token #4 showed tokens of "
                + "alice at DemoCable that end 30 ms apart; there was one sign-in")
    }

    @Test("I7: torn: provider of one attempt, user of the other")
    func torn() throws {
        var story = Story()
        story.code()
        let bob = Tag(mvpd: "DemoSat", user: "bob")
        story.assertion(at: 8_000, took: 20)
        story.assertion(bob, at: 8_005, took: 20, by: .otherPhone)
        story.poll(at: 8_050, Tag(mvpd: "DemoSat", user: "alice"))
        let found = try only(story)
        #expect(found.invariant == .oneToken)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #4 showed alice at DemoSat: the provider of "
                + "phone-2's assertion #3 with the user of the phone's assertion #2; nobody signed in "
                + "as both")
    }

    @Test("I8: two live codes of one text")
    func code() throws {
        var story = Story()
        story.code("AAAAAA1", at: 0, in: 7)
        story.code("AAAAAA1", at: 10_000, in: 8)
        let found = try only(story)
        #expect(found.invariant == .codeUnique)
        #expect(
            found.sentence
                == "household 8: code AAAAAA1 was given to it (#1) while household 7 held it (#1), "
                + "for at least 1789.8 s more")
    }

    @Test(
        "I8: a code may come again once it was deleted, replaced or has expired", arguments: 0..<3)
    func codeAgain(way: Int) {
        var story = Story()
        story.code("AAAAAA1", at: 0, life: way == 0 ? 5 : 1800, in: 7)
        if way == 1 { story.tell(.tv, .deleteRegistration, at: 5_000, in: 7) }
        if way == 2 { story.code("BBBBBB2", at: 5_000, in: 7) }
        story.code("AAAAAA1", at: 10_000, in: 8)
        #expect(story.sentences == [])
    }

    @Test("I8: a deletion under way may have freed it")
    func codeFreed() {
        var story = Story()
        story.code("AAAAAA1", at: 0, in: 7)
        story.tell(.tv, .deleteRegistration, at: 9_990, took: 500, in: 7)
        story.code("AAAAAA1", at: 10_000, in: 8)
        #expect(story.sentences == [])
    }

    @Test("I9: a code that answers after its end")
    func late() throws {
        var story = Story()
        story.code(life: 10)
        story.tell(.phone, .registrationRecord, at: 10_030)
        let found = try only(story)
        #expect(found.invariant == .expiryRespected)
        #expect(
            found.sentence
                == "household 7: the phone's registration-record #2 found code AAAAAA1 alive at least"
                + " 24 ms after its expiry (made by the TV's registration-code #1)")
        #expect(found.certainty == .given("both clocks drift less than 100 ppm"))
        story.rules.policies.sweepLag = .milliseconds(30)
        #expect(story.sentences == [])
    }

    @Test(
        "I9: within the window of its expiry a code may answer either way",
        arguments: [9_999.0, 10_003.0])
    func boundary(at: Double) {
        for result in [Observation.Result.success, .absent] {
            var story = Story()
            story.code(life: 10)
            story.tell(.phone, .registrationRecord, at: at, took: 1, result)
            #expect(story.sentences == [], "\(at) \(result)")
        }
    }

    @Test("I9: a code that is gone before its end")
    func early() throws {
        var story = Story()
        story.code(life: 10)
        story.tell(.phone, .registrationRecord, at: 8_000, .absent)
        let found = try only(story)
        #expect(
            found.sentence
                == "household 7: the phone's registration-record #2 was told that code AAAAAA1 is "
                + "gone, at least 1994 ms before its expiry; nothing had ended it (made by the TV's "
                + "registration-code #1)")
        #expect(found.invariant == .expiryRespected)
    }

    @Test("I9: a sign-in by a code that was over")
    func lateSignIn() throws {
        var story = Story()
        story.code(life: 10)
        story.assertion(at: 10_030)
        story.poll(at: 11_000, Story.alice)
        let found = try only(story)
        #expect(found.invariant == .expiryRespected)
        #expect(
            found.sentence
                == "household 7: the phone's assertion #2 signed in by code AAAAAA1 at least 24 ms "
                + "after its expiry; the TV's poll-token #3 saw the sign-in")
    }

    @Test("I9: a token shown after its own expiry, and one gone shortly before")
    func tokenExpiry() throws {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        let expires = Story.epoch + 21_000
        story.poll(at: 2_000, Story.alice, expires: expires)
        story.poll(at: 21_010, Story.alice, expires: expires)
        let found = try only(story)
        #expect(found.invariant == .expiryRespected)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #4 showed a sign-in at least 3.9 ms after the "
                + "expiry in its own answer")
        story.exchanges.removeLast()
        story.poll(at: 20_980)
        let early = try only(story)
        #expect(early.invariant == .expiryRespected)
        #expect(
            early.sentence
                == "household 7: the TV's poll-token #4 was told that nobody is signed in, at least "
                + "9.9 ms before the sign-in that the TV's poll-token #3 showed was to expire")
        story.exchanges.removeLast()
        story.poll(at: 21_030)
        #expect(story.sentences == [])
    }

    @Test("I10: a sign-in that outlives its sign-out")
    func logout() throws {
        var story = Story.clean()
        story.exchanges.removeLast()
        story.poll(at: 20_500, Story.alice)
        let found = try only(story)
        #expect(found.invariant == .logoutFinal)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #14 still answered for the sign-in 496 ms after "
                + "the TV's logout #13 had ended it; nobody signed in between")
    }

    @Test("I10: a poll that was under way during the sign-out is not counted")
    func logoutOverlap() {
        var story = Story.clean()
        story.exchanges.removeLast()
        story.poll(at: 20_002, took: 500, Story.alice)
        #expect(story.sentences == [])
    }

    @Test("I10, I14: a media token after the sign-out")
    func mediaAfterLogout() throws {
        var story = Story.clean()
        story.tell(
            .tv, .mediaToken, at: 22_000, code: nil, tag: Story.alice,
            expires: Story.epoch + 430_000, resource: "demo-1", secret: 99)
        let found = try only(story)
        #expect(found.invariant == .logoutFinal)
        #expect(found.companions.sorted() == [.tokenMonotonic, .authorizationGates, .linearizable])
    }

    @Test("I11: a deleted code answers, or signs in")
    func deleted() throws {
        var story = Story()
        story.code()
        story.tell(.tv, .deleteRegistration, at: 1_000)
        story.tell(.phone, .registrationRecord, at: 2_000)
        let found = try only(story)
        #expect(found.invariant == .deleteFinal)
        #expect(
            found.sentence
                == "household 7: the phone's registration-record #3 found code AAAAAA1 alive 996 ms "
                + "after the TV's delete-registration #2 had deleted it")
        story.exchanges.removeLast()
        story.assertion(at: 3_000)
        story.poll(at: 4_000, Story.alice)
        let signedIn = try only(story)
        #expect(signedIn.invariant == .deleteFinal)
        #expect(
            signedIn.sentence
                == "household 7: the phone's assertion #3 signed in by code AAAAAA1 1996 ms after the"
                + " TV's delete-registration #2 had deleted it; the TV's poll-token #4 saw the "
                + "sign-in")
    }

    @Test("I11: a deletion and a sign-in at once may come in either order")
    func deletedAtOnce() {
        var story = Story()
        story.code()
        story.tell(.tv, .deleteRegistration, at: 3_000, took: 20)
        story.assertion(at: 3_010, took: 20)
        story.poll(at: 4_000, Story.alice)
        #expect(story.sentences == [])
    }

    @Test("I12: refused, and done all the same")
    func errors() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, .denied, status: 400)
        story.poll(at: 10_000, Story.alice)
        let found = try only(story)
        #expect(found.invariant == .errorsHaveNoEffect)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #3 showed a sign-in that the phone's assertion "
                + "#2 was told was refused, 1996 ms before")
    }

    @Test("I12: a sign-out that was refused, and done all the same")
    func refusedLogout() throws {
        var story = Story.clean()
        story.exchanges.removeLast(2)
        story.tell(.tv, .logout, at: 20_000, .denied, code: nil)
        story.poll(at: 20_500)
        let found = try only(story)
        #expect(found.invariant == .errorsHaveNoEffect)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #14 saw no sign-in 10.5 s after the TV's "
                + "media-token #12 had; the only sign-out between, the TV's logout #13, was refused"
        )
    }

    @Test("I12: a 5xx, a timeout or a reset may have been done, or not", arguments: [true, false])
    func unknown(isDone: Bool) {
        for lost in [true, false] {
            var story = Story()
            story.code()
            story.assertion(at: 8_000, .none, status: 500, lost: lost)
            story.poll(at: 10_000, isDone ? Story.alice : nil)
            story.poll(at: 20_000, isDone ? Story.alice : nil)
            #expect(story.sentences == [])
        }
    }

    @Test("I13: a sign-in that was tried again took effect twice")
    func retry() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, lost: true)
        story.assertion(at: 9_000)
        story.poll(at: 9_500, Story.alice)
        story.poll(at: 9_600, Story.alice, expires: Story.epoch + 21_601_000)
        let found = try only(story)
        #expect(found.invariant == .retryOnce)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #4 and the TV's poll-token #5 showed sign-ins of"
                + " alice at DemoCable that end 1000 ms apart: a sign-in that was tried again took "
                + "effect twice")
        story.exchanges.removeLast()
        #expect(story.sentences == [])
    }

    @Test("I14: a media token that nobody authorized, or of another resource")
    func gates() throws {
        var story = Story.clean()
        let authorize = story.exchanges.firstIndex { $0.operation == .authorize }!
        story.exchanges[authorize].observation.resource = "demo-2"
        let found = try only(story)
        #expect(found.invariant == .authorizationGates)
        #expect(
            found.sentence
                == "household 7: the TV's media-token #12 gave a media token for demo-1 that nobody "
                + "had authorized")
    }

    @Test("I14: one media token for two households, two resources, or twice")
    func binding() throws {
        var story = Story.clean()
        story.live(in: 8, tag: Story.bob, code: "BBBBBB2", from: 30_000)
        let media = story.exchanges.indices.filter { story.exchanges[$0].operation == .mediaToken }
        story.exchanges[media[1]].fingerprint = story.exchanges[media[0]].fingerprint
        #expect(
            try only(story).sentence
                == "household 8: the TV's media-token #12 gave the media token that household 7 had "
                + "been given (its exchange #12)")

        var twice = Story.clean()
        var second = twice.exchanges[twice.exchanges.firstIndex { $0.operation == .mediaToken }!]
        second.sent = second.sent + .milliseconds(100)
        second.ended = second.ended + .milliseconds(100)
        second.firstByte = second.ended
        twice.exchanges.append(second)
        let found = try only(twice)
        #expect(
            found.sentence
                == "household 7: the TV's media-token #13 gave for demo-1 the same media token as "
                + "exchange #12")
        #expect(found.source == .policy)
        twice.rules.policies.mediaReuse = .untilExpiry
        #expect(twice.sentences == [])
    }

    @Test("I14: a media token that was over when it came")
    func born() throws {
        var story = Story.clean()
        let media = story.exchanges.firstIndex { $0.operation == .mediaToken }!
        story.exchanges[media].observation.expires = Story.epoch + 10_000
        let found = try only(story)
        #expect(found.invariant == .authorizationGates)
        #expect(
            found.sentence
                == "household 7: the TV's media-token #12 gave a media token for demo-1 that had "
                + "expired at least 34.99 ms before")
    }

    @Test("I15: times that fit no one clock")
    func clocks() throws {
        var story = Story()
        for household in 1...5 {
            story.code("AAAAAA\(household)", at: Double(household) * 1_000, in: household)
        }
        story.code("BBBBBB1", at: 10_000, in: 6, skew: 250)
        let found = try only(story)
        #expect(found.invariant == .clockAgreement)
        #expect(
            found.sentence
                == "household 6: the time in registration-code #1 and that in most other answers come"
                + " from clocks at least 244.5 ms apart")
        story.rules.policies.clockTolerance = .milliseconds(250)
        #expect(story.sentences == [])
    }

    @Test("I16: turned away within the budget")
    func throttle() throws {
        var story = Story()
        story.rules.throttledBy = .device
        story.code()
        story.tell(.tv, .pollToken, at: 5_000, .none, status: 429)
        let found = try only(story)
        #expect(found.invariant == .throttleContract)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #2 was turned away (429) as one of the first 2 "
                + "requests of the TV; 10 are free")
        for second in 2...12 { story.poll(at: Double(second) * 5_000) }
        story.exchanges.remove(at: 1)
        story.tell(.tv, .pollToken, at: 65_000, .none, status: 429)
        #expect(
            try only(story).sentence
                == "household 7: the TV's poll-token #13 was turned away (429) although the TV had "
                + "asked nothing for more than 1000 ms")
    }

    @Test(
        "I16: beyond the budget a 429 is what was promised; and elsewhere nobody knows",
        arguments: [true, false])
    func throttled(isKnown: Bool) {
        var story = Story()
        story.rules.throttledBy = isKnown ? .device : .unknown
        story.code()
        for step in 1...11 { story.poll(at: Double(step) * 50) }
        story.tell(.tv, .pollToken, at: isKnown ? 600 : 10_000, .none, status: 429)
        #expect(story.sentences == [])
        if !isKnown { #expect(story.findings[.throttleContract].note.hasPrefix("not judged")) }
    }

    @Test("I19: a TV that asks on long after its code's end")
    func polling() throws {
        var story = Story()
        story.code(life: 10)
        story.poll(at: 80_000)
        let found = try only(story)
        #expect(found.invariant == .pollingEnds)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #2 still asked for code AAAAAA1 70 s after its "
                + "expiry")
    }

    @Test("linearizable: what no other promise names")
    func order() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010, .absent)
        story.check(at: 9_010)
        let found = try only(story)
        #expect(found.invariant == .linearizable)
        #expect(
            found.sentence
                == "household 7: no order of the operations explains the answer (success) to the "
                + "phone's check-code #4")
    }

    @Test("conforms: as captured, with its rule")
    func conforms() throws {
        var story = Story.clean()
        story.exchanges[0].deviations = [
            Deviation(rule: "rest-v1.md 2: x", found: "status 299", source: .reading)
        ]
        let found = try only(story)
        #expect(found.invariant == .conforms)
        #expect(found.source == .ours)
        #expect(
            found.sentence
                == "household 7: the TV's check-authentication #1: rest-v1.md 2: x; found status 299"
        )
    }

    @Test("I3: a TV that has exchanged its token is signed in from then on")
    func exchanged() throws {
        var story = Story()
        story.tell(
            .tv, .tokenExchange, at: 1_000, code: nil, tag: Story.alice, status: 204)
        story.poll(at: 1_020)
        story.poll(at: 1_200, Story.alice)
        let found = try only(story)
        #expect(found.invariant == .signInVisible && found.certainty == .certain)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #2, sent 16 ms after the TV's token-exchange #1 "
                + "had signed in, was told that nobody is signed in")
    }

    @Test("I4: an exchanged token that no poll ever shows")
    func exchangedLost() throws {
        var story = Story()
        story.rules.settle = .seconds(3)
        story.tell(
            .tv, .tokenExchange, at: 1_000, code: nil, tag: Story.alice, status: 204)
        for at in stride(from: 1_020.0, to: 6_000, by: 500) { story.poll(at: at) }
        let found = try only(story)
        #expect(found.invariant == .signInDelivered && found.companions.contains(.signInVisible))
    }

    @Test(
        "I12: of a login that came back with an error and one that was refused, the refused is named"
    )
    func refusedRather() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, .denied)
        story.poll(at: 8_100)
        story.assertion(Story.bob, at: 8_200, by: .otherPhone, .denied, status: 400)
        story.tell(.tv, .authorize, at: 8_300, code: nil, resource: "demo-1")
        let found = try only(story)
        #expect(found.invariant == .errorsHaveNoEffect)
        #expect(found.sentence.contains("phone-2's assertion #4"), "\(found.sentence)")
    }
}
