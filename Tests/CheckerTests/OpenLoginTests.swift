import Dialects
import Journal
import Testing
import Vocabulary

@testable import Checker

/// Logins of which nothing says which request signs in: what may be accused is decided by the earliest that may, what must be
/// seen by the latest.
@Suite struct OpenLoginTests {
    /// How a login goes on once its credentials were posted, at 7 s.
    enum Way: CaseIterable {
        /// Two hops of unknown kinds, and one that leads back to the app.
        case hops
        /// The post is answered with a page that asks for nothing.
        case page
        /// The post's answer is lost, and the phone's check is what tells.
        case lost
        /// A form brings the provider's answer.
        case recognised
    }

    private static func story(_ way: Way, tokenAt: Double? = nil) -> Story {
        var story = Story()
        story.code(at: 10)
        story.poll(at: 5_000)
        story.tell(.phone, .registrationRecord, at: 6_000)
        story.tell(.phone, .authenticate, at: 6_500)
        story.tell(.phone, .mvpdLogin, at: 6_600, .none)
        story.tell(.phone, .mvpdLogin, at: 7_000, .none, tag: Story.alice, lost: way == .lost)
        switch way {
        case .hops:
            story.tell(.phone, .mvpdLogin, at: 7_100, .none, tag: Story.alice)
            story.assertion(at: 11_000, .ledBack, status: 302)
        case .recognised: story.assertion(at: 11_000)
        case .page, .lost: break
        }
        if let tokenAt { story.poll(at: tokenAt, Story.alice) }
        story.check(at: 11_010)
        story.poll(at: 12_000, Story.alice)
        return story
    }

    @Test(
        "a token after the post of the credentials is accused only where a request is known to be the only way",
        arguments: Way.allCases)
    func afterTheCredentials(way: Way) {
        let story = Self.story(way, tokenAt: 8_000)
        #expect(story.broken.contains(.noTokenBeforeSignIn) == (way == .recognised))
        #expect(story.broken.isEmpty == (way != .recognised))
    }

    @Test("a token before that is accused whatever comes later", arguments: Way.allCases)
    func beforeTheCredentials(way: Way) {
        #expect(Self.story(way, tokenAt: 6_800).broken.contains(.noTokenBeforeSignIn))
    }

    @Test("a login as it should be breaks nothing", arguments: Way.allCases)
    func clean(way: Way) {
        #expect(Self.story(way).broken == [])
    }

    /// The answer is brought at 10 s, whose response leads on to 11 s and back to the app.
    private static func ledOn(
        tokenAt: Double, status: Int, expires: [Double] = [21_600, 21_600]
    ) -> Story {
        var story = Story()
        story.code(at: 10)
        story.tell(.phone, .authenticate, at: 6_500)
        story.tell(.phone, .mvpdLogin, at: 7_000, .none, tag: Story.alice)
        story.assertion(at: 10_000, .ledOn, status: status)
        story.assertion(at: 11_000, .ledBack, status: 302)
        for (number, seconds) in expires.enumerated() {
            story.poll(
                at: tokenAt + Double(number) * 5_000, Story.alice,
                expires: Story.epoch + Int64(seconds * 1_000))
        }
        return story
    }

    @Test(
        "an answer that leads on before it leads back is one sign-in, by a redirect or on a page",
        arguments: [303, 200])
    func onceOnly(status: Int) {
        #expect(Self.ledOn(tokenAt: 12_000, status: status).broken == [])
        #expect(
            Self.ledOn(tokenAt: 12_000, status: status, expires: [21_600, 21_601]).broken == [
                .oneToken
            ])
        // It may sign in at the first or at the last of these requests, and not before.
        var story = Self.ledOn(tokenAt: 10_500, status: status)
        #expect(story.broken == [])
        story.poll(at: 9_000, Story.alice)
        #expect(story.broken.contains(.noTokenBeforeSignIn))
        var late = Self.ledOn(tokenAt: 12_000, status: status)
        late.poll(at: 10_500)
        #expect(late.broken == [])
    }

    @Test("a TV's own request that was held back while its web view signed in ends no login")
    func heldBack() {
        var story = Story()
        story.code(at: 10)
        story.tell(.tv, .authenticate, at: 6_500)
        story.tell(.tv, .mvpdLogin, at: 7_000, .none, tag: Story.alice)
        // At the gate since 7.1 s, sent after the assertion, which another connection brings.
        story.poll(at: 8_100, Story.alice, expires: Story.epoch + 21_600_000)
        story.exchanges[story.exchanges.count - 1].begun = Instant(nanoseconds: 7_100_000_000)
        story.assertion(at: 8_000, by: .otherPhone)
        story.poll(at: 9_000, Story.alice, expires: Story.epoch + 21_601_000)
        #expect(story.broken == [.oneToken])
    }

    @Test("what the TV must see is decided by the last hop: none before it is late")
    func visible() {
        var story = Self.story(.hops)
        story.poll(at: 10_500)
        #expect(story.broken == [])
        story.poll(at: 11_500)
        let findings = story.findings
        #expect(findings.violations.map(\.invariant) == [.signInVisible])
    }

    @Test("a login that ended on a page promises no sign-in")
    func pagePromisesNothing() {
        var story = Story()
        story.code(at: 10)
        story.tell(.phone, .authenticate, at: 6_500)
        story.tell(.phone, .mvpdLogin, at: 7_000, .none, tag: Story.alice)
        story.check(at: 7_010, .absent)
        for second in 8...60 { story.poll(at: Double(second) * 1000) }
        #expect(story.broken == [])
    }

    @Test(
        "a login whose page came back by way of a redirect was turned down: a token after it is accused",
        arguments: [true, false])
    func cameBack(isLoginPage: Bool) {
        var story = Story()
        story.code(at: 10)
        story.tell(.phone, .authenticate, at: 6_500)
        story.tell(.phone, .mvpdLogin, at: 7_000, .none, tag: Story.alice, status: 302)
        story.tell(
            .phone, .mvpdLogin, at: 7_010, isLoginPage ? .denied : .none, tag: Story.alice,
            outcome: .ok, status: 200)
        story.poll(at: 8_000, Story.alice)
        #expect(story.broken == (isLoginPage ? [.errorsHaveNoEffect] : []))
    }

    @Test("an answer that another screen brings, as in races, ends the login: it is one sign-in")
    func handedOver() {
        var story = Story()
        story.code(at: 10)
        story.tell(.phone, .mvpdLogin, at: 7_000, .none, tag: Story.alice)
        story.assertion(at: 7_100, by: .otherPhone)
        story.poll(at: 8_000, Story.alice, expires: Story.epoch + 21_600_000)
        story.poll(at: 13_000, Story.alice, expires: Story.epoch + 21_601_000)
        #expect(story.broken == [.oneToken])
    }

    @Test("two phones at once have a login each")
    func twoPhones() {
        var story = Story()
        story.code(at: 10)
        story.tell(.phone, .mvpdLogin, at: 7_000, .none, tag: Story.alice)
        story.tell(.otherPhone, .mvpdLogin, at: 7_500, .none, tag: Story.bob)
        story.poll(at: 7_200, Story.alice)
        story.assertion(at: 9_000, .ledBack, status: 302)
        story.assertion(Story.bob, at: 9_500, by: .otherPhone, .ledBack, status: 302)
        #expect(!story.broken.contains(.noTokenBeforeSignIn))
        story.poll(at: 7_100, Story.bob)
        #expect(story.broken.contains(.noTokenBeforeSignIn))
    }
}

extension Story {
    fileprivate var broken: [Invariant] { findings.violations.map(\.invariant) }
}
