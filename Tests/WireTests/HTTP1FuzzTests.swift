import Statistics
import Testing

@testable import Wire

/// Random answers: made of the pieces that matter, then damaged.
struct AnswerMill {
    private var dice: Dice

    init(_ seed: UInt64) { dice = Seed(seed).generator() }

    mutating func below(_ limit: Int) -> Int { Int(dice.next() % UInt64(limit)) }

    private mutating func one(of words: [String]) -> String { words[below(words.count)] }

    /// Often nearly right, sometimes quite right.
    mutating func answer() -> [UInt8] {
        var text = ""
        if below(6) == 0 {
            text += one(of: ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 E\r\nA: b\r\n\r\n"])
        }
        text += one(of: ["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1"])
        text += one(of: [" ", " ", " ", "  ", "\t", ""])
        text += one(of: ["200", "200", "200", "204", "304", "404", "101", "99", "600", "2000"])
        text += one(of: [" OK", " OK", "", " ", "OK"]) + end()
        for _ in 0..<below(5) { text += field() }
        text += end()
        for _ in 0..<below(4) { text += piece() }
        var bytes = Array(text.utf8)
        for _ in 0..<(below(3) == 0 ? below(4) : 0) where !bytes.isEmpty {
            damage(&bytes)
        }
        return bytes
    }

    private mutating func end() -> String {
        one(of: ["\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r\r\n"])
    }

    private mutating func field() -> String {
        let name = one(of: [
            "Content-Length", "content-length", "Transfer-Encoding", "TRANSFER-ENCODING",
            "Connection", "X", "", " ", "A B", "Content-Length ",
        ])
        let value = one(of: [
            "5", "0", "12", "5, 5", "5,6", "-1", "+5", "0x5", "99999999999999999999", "chunked",
            "Chunked", "gzip", "identity", "gzip, chunked", "chunked, chunked", "close",
            "keep-alive", "Keep-Alive, close", "", ",", "a\r\n b", "1001",
        ])
        return name + one(of: [":", ": ", ": ", ":\t", "", " : "]) + value + end()
    }

    private mutating func piece() -> String {
        one(of: [
            "5\r\nhello\r\n", "0\r\n\r\n", "0\r\nT: 1\r\n\r\n", "A;x=y\r\n0123456789\r\n", "hello",
            "5 \r\nhello\r\n", "G\r\n", "ffffffffffffffffff\r\n", "3e9\r\n", "5\nhello\n", "\r\n",
            "000005\r\nhello\r\n", "-1\r\n", "5\r\nhelloo",
        ])
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        let position = below(bytes.count)
        switch below(5) {
        case 0: bytes[position] = UInt8(below(256))
        case 1: bytes.remove(at: position)
        case 2: bytes.insert(UInt8(below(256)), at: position)
        case 3: bytes.removeSubrange(position...)
        default: bytes.insert(contentsOf: bytes[..<position], at: position)
        }
    }

    mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 1 + below(20))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }
}

@Suite("random answers")
struct HTTP1FuzzTests {
    @Test("are read as the slow reader reads them, however cut", arguments: 0..<40)
    func twin(_ seed: UInt64) {
        var mill = AnswerMill(seed)
        for round in 0..<500 {
            let bytes = mill.answer()
            let answersHead = mill.below(10) == 0
            var slow = SlowReader(bytes, answersHead: answersHead)
            let expected = slow.read()
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(
                parse([bytes], answersHead: answersHead) == expected,
                "seed \(seed), round \(round): \(text.debugDescription)")
            #expect(
                parse(mill.pieces(of: bytes), answersHead: answersHead) == expected,
                "seed \(seed), round \(round), in pieces: \(text.debugDescription)")
        }
    }

    @Test("of bytes without sense never trap, and never make an answer", arguments: 0..<20)
    func noise(_ seed: UInt64) {
        var mill = AnswerMill(seed)
        for _ in 0..<500 {
            let bytes = (0..<mill.below(200)).map { _ in UInt8(mill.below(256)) }
            if case .reply = parse(mill.pieces(of: bytes)) { Issue.record("\(bytes)") }
            // Behind a good head, noise is at most a body.
            let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
            _ = parse(mill.pieces(of: head + bytes))
        }
    }

    @Test("leave nothing behind for the next one", arguments: 0..<10)
    func reuse(_ seed: UInt64) {
        var mill = AnswerMill(seed)
        var used = ResponseParser(bodyLimit: 1000, headLimit: 400)
        for _ in 0..<300 {
            let bytes = mill.answer()
            used.begin()
            #expect(parse([bytes], with: &used) == parse([bytes]))
        }
    }
}
