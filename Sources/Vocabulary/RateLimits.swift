/// How fast requests may leave (rigs/reference.yaml, `max-rate`): of the run, of some hosts, and of new
/// connections. Pure values; a lane has an equal part of each.
public struct RateLimits: Sendable, Hashable {
    /// Requests per second; nil: no ceiling.
    public var perSecond: Double?
    /// The same for single hosts, by name in lower case.
    public var perHost: [String: Double]
    public var connections: ConnectionRamp?

    public init(
        perSecond: Double? = nil, perHost: [String: Double] = [:],
        connections: ConnectionRamp? = nil
    ) {
        self.perSecond = perSecond
        self.perHost = perHost
        self.connections = connections
    }

    /// What one of so many lanes may do: together they never do more than the whole.
    public func part(of lanes: Int) -> RateLimits {
        let share = Double(lanes)
        return RateLimits(
            perSecond: perSecond.map { $0 / share }, perHost: perHost.mapValues { $0 / share },
            connections: connections.map {
                ConnectionRamp(from: $0.first / share, growth: $0.growth / share)
            })
    }

    /// Whether there is anything to hold a request back for.
    public var holdsBack: Bool { perSecond != nil || !perHost.isEmpty || connections != nil }
}

/// New connections come slowly at first: a load balancer that is struck by all devices at once fails
/// for reasons that no evening has.
public struct ConnectionRamp: Sendable, Hashable {
    /// Per second, when the run begins.
    public var first: Double
    /// By which it grows each second.
    public var growth: Double

    /// Off loopback: 10/s, and 10/s more with every second.
    public static let usual = ConnectionRamp(from: 10, growth: 10)

    public init(from first: Double, growth: Double) {
        self.first = first
        self.growth = growth
    }
}
