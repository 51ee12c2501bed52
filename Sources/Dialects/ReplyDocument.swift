internal import Formats

/// The document that an answer has for a body, JSON or XML: read when it is first asked for, and once,
/// for the codec and the table of conformance both look at it.
final class ReplyDocument {
    let reply: Reply
    let mediaType: Reply.KnownMediaType?
    private var document: JSONDocument?
    /// What the document is beyond, if it is nil for that.
    private(set) var limit: JSON.Limit?
    private var isRead = false

    init(_ reply: Reply) {
        self.reply = reply
        mediaType = reply.knownMediaType
    }

    /// Nil when the body is neither.
    func read() -> JSONDocument.Value? {
        if !isRead {
            isRead = true
            document =
                isXML
                ? XMLReader.read(reply.body, &limit).map { JSONDocument($0.tree) }
                : JSONReader.document(reply.body, &limit)
        }
        return document?.root
    }

    /// By its first character; a byte order mark is none.
    var isXML: Bool {
        let bytes = reply.body
        let body = bytes.span
        var position = body.holds("\u{feff}".utf8Span.span, at: 0) ? 3 : 0
        while position < body.count, body[position] <= 0x20 { position += 1 }
        return position < body.count && body[position] == UInt8(ascii: "<")
    }

    /// The reading of a body in a content coding, which screenrig does not decode. Requests have no `Accept-Encoding`,
    /// so the server may choose any coding (RFC 9110, 12.5.3): an error, and no violation. Nil for a plain body, and
    /// for a redirect, whose body is not read.
    var unreadable: Reading? {
        guard !reply.body.isEmpty, !(300..<400).contains(reply.status),
            let coding = reply.headers["Content-Encoding"], !coding.isEmpty,
            !coding.equalsIgnoringCase("identity")
        else { return nil }
        let reason: Untrusted =
            "a body with Content-Encoding \(coding), which screenrig does not read"
        return Reading(.blocked, reply.isServerFailure ? .fault : .blocked, reason: reason)
    }

    /// A page for a browser, by its type or by how it begins.
    var isPage: Bool {
        if mediaType == .html { return true }
        guard reply.body.count > 5, let start = reply.body.firstIndex(where: { $0 > 0x20 }),
            reply.body[start] == UInt8(ascii: "<")
        else { return false }
        let opening = String(decoding: reply.body[start...].prefix(14), as: UTF8.self).lowercased()
        return opening.hasPrefix("<!doctype html") || opening.hasPrefix("<html")
    }

    /// The service's own word for what went wrong: `error` of rest-v1.md § 5, else `code` or `message` of
    /// its § 4, else the status. The gate cuts it further, once secrets are out of it.
    var errorWord: Untrusted { Untrusted(plainErrorWord) }

    var plainErrorWord: String {
        let tree = isPage ? nil : read()
        let said = tree?["error"]?.text ?? tree?["code"]?.text ?? tree?["message"]?.text
        return said.map { String($0.prefix(Self.longestWord)) } ?? "status \(reply.status)"
    }

    /// Characters that are kept of a word.
    static let longestWord = 2_000
}
