public import Dialects
internal import Journal
public import Lanes
public import Statistics

/// How far apart two requests leave that are to race: over two warm connections of one lane, held back
/// but for their last bytes, which are released in one turn, again and again, as a race does. The stamps
/// are those that the transport takes before the last byte.
///
/// Safe because everything but the initializer runs on the lane's thread, or before and after the
/// lane runs.
public final class GateSpread: @unchecked Sendable {
    /// Between the two sends of a pair.
    public private(set) var spread = Histogram()
    public private(set) var isOver = false

    private let lane: Lane
    private let transport: any Transport
    private let call: Call
    private let devices: [Device]
    private var left: Int
    private var isWarm = false
    private var sent: [Instant] = []
    private var held: [Held] = []
    private static let looksAtMost = 10_000
    private var underWay = 0
    private let limit: Duration
    /// When the last pair may begin.
    private var latest: Instant = .distantFuture

    /// `pairs` of them, on a lane that has nothing else to do; fewer where they would take longer than
    /// `limit`, as they do with a service that answers slowly.
    public init(
        _ call: Call, pairs: Int, within limit: Duration = .seconds(5), on lane: Lane,
        over transport: any Transport
    ) {
        self.limit = limit
        self.call = call
        self.lane = lane
        self.transport = transport
        left = pairs
        let dialect = Device.plainDialect(for: call)
        devices = [-1, -2].map { Device(plain: $0, dialect) }
    }

    /// Opens the two connections. On the lane's thread, before it runs.
    public func begin() {
        latest = lane.now + limit
        if left == 0 { isOver = true } else { release() }
    }

    /// Holds both back at the gate, and lets their last bytes go.
    private func release() {
        sent = []
        held = []
        underWay = devices.count
        for device in devices {
            transport.hold(call, from: device) { [self] gate in
                held.append(gate)
                if held.count == devices.count { letGo() }
            } completion: { [self] transfer in
                if case .answered = transfer.result, let instant = transfer.sent {
                    sent.append(instant)
                }
                underWay -= 1
                if underWay == 0 { ended() }
            }
        }
    }

    /// By a timer: all pairs go alike, in a turn of their own, and after a short spin, as a precise gate
    /// does: a core that has just been woken takes its time.
    private func letGo() {
        let due = lane.now + .microseconds(300)
        lane.at(lane.now + .microseconds(200)) { [self] in
            // In virtual time nothing passes while one looks at the clock.
            var looks = 0
            while lane.now < due, looks < Self.looksAtMost { looks += 1 }
            transport.release(held)
        }
    }

    /// The first pair makes the connections, and is not counted.
    private func ended() {
        guard sent.count == devices.count, left > 0, lane.now < latest else {
            isOver = true
            return
        }
        if isWarm {
            left -= 1
            let apart = sent[1] - sent[0]
            spread.record(max(apart, .zero - apart).nanoseconds)
        }
        isWarm = true
        // By a timer, so that pairs do not nest.
        lane.at(lane.now) { [self] in release() }
    }
}
