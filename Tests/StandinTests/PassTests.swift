import Dialects
import Formats
import Standin
import Testing

@Suite("TempPass, media tokens, withdrawn applications (rest-v1.md §§ 5, 10, 11)")
struct PassTests {
    private static let key = Caller.key()
    private static let preview =
        "requestor_id=DEMOTV&mso_id=TempPass&domain_name=demo.test&deviceId=tv-1"
    private static let authorize = "/api/v1/authorize?\(key)&resource=demo-1"

    private static func freePreview(_ caller: inout Caller, _ more: String = "") -> Int {
        caller.post("/api/v1/authenticate/freepreview", body: preview + more).status
    }

    @Test("a trial begins with its first authorization, and is denied once it is over")
    func clock() {
        var caller = Caller.registered()
        #expect(Self.freePreview(&caller) == 204)
        #expect(caller.poll().member("mvpd") == "TempPass")
        caller.advance(.seconds(3600))
        let first = caller.get(Self.authorize)
        #expect(first.status == 200)
        #expect(first.member("expires") == String(Caller.epoch + 4_200_000))
        caller.advance(.seconds(599))
        #expect(caller.get(Self.authorize).status == 200)
        #expect(caller.get("/api/v1/tokens/media?\(Self.key)&resource=demo-1").status == 200)
        caller.advance(.seconds(1))
        let over = caller.get(Self.authorize)
        #expect(over.status == 403)
        #expect(over.member("message") == "User not authorized")
        #expect(caller.get("/api/v1/tokens/authz?\(Self.key)&resource=demo-1").status == 410)
        #expect(caller.get("/api/v1/tokens/media?\(Self.key)&resource=demo-1").status == 403)
        #expect(Self.freePreview(&caller) == 400)
        #expect(caller.post("/_standin/reset-pass", body: #"{"deviceId":"tv-1"}"#).status == 204)
        #expect(Self.freePreview(&caller) == 204)
        #expect(caller.get(Self.authorize).status == 200)
    }

    @Test("a promotion has a trial of its own, by what scopes it and not by how that is spelled")
    func promotion() {
        var caller = Caller.registered()
        _ = Self.freePreview(&caller)
        _ = caller.get(Self.authorize)
        caller.advance(.seconds(600))
        #expect(Self.freePreview(&caller) == 400)
        let json = "&generic_data=%7B%22email%22%3A%22a%40b.test%22%2C%22n%22%3A1%7D"
        let parenthesised = "&generic_data=%28%22n%22%3A1%2C%22email%22%3A%22a%40b.test%22%29"
        #expect(Self.freePreview(&caller, json) == 204)
        #expect(caller.get(Self.authorize).status == 200)
        caller.advance(.seconds(600))
        #expect(Self.freePreview(&caller, json) == 400)
        #expect(Self.freePreview(&caller, parenthesised) == 400)
    }

    @Test("in strict fidelity a trial needs device information, and there are no back doors")
    func strict() {
        var caller = Caller.registered(
            ServiceSettings(fidelity: .strict, policies: .init(throttle: nil)))
        #expect(Self.freePreview(&caller) == 204)
        caller.sendsDeviceInfo = false
        #expect(Self.freePreview(&caller) == 400)
        for path in ["approve", "invalidate", "reset-pass", "verify-media", "forget-client"] {
            #expect(caller.post("/_standin/\(path)", body: "{}").status == 404)
        }
    }

    @Test("a signed media token is verified once, within its time, unchanged")
    func media() throws {
        var caller = Caller.signedIn(
            ServiceSettings(policies: .init(throttle: nil), signsMedia: true))
        _ = caller.get(Self.authorize)
        func mint(_ caller: inout Caller) -> String {
            caller.get("/api/v1/tokens/media?\(Self.key)&resource=demo-1")
                .member("serializedToken") ?? ""
        }
        func verify(_ caller: inout Caller, _ token: String) -> Reply {
            caller.post("/_standin/verify-media", body: "{\"serializedToken\":\"\(token)\"}")
        }
        let token = mint(&caller)
        let first = verify(&caller, token)
        #expect(first.status == 200 && first.member("resource") == "demo-1")
        #expect(verify(&caller, token).status == 409)
        let text = String(decoding: try #require(Base64.decode(token)), as: UTF8.self)
        let forged = Base64.encode(text.replacing("demo-1", with: "demo-2").utf8)
        #expect(verify(&caller, forged).status == 403)
        #expect(verify(&caller, "nonsense").status == 403)
        let late = mint(&caller)
        caller.advance(.seconds(420))
        #expect(verify(&caller, late).status == 410)
        var unsigned = Caller.signedIn()
        _ = unsigned.get(Self.authorize)
        let filler = mint(&unsigned)
        #expect(verify(&unsigned, filler).status == 403)
    }

    @Test(
        "a client that is forgotten is told to register again, one that is withdrawn gets no token")
    func withdrawn() {
        var caller = Caller(.unthrottled)
        let client = caller.post("/o/client/register", body: "{\"software_statement\":\"\(demo)\"}")
        let id = client.member("client_id") ?? ""
        let form =
            "client_id=\(id)&client_secret=\(client.member("client_secret") ?? "")"
            + "&grant_type=client_credentials"
        caller.bearer = caller.post("/o/client/token", body: form).member("access_token")
        #expect(caller.poll().status == 404)
        _ = caller.post("/_standin/revoke-software", body: #"{"software_id":"screenrig-demo"}"#)
        #expect(caller.post("/o/client/token", body: form).member("error") == "unauthorized_client")
        let again = caller.post("/o/client/register", body: "{\"software_statement\":\"\(demo)\"}")
        #expect(again.member("error") == "unapproved_software_statement")
        #expect(
            caller.post("/_standin/forget-client", body: "{\"client_id\":\"\(id)\"}").status == 204)
        let orphan = caller.poll()
        #expect(orphan.status == 403 && orphan.member("error") == "invalid_client")
        #expect(caller.post("/o/client/token", body: form).member("error") == "invalid_client")
    }

    @Test("statements are verified, unless the setting says that any shape will do")
    func statements() throws {
        let parts = demo.split(separator: ".")
        let foreign = "{\"software_statement\":\"\(parts[0]).\(parts[1]).c2lnbmF0dXJl\"}"
        var strict = Caller(.unthrottled)
        #expect(strict.post("/o/client/register", body: foreign).status == 400)
        var open = Caller(ServiceSettings(policies: .init(throttle: nil), checksStatements: false))
        #expect(open.post("/o/client/register", body: foreign).status == 201)
        #expect(
            open.post("/o/client/register", body: "{\"software_statement\":\"a.b\"}").status == 400)
    }
}
