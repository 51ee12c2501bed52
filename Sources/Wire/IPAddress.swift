internal import Glibc

/// A literal network address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four or sixteen, in network order.
    private let bytes: [UInt8]

    /// Reads `127.0.0.1` or `::1`; nil for names.
    public init?(_ text: String) {
        var four = in_addr()
        var sixteen = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
            bytes = withUnsafeBytes(of: sixteen) { Array($0) }
        } else {
            return nil
        }
    }

    /// An IPv4 address by its number, `127.0.0.1` being 0x7f000001.
    init(_ number: UInt32) {
        bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Nil for families other than IP.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
            }
        default: return nil
        }
    }

    /// Whether what is sent there stays on this machine: 127.0.0.0/8, `::1`, and the former written
    /// as IPv6 (`::ffff:127.0.0.1`). `0.0.0.0` is not among them: it means any address.
    public var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 }
        if bytes[..<15].allSatisfy({ $0 == 0 }) { return bytes[15] == 1 }
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
        return isMapped && bytes[12] == 127
    }

    public var isIPv6: Bool { bytes.count == 16 }

    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isIPv6 ? AF_INET6 : AF_INET
        inet_ntop(family, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// As it stands in a list that has colons of its own: `[::1]`.
    var bracketed: String { isIPv6 ? "[\(self)]" : description }
}
