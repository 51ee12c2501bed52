public import Dialects

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

    public enum Proxy: Sendable, Hashable {
        case none, environment
        case url(String)
    }

    public enum TLSVersion: String, Sendable, CaseIterable {
        case v12 = "1.2"
        case v13 = "1.3"
    }

    public struct TLS: Sendable, Hashable {
        public var verifies: Bool
        /// PEM file, added to the system's roots, or alone with `caOnly`.
        public var ca: String?
        public var caOnly: Bool
        public var certificate: String?
        public var key: String?
        public var minimum: TLSVersion

        public init(
            verifies: Bool = true, ca: String? = nil, caOnly: Bool = false,
            certificate: String? = nil,
            key: String? = nil, minimum: TLSVersion = .v12
        ) {
            self.verifies = verifies
            self.ca = ca
            self.caOnly = caOnly
            self.certificate = certificate
            self.key = key
            self.minimum = minimum
        }
    }

    public enum HTTPVersion: String, Sendable, CaseIterable {
        case http1 = "1.1"
        case http2 = "2"
    }
    /// Who speaks HTTP.
    public enum Engine: String, Sendable, CaseIterable { case auto, direct, multi }

    public var base: Base
    public var protocolName: ProtocolName
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
    public var http: HTTPVersion
    public var engine: Engine
    public var format: DocumentFormat
    public var timeout: Duration
    /// Bytes of a response's body.
    public var responseLimit: Int
    public var maxHops: Int
    public var proxy: Proxy
    public var tls: TLS
    public var correlates: Bool
    /// Whether a preflight finds out what the service throttles by; nil: off loopback only.
    public var probes: Bool?

    public init(
        base: Base, protocolName: ProtocolName = .usual, requestor: String = "DEMOTV",
        domain: String = "demo.test", redirectURL: String = "https://demo.test/done",
        mvpds: [WeightedProvider] = [], resources: [String] = ["demo-1"],
        softwareStatement: Secret? = nil, clients: ClientRegistration = .perDevice,
        usesBearer: Bool = true,
        allow: [String] = [], headers: Headers = [:], http: HTTPVersion = .http1,
        engine: Engine = .auto,
        format: DocumentFormat = .json, timeout: Duration = .seconds(10),
        responseLimit: Int = 1_000_000,
        maxHops: Int = 20, proxy: Proxy = .none, tls: TLS = TLS(), correlates: Bool = true,
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

    /// As whom households ask, unless their kind says otherwise.
    public var application: Application {
        Application(
            protocolName: protocolName, requestor: requestor, softwareStatement: softwareStatement)
    }

    /// Whether a run begins with a preflight. The embedded target says itself what it throttles by.
    public func probes(isNear: Bool) -> Bool {
        if case .embedded = base { return false }
        return probes ?? !isNear
    }
}
