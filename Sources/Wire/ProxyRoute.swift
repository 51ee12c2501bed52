public import Dialects
internal import Glibc
public import Vocabulary

/// Which origins are reached through which proxy. libcurl would read the environment by itself; here
/// it is read once and decided by us, because permission and isolation depend on it.
struct ProxyRoute: Hashable, Sendable {
    /// A proxy, as libcurl wants it and as we have to reach it.
    struct Proxy: Hashable, Sendable {
        var url: String
        var host: String
        var port: Int

        /// Its URL without user and password.
        var shown: String { WebAddress.withoutUser(url) }

        /// Whether plain HTTP goes through it as it would without: SOCKS does not look inside.
        var isTunnel: Bool { url.lowercased().hasPrefix("socks") }
        /// Whether it is spoken to over TLS itself.
        var isSecure: Bool { url.lowercased().hasPrefix("https") }
    }

    private var forHTTP: Proxy?
    private var forHTTPS: Proxy?
    private var exceptions: [Substring] = []

    /// What curl and others read.
    private static let variables = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
        "NO_PROXY",
    ]

    /// The process's environment, as far as it is about proxies.
    static func environment() -> [String: String] {
        var found: [String: String] = [:]
        for name in variables { found[name] = getenv(name).map { String(cString: $0) } }
        return found
    }

    init(_ proxy: TransportOptions.Proxy, environment: [String: String]) throws(WireError) {
        switch proxy {
        case .none: break
        case .url(let text):
            forHTTP = try Self.read(text)
            forHTTPS = forHTTP
        case .environment:
            // curl's rule: http_proxy in lower case only (a CGI request can set HTTP_PROXY).
            let all = environment["all_proxy"] ?? environment["ALL_PROXY"]
            let https = environment["https_proxy"] ?? environment["HTTPS_PROXY"] ?? all
            forHTTP = try (environment["http_proxy"] ?? all).nonEmpty.map(Self.read)
            forHTTPS = try https.nonEmpty.map(Self.read)
            let none = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
            exceptions = none.lowercased().split { $0 == "," || $0 == " " }
        }
    }

    var secrets: [Secret] {
        [forHTTP, forHTTPS].compactMap(\.self).flatMap { WebAddress.secrets(in: $0.url) }
    }

    /// Whether any origin may be behind a proxy.
    var isInUse: Bool { forHTTP != nil || forHTTPS != nil }

    /// Nil: reached directly.
    func proxy(for origin: Origin) -> Proxy? {
        guard let proxy = origin.scheme == .https ? forHTTPS : forHTTP else { return nil }
        return exceptions.contains { Self.matches($0, origin) } ? nil : proxy
    }

    /// `*`, a host, or a domain with all below it; with or without leading dot and port.
    private static func matches(_ exception: Substring, _ origin: Origin) -> Bool {
        if exception == "*" { return true }
        var name = exception.drop { $0 == "." }
        if let colon = name.lastIndex(of: ":"), let port = Int(name[name.index(after: colon)...]),
            !name[..<colon].contains(":")
        {
            guard port == origin.port else { return false }
            name = name[..<colon]
        }
        return origin.host == name || origin.host.hasSuffix("." + name)
    }

    private static func read(_ text: String) throws(WireError) -> Proxy {
        let url = text.contains("://") ? text : "http://" + text
        // The schemes of curl that are not http have no default port that anybody relies on.
        let asHTTP = "http" + url.drop { $0 != ":" }
        guard let address = WebAddress(asHTTP), address.origin.host != ":" else {
            throw .proxyNotURL(text)
        }
        let hasPort = address.origin.port != 80 || text.hasSuffix(":80") || text.contains(":80/")
        return Proxy(
            url: url, host: address.origin.host, port: hasPort ? address.origin.port : 1080)
    }
}

extension WireSettings {
    /// Whether requests to `origin` go through a proxy, which then looks up the name.
    public func proxy(for origin: Origin) -> (name: String, host: String)? {
        let route = try? ProxyRoute(proxy, environment: ProxyRoute.environment())
        return route?.proxy(for: origin).map { ($0.shown, $0.host) }
    }
}

extension TransportOptions.Proxy {
    /// `host:port` of the proxy that `environment` would use for `origin`, without user and
    /// password; nil where it names none, or nothing readable.
    public static func ofEnvironment(for origin: Origin) -> String? {
        let variables = ProxyRoute.environment()
        guard
            let proxy = try? ProxyRoute(.environment, environment: variables).proxy(for: origin)
        else { return nil }
        return "\(proxy.host):\(proxy.port)"
    }

    /// Passwords of proxies, which a proxy may repeat.
    public var secrets: [Secret] {
        guard let route = try? ProxyRoute(self, environment: ProxyRoute.environment()) else {
            return []
        }
        return route.secrets
    }
}

extension String? {
    fileprivate var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}
