import Dialects
import Testing

@testable import Wire

/// Feeds the pieces one after another, then the end of the connection.
func parse(_ pieces: [[UInt8]], answersHead: Bool = false) -> Reading1 {
    var parser = ResponseParser(bodyLimit: 1000, headLimit: 400)
    parser.begin(answersHead: answersHead)
    return parse(pieces, with: &parser)
}

func parse(_ pieces: [[UInt8]], with parser: inout ResponseParser) -> Reading1 {
    do throws(ResponseFault) {
        var used = 0
        for piece in pieces where !parser.isComplete {
            used += try piece.withUnsafeBufferPointer { bytes throws(ResponseFault) in
                try parser.feed(UnsafeRawBufferPointer(bytes))
            }
        }
        try parser.end()
        let persists = parser.persists
        return .reply(parser.takeReply(), persists: persists, used: used)
    } catch {
        return .fault(error)
    }
}

/// An answer and what it should be read as. `|` in the text stands for CRLF.
struct WrittenAnswer: Sendable, CustomTestStringConvertible {
    let why: String
    let bytes: [UInt8]
    let expected: String
    let answersHead: Bool

    init(_ why: String, _ text: String, _ expected: String, answersHead: Bool = false) {
        self.why = why
        bytes = Array(text.replacing("|", with: "\r\n").utf8)
        self.expected = expected
        self.answersHead = answersHead
    }

    var testDescription: String { why }
}

@Suite("an HTTP/1.1 answer")
struct HTTP1ParserTests {
    static let ok = "HTTP/1.1 200 OK|"
    static let chunked = ok + "Transfer-Encoding: chunked||"

