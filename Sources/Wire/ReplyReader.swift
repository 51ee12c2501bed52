internal import Dialects

/// Gathers one response from the lines and bytes that an engine hands over. Pure: bytes in, reply
/// out.
struct ReplyReader {
    /// Why the rest is not wanted.
    enum Excess { case body, head, line }

    private(set) var status = 0
    private(set) var excess: Excess?
    private(set) var bytes = 0
    private var fields: [Headers.Field] = []
    private var body: [UInt8] = []
    private var headBytes = 0
    private var isInHead = true
    private let limit: Int

    /// All headers together; more is an attack or a mistake.
    static let headLimit = 256 * 1024
    /// One of them, where libcurl reads (CURL_MAX_HTTP_HEADER).
    static let lineLimit = 100 * 1024

    init(limit: Int) {
        self.limit = limit
    }

    /// Makes it ready for the next response, keeping its memory.
    mutating func reset() {
        status = 0
        excess = nil
        bytes = 0
        headBytes = 0
        isInHead = true
        fields.removeAll(keepingCapacity: true)
    }

    /// The final answer has begun; 1xx do not count.
    var hasBegun: Bool { status >= 200 || status == 101 }

    /// Its head has ended. libcurl takes a connection that closes within the head for the end of an
    /// answer without body; RFC 9112, 8: it is incomplete.
    var hasHead: Bool { hasBegun && !isInHead }

    /// Nothing but the connection says where its body ends (RFC 9112, 6.3).
    var endsWithConnection: Bool {
        let headers = Headers(fields)
        let isChunked = headers["Transfer-Encoding"]?.lowercased().contains("chunked") == true
        return status != 204 && status != 304 && headers["Content-Length"] == nil && !isChunked
    }

    var reply: Reply { Reply(status: status, headers: Headers(fields), body: body) }

    /// Gives the collected body away.
    mutating func takeReply() -> Reply {
        defer { body = [] }
        return reply
    }

    /// One line of a head, with its line end. False when there is too much of it.
    mutating func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        guard headBytes <= Self.headLimit else {
            excess = .head
            return false
        }
        let text = Self.trimmed(line[...])
        if isInHead, Self.isStatusLine(text) {
            // What came before was a 1xx: its fields are not the answer's (RFC 9110, 15.2).
            fields.removeAll(keepingCapacity: true)
            body.removeAll()
            status = Self.status(of: text)
        } else if text.isEmpty {
            isInHead = !hasBegun
        } else if isInHead {
            takeField(text, isFolded: line[0] == UInt8(ascii: " ") || line[0] == 9)
        }
        // Fields after the head are trailers: nothing of a sign-in may depend on them.
        return true
    }

    /// A piece of the body. False when it grew over the limit.
    mutating func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        bytes += piece.count
        guard bytes <= limit else {
            excess = .body
            return false
        }
        body.append(contentsOf: piece)
        return true
    }

    private mutating func takeField(_ text: Slice<UnsafeRawBufferPointer>, isFolded: Bool) {
        if isFolded, !fields.isEmpty {
            // RFC 9112, 5.2: a user agent joins folded lines by a space.
            fields[fields.count - 1].value += " " + String(decoding: text, as: UTF8.self)
            return
        }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return }
        fields.append(
            Headers.Field(
                String(decoding: text[..<colon], as: UTF8.self),
                String(decoding: Self.trimmed(text[(colon + 1)...]), as: UTF8.self)))
    }

    /// `HTTP/1.1 200 OK`, `HTTP/2 200`.
    private static func isStatusLine(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        text.starts(with: "HTTP/".utf8)
    }

    private static func status(of text: Slice<UnsafeRawBufferPointer>) -> Int {
        guard let space = text.firstIndex(of: 32) else { return 0 }
        return text[(space + 1)...].prefix { (48...57).contains($0) }.prefix(4)
            .reduce(0) { $0 * 10 + Int($1) - 48 }
    }

    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>)
        -> Slice<UnsafeRawBufferPointer>
    {
        let isSpace: (UInt8) -> Bool = { $0 == 32 || $0 == 9 || $0 == 10 || $0 == 13 }
        guard let first = text.firstIndex(where: { !isSpace($0) }),
            let last = text.lastIndex(where: { !isSpace($0) })
        else { return text[text.endIndex...] }
        return text[first...last]
    }
}
