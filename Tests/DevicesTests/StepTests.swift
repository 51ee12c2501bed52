import Dialects
import Journal
import Testing

@testable import Devices

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
                .registerClient, .accessToken, .registrationRecord, .configuration, .authenticate,
                .assertion, .checkCode,
            ])
        #expect(scene.record.fate == .signedIn && scene.record.cause.isEmpty)
        #expect(scene.record.phoneDone != nil)
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
        #expect(never.record.cause == "the login ended, and check-code still said no after 5 tries")
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
