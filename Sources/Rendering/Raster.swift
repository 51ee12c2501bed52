internal import Formats

/// A small picture of dots and lines as a PNG, for mail programs, which draw no SVG. Its ground is transparent and its
/// inks are of middle brightness, so that it stands on white and on black.
package struct Raster: Sendable {
    package enum Ink: UInt8, Sendable, CaseIterable {
        case quiet, series, bad, good

        fileprivate var color: [UInt8] {
            switch self {
            case .quiet: [0x8a, 0x92, 0xa1]
            case .series: [0x67, 0x72, 0xe6]
            case .bad: [0xe0, 0x4a, 0x41]
            case .good: [0x2f, 0xa3, 0x5c]
            }
        }
    }

    /// Pixels to a point: sharp on screens of today.
    private static let scale = 2
    /// Grades of an ink from transparent, which all share as 0, to opaque.
    private static let grades = 7

    /// In points.
    package let width: Int
    package let height: Int
    /// Row by row: 0, or `ink * grades + grade`.
    private var pixels: [UInt8]

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: 0, count: width * height * Self.scale * Self.scale)
    }

    /// All in points; what lies outside is not drawn.
    package mutating func dot(_ x: Double, _ y: Double, radius: Double, _ ink: Ink) {
        line(x, y, x, y, thickness: 2 * radius, ink)
    }

    /// A straight line with round ends.
    package mutating func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, thickness: Double, _ ink: Ink
    ) {
        let scale = Double(Self.scale)
        let (ax, ay, bx, by) = (x1 * scale, y1 * scale, x2 * scale, y2 * scale)
        let reach = thickness * scale / 2
        let rows = bounds(min(ay, by) - reach, max(ay, by) + reach, height)
        let columns = bounds(min(ax, bx) - reach, max(ax, bx) + reach, width)
        let length = (bx - ax) * (bx - ax) + (by - ay) * (by - ay)
        for row in rows {
            for column in columns {
                let (x, y) = (Double(column) + 0.5, Double(row) + 0.5)
                let along =
                    length == 0
                    ? 0 : min(1, max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length))
                let (dx, dy) = (x - ax - along * (bx - ax), y - ay - along * (by - ay))
                let cover = min(1, max(0, reach - (dx * dx + dy * dy).squareRoot() + 0.5))
                put(Int((cover * Double(Self.grades)).rounded()), ink, row, column)
            }
        }
    }

    private func bounds(_ low: Double, _ high: Double, _ size: Int) -> Range<Int> {
        let end = size * Self.scale
        let from = min(end, max(0, Int(low.rounded(.down)) - 1))
        return from..<max(from, min(end, Int(high.rounded(.up)) + 1))
    }

    /// The stronger of two inks that meet stays.
    private mutating func put(_ grade: Int, _ ink: Ink, _ row: Int, _ column: Int) {
        let place = row * width * Self.scale + column
        let present = pixels[place] == 0 ? 0 : (Int(pixels[place]) - 1) % Self.grades + 1
        guard grade > 0, grade >= present || grade > Self.grades / 2 else { return }
        pixels[place] = ink.rawValue * UInt8(Self.grades) + UInt8(grade)
    }

    /// The file (W3C, Portable Network Graphics, 2nd edition): a palette with alpha, each row as its difference
    /// from the one above.
    package var png: [UInt8] {
        let columns = width * Self.scale
        var rows: [UInt8] = []
        for row in 0..<(height * Self.scale) {
            rows.append(2)
            for column in 0..<columns {
                let above = row == 0 ? 0 : pixels[(row - 1) * columns + column]
                rows.append(pixels[row * columns + column] &- above)
            }
        }
        let colors = Ink.allCases.flatMap { ink in (0..<Self.grades).flatMap { _ in ink.color } }
        let alphas = Ink.allCases.flatMap { _ in
            (1...Self.grades).map { UInt8($0 * 255 / Self.grades) }
        }
        let head = Self.four(columns) + Self.four(height * Self.scale) + [8, 3, 0, 0, 0]
        // A zlib stream (RFC 1950): its header, the rows, Adler-32.
        let packed = [0x78, 0x01] + Deflate.deflate(rows) + Self.four(Self.adler(rows))
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + Self.chunk("IHDR", head)
            + Self.chunk("PLTE", [0, 0, 0] + colors) + Self.chunk("tRNS", [0] + alphas)
            + Self.chunk("IDAT", packed) + Self.chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + bytes
        return four(bytes.count) + body + four(Int(Zip.checksum(body)))
    }

    /// Big-endian.
    private static func four(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func adler(_ bytes: [UInt8]) -> Int {
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
