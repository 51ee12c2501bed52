import Dialects
import Testing

@testable import Standin

/// What the service finds in a request without taking it apart.
@Suite struct InPlaceTests {
    @Test(
        "one cookie of a request",
        arguments: [
            (["a=1"], "1"), (["b=2; a=1"], "1"), (["a=1;b=2"], "1"), ([" a = 1 ;b=2"], "1"),
            (["a=1=2"], "1=2"), (["=a=1"], "1"), (["a="], nil), (["a= "], ""), (["a"], nil),
            (["A=1"], nil), (["aa=1"], nil), (["b=1", "a=2"], "2"), ([";;a=1"], "1"), ([""], nil),
            (["a=;a=1"], "1"),
        ] as [([String], String?)])
    func cookies(fields: [String], value: String?) {
        let request = ServiceRequest(
            id: RequestID(1), method: .get, target: "/",
            headers: Headers(fields.map { Headers.Field("cookie", $0) }), peer: "p")
        #expect(request.cookie("a") == value)
    }

    @Test(
        "a path leads to its endpoint",
        arguments: [
            ("/reggie/v1/DEMO%20TV/regcode", .registrationCode, "DEMO TV", ""),
            ("/re%67gie/v1/TV/regcode/ABC123", .registrationRecord, "TV", "ABC123"),
            ("/reggie/v1//regcode", .unknown, "", ""),
            ("/reggie/v1/TV/regcode/", .unknown, "", ""),
            ("/api/v1/config/TV", .configuration, "TV", ""),
            ("/api/v1/checkauthn/ABC123", .checkCode, "", "ABC123"),
            ("/api/v1/checkauthn", .checkAuthentication, "", ""),
            ("/api/v1/TV/profile-requests/demo", .profileRequest, "TV", "demo"),
            ("/api/v2/anything/at/all", .listed, "", ""), ("/api/v2", .listed, "", ""),
            ("/mvpd/demo/login", .loginSubmit, "demo", ""), ("/mvpd/demo/other", .unknown, "", ""),
            ("/mvpd/demo/login/", .unknown, "", ""), ("", .unknown, "", ""),
            ("*", .unknown, "", ""),
        ] as [(String, V1Endpoint, String, String)])
    func routes(path: String, endpoint: V1Endpoint, name: String, code: String) {
        let route = V1Route(path.utf8Span.span)
        #expect(route.endpoint == endpoint)
        #expect(route.name == name)
        #expect(route.code == code)
    }

    @Test("a document in both spellings")
    func documents() {
        func write(_ document: inout DocumentWriter) {
            document.text("a", "<\"1\">")
            document.object("b") { inner in
                inner.number("n", -2)
                inner.flag("f", true)
                inner.object("empty") { _ in }
            }
            document.texts("t", ["x", "y"])
            document.texts("none", [])
            document.list("l", of: [1, 2], as: "item") { $0.number("k", $1) }
        }
        let json = DocumentWriter.document(.json, root: "r", write)
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"a":"<\"1\">","b":{"n":-2,"f":true,"empty":{}},"t":["x","y"],"none":[],"#
                + #""l":[{"k":1},{"k":2}]}"#)
        let xml = DocumentWriter.document(.xml, root: #"r v="1""#, write)
        #expect(
            String(decoding: xml, as: UTF8.self)
                == #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><r v="1">"#
                + "<a>&lt;&quot;1&quot;&gt;</a><b><n>-2</n><f>true</f><empty></empty></b>"
                + "<t>x</t><t>y</t><l><item><k>1</k></item><item><k>2</k></item></l></r>")
    }

    @Test("a template has its holes filled in their order")
    func templates() {
        #expect(Template("{}-{}{}").filled("a", "", "c") == Array("a-c".utf8))
        #expect(Template("no { hole }").filled() == Array("no { hole }".utf8))
    }
}
