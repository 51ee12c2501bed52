import Dialects
import Journal
import Lanes
import TestSupport

/// A service in virtual time that takes `service` for each request, one at a time on each
/// connection, and answers nothing while it is frozen.
final class Stalling: Transport {
    private unowned let lane: Lane
    private let service: Duration
    /// From the first request that is measured.
    private let frozen: Range<Duration>?
    /// Requests that came before the time was taken: one of each caller.
    private let warmUp: Int
    private var requests = 0
    private var origin = Instant.start

    init(lane: Lane, service: Duration, frozen: Range<Duration>?, warmUp: Int) {
        self.lane = lane
        self.service = service
        self.frozen = frozen
        self.warmUp = warmUp
    }

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        requests += 1
        let sent = lane.now
        if requests == warmUp + 1 { origin = sent }
        var ended = sent + service
        if requests > warmUp, let frozen, ended > origin + frozen.lowerBound,
            sent < origin + frozen.upperBound
        {
            // What came in, or was under way, is answered when it thaws.
            ended = origin + frozen.upperBound + service
        }
        lane.at(ended) { [lane] in
            completion(
                Transfer(
                    sent: sent, firstByte: lane.now, ended: lane.now,
                    result: .answered(Reply(status: 200))))
        }
    }

    func retire(_ device: Device) {}
    func abort() {}
}

/// A lane of virtual time for a plain load.
func virtualLane() -> Lane {
    return Lane(
        index: 0, loop: VirtualLoop(),
        exchangeBuilder: ExchangeBuilder(
            run: "test", fingerprinter: Fingerprinter(key: 1)), sink: Nowhere())
}

let plainCall = Call(
    .checkAuthentication, .get,
    WebAddress(origin: Origin(scheme: .http, host: "127.0.0.1"), target: "/"))
