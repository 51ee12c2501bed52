import Dialects

@testable import Wire

extension Reader {
    /// Input: what a server sends over a connection until it closes it.
    static let http = Reader("http", limit: 4_096) { bytes in
        for answersHead in [false, true] {
            let whole = ParsedAnswer(bytes, inPiecesOf: max(1, bytes.count), answersHead)
            for size in [1, 7] {
                let cut = ParsedAnswer(bytes, inPiecesOf: size, answersHead)
                if cut != whole { return "in pieces of \(size) \(cut), at once \(whole)" }
            }
            if let reply = whole.reply, reply.body.count > ParsedAnswer.bodyLimit {
                return "a body of \(reply.body.count) bytes"
            }
            if let reply = whole.reply, !(200...999).contains(reply.status) {
                return "a final answer with status \(reply.status)"
            }
        }
        return nil
    }
}

/// What the parser made of an answer: a reply or a fault.
struct ParsedAnswer: Equatable {
    static let bodyLimit = 1_000
    private(set) var reply: Reply?
    private var fault: ResponseFault?
    private var persists = false
    private var used = 0

    init(_ bytes: [UInt8], inPiecesOf size: Int, _ answersHead: Bool = false) {
        var parser = ResponseParser(bodyLimit: Self.bodyLimit, headLimit: 2_000)
        parser.begin(answersHead: answersHead)
        do throws(ResponseFault) {
            while used < bytes.count, !parser.isComplete {
                let piece = bytes[used..<min(bytes.count, used + size)]
                used += try piece.withUnsafeBufferPointer { piece throws(ResponseFault) in
                    try parser.feed(UnsafeRawBufferPointer(piece))
                }
            }
            try parser.end()
            persists = parser.persists
            reply = parser.takeReply()
        } catch {
            fault = error
            // Where within a piece it went wrong is not told.
            used = 0
        }
    }
}
