internal import CCurl
internal import Lanes

/// One libcurl multi with the connections made in it. At most about 100: libcurl 7.88 looks through
/// all of them at each `curl_easy_send` and `curl_easy_recv` (performance.md, C).
final class Dock {
    private var motor: Motor!
    private(set) var links: [Link] = []
    let isTLS: Bool

    init(
        lane: Lane, connections: ConnectionTable, capacity: Int, isTLS: Bool
    ) throws(WireError) {
        self.isTLS = isTLS
        // Above the live connections, or libcurl closes the oldest.
        motor = try Motor(
            lane: lane, connections: connections, maximumConnections: 2 * capacity + 10
        ) { owner, code in
            Unmanaged<Link>.fromOpaque(owner).takeUnretainedValue().connected(code)
        }
    }

    /// Begins to connect. False when libcurl is out of memory.
    func take(_ link: Link) -> Bool {
        motor.start(link.easy) {
            link.position = links.count
            links.append(link)
        }
    }

    /// Closes the connection, or stops making it.
    func drop(_ link: Link) {
        motor.remove(link.easy)
        let last = links.removeLast()
        if last !== link {
            links[link.position] = last
            last.position = link.position
        }
    }
}
