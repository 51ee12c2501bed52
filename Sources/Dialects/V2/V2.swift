/// Adobe Pass REST V2 as devices speak it (rest-v2.md). Endpoint ids in comments (S1, P3 ...) are those of
/// its § 2.
public struct V2: Dialect {
    /// Origin of all paths.
    public let origin: Origin
    /// Before every path; usually empty.
    public let prefix: String
    /// `sp` of the page: V1's requestor.
    public let serviceProvider: String
    /// `domainName` of S1 and S2.
    public let domain: String
    /// Where the browser comes back to.
    public let redirectURL: String

    public init(
        origin: Origin, prefix: String = "", serviceProvider: String, domain: String,
        redirectURL: String
    ) {
        self.origin = origin
        self.prefix = prefix
        self.serviceProvider = serviceProvider
        self.domain = domain
        self.redirectURL = redirectURL
    }

    public var name: String { "adobe-pass-v2" }

    public func read(_ reply: Reply, to call: Call) -> Reading { Reading(.malformed, .fault) }
}
