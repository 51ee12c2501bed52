import Dialects
import Signing
import Standin
import Testing

@Suite("clients and access tokens (rest-v1.md § 5)")
struct RegistrationTests {
    private static let statement = demoSoftwareStatement()

    @Test("D1 registers an application that brings a good statement")
    func registers() {
        var caller = Caller()
        let reply = caller.post(
            "/o/client/register",
            body: #"{"software_statement":"\#(Self.statement)","redirect_uri":"demo://done"}"#)
        #expect(reply.status == 201)
        #expect(reply.isJSON)
        #expect(reply.member("client_id")?.count == 36)
        #expect(reply.member("client_secret") != nil)
        #expect(reply.member("client_id_issued_at") == "1760000000")
        #expect(reply.text.contains(#""redirect_uris":["demo://done"]"#))
        #expect(reply.text.contains(#""grant_types":["client_credentials"]"#))
        #expect(reply.text.contains(#""scopes":["#))
    }

    @Test(
        "D1 turns down what it cannot use",
        arguments: [
            ("no JSON", "software_statement=x", "invalid_request"),
            ("no statement", "{}", "invalid_request"),
            ("a statement that is no text", #"{"software_statement":1}"#, "invalid_request"),
            ("no token", #"{"software_statement":"abc"}"#, "invalid_software_statement"),
            (
                "somebody else's signature", #"{"software_statement":"\#(statement)A"}"#,
                "invalid_software_statement"
            ),
            (
                "a relative redirect",
                #"{"software_statement":"\#(statement)","redirect_uri":"done"}"#,
                "invalid_redirect_uri"
            ),
        ])
    func refuses(reason: String, body: String, error: String) {
        var caller = Caller()
        let reply = caller.post("/o/client/register", body: body)
        #expect(reply.status == 400, "\(reason)")
        #expect(reply.text == #"{"error":"\#(error)"}"#)
    }

    @Test("D1 turns down a statement that was revoked")
    func revoked() {
        var caller = Caller(ServiceSettings(revokedSoftware: ["screenrig-demo"]))
        let reply = caller.post(
            "/o/client/register", body: #"{"software_statement":"\#(Self.statement)"}"#)
        #expect(reply.text == #"{"error":"unapproved_software_statement"}"#)
    }

    @Test("D2 grants a token for 21,600 s, times in the units of the page")
    func grants() {
        var caller = Caller()
        caller.register()
        #expect(caller.bearer?.isEmpty == false)
        let client = caller.post(
            "/o/client/register", body: #"{"software_statement":"\#(Self.statement)"}"#)
        let id = client.member("client_id") ?? ""
        let secret = client.member("client_secret") ?? ""
        // In the query as well (A2).
        let reply = caller.post(
            "/o/client/token?client_id=\(id)&client_secret=\(secret)&grant_type=client_credentials",
            body: "")
        #expect(reply.status == 201)
        #expect(reply.member("created_at") == "1760000000000")
        #expect(reply.member("expires_in") == "21600")
        #expect(reply.member("token_type") == "bearer")
        #expect(reply.member("id")?.count == 36)
    }

    @Test(
        "D2 turns down what it cannot use",
        arguments: [
            ("client_secret=b&grant_type=client_credentials", "invalid_request"),
            ("client_id=a&grant_type=client_credentials", "invalid_request"),
            ("client_id=a&client_secret=b", "invalid_request"),
            ("client_id=a&client_secret=b&grant_type=password", "unsupported_grant_type"),
            ("client_id=a&client_secret=b&grant_type=client_credentials", "invalid_client"),
        ])
    func refusesGrant(body: String, error: String) {
        var caller = Caller()
        let reply = caller.post("/o/client/token", body: body)
        #expect(reply.status == 400)
        #expect(reply.text == #"{"error":"\#(error)"}"#)
    }

    @Test("a call without a good bearer is 401, and the token's age counts")
    func bearer() {
        var caller = Caller.registered()
        #expect(caller.poll().status == 404)
        caller.advance(.milliseconds(21_600_000 - 1))
        #expect(caller.poll().status == 404)
        caller.advance(.milliseconds(1))
        let late = caller.poll()
        #expect(late.status == 401)
        #expect(late.text == #"{"error":"access_denied"}"#)
        caller.bearer = nil
        #expect(caller.poll().status == 401)
        #expect(
            caller.get("/api/v1/tokens/authn", headers: ["Authorization": "Basic x"]).status == 401)
    }

    @Test("the bearer may come in the query, and the scheme in any case")
    func olderBearer() {
        var caller = Caller.registered()
        let token = caller.bearer ?? ""
        caller.bearer = nil
        let inQuery = "/api/v1/tokens/authn?\(Caller.key())&access_token=\(token)"
        #expect(caller.get(inQuery).status == 404)
        let lower = caller.get(
            "/api/v1/tokens/authn?\(Caller.key())", headers: ["Authorization": "bearer \(token)"])
        #expect(lower.status == 404)
    }

    @Test("with the check switched off nobody needs a bearer")
    func unchecked() {
        var caller = Caller(ServiceSettings(policies: .init(throttle: nil), auth: .none))
        #expect(caller.poll().status == 404)
    }
}
