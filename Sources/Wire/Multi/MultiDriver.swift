internal import CCurl
internal import Journal
internal import Lanes

/// Keeps one libcurl multi going on its lane's loop: readiness in, timers in, finished transfers out.
final class MultiDriver: Readiness {
    private let multi: Multi
    private let connections: ConnectionTable
    private unowned let lane: Lane
    /// Gets what a finished handle has as its private pointer.
    private let onEnd: (UnsafeMutableRawPointer, CURLcode) -> Void

    /// When libcurl wants to be called, by its own account.
    private var wanted: Instant?
    /// The lane timer that will see to it. Setting one for each change would leave a trail of dead
    /// timers; a later wish waits for the earlier timer and is set then.
    private var armed: Instant?
    private var isActing = false
    /// What libcurl has just read, while that is handed out.
    private var read: UnreadBytes?

    init(
        lane: Lane, connections: ConnectionTable, maximumConnections: Int,
        onEnd: @escaping (UnsafeMutableRawPointer, CURLcode) -> Void
    ) throws(WireError) {
        self.lane = lane
        self.connections = connections
        self.onEnd = onEnd
        multi = try Multi(connections: connections, maximumConnections: maximumConnections)
        multi.report(to: self)
    }

    /// Starts a transfer: the request is on its way, or even answered, when this returns. False when
    /// libcurl is out of memory. `hasBegun` is called between the two.
    func start(_ easy: borrowing Easy, _ hasBegun: () -> Void = {}) -> Bool {
        guard multi.add(easy) else { return false }
        hasBegun()
        act { $0.actOnTime() }
        return true
    }

    /// Ends a transfer. Closes the connection of one that only connected.
    func remove(_ easy: borrowing Easy) { multi.remove(easy) }

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
        act(events.contains(.readable) ? connections.unread(descriptor) : nil) {
            $0.act(on: descriptor, mask: mask)
        }
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
    private func act(_ unread: UnreadBytes? = nil, _ work: (borrowing Multi) -> Void) {
        // Called for what has ended: of that the stamp is known as before, if nothing has come since.
        let outer = read
        outer?.forget()
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
        unread?.confirm()
        read = unread
        while let (owner, code) = multi.nextDone() { onEnd(owner, code) }
        unread?.forget()
        outer?.confirm()
        read = outer
    }
}
