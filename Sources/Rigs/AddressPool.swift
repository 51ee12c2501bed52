internal import Glibc

/// Public addresses that follow one another, for `X-Forwarded-For`: `203.0.113.0/24`, `2001:db8:1::/48`, or a single
/// one. Every address of an IPv4 range counts. Of an IPv6 range wider than a /64 each /64 counts once, with its
/// first host: that is what a home has.
public struct AddressBlock: Sendable, Hashable {
    /// The network; of IPv4 the last 32 bits of `low`.
    private let high: UInt64
    private let low: UInt64
    private let isIPv6: Bool
    /// Each number is another /64.
    private let isOfNetworks: Bool
    /// Addresses in it.
    public let count: Int

    /// Nil when it is none, or wider than an IPv4 /8 or an IPv6 /16.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let address = String(parts[0])
        var old = in_addr()
        var new = in6_addr()
        if inet_pton(AF_INET, address, &old) == 1 {
            guard let bits = parts.count == 2 ? Int(parts[1]) : 32, (8...32).contains(bits) else {
                return nil
            }
            count = 1 << (32 - bits)
            (high, low) = (0, UInt64(UInt32(bigEndian: old.s_addr)) & ~UInt64(count - 1))
            (isIPv6, isOfNetworks) = (false, false)
        } else if inet_pton(AF_INET6, address, &new) == 1 {
            guard let bits = parts.count == 2 ? Int(parts[1]) : 128, (16...128).contains(bits)
            else { return nil }
            let halves = withUnsafeBytes(of: &new) { bytes in
                [0, 8].map {
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
                }
            }
            isIPv6 = true
            isOfNetworks = bits < 64
            // Of a /64 or less no run needs more.
            count = 1 << min(isOfNetworks ? 64 - bits : 128 - bits, 48)
            high = isOfNetworks ? halves[0] & ~(1 << UInt64(64 - bits) - 1) : halves[0]
            low = isOfNetworks ? 1 : bits == 64 ? 0 : halves[1] & ~(1 << UInt64(128 - bits) - 1)
        } else {
            return nil
        }
    }

    /// The addresses of the first and the last number.
    private var ends: [[UInt64]] {
        let last = UInt64(count - 1)
        return [[high, low], isOfNetworks ? [high + last, .max] : [high, low + last]]
    }

    /// Whether an address is in both.
    func overlaps(_ other: AddressBlock) -> Bool {
        guard isIPv6 == other.isIPv6 else { return false }
        return !ends[1].lexicographicallyPrecedes(other.ends[0])
            && !other.ends[1].lexicographicallyPrecedes(ends[0])
    }

    /// The address with that number, below `count`.
    func address(_ number: Int) -> String {
        isIPv6
            ? Self.text(
                isOfNetworks ? high + UInt64(number) : high,
                isOfNetworks ? low : low + UInt64(number))
            : Self.text(UInt32(low) + UInt32(number))
    }

    private static func text(_ bits: UInt32) -> String {
        String(unsafeUninitializedCapacity: 15) { text in
            var end = 0
            func put(_ byte: UInt8) {
                text[end] = byte
                end += 1
            }
            for shift in [24, 16, 8, 0] as [UInt32] {
                let part = UInt8(truncatingIfNeeded: bits >> shift)
                if shift < 24 { put(UInt8(ascii: ".")) }
                if part > 99 { put(UInt8(ascii: "0") + part / 100) }
                if part > 9 { put(UInt8(ascii: "0") + part / 10 % 10) }
                put(UInt8(ascii: "0") + part % 10)
            }
            return end
        }
    }

    /// As RFC 5952 has it.
    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        var address = (high.bigEndian, low.bigEndian)
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Blocks of addresses, numbered through.
public struct AddressPool: Sendable, Hashable {
    /// As the rig names it, where they come from a file.
    public let file: String?
    private let blocks: [AddressBlock]
    /// The number of each block's first address.
    private let starts: [Int]
    /// All addresses; 0 of a file that was not read.
    public let count: Int

    public init(_ blocks: [AddressBlock], file: String? = nil) {
        var starts: [Int] = []
        var count = 0
        for block in blocks {
            starts.append(count)
            count += block.count
        }
        (self.blocks, self.starts, self.count, self.file) = (blocks, starts, count, file)
    }

    /// The address with that number; beyond `count` they come round again.
    subscript(number: Int) -> String {
        let number = number % count
        // The last block that starts at or below it.
        var (below, above) = (0, starts.count)
        while above - below > 1 {
            let middle = (below + above) / 2
            if starts[middle] <= number { below = middle } else { above = middle }
        }
        return blocks[below].address(number - starts[below])
    }

    /// The positions of two blocks that have an address in common.
    var overlap: (first: Int, second: Int)? {
        for second in blocks.indices {
            if let first = blocks[..<second].firstIndex(where: { $0.overlaps(blocks[second]) }) {
                return (first, second)
            }
        }
        return nil
    }
}
