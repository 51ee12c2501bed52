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
        let bracketed = host.contains(":") ? "[\(host)]" : host
        let isDefault = port == (scheme == .https ? 443 : 80)
        return isDefault ? bracketed : "\(bracketed):\(port)"
    }
}

extension Origin: CustomStringConvertible {
    public var description: String { "\(scheme.rawValue)://\(authority)" }
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
        let trimmed = text.trimmingSpaces()
        guard let colon = trimmed.firstIndex(of: ":"),
            let scheme = Origin.Scheme(rawValue: trimmed[..<colon].lowercased())
        else { return nil }
        var rest = trimmed[trimmed.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        rest = rest.dropFirst(2)
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        var authority = rest[..<end]
        if let at = authority.lastIndex(of: "@") {
            authority = authority[authority.index(after: at)...]
        }
        var port: Int?
        var host = authority
        let afterBracket = authority.lastIndex(of: "]") ?? authority.startIndex
        if let colon = authority[afterBracket...].lastIndex(of: ":") {
            host = authority[..<colon]
            let digits = authority[authority.index(after: colon)...]
            if !digits.isEmpty {
                guard let number = Int(digits), (1...65535).contains(number) else { return nil }
                port = number
            }
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains(where: { $0 == " " || $0 == "\\" }) else { return nil }
        let target = rest[end...].prefix { $0 != "#" }
        self.init(
            origin: Origin(scheme: scheme, host: String(host), port: port),
            target: target.isEmpty ? "/" : String(target))
    }

    /// Where `reference` leads from here, as a `Location` header or a form's `action` means it
    /// (RFC 3986, 5.2). Nil for schemes that are not http or https.
    public func resolving(_ reference: String) -> WebAddress? {
        let text = String(reference.trimmingSpaces().prefix { $0 != "#" })
        if text.isEmpty { return self }
        if text.hasPrefix("//") { return WebAddress(origin.scheme.rawValue + ":" + text) }
        if text.hasPrefix("/") { return WebAddress(origin: origin, target: Self.withoutDots(text)) }
        if let colon = text.firstIndex(of: ":"),
            !text[..<colon].contains(where: { "/?".contains($0) })
        {
            return WebAddress(text)
        }
        let path = target.prefix { $0 != "?" }
        if text.hasPrefix("?") { return WebAddress(origin: origin, target: path + text) }
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        return WebAddress(origin: origin, target: Self.withoutDots(folder + text))
    }

    /// RFC 3986, 5.2.4, on the path part.
    private static func withoutDots(_ target: String) -> String {
        let path = target.prefix { $0 != "?" }
        guard path.contains("/.") else { return target }
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
        return "/" + kept.joined(separator: "/") + target.dropFirst(path.count)
    }

    /// Path without the query.
    public var path: Substring { target.prefix { $0 != "?" } }
    /// Query without its question mark; empty when there is none.
    public var query: Substring { target.dropFirst(path.count).dropFirst() }
}

extension WebAddress: CustomStringConvertible {
    public var description: String { "\(origin)\(target)" }
}

extension StringProtocol {
    /// Without ASCII spaces, tabs and line ends at both ends.
    public func trimmingSpaces() -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        guard let first = firstIndex(where: { !isSpace($0) }),
            let last = lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(self[first...last])
    }
}