    static let answers: [WrittenAnswer] = [
        .init(
            "counted", ok + "A: b|Content-Length: 3||xyz",
            "200 [A=b|Content-Length=3] 'xyz' keep 47"),
        .init("counted, nothing", ok + "Content-Length: 0||", "200 [Content-Length=0] '' keep 38"),
        .init(
            "more bytes than the length stay", ok + "Content-Length: 1||xyz",
            "200 [Content-Length=1] 'x' keep 39"),
        .init(
            "the length twice, equal", ok + "Content-Length: 2|content-length: 2, 02||ab",
            "200 [Content-Length=2|content-length=2, 02] 'ab' keep 63"),
        .init("until the end of the connection", ok + "|all of it", "200 [] 'all of it' close 28"),
        .init(
            "HEAD has no body", ok + "Content-Length: 9||", "200 [Content-Length=9] '' keep 38",
            answersHead: true),
        .init(
            "204 has no body", "HTTP/1.1 204 No Content|Content-Length: 9||",
            "204 [Content-Length=9] '' keep 46"),
        .init("304 has no body", "HTTP/1.1 304 Not Modified||", "304 [] '' keep 29"),
        .init(
            "1xx come before",
            "HTTP/1.1 103 Early Hints|Link: </a>||HTTP/1.1 100 Continue||"
                + ok + "Content-Length: 1||x", "200 [Content-Length=1] 'x' keep 104"),
        .init(
            "chunked", chunked + "2|ab|A|0123456789|0||",
            "200 [Transfer-Encoding=chunked] 'ab0123456789' keep 74"),
        .init(
            "chunked with extensions and trailers",
            chunked + "2;a=b|ab|3 ; c=\"d\"|cde|00;x|T: 1|U: 2||",
            "200 [Transfer-Encoding=chunked] 'abcde' keep 94"),
        .init(
            "chunked in capitals, by 1.0",
            "HTTP/1.0 200 OK|Connection: keep-alive|"
                + "Transfer-Encoding: Chunked||0||",
            "200 [Connection=keep-alive|Transfer-Encoding=Chunked] '' close 76"),
        .init(
            "identity of old", ok + "Transfer-Encoding: identity|Content-Length: 1||x",
            "200 [Transfer-Encoding=identity|Content-Length=1] 'x' keep 68"),
        .init(
            "connection: close", ok + "Connection: foo, Close|Content-Length: 0||",
            "200 [Connection=foo, Close|Content-Length=0] '' close 62"),
        .init(
            "1.0 closes", "HTTP/1.0 200 OK|Content-Length: 1||x",
            "200 [Content-Length=1] 'x' close 39"),
        .init(
            "1.0 with keep-alive", "HTTP/1.0 200 OK|Connection: Keep-Alive|Content-Length: 1||x",
            "200 [Connection=Keep-Alive|Content-Length=1] 'x' keep 63"),
        .init(
            "1.7 is read as 1.1", "HTTP/1.7 200 OK|Content-Length: 0||",
            "200 [Content-Length=0] '' keep 38"),
        .init(
            "bare line feeds", "HTTP/1.1 200 OK\nA: b\nContent-Length: 1\n\nx",
            "200 [A=b|Content-Length=1] 'x' keep 41"),
        .init(
            "folded field", ok + "A: b|  c|\td|Content-Length: 0||",
            "200 [A=b c d|Content-Length=0] '' keep 53"),
        .init(
            "a field that another answer folds", ok + "A: b c d|Content-Length: 0||",
            "200 [A=b c d|Content-Length=0] '' keep 48"),
        .init("no reason", "HTTP/1.1 404|Content-Length: 0||", "404 [Content-Length=0] '' keep 35"),
        .init(
            "no reason but its space", "HTTP/1.1 404 |Content-Length: 0||",
            "404 [Content-Length=0] '' keep 36"),
        .init(
            "spaces and tabs in the status line", "HTTP/1.1 \t 404\tNot Found|Content-Length: 0||",
            "404 [Content-Length=0] '' keep 47"),
        .init(
            "spaces around a field", ok + "A \t:\t b \t|Content-Length:0||",
            "200 [A=b|Content-Length=0] '' keep 48"),
        .init(
            "an empty field", ok + "A:|Content-Length: 0||",
            "200 [A=|Content-Length=0] '' keep 42"),
        .init(
            "a CR within a line is a space", ok + "A: b\rc|Content-Length: 0\r||",
            "200 [A=b c|Content-Length=0] '' keep 47"),
        .init(
            "bytes that are no UTF-8 in a reason", "HTTP/1.1 200 \u{fc}|Content-Length: 0||",
            "200 [Content-Length=0] '' keep 38"),
        .init(
            "status beyond 599", "HTTP/1.1 999 Denied|Content-Length: 0||",
            "999 [Content-Length=0] '' keep 42"),

        .init("nothing", "", "unanswered"),
        .init("half a status line", "HTTP/1.1 20", "cutOff"),
        .init("half a head", ok + "A: b|", "cutOff"),
        .init("half a body", ok + "Content-Length: 3||ab", "cutOff"),
        .init("half a chunk", chunked + "5|ab", "cutOff"),
        .init("no last chunk", chunked + "2|ab|", "cutOff"),
        .init("no end of trailers", chunked + "0|A: b|", "cutOff"),
        .init("only a 100", "HTTP/1.1 100 Continue||", "cutOff"),
        .init("another protocol", "SSH-2.0-OpenSSH_9.2|", "statusLine"),
        .init("another protocol without a line end", "\u{15}\u{3}\u{1}", "statusLine"),
        .init("an empty line first", "|" + ok + "|", "statusLine"),
        .init("HTTP in small letters", "http/1.1 200 OK||", "statusLine"),
        .init("HTTP/2", "HTTP/2 200 OK ||", "version"),
        .init("HTTP/2.0", "HTTP/2.0 200 OK||", "version"),
        .init("HTTP/0.9", "HTTP/0.9 200 OK||", "version"),
        .init("a version of two digits", "HTTP/1.10 200 OK||", "statusLine"),
        .init("no status", "HTTP/1.1 OK and more||", "statusLine"),
        .init("a status of two digits", "HTTP/1.1 20 OK OK||", "statusLine"),
        .init("a status of four digits", "HTTP/1.1 2000 OK||", "statusLine"),
        .init("status and reason in one", "HTTP/1.1 200OK||", "statusLine"),
        .init("a negative status", "HTTP/1.1 -20 OK||", "statusLine"),
        .init("a status below 100", "HTTP/1.1 099 OK||", "statusLine"),
        .init("101 unasked", "HTTP/1.1 101 Switching Protocols|Upgrade: x||", "switchedProtocols"),
        .init(
            "two lengths that differ", ok + "Content-Length: 1|Content-Length: 2||ab",
            "contentLength"),
        .init("two lengths in one that differ", ok + "Content-Length: 1, 2||ab", "contentLength"),
        .init("a negative length", ok + "Content-Length: -1||", "contentLength"),
        .init("a signed length", ok + "Content-Length: +1||a", "contentLength"),
        .init("a length in hex", ok + "Content-Length: 0x1||a", "contentLength"),
        .init("a length with a fraction", ok + "Content-Length: 1.0||a", "contentLength"),
        .init("an empty length", ok + "Content-Length:||a", "contentLength"),
        .init("a list of no lengths", ok + "Content-Length: ,||a", "contentLength"),
        .init(
            "a length beyond 64 bits", ok + "Content-Length: 18446744073709551617||a",
            "bodyTooLong"),
        .init(
            "a length of forty digits, twice",
            ok + "Content-Length: 1234567890123456789012345678901234567890|"
                + "Content-Length: 1234567890123456789012345678901234567891||a",
            "bodyTooLong"),
        .init("a length beyond the limit", ok + "Content-Length: 1001||", "bodyTooLong"),
        .init("a length folded into another", ok + "Content-Length: 1|  2||ab", "contentLength"),
        .init(
            "length and coding", ok + "Content-Length: 3|Transfer-Encoding: chunked||0||",
            "lengthAndCoding"),
        .init(
            "a coding nobody asked for", ok + "Transfer-Encoding: gzip, chunked||0||",
            "transferCoding"),
        .init(
            "chunked twice", ok + "Transfer-Encoding: chunked|Transfer-Encoding: chunked||0||",
            "transferCoding"),
        .init(
            "a coding that is not quite chunked", ok + "Transfer-Encoding: xchunked||0||",
            "transferCoding"),
        .init("a chunk without a size", chunked + "|ab|0||", "chunkSize"),
        .init("a negative chunk", chunked + "-1|ab|0||", "chunkSize"),
        .init("a chunk size with 0x", chunked + "0x2|ab|0||", "chunkSize"),
        .init("a chunk size with junk", chunked + "2 2|ab|0||", "chunkSize"),
        .init("a chunk size beyond 64 bits", chunked + "10000000000000002|ab|0||", "chunkSize"),
        .init("a chunk size with a bare LF", chunked + "2\nab|0||", "chunkSize"),
        .init("a chunk beyond the limit", chunked + "3E9|", "bodyTooLong"),
        .init("chunks that together are beyond it", chunked + "1|a|3E8|", "bodyTooLong"),
        .init("a chunk longer than its size", chunked + "2|abc|0||", "chunkEnd"),
        .init("a chunk that ends in a bare LF", chunked + "2|ab\n0||", "chunkEnd"),
        .init("a space before the first field", ok + " A: b||", "spaceBeforeFields"),
        .init("a line without a colon", ok + "junk||", "fieldName"),
        .init("a field without a name", ok + ": b||", "fieldName"),
        .init("a name of two words", ok + "A B: c||", "fieldName"),
        .init("a NUL in a value", ok + "A: b\0c||", "nul"),
        .init("a NUL in a name", ok + "A\0: b||", "fieldName"),
        .init("a NUL in the reason", "HTTP/1.1 200 O\0K||", "nul"),
        .init(
            "a head beyond the limit", ok + "A: " + String(repeating: "x", count: 400) + "||",
            "headTooLong"),
        .init(
            "1xx without end", String(repeating: "HTTP/1.1 100 Continue||", count: 20),
            "headTooLong"),
        .init(
            "an endless extension", chunked + "2;" + String(repeating: "x", count: 400),
            "headTooLong"),
        .init(
            "endless trailers", chunked + "0|" + String(repeating: "A: b|", count: 80),
            "headTooLong"),
        .init("an endless body", ok + "|" + String(repeating: "x", count: 1001), "bodyTooLong"),
    ]

