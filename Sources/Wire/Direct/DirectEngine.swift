internal import CCurl
internal import Dialects
internal import Glibc
internal import Journal
internal import Lanes

/// Speaks HTTP/1.1 itself over connections that libcurl makes: TCP, source addresses and proxy tunnels
/// are libcurl's, TLS is libssl's (see `TLSClient`), requests and responses are ours. Half the cost of
/// letting libcurl do it all, the kernel's stamps of what arrives, and a connection of
/// its own for each device.
final class DirectEngine {
    /// Safe because the transport owns the engine.
    unowned(unsafe) let transport: CurlTransport
    let loop: LiveLoop
    let connections: ConnectionTable
    let settings: WireSettings
    /// Where the next request is written; given away with a request that could not be sent at once.
    private(set) var outbox = RequestBuffer()
    /// Where responses are received; what is in it belongs to one call of `Connection.receive`.
    let inbox: UnsafeMutableRawBufferPointer

    private var requests: [InFlightRequest] = []
    private var readers: [ResponseReader] = []
    private var docks: [ConnectPool] = []
    private var connectors: [Connector] = []
    /// Connections being made now, and the most since there were none.
    private var dialling = 0
    private var rush = 0
    /// Every connection that is being made or open, free or not.
    var links = Roster(.engine)
    private var knownTLS: TLSClient?
    /// The connections of everybody: `pooled`.
    private let common = DeviceLinks()

    private let timeout: Int64
    private var deadlines: DeadlineWatch<Connection>!

    init(_ transport: CurlTransport, loop: LiveLoop) {
        self.transport = transport
        self.loop = loop
        connections = transport.connections
        settings = transport.settings
        timeout = Instant(settings.timeout).nanoseconds
        inbox = .allocate(byteCount: 65536, alignment: 16)
        deadlines = DeadlineWatch(
            lane: transport.lane, timeout: settings.timeout,
            of: { [unowned self] in links.connections }, deadline: \.deadline, end: { $0.expire() })
    }

    deinit {
        for link in links.connections { link.abandon() }
        inbox.deallocate()
    }

    var now: Instant { loop.now }

    // MARK: Exchanges

    /// Sends over an idle connection. False when there is none. Permission was checked when it was
    /// made.
    func sendOverKept(
        _ call: Call, from device: Device, gate: ReadyGate? = nil,
        completion: @escaping (Transfer) -> Void
    ) -> Bool {
        guard let links = links(of: device)?.existing(to: call.address.origin),
            let link = links.takeFit()
        else { return false }
        outbox.write(call, authority: links.authority)
        link.send(lendRequest(outbox, begun: loop.now, gate: gate, completion: completion))
        return true
    }

    /// Makes a connection and sends over it.
    func carry(
        _ pendingRequest: PendingRequest, _ proxy: ProxyRoute.Proxy?, _ addresses: [IPAddress]
    ) throws(WireError) {
        let origins = makeLinks(of: pendingRequest.device).links(to: pendingRequest.origin)
        outbox.write(pendingRequest.call, authority: origins.authority)
        // One may have become free while the name was looked for, or lead to the pinned address.
        if !pendingRequest.connectsAnew,
            let free = origins.takeFit(where: { $0.addresses == addresses })
        {
            return free.send(
                lendRequest(
                    outbox, begun: pendingRequest.began, gate: pendingRequest.gate,
                    completion: pendingRequest.completion))
        }
        let link = Connection(
            self, in: origins, to: addresses, through: proxy,
            from: settings.sources?.address(of: pendingRequest.device.id))
        link.connect(
            for: lendRequest(
                RequestBuffer(copying: outbox), begun: pendingRequest.began,
                gate: pendingRequest.gate, completion: pendingRequest.completion))
    }

    /// If the outbox holds `request`, it stays there, and the next one is written elsewhere.
    func giveUpOutbox(to request: InFlightRequest) {
        if request.buffer === outbox { outbox = RequestBuffer() }
    }

    // MARK: Requests and readers

    /// As many as are in flight at the same time.
    @inline(__always)
    private func lendRequest(
        _ buffer: RequestBuffer, begun: Instant, gate: ReadyGate?,
        completion: @escaping (Transfer) -> Void
    ) -> InFlightRequest {
        let request = requests.popLast() ?? InFlightRequest()
        request.begin(buffer, until: deadline(from: begun), gate: gate, completion: completion)
        return request
    }

    /// Takes back a request that has ended, with its reader.
    @inline(__always)
    func takeBack(_ request: InFlightRequest) {
        if let reader = request.reader, readers.count < 16 { readers.append(reader) }
        request.clear()
        requests.append(request)
    }

    /// One is enough for all responses that arrive in one piece; idle connections hold none.
    @inline(__always)
    func lendReader() -> ResponseReader {
        let reader = readers.popLast() ?? ResponseReader(bodyLimit: settings.responseLimit)
        reader.begin()
        return reader
    }

    // MARK: Ends

    func retire(_ links: DeviceLinks) {
        let error = TransportError.switchedOff
        for link in links.all.flatMap(\.open.connections) { link.stop(error, closes: true) }
    }

    func abort(_ error: TransportError) {
        for link in links.connections { link.stop(error, closes: false) }
    }

    // MARK: Connections of a device

    private func links(of device: Device) -> DeviceLinks? {
        settings.connections == .pooled ? common : (device.transportSlot as? EngineSlot)?.links
    }

    private func makeLinks(of device: Device) -> DeviceLinks {
        if settings.connections == .pooled { return common }
        let slot = EngineSlot.of(device)
        if let links = slot.links { return links }
        let links = DeviceLinks()
        slot.links = links
        return links
    }

    // MARK: Making connections

    /// A handle to connect with.
    func lendConnector() throws(WireError) -> Connector {
        let connector = if let free = connectors.popLast() { free } else { try Connector(self) }
        dialling += 1
        rush = max(rush, dialling)
        return connector
    }

    /// A few are kept: as many as would else be made and freed again and again.
    func takeBack(_ connector: Connector) {
        if connectors.count < settings.shardSize { connectors.append(connector) }
        dialling -= 1
        guard dialling == 0 else { return }
        // What thousands of handles used at the same time (10 KB each) goes back to the system; a ramp
        // of connections never comes here.
        if rush >= 500 { heap_give_back() }
        rush = 0
    }

    /// One with room for a connection to be made.
    func connectPool() throws(WireError) -> ConnectPool {
        if let free = docks.last(where: { $0.connectors.count < settings.shardSize }) {
            return free
        }
        let connectPool = try ConnectPool(
            lane: transport.lane, connections: connections, capacity: settings.shardSize)
        docks.append(connectPool)
        return connectPool
    }

    /// Made for the first connection that needs it: roots are parsed then (20 ms).
    func tls() throws(LineFault) -> TLSClient {
        if let knownTLS { return knownTLS }
        let made = try TLSClient(settings.tls, trust: transport.trust)
        knownTLS = made
        return made
    }

    // MARK: Deadlines

    /// When a request begun at `instant` times out.
    @inline(__always)
    func deadline(from instant: Instant) -> Int64 {
        let deadline = instant.nanoseconds &+ timeout
        deadlines.note(deadline)
        return deadline
    }

    /// When an attempt to connect that began at `instant` times out, for a request that does at
    /// `limit`.
    func connectDeadline(from instant: Instant, until limit: Int64) -> Int64 {
        guard let patience = settings.connectTimeout else { return limit }
        let deadline = min(limit, Instant(patience).nanoseconds &+ instant.nanoseconds)
        deadlines.note(deadline)
        return deadline
    }
}
