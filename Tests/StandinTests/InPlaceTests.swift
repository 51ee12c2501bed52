import Dialects
import Statistics
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

    /// The twin writes sign by sign.
    @Test(
        "a text is quoted as JSON has it, however much of it is plain", arguments: Seed.samples(50))
    func quotes(seed: Seed) {
        var dice = seed.generator()
        let signs = [
            "a", "\"", "\\", "\n", "\u{1}", "\u{1f}", " ", "\u{7f}", "\u{e9}", "\u{1f600}",
        ]
        for length in 0..<20 {
            let text = (0..<length).map { _ in
                dice.below(3) == 0 ? signs[dice.below(signs.count)] : "a"
            }.joined()
            var expected = "\""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": expected += #"\""#
                case "\\": expected += #"\\"#
                case "\n": expected += #"\n"#
                case "\u{1}": expected += #"\u0001"#
                case "\u{1f}": expected += #"\u001f"#
                default: expected.unicodeScalars.append(scalar)
                }
            }
            var bytes = Array("before".utf8)
            JSONSlice.quote(text, to: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == "before" + expected + "\"")
        }
    }

    /// The twin takes the text apart.
    @Test("each field of a form is its first of that name", arguments: Seed.samples(50))
    func fields(seed: Seed) {
        var dice = seed.generator()
        for length in 0..<60 {
            let text = (0..<length).map { _ in ["a", "bc", "&", "=", "1", "-"][dice.below(6)] }
                .joined()
            let fields = FormFields("?" + text, from: 1)
            for name in ["a", "bc", "abc", "1", "-a"] {
                let expected = text.split(separator: "&").lazy.compactMap { field -> String? in
                    let parts = field.split(
                        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    return parts[0] == name ? parts.count == 2 ? String(parts[1]) : "" : nil
                }.first
                #expect(fields[name] == expected, "\(name) in \(text)")
            }
        }
    }

    @Test(
        "the bearer of a request",
        arguments: [
            ("Bearer abc", "abc"), ("bearer a b", "a b"), ("BEARER \u{e9}", "\u{e9}"),
            ("Bearer ", nil), ("Bearer", nil), ("Basic abc", nil), ("", nil),
        ] as [(String, String?)])
    func bearers(header: String, bearer: String?) {
        let request = ServiceRequest(
            id: RequestID(1), method: .get, target: "/?access_token=q",
            headers: ["authorization": header], peer: "p")
        #expect(request.bearer.map(String.init) == bearer)
        #expect(V1Question(request).bearer.map(String.init) == bearer)
        let bare = ServiceRequest(
            id: RequestID(1), method: .get, target: "/?access_token=q", peer: "p")
        #expect(V1Question(bare).bearer == "q")
    }

    @Test(
        "by what the throttle tells devices apart",
        arguments: [
            (nil, "p"), ("", "p"), ("10.0.0.1", "10.0.0.1"), (" 10.0.0.1", " 10.0.0.1"),
            (" 10.0.0.1 , 10.0.0.2,10.0.0.3", "10.0.0.1"), (",10.0.0.2", ""),
        ] as [(String?, String)])
    func throttled(forwarded: String?, identity: String) {
        var request = ServiceRequest(id: RequestID(1), method: .get, target: "/", peer: "p")
        if let forwarded { request.headers.append("X-Forwarded-For", forwarded) }
        #expect(request.throttleIdentity == identity)
    }

    @Test("a template has its holes filled in their order")
    func templates() {
        #expect(Template("{}-{}{}").filled("a", "", "c") == Array("a-c".utf8))
        #expect(Template("no { hole }").filled() == Array("no { hole }".utf8))
    }
}
