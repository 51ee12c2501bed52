/// Base64 in both alphabets (RFC 4648, 4 and 5).
public enum Base64 {
    /// The value of each byte in either alphabet; 255 where it has none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        let shared = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        for digits in [shared + "+/", shared + "-_"] {
            for (value, byte) in digits.utf8.enumerated() { values[Int(byte)] = UInt8(value) }
        }
        return values
    }()

    /// An alphabet, by what its last two digits are: before them both have letters and figures.
    private struct Alphabet {
        /// From what would follow upon the nine to the digit of 62.
        let back: UInt64
        /// From what would follow upon that to the digit of 63.
        let forth: UInt64

        static let standard = Alphabet(back: 15, forth: 3)
        static let urlSafe = Alphabet(back: 13, forth: 49)

        /// The eight digits of the upper six bytes of a number, the first in the lowest byte.
        @inline(__always)
        func digits(of bytes: UInt64) -> UInt64 {
            // 24 bits into each half, 12 into each quarter, 6 into each byte: the first still in the highest.
            let halves = bytes >> 8 & 0x00ff_ffff_0000_0000 | bytes >> 16 & 0x00ff_ffff
            let quarters = halves << 4 & 0x0fff_0000_0fff_0000 | halves & 0x0fff_0000_0fff
            let values = quarters << 2 & 0x3f00_3f00_3f00_3f00 | quarters & 0x003f_003f_003f_003f
            let all: UInt64 = 0x0101_0101_0101_0101
            @inline(__always)
            func isFrom(_ least: UInt64) -> UInt64 { (values &+ all &* (0x80 - least)) >> 7 & all }
            let digits =
                values &+ all &* 0x41 &+ isFrom(26) &* 6 &- isFrom(52) &* 75
                &- isFrom(62) &* back &+ isFrom(63) &* forth
            return digits.byteSwapped
        }
    }

    /// The standard alphabet, padded.
    public static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes.span, Alphabet.standard, pads: true)
    }

    /// The standard alphabet, padded.
    public static func encode(_ text: String.UTF8View) -> String {
        encode(text.span, Alphabet.standard, pads: true)
    }

    /// The URL-safe alphabet, not padded: parts of a JWT.
    public static func encodeURL(_ bytes: [UInt8]) -> String {
        encode(bytes.span, Alphabet.urlSafe, pads: false)
    }

    /// The URL-safe alphabet, not padded: parts of a JWT.
    public static func encodeURL(_ text: String.UTF8View) -> String {
        encode(text.span, Alphabet.urlSafe, pads: false)
    }

    private static func encode(_ bytes: Span<UInt8>, _ alphabet: Alphabet, pads: Bool) -> String {
        String(utf8Capacity: (bytes.count + 2) / 3 * 4) { text in
            var position = 0
            while position <= bytes.count - 8 {
                text.append(alphabet.digits(of: bytes.word(at: position).byteSwapped), bytes: 8)
                position += 6
            }
            // Of fewer than six bytes the last digit is filled up with zeros.
            while position < bytes.count {
                let rest = bytes.rest(from: position).byteSwapped
                let digits = min(((bytes.count - position) * 8 + 5) / 6, 8)
                text.append(alphabet.digits(of: rest), bytes: digits)
                position += 6
            }
            while pads, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        }
    }

    /// The bytes that `text` spells in either alphabet, padded or not; nil for anything else:
    /// foreign characters, spaces, padding inside or of the wrong length, a lone last character.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        decode(Array(text).span)
    }

    /// The bytes that a text spells; see `decode(_:)` for bytes.
    public static func decode(_ text: String) -> [UInt8]? {
        decode(text.utf8Span.span)
    }

    private static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var end = text.count
        while end > 0, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        let padding = text.count - end
        guard end % 4 != 1, padding == 0 || text.count % 4 == 0 && padding < 3 else { return nil }
        var isRight = true
        let bytes = [UInt8](capacity: end * 3 / 4) { bytes in
            isRight = append(text.extracting(0..<end), values.span, to: &bytes)
        }
        return isRight ? bytes : nil
    }

    /// False where a byte is no digit.
    private static func append(
        _ text: Span<UInt8>, _ values: Span<UInt8>, to bytes: inout OutputSpan<UInt8>
    ) -> Bool {
        var position = 0
        while position + 4 <= text.count {
            let one = values[Int(text[position])]
            let two = values[Int(text[position + 1])]
            let three = values[Int(text[position + 2])]
            let four = values[Int(text[position + 3])]
            guard one | two | three | four < 64 else { return false }
            bytes.append(one << 2 | two >> 4)
            bytes.append(two << 4 | three >> 2)
            bytes.append(three << 6 | four)
            position += 4
        }
        // Two or three digits are left: one byte or two.
        guard position < text.count else { return true }
        let one = values[Int(text[position])]
        let two = values[Int(text[position + 1])]
        let three = position + 2 < text.count ? values[Int(text[position + 2])] : 0
        guard one | two | three < 64 else { return false }
        bytes.append(one << 2 | two >> 4)
        if position + 2 < text.count { bytes.append(two << 4 | three >> 2) }
        return true
    }
}
