import Dialects
import Journal
import Testing

/// rest-v1.md § 15, rule by rule. Times are seconds since the code was shown; the interval is 5 s,
/// an answer takes 10 ms.
@Suite("A first screen polls, and stops")
struct PollingTests {
    @Test("it starts one interval after the code, and stops at the token")
    func success() throws {
        let scene = try Scene(polls: [.answer(404), .answer(404), Script.token])
        #expect(scene.polls == [5, 10, 15])
        #expect(scene.record.fate == .signedIn && scene.record.polls == 3)
        #expect(scene.record.signIn == .milliseconds(15_010))
    }

    @Test(
        "404, 410, a 403 of the boolean check and a page of something in front are all 'not yet'",
        arguments: [
            Scripted.answer(404), .answer(410, #"{"status":410,"message":"Gone"}"#),
            .answer(403, #"{"status":403,"message":"Authentication token not found"}"#),
            .answer(200, "<!DOCTYPE html><html></html>", type: "text/html"),
        ])
    func pending(answer: Scripted) throws {
        let scene = try Scene(polls: [answer, answer, Script.token])
        #expect(scene.polls == [5, 10, 15])
        #expect(scene.record.fate == .signedIn)
    }

    @Test("it stops when its code is over, and never polls after")
    func codeOver() throws {
        let scene = try Scene(codeLifetime: .seconds(12))
        #expect(scene.polls == [5, 10])
        #expect(scene.record.fate == .abandoned)
        #expect(
            scene.record.cause
                == "the code expired before the viewer signed in: the service gave it 12 s")
        #expect(scene.record.abandonedBy == .viewer)
    }

    @Test(
        "who is in time is told by the life that the service gave the code, not by the rig's",
        arguments: [
            ("[]", 1_800, 12, HouseholdRecord.Abandonment?.none),
            ("[]", 10, 12, .viewer), ("[{ttl: 10s}]", 10, 12, .viewer),
            ("[{ttl: 67s}]", 10, 12, .viewer), ("[{ttl: 10s}]", 67, 999, .service),
            // In time only as long as a poll is to follow: the viewer is done at 61 s, the TV asks at 60 and 65 s.
            ("[]", 65, 999, .viewer), ("[]", 66, 999, .service), ("[]", 67, 999, .service),
        ] as [(String, Int64, Int, HouseholdRecord.Abandonment?)])
    func inTime(
        code: String, lifetime: Int64, pending: Int, abandonedBy: HouseholdRecord.Abandonment?
    ) throws {
        let viewer = 60
        let polls = Array(repeating: Scripted.answer(404), count: pending) + [Script.token]
        let asked = code.dropFirst().dropLast()
        let scene = try Scene(
            polls: polls, codeLifetime: .seconds(lifetime), viewer: "\(viewer)s",
            code: String(asked))
        #expect(scene.record.abandonedBy == abandonedBy)
        #expect(
            scene.record.fate == (abandonedBy == nil ? .signedIn : .abandoned),
            "\(scene.record.cause)")
    }

    @Test(
        "a TV that sleeps until its code is over is not the service's fault, one that wakes in time may be",
        arguments: [(16, .viewer), (30, .service)] as [(Int64, HouseholdRecord.Abandonment)])
    func asleep(lifetime: Int64, abandonedBy: HouseholdRecord.Abandonment) throws {
        let polls = Array(repeating: Scripted.answer(404), count: 99)
        let scene = try Scene(
            polls: polls, codeLifetime: .seconds(lifetime), viewer: "2s, tv-sleeps: 100%",
            settle: "60s")
        #expect(scene.polls.allSatisfy { $0 >= 15 })
        #expect(scene.record.abandonedBy == abandonedBy, "\(scene.record.cause)")
    }

