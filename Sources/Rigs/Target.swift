public import Dialects
public import Vocabulary

/// The service under test, as a rig describes it.
public struct Target: Sendable, Hashable {
    public enum Base: Sendable, Hashable {
        /// The stand-in, started for this run.
        case embedded
        /// Origin, and a path prefix without trailing slash (often empty).
        case remote(Origin, prefix: String)
    }

    /// A provider to sign in with, and its share of the households.
    public struct WeightedProvider: Sendable, Hashable {
        public var id: String
        public var weight: Int

        public init(id: String, weight: Int) {
            self.id = id
            self.weight = weight
        }
    }

    public enum ClientRegistration: Sendable, Hashable {
        case perDevice, shared
        case given(ClientCredentials)
    }

    public enum Format: String, Sendable, CaseIterable { case json, xml }

    public var base: Base
    /// The name of a dialect.
    public var protocolName: String
    public var requestor: String
    public var domain: String
    public var redirectURL: String
    /// The page where a login ends is asked for as well.
    public var fetchesRedirect: Bool
    /// Empty: what the configuration offers, with equal weights.
    public var mvpds: [WeightedProvider]
    public var resources: [String]
    /// Nil: one signed with the demo key of the stand-in.
    public var softwareStatement: Secret?
    public var clients: ClientRegistration
    public var usesBearer: Bool
    /// Host names, lower case, that hops may reach beside loopback.
    public var allow: [String]
    public var courtesy: TargetLimits
    /// In the order of the file.
    public var pinned: [PinnedHost]
    public var headers: Headers
    public var http: TransportOptions.HTTP
    public var engine: TransportOptions.Engine
    public var format: Format
    public var timeout: Duration
    /// Bytes of a response's body.
    public var responseLimit: Int
    public var maxHops: Int
    public var proxy: TransportOptions.Proxy
    public var tls: TransportOptions.TLS
    public var correlates: Bool
    /// Whether a preflight finds out what the service throttles by; nil: off loopback only.
    public var probes: Bool?

    public init(
        base: Base, protocolName: String = "adobe-pass-v1", requestor: String = "DEMOTV",
        domain: String = "demo.test", redirectURL: String = "https://demo.test/done",
        mvpds: [WeightedProvider] = [], resources: [String] = ["demo-1"],
        softwareStatement: Secret? = nil, clients: ClientRegistration = .perDevice,
        usesBearer: Bool = true,
        allow: [String] = [], headers: Headers = [:], http: TransportOptions.HTTP = .http1,
        engine: TransportOptions.Engine = .auto,
        format: Format = .json, timeout: Duration = .seconds(10), responseLimit: Int = 1_000_000,
        maxHops: Int = 20, proxy: TransportOptions.Proxy = .none,
        tls: TransportOptions.TLS = .init(), correlates: Bool = true,
        courtesy: TargetLimits = TargetLimits(), pinned: [PinnedHost] = [],
        fetchesRedirect: Bool = false, probes: Bool? = nil
    ) {
        self.base = base
        self.protocolName = protocolName
        self.requestor = requestor
        self.domain = domain
        self.redirectURL = redirectURL
        self.mvpds = mvpds
        self.resources = resources
        self.softwareStatement = softwareStatement
        self.clients = clients
        self.usesBearer = usesBearer
        self.allow = allow
        self.courtesy = courtesy
        self.pinned = pinned
        self.headers = headers
        self.http = http
        self.engine = engine
        self.format = format
        self.timeout = timeout
        self.responseLimit = responseLimit
        self.maxHops = maxHops
        self.proxy = proxy
        self.tls = tls
        self.correlates = correlates
        self.fetchesRedirect = fetchesRedirect
        self.probes = probes
    }

    /// Whether a run begins with a preflight. The embedded target says itself what it throttles by.
    public func probes(isNear: Bool) -> Bool {
        if case .embedded = base { return false }
        return probes ?? !isNear
    }
}
