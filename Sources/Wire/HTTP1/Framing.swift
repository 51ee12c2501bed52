/// How the end of a body is known, and whether another request may follow: RFC 9112, 6.3 and 9.3.
struct Framing: Hashable {
    enum Body: Hashable {
        case none
        case counted(Int)
        case chunked
        /// It ends with the connection.
        case untilClose
    }

    var body: Body
    /// Whether the connection stays open after it.
    var persists: Bool

    /// `answersHead`: the request was a HEAD.
    init(
        _ line: StatusLine, _ fields: FieldLines, answersHead: Bool
    ) throws(ResponseFault) {
        let codings = try Self.codings(fields)
        let length = try Self.length(fields)
        // 6.3, 3: a sender must not send both; to believe either is how answers are smuggled.
        if codings != .none, length != nil { throw .lengthAndCoding }
        if answersHead || line.status == 204 || line.status == 304 {
            body = .none
        } else if codings == .chunked {
            body = .chunked
        } else if let length {
            body = length == 0 ? .none : .counted(length)
        } else {
            body = .untilClose
        }
        persists = Self.persists(line, fields) && body != .untilClose
        // 6.1: chunks of a server that speaks 1.0 may not be chunks; read, but not gone on from.
        if codings == .chunked, line.isVersion10 { persists = false }
    }

    private enum Codings { case none, chunked }

    /// We ask for none (no TE), so `chunked` alone may come; `identity` of RFC 2616 means none.
    private static func codings(_ fields: FieldLines) throws(ResponseFault) -> Codings {
        var chunked = 0
        var others = 0
        var isPresent = false
        fields.forEach("transfer-encoding") { value in
            isPresent = true
            Octets.members(of: value) { coding in
                if Octets.equal(coding, "chunked") {
                    chunked += 1
                } else if !Octets.equal(coding, "identity") {
                    others += 1
                }
            }
        }
        guard isPresent else { return .none }
        // 6.1: not more than once.
        if others > 0 || chunked > 1 { throw .transferCoding }
        return chunked == 1 ? .chunked : .none
    }

    /// 6.3, 5: several equal values are one; anything else than digits, or two values that differ,
    /// cannot be recovered from.
    private static func length(_ fields: FieldLines) throws(ResponseFault) -> Int? {
        var found: Int?
        var isBroken = false
        fields.forEach("content-length") { value in
            var isEmpty = true
            Octets.members(of: value) { member in
                isEmpty = false
                let number = Octets.decimal(member)
                if number == nil || found != nil && found != number { isBroken = true }
                found = number
            }
            if isEmpty { isBroken = true }
        }
        if isBroken { throw .contentLength }
        return found
    }

    /// 9.3: `close` ends it, 1.1 keeps it, 1.0 keeps it only when it says so.
    private static func persists(_ line: StatusLine, _ fields: FieldLines) -> Bool {
        var closes = false
        var keeps = !line.isVersion10
        fields.forEach("connection") { value in
            Octets.members(of: value) { option in
                if Octets.equal(option, "close") { closes = true }
                if Octets.equal(option, "keep-alive") { keeps = true }
            }
        }
        return keeps && !closes
    }
}
