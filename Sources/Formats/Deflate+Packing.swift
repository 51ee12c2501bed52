extension Deflate {
    /// A stream of one block with the fixed codes (RFC 1951, 3.2.6) in which only runs of one byte are shortened:
    /// plain pictures are little else. Never more than nine eighths of `bytes`, and ten bits.
    public static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        var writer = Writer()
        writer.put(0b011, bits: 3)
        var place = 0
        while place < bytes.count {
            writer.literal(Int(bytes[place]))
            var run = 1
            while place + run < bytes.count, run <= 258, bytes[place + run] == bytes[place] {
                run += 1
            }
            // The first byte is written; at least three more are worth a length.
            if run >= 4 {
                writer.again(run - 1)
                place += run
            } else {
                place += 1
            }
        }
        writer.literal(256)
        return writer.finish()
    }

    private struct Writer {
        private var out: [UInt8] = []
        private var held = 0
        private var count = 0

        /// The lowest bit first.
        mutating func put(_ value: Int, bits: Int) {
            held |= value << count
            count += bits
            while count >= 8 {
                out.append(UInt8(held & 0xff))
                held >>= 8
                count -= 8
            }
        }

        /// Codes come with their highest bit first (3.1.1).
        private mutating func code(_ value: Int, bits: Int) {
            for bit in (0..<bits).reversed() { put(value >> bit & 1, bits: 1) }
        }

        mutating func literal(_ symbol: Int) {
            switch symbol {
            case ..<144: code(0x30 + symbol, bits: 8)
            case ..<256: code(0x190 + symbol - 144, bits: 9)
            case ..<280: code(symbol - 256, bits: 7)
            default: code(0xc0 + symbol - 280, bits: 8)
            }
        }

        /// The last byte again, 3 to 258 times.
        mutating func again(_ length: Int) {
            let last = Self.lengths.lastIndex { $0.from <= length } ?? 0
            literal(257 + last)
            put(length - Self.lengths[last].from, bits: Self.lengths[last].extra)
            code(0, bits: 5)
        }

        mutating func finish() -> [UInt8] {
            if count > 0 { put(0, bits: 8 - count) }
            return out
        }

        /// The table of 3.2.5.
        private static let lengths: [(from: Int, extra: Int)] = {
            var table: [(Int, Int)] = []
            var from = 3
            for symbol in 0..<28 {
                let extra = symbol < 8 ? 0 : symbol / 4 - 1
                table.append((from, extra))
                from += 1 << extra
            }
            return table + [(258, 0)]
        }()
    }
}