    @Test("is read as it stands, or told what is wrong with it", arguments: answers)
    func table(_ row: WrittenAnswer) {
        #expect(parse([row.bytes], answersHead: row.answersHead).description == row.expected)
    }

    @Test("is read the same wherever it is cut", arguments: answers)
    func cuts(_ row: WrittenAnswer) {
        let whole = parse([row.bytes], answersHead: row.answersHead)
        for cut in row.bytes.indices {
            let pieces = [Array(row.bytes[..<cut]), Array(row.bytes[cut...])]
            #expect(parse(pieces, answersHead: row.answersHead) == whole, "cut at \(cut)")
        }
        let single = row.bytes.map { [$0] }
        #expect(parse(single, answersHead: row.answersHead) == whole, "byte by byte")
    }

    @Test("is read as the slow reader reads it", arguments: answers)
    func twin(_ row: WrittenAnswer) {
        var slow = SlowReader(row.bytes, answersHead: row.answersHead)
        #expect(slow.read() == parse([row.bytes], answersHead: row.answersHead))
    }

    @Test("is read the same whatever the connection's answer before was", arguments: answers)
    func afterAnother(_ row: WrittenAnswer) {
        let whole = parse([row.bytes], answersHead: row.answersHead)
        let folded = Self.ok + "A:|  b c d|Content-Length: 0||"
        for before in Self.answers + [row, WrittenAnswer("folded", folded, "")] {
            var parser = ResponseParser(bodyLimit: 1000, headLimit: 400)
            for (answer, wanted) in [(before, nil), (row, whole), (row, whole)] {
                parser.begin(answersHead: answer.answersHead)
                let read = parse([answer.bytes], with: &parser)
                #expect(wanted.map { $0 == read } ?? true, "after \(before.why)")
            }
        }
    }

