import Dialects
import Journal
import Testing

@Suite("Steps besides polling")
struct StepTests {
    @Test("one whole sign-in, in the order of rest-v1.md § 16")
    func order() throws {
        let scene = try Scene(polls: [Script.token], viewer: "1s")
        let tv = scene.seen.filter { $0.role == .firstScreen }.map(\.operation)
        let phone = scene.seen.filter { $0.role == .secondScreen }.map(\.operation)
        #expect(
            tv == [
                .registerClient, .accessToken, .checkAuthentication, .registrationCode, .pollToken,
            ])
        #expect(
            phone == [
                .registrationRecord, .configuration, .authenticate, .assertion, .checkCode,
            ])
        #expect(scene.record.fate == .signedIn && scene.record.cause.isEmpty)
        #expect(scene.record.phoneDone != nil)
    }

    @Test("a phone of REST V1 registers nothing and says nothing of itself, unless the rig says so")
    func barePhones() throws {
        let scene = try Scene(polls: [Script.token], viewer: "1s")
        let phone = scene.seen.filter { $0.role == .secondScreen }
        #expect(phone.count == 5)
        #expect(phone.allSatisfy { $0.bearer == nil && $0.deviceInfo == nil })
        let tv = scene.seen.filter { $0.role == .firstScreen }.dropFirst(2)
        #expect(tv.allSatisfy { $0.bearer != nil && $0.deviceInfo != nil })
        // Bare, and turned down: no token would help, so none is asked for.
        let refused = try Scene(
            [.checkCode: [.answer(401, #"{"error":"access_denied"}"#)]], viewer: "1s")
        #expect(refused.count(.checkCode, .secondScreen) == 1)
        #expect(refused.count(.registerClient, .secondScreen) == 0)
        let signed = try Scene(
            polls: [Script.token], viewer: "1s",
            requests: "{second-screen: {auth: bearer, device-info: header}}")
        let asked = signed.seen.filter { $0.role == .secondScreen }
        #expect(asked.map(\.operation).prefix(2) == [.registerClient, .accessToken])
        let checks = asked.filter { $0.operation == .checkCode }
        #expect(checks.allSatisfy { $0.bearer != nil && $0.deviceInfo != nil } && !checks.isEmpty)
    }

    @Test("a TV that is signed in already asks for no code")
    func preSignedIn() throws {
        let scene = try Scene([.checkAuthentication: [.answer(200)]])
        #expect(scene.count(.registrationCode) == 0 && scene.polls.isEmpty)
        #expect(scene.record.fate == .preSignedIn)
    }

    @Test("a step that meets a fault is tried four times more, then the household ends")
    func faults() throws {
        let fault = Scripted.answer(500, #"{"status":500,"message":"Oops"}"#)
        let patient = try Scene(
            polls: [Script.token], [.registrationCode: Array(repeating: fault, count: 4)])
        #expect(patient.count(.registrationCode) == 5 && patient.record.fate == .signedIn)
        let times = patient.seen.filter { $0.operation == .registrationCode }.map(\.at)
        let waits = zip(times, times.dropFirst()).map { Int((($1 - $0) / .seconds(1)).rounded()) }
        #expect(waits == [1, 2, 4, 8])
        let lost = try Scene([.registrationCode: Array(repeating: fault, count: 5)])
        #expect(lost.count(.registrationCode) == 5)
        #expect(lost.record.cause == "registration-code answered 500 Oops")
    }

    @Test("an answer that is not the protocol's is not asked for again")
    func malformed() throws {
        let scene = try Scene([.registrationCode: [.answer(201, #"{"code":"ABCDEFG""#)]])
        #expect(scene.count(.registrationCode) == 1)
        #expect(scene.record.fate == .failed)
        #expect(scene.record.cause.hasPrefix("registration-code answered 201"))
    }

    @Test("a step that is throttled waits and goes on")
    func throttled() throws {
        let scene = try Scene(
            polls: [Script.token], [.registerClient: [.answer(429), .answer(429), .answer(429)]])
        #expect(scene.record.fate == .signedIn)
        let times = scene.seen.filter {
            $0.operation == .registerClient && $0.role == .firstScreen
        }.map(\.at)
        for (earlier, later) in zip(times, times.dropFirst()) {
            #expect(later - earlier >= .seconds(1) && later - earlier <= .milliseconds(2010))
        }
    }

    private static let authorized = Scripted.answer(
        200, #"{"mvpd":"A","resource":"r","requestor":"DEMOTV","expires":"1767776000000"}"#)
    private static let gone = Scripted.answer(
        403, #"{"status":403,"message":"User not Authenticated"}"#)

    @Test("an account that may not watch is signed in, plays nothing, and has not failed")
    func notEntitled() throws {
        let denial = Scripted.answer(403, #"{"status":403,"message":"noAuthz"}"#)
        let scene = try Scene(
            polls: [Script.token], [.authorize: [denial]], viewer: "1s",
            after: "[authorize, media-token, {watch: 1h}, {logout: 100%}]")
        #expect(scene.record.fate == .signedIn && scene.record.cause.isEmpty)
        #expect(scene.record.denials == 1 && scene.record.stage == .loggedOut)
        #expect(scene.count(.mediaToken) == 0 && scene.count(.logout) == 1)
        #expect((scene.record.ended ?? .start) < Instant(.seconds(600)))
        let denied = try #require(scene.exchanges.first { $0.operation == .authorize })
        #expect(denied.outcome == .notEntitled && !denied.isError)
    }

    @Test("a TV that is told nobody is signed in registers anew, and asks again")
    func signedOut() throws {
        let scene = try Scene(
            polls: [Script.token, Script.token],
            [.authorize: [Self.gone, Self.authorized]], viewer: "1s",
            after: "[authorize]")
        #expect(scene.count(.registrationCode) == 2 && scene.count(.authorize) == 2)
        #expect(scene.count(.checkCode, .secondScreen) == 2)
        #expect(scene.record.fate == .signedIn && scene.record.cause.isEmpty)
    }

    /// A token that ends 60 s after its code was made.
    private static let brief = Scripted.answer(
        200, #"{"requestor":"DEMOTV","mvpd":"A","userId":"u","expires":"61000"}"#)

    @Test(
        "that nobody is signed in is no error once the sign-in's own expiry is over, and one before it",
        arguments: [("20s", true), ("90s", false)])
    func expired(watched: String, isError: Bool) throws {
        let scene = try Scene(
            polls: [Self.brief, Script.token],
            [.authorize: [Self.gone, Self.authorized]], viewer: "1s",
            after: "[{watch: \(watched)}, authorize]")
        let asked = scene.exchanges.filter { $0.operation == .authorize }
        #expect(asked.map(\.isError) == [isError, false])
        #expect(asked.map(\.outcome) == [isError ? .rejected : .pending, .ok])
        #expect(scene.record.fate == .signedIn && scene.record.cause.isEmpty)
    }

    @Test("a household whose sign-ins all end as they said they would has not failed")
    func expiredForEver() throws {
        // 3.5 s: until the TV sees it, it is over.
        let brief = Scripted.answer(
            200, #"{"requestor":"DEMOTV","mvpd":"A","userId":"u","expires":"4500"}"#)
        let scene = try Scene(
            polls: Array(repeating: brief, count: 9),
            [.authorize: Array(repeating: Self.gone, count: 9)], viewer: "1s",
            after: "[authorize]")
        #expect(scene.count(.authorize) == 3)
        #expect(scene.record.fate == .signedIn)
        #expect(
            scene.record.cause
                == "authorize answered 403 User not Authenticated: the sign-in had expired")
    }

    @Test("authorizations go with the session: what was authorized before is asked for again")
    func signedOutBeforeMedia() throws {
        let scene = try Scene(
            polls: [Script.token, Script.token],
            [
                .authorize: [Self.authorized, Self.authorized],
                .mediaToken: [
                    Self.gone,
                    .answer(200, #"{"resource":"r","serializedToken":"x","expires":"1"}"#),
                ],
            ], viewer: "1s", after: "[authorize, media-token]")
        #expect(scene.count(.authorize) == 2 && scene.count(.mediaToken) == 2)
        #expect(scene.record.fate == .signedIn && scene.record.stage == .playing)
    }

    @Test(
        "a service that forgets each sign-in is signed in to three times, then the household fails")
    func signedOutForEver() throws {
        let scene = try Scene(
            polls: Array(repeating: Script.token, count: 9),
            [.authorize: Array(repeating: Self.gone, count: 9)], viewer: "1s",
            after: "[authorize]")
        #expect(scene.count(.registrationCode) == 3 && scene.count(.authorize) == 3)
        #expect(scene.record.fate == .failed && scene.record.hasSignedIn)
        #expect(
            scene.record.cause
                == "authorize answered 403 User not Authenticated, 2 new sign-ins notwithstanding")
    }

    @Test("a client that is not known registers once more; a statement that is refused ends it")
    func clients() throws {
        let unknown = Scripted.answer(403, #"{"error":"invalid_client"}"#)
        let scene = try Scene(polls: [Script.token], [.registrationCode: [unknown]])
        #expect(scene.count(.registerClient) == 2 && scene.record.fate == .signedIn)
        let refused = try Scene([
            .registerClient: [.answer(400, #"{"error":"invalid_software_statement"}"#)]
        ])
        #expect(refused.record.fate == .failed)
        #expect(
            refused.record.cause == "register-client answered 400 invalid_software_statement")
        #expect(refused.seen.count == 1)
    }

    @Test("a lost answer of the assertion still leads to check-code", arguments: [1, 2])
    func lostAssertion(times: Int) throws {
        let scene = try Scene(
            polls: Array(repeating: .answer(404), count: 20) + [Script.token],
            [.assertion: Array(repeating: .lost(.timeout), count: times)], viewer: "1s",
            settle: "5m")
        #expect(scene.count(.checkCode, .secondScreen) == 1)
        #expect(scene.record.fate == .signedIn)
    }

    @Test("check-code that says no is asked five times, then the viewer gives up")
    func checkCode() throws {
        let no = Scripted.answer(403, #"{"status":403,"message":"none"}"#)
        let late = try Scene(
            polls: [.answer(404), .answer(404), .answer(404), Script.token],
            [.checkCode: [no, no, no, no]], viewer: "1s")
        #expect(late.count(.checkCode, .secondScreen) == 5 && late.record.fate == .signedIn)
        let never = try Scene([.checkCode: [no, no, no, no, no]], viewer: "1s")
        #expect(never.count(.checkCode, .secondScreen) == 5 && never.record.fate == .failed)
        #expect(
            never.record.cause == "check-code still reported no sign-in 5 tries after the "
                + "login ended")
    }

    @Test("where the assertion got no answer, the cause begins with it")
    func lostForGood() throws {
        let no = Scripted.answer(403, #"{"status":403,"message":"none"}"#)
        let scene = try Scene(
            [
                .assertion: [.lost(.timeout)],
                .checkCode: [no, no, no, no, no],
            ], viewer: "1s")
        #expect(scene.record.fate == .failed)
        #expect(scene.record.cause.hasPrefix("assertion got no answer: "))
        #expect(
            scene.record.cause.hasSuffix("; check-code reported no sign-in in 5 tries after that"))
    }

    @Test("a login that never ends is left after max-hops")
    func hops() throws {
        let again = Scripted.redirect("http://127.0.0.1/saml/login")
        let scene = try Scene(
            [.authenticate: [again], .mvpdLogin: Array(repeating: again, count: 50)], viewer: "1s")
        #expect(scene.count(.mvpdLogin, .secondScreen) == 19)
        #expect(scene.record.cause == "the login did not end within 20 hops (target.max-hops)")
    }

    @Test("a login that was turned down comes back with its reason")
    func denied() throws {
        let scene = try Scene(
            [.assertion: [.redirect("https://demo.test/done?error=access_denied")]], viewer: "1s")
        #expect(scene.record.cause == "the login came back with error=access_denied")
        #expect(scene.count(.checkCode, .secondScreen) == 0)
    }
}
