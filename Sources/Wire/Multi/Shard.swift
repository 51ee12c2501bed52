internal import CCurl
internal import Dialects
internal import Journal
internal import Lanes

/// One libcurl multi on its lane's loop: readiness in, timers in, finished transfers out. At most
/// about 100 devices, because libcurl 7.88 walks all connections of a multi for each request.
final class Shard: Readiness {
    private let multi: Multi
    private let connections: ConnectionTable
    private unowned let lane: Lane
    private var underWay: [Carrier] = []

    /// Places taken.
    var seats = 0
    /// Names that libcurl may forget at the next opportunity.
    private var forgotten: [String] = []

    /// When libcurl wants to be called, by its own account.
    private var wanted: Instant?
    /// The lane timer that will see to it. Setting one for each change would leave a trail of dead
    /// timers; a later wish waits for the earlier timer and is set then.
    private var armed: Instant?
    private var isActing = false

    init(lane: Lane, connections: ConnectionTable, maximumConnections: Int) throws(WireError) {
        self.lane = lane
        self.connections = connections
        multi = try Multi(connections: connections, maximumConnections: maximumConnections)
        multi.report(to: self)
    }

    var isIdle: Bool { underWay.isEmpty }

    // MARK: Transfers

    /// Starts what the carrier has taken up: the request is on its way, or even answered, when this
    /// returns.
    func start(_ carrier: Carrier) -> Bool {
        guard multi.add(carrier.easy) else { return false }
        carrier.position = underWay.count
        underWay.append(carrier)
        act { $0.actOnTime() }
        return true
    }

    /// Ends everything under way, or only what is of one seat.
    func stop(_ error: TransportError, only seat: Seat? = nil) {
        for carrier in underWay where seat == nil || carrier.seat === seat {
            remove(carrier)
            deliver(carrier, carrier.stop(error))
        }
    }

    private func drain() {
        while let (carrier, code) = multi.nextDone() {
            remove(carrier)
            deliver(carrier, carrier.finish(code))
        }
    }

    private func remove(_ carrier: Carrier) {
        multi.remove(carrier.easy)
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

    // MARK: What libcurl and the loop say

    func watch(_ descriptor: Int32, _ what: Int32) {
        connections.watch(descriptor, what, by: self)
    }

    func ready(_ descriptor: Int32, _ events: Events) {
        var mask: Int32 = 0
        if events.contains(.readable) { mask |= CURL_CSELECT_IN }
        if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if !events.isDisjoint(with: .broken) { mask |= CURL_CSELECT_ERR }
        guard connections.isInUse(descriptor) else {
            connections.unwatch(descriptor)
            return
        }
        act { $0.act(on: descriptor, mask: mask) }
    }

    /// libcurl wants to be called after so many milliseconds; -1: not at all.
    func wants(_ milliseconds: Int) {
        wanted = milliseconds < 0 ? nil : lane.now + .milliseconds(milliseconds)
        if milliseconds != 0 || !isActing { arm() }
    }

    private func arm() {
        guard let wanted, armed.map({ wanted < $0 }) ?? true else { return }
        armed = wanted
        lane.at(wanted) { [weak self] in self?.timerFired(wanted) }
    }

    private func timerFired(_ due: Instant) {
        // Superseded by an earlier one.
        guard armed == due else { return }
        armed = nil
        guard let wanted else { return }
        if wanted > lane.now { arm() } else { act { $0.actOnTime() } }
    }

    /// Does `work`, what libcurl wants done at once after it, and hands out what has ended.
    private func act(_ work: (borrowing Multi) -> Void) {
        isActing = true
        work(multi)
        // libcurl often asks to be called again in 0 ms; a few rounds save a timer each.
        var rounds = 0
        while let wanted, wanted <= lane.now, rounds < 4 {
            self.wanted = nil
            multi.actOnTime()
            rounds += 1
        }
        isActing = false
        arm()
        drain()
    }
}
