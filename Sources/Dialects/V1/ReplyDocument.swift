internal import Formats

/// The document that an answer has for a body, JSON or XML: read when it is first asked for, and once,
/// for the codec and the table of conformance both look at it.
final class ReplyDocument {
    let reply: Reply
    private var tree: JSON?
    /// What the document is beyond, if it is nil for that.
    private(set) var limit: JSON.Limit?
    private var isRead = false

    init(_ reply: Reply) { self.reply = reply }

    /// Nil when the body is neither.
    func read() -> JSON? {
        if isRead { return tree }
        isRead = true
        tree =
            isXML
            ? XMLReader.read(reply.body, &limit)?.tree : JSONReader.read(reply.body, &limit)
        return tree
    }

    /// By its first character; a byte order mark is none.
    var isXML: Bool {
        let body =
            reply.body.starts(with: "\u{feff}".utf8) ? reply.body.dropFirst(3) : reply.body[...]
        return body.first { $0 > 0x20 } == UInt8(ascii: "<")
    }
}
