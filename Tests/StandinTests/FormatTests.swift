import Dialects
import Testing

@Suite("formats and paths (rest-v1.md §§ 2, 3)")
struct FormatTests {
    struct CounterRow: CustomTestStringConvertible, Sendable {
        var suffix = ""
        var parameter = ""
        var accept: String?
        var isJSON: Bool

        var testDescription: String { "\(suffix) \(parameter) \(accept ?? "no Accept")" }
    }

    @Test(
        "suffix, then format, then Accept; XML when nobody says (§ 3.3, A4)",
        arguments: [
            CounterRow(accept: "application/json", isJSON: true),
            CounterRow(accept: "application/xml", isJSON: false),
            CounterRow(accept: nil, isJSON: false),
            CounterRow(accept: "*/*", isJSON: false),
            CounterRow(accept: "text/html, application/json;q=0.9", isJSON: true),
            CounterRow(accept: "application/xml, application/json", isJSON: false),
            CounterRow(parameter: "&format=json", accept: "application/xml", isJSON: true),
            CounterRow(parameter: "&format=xml", accept: "application/json", isJSON: false),
            CounterRow(parameter: "&format=yaml", accept: "application/json", isJSON: true),
            CounterRow(
                suffix: ".json", parameter: "&format=xml", accept: "application/xml", isJSON: true),
            CounterRow(
                suffix: ".xml", parameter: "&format=json", accept: "application/json", isJSON: false
            ),
        ])
    func selection(row: CounterRow) {
        var caller = Caller.registered()
        caller.accept = row.accept
        let reply = caller.get("/api/v1/tokens/authn\(row.suffix)?\(Caller.key())\(row.parameter)")
        #expect(reply.status == 404)
        #expect(reply.isJSON == row.isJSON)
        #expect(reply.isXML == !row.isJSON)
        #expect(
            reply.text
                == (row.isJSON
                    ? #"{"status":404,"message":"Not Found"}"#
                    // A25: another message in XML.
                    : #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><error><status>404</status><message>Not found</message></error>"#)
        )
    }

    @Test("a suffix fits behind variable segments as well")
    func suffixes() {
        var caller = Caller.registered()
        let code = caller.post("/reggie/v1/DEMOTV/regcode.xml?deviceId=d", body: "")
        #expect(code.status == 201)
        #expect(code.isXML)
        #expect(caller.get("/api/v1/config/DEMOTV.json").status == 200)
        #expect(caller.get("/reggie/v1/DEMOTV/regcode/AAAAAAA.json").status == 404)
    }

    @Test("C1 lists the providers, in both spellings, under both paths")
    func configuration() {
        var caller = Caller.registered()
        let reply = caller.get("/api/v1/config/DEMOTV")
        #expect(reply.status == 200)
        #expect(
            reply.text.hasPrefix(
                #"{"requestor":{"id":"DEMOTV","name":"DEMOTV","domains":[{"name":"demo.test","mvpdInitiated":false}],"mvpds":[{"id":"DemoCable","displayName":"Demo Cable","#
            ))
        #expect(caller.get("/adobe-services/config/DEMOTV").body == reply.body)
        caller.accept = "application/xml"
        let xml = caller.get("/api/v1/config/DEMOTV").text
        #expect(
            xml.contains("<config><requestor><id>DEMOTV</id><name>DEMOTV</name><domains><domain>"))
        #expect(
            xml.contains("<mvpds><mvpd><id>DemoCable</id><displayName>Demo Cable</displayName>"))
        #expect(caller.get("/api/v1/config/OTHER").status == 404)
    }

    @Test(
        "a wrong method is 405 and names the right one",
        arguments: [
            ("/o/client/register", Method.get, "POST"), ("/o/client/token", .get, "POST"),
            ("/reggie/v1/DEMOTV/regcode", .get, "POST"),
            ("/reggie/v1/DEMOTV/regcode/ABCDEFG", .post, "GET, DELETE"),
            ("/api/v1/config/DEMOTV", .post, "GET"), ("/api/v1/authenticate", .post, "GET"),
            ("/api/v1/checkauthn", .delete, "GET"), ("/api/v1/checkauthn/ABCDEFG", .post, "GET"),
            ("/api/v1/tokens/authn", .delete, "GET, POST"), ("/api/v1/preauthorize", .post, "GET"),
            ("/api/v1/authorize", .post, "GET"), ("/api/v1/tokens/authz", .post, "GET"),
            ("/api/v1/tokens/media", .post, "GET"), ("/api/v1/mediatoken", .delete, "GET"),
            ("/api/v1/tokens/usermetadata", .post, "GET"), ("/api/v1/logout", .post, "GET, DELETE"),
            ("/api/v1/authenticate/freepreview", .get, "POST"),
            ("/api/v1/DEMOTV/profile-requests/DemoCable", .post, "GET"),
            ("/sp/saml/SAMLAssertionConsumer", .get, "POST"),
        ])
    func methods(path: String, method: Method, allowed: String) {
        var caller = Caller.registered()
        let reply = caller.send(method, path)
        #expect(reply.status == 405)
        #expect(reply.headers["Allow"] == allowed)
        #expect(reply.text == #"{"status":405,"message":"Method Not Allowed"}"#)
        #expect(caller.send(nil, path).status == 405)
    }

    @Test(
        "paths that nobody serves are 404",
        arguments: [
            "/", "", "/api", "/api/v1", "/api/v1/", "/api/v1/nothing", "/api/v1/identities",
            "/api/v1/config/", "/api/v1/tokens", "/reggie/v1//regcode", "/reggie/v2/DEMOTV/regcode",
            "/api/v1/checkauthn/", "/mvpd", "/_standin/", "/_standin/other", "/api/v1/TOKENS/authn",
        ])
    func nowhere(path: String) {
        var caller = Caller.registered()
        #expect(caller.get(path).status == 404)
    }

    @Test("every answer has a date and an id of its own")
    func headers() {
        var caller = Caller.registered()
        let first = caller.poll()
        caller.advance(.seconds(1))
        let second = caller.poll()
        #expect(first.headers["Date"] == "Thu, 09 Oct 2025 08:53:20 GMT")
        #expect(second.headers["Date"] == "Thu, 09 Oct 2025 08:53:21 GMT")
        #expect(first.headers["Adobe-Request-Id"] != second.headers["Adobe-Request-Id"])
    }
}
