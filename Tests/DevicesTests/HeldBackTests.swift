import Dialects
import Journal
import Testing
import Vocabulary

/// Requests that a rate limit of the run (`max-rate`) delays: what it costs a household is not the service's.
@Suite("A rate limit of the run delays requests")
struct HeldBackTests {
    private static let polls = Array(repeating: Scripted.answer(404), count: 1) + [Script.token]

    @Test("the service's part of a sign-in does not grow by it")
    func service() throws {
        let free = try Scene(polls: Self.polls, viewer: "2s")
        let held = try Scene(polls: Self.polls, viewer: "2s", perSecond: 0.5)
        #expect(free.record.fate == .signedIn && held.record.fate == .signedIn)
        let (usual, longer) = try (
            #require(free.record.signInService), #require(held.record.signInService)
        )
        // The next poll may come an interval later.
        #expect(longer <= usual + .seconds(5))
        let whole = try #require(held.record.signIn)
        #expect(whole > longer + .seconds(5))
    }

    @Test("a code that ends meanwhile is not the service's fault")
    func code() throws {
        let late = Array(repeating: Scripted.answer(404), count: 40)
        let held = try Scene(
            polls: late, codeLifetime: .seconds(30), viewer: "2s", perSecond: 0.1)
        #expect(held.record.fate == .abandoned && held.record.abandonedBy == .run)
        #expect(held.record.cause.hasSuffix("while a rate limit of the rig delayed the phone"))
        let free = try Scene(polls: late, codeLifetime: .seconds(30), viewer: "2s")
        #expect(free.record.fate == .failed)
    }
}
