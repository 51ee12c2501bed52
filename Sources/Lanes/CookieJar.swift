public import Dialects

/// The cookies of one device, as a browser keeps them for the length of a visit: by host and path,
/// `Secure` and `Domain` obeyed, removed when set to nothing or to the past (RFC 6265, 5.3 and 5.4).
public struct CookieJar: Sendable {
    private struct Cookie: Sendable {
        var name: String
        var value: String
        var host: String
        var includesSubdomains: Bool
        var path: String
        var isSecure: Bool
    }

    private var cookies: [Cookie] = []

    public init() {}

    public var isEmpty: Bool { cookies.isEmpty }

    public mutating func removeAll() {
        cookies = []
    }

    /// Takes up the `Set-Cookie` fields of a reply from `address`.
    public mutating func store(_ headers: Headers, from address: WebAddress) {
        for field in headers.fields where field.name.equalsIgnoringCase("Set-Cookie") {
            store(field.value, from: address)
        }
    }

    /// The value of the `Cookie` header for a request, nil when there is nothing to send. Longer
    /// paths first (RFC 6265, 5.4).
    public func header(for address: WebAddress) -> String? {
        guard !cookies.isEmpty else { return nil }
        let host = address.origin.host
        let path = address.path
        let matching = cookies.filter { cookie in
            (cookie.host == host || cookie.includesSubdomains && host.hasSuffix("." + cookie.host))
                && (!cookie.isSecure || address.origin.scheme == .https || Self.isLoopback(host))
                && Self.path(path, isWithin: cookie.path)
        }
        guard let first = matching.first else { return nil }
        if matching.count == 1 { return first.name + "=" + first.value }
        return matching.sorted { $0.path.utf8.count > $1.path.utf8.count }
            .map { $0.name + "=" + $0.value }.joined(separator: "; ")
    }

    private mutating func store(_ text: String, from address: WebAddress) {
        let parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let equals = parts[0].firstIndex(of: UInt8(ascii: "=")) else { return }
        let name = Substring(parts[0][..<equals]).trimmingSpaces()
        guard !name.isEmpty else { return }
        var cookie = Cookie(
            name: name, value: Substring(parts[0][equals...].dropFirst()).trimmingSpaces(),
            host: address.origin.host, includesSubdomains: false,
            path: Self.defaultPath(address.path), isSecure: false)
        var isOver = false
        for part in parts.dropFirst() {
            let pair = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count == 2 ? Substring(pair[1]).trimmingSpaces() : ""
            switch Substring(pair[0]).trimmingSpaces().lowercased() {
            case "domain":
                let domain = value.lowercased().drop { $0 == "." }
                guard !domain.isEmpty else { continue }
                guard cookie.host == domain || cookie.host.hasSuffix("." + domain) else { return }
                cookie.host = String(domain)
                cookie.includesSubdomains = true
            case "path" where value.utf8.first == UInt8(ascii: "/"): cookie.path = value
            case "secure": cookie.isSecure = true
            case "max-age": isOver = (Int(value) ?? 1) <= 0
            // A visit is shorter than any real lifetime; the only date that matters is one that
            // deletes, and servers write that as 1970.
            case "expires" where value.contains("1970"): isOver = true
            default: break
            }
        }
        cookies.removeAll {
            $0.name == cookie.name && $0.host == cookie.host && $0.path == cookie.path
        }
        if !isOver { cookies.append(cookie) }
    }

    /// RFC 6265, 5.1.4.
    private static func defaultPath(_ path: Substring) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    private static func path(_ path: Substring, isWithin folder: String) -> Bool {
        guard path.utf8.starts(with: folder.utf8) else { return false }
        let rest = path.utf8.dropFirst(folder.utf8.count)
        return folder.utf8.last == UInt8(ascii: "/") || rest.isEmpty
            || rest.first == UInt8(ascii: "/")
    }

    /// Browsers treat loopback as trustworthy, whatever the scheme.
    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
