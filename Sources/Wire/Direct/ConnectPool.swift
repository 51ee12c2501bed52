internal import CCurl
internal import Lanes

/// One libcurl multi with the connections that are being made in it: at most about 100, because some
/// of what libcurl 7.88 does in a multi grows with their number.
final class ConnectPool {
    private var driver: MultiDriver!
    private(set) var connectors: [Connector] = []

    init(lane: Lane, connections: ConnectionTable, capacity: Int) throws(WireError) {
        // Above the live connections, or libcurl closes the oldest.
        driver = try MultiDriver(
            lane: lane, connections: connections, maximumConnections: 2 * capacity + 10
        ) { owner, code in
            Unmanaged<Connector>.fromOpaque(owner).takeUnretainedValue().ended(code)
        }
    }

    /// Begins to connect. False when libcurl is out of memory.
    func take(_ connector: Connector) -> Bool {
        driver.start(connector.easy) {
            connector.position = connectors.count
            connectors.append(connector)
        }
    }

    /// Stops making the connection, or lets go of it.
    func drop(_ connector: Connector) {
        driver.remove(connector.easy)
        let last = connectors.removeLast()
        if last !== connector {
            connectors[connector.position] = last
            last.position = connector.position
        }
    }
}
