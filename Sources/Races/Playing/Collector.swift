internal import Journal
internal import Lanes

/// Gathers the exchanges of a lane by household, until somebody takes them. On its lane.
final class Collector {
    private var exchanges: [Int: [Exchange]] = [:]

    /// Before the lane runs.
    static func watch(_ lane: Lane) -> OnLane<Collector> {
        let collector = Collector()
        lane.observe { _, _, answered in
            let exchange = answered.exchange
            collector.exchanges[exchange.device.household, default: []].append(exchange)
        }
        return OnLane(collector, lane)
    }

    /// In the order in which they ended.
    func take(_ households: [Int]) -> [Exchange] {
        households.flatMap { exchanges.removeValue(forKey: $0) ?? [] }
    }
}
