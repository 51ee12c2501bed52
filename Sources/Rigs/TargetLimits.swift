public import Vocabulary

/// What a target may be burdened with: terms of `target:` that protect a service that is not ours.
public struct TargetLimits: Sendable, Hashable {
    /// A limit that has a default off loopback, and none on it.
    public enum Limit<Value: Sendable & Hashable>: Sendable, Hashable {
        /// The rig says nothing: `usual` off loopback, none on it.
        case usual
        case none
        case at(Value)
    }

    /// When a run is stopped because it does harm.
    public struct BreakerLimits: Sendable, Hashable {
        /// Share of errors among what ended, 0 to 1.
        public var errors: Double
        /// How long the share must stay above.
        public var lasting: Duration

        public init(errors: Double = 0.5, lasting: Duration = .seconds(10)) {
            self.errors = errors
            self.lasting = lasting
        }
    }

    /// A ceiling of requests to one host of `allow:`.
    public struct HostRate: Sendable, Hashable {
        public var host: String
        public var rate: Rate

        public init(host: String, rate: Rate) {
            self.host = host
            self.rate = rate
        }
    }

    /// The default ceiling off loopback (rigs/reference.yaml, `max-rate`).
    public static let usualRate = Rate(perSecond: 20)

    /// Requests of the whole run.
    public var maxRate: Limit<Rate>
    public var breaker: Limit<BreakerLimits>
    public var hostRates: [HostRate]

    public init(
        maxRate: Limit<Rate> = .usual, breaker: Limit<BreakerLimits> = .usual,
        hostRates: [HostRate] = []
    ) {
        self.maxRate = maxRate
        self.breaker = breaker
        self.hostRates = hostRates
    }

    /// What holds a run back whose target is, or is not, on this machine.
    public func rates(onLoopback: Bool) -> RateLimits {
        RateLimits(
            perSecond: ceiling(onLoopback: onLoopback)?.perSecond,
            perHost: Dictionary(
                hostRates.map { ($0.host, $0.rate.perSecond) }, uniquingKeysWith: min),
            connections: onLoopback ? nil : .usual)
    }

    /// The ceiling that holds for a target that is, or is not, on this machine.
    public func ceiling(onLoopback: Bool) -> Rate? {
        maxRate.value(onLoopback ? nil : Self.usualRate)
    }

    /// The breaker that holds for a target that is, or is not, on this machine.
    public func breaker(onLoopback: Bool) -> BreakerLimits? {
        breaker.value(onLoopback ? nil : BreakerLimits())
    }
}

extension TargetLimits.Limit {
    fileprivate func value(_ usual: Value?) -> Value? {
        switch self {
        case .usual: usual
        case .none: nil
        case .at(let value): value
        }
    }
}

/// Addresses that a rig pins to a host, instead of asking the system for its name.
public struct PinnedHost: Sendable, Hashable {
    /// Lower case.
    public var host: String
    /// Literal addresses, at least one.
    public var addresses: [String]
    public var spread: TransportOptions.Spread

    public init(host: String, addresses: [String], spread: TransportOptions.Spread = .household) {
        self.host = host
        self.addresses = addresses
        self.spread = spread
    }
}
