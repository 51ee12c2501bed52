internal import Dialects
internal import Glibc
internal import Journal
internal import Lanes

/// Speaks HTTP/1.1 itself over connections that libcurl makes: names, TCP, TLS, verification and
/// proxy tunnels are libcurl's, requests and answers ours. Half the cost of letting libcurl do both
/// (performance.md, A), stamps next to the system call, and a connection of its own for each device.
final class DirectEngine {
    /// Safe because the transport owns the engine.
    unowned(unsafe) let transport: CurlTransport
    let loop: LiveLoop
    let settings: WireSettings
    /// Where the next request is written; given away with a request that could not be sent at once.
    private(set) var outbox = RequestBuffer()
    /// Where answers are received; what is in it belongs to one call of `Link.receive`.
    let inbox: UnsafeMutableRawBufferPointer

    private var readers: [AnswerReader] = []
    private var docks: [Dock] = []
    /// The connections of everybody: `pooled`.
    private let common = DeviceLinks()

    /// When the next look for late exchanges is due; nil when nothing is under way.
    private var sweepDue: Int64?
    private let timeout: Int64
    private let sweepEvery: Int64

    init(_ transport: CurlTransport, loop: LiveLoop) {
        self.transport = transport
        self.loop = loop
        settings = transport.settings
        timeout = Instant(settings.timeout).nanoseconds
        sweepEvery = max(1_000_000, timeout / 100)
        inbox = .allocate(byteCount: 65536, alignment: 16)
    }

    deinit { inbox.deallocate() }

    var now: Instant { loop.now }

    // MARK: Exchanges

    /// Sends over a connection that is there and free. False when there is none. Permission was
    /// asked for when it was made.
    func sendOverKept(
        _ call: Call, from device: Device, completion: @escaping (Transfer) -> Void
    ) -> Bool {
        guard let links = links(of: device)?.existing(to: call.address.origin),
            let link = links.idle.popLast()
        else { return false }
        outbox.write(call, authority: links.authority)
        link.send(outbox, begun: loop.now, completion: completion)
        return true
    }

    /// Makes a connection and sends over it.
    func carry(
        _ errand: Errand, _ proxy: ProxyRoute.Proxy?, _ addresses: [IPAddress]
    ) throws(WireError) {
        let origins = makeLinks(of: errand.device).links(to: errand.origin)
        outbox.write(errand.call, authority: origins.authority)
        // One may have become free while the name was looked for, or lead to the pinned address.
        if let free = origins.idle.lastIndex(where: { $0.addresses == addresses }) {
            return origins.idle.remove(at: free).send(
                outbox, begun: errand.began, completion: errand.completion)
        }
        let link =
            if let spare = origins.spare.popLast() { spare } else { try Link(self, in: origins) }
        link.prepare(
            RequestBuffer(copying: outbox), begun: errand.began,
            from: settings.sources?.address(of: errand.device.id),
            completion: errand.completion)
        link.open(to: addresses, through: proxy)
    }

    /// The request in the outbox stays where it is; the next one is written elsewhere.
    func giveUpOutbox() { outbox = RequestBuffer() }

    // MARK: Readers

    /// One is enough for all answers that come in one piece; the memory of thousands of idle
    /// connections holds none.
    @inline(__always)
    func lendReader() -> AnswerReader {
        let reader = readers.popLast() ?? AnswerReader(bodyLimit: settings.responseLimit)
        reader.parser.begin()
        return reader
    }

    @inline(__always)
    func takeBack(_ reader: AnswerReader) {
        if readers.count < 16 { readers.append(reader) }
    }

    // MARK: Ends

    func retire(_ links: DeviceLinks) {
        let error = TransportError(.stopped, "the device was switched off")
        for link in links.all.flatMap(\.open) { link.stop(error, closes: true) }
    }

    func abort(_ error: TransportError) {
        for link in docks.flatMap(\.links) { link.stop(error, closes: false) }
    }

    // MARK: Whose connections

    private func links(of device: Device) -> DeviceLinks? {
        settings.connections == .pooled ? common : (device.transportSlot as? Slot)?.links
    }

    private func makeLinks(of device: Device) -> DeviceLinks {
        if settings.connections == .pooled { return common }
        let slot = Slot.of(device)
        if let links = slot.links { return links }
        let links = DeviceLinks()
        slot.links = links
        return links
    }

    // MARK: Docks

    /// One with room for a connection. Those without TLS are smaller: looking through a hundred is a
    /// tenth of what an exchange costs of our own. With TLS, each keeps parsed roots (850 KB); in
    /// any case it costs 30 KB.
    func dock(isTLS: Bool) throws(WireError) -> Dock {
        let capacity = isTLS ? settings.shardSize : min(settings.shardSize, 50)
        let free = docks.last { $0.isTLS == isTLS && $0.links.count < capacity }
        if let free { return free }
        let dock = try Dock(
            lane: transport.lane, connections: transport.connections, capacity: capacity,
            isTLS: isTLS)
        docks.append(dock)
        return dock
    }

    // MARK: Deadlines

    /// The end of the time that an exchange begun at `instant` has. One timer serves all: it looks
    /// through what is under way when the earliest deadline of its last look has come, so an
    /// exchange that ends in time costs nothing.
    @inline(__always)
    func deadline(from instant: Instant) -> Int64 {
        let deadline = instant.nanoseconds &+ timeout
        if sweepDue == nil { arm(deadline) }
        return deadline
    }

    private func arm(_ due: Int64) {
        sweepDue = due
        transport.lane.at(Instant(nanoseconds: due)) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let now = loop.now.nanoseconds
        var late: [Link] = []
        var next = Int64.max
        for dock in docks {
            for link in dock.links where link.deadline != 0 {
                if link.deadline <= now {
                    late.append(link)
                } else {
                    next = min(next, link.deadline)
                }
            }
        }
        sweepDue = nil
        if next != .max { arm(max(next, now + sweepEvery)) }
        for link in late { link.expire() }
    }
}

/// A parser that is lent to one link at a time.
final class AnswerReader {
    var parser: ResponseParser

    init(bodyLimit: Int) { parser = ResponseParser(bodyLimit: bodyLimit) }
}
