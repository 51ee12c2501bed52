internal import Dialects
internal import Glibc
internal import Lanes

/// All of libcurl: HTTP/2, requests to a plain proxy, and whatever else it knows. Devices are kept
/// apart inside its multis (see `OriginRoute`).
final class MultiEngine {
    private unowned let transport: CurlTransport
    private let isProxied: Bool
    private var shards: [Shard] = []
    private var slotsGiven = 0
    /// The one slot of `pooled` and `fresh`.
    private var common: DeviceSlot?

    /// `isProxied`: some origins are behind a proxy.
    init(_ transport: CurlTransport, isProxied: Bool) {
        self.transport = transport
        self.isProxied = isProxied
    }

    func carry(
        _ pendingRequest: PendingRequest, _ proxy: ProxyRoute.Proxy?, _ addresses: [IPAddress]
    ) throws(WireError) {
        let deviceSlot = try deviceSlot(of: pendingRequest.device)
        let owner = deviceSlot.idle.lastIndex(where: \.hasOwn)
        let idle = owner.map { deviceSlot.idle.remove(at: $0) } ?? deviceSlot.idle.popLast()
        let transferHandle = if let idle { idle } else { try TransferHandle(transport) }
        transferHandle.take(pendingRequest, from: deviceSlot, proxy: proxy, addresses: addresses)
        guard deviceSlot.shard.start(transferHandle) else { throw .noHandle }
    }

    func retire(_ deviceSlot: DeviceSlot) {
        let shard = deviceSlot.shard
        shard.stop(.switchedOff, only: deviceSlot)
        bury(deviceSlot)
        shard.deviceSlots -= 1
        let hasRoom = shards.contains { $0 !== shard && $0.deviceSlots < capacity }
        // A multi has parsed the roots (20 ms): the last one with room stays.
        if shard.deviceSlots == 0, hasRoom || capacity == 1 { shards.removeAll { $0 === shard } }
    }

    func abort(_ error: TransportError) {
        for shard in shards { shard.stop(error) }
    }

    // MARK: Slots

    /// Behind a proxy `CONNECT_TO` would turn requests into tunnels, so each device then has a
    /// multi of its own, at the price of two more descriptors.
    private var capacity: Int { isProxied ? 1 : transport.settings.shardSize }

    private func deviceSlot(of device: Device) throws(WireError) -> DeviceSlot {
        guard transport.settings.connections == .perDevice else {
            if let common { return common }
            // Any number of connections: in pooled mode it is the load that decides.
            let deviceSlot = DeviceSlot(
                shard: try newShard(maximumConnections: 1_000_000), number: nil)
            common = deviceSlot
            return deviceSlot
        }
        let slot = EngineSlot.of(device)
        if let deviceSlot = slot.deviceSlot { return deviceSlot }
        let free = shards.first { $0.deviceSlots < capacity }
        // A device meets a handful of origins, a few connections to each.
        let shard = if let free { free } else { try newShard(maximumConnections: 50 * capacity) }
        shard.deviceSlots += 1
        slotsGiven += 1
        let deviceSlot = DeviceSlot(shard: shard, number: capacity == 1 ? nil : slotsGiven)
        slot.deviceSlot = deviceSlot
        return deviceSlot
    }

    private func newShard(maximumConnections: Int) throws(WireError) -> Shard {
        let shard = try Shard(transport, maximumConnections: maximumConnections)
        shards.append(shard)
        return shard
    }

    /// Closes the connections of a device that is gone. libcurl has no call for it, and would find
    /// out at its own time: it looks for dead connections where a new request wants to go. So they
    /// are shut down, and a request that may not open a new one goes there.
    private func bury(_ deviceSlot: DeviceSlot) {
        let names = deviceSlot.allWays.compactMap { $0.alias == nil ? nil : $0.resolvedName }
        defer { deviceSlot.shard.forget(names) }
        guard capacity > 1 else { return }
        for connection in deviceSlot.connections {
            shutdown(connection.descriptor, Int32(SHUT_RDWR))
        }
        for way in deviceSlot.allWays where !deviceSlot.connections.isEmpty {
            guard let addresses = way.told, let transferHandle = deviceSlot.idle.popLast() else {
                continue
            }
            transferHandle.bury(way, of: deviceSlot, addresses: addresses)
            _ = deviceSlot.shard.start(transferHandle)
        }
    }
}

/// What a device has with either engine.
final class EngineSlot {
    var links: DeviceLinks?
    var deviceSlot: DeviceSlot?

    static func of(_ device: Device) -> EngineSlot {
        if let slot = device.transportSlot as? EngineSlot { return slot }
        let slot = EngineSlot()
        device.transportSlot = slot
        return slot
    }
}
