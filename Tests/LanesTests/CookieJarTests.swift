import Dialects
import Testing

@testable import Lanes

@Suite("the cookie jar")
struct CookieJarTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var set: [(String, String)]
        var to: String
        var header: String?

        init(_ name: String, _ set: [(String, String)], to: String, _ header: String?) {
            (testDescription, self.set, self.to, self.header) = (name, set, to, header)
        }
    }

    static let now = "Sat, 21 Nov 2026 10:00:00 GMT"
    static let here = "https://a.example/one/two?q"

    static let cases: [Case] = [
        Case("comes back to its host", [(here, "s=1")], to: "https://a.example/one/x", "s=1"),
        Case("not to another host", [(here, "s=1; Path=/")], to: "https://b.example/", nil),
        Case("not below its host", [(here, "s=1; Path=/")], to: "https://x.a.example/", nil),
        Case(
            "below its domain when it says so", [(here, "s=1; Path=/; Domain=.a.example")],
            to: "https://x.a.example/", "s=1"),
        Case(
            "a foreign domain is refused", [(here, "s=1; Path=/; Domain=b.example")],
            to: "https://b.example/", nil),
        Case(
            "a name that only ends alike is foreign",
            [("https://evila.example/", "s=1; Domain=a.example")], to: "https://a.example/", nil),
        Case(
            "a top-level domain is refused", [(here, "s=1; Path=/; Domain=example")],
            to: "https://b.example/", nil),
        Case("the default path is the folder", [(here, "s=1")], to: "https://a.example/two", nil),
        Case("a path is whole segments", [(here, "s=1; Path=/on")], to: here, nil),
        Case(
            "a path with a slash covers what is in it", [(here, "s=1; Path=/one/")], to: here,
            "s=1"),
        Case(
            "a path that is no path is the default", [(here, "s=1; Path=one")], to: here, "s=1"),
        Case(
            "secure stays off plain HTTP", [(here, "s=1; Secure; Path=/")],
            to: "http://a.example/", nil),
        Case(
            "secure goes to loopback", [("http://127.0.0.1/", "s=1; Secure")],
            to: "http://127.0.0.1/", "s=1"),
        Case(
            "ports share cookies", [("http://a.example:1/", "s=1")], to: "http://a.example:2/",
            "s=1"),
        Case("a newer value replaces", [(here, "s=1"), (here, "s=2")], to: here, "s=2"),
        Case("max-age 0 deletes", [(here, "s=1"), (here, "s=; Max-Age=0")], to: here, nil),
        Case(
            "a past date deletes",
            [(here, "s=1"), (here, "s=; Expires=Thu, 01 Jan 1970 00:00:00 GMT")], to: here, nil),
        Case(
            "any past date deletes",
            [(here, "s=1"), (here, "s=x; Expires=Sat, 01-Jan-2000 00:00:00 GMT")], to: here, nil),
        Case(
            "a date just past, by the server's clock, deletes",
            [(here, "s=1"), (here, "s=x; Expires=Sat, 21 Nov 2026 09:59:59 GMT")], to: here, nil),
        Case(
            "a date to come does not",
            [(here, "s=1; Expires=Saturday, 21-Nov-26 10:00:01 GMT")], to: here, "s=1"),
        Case("a date that is none does not", [(here, "s=1; Expires=soon")], to: here, "s=1"),
        Case(
            "max-age wins over a date",
            [(here, "s=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT")], to: here, "s=1"),
        Case(
            "longer paths first", [(here, "a=1; Path=/"), (here, "b=2; Path=/one")], to: here,
            "b=2; a=1"),
        Case(
            "older first among equals", [(here, "b=1; Path=/"), (here, "a=2; Path=/")], to: here,
            "b=1; a=2"),
        Case(
            "a replaced one keeps its place",
            [(here, "a=1; Path=/"), (here, "b=2; Path=/"), (here, "a=3; Path=/")], to: here,
            "a=3; b=2"),
        Case(
            "quotes and equals signs are the value's", [(here, "s=\"a=b\"")], to: here,
            "s=\"a=b\""),
        Case("without a name it is nothing", [(here, "=1"), (here, "words")], to: here, nil),
        Case("empty attributes are nothing", [(here, "s=1;; ;=x;")], to: here, "s=1"),
        Case(
            "attributes are read in any case, with and without a value",
            [("http://127.0.0.1/", "s=1;SECURE=x;HttpOnly; pAtH = /a ; Path")],
            to: "http://127.0.0.1/a", "s=1"),
        Case("spaces around are not its", [(here, " s = 1 ;path = /")], to: here, "s=1"),
    ]

    @Test("keeps and sends as a browser does (RFC 6265)", arguments: cases)
    func table(_ row: Case) throws {
        var jar = CookieJar()
        for (address, cookie) in row.set {
            let headers: Headers = ["Set-Cookie": cookie, "Date": Self.now]
            jar.store(headers, from: try #require(WebAddress(address)))
        }
        #expect(jar.header(for: try #require(WebAddress(row.to))) == row.header)
    }

    @Test(
        "Max-Age is clamped, however many digits it has",
        arguments: [
            ("0", false), ("-1", false), ("-9223372036854775809", false), ("00", false),
            ("1", true),
            ("9223372036854775808", true), (String(repeating: "9", count: 40), true),
            ("1e308", true),
            ("", true), ("x", true), ("-", true),
        ])
    func maxAge(value: String, isKept: Bool) throws {
        var jar = CookieJar()
        let address = try #require(WebAddress(Self.here))
        jar.store(["Set-Cookie": "s=1; Path=/"], from: address)
        jar.store(["Set-Cookie": "s=2; Path=/; Max-Age=\(value)"], from: address)
        #expect((jar.header(for: address) != nil) == isKept)
    }

    @Test(
        "a date of any numbers is none, or long ago, or far away",
        arguments: [
            ("Thu, 01 Jan 99999999999999999999 00:00:00 GMT", true),
            ("Thu, 01 Jan 9223372036854775807 9223372036854775807:9223372036854775807:0 GMT", true),
            ("99999999999 Jan 1970 00:00:00", true), ("1 Jan 0", false),
            ("1 Jan 1601 00:00:00", false),
        ])
    func expires(value: String, isKept: Bool) throws {
        var jar = CookieJar()
        let address = try #require(WebAddress(Self.here))
        jar.store(["Set-Cookie": "s=1; Expires=\(value)"], from: address)
        #expect((jar.header(for: address) != nil) == isKept)
    }

    @Test(
        "of too many cookies of a host, or in all, the oldest go; too long ones are none (RFC 6265, 6.1)"
    )
    func limits() throws {
        var jar = CookieJar()
        for host in 0..<70 {
            var headers = Headers()
            for number in 0..<60 { headers.append("Set-Cookie", "c\(number)=1; Path=/") }
            headers.append("Set-Cookie", "long=\(String(repeating: "x", count: 4096))")
            jar.store(headers, from: try #require(WebAddress("http://h\(host).example/")))
        }
        #expect(jar.count == 3000 && jar.dropped == 1200)
        let (first, last) = (
            try #require(WebAddress("http://h0.example/")),
            try #require(WebAddress("http://h69.example/"))
        )
        #expect(jar.header(for: first) == nil)
        let header = try #require(jar.header(for: last))
        #expect(header.hasPrefix("c10=1; c11=1; ") && header.hasSuffix("; c59=1"))
        #expect(!header.contains("long"))
    }

    @Test("of one answer 1,000 cookies are read")
    func atOnce() throws {
        var jar = CookieJar()
        var headers = Headers()
        for number in 0..<20_000 { headers.append("Set-Cookie", "c=\(number)") }
        let address = try #require(WebAddress(Self.here))
        jar.store(headers, from: address)
        #expect(jar.header(for: address) == "c=999")
    }
}
