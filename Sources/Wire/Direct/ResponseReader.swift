internal import Dialects
internal import Journal

/// Reads one response at a time, and notes when its first byte arrived.
final class ResponseReader {
    private(set) var parser: ResponseParser
    /// When the latest message began: the final response, or a 1xx before it.
    private var messageBegan: Instant?
    private var messagesSeen = 0

    init(bodyLimit: Int) { parser = ResponseParser(bodyLimit: bodyLimit) }

    /// Of the final response; nil before it.
    var firstByte: Instant? { parser.isFinal ? messageBegan : nil }

    /// Makes it ready for another response.
    @inline(__always)
    func begin() {
        parser.begin()
        messageBegan = nil
        messagesSeen = 0
    }

    /// Takes up bytes that arrived at `now`; see `ResponseParser.feed`.
    @inline(__always)
    func feed(_ bytes: UnsafeRawBufferPointer, at now: Instant) throws(ResponseFault) -> Int {
        let used = try parser.feed(bytes)
        if parser.messagesBegun != messagesSeen {
            messagesSeen = parser.messagesBegun
            messageBegan = now
        }
        return used
    }

    /// The connection has ended; see `ResponseParser.end`.
    func end(isCut: Bool) throws(ResponseFault) { try parser.end(isCut: isCut) }

    /// Gives the response away.
    func takeReply() -> Reply { parser.takeReply() }
}
