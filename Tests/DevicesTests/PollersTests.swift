import Journal
import Testing

/// `pollers` and `after-success`: what a test bench does, and no true TV.
@Suite("A TV on a test bench polls more")
struct PollersTests {
    @Test("two pollers are half an interval apart, on devices of their own")
    func pollers() throws {
        let scene = try Scene(
            polls: Array(repeating: .answer(404), count: 4) + [Script.token], every: "4s",
            bench: ", pollers: 2")
        #expect(scene.polls == [4, 6, 8, 10, 12])
        let indices = scene.seen.filter { $0.operation == .pollToken }.map(\.index)
        #expect(indices == [0, 1, 0, 1, 0])
        #expect(scene.record.fate == .signedIn && scene.record.polls == 5)
        let sequences = scene.exchanges.map(\.sequence)
        #expect(Set(sequences).count == sequences.count)
    }

    @Test("the token that another poll loop sees does not end the story of the first")
    func otherSees() throws {
        let scene = try Scene(
            polls: [.answer(404), Script.token, .answer(404), Script.token, Script.token],
            every: "4s", bench: ", pollers: 2")
        #expect(scene.polls == [4, 6, 8, 10, 12])
        #expect(scene.record.fate == .signedIn)
        #expect(
            scene.record.tokenSeen.map { $0 - (scene.record.codeShown ?? $0) }
                == .milliseconds(12_010))
    }

    @Test("polls go on after the success, whatever they are answered, and then the story does")
    func afterSuccess() throws {
        let scene = try Scene(
            polls: [Script.token, .answer(404), .answer(500), Script.token], every: "1s",
            bench: ", after-success: 3s", after: "[user-metadata]")
        #expect(scene.polls == [1, 2.01, 3.01])
        #expect(scene.record.fate == .signedIn)
        let last = scene.seen.filter { $0.operation == .pollToken }.last
        let next = scene.seen.first { $0.operation == .userMetadata }
        #expect(try #require(next).at > #require(last).at)
    }

    @Test("polls go on after a logout as well")
    func afterLogout() throws {
        let scene = try Scene(
            polls: [Script.token], every: "1s", bench: ", after-success: 3s",
            after: "[{logout: 100%}]")
        #expect(scene.polls.count == 5)
        let logout = try #require(scene.seen.first { $0.operation == .logout })
        #expect(scene.seen.count { $0.operation == .pollToken && $0.at > logout.at } == 2)
        #expect(scene.record.stage == .loggedOut)
    }

    @Test(
        "a TV that is throttled after its token asks again when it may, and its sign-in had no wait"
    )
    func throttled() throws {
        let scene = try Scene(
            polls: [Script.token, .asks(429, toWait: "7"), Script.token], every: "1s",
            settle: "30s", bench: ", after-success: 5s", after: "[{logout: 100%}]")
        let polls = scene.seen.filter { $0.operation == .pollToken }
        let logout = try #require(scene.seen.first { $0.operation == .logout })
        #expect(polls.count > 2 && polls[1].at < logout.at, "\(polls.map(\.at)) \(logout.at)")
        #expect(polls.dropFirst(2).allSatisfy { $0.at - polls[1].at >= .seconds(7) })
        #expect(logout.at - polls[1].at >= .seconds(7), "it asks for nothing else meanwhile")
        #expect(scene.record.throttled == ThrottledRequests(firstScreen: 1))
    }

    @Test("that the token came is told when it came, not when the polls after it are over")
    func toldAtOnce() throws {
        let scene = try Scene(
            polls: Array(repeating: Script.token, count: 20), every: "2s", viewer: "1s",
            bench: ", after-success: 12s")
        #expect(scene.record.polls > 5)
        #expect(
            scene.records.contains {
                $0.tokenSeen != nil && $0.stage == .signedIn && $0.polls == 1
            }, "\(scene.records.map(\.polls))")
    }

    @Test("further poll loops stop when the code runs out")
    func codeOver() throws {
        let scene = try Scene(
            every: "4s", codeLifetime: .seconds(9), bench: ", pollers: 3, after-success: 5s")
        #expect(scene.polls.allSatisfy { $0 <= 13 })
        #expect(scene.record.fate == .abandoned)
    }
}
