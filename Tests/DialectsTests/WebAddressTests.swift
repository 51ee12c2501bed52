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
            "http://a b/", "http://a%2eb/", "http://a\\b/", "http://a:b:80/", "http://[::1]x/",
            "http://a:+80/",
            "http://a\u{7f}b/", "http://a|b/",
        ])
    func refuse(text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test(
        "a field of the query is found by its whole name, and is given as it is written",
        arguments: [
            ("a=1&error=access%5Fdenied&error=2", "access%5Fdenied"), ("error=", ""),
            ("terror=1&error_uri=2&x=error=3", nil), ("error&x=1", nil), ("", nil),
            ("e\u{301}=1&error=\u{301}", "\u{301}"),
        ])
    func field(query: String, expected: String?) throws {
        let address = try #require(WebAddress("http://a/b?" + query))
        #expect(address.written("error").map(String.init) == expected)
        #expect(try #require(WebAddress("http://a/error=1")).written("error") == nil)
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
            ("/\u{301}x", "http://a/\u{301}x"), ("/\u{301}a/./b", "http://a/\u{301}a/b"),
            (" /g \n", "http://a/g"), ("/g?u=http://x/../y", "http://a/g?u=http://x/../y"),
        ])
    func resolve(reference: String, expected: String) throws {
        let base = try #require(WebAddress("http://a/b/c/d?q"))
        #expect(base.resolving(reference)?.description == expected)
    }

    /// The host that a permission is asked for is the one that a browser would go to.
    @Test(
        "backslashes, controls and slashes too many are read as browsers read them",
        arguments: [
            (#"https://evil.example\@good.example"#, "https://evil.example/@good.example"),
            (#"https:\\evil.example\x"#, "https://evil.example/x"),
            (#"\\evil.example\path"#, "http://evil.example/path"),
            (#"/\evil.example"#, "http://evil.example/"),
            (#"\/evil.example"#, "http://evil.example/"),
            ("///evil.example", "http://evil.example/"),
            ("https:evil.example", "https://evil.example/"),
            ("https:/evil.example", "https://evil.example/"), ("http:g", "http://a/b/c/g"),
            ("http:/g", "http://a/g"), ("http:///g", "http://g/"),
            ("http:http:g", "http://a/b/c/http:g"),
            (#"..\g"#, "http://a/b/g"), (#"g?x=\y"#, #"http://a/b/c/g?x=\y"#),
            (#"g#\\x"#, "http://a/b/c/g"), ("ht\ttp://ev\nil.ex\rample/", "http://evil.example/"),
            ("\u{1}\u{0} //g\u{1f}", "http://g/"), ("1:2", "http://a/b/c/1:2"),
            ("http:", "http://a/b/c/d?q"),
            ("https://good.example@evil.example/", "https://evil.example/"),
        ])
    func browsers(reference: String, expected: String) throws {
        let base = try #require(WebAddress("http://a/b/c/d?q"))
        #expect(base.resolving(reference)?.description == expected)
    }

    @Test(
        "a reference to another scheme, or to no host, leads nowhere",
        arguments: [
            "javascript:alert(1)", "java\nscript:alert(1)", "mailto:a@b", "//", "https:",
            "http://a%40b/",
            "http://a\u{1}b/", "data:x",
        ])
    func nowhere(reference: String) throws {
        let base = try #require(WebAddress("http://a/"))
        #expect(base.resolving(reference) == nil)
    }

    @Test("a reference of any length is read in one pass", .timeLimit(.minutes(1)))
    func linear() throws {
        let base = try #require(WebAddress("http://a/"))
        for part in ["http:", "/..", "../", "//", "\\\\", "@", ":", "\t", "a:", "[", "]:"] {
            _ = base.resolving(String(repeating: part, count: 100_000))
        }
    }
}
