internal import Dialects
internal import Glibc
internal import Journal
internal import Lanes

/// All of libcurl: HTTP/2, requests to a plain proxy, and whatever else it knows. Devices are kept
/// apart inside its multis (see `Way`).
final class MultiEngine {
    private unowned let transport: CurlTransport
    private let isProxied: Bool
    private var shards: [Shard] = []
    private var seatsGiven = 0
    /// The one seat of `pooled` and `fresh`.
    private var common: Seat?

    /// `isProxied`: some origins are behind a proxy.
    init(_ transport: CurlTransport, isProxied: Bool) {
        self.transport = transport
        self.isProxied = isProxied
    }

    func carry(
        _ errand: Errand, _ proxy: ProxyRoute.Proxy?, _ addresses: [IPAddress]
    ) throws(WireError) {
        let seat = try seat(of: errand.device)
        let owner = seat.idle.lastIndex(where: \.hasOwn)
        let idle = owner.map { seat.idle.remove(at: $0) } ?? seat.idle.popLast()
        let carrier = if let idle { idle } else { try Carrier(transport) }
        carrier.take(errand, from: seat, proxy: proxy, addresses: addresses)
        guard seat.shard.start(carrier) else { throw .noHandle }
    }

    func retire(_ seat: Seat) {
        let shard = seat.shard
        shard.stop(TransportError(.stopped, "the device was switched off"), only: seat)
        bury(seat)
        shard.seats -= 1
        let hasRoom = shards.contains { $0 !== shard && $0.seats < capacity }
        // A multi has parsed the roots (20 ms): the last one with room stays.
        if shard.seats == 0, hasRoom || capacity == 1 { shards.removeAll { $0 === shard } }
    }

    func abort(_ error: TransportError) {
        for shard in shards { shard.stop(error) }
    }

    // MARK: Seats

    /// Behind a proxy `CONNECT_TO` would turn requests into tunnels, so each device then has a
    /// multi of its own, at the price of two more descriptors.
    private var capacity: Int { isProxied ? 1 : transport.settings.shardSize }

    private func seat(of device: Device) throws(WireError) -> Seat {
        guard transport.settings.connections == .perDevice else {
            if let common { return common }
            // Any number of connections: in pooled mode it is the load that decides.
            let seat = Seat(shard: try newShard(maximumConnections: 1_000_000), number: nil)
            common = seat
            return seat
        }
        let slot = Slot.of(device)
        if let seat = slot.seat { return seat }
        let free = shards.first { $0.seats < capacity }
        // A device meets a handful of origins, a few connections to each.
        let shard = if let free { free } else { try newShard(maximumConnections: 50 * capacity) }
        shard.seats += 1
        seatsGiven += 1
        let seat = Seat(shard: shard, number: capacity == 1 ? nil : seatsGiven)
        slot.seat = seat
        return seat
    }

    private func newShard(maximumConnections: Int) throws(WireError) -> Shard {
        let shard = try Shard(
            lane: transport.lane, connections: transport.connections,
            maximumConnections: maximumConnections)
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

/// What a device has with either engine.
final class Slot {
    var links: DeviceLinks?
    var seat: Seat?

    static func of(_ device: Device) -> Slot {
        if let slot = device.transportSlot as? Slot { return slot }
        let slot = Slot()
        device.transportSlot = slot
        return slot
    }
}
