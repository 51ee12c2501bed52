public import Dialects

/// Which hosts a run may send to (docs/politeness.md). A pure value: the answer
/// depends on the name and on what the name resolved to, so it is asked for each hop.
public struct Permission: Sendable, Hashable {
    /// The real service. Nobody load-tests it by mistake: it must be named twice.
    public static let productionHost = "api.auth.adobe.com"

    /// `target.allow`.
    public var allowedByRig: Set<String>
    /// `--allow`.
    public var allowedByCommand: Set<String>
    /// Hosts that rig or command line names without listing them: they may be looked up, and sent to
    /// where they are loopback.
    public var named: Set<String>

    /// Names compare without case and without a trailing dot.
    public init(
        allowedByRig: [String] = [], allowedByCommand: [String] = [], named: [String] = []
    ) {
        self.named = Set(named.map(Self.canonical))
        self.allowedByRig = Set(allowedByRig.map(Self.canonical))
        self.allowedByCommand = Set(allowedByCommand.map(Self.canonical))
    }

    /// Nil when requests to `host` may be sent; else the error, whose text holds the line to paste.
    /// `addresses` are all that it resolved to: one that is not loopback is enough to need leave.
    public func refusal(of host: String, at addresses: [IPAddress]) -> TransportError? {
        refusal(
            of: host, isLoopback: !addresses.isEmpty && addresses.allSatisfy(\.isLoopback),
            because: "is not a loopback address")
    }

    /// The same behind a proxy, which resolves names itself: there `localhost` is this machine only
    /// if the proxy is.
    public func refusal(of host: String, through proxy: String, proxyIsLoopback: Bool)
        -> TransportError?
    {
        let isLiteral = host == "localhost" || IPAddress(host)?.isLoopback == true
        return refusal(
            of: host, isLoopback: isLiteral && proxyIsLoopback,
            because: "is reached through the proxy \(proxy)")
    }

    /// Before a name is looked up: one that only a server has given (a redirect, a form) must be listed,
    /// because the question itself tells others of it, and may tell them anything.
    public func refusal(ofLookingUp host: String) -> TransportError? {
        let name = Self.canonical(host)
        guard name != "localhost", IPAddress(host) == nil, !named.contains(name) else { return nil }
        return refusal(
            of: host, isLoopback: false, because: "was named by a server, not by the rig")
    }

    private func refusal(of host: String, isLoopback: Bool, because reason: String)
        -> TransportError?
    {
        let name = Self.canonical(host)
        let byRig = allowedByRig.contains(name)
        let byCommand = allowedByCommand.contains(name)
        if name == Self.productionHost {
            guard !(byRig && byCommand) else { return nil }
            return TransportError(
                .hostNotAllowed,
                "\(name) is the production service; list it under target.allow and pass "
                    + "--allow \(name) as well")
        }
        guard !isLoopback, !byRig, !byCommand else { return nil }
        return TransportError(
            .hostNotAllowed,
            "\(name) \(reason); list it under target.allow or pass --allow \(name)")
    }

    private static func canonical(_ host: String) -> String {
        let name = host.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
