internal import Dialects
public import Vocabulary

/// How requests travel: the part of a rig's `target:` and `connections:` that concerns the wire.
/// The executable fills it in, so that `Wire` knows no rigs.
public struct WireSettings: Sendable, Hashable {
    public var connections: TransportOptions.Connections
    public var http: TransportOptions.HTTP
    public var engine: TransportOptions.Engine
    /// Local addresses to send from, one for each device; nil leaves it to the system.
    public var sources: SourceAddresses?
    public var tls: TransportOptions.TLS
    /// For a whole exchange, name and connection included.
    public var timeout: Duration
    /// For making a connection; nil leaves it to `timeout`.
    public var connectTimeout: Duration?
    /// Bytes of a response's body that are accepted.
    public var responseLimit: Int
    public var proxy: TransportOptions.Proxy
    public var permission: Permission
    public var pinned: [PinnedAddresses]
    /// Devices that share one libcurl multi. Its costs grow with the connections in it;
    /// about 100 keep them flat.
    package var shardSize = 100

    public init(
        connections: TransportOptions.Connections = .perDevice,
        http: TransportOptions.HTTP = .http1, engine: TransportOptions.Engine = .auto,
        sources: SourceAddresses? = nil, tls: TransportOptions.TLS = .init(),
        timeout: Duration = .seconds(10), connectTimeout: Duration? = nil,
        responseLimit: Int = 1_000_000, proxy: TransportOptions.Proxy = .none,
        permission: Permission = Permission(),
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

    /// The address of target.resolve that a request goes to; nil where the host is not pinned.
    func pin(of origin: Origin, among addresses: [IPAddress]) -> IPAddress? {
        pinned.contains { $0.host == origin.host } ? addresses.first : nil
    }
}
