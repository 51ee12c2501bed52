internal import Formats

/// Scheme, host and port: what a connection leads to.
public struct Origin: Hashable, Sendable {
    public enum Scheme: String, Sendable { case http, https }
    public var scheme: Scheme
    /// A name or a literal address, lower case, IPv6 without its brackets.
    public var host: String
    public var port: Int

    public init(scheme: Scheme, host: String, port: Int? = nil) {
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port ?? (scheme == .https ? 443 : 80)
    }

    /// `host` or `host:port` as a `Host` header and a URL have it.
    public var authority: String {
        let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let isDefault = port == (scheme == .https ? 443 : 80)
        return isDefault ? bracketed : String(joining: bracketed, ":", String(port))
    }
}

extension Origin: CustomStringConvertible {
    public var description: String { String(joining: scheme.rawValue, "://", authority) }
}

/// An absolute http or https URL, taken apart as far as a browser needs (RFC 3986).
public struct WebAddress: Hashable, Sendable {
    public var origin: Origin
    /// Path and query as they go into the request line; begins with `/`. No fragment.
    public var target: String

    public init(origin: Origin, target: String) {
        self.origin = origin
        self.target = target.utf8.first == UInt8(ascii: "/") ? target : "/" + target
    }

    /// Reads an absolute URL; nil when it is not http or https, or has no host.
    public init?(_ text: String) {
        let text = text.trimmingSpaces()
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let scheme = Origin.Scheme(rawValue: text[..<colon].lowercased())
        else { return nil }
        var rest = bytes[bytes.index(after: colon)...]
        guard rest.starts(with: "//".utf8) else { return nil }
        rest = rest.dropFirst(2)
        let end = rest.firstIndex(where: Self.endsAuthority) ?? rest.endIndex
        var authority = rest[..<end]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            authority = authority[authority.index(after: at)...]
        }
        var port: Int?
        var host = authority
        let afterBracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        if let colon = authority[afterBracket...].lastIndex(of: UInt8(ascii: ":")) {
            host = authority[..<colon]
            let digits = authority[authority.index(after: colon)...]
            if !digits.isEmpty {
                guard digits.allSatisfy({ (48...57).contains($0) }),
                    let number = Int(Substring(digits)), (1...65535).contains(number)
                else { return nil }
                port = number
            }
        }
        let isLiteral = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
        if isLiteral { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains(where: { Self.isForbidden($0, inLiteral: isLiteral) })
        else { return nil }
        let target = rest[end...].prefix { $0 != UInt8(ascii: "#") }
        self.init(
            origin: Origin(scheme: scheme, host: String(Substring(host)), port: port),
            target: target.isEmpty ? "/" : String(Substring(target)))
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Whether a byte is in no host's name, or in no IPv6 literal: what another reader of the same text
    /// might take for the end of the host, or decode (WHATWG URL, 3.1).
    private static func isForbidden(_ byte: UInt8, inLiteral isLiteral: Bool) -> Bool {
        byte == UInt8(ascii: ":") ? !isLiteral : forbidden.contains(byte)
    }

    private static let forbidden = ByteSet {
        $0 <= 0x20 || $0 == 0x7f || "#%/<>?@[\\]^|".utf8.contains($0)
    }

    /// Where `reference` leads from here, as browsers read a `Location` header or a form's `action`
    /// (RFC 3986, 5.2; WHATWG URL, 4.4). Nil for schemes that are not http or https.
    public func resolving(_ reference: String) -> WebAddress? {
        let text = Self.asBrowsersRead(reference)
        let bytes = text.utf8
        guard let first = bytes.first, Self.isLetter(first),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(bytes[..<colon])
        else { return resolving(relative: text) }
        guard let scheme = Origin.Scheme(rawValue: text[..<colon].lowercased()) else { return nil }
        let rest = text[bytes.index(after: colon)...]
        // `https:a` on a page of https is relative.
        if scheme == origin.scheme, !rest.utf8.starts(with: "//".utf8) {
            return resolving(relative: String(rest))
        }
        return Self.absolute(scheme, rest)
    }

    /// Without spaces and controls around it, and without tabs and line ends anywhere; up to its
    /// fragment; backslashes of the path, or before the host, are slashes.
    private static func asBrowsersRead(_ reference: String) -> String {
        // Most are clean already.
        let written = reference.utf8Span.span
        let stops = ByteStops(below: 0x21, "#", "\\")
        if written.first(of: stops) == written.count { return reference }
        let bytes = Array(reference.utf8)
        guard let first = bytes.firstIndex(where: { $0 > 0x20 }),
            let last = bytes.lastIndex(where: { $0 > 0x20 })
        else { return "" }
        var text: [UInt8] = []
        var isQuery = false
        for byte in bytes[first...last] {
            switch byte {
            case 0x09, 0x0a, 0x0d: break
            case UInt8(ascii: "#"): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\") where !isQuery: text.append(UInt8(ascii: "/"))
            default:
                isQuery = isQuery || byte == UInt8(ascii: "?")
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// RFC 3986, 3.1.
    private static func isScheme(_ bytes: Substring.UTF8View) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy {
            isLetter($0) || (48...57).contains($0) || "+-.".utf8.contains($0)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    /// However many slashes there are, the host follows.
    private static func absolute(_ scheme: Origin.Scheme, _ rest: Substring) -> WebAddress? {
        let place = rest.utf8.drop { $0 == UInt8(ascii: "/") }
        return WebAddress(scheme.rawValue + "://" + String(Substring(place)))
    }

    private func resolving(relative text: String) -> WebAddress? {
        let bytes = text.utf8
        if bytes.isEmpty { return self }
        if text.utf8Span.span.holds("//".utf8Span.span, at: 0) {
            return Self.absolute(origin.scheme, text[...])
        }
        if bytes.first == UInt8(ascii: "/") {
            return WebAddress(origin: origin, target: Self.withoutDots(text))
        }
        let path = path
        if bytes.first == UInt8(ascii: "?") {
            return WebAddress(origin: origin, target: path + text)
        }
        let folder = path[...(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)]
        return WebAddress(origin: origin, target: Self.withoutDots(folder + text))
    }

    /// RFC 3986, 5.2.4, on the path part.
    private static func withoutDots(_ target: String) -> String {
        let path = target.prefix(upTo: UInt8(ascii: "?"))
        guard path.utf8Span.span.first("/.".utf8Span.span) != nil else { return target }
        var kept: [Substring] = []
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst().map { Substring($0) }
        for (position, part) in parts.enumerated() {
            let isLast = position == parts.count - 1
            switch part {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(part)
            }
        }
        return "/" + kept.joined(separator: "/") + target[path.endIndex...]
    }

    /// Path without the query.
    public var path: Substring { target.prefix(upTo: UInt8(ascii: "?")) }
    /// Query without its question mark; empty when there is none.
    public var query: Substring { Substring(target.utf8[path.endIndex...].dropFirst()) }

    /// The value of the query's first field of that name, as it is written; nil where there is none. By bytes: reading
    /// letters took a twentieth of a race.
    public func written(_ name: String) -> Substring? {
        let (bytes, wanted) = (target.utf8Span.span, name.utf8Span.span)
        var start = bytes.first(UInt8(ascii: "?")) + 1
        while start < bytes.count {
            let end = bytes.first(UInt8(ascii: "&"), from: start)
            let sign = start + wanted.count
            if sign < end, bytes[sign] == UInt8(ascii: "="), bytes.holds(wanted, at: start) {
                return target.slice(sign + 1..<end)
            }
            start = end + 1
        }
        return nil
    }

    /// Whether the path ends with `part`.
    func hasPath(endingWith part: String) -> Bool {
        let (bytes, wanted) = (target.utf8Span.span, part.utf8Span.span)
        return bytes.holds(wanted, at: bytes.first(UInt8(ascii: "?")) - wanted.count)
    }

    /// Whether `part` stands in the path.
    func hasPath(with part: String) -> Bool {
        let bytes = target.utf8Span.span
        return bytes.extracting(0..<bytes.first(UInt8(ascii: "?")))
            .first(part.utf8Span.span) != nil
    }
}

extension WebAddress: CustomStringConvertible {
    public var description: String { origin.description + target }
}

extension Substring {
    /// Without ASCII spaces, tabs and line ends at both ends.
    public func trimmingSpaces() -> String {
        let bytes = utf8Span.span
        var (start, end) = (0, bytes.count)
        while start < end, bytes[start].isSpace { start += 1 }
        while end > start, bytes[end - 1].isSpace { end -= 1 }
        if end - start == bytes.count { return String(self) }
        let first = utf8.index(startIndex, offsetBy: start)
        return String(self[first..<utf8.index(first, offsetBy: end - start)])
    }
}

extension String {
    /// Without ASCII spaces, tabs and line ends at both ends.
    public func trimmingSpaces() -> String { self[...].trimmingSpaces() }
}

extension UInt8 {
    /// Space, tab, line ends.
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}

extension String {
    /// What stands before the first `end`; all of it when there is none. By bytes: letters that
    /// are put together from several scalars do not matter to syntax, and cost much.
    func prefix(upTo end: UInt8) -> Substring {
        Substring(utf8.prefix(utf8Span.span.first(end)))
    }
}

/// User and password of an address, `scheme://user:password@host`. By its last `@`: a password may hold
/// anything.
extension WebAddress {
    /// The password as it stands there, decoded, and behind its user's name; none where it has none.
    public static func secrets(in text: String) -> [Secret] {
        let user = user(of: text)
        let name = user.prefix { $0 != ":" }
        guard name.count + 1 < user.count else { return [] }
        let password = String(user.dropFirst(name.count + 1))
        // Here a plus is itself; only forms mean a space by it.
        func decode(_ text: some StringProtocol) -> String {
            FormEncoding.decode(
                text.split(separator: "+", omittingEmptySubsequences: false)
                    .joined(separator: "%2B"))
        }
        let decoded = decode(password)
        let both = "\(decode(name)):\(decoded)"
        return [password, decoded, both].map(Secret.init)
    }

    /// The address without them.
    public static func withoutUser(_ text: String) -> String {
        let user = user(of: text)
        guard user.endIndex < text.endIndex else { return text }
        return String(text[..<user.startIndex] + text[text.index(after: user.endIndex)...])
    }

    /// Up to the end of `text` where it has none.
    private static func user(of text: String) -> Substring {
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        guard let at = text[start...].lastIndex(of: "@") else { return text[text.endIndex...] }
        return text[start..<at]
    }
}
