internal import CCurl
internal import Dialects
internal import Journal
internal import Lanes

/// One libcurl multi and the exchanges it carries. At most about 100 devices, because libcurl 7.88
/// walks all connections of a multi for each request.
final class Shard {
    private var motor: Motor!
    private var underWay: [Carrier] = []

    /// Places taken.
    var seats = 0
    /// Names that libcurl may forget at the next opportunity.
    private var forgotten: [String] = []

    init(lane: Lane, connections: ConnectionTable, maximumConnections: Int) throws(WireError) {
        motor = try Motor(
            lane: lane, connections: connections, maximumConnections: maximumConnections
        ) { [unowned self] owner, code in
            ended(Unmanaged<Carrier>.fromOpaque(owner).takeUnretainedValue(), code)
        }
    }

    // MARK: Transfers

    /// Starts what the carrier has taken up: the request is on its way, or even answered, when this
    /// returns.
    func start(_ carrier: Carrier) -> Bool {
        motor.start(carrier.easy) {
            carrier.position = underWay.count
            underWay.append(carrier)
        }
    }

    /// Ends everything under way, or only what is of one seat.
    func stop(_ error: TransportError, only seat: Seat? = nil) {
        for carrier in underWay where seat == nil || carrier.seat === seat {
            remove(carrier)
            deliver(carrier, carrier.stop(error))
        }
    }

    private func ended(_ carrier: Carrier, _ code: CURLcode) {
        remove(carrier)
        if carrier.beginsAgain(), start(carrier) { return }
        deliver(carrier, carrier.finish(code))
    }

    private func remove(_ carrier: Carrier) {
        motor.remove(carrier.easy)
        let last = underWay.removeLast()
        if last !== carrier {
            underWay[carrier.position] = last
            last.position = carrier.position
        }
    }

    private func deliver(_ carrier: Carrier, _ end: (errand: Errand, transfer: Transfer)?) {
        carrier.leave()?.idle.append(carrier)
        if let (errand, transfer) = end { errand.completion(transfer) }
    }

    // MARK: Names

    /// A device is gone; its names need not be remembered.
    func forget(_ names: [String]) { forgotten += names }

    func takeForgotten() -> [String] {
        defer { forgotten = [] }
        return forgotten
    }
}
