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
        return isDefault ? bracketed : bracketed + ":" + String(port)
    }
}

extension Origin: CustomStringConvertible {
    public var description: String { scheme.rawValue + "://" + authority }
}

/// An absolute http or https URL, taken apart as far as a browser needs (RFC 3986).
public struct WebAddress: Hashable, Sendable {
    public var origin: Origin
    /// Path and query as they go into the request line; begins with `/`. No fragment.
    public var target: String

    public init(origin: Origin, target: String) {
        self.origin = origin
        self.target = target.hasPrefix("/") ? target : "/" + target
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
                guard let number = Int(Substring(digits)), (1...65535).contains(number) else {
                    return nil
                }
                port = number
            }
        }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            host = host.dropFirst().dropLast()
        }
        guard !host.isEmpty,
            !host.contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\\") })
        else { return nil }
        let target = rest[end...].prefix { $0 != UInt8(ascii: "#") }
        self.init(
            origin: Origin(scheme: scheme, host: String(Substring(host)), port: port),
            target: target.isEmpty ? "/" : String(Substring(target)))
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Where `reference` leads from here, as a `Location` header or a form's `action` means it
    /// (RFC 3986, 5.2). Nil for schemes that are not http or https.
    public func resolving(_ reference: String) -> WebAddress? {
        let text = String(reference.trimmingSpaces().prefix(upTo: UInt8(ascii: "#")))
        let bytes = text.utf8
        if bytes.isEmpty { return self }
        if bytes.starts(with: "//".utf8) {
            return WebAddress(origin.scheme.rawValue + ":" + text)
        }
        if bytes.first == UInt8(ascii: "/") {
            return WebAddress(origin: origin, target: Self.withoutDots(text))
        }
        if let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            !bytes[..<colon].contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") })
        {
            return WebAddress(text)
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
        guard path.utf8.holds("/.") else { return target }
        var kept: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
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
    public var query: Substring { target[path.endIndex...].dropFirst() }
}

extension WebAddress: CustomStringConvertible {
    public var description: String { origin.description + target }
}

extension Substring {
    /// Without ASCII spaces, tabs and line ends at both ends.
    public func trimmingSpaces() -> String {
        guard let first = utf8.firstIndex(where: { !$0.isSpace }),
            let last = utf8.lastIndex(where: { !$0.isSpace })
        else { return "" }
        return String(self[first..<utf8.index(after: last)])
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
        self[..<(utf8.firstIndex(of: end) ?? endIndex)]
    }
}

extension Collection<UInt8> {
    /// Whether `part` stands anywhere in it, byte by byte. `contains` of strings would go through
    /// Foundation's search, which takes both apart into characters first.
    func holds(_ part: String) -> Bool {
        guard let first = part.utf8.first else { return true }
        var rest = self[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: part.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

extension BidirectionalCollection<UInt8> {
    /// Whether its last bytes are those of `part`.
    func ends(with part: String) -> Bool {
        guard let start = index(endIndex, offsetBy: -part.utf8.count, limitedBy: startIndex) else {
            return false
        }
        return self[start...].elementsEqual(part.utf8)
    }
}