    /// All but the one that is TLS's (`TLSEndTests`).
    @Test(
        "every fault is reached by a row of the table",
        arguments: ResponseFault.allCases.filter { $0 != .noCloseNotify })
    func faults(_ fault: ResponseFault) {
        #expect(Self.answers.contains { $0.expected == fault.label })
        #expect(!fault.description.isEmpty)
    }

    @Test("one after another on a connection, each from where the last one ended")
    func sequence() throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
        let bytes = Array(
            (text + Self.chunked.replacing("|", with: "\r\n") + "1\r\nb\r\n0\r\n\r\n").utf8)
        var parser = ResponseParser(bodyLimit: 10)
        parser.begin()
        let first = try bytes.withUnsafeBufferPointer { bytes throws(ResponseFault) in
            try parser.feed(UnsafeRawBufferPointer(bytes))
        }
        #expect(first == text.utf8.count && parser.takeReply().text == "a")
        parser.begin()
        _ = try bytes[first...].withUnsafeBufferPointer { bytes throws(ResponseFault) in
            try parser.feed(UnsafeRawBufferPointer(bytes))
        }
        #expect(parser.isComplete && parser.persists && parser.takeReply().text == "b")
    }

    @Test("says when a status line begins, so that the first byte of the last one can be stamped")
    func beginnings() throws {
        var parser = ResponseParser(bodyLimit: 10)
        parser.begin()
        var seen: [String] = []
        for piece in ["HTTP/1.1 1", "03 Early\r\n\r\n", "H", "TTP/1.1 200 OK\r\n", "\r\nx"] {
            _ = try Array(piece.utf8).withUnsafeBufferPointer { bytes throws(ResponseFault) in
                try parser.feed(UnsafeRawBufferPointer(bytes))
            }
            seen.append("\(parser.messagesBegun)\(parser.isFinal ? "!" : "")")
        }
        #expect(seen == ["1", "1", "2", "2!", "2!"])
    }
}

extension ResponseFault {
    var label: String {
        switch self {
        case .statusLine: "statusLine"
        case .version: "version"
        case .switchedProtocols: "switchedProtocols"
        case .spaceBeforeFields: "spaceBeforeFields"
        case .fieldName: "fieldName"
        case .nul: "nul"
        case .contentLength: "contentLength"
        case .lengthAndCoding: "lengthAndCoding"
        case .transferCoding: "transferCoding"
        case .chunkSize: "chunkSize"
        case .chunkEnd: "chunkEnd"
        case .headTooLong: "headTooLong"
        case .bodyTooLong: "bodyTooLong"
        case .unanswered: "unanswered"
        case .cutOff: "cutOff"
        case .noCloseNotify: "noCloseNotify"
        }
    }
}
