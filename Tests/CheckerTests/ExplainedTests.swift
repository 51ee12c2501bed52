import Dialects
import Journal
import Testing

@testable import Checker

/// What changes what is said, and how surely: nobody is accused of what something else explains.
@Suite("Accusing rightly: what explains an answer")
struct ExplainedTests {
    // MARK: Answers that tell nothing

    @Test("blocked answers tell nothing, and what they answered may have happened")
    func blocked() {
        var story = Story()
        story.code()
        story.tell(
            .phone, .assertion, at: 8_000, .none, tag: Story.alice, outcome: .blocked, status: 403)
        story.tell(.tv, .pollToken, at: 9_000, .none, outcome: .blocked, status: 200)
        story.poll(at: 10_000, Story.alice)
        #expect(story.sentences == [])
        story.exchanges.removeLast()
        story.poll(at: 10_000)
        #expect(story.sentences == [])
    }

    @Test("429 is no information, and no effect")
    func throttled() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.tell(.tv, .pollToken, at: 8_020, .none, status: 429)
        story.poll(at: 10_000, Story.alice)
        #expect(story.sentences == [])
        var applied = Story()
        applied.code()
        applied.assertion(at: 8_000, status: 429)
        applied.poll(at: 10_000, Story.alice)
        #expect(
            applied.sentences == [
                "household 7: the TV's poll-token #3 returned a sign-in that the phone's "
                    + "assertion #2 had throttled (429), 1996 ms before"
            ])
    }

    @Test("refused connections never happened")
    func refused() {
        var story = Story()
        story.code()
        story.tell(.phone, .assertion, at: 8_000, .none, tag: Story.alice, refused: true)
        story.poll(at: 10_000, Story.alice)
        #expect(story.findings.violations.map(\.invariant) == [.noTokenBeforeSignIn])
    }

    @Test("410 to a poll is \"not yet\", nothing more")
    func gone() {
        var story = Story()
        story.code()
        story.tell(.tv, .pollToken, at: 5_000, .absent, status: 410)
        story.assertion(at: 8_000)
        story.poll(at: 9_000, Story.alice)
        #expect(story.sentences == [])
    }

    // MARK: Who was here before

    @Test("a device that was signed in before the run, on ids that may be old")
    func preSignedIn() {
        var story = Story()
        story.rules.devicesAreFresh = false
        story.tell(.tv, .checkAuthentication, at: 0, code: nil)
        story.tell(.tv, .authorize, at: 10, code: nil, resource: "demo-1")
        story.poll(at: 1_000, Story.bob)
        story.poll(at: 2_000, Story.bob)
        #expect(story.sentences == [])
        #expect(story.findings.preSignedIn == 1)
        story.rules.devicesAreFresh = true
        #expect(story.findings.violations.map(\.invariant) == [.noTokenBeforeSignIn])
    }

    @Test("a device that was not signed in when it came was not signed in before")
    func notPreSignedIn() {
        var story = Story()
        story.rules.devicesAreFresh = false
        story.tell(.tv, .checkAuthentication, at: 0, .absent, code: nil)
        story.poll(at: 1_000, Story.bob)
        #expect(story.findings.violations.map(\.invariant) == [.noTokenBeforeSignIn])
    }

    @Test("shared accounts: a name proves nothing, and the report says so")
    func shared() {
        var story = Story.clean(in: 7)
        story.live(in: 8, tag: Story.alice, code: "BBBBBB2")
        story.code("CCCCCC3", in: 9)
        story.poll(at: 5_000, Story.alice, in: 9, code: "CCCCCC3")
        let findings = story.findings
        #expect(findings.violations.map(\.standing) == [.suspected])
        #expect(findings.failing == 0)
        #expect(
            findings[.tokenIsolation].note == "checked in part: several households share accounts")
        var minted = Story.clean(in: 7)
        minted.exchanges.removeAll {
            $0.operation == .logout || $0.operation == .checkAuthentication
        }
        minted.live(in: 8, tag: Story.alice, code: "BBBBBB2")
        minted.poll(at: 15_000, Story.alice, expires: Story.epoch + 21_600_500)
        #expect(minted.findings.violations.map(\.standing) == [.suspected])
    }

    @Test("users whom only the service knows are learned from a device's one sign-in")
    func learned() {
        var story = Story()
        story.rules.knowsUsers = false
        story.code()
        story.assertion(at: 8_000)
        let opaque = Tag(mvpd: "DemoCable", user: "u-8f31")
        story.poll(at: 10_000, opaque)
        story.poll(at: 15_000, opaque)
        #expect(story.sentences == [])
        #expect(
            story.findings[.tokenIsolation].note
                == "users learned from sign-ins")
        story.poll(at: 20_000, Tag(mvpd: "DemoCable", user: "u-9999"))
        #expect(story.findings.violations.map(\.invariant) == [.tokenIsolation])
    }

    @Test("sign-ins that do not tell who signs in are believed")
    func untold() {
        var story = Story()
        story.code()
        story.tell(.tv, .tokenExchange, at: 1_000, code: nil, status: 204)
        story.poll(at: 2_000, Story.bob)
        story.poll(at: 3_000, Story.bob)
        #expect(story.sentences == [])
        story.poll(at: 4_000)
        #expect(story.findings.violations.map(\.invariant) == [.tokenMonotonic])
    }

    // MARK: What stands between

    @Test(
        "an edge's cache: the edge answered",
        arguments: [
            ["Age": "12"], ["X-Cache": "Hit from cloudfront"],
        ] as [Headers])
    func edge(evidence: Headers) {
        var story = Story.flap()
        story.exchanges[3].evidence = evidence
        let found = story.findings.violations
        #expect(found.map(\.standing) == [.suspected])
        #expect(
            found[0].sentence.hasSuffix("; the response came from the edge, not from the service"))
        #expect(found[0].certainty == .suspicion("a cache in front of the service responded"))
        var fresh = Story.flap()
        fresh.exchanges[3].evidence = ["Age": "0", "X-Cache": "Miss from cloudfront"]
        #expect(fresh.findings.violations.map(\.standing) == [.fails])
    }

    @Test("a proxy on the way may repeat requests")
    func proxied() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, .denied, status: 400, evidence: ["Via": "1.1 edge"])
        story.poll(at: 10_000, Story.alice)
        let found = story.findings.violations
        #expect(found.map(\.invariant) == [.errorsHaveNoEffect])
        #expect(
            found[0].certainty
                == .suspicion("a proxy may have repeated the request"))
    }

    @Test("our own clock stood still: nothing is said to have run out early")
    func sleep() {
        var story = Story()
        story.code(life: 60)
        story.assertion(at: 1_000)
        let expires = Story.epoch + 60_000
        story.poll(at: 2_000, Story.alice, expires: expires)
        // The machine sleeps for a minute here; the token runs out meanwhile.
        story.poll(at: 3_000)
        #expect(story.findings.failing > 0)
        let judge = Judge(story.rules)
        for exchange in story.told {
            if exchange.sent > Instant(nanoseconds: 2_500_000_000) {
                judge.clockStoodStill(for: .seconds(60))
            }
            judge.take(exchange)
        }
        #expect(judge.finish().violations.map(\.sentence) == [])
    }

    @Test("a deploy under the run: what is near it is told apart")
    func deploy() {
        var story = Story.flap()
        for position in story.exchanges.indices {
            story.exchanges[position].evidence = ["Server": position < 3 ? "a/1" : "a/2"]
        }
        let found = story.findings.violations
        #expect(found.map(\.nearChange) == ["Server changed from \"a/1\" to \"a/2\" 0 ms before"])
        #expect(story.findings.changes == ["Server changed from \"a/1\" to \"a/2\" at 8054 ms"])
        // A gateway that turns down what comes too often is no other server.
        var limited = Story.flap()
        for position in limited.exchanges.indices where position >= 3 {
            limited.exchanges[position].evidence = ["Server": "gateway"]
            limited.exchanges[position].outcome = .throttled
        }
        #expect(limited.findings.changes == [])
        var mixed = Story.flap()
        for position in mixed.exchanges.indices {
            mixed.exchanges[position].evidence = ["Server": position % 2 == 0 ? "a/1" : "a/1"]
        }
        #expect(mixed.findings.violations.map(\.nearChange) == [nil])
    }

    // MARK: What is missing

    @Test("with exchanges missing nothing is said of what came after them")
    func gap() {
        var told = Story.flap().told
        told.remove(at: 1)
        let judge = Judge(Rules())
        for exchange in told { judge.take(exchange) }
        let findings = judge.finish()
        #expect(findings.violations.isEmpty)
        #expect(findings[.linearizable].undecided == 1)
    }

    @Test("too many lost answers at once: undecided, and said so")
    func cap() {
        var story = Story()
        story.code()
        for attempt in 0..<14 {
            story.assertion(
                Tag(mvpd: "DemoCable", user: "u\(attempt)"), at: 8_000 + Double(attempt) * 10,
                lost: true)
        }
        story.poll(at: 9_000)
        let findings = story.findings
        #expect(findings[.linearizable].undecided == 1)
        #expect(findings.violations.isEmpty)
    }
}
