internal import CCurl
public import Dialects
internal import Glibc
internal import Journal
public import Lanes

/// Carries the calls of one live lane over libcurl: no thread for a device, nothing that blocks.
///
/// Belongs to its lane: everything but the initializer is called on the lane's thread.
public final class CurlTransport: Transport {
    let settings: WireSettings
    let trust: TrustFile
    let connections: ConnectionTable
    unowned let lane: Lane
    private let proxies: ProxyRoute
    private let names: NameTable
    private var pins: PinTable

    private var direct: DirectEngine!
    private var multi: MultiEngine!
    /// Errands that wait for a name, oldest first.
    private var waiting: [PendingRequest] = []

    /// `loop` is the lane's own. Throws when the settings cannot work on this machine: a missing
    /// file, a proxy that is no URL, no roots.
    public convenience init(lane: Lane, loop: LiveLoop, settings: WireSettings) throws(WireError) {
        try self.init(
            lane: lane, loop: loop, settings: settings, environment: ProxyRoute.environment(),
            lookup: NameTable.system)
    }

    init(
        lane: Lane, loop: LiveLoop, settings: WireSettings, environment: [String: String],
        lookup: @escaping NameTable.Lookup
    ) throws(WireError) {
        self.lane = lane
        self.settings = settings
        proxies = try ProxyRoute(settings.proxy, environment: environment)
        trust = try TrustFile(settings.tls)
        names = NameTable(lane: lane, lookup: lookup)
        pins = PinTable(settings.pinned)
        connections = ConnectionTable(lane: lane.index, loop: loop)
        guard Library.isReady else { throw .noHandle }
        if settings.http == .http2, !Library.hasHTTP2 { throw .unsupported("HTTP/2") }
        multi = MultiEngine(self, isProxied: proxies.isInUse)
        direct = DirectEngine(self, loop: loop)
    }

    public func start(
        _ call: Call, from device: Device, completion: @escaping (Transfer) -> Void
    ) {
        // Nothing to find out and nothing to wait for, as nearly always.
        let isPooled = settings.connections == .pooled
        if !pins.mayDiffer(call.address.origin.host, isPooled: isPooled),
            direct.sendOverKept(call, from: device, completion: completion)
        {
            return
        }
        go(PendingRequest(call, from: device, began: lane.now, completion: completion))
    }

    public func startAnew(
        _ call: Call, from device: Device, completion: @escaping (Transfer) -> Void
    ) {
        let pendingRequest = PendingRequest(
            call, from: device, began: lane.now, completion: completion)
        pendingRequest.connectsAnew = true
        go(pendingRequest)
    }

    /// The direct engine holds the last byte back; where it is not the one to carry the call, the whole
    /// request waits.
    public func hold(
        _ call: Call, from device: Device, ready: @escaping (Held) -> Void,
        completion: @escaping (Transfer) -> Void
    ) {
        let origin = call.address.origin
        guard isDirect(origin, proxies.proxy(for: origin)) else {
            return ready(
                Held(isExact: false) { [unowned self] in
                    start(call, from: device, completion: completion)
                })
        }
        let gate = ReadyGate(ready)
        let isPooled = settings.connections == .pooled
        if !pins.mayDiffer(origin.host, isPooled: isPooled),
            direct.sendOverKept(call, from: device, gate: gate, completion: completion)
        {
            return
        }
        let pendingRequest = PendingRequest(call, from: device, began: lane.now) { transfer in
            // It may have failed before there was a connection.
            gate.open(nil)
            completion(transfer)
        }
        pendingRequest.gate = gate
        go(pendingRequest)
    }

    /// Requests that share one connection of HTTP/2 leave in one segment, where they fit into one:
    /// the kernel keeps back what is written until all is, so that nothing on the way can come
    /// between.
    public func release(_ held: [Held]) {
        let isShared = settings.http == .http2 && settings.connections == .pooled
        let corked = isShared && held.count > 1 ? connections.descriptors : []
        for descriptor in corked { Self.cork(descriptor, true) }
        for one in held { one.letGo() }
        for descriptor in corked { Self.cork(descriptor, false) }
    }

