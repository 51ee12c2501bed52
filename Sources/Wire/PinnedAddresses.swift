public import Journal
public import Vocabulary

/// Addresses that a rig gives to a name, so that the system is not asked (rigs/reference.yaml, `resolve`).
/// Permission is asked for all the same: pinning a host allows nothing.
public struct PinnedAddresses: Sendable, Hashable {
    /// Lower case.
    public var host: String
    /// At least one.
    public var addresses: [IPAddress]
    public var spread: TransportOptions.Spread

    /// Nil when there is no address, or one of them is none.
    public init?(host: String, addresses: [String], spread: TransportOptions.Spread = .household) {
        let read = addresses.compactMap { IPAddress($0) }
        guard !read.isEmpty, read.count == addresses.count else { return nil }
        self.host = host
        self.addresses = read
        self.spread = spread
    }

    /// The one address for a request: in turns, so that equal loads go to all. One and not a list:
    /// a request that may fall back to another address does not say which of them failed.
    public func address(for device: DeviceID, request: Int) -> IPAddress {
        let turn =
            switch spread {
            case .household: device.household
            case .screen:
                device.household + (device.role == .firstScreen ? 0 : 1 + device.index)
            case .request: request
            }
        return addresses[turn % addresses.count]
    }
}

/// The pinned names of one lane, and whose turn it is.
struct PinTable {
    private let pins: [String: PinnedAddresses]
    private var requests: [String: Int] = [:]

    init(_ pinned: [PinnedAddresses]) {
        pins = Dictionary(pinned.map { ($0.host, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether a free connection to the host may lead to another address than the next request wants.
    func mayDiffer(_ host: String, isPooled: Bool) -> Bool {
        guard !pins.isEmpty, let pin = pins[host] else { return false }
        return isPooled || pin.spread == .request
    }

    /// Nil when the host is not pinned.
    mutating func address(of host: String, for device: DeviceID) -> IPAddress? {
        guard !pins.isEmpty, let pin = pins[host] else { return nil }
        let request = requests[host, default: 0]
        requests[host] = request + 1
        return pin.address(for: device, request: request)
    }
}
