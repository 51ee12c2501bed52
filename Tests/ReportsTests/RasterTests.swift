import Formats
import Testing

@testable import Rendering

@Suite("Pictures for mail programs")
struct RasterTests {
    /// The chunks of a PNG, with their checksums tested.
    private func chunks(_ png: [UInt8]) throws -> [(name: String, bytes: [UInt8])] {
        var chunks: [(String, [UInt8])] = []
        var place = 8
        func four(_ at: Int) -> Int { png[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
        while place < png.count {
            let length = four(place)
            let body = Array(png[(place + 4)..<(place + 8 + length)])
            #expect(Int(Zip.checksum(body)) == four(place + 8 + length))
            chunks.append(
                (String(decoding: body.prefix(4), as: UTF8.self), Array(body.dropFirst(4))))
            place += 12 + length
        }
        return chunks
    }

    @Test("a PNG has its chunks in order, and its rows unpack to one byte for each pixel")
    func png() throws {
        var raster = Raster(width: 40, height: 10)
        raster.line(2, 5, 30, 5, thickness: 2, .series)
        raster.dot(35, 5, radius: 3, .bad)
        let chunks = try chunks(raster.png)
        #expect(chunks.map(\.name) == ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])
        #expect(chunks[1].bytes.count == chunks[2].bytes.count * 3)
        let rows = try #require(
            Deflate.inflate(Array(chunks[3].bytes.dropFirst(2).dropLast(4)), atMost: 10_000))
        #expect(rows.count == 20 * 81)
        #expect(raster.png.count < 700)
    }

    @Test("what lies outside is not drawn, and nothing comes of nothing")
    func outside() {
        var raster = Raster(width: 20, height: 10)
        let empty = raster.png
        raster.dot(-50, 300, radius: 4, .bad)
        raster.line(-10, -10, -20, -5, thickness: 3, .good)
        #expect(raster.png == empty)
        raster.dot(0, 0, radius: 4, .bad)
        #expect(raster.png != empty)
    }
}
