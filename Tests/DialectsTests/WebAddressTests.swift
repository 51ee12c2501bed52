import Testing

@testable import Dialects

@Suite struct WebAddressTests {
    @Test(
        "an absolute URL is taken apart",
        arguments: [
            ("http://127.0.0.1:8080/a?b=c#d", "http://127.0.0.1:8080/a?b=c"),
            ("HTTPS://Auth.Example", "https://auth.example/"),
            ("https://auth.example:443/x", "https://auth.example/x"),
            ("http://[::1]:9/x", "http://[::1]:9/x"),
            ("http://user:pass@host/x", "http://host/x"),
            ("http://host?x=1", "http://host/?x=1"),
        ])
    func parse(text: String, expected: String) {
        #expect(WebAddress(text)?.description == expected)
    }

    @Test(
        "what is no http URL is none",
        arguments: [
            "", "demo.test/x", "ftp://host/", "mailto:a@b", "http://", "http://h:99999/",
            "http://a b/",
        ])
    func refuse(text: String) {
        #expect(WebAddress(text) == nil)
    }

    /// RFC 3986, 5.4.1, and what browsers meet.
    @Test(
        "a reference resolves as a browser resolves it",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d?y"), ("g?y", "http://a/b/c/g?y"),
            ("", "http://a/b/c/d?q"), ("#s", "http://a/b/c/d?q"), ("..", "http://a/b/"),
            ("../g", "http://a/b/g"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
            ("./", "http://a/b/c/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
            ("https://x/y", "https://x/y"), ("g?a=b:c", "http://a/b/c/g?a=b:c"),
            (" /g \n", "http://a/g"), ("/g?u=http://x/../y", "http://a/g?u=http://x/../y"),
        ])
    func resolve(reference: String, expected: String) throws {
        let base = try #require(WebAddress("http://a/b/c/d?q"))
        #expect(base.resolving(reference)?.description == expected)
    }

    @Test("a reference to another scheme leads nowhere")
    func otherScheme() throws {
        let base = try #require(WebAddress("http://a/"))
        #expect(base.resolving("javascript:alert(1)") == nil)
    }
}
