internal import Dialects
internal import Journal
internal import Lanes

/// Gathers the exchanges of a lane by household, until somebody takes them. On its lane.
final class Collector {
    /// An exchange, and where it was sent.
    struct Sent: Sendable {
        var exchange: Exchange
        var method: Method
        var address: WebAddress
        var gate: OutputGate

        var request: Case.Request {
            Case.Request(
                method: method.rawValue,
                url: gate.address(address.origin.description + address.target))
        }
    }

    private var sent: [Int: [Sent]] = [:]

    /// Before the lane runs.
    static func watch(_ lane: Lane) -> OnLane<Collector> {
        let collector = Collector()
        lane.observe { call, _, answered, gate in
            let exchange = answered.exchange
            collector.sent[exchange.device.household, default: []].append(
                Sent(exchange: exchange, method: call.method, address: call.address, gate: gate))
        }
        return OnLane(collector, lane)
    }

    /// In the order in which they ended.
    func take(_ households: [Int]) -> [Sent] {
        households.flatMap { sent.removeValue(forKey: $0) ?? [] }
    }
}
