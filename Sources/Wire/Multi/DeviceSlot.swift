internal import CCurl
internal import Dialects

/// A device's place in a shard: the names its connections go by, its idle handles, its open
/// connections. Under `pooled` and `fresh` one slot serves a whole lane.
final class DeviceSlot {
    let shard: Shard
    /// Unique on the lane. Nil when connections are anybody's, or the multi is the device's alone.
    private let number: Int?
    var idle: [TransferHandle] = []
    var connections: [TCPConnection] = []
    private var ways: [(origin: Origin, way: OriginRoute)] = []

    init(shard: Shard, number: Int?) {
        self.shard = shard
        self.number = number
    }

    /// How this device reaches `origin`.
    func way(to origin: Origin) -> OriginRoute {
        if let known = ways.first(where: { $0.origin == origin }) { return known.way }
        let alias = number.map { "d\($0)-\(ways.count).screenrig.invalid" }
        let way = OriginRoute(to: origin, alias: alias)
        ways.append((origin, way))
        return way
    }

    /// As far as one can tell: it went there, and has a connection.
    func isConnected(to origin: Origin) -> Bool {
        !connections.isEmpty && ways.contains { $0.origin == origin }
    }

    var allWays: [OriginRoute] { ways.map(\.way) }
}

/// How one device reaches one origin inside libcurl.
///
/// libcurl shares a connection between all handles that go to the same host. To keep devices apart
/// within one multi, each goes to a host of its own making: `CONNECT_TO` sends it there, `RESOLVE`
/// says that this host has the address of the real one. `Host`, SNI and verification stay those of
/// the real host, and libcurl looks up connections by the alias.
final class OriginRoute {
    let origin: Origin
    /// Ends in `.invalid` (RFC 6761, 6.4): were it ever asked for, no server knows it.
    let alias: String?
    /// For `CURLOPT_CONNECT_TO`.
    let connectTo: UnsafeMutablePointer<curl_slist>?
    /// What libcurl was last told about the name.
    var told: [IPAddress]?

    init(to origin: Origin, alias: String?) {
        self.origin = origin
        self.alias = alias
        connectTo = alias.flatMap { curl_slist_append(nil, "::\($0):") }
    }

    deinit { curl_slist_free_all(connectTo) }

    /// The name that libcurl has to know the addresses of, with its port.
    var resolvedName: String? {
        if let alias { return "\(alias):\(origin.port)" }
        return IPAddress(origin.host) == nil ? "\(origin.host):\(origin.port)" : nil
    }
}
