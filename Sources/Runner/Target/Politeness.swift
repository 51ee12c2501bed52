package import Lanes
package import Rigs
package import Wire

/// How a rig's courtesy comes to the lanes and to the wire.
package enum Politeness {
    /// `isNear`: the target is on this machine, or in this process.
    package static func ceilings(_ courtesy: TargetLimits, isNear: Bool) -> RateLimits {
        RateLimits(
            perSecond: courtesy.ceiling(onLoopback: isNear)?.perSecond,
            perHost: Dictionary(
                courtesy.hostRates.map { ($0.host, $0.rate.perSecond) }, uniquingKeysWith: min),
            connections: isNear ? nil : .usual)
    }

    package static func breaker(_ courtesy: TargetLimits, isNear: Bool) -> Breaker? {
        courtesy.breaker(onLoopback: isNear).map { Breaker(above: $0.errors, for: $0.lasting) }
    }

    package static func pinned(_ hosts: [PinnedHost]) -> [PinnedAddresses] {
        hosts.compactMap { host in
            let spread: PinnedAddresses.Spread =
                switch host.spread {
                case .household: .household
                case .screen: .screen
                case .request: .request
                }
            return PinnedAddresses(host: host.host, addresses: host.addresses, spread: spread)
        }
    }
}
