import Formats
import Testing

@Suite struct DeflatePackingTests {
    @Test("what is packed unpacks to the same bytes, whatever the length of its runs")
    func roundTrip() {
        for length in [0, 1, 2, 3, 4, 5, 10, 11, 114, 115, 257, 258, 259, 260, 1000] {
            let bytes =
                [UInt8](repeating: 7, count: length) + [1, 2, 255, 144, 143] + [UInt8](0...255)
            #expect(
                Deflate.inflate(Deflate.deflate(bytes), atMost: bytes.count) == bytes, "\(length)")
        }
    }

    @Test("runs become short, and nothing becomes much longer")
    func sizes() {
        #expect(Deflate.deflate([UInt8](repeating: 0, count: 100_000)).count < 1_100)
        let worst = (0..<1000).map { UInt8(200 + $0 % 50) }
        #expect(Deflate.deflate(worst).count <= 1000 * 9 / 8 + 2)
    }
}
