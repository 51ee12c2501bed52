/// DEFLATE (RFC 1951), as the redirect binding of SAML packs its messages.
public enum Deflate {
    /// The text of a stream; nil where it is none, or where it unpacks to more than `limit` bytes.
    public static func inflate(_ bytes: [UInt8], atMost limit: Int) -> [UInt8]? {
        var reader = Reader(bytes: bytes, limit: limit)
        return reader.read() ? reader.out : nil
    }

    private struct Reader {
        let bytes: [UInt8]
        let limit: Int
        var out: [UInt8] = []
        private var position = 0
        private var held: UInt32 = 0
        private var heldCount = 0

        init(bytes: [UInt8], limit: Int) {
            self.bytes = bytes
            self.limit = limit
        }

        mutating func read() -> Bool {
            while true {
                guard let isLast = bits(1), let kind = bits(2) else { return false }
                let isRead: Bool
                switch kind {
                case 0: isRead = stored()
                case 1: isRead = block(Self.fixedLiterals, Self.fixedDistances)
                case 2: isRead = dynamic()
                default: isRead = false
                }
                guard isRead else { return false }
                if isLast == 1 { return true }
            }
        }

        private mutating func bits(_ count: Int) -> Int? {
            while heldCount < count {
                guard position < bytes.count else { return nil }
                held |= UInt32(bytes[position]) << UInt32(heldCount)
                position += 1
                heldCount += 8
            }
            let value = held & ((1 << UInt32(count)) - 1)
            held >>= UInt32(count)
            heldCount -= count
            return Int(value)
        }

        private mutating func stored() -> Bool {
            held = 0
            heldCount = 0
            guard position + 4 <= bytes.count else { return false }
            let count = Int(bytes[position]) | Int(bytes[position + 1]) << 8
            let check = Int(bytes[position + 2]) | Int(bytes[position + 3]) << 8
            position += 4
            guard count ^ check == 0xffff, position + count <= bytes.count,
                out.count + count <= limit
            else { return false }
            out += bytes[position..<position + count]
            position += count
            return true
        }

        private mutating func dynamic() -> Bool {
            guard let literals = bits(5), let distances = bits(5), let lengths = bits(4) else {
                return false
            }
            let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
            var widths = [Int](repeating: 0, count: 19)
            for place in order.prefix(lengths + 4) {
                guard let width = bits(3) else { return false }
                widths[place] = width
            }
            guard let code = Code(widths) else { return false }
            var all: [Int] = []
            let wanted = literals + 257 + distances + 1
            while all.count < wanted {
                guard let symbol = symbol(code) else { return false }
                switch symbol {
                case 0...15: all.append(symbol)
                case 16:
                    guard let last = all.last, let more = bits(2) else { return false }
                    all += [Int](repeating: last, count: more + 3)
                case 17:
                    guard let more = bits(3) else { return false }
                    all += [Int](repeating: 0, count: more + 3)
                default:
                    guard let more = bits(7) else { return false }
                    all += [Int](repeating: 0, count: more + 11)
                }
            }
            guard all.count == wanted, let first = Code(Array(all[..<(literals + 257)])),
                let second = Code(Array(all[(literals + 257)...]))
            else { return false }
            return block(first, second)
        }

        private mutating func symbol(_ code: Code) -> Int? {
            var value = 0
            var first = 0
            var index = 0
            for length in 1...15 {
                guard let bit = bits(1) else { return nil }
                value |= bit
                let count = code.counts[length]
                if value - count < first { return code.symbols[index + value - first] }
                index += count
                first = (first + count) << 1
                value <<= 1
            }
            return nil
        }

        private mutating func block(_ literals: Code, _ distances: Code) -> Bool {
            while true {
                guard let symbol = symbol(literals) else { return false }
                if symbol == 256 { return true }
                if symbol < 256 {
                    guard out.count < limit else { return false }
                    out.append(UInt8(symbol))
                    continue
                }
                guard symbol - 257 < Self.lengths.count,
                    let more = bits(Self.lengthBits[symbol - 257]),
                    let far = self.symbol(distances), far < Self.distances.count,
                    let further = bits(Self.distanceBits[far])
                else { return false }
                let count = Self.lengths[symbol - 257] + more
                let distance = Self.distances[far] + further
                guard distance <= out.count, out.count + count <= limit else { return false }
                for _ in 0..<count { out.append(out[out.count - distance]) }
            }
        }

        private static let lengths = [
            3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99,
            115, 131, 163, 195, 227, 258,
        ]
        private static let lengthBits = [
            0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
        ]
        private static let distances = [
            1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025,
            1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
        ]
        private static let distanceBits = [
            0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12,
            12, 13, 13,
        ]
        private static let fixedLiterals = Code(
            known: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
        private static let fixedDistances = Code(known: [Int](repeating: 5, count: 30))
    }

    /// A canonical Huffman code (3.2.2).
    private struct Code {
        /// By length, how many codes have it.
        var counts = [Int](repeating: 0, count: 16)
        /// In order of their codes.
        var symbols: [Int]

        init(known widths: [Int]) {
            for width in widths { counts[width] += 1 }
            counts[0] = 0
            symbols = widths.indices.filter { widths[$0] > 0 }.sorted {
                (widths[$0], $0) < (widths[$1], $1)
            }
        }

        /// Nil where more codes are claimed than there are.
        init?(_ widths: [Int]) {
            self.init(known: widths)
            var left = 1
            for length in 1...15 {
                left = left * 2 - counts[length]
                guard left >= 0 else { return nil }
            }
        }
    }
}
