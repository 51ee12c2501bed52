internal import Glibc
internal import Journal

/// Local addresses to send from: a device has one for all its life, so that a service sees devices
/// where it would else see one machine, and ports do not run out.
public struct SourceAddresses: Hashable, Sendable {
    /// First address and how many follow it, each as a number.
    private struct Range: Hashable {
        var first: UInt32
        var count: Int
    }

    private var ranges: [Range] = []
    /// How many there are.
    public let count: Int

    /// Reads IPv4 ranges such as `127.1.0.0/16`, or single addresses. Nil when one is neither.
    public init?(_ texts: [String]) {
        for text in texts {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 2, let address = Self.number(String(parts[0])) else { return nil }
            let bits = parts.count == 2 ? Int(parts[1]) : 32
            guard let bits, (8...32).contains(bits) else { return nil }
            let size = 1 << (32 - bits)
            let first = address & ~UInt32(size - 1)
            // The first address of a network is its name, the last one its broadcast.
            ranges.append(
                size > 2
                    ? Range(first: first + 1, count: size - 2) : Range(first: first, count: size))
        }
        count = ranges.reduce(0) { $0 + $1.count }
        if count == 0 { return nil }
    }

    /// The address of a device: another for each, until there are no more.
    func address(of device: DeviceID) -> IPAddress {
        let screen = device.role == .firstScreen ? 0 : 1 + device.index % 3
        var position = (device.household &* 4 &+ screen) % count
        if position < 0 { position += count }
        for range in ranges {
            if position < range.count { return IPAddress(range.first + UInt32(position)) }
            position -= range.count
        }
        preconditionFailure("a position within the count is in one of the ranges")
    }

    /// Leaves the choice of a port to the moment of connecting, when the destination is known:
    /// a port is then taken for that destination only.
    static func bindWithoutPort(_ descriptor: Int32) {
        var one: Int32 = 1
        // IP_BIND_ADDRESS_NO_PORT of Linux, which Swift does not import.
        setsockopt(descriptor, Int32(IPPROTO_IP), 24, &one, 4)
    }

    private static func number(_ text: String) -> UInt32? {
        var address = in_addr()
        guard inet_pton(AF_INET, text, &address) == 1 else { return nil }
        return UInt32(bigEndian: address.s_addr)
    }
}
