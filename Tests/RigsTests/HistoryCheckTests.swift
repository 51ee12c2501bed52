import Dialects
import Testing

@testable import Rigs

@Suite("What a rig says that it shows")
struct HistoryCheckTests {
    /// A line, what it is about, and how often it must be found.
    struct Form: Sendable {
        var line: String
        var subject: HistoryCheck.Subject
        var comparison = Threshold.Relation.atLeast
        var bound = 1
    }

    static let forms: [Form] = [
        Form(
            line: "media-token",
            subject: .exchange(.mediaToken, status: nil, outcome: nil, reason: nil)),
        Form(
            line: "poll-token 410 >= 3",
            subject: .exchange(.pollToken, status: 410, outcome: nil, reason: nil), bound: 3),
        Form(
            line: "poll-token pending > 2",
            subject: .exchange(.pollToken, status: nil, outcome: .pending, reason: nil),
            comparison: .above, bound: 2),
        Form(
            line: "authorize 403 reason noAuthz",
            subject: .exchange(.authorize, status: 403, outcome: nil, reason: "noAuthz")),
        Form(line: "event status VSA203", subject: .event("status", detail: "VSA203")),
        Form(line: "event status", subject: .event("status", detail: nil)),
        Form(
            line: "event call logout == 6", subject: .event("call logout", detail: nil),
            comparison: .equal, bound: 6),
        Form(
            line: "event sign-on path 1-2-6-11",
            subject: .event("sign-on path", detail: "1-2-6-11")),
        Form(
            line: "event setRequestorComplete 0",
            subject: .event("setRequestorComplete", detail: "0")),
        Form(
            line: "households signed-in == 12", subject: .households("signed-in"),
            comparison: .equal, bound: 12),
        Form(line: "households logged-out", subject: .households("logged-out")),
        Form(
            line: "violation one-owner <= 0", subject: .violation(.oneOwner),
            comparison: .atMost, bound: 0),
    ]

    @Test("every form of the grammar is understood", arguments: forms)
    func understood(form: Form) throws {
        let check = try HistoryCheck.read(form.line)
        #expect(check.subject == form.subject)
        #expect(check.comparison == form.comparison)
        #expect(check.bound == form.bound)
        #expect(check.kind == nil)
        #expect(HistoryCheck(text: form.line) == check)
    }

    @Test("a line may be about one kind of household, as YAML reads it")
    func kinds() throws {
        let rig = try Rig.sample(
            "kinds: [{name: a b}]\nshows:\n  - kind \"a b\": poll-token 200\n"
                + "  - 'kind \"a b\": households failed == 0'")
        #expect(rig.shows.map(\.kind) == ["a b", "a b"])
        #expect(rig.shows.map(\.bound) == [1, 0])
    }

    @Test("what a TV does in a trial is no load: it need not show anything")
    func trial() throws {
        let rig = try #require(try Rig.sample("shows: [media-token]").trial())
        #expect(rig.shows.isEmpty)
    }
}
