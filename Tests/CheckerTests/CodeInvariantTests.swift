import Dialects
import Testing

@testable import Checker

/// I6 to I8 and I13.
@Suite("Invariants: one code, one sign-in, one token")
struct CodeInvariantTests {
    @Test("I6: one code, two users")
    func owner() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, took: 20)
        story.assertion(Story.bob, at: 8_005, took: 20, by: .otherPhone)
        story.poll(at: 8_030, Story.alice)
        story.poll(at: 8_060, Story.bob)
        let found = try story.only()
        #expect(found.invariant == .oneOwner)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #5 returned bob at DemoCable, the TV's "
                + "poll-token #4 had returned alice at DemoCable: code AAAAAA1 was used for "
                + "two sign-ins")
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
        let found = try story.only()
        // Expired long since: that is the first cause.
        #expect(found.invariant == .expiryRespected)
        var early = Story()
        early.code()
        early.code("BBBBBB2", at: 1_000)
        early.tell(.phone, .registrationRecord, at: 2_000, .absent)
        early.tell(.phone, .registrationRecord, at: 3_000)
        let back = try early.only()
        #expect(back.invariant == .oneOwner)
        #expect(
            back.sentence
                == "household 7: the phone's registration-record #4 found code AAAAAA1 again, "
                + "996 ms after the phone's registration-record #3 had reported it as gone")
    }

    @Test("I7: one sign-in, two tokens")
    func token() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_020, Story.alice)
        story.poll(at: 8_050, Story.alice, expires: Story.epoch + 21_600_030)
        let found = try story.only()
        #expect(found.invariant == .oneToken)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #3 and the TV's poll-token #4 returned "
                + "tokens of alice at DemoCable that expire 30 ms apart; there was only one "
                + "sign-in")
    }

    @Test("I7: an expiry worked out anew for each response is one as far as the clocks may differ")
    func jitter() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_020, Story.alice)
        story.poll(at: 8_050, Story.alice, expires: Story.epoch + 21_600_030)
        story.poll(at: 8_080, Story.alice, expires: Story.epoch + 21_599_970)
        story.rules.policies.clockTolerance = .milliseconds(29)
        #expect(story.findings[.oneToken].violations == 1)
        story.rules.policies.clockTolerance = .milliseconds(30)
        #expect(story.sentences == [])
    }

    @Test("I7: torn: provider of one attempt, user of the other")
    func torn() throws {
        var story = Story()
        story.code()
        let bob = Tag(mvpd: "DemoSat", user: "bob")
        story.assertion(at: 8_000, took: 20)
        story.assertion(bob, at: 8_005, took: 20, by: .otherPhone)
        story.poll(at: 8_050, Tag(mvpd: "DemoSat", user: "alice"))
        let found = try story.only()
        #expect(found.invariant == .oneToken)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #4 returned alice at DemoSat: the "
                + "provider of phone-2's assertion #3 with the user of the phone's assertion "
                + "#2; no sign-in used both")
    }

    @Test("I8: two live codes of one text")
    func code() throws {
        var story = Story()
        story.code("AAAAAA1", at: 0, in: 7)
        story.code("AAAAAA1", at: 10_000, in: 8)
        let found = try story.only()
        #expect(found.invariant == .codeUnique)
        #expect(
            found.sentence
                == "household 8: it got code AAAAAA1 (#1) while the same code was valid for "
                + "household 7 (#1) for at least 1789.8 s more")
    }

    @Test(
        "I8: of two that were asked for at once, the later answer is accused",
        arguments: [true, false])
    func overlapping(isFirstSlow: Bool) throws {
        var story = Story()
        story.code("AAAAAA1", at: 0, took: isFirstSlow ? 900 : 300, in: 7)
        story.code("AAAAAA1", at: 200, took: 300, in: 8)
        let found = try story.only()
        #expect(found.invariant == .codeUnique)
        #expect(found.household == (isFirstSlow ? 7 : 8))
        #expect(
            found.sentence.contains("was valid for household \(isFirstSlow ? 8 : 7) (#1)"),
            "\(found.sentence)")
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

    @Test(
        "a code's former owner deletes it twice: the second time it was the next owner's",
        arguments: [false, true])
    func deletedTwice(isLaterFirst: Bool) throws {
        var story = Story()
        story.code("AAAAAA1", at: 0, in: 7)
        story.tell(.tv, .deleteRegistration, at: 5_000, in: 7)
        story.tell(.phone, .deleteRegistration, at: 5_010, took: 10, in: 7)
        story.code("AAAAAA1", at: 5_006, in: 8)
        story.code("AAAAAA1", at: 5_030, in: 9)
        story.tell(.tv, .registrationRecord, at: 6_000, .absent, in: 8)
        // Household by household, as trials are told; a request at a gate has its number before it begins.
        var told = story.told.sorted {
            ($0.device.household, $0.sequence) < ($1.device.household, $1.sequence)
        }
        if isLaterFirst {
            told.swapAt(1, 2)
            (told[1].sequence, told[2].sequence) = (2, 3)
            told[1].begun = told[2].begun
        }
        let judge = Judge(story.rules)
        for exchange in told { judge.take(exchange) }
        #expect(judge.finish().violations.map(\.sentence) == [])
        // One deletion frees it once.
        story.exchanges.remove(at: 2)
        #expect(try story.only().invariant == .codeUnique)
    }

    @Test("I13: a sign-in that was tried again took effect twice")
    func retry() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, lost: true)
        story.assertion(at: 9_000)
        story.poll(at: 9_500, Story.alice)
        story.poll(at: 9_600, Story.alice, expires: Story.epoch + 21_601_000)
        let found = try story.only()
        #expect(found.invariant == .retryOnce)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #4 and the TV's poll-token #5 returned "
                + "sign-ins of alice at DemoCable that expire 1000 ms apart: a retried "
                + "sign-in took effect twice")
        story.exchanges.removeLast()
        #expect(story.sentences == [])
    }
}
