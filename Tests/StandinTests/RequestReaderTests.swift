import Dialects
import Statistics
import Testing

@testable import Standin

@Suite("an HTTP/1.1 request, read")
struct RequestReaderTests {
    private static let limit = 20

    /// What a reader makes of the pieces, a line for each finding. `|` in the text stands for CRLF.
    private static func read(_ pieces: [[UInt8]], by reader: inout RequestReader) -> [String] {
        var unread: [UInt8] = []
        var lines: [String] = []
        for piece in pieces {
            unread += piece
            var position = 0
            do throws(RequestReader.RequestFault) {
                while position < unread.count {
                    let result = unread.withUnsafeBytes { bytes in
                        Result { () throws(RequestReader.RequestFault) in
                            try reader.next(in: bytes, at: &position)
                        }
                    }
                    guard let finding = try result.get() else { break }
                    lines.append(spelled(finding))
                }
            } catch {
                return lines + ["fault"]
            }
            unread.removeFirst(position)
        }
        return unread.isEmpty ? lines : lines + ["more to come"]
    }

    private static func spelled(_ finding: RequestReader.Finding) -> String {
        guard case .request(let request) = finding else { return "waits for leave" }
        let fields = request.headers.fields.map { "\($0.name)=\($0.value)" }
        let body = String(decoding: request.body, as: UTF8.self)
        return
            "\(request.method?.rawValue ?? "-") \(request.target) [\(fields.joined(separator: ","))]"
            + " '\(body)'\(request.isHead ? " head" : "")\(request.isTooLong ? " too long" : "")"
            + (request.persists ? "" : " last")
    }

    private static func bytes(_ text: String) -> [UInt8] {
        Array(text.replacing("|", with: "\r\n").utf8)
    }

    private static let cases: [(why: String, text: String, expected: [String])] = [
        ("a plain one", "GET /a?b HTTP/1.1|Host: h||", ["GET /a?b [Host=h] ''"]),
        (
            "two in one piece",
            "GET /a HTTP/1.1||POST /b HTTP/1.1|Content-Length: 2||xyGET /c HTTP/1.1||",
            ["GET /a [] ''", "POST /b [Content-Length=2] 'xy'", "GET /c [] ''"]
        ),
        ("an empty line before it (2.2)", "||GET /a HTTP/1.1||", ["GET /a [] ''"]),
        ("lines that end with LF only (2.2)", "GET /a HTTP/1.1\nA: b\n\n", ["GET /a [A=b] ''"]),
        ("spaces around a value", "GET /a HTTP/1.1|A: \t b \t||", ["GET /a [A=b] ''"]),
        (
            "chunks, with an extension and a trailer",
            "POST /a HTTP/1.1|Transfer-Encoding: chunked||3;x=y|abc|1 |d|0|T: u||",
            ["POST /a [Transfer-Encoding=chunked] 'abcd'"]
        ),
        (
            "a body beyond the limit is dropped, and what follows is found",
            "POST /a HTTP/1.1|Content-Length: 21||aaaaaaaaaaaaaaaaaaaaaGET /b HTTP/1.1||",
            ["POST /a [Content-Length=21] '' too long", "GET /b [] ''"]
        ),
        (
            "a caller that waits for leave",
            "POST /a HTTP/1.1|Expect: 100-continue|Content-Length: 1||x",
            ["waits for leave", "POST /a [Expect=100-continue,Content-Length=1] 'x'"]
        ),
        ("1.0 ends the connection", "GET /a HTTP/1.0||", ["GET /a [] '' last"]),
        (
            "1.0 that asks to keep it", "GET /a HTTP/1.0|Connection: keep-alive||",
            ["GET /a [Connection=keep-alive] ''"]
        ),
        (
            "1.1 that closes it", "GET /a HTTP/1.1|Connection: x, Close||",
            ["GET /a [Connection=x, Close] '' last"]
        ),
        ("HEAD", "HEAD /a HTTP/1.1||", ["- /a [] '' head"]),
        ("a method that nobody knows", "BREW /a HTTP/1.1||", ["- /a [] ''"]),
        ("a proxy's form", "GET http://h:1/a?b HTTP/1.1||", ["GET /a?b [] ''"]),
        ("an unfinished one", "GET /a HTTP/1.1|A: b|", ["more to come"]),
        ("no HTTP at all", "\u{16}\u{3}\u{1}", ["fault"]),
        ("no version", "GET /a||", ["fault"]),
        ("another version", "GET /a HTTP/1.2||", ["fault"]),
        ("a space in the target", "GET /a b HTTP/1.1||", ["fault"]),
        ("a space before the colon (5.1)", "GET /a HTTP/1.1|A : b||", ["fault"]),
        ("a folded line (5.2)", "GET /a HTTP/1.1|A: b| c||", ["fault"]),
        ("a NUL", "GET /a HTTP/1.1|A: \0||", ["fault"]),
        (
            "two lengths that differ", "GET /a HTTP/1.1|Content-Length: 1|Content-Length: 2||",
            ["fault"]
        ),
        ("a length that is none", "GET /a HTTP/1.1|Content-Length: +1||", ["fault"]),
        (
            "a length beside chunks (6.3)",
            "POST /a HTTP/1.1|Content-Length: 1|Transfer-Encoding: chunked||0||", ["fault"]
        ),
        ("another coding", "POST /a HTTP/1.1|Transfer-Encoding: gzip||", ["fault"]),
        (
            "a chunk that ends with LF", "POST /a HTTP/1.1|Transfer-Encoding: chunked||1\nx|0||",
            ["fault"]
        ),
        (
            "a chunk that is longer", "POST /a HTTP/1.1|Transfer-Encoding: chunked||1|xy|0||",
            ["fault"]
        ),
        ("a chunk of no number", "POST /a HTTP/1.1|Transfer-Encoding: chunked||x|", ["fault"]),
    ]

