import Dialects
import Journal
import Testing
import Vocabulary

/// `Retry-After` of a 429 or a 5xx (RFC 9110, 10.2.3): as the server asks, in every step.
@Suite("A server asks to wait")
struct RetryAfterTests {
    private func times(_ scene: Scene, _ operation: OperationName) -> [Double] {
        scene.seen.filter { $0.operation == operation && $0.role == .firstScreen }
            .map { Double(($0.at - .start).nanoseconds) / 1e9 }
    }

    @Test("a step waits so long, and goes on", arguments: [429, 503], [false, true])
    func step(status: Int, speaksV2: Bool) throws {
        let scene = try Scene(
            [.registerClient: [.asks(status, toWait: "7")]], speaksV2: speaksV2)
        let asked = times(scene, .registerClient)
        #expect(asked.count == 2 && asked[1] - asked[0] >= 7 && asked[1] - asked[0] < 8.1)
        #expect(scene.record.codeShown != nil)
    }

    @Test("a poll waits so long", arguments: [429, 503])
    func poll(status: Int) throws {
        let scene = try Scene(polls: [.asks(status, toWait: "12"), Script.token])
        #expect(scene.polls.count == 2 && scene.polls[1] >= 17 && scene.polls[1] < 18.1)
        #expect(scene.record.fate == .signedIn)
    }

    @Test("a wait beyond the run's end ends the household at once", arguments: [429, 503])
    func beyondTheRun(status: Int) throws {
        let scene = try Scene(
            [.registerClient: Array(repeating: .asks(status, toWait: "3600"), count: 9)],
            viewer: "2s")
        #expect(times(scene, .registerClient).count == 1)
        #expect(scene.record.fate == .failed)
        #expect(
            scene.record.cause
                == "register-client answered \(status): the server asked to wait 3600 s, and the run "
                + "ends before that")
        #expect((scene.record.ended ?? .start) < Instant(.seconds(1)))
    }

    /// Forty waits of 9 s go on long after the planned end.
    @Test(
        "a wait within the settle phase, or of a few seconds, is waited, however late the run is",
        arguments: [("9", 40, "10s"), ("2", 20, "1s")])
    func late(wait: String, times: Int, settle: String) throws {
        let scene = try Scene(
            polls: [.answer(404), Script.token],
            [.userMetadata: Array(repeating: .asks(429, toWait: wait), count: times)],
            viewer: "1s", settle: settle, after: "[user-metadata]")
        #expect(scene.count(.userMetadata) == times + 1 && scene.record.fate == .signedIn)
    }

    @Test("a wait beyond the code's end ends the polls at once")
    func beyondTheCode() throws {
        let scene = try Scene(polls: [.asks(429, toWait: "1800")])
        #expect(scene.polls == [5])
        #expect(scene.record.fate == .failed)
        #expect(
            scene.record.cause
                == "poll-token answered 429: the server asked to wait 1800 s, and the code ends before "
                + "that")
    }

    @Test("further poll loops wait as long, and hold up no household")
    func bench() throws {
        let scene = try Scene(
            polls: Array(repeating: .asks(429, toWait: "900"), count: 9), viewer: "2s",
            bench: ", pollers: 3")
        #expect(scene.record.fate == .failed && scene.polls.count <= 3)
        #expect((scene.record.ended ?? .start) < Instant(.seconds(60)))
    }

    @Test("an assertion that was throttled is repeated after a second, not at once")
    func assertion() throws {
        let scene = try Scene(
            polls: [.answer(404), Script.token], [.assertion: [.answer(429)]], viewer: "1s")
        let sent = scene.seen.filter { $0.operation == .assertion }.map(\.at)
        #expect(sent.count == 2 && sent[1] - sent[0] >= .seconds(1))
        #expect(scene.record.fate == .signedIn)
    }

    @Test("a step that is throttled to the end takes 61 requests, and the cause says so")
    func throttledToTheEnd() throws {
        let scene = try Scene(
            [.registerClient: Array(repeating: .answer(429), count: 99)], viewer: "2s")
        let asked = times(scene, .registerClient)
        #expect(asked.count == 61)
        #expect(zip(asked, asked.dropFirst()).allSatisfy { $1 - $0 >= 1 && $1 - $0 < 2.1 })
        #expect(scene.record.cause == "register-client answered 429 to each of 61 requests")
    }

    @Test("under closed load nobody takes the place of such a household at once")
    func closedLoad() throws {
        let scene = try Scene(
            [.registerClient: Array(repeating: .asks(429, toWait: "3600"), count: 99)],
            viewer: "2s", load: "{closed: {households: 1, for: 10s}, settle: 1s}")
        #expect((9...11).contains(scene.count(.registerClient)))
    }
}
