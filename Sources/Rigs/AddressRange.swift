internal import Glibc

/// IPv4 addresses that follow one another: `127.1.0.0/16`, or a single one.
public struct AddressRange: Sendable, Hashable {
    /// As the rig writes it.
    public let text: String
    /// Addresses of hosts in it: neither the name of the network nor its broadcast.
    public let count: Int
    /// The first and the last of them.
    public let first: String
    public let last: String

    /// Nil when it is none, or wider than a /8.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        var parsed = in_addr()
        guard parts.count <= 2, inet_pton(AF_INET, String(parts[0]), &parsed) == 1,
            let bits = parts.count == 2 ? Int(parts[1]) : 32, (8...32).contains(bits)
        else { return nil }
        let size = 1 << (32 - bits)
        let network = UInt32(bigEndian: parsed.s_addr) & ~UInt32(size - 1)
        let inner = size > 2
        self.text = text
        count = inner ? size - 2 : size
        first = Self.text(of: inner ? network + 1 : network)
        last = Self.text(of: network + UInt32(inner ? size - 2 : size - 1))
    }

    private static func text(of number: UInt32) -> String {
        [24, 16, 8, 0].map { String(number >> UInt32($0) & 255) }.joined(separator: ".")
    }
}
