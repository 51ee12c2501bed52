import Dialects
import Testing
import Vocabulary

@testable import Checker

/// rest-v1.md § 16: a poll sent one interval after the phone was told "done" sees the sign-in.
@Suite("Delivery of a sign-in")
struct DeliveryTests {
    /// The phone is told "done" at 8,014 ms; one poll interval is 5,500 ms.
    private static func confirmed(_ promises: Promises = Promises(.documented)) -> Story {
        var story = Story()
        story.rules.promises = promises
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        return story
    }

    private static let due = 8_014.0 + 5_500

    @Test("it is documented: its breach fails a run under every level but observe")
    func documented() throws {
        for (level, standing) in [
            (Promises.Level.strict, Standing.fails), (.documented, .fails), (.observe, .observed),
        ] {
            var story = Self.confirmed(Promises(level))
            story.poll(at: Self.due)
            let found = try story.only()
            #expect(found.invariant == .signInDelivered && found.source == .documented)
            #expect(found.standing == standing, "\(level)")
            #expect(found.companions.contains(.signInVisible))
        }
    }

    @Test("a poll sent before the interval was over proves nothing of delivery")
    func early() throws {
        var story = Self.confirmed()
        story.poll(at: Self.due - 1)
        #expect(try story.only().invariant == .signInVisible)
        #expect(story.findings[.signInDelivered].checked == 0)
        story.poll(at: Self.due + 500, Story.alice)
        #expect(try story.only().invariant == .signInVisible)
        #expect(story.findings[.signInDelivered].checked == 1)
        #expect(story.findings[.signInDelivered].violations == 0)
    }

    @Test("late is late, also where the sign-in comes after all")
    func late() throws {
        var story = Self.confirmed()
        story.poll(at: Self.due - 1_000)
        story.poll(at: Self.due + 10)
        story.poll(at: Self.due + 5_000, Story.alice)
        let found = try story.only()
        #expect(found.invariant == .signInDelivered && found.standing == .fails)
        #expect(found.companions.contains(.signInVisible))
        #expect(story.findings[.signInDelivered].checked == 1)
        #expect(story.findings.failing == 1)
    }

    @Test(
        "what is no answer of the protocol leaves it to the next poll",
        arguments: [
            ("throttled", 429, Outcome.throttled, false), ("an error", 503, .serverError, false),
            ("blocked", 403, .blocked, false), ("lost", 200, .transport, true),
        ])
    func postponed(name: String, status: Int, outcome: Outcome, lost: Bool) throws {
        func story(_ next: (inout Story) -> Void) -> Story {
            var story = Self.confirmed()
            story.tell(
                .tv, .pollToken, at: Self.due, .denied, outcome: outcome, status: status, lost: lost
            )
            next(&story)
            return story
        }
        #expect(story { _ in }.findings[.signInDelivered].checked == 0)
        let kept = story { $0.poll(at: Self.due + 5_000, Story.alice) }
        #expect(kept.sentences == [])
        #expect(kept.findings[.signInDelivered].checked == 1)
        let broken = try story { $0.poll(at: Self.due + 5_000) }.only()
        #expect(broken.invariant == .signInDelivered)
        #expect(broken.exchanges.last == 5)
    }

    @Test("a TV that asks no more is not judged")
    func silent() {
        let story = Self.confirmed()
        #expect(story.sentences == [])
        #expect(story.findings[.signInDelivered].checked == 0)
    }

    @Test("a sign-in that was ended on purpose need not be delivered")
    func ended() {
        var story = Self.confirmed()
        story.tell(.tv, .logout, at: 9_000, code: nil, status: 204)
        story.poll(at: Self.due + 10)
        #expect(story.sentences == [])
        #expect(story.findings[.signInDelivered].checked == 0)
    }

    @Test("the TV may see it before the phone is told")
    func seenFirst() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_005, Story.alice)
        story.check(at: 8_010)
        #expect(story.sentences == [])
        #expect(story.findings[.signInDelivered].checked == 1)
    }

    @Test("each sign-in is delivered by itself, and none is hidden behind an earlier late one")
    func second() {
        var story = Self.confirmed()
        story.poll(at: 8_050)
        story.poll(at: 8_100, Story.alice)
        story.tell(.tv, .logout, at: 20_000, code: nil, status: 204)
        story.code("BBBBBB2", at: 21_000)
        story.assertion(at: 28_000, code: "BBBBBB2")
        story.check(at: 28_010, code: "BBBBBB2")
        story.poll(at: 34_000, code: "BBBBBB2")
        let found = story.findings
        #expect(found.violations.map(\.invariant) == [.signInVisible, .signInDelivered])
        #expect(found.violations.map(\.standing) == [.observed, .fails])
        #expect(found[.signInDelivered].checked == 2)
    }

    @Test("a lag that the rig allows moves the bound")
    func lag() {
        var story = Self.confirmed()
        story.rules.policies.visibility = .seconds(10)
        story.poll(at: Self.due + 1_000)
        #expect(story.sentences == [])
        story.poll(at: 8_014 + 10_001)
        #expect(story.findings.violations.map(\.invariant) == [.signInDelivered])
    }

    /// The redirect at the end of a login says the same of one whose place a newer one has taken (rest-v2.md § 5.4).
    @Test(
        "a login by a code that another browser then left with promises no sign-in",
        arguments: [false, true])
    func contested(_ isContested: Bool) {
        var story = Story()
        story.session()
        story.resume(at: 6_000)
        story.tell(.phone, .authenticate, at: 7_000)
        if isContested { story.tell(.otherPhone, .authenticate, at: 7_100) }
        story.assertion(at: 8_000)
        story.confirm(at: 8_010, nil)
        for at in stride(from: 13_000.0, through: 38_000, by: 5_000) { story.pollCode(at: at) }
        #expect(
            story.findings.violations.map(\.invariant) == (isContested ? [] : [.signInDelivered]))
    }

    @Test(
        "a violation says whose time it is: the protocol's, the rig's interval, or its policy",
        arguments: [
            (5_000, 0, "the protocol's poll interval, 5000 ms"),
            (5_500, 0, "one poll interval, 5500 ms"),
            (5_000, 6_000, "policies.visibility, 6000 ms"),
        ])
    func named(delivery: Int, visibility: Int, words: String) throws {
        var story = Story()
        story.rules.delivery = .milliseconds(delivery)
        story.rules.policies.visibility = .milliseconds(visibility)
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.poll(at: 20_000)
        let found = story.findings.violations.filter { $0.invariant == .signInDelivered }
        #expect(found.map(\.certainty) == [.given(words)])
    }
}