    /// `TCP_CORK`, which pushes at once when it is taken off. Where it fails, requests leave one by one.
    private static func cork(_ descriptor: Int32, _ isOn: Bool) {
        var flag: Int32 = isOn ? 1 : 0
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_CORK, &flag, socklen_t(MemoryLayout<Int32>.size))
    }

    private func go(_ pendingRequest: PendingRequest) {
        let proxy = proxies.proxy(for: pendingRequest.origin)
        waiting.append(pendingRequest)
        if proxy == nil,
            let pinned = pins.address(of: pendingRequest.origin.host, for: pendingRequest.device.id)
        {
            return go(pendingRequest, proxy, .success([pinned]))
        }
        if proxy == nil,
            let refusal = settings.permission.refusal(ofLookingUp: pendingRequest.origin.host)
        {
            return refuse(pendingRequest, refusal)
        }
        names.find(proxy?.host ?? pendingRequest.origin.host) { [weak self] found in
            self?.go(pendingRequest, proxy, found)
        }
        guard !pendingRequest.isOnItsWay else { return }
        lane.at(pendingRequest.began + settings.timeout) { [weak self, weak pendingRequest] in
            guard let self, let pendingRequest, !pendingRequest.isOnItsWay else { return }
            refuse(
                pendingRequest,
                TransferFailure.slowName(pendingRequest.origin.host, after: settings.timeout))
        }
    }

    /// A device that has none to this origin; `pooled` ones are as many as the load needs at a time,
    /// which the ceiling of requests bounds.
    public func wouldConnect(for call: Call, from device: Device) -> Bool {
        switch settings.connections {
        case .fresh: return true
        case .pooled: return false
        case .perDevice:
            guard let slot = device.transportSlot as? EngineSlot else { return true }
            let origin = call.address.origin
            let isKept = slot.links?.existing(to: origin)?.idle.connections.isEmpty == false
            return !isKept && slot.deviceSlot?.isConnected(to: origin) != true
        }
    }

    public func retire(_ device: Device) {
        guard let slot = device.transportSlot as? EngineSlot else { return }
        device.transportSlot = nil
        if let links = slot.links { direct.retire(links) }
        if let deviceSlot = slot.deviceSlot { multi.retire(deviceSlot) }
    }

    public func abort() {
        let error = TransportError(.stopped, "the run was stopped")
        for pendingRequest in waiting { refuse(pendingRequest, error) }
        names.abandon()
        direct.abort(error)
        multi.abort(error)
    }

    /// Open connections, for tests and progress.
    package var openConnections: Int { connections.live }

    /// The sockets themselves, for tests that break them.
    var descriptors: [Int32] { connections.descriptors }

    // MARK: The way of an errand

    private func go(
        _ pendingRequest: PendingRequest, _ proxy: ProxyRoute.Proxy?,
        _ found: NameTable.LookupResult
    ) {
        guard !pendingRequest.isOnItsWay else { return }
        let host = pendingRequest.origin.host
        switch found {
        case .failure(let failure):
            refuse(
                pendingRequest,
                TransferFailure.noName(proxy?.host ?? host, failure, isProxy: proxy != nil))
        case .success(let addresses):
            let refusal =
                if let proxy {
                    settings.permission.refusal(
                        of: host, through: proxy.shown,
                        proxyIsLoopback: addresses.allSatisfy(\.isLoopback))
                } else {
                    settings.permission.refusal(of: host, at: addresses)
                }
            if let refusal { return refuse(pendingRequest, refusal) }
            pendingRequest.isOnItsWay = true
            waiting.removeAll { $0 === pendingRequest }
            do throws(WireError) {
                if isDirect(pendingRequest.origin, proxy) {
                    try direct.carry(pendingRequest, proxy, addresses)
                } else {
                    try multi.carry(pendingRequest, proxy, addresses)
                }
            } catch {
                refuse(pendingRequest, TransportError(.localLimit, error.description))
            }
        }
    }

    /// Who carries it. A proxy for plain HTTP is no tunnel: it wants requests of another form
    /// (RFC 9112, 3.2.2), which libcurl knows how to write.
    private func isDirect(_ origin: Origin, _ proxy: ProxyRoute.Proxy?) -> Bool {
        guard settings.http == .http1, settings.engine != .multi else { return false }
        // To a proxy that is itself spoken to over TLS there is no bare socket to take over.
        if proxy?.isSecure == true { return false }
        return origin.scheme == .https || proxy?.isTunnel != false
    }

    private func refuse(_ pendingRequest: PendingRequest, _ error: TransportError) {
        pendingRequest.isOnItsWay = true
        waiting.removeAll { $0 === pendingRequest }
        pendingRequest.completion(
            Transfer(sent: nil, firstByte: nil, ended: lane.now, result: .refused(error)))
    }
}

/// One exchange that somebody waits for.
final class PendingRequest {
    let call: Call
    let device: Device
    let began: Instant
    let completion: (Transfer) -> Void
    /// Whoever holds it back, if somebody does.
    var gate: ReadyGate?
    /// No kept connection may carry it.
    var connectsAnew = false
    /// It no longer waits for a name.
    var isOnItsWay = false

    var origin: Origin { call.address.origin }

    init(
        _ call: Call, from device: Device, began: Instant,
        completion: @escaping (Transfer) -> Void
    ) {
        self.call = call
        self.device = device
        self.began = began
        self.completion = completion
    }
}

/// Tells once that a request waits for its last byte, or will never come so far.
final class ReadyGate {
    private var ready: ((Held) -> Void)?

    init(_ ready: @escaping (Held) -> Void) { self.ready = ready }

    /// `link`: where the byte is held; nil when there is none to let go.
    func open(_ link: Connection?) {
        let ready = ready
        self.ready = nil
        ready?(Held(isExact: link != nil) { link?.letGo() })
    }
}