    @Test("read as RFC 9112 has it, however it is cut", arguments: cases)
    func requests(why: String, text: String, expected: [String]) {
        let bytes = Self.bytes(text)
        for size in [bytes.count, 7, 1] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            var reader = RequestReader(bodyLimit: Self.limit)
            #expect(Self.read(pieces, by: &reader) == expected, "\(why), in pieces of \(size)")
        }
    }

    /// The twin is a reader that has seen nothing.
    @Test("what the request before had makes no difference", arguments: Seed.samples(100))
    func memory(seed: Seed) {
        var dice = seed.generator()
        var reader = RequestReader(bodyLimit: Self.limit)
        for _ in 0..<12 {
            var text = ["GET /a", "GET /b", "HEAD /a", "POST /a"][dice.below(4)]
            text += [" HTTP/1.1|", " HTTP/1.0|"][dice.below(2)]
            for _ in 0..<dice.below(4) {
                text += ["A: b|", "A: c|", "Connection: close|", "Long: abcdefgh|"][dice.below(4)]
            }
            text += ["|", "Content-Length: 3||xyz", "Content-Length: 0||"][dice.below(3)]
            var twin = RequestReader(bodyLimit: Self.limit)
            let expected = Self.read([Self.bytes(text)], by: &twin)
            #expect(Self.read([Self.bytes(text)], by: &reader) == expected, "\(text)")
        }
    }

    @Test(
        "a request that says the same as the one before it is told apart, one with a body never",
        arguments: [
            ("GET /a HTTP/1.1||GET /a HTTP/1.1||GET /a HTTP/1.1||", [false, true, true]),
            ("GET /a HTTP/1.1||GET /b HTTP/1.1||GET /b HTTP/1.1||", [false, false, true]),
            ("GET /a HTTP/1.1||GET /a HTTP/1.1|A: b||GET /a HTTP/1.1||", [false, false, false]),
            (
                "POST /a HTTP/1.1|Content-Length: 1||xPOST /a HTTP/1.1|Content-Length: 1||y",
                [false, false]
            ),
            (
                "POST /a HTTP/1.1|Content-Length: 1||xPOST /a HTTP/1.1|Content-Length: 1||x"
                    + "GET /a HTTP/1.1||GET /a HTTP/1.1||", [false, false, false, true]
            ),
        ])
    func repeats(text: String, expected: [Bool]) throws {
        var reader = RequestReader(bodyLimit: Self.limit)
        let bytes = Self.bytes(text)
        var position = 0
        var found: [Bool] = []
        while position < bytes.count {
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(RequestReader.RequestFault) in
                    try reader.next(in: bytes, at: &position)
                }
            }
            guard case .request(let request)? = try result.get() else { break }
            found.append(request.repeats)
        }
        #expect(found == expected)
    }

    @Test("a head without end is turned down")
    func endless() {
        var reader = RequestReader(bodyLimit: Self.limit)
        let head = Self.bytes("GET /a HTTP/1.1|")
        let lines = [UInt8](repeating: UInt8(ascii: "a"), count: 90_000)
        #expect(Self.read([head, lines], by: &reader) == ["fault"])
    }
}
