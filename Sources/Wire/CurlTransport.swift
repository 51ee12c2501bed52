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

    private var shards: [Shard] = []
    private var seatsGiven = 0
    /// The one seat of `pooled` and `fresh`.
    private var common: Seat?
    /// Errands that wait for a name, oldest first.
    private var waiting: [Errand] = []

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
    }

    public func start(
        _ call: Call, from device: Device, completion: @escaping (Transfer) -> Void
    ) {
        let errand = Errand(call, from: device, began: lane.now, completion: completion)
        let proxy = proxies.proxy(for: errand.origin)
        waiting.append(errand)
        if proxy == nil, let pinned = pins.address(of: errand.origin.host, for: device.id) {
            return go(errand, proxy, .success([pinned]))
        }
        names.find(proxy?.host ?? errand.origin.host) { [weak self] found in
            self?.go(errand, proxy, found)
        }
        guard !errand.isOnItsWay else { return }
        lane.at(errand.began + settings.timeout) { [weak self, weak errand] in
            guard let self, let errand, !errand.isOnItsWay else { return }
            refuse(errand, TransferFailure.slowName(errand.origin.host, after: settings.timeout))
        }
    }

    /// A device that has none to this origin; `pooled` ones are as many as the load needs at a time,
    /// which the ceiling of requests bounds.
    public func wouldConnect(for call: Call, from device: Device) -> Bool {
        switch settings.connections {
        case .fresh: true
        case .pooled: false
        case .perDevice:
            (device.transportSlot as? Seat)?.isConnected(to: call.address.origin) != true
        }
    }

    public func retire(_ device: Device) {
        guard let seat = device.transportSlot as? Seat else { return }
        device.transportSlot = nil
        let shard = seat.shard
        shard.stop(TransportError(.stopped, "the device was switched off"), only: seat)
        bury(seat)
        shard.seats -= 1
        let hasRoom = shards.contains { $0 !== shard && $0.seats < capacity }
        // A multi has parsed the roots (20 ms): the last one with room stays.
        if shard.seats == 0, hasRoom || capacity == 1 { shards.removeAll { $0 === shard } }
    }

    public func abort() {
        let error = TransportError(.stopped, "the run was stopped")
        for errand in waiting { refuse(errand, error) }
        names.abandon()
        for shard in shards { shard.stop(error) }
    }

    /// Open connections, for tests and progress.
    package var openConnections: Int { connections.live }

    // MARK: The way of an errand

    private func go(_ errand: Errand, _ proxy: ProxyRoute.Proxy?, _ found: NameTable.Found) {
        guard !errand.isOnItsWay else { return }
        let host = errand.origin.host
        switch found {
        case .failure(let failure):
            refuse(
                errand, TransferFailure.noName(proxy?.host ?? host, failure, isProxy: proxy != nil))
        case .success(let addresses):
            let refusal =
                if let proxy {
                    settings.permission.refusal(
                        of: host, through: proxy.url,
                        proxyIsLoopback: addresses.allSatisfy(\.isLoopback))
                } else {
                    settings.permission.refusal(of: host, at: addresses)
                }
            if let refusal { return refuse(errand, refusal) }
            errand.isOnItsWay = true
            waiting.removeAll { $0 === errand }
            do throws(WireError) {
                try carry(errand, proxy, addresses)
            } catch {
                refuse(errand, TransportError(.localLimit, error.description))
            }
        }
    }

    private func carry(
        _ errand: Errand, _ proxy: ProxyRoute.Proxy?, _ addresses: [IPAddress]
    ) throws(WireError) {
        let seat = try seat(of: errand.device)
        let idle = seat.idle.popLast()
        let carrier = if let idle { idle } else { try Carrier(self) }
        carrier.take(errand, from: seat, proxy: proxy, addresses: addresses)
        guard seat.shard.start(carrier) else { throw .noHandle }
    }

    private func refuse(_ errand: Errand, _ error: TransportError) {
        errand.isOnItsWay = true
        waiting.removeAll { $0 === errand }
        errand.completion(
            Transfer(sent: nil, firstByte: nil, ended: lane.now, result: .refused(error)))
    }

    // MARK: Seats

    /// Behind a proxy `CONNECT_TO` would turn requests into tunnels, so each device then has a
    /// multi of its own, at the price of two more descriptors.
    private var capacity: Int { proxies.isInUse ? 1 : settings.shardSize }

    private func seat(of device: Device) throws(WireError) -> Seat {
        guard settings.connections == .perDevice else {
            if let common { return common }
            // Any number of connections: in pooled mode it is the load that decides.
            let seat = Seat(shard: try newShard(maximumConnections: 1_000_000), number: nil)
            common = seat
            return seat
        }
        if let seat = device.transportSlot as? Seat { return seat }
        let free = shards.first { $0.seats < capacity }
        // A device meets a handful of origins, a few connections to each.
        let shard = if let free { free } else { try newShard(maximumConnections: 50 * capacity) }
        shard.seats += 1
        seatsGiven += 1
        let seat = Seat(shard: shard, number: capacity == 1 ? nil : seatsGiven)
        device.transportSlot = seat
        return seat
    }

    private func newShard(maximumConnections: Int) throws(WireError) -> Shard {
        let shard = try Shard(
            lane: lane, connections: connections, maximumConnections: maximumConnections)
        shards.append(shard)
        return shard
    }

    /// Closes the connections of a device that is gone. libcurl has no call for it, and would find
    /// out at its own time: it looks for dead connections where a new request wants to go. So they
    /// are shut down, and a request that may not open a new one goes there.
    private func bury(_ seat: Seat) {
        let names = seat.allWays.compactMap { $0.alias == nil ? nil : $0.resolvedName }
        defer { seat.shard.forget(names) }
        guard capacity > 1 else { return }
        for connection in seat.connections { shutdown(connection.descriptor, Int32(SHUT_RDWR)) }
        for way in seat.allWays where !seat.connections.isEmpty {
            guard let addresses = way.told, let carrier = seat.idle.popLast() else { continue }
            carrier.bury(way, of: seat, addresses: addresses)
            _ = seat.shard.start(carrier)
        }
    }
}

/// One exchange that somebody waits for.
final class Errand {
    let call: Call
    let device: Device
    let began: Instant
    let completion: (Transfer) -> Void
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
