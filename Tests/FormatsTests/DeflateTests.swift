import Formats
import Testing

/// Streams of zlib 1.2.13, level 9, raw.
@Suite struct DeflateTests {
    private static let fixed =
        "sylOzM0psHIsLcnIC0otLE0tLlHwdLFVijdQgtCGUNoIShtDaRMobQqlzaC0OZS2gNKWMHPgBhoq6dsBAA=="
    private static let dynamic =
        "JZHJAcQwCAMb4mEOg+m/sR1lXyZBwCCOuZWteVtcy7Za67Ln5ueYB28VWRSLBE1c3reWUeipRlfF+8purN1pa3TNO3wP/x/5"
        + "RbetvhT6oYM7rVw9PWjuqSmlcVdzWwAtkoHIX4kBwjiicBHHWYs8ZVHHIaMiWtHo31N20aUqkv6Chjzpl0Xn1IwcpuVjbi4E"
        + "dWApUVXCVwVpNcw12lZr3MM+17VwamMydrXzHUXLvz5kqXLcpKIvtT106Ue/OVfmUDHMtLnMnYFgFpYn61/A90q3aJjfg361"
        + "BwoiKHGTLfed71Yy68QX15HBjQKbEburzj1ScclHb1nqT+7G/9Ipz+PK/hhdIvY7ynefrPsdSFfL1QHL2egH"

    static let texts: [(stream: [UInt8], text: String)] = [
        (
            Base64.decode(fixed)!,
            "<samlp:AuthnRequest " + (0..<12).map { "ID=\"_\($0)\"" }.joined(separator: " ") + "/>"
        ),
        (Base64.decode(dynamic)!, (0..<120).map { "\($0 * $0)," }.joined()),
        ([1, 2, 0, 0xfd, 0xff, 0x68, 0x69], "hi"), ([3, 0], ""),
    ]

    @Test("fixed, dynamic and stored blocks are unpacked", arguments: texts)
    func unpacks(stream: [UInt8], text: String) {
        #expect(Deflate.inflate(stream, atMost: 10_000) == Array(text.utf8))
        guard text.utf8.count > 0 else { return }
        #expect(Deflate.inflate(stream, atMost: text.utf8.count) != nil)
        #expect(Deflate.inflate(stream, atMost: text.utf8.count - 1) == nil)
    }

    @Test("a stream that is cut off is none, at whatever byte", arguments: texts)
    func cut(stream: [UInt8], text: String) {
        for count in 0..<stream.count {
            let found = Deflate.inflate(Array(stream[..<count]), atMost: 10_000)
            #expect(found == nil, "\(count) of \(stream.count) bytes")
        }
    }

    @Test("a stream with any byte changed ends, within the limit", arguments: texts)
    func changed(stream: [UInt8], text: String) {
        for position in stream.indices {
            for byte in stride(from: UInt8(0), through: 255, by: 5) {
                var other = stream
                other[position] = byte
                #expect(Deflate.inflate(other, atMost: 1_000)?.count ?? 0 <= 1_000)
            }
        }
    }

    @Test("a small stream that unpacks to a large text is refused")
    func bomb() {
        // One literal, and then the longest copy of it again and again.
        let bits: [UInt8] = [0x4b, 0x04] + [UInt8](repeating: 0xff, count: 1_000)
        #expect(Deflate.inflate(bits, atMost: 100_000) == nil)
    }
}
