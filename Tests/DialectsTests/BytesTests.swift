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
        #expect(reply.hasMediaType("text/html") == isPage)
        #expect((reply.mediaType == "text/html") == isPage)
    }

    @Test(
        "a part is found wherever it stands",
        arguments: [
            ("abc", "abc", true), ("xabc", "abc", true), ("ababc", "abc", true),
            ("aababc", "abc", true), ("ab", "abc", false), ("", "abc", false), ("", "", true),
            ("abd", "abc", false),
        ])
    func holds(text: String, part: String, isThere: Bool) {
        #expect(text.utf8.holds(part) == isThere)
    }

    @Test("the end is compared by bytes")
    func ends() {
        #expect("/api/v1/checkauthn".utf8.ends(with: "/checkauthn"))
        #expect(!"authn".utf8.ends(with: "/checkauthn"))
        #expect("x".utf8.ends(with: ""))
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
