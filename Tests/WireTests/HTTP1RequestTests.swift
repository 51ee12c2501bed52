import Dialects
import Testing

@testable import Wire

@Suite("an HTTP/1.1 request")
struct HTTP1RequestTests {
    private static func call(
        _ method: Method, _ target: String, headers: Headers = [:], body: String = ""
    ) -> Call {
        Call(
            .pollToken, method,
            WebAddress(origin: Origin(scheme: .http, host: "h"), target: target), headers: headers,
            body: Array(body.utf8))
    }

    private static func text(_ buffer: RequestBuffer) -> String {
        String(decoding: buffer.contents(from: 0, to: buffer.count), as: UTF8.self).replacing(
            "\r\n", with: "|")
    }

    @Test(
        "is written as the call has it, with a host and a length of ours",
        arguments: [
            (call(.get, "/a?b=c"), "GET /a?b=c HTTP/1.1|Host: h:1||"),
            (call(.get, "/", headers: ["A": "b", "C": ""]), "GET / HTTP/1.1|Host: h:1|A: b|C:||"),
            (call(.post, "/", body: "xyz"), "POST / HTTP/1.1|Host: h:1|Content-Length: 3||xyz"),
            (call(.post, "/"), "POST / HTTP/1.1|Host: h:1|Content-Length: 0||"),
            (call(.delete, "/"), "DELETE / HTTP/1.1|Host: h:1||"),
            (
                call(.delete, "/", body: String(repeating: "x", count: 12)),
                "DELETE / HTTP/1.1|Host: h:1|Content-Length: 12||xxxxxxxxxxxx"
            ),
            (call(.get, "/", headers: ["host": "other"]), "GET / HTTP/1.1|host: other||"),
            (
                call(
                    .post, "/",
                    headers: ["Content-Length": "9", "transfer-encoding": "chunked", "A": "b"],
                    body: "x"), "POST / HTTP/1.1|Host: h:1|A: b|Content-Length: 1||x"
            ),
            (
                call(.get, "/a b\r\nX: y/\u{e9}\u{7f}"),
                "GET /a%20b%0D%0AX:%20y/%C3%A9%7F HTTP/1.1|Host: h:1||"
            ),
            (
                call(.get, "/", headers: ["A\r\nB": "c\r\nD: e\0f"]),
                "GET / HTTP/1.1|Host: h:1|A  B: c  D: e f||"
            ),
        ])
    func table(_ call: Call, _ expected: String) {
        let buffer = RequestBuffer()
        buffer.write(call, authority: "h:1")
        #expect(Self.text(buffer) == expected)
    }

    @Test("is written over the last one, whatever their lengths; a copy stays as it was")
    func reuse() {
        let buffer = RequestBuffer()
        let long = Self.call(.post, "/", body: String(repeating: "y", count: 100_000))
        let short = Self.call(.get, "/s")
        buffer.write(long, authority: "h:1")
        let copy = RequestBuffer(copying: buffer)
        #expect(
            buffer.count == 100_000 + "POST / HTTP/1.1|Host: h:1|Content-Length: 100000||".count + 4
        )
        buffer.write(short, authority: "h:1")
        #expect(Self.text(buffer) == "GET /s HTTP/1.1|Host: h:1||")
        #expect(Self.text(copy).hasSuffix("||" + String(repeating: "y", count: 100_000)))
        copy.write(long, authority: "h:1")
        #expect(copy.contents(from: copy.count - 2, to: copy.count).elementsEqual("yy".utf8))
    }
}
