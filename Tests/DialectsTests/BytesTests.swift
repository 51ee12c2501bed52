import Testing

@testable import Dialects

/// What is read by bytes on the way of every request.
struct BytesTests {
    @Test(
        "a media type is compared without its parameters, case and spaces",
        arguments: [
            ("text/html", true), ("text/html;charset=utf-8", true), ("Text/HTML; q=1", true),
            (" text/html ;charset=utf-8", true), ("text/html ", true), ("text/htm", false),
            ("text/html2", false), ("application/json", false), ("", false), (";text/html", false),
        ])
    func mediaType(field: String, isPage: Bool) {
        let reply = Reply(status: 200, headers: ["content-type": field])
        #expect((reply.knownMediaType == .html) == isPage)
        #expect((reply.mediaType == "text/html") == isPage)
    }

    @Test(
        "a part of a path is found wherever it stands, and not in the query",
        arguments: [
            ("/abc", true), ("/xabc", true), ("/ababc", true), ("/aababc", true), ("/ab", false),
            ("/", false), ("/abd", false), ("/x?abc", false), ("/ab?c", false), ("/abc?", true),
        ])
    func paths(target: String, isThere: Bool) {
        let address = WebAddress(origin: Origin(scheme: .http, host: "a"), target: target)
        #expect(address.hasPath(with: "abc") == isThere)
    }

    @Test("the end of a path is compared by bytes")
    func ends() {
        func hasPath(_ target: String, _ end: String) -> Bool {
            WebAddress(origin: Origin(scheme: .http, host: "a"), target: target)
                .hasPath(endingWith: end)
        }
        #expect(hasPath("/api/v1/checkauthn", "/checkauthn"))
        #expect(hasPath("/api/v1/checkauthn?a=/b", "/checkauthn"))
        #expect(!hasPath("/api?/checkauthn", "/checkauthn"))
        #expect(!hasPath("/authn", "/checkauthn"))
        #expect(hasPath("/x", ""))
    }

    @Test("names are equal without regard to case, for letters only")
    func namesWithoutCase() {
        #expect("Content-Type".equalsIgnoringCase("content-type"))
        #expect(!"a[".equalsIgnoringCase("a{"))
        #expect(!"Date".equalsIgnoringCase("Dates"))
    }

    @Test(
        "spaces go from both ends and from nowhere else",
        arguments: [("  a b\t\r\n", "a b"), ("", ""), (" \n", ""), ("ä ", "ä")])
    func trimming(text: String, wanted: String) {
        #expect(text.trimmingSpaces() == wanted)
    }

    @Test("a form escapes everything but the unreserved characters")
    func form() {
        #expect(FormEncoding.fields([("a", "1 +/="), ("b~", "ä")]) == "a=1%20%2B%2F%3D&b~=%C3%A4")
        #expect(FormEncoding.fields([]) == "")
    }
}
