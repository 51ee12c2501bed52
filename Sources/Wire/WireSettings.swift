/// How requests travel: the part of a rig's `target:` and `connections:` that concerns the wire.
/// The executable fills it in, so that `Wire` knows no rigs.
public struct WireSettings: Sendable, Hashable {
    /// Who may use a connection (rigs/reference.yaml, `connections:`).
    public enum Connections: Sendable, Hashable {
        /// Each device has its own, as real screens have.
        case perDevice
        /// Any free one: fewer descriptors, no identity.
        case pooled
        /// A new one for each request; exhausts the ports of an address at about 470/s.
        case fresh
    }

    /// Who speaks HTTP (rigs/reference.yaml, `engine:`).
    public enum Engine: Sendable, Hashable {
        /// `direct` wherever it can be.
        case auto
        /// Our own HTTP/1.1 over connections that libcurl makes; a proxy for plain HTTP and HTTP/2
        /// are left to libcurl all the same.
        case direct
        /// All of libcurl.
        case multi
    }

    public enum Version: Sendable, Hashable {
        case http1
        /// By ALPN over TLS, by prior knowledge without.
        case http2
    }

    public enum Proxy: Sendable, Hashable {
        /// The default: the environment is not looked at.
        case none
        /// `http_proxy`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`, read once.
        case environment
        case url(String)
    }

    /// What is trusted and shown in a TLS handshake.
    public struct TLS: Sendable, Hashable {
        public enum Version: Sendable, Hashable { case v12, v13 }
        public var verifies: Bool
        /// A PEM file, added to the system's roots, or alone with `caOnly`.
        public var ca: String?
        public var caOnly: Bool
        /// PEM file of the client's certificate.
        public var certificate: String?
        /// PEM file of its key; nil when the certificate's file holds it.
        public var key: String?
        public var minimum: Version

        public init(
            verifies: Bool = true, ca: String? = nil, caOnly: Bool = false,
            certificate: String? = nil, key: String? = nil, minimum: Version = .v12
        ) {
            self.verifies = verifies
            self.ca = ca
            self.caOnly = caOnly
            self.certificate = certificate
            self.key = key
            self.minimum = minimum
        }
    }

    public var connections: Connections
    public var http: Version
    public var engine: Engine
    /// Local addresses to send from, one for each device; nil leaves it to the system.
    public var sources: SourceAddresses?
    public var tls: TLS
    /// For a whole exchange, name and connection included.
    public var timeout: Duration
    /// For making a connection; nil leaves it to `timeout`.
    public var connectTimeout: Duration?
    /// Bytes of a response's body that are accepted.
    public var responseLimit: Int
    public var proxy: Proxy
    public var permission: Permission
    public var pinned: [PinnedAddresses]
    /// Devices that share one libcurl multi. Its costs grow with the connections in it;
    /// about 100 keep them flat.
    package var shardSize = 100

    public init(
        connections: Connections = .perDevice, http: Version = .http1, engine: Engine = .auto,
        sources: SourceAddresses? = nil, tls: TLS = TLS(),
        timeout: Duration = .seconds(10), connectTimeout: Duration? = nil,
        responseLimit: Int = 1_000_000, proxy: Proxy = .none, permission: Permission = Permission(),
        pinned: [PinnedAddresses] = []
    ) {
        self.connections = connections
        self.http = http
        self.engine = engine
        self.sources = sources
        self.tls = tls
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.responseLimit = responseLimit
        self.proxy = proxy
        self.permission = permission
        self.pinned = pinned
    }
}
