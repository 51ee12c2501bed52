import Checker
import Dialects
import Testing

@Suite("What the judge believes after each exchange")
struct BeliefTests {
    /// By the name of the operation and its time in milliseconds.
    private static func views(_ story: Story) -> [String] {
        let judge = Judge(story.rules, following: 7)
        for exchange in story.told { judge.take(exchange) }
        _ = judge.finish()
        let exchanges = story.told.filter { $0.device.household == 7 }
        return judge.beliefs.compactMap { belief in
            exchanges.first { $0.sequence == belief.sequence }.map {
                "\($0.operation.name): \(text(belief.view))"
            }
        }
    }

    private static func text(_ view: Belief.View) -> String {
        switch view {
        case .possible(let states):
            states.map { $0.isEmpty ? "out" : $0.map(\.user).joined(separator: "+") }
                .joined(separator: " or ")
        case .contradicted: "contradicted"
        case .undecided: "undecided"
        }
    }

    @Test("a household that signs in and out is out, then in, then out again")
    func clean() {
        let views = Self.views(.clean())
        #expect(views.first == "check-authentication: out")
        #expect(views.contains("authenticate: out"))
        #expect(views.contains("assertion: out or alice"))
        #expect(views.contains("check-code: alice"))
        #expect(views.filter { $0 == "poll-token: alice" }.count == 1)
        #expect(views.suffix(2) == ["logout: out", "check-authentication: out"])
    }

    @Test("while a sign-in is under way, either may be true")
    func underWay() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, took: 200)
        story.tell(.phone, .registrationRecord, at: 8_050)
        story.poll(at: 8_400, Story.alice)
        #expect(
            Self.views(story) == [
                "registration-code: out", "registration-record: out or alice",
                "assertion: out or alice", "poll-token: alice",
            ])
    }

    @Test("a sign-in whose answer was lost leaves both open, until a poll tells")
    func lost() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, lost: true)
        story.tell(.phone, .registrationRecord, at: 9_000)
        story.poll(at: 10_000, Story.alice)
        let views = Self.views(story)
        #expect(views.contains("registration-record: out or alice"))
        #expect(views.contains("poll-token: alice"))
    }

    @Test("an answer that nothing explains leaves no state")
    func contradicted() {
        let views = Self.views(.flap())
        #expect(views.suffix(2) == ["poll-token: alice", "poll-token: contradicted"])
    }

    @Test("whoever is followed is judged as everybody else, and nobody else is noted")
    func apart() {
        var story = Story.flap()
        story.live(in: 8, tag: Story.bob, code: "BBBBBB2")
        let judge = Judge(story.rules, following: 7)
        for exchange in story.told { judge.take(exchange) }
        #expect(judge.finish() == story.findings)
        #expect(judge.beliefs.count == 4)
    }
}