    @Test("a viewer who was done after the TV's last poll did not come after the code's end")
    func afterLastPoll() throws {
        let scene = try Scene(codeLifetime: .seconds(14), viewer: "9960ms")
        #expect(scene.polls == [5, 10])
        #expect(
            scene.record.cause == "the code expired after the viewer had signed in, before the "
                + "TV's next poll: the service gave it 14 s")
        #expect(scene.record.abandonedBy == .viewer)
        #expect(HouseholdRecord.isOfShortCode(scene.record.cause))
    }

    @Test(
        "a life shorter than the rig expects is named",
        arguments: [
            ("", ": the service gave it 10 s"),
            ("{ttl: 67s}", ": the service gave it 10 s, and the rig asks for 67 s"),
            ("{ttl: 10s}", ""),
        ])
    func shortLife(code: String, named: String) throws {
        let scene = try Scene(codeLifetime: .seconds(10), viewer: "60s", code: code)
        #expect(
            scene.record.cause == "the code expired before the viewer signed in\(named)")
    }

    @Test(
        "a refusal after the code's end is right, one before it is an error",
        arguments: [(10, false), (60, true)])
    func late(lifetime: Int64, isError: Bool) throws {
        let form =
            #"<form method="post" action="/login"><input name="user"><input type="password" "#
            + #"name="pw"></form>"#
        for (speaksV2, firstScreen) in [(false, ""), (true, ""), (false, "sdk-tvos")] {
            let scene = try Scene(
                [
                    .authenticate: [.answer(200, form, type: "text/html")],
                    .mvpdLogin: [.redirect("http://127.0.0.1/SAMLAssertionConsumer")],
                    .assertion: [.answer(400, #"{"status":400,"message":"over"}"#)],
                    .sessionByCode: [.answer(200, #"{"existingParameters":{"mvpd":"A"}}"#)],
                ], every: "200ms", codeLifetime: .seconds(lifetime), viewer: "9500ms",
                speaksV2: speaksV2, firstScreen: firstScreen)
            let refused = try #require(scene.exchanges.first { $0.operation == .assertion })
            #expect(refused.outcome == .rejected && refused.isError == isError)
        }
    }

    @Test("a viewer who gives up is not the service's, however short the code")
    func gaveUp() throws {
        let scene = try Scene(codeLifetime: .milliseconds(1), viewer: "2s", givesUp: "100%")
        #expect(scene.record.abandonedBy == .viewer)
    }

    @Test("a token that had expired before the poll is no sign-in, and polling goes on")
    func deadToken() throws {
        // The script's code was made at 1,000 ms of its clock.
        let dead = Scripted.answer(200, #"{"mvpd":"A","userId":"u","expires":"2000"}"#)
        let later = try Scene(polls: [dead, dead, Script.token])
        #expect(later.polls == [5, 10, 15] && later.record.fate == .signedIn)
        #expect(later.record.tokenSeen.map { $0 >= .start + .seconds(15) } == true)
        let never = try Scene(
            polls: Array(repeating: dead, count: 400), viewer: "2s", settle: "12s")
        #expect(never.polls == [5, 10, 15])
        #expect(never.record.fate == .failed && !never.record.hasSignedIn)
        #expect(never.record.cause == "poll-token answered with a token that had already expired")
    }

    @Test("who was signed in on arrival stays so when the run is stopped or the viewer leaves")
    func signedInOnArrival() throws {
        let scene = try Scene(
            [.checkAuthentication: [.answer(200)]], viewer: "2s", givesUp: "100%",
            after: "[{logout: 100%}, {again: 100%}]")
        #expect(scene.record.fate == .preSignedIn && scene.record.hasSignedIn)
        #expect(scene.record.abandonedBy == nil)
    }

    @Test("it polls at most 360 times for one code of half an hour")
    func cap() throws {
        let scene = try Scene()
        #expect(scene.polls.count == 359 && scene.polls.last == 1795)
    }

    @Test("it stops when the viewer walks away")
    func viewerLeaves() throws {
        let scene = try Scene(viewer: "7s", givesUp: "100%")
        #expect(scene.polls == [5])
        #expect(scene.record.fate == .abandoned && scene.record.cause == "the viewer gave up")
    }

    @Test("it stops once the settle phase is over, and says that the sign-in never arrived")
    func settled() throws {
        let scene = try Scene(viewer: "2s", settle: "12s")
        // The phone is done at 2 s and a little; the first poll that is due after 14 s is the last.
        #expect(scene.polls == [5, 10, 15])
        #expect(scene.record.fate == .failed)
        #expect(
            scene.record.cause
                == "the phone had signed in, and the TV saw no token before the run ended")
    }

    @Test("once the settle phase is over, a poll that failed is the cause")
    func settledOnErrors() throws {
        let page = Scripted.answer(
            200, "<html><title>Access Denied</title></html>", type: "text/html")
        let scene = try Scene(
            polls: Array(repeating: page, count: 4), viewer: "2s", settle: "12s")
        #expect(
            scene.record.cause
                == "the phone had signed in, and the TV saw no token before the run ended; the last poll: "
                + "poll-token answered 200 HTML where the service answers JSON or XML")
    }

    @Test("after a 429 it waits a second at least, and returns to its cadence")
    func throttled() throws {
        let calm = try Scene(polls: [.answer(429), Script.token])
        #expect(calm.polls == [5, 10])
        let fast = try Scene(polls: [.answer(429), Script.token], every: "200ms")
        #expect(fast.polls.count == 2)
        let wait = fast.polls[1] - fast.polls[0]
        #expect(wait >= 1 && wait <= 2.1, "\(wait)")
    }

    @Test("a 401 renews the token once and polls again at once")
    func staleToken() throws {
        let stale = Scripted.answer(401, #"{"status":401,"message":"Unauthorized"}"#)
        let scene = try Scene(polls: [stale, Script.token])
        #expect(scene.polls.count == 2 && scene.polls[1] < 5.1)
        #expect(scene.count(.accessToken) == 2 && scene.count(.registerClient) == 1)
        let bearers = scene.seen.filter { $0.operation == .pollToken }.map(\.bearer)
        #expect(bearers[0] != bearers[1] && bearers[1] != nil)
        #expect(scene.record.fate == .signedIn)
    }

    @Test("a second 401 stops it")
    func staleTwice() throws {
        let stale = Scripted.answer(401, #"{"status":401,"message":"Unauthorized"}"#)
        let scene = try Scene(polls: [stale, stale, Script.token])
        #expect(scene.polls.count == 2)
        #expect(scene.record.fate == .failed)
        #expect(scene.record.cause == "poll-token answered 401 Unauthorized")
    }

    @Test("where sign-ins are a client's, a second 401 registers anew, and a third one stops it")
    func staleTwiceWithSessions() throws {
        let stale = Scripted.answer(
            401, #"{"status":401,"code":"invalid_access_token_client_application"}"#)
        let scene = try Scene(
            [.profilesByCode: [stale, stale, Script.profile]], speaksV2: true)
        #expect(scene.count(.profilesByCode) == 3)
        #expect(scene.count(.registerClient) == 2 && scene.count(.accessToken) == 3)
        #expect(scene.record.fate == .signedIn, "\(scene.record.cause)")
        let thrice = try Scene(
            [.profilesByCode: [stale, stale, stale, Script.profile]], speaksV2: true)
        #expect(thrice.count(.profilesByCode) == 3 && thrice.record.fate == .failed)
    }

    @Test("where sign-ins are a client's, every step registers anew after a second 401")
    func staleStep() throws {
        let stale = Scripted.answer(
            401, #"{"status":401,"code":"invalid_access_token_client_application"}"#)
        let scene = try Scene(
            [.profiles: [stale, stale], .profilesByCode: [Script.profile]], speaksV2: true)
        #expect(scene.count(.profiles) == 3 && scene.record.fate == .signedIn)
        #expect(scene.count(.registerClient) == 2 && scene.count(.accessToken) == 3)
        let thrice = try Scene([.profiles: [stale, stale, stale]], speaksV2: true)
        #expect(thrice.count(.profiles) == 3 && thrice.record.fate == .failed)
    }

    @Test("credentials that the service has forgotten are replaced, where the device had kept them")
    func forgottenClient() throws {
        let stale = Scripted.answer(
            401, #"{"status":401,"code":"invalid_access_token_client_application"}"#)
        let unknown = Scripted.answer(400, #"{"error":"invalid_client"}"#)
        let token = Scripted.answer(201, #"{"access_token":"t","expires_in":21600}"#)
        let scene = try Scene(
            [
                .profiles: [stale], .accessToken: [token, unknown],
                .profilesByCode: [Script.profile],
            ], speaksV2: true)
        #expect(scene.count(.registerClient) == 2 && scene.count(.accessToken) == 3)
        #expect(scene.record.fate == .signedIn, "\(scene.record.cause)")
        let new = try Scene([.accessToken: [unknown, unknown]], speaksV2: true)
        #expect(new.count(.registerClient) == 1 && new.record.fate == .failed)
    }

    @Test("an unknown client registers once more and polls again at once; a second time stops it")
    func staleClient() throws {
        let stale = Scripted.answer(403, #"{"error":"invalid_client"}"#)
        let scene = try Scene(polls: [stale, Script.token])
        #expect(scene.polls.count == 2 && scene.polls[1] < 5.1)
        #expect(scene.count(.registerClient) == 2 && scene.count(.accessToken) == 2)
        #expect(scene.record.fate == .signedIn)
        let twice = try Scene(polls: [stale, stale, Script.token])
        #expect(twice.polls.count == 2 && twice.record.fate == .failed)
        #expect(twice.record.cause == "poll-token answered 403 invalid_client")
    }

    @Test(
        "faults back off 1, 2, 4 ... 30 s, and then the cadence returns",
        arguments: [
            Scripted.answer(500), .answer(503), .answer(200, "neither JSON nor XML"),
            .lost(.connectionLost), .lost(.connectionRefused),
        ])
    func faults(fault: Scripted) throws {
        let scene = try Scene(
            polls: Array(repeating: fault, count: 7) + [.answer(404), Script.token])
        let waits = zip(scene.polls, scene.polls.dropFirst()).map { ($1 - $0).rounded() }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30, 5])
        #expect(scene.record.fate == .signedIn)
    }

    @Test("a timeout backs off from when it was noticed")
    func timeouts() throws {
        let scene = try Scene(polls: [.lost(.timeout), .lost(.timeout), Script.token])
        #expect(scene.polls == [5, 16, 28])
    }

    @Test("faults do not outlive the code", arguments: [Scripted.answer(500), .lost(.timeout)])
    func faultsAndDeadline(fault: Scripted) throws {
        let scene = try Scene(
            polls: Array(repeating: fault, count: 100), codeLifetime: .seconds(60))
        #expect(scene.polls.count > 2 && scene.polls.allSatisfy { $0 < 60 })
        #expect(scene.record.fate == .abandoned)
        #expect(
            scene.record.cause
                == "the code expired before the viewer signed in: the service gave it 60 s")
    }

    @Test(
        "any other refusal is a bug of ours and stops it at once", arguments: [400, 405, 409, 422])
    func refused(status: Int) throws {
        let scene = try Scene(
            polls: [.answer(404), .answer(status, #"{"status":0,"message":"No"}"#), Script.token])
        #expect(scene.polls == [5, 10])
        #expect(scene.record.fate == .failed)
        #expect(scene.record.cause == "poll-token answered \(status) No")
    }

    @Test("two polls are never under way together: a slow answer begins a new cadence")
    func noOverlap() throws {
        let scene = try Scene(
            polls: [.slow(.seconds(8)), .slow(.seconds(3)), .answer(404), Script.token])
        #expect(scene.mostPolls == 1)
        #expect(scene.polls == [5, 18, 23, 28])
    }
}
