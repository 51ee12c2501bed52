internal import CCurl
internal import Lanes

/// One libcurl multi with the connections that are being made in it: at most about 100, because some
/// of what libcurl 7.88 does in a multi grows with their number.
final class Dock {
    private var motor: Motor!
    private(set) var dials: [Dial] = []

    init(lane: Lane, connections: ConnectionTable, capacity: Int) throws(WireError) {
        // Above the live connections, or libcurl closes the oldest.
        motor = try Motor(
            lane: lane, connections: connections, maximumConnections: 2 * capacity + 10
        ) { owner, code in
            Unmanaged<Dial>.fromOpaque(owner).takeUnretainedValue().ended(code)
        }
    }

    /// Begins to connect. False when libcurl is out of memory.
    func take(_ dial: Dial) -> Bool {
        motor.start(dial.easy) {
            dial.position = dials.count
            dials.append(dial)
        }
    }

    /// Stops making the connection, or lets go of it.
    func drop(_ dial: Dial) {
        motor.remove(dial.easy)
        let last = dials.removeLast()
        if last !== dial {
            dials[dial.position] = last
            last.position = dial.position
        }
    }
}
