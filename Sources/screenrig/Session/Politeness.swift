internal import Journal
internal import Lanes
internal import Rigs
internal import Wire

/// How a rig's courtesy comes to the lanes and to the wire.
enum Politeness {
    /// `isNear`: the target is on this machine, or in this process.
    static func ceilings(_ courtesy: Courtesy, isNear: Bool) -> Ceilings {
        Ceilings(
            perSecond: courtesy.ceiling(onLoopback: isNear)?.perSecond,
            perHost: Dictionary(
                courtesy.hostRates.map { ($0.host, $0.rate.perSecond) }, uniquingKeysWith: min),
            connections: isNear ? nil : .usual)
    }

    static func breaker(_ courtesy: Courtesy, isNear: Bool) -> Breaker? {
        courtesy.breaker(onLoopback: isNear).map { Breaker(above: $0.errors, for: $0.lasting) }
    }

    static func pinned(_ hosts: [PinnedHost]) -> [PinnedAddresses] {
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

/// The breaker of a run in virtual time, which no clock on the wall can watch: it looks each second
/// of the lane's own time. Lives on the lane's thread.
final class VirtualBreaker {
    private var breaker: Breaker
    private unowned let lane: Lane
    private let onTrip: (Breaker.Trip) -> Void

    init(_ breaker: Breaker, on lane: Lane, onTrip: @escaping (Breaker.Trip) -> Void) {
        self.breaker = breaker
        self.lane = lane
        self.onTrip = onTrip
    }

    /// Before the lane runs; its timers keep the breaker.
    func begin() {
        lane.at(lane.now + .seconds(1)) { [self] in
            let ended = lane.ended
            if let trip = breaker.look(
                at: lane.now, ended: ended.exchanges, errors: ended.errors)
            {
                onTrip(trip)
            } else {
                begin()
            }
        }
    }
}
