/// Percent-encoding of all but the unreserved characters (RFC 3986, 2.3), as queries and forms share it:
/// nothing of a value is ever read as syntax.
public enum PercentEncoding {
    public static func encode(_ text: String) -> String {
        let encoded = width(of: text)
        if encoded == text.utf8.count { return text }
        return String(utf8Capacity: encoded) { append(text, to: &$0) }
    }

    /// Bytes that a text takes, encoded.
    public static func width(of text: String) -> Int {
        let plain = text.utf8Span.span
        var (width, position) = (plain.count, 0)
        while position <= plain.count - 8 {
            width &+= 2 &* reserved(in: plain.word(at: position)).nonzeroBitCount
            position += 8
        }
        guard position < plain.count else { return width }
        // The zeros behind the last byte are not part of the text.
        let behind = UInt64(64 - 8 * (plain.count - position))
        return width + 2 * (reserved(in: plain.rest(from: position)) << behind).nonzeroBitCount
    }

    public static func append(_ text: String, to bytes: inout OutputSpan<UInt8>) {
        let plain = text.utf8Span.span
        var position = 0
        while position < plain.count {
            let stop = plain.first(from: position, reserved)
            bytes.append(plain.extracting(position..<stop))
            if stop < plain.count {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(Hexadecimal.upper(plain[stop] >> 4))
                bytes.append(Hexadecimal.upper(plain[stop] & 15))
            }
            position = stop + 1
        }
    }

    /// Whether anything is to be undone.
    public static func isEncoded(_ text: Span<UInt8>, plusIsSpace: Bool) -> Bool {
        text.first(of: ByteStops("%", plusIsSpace ? "+" : "%")) < text.count
    }

    /// With `%XX` undone, and `+` where it stands for a space; a `%` without two digits stands for itself.
    public static func decode(_ text: Span<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        [UInt8](capacity: text.count) { bytes in
            let stops = ByteStops("%", plusIsSpace ? "+" : "%")
            var position = 0
            while position < text.count {
                let stop = text.first(of: stops, from: position)
                bytes.append(text.extracting(position..<stop))
                position = stop + 1
                guard stop < text.count else { return }
                if text[stop] == UInt8(ascii: "+") {
                    bytes.append(UInt8(ascii: " "))
                } else if stop + 2 < text.count, let high = Hexadecimal.value(text[stop + 1]),
                    let low = Hexadecimal.value(text[stop + 2])
                {
                    bytes.append(high << 4 | low)
                    position += 2
                } else {
                    bytes.append(UInt8(ascii: "%"))
                }
            }
        }
    }

    /// Of eight bytes, the top bit of each that is not unreserved: no letter or digit of ASCII, and none of `-._~`.
    @inline(__always)
    private static func reserved(in word: UInt64) -> UInt64 {
        let all: UInt64 = 0x0101_0101_0101_0101
        let ascii = word & (all &* 0x7f)
        // What is added sets the top bit of a byte from that value on, and reaches no other byte.
        @inline(__always)
        func from(_ least: UInt64, _ bytes: UInt64) -> UInt64 { bytes &+ all &* (0x80 - least) }
        @inline(__always)
        func isNot(_ byte: Unicode.Scalar) -> UInt64 { from(1, ascii ^ all &* UInt64(byte.value)) }
        let letters = ascii | all &* 0x20
        let isLetter = from(0x61, letters) & ~from(0x7b, letters)
        // From the hyphen to the nine there is nothing else but the slash.
        let isDigit = from(0x2d, ascii) & ~from(0x3a, ascii) & isNot("/")
        let isPlain = isLetter | isDigit | ~(isNot("_") & isNot("~"))
        return (~isPlain | word) & (all &* 0x80)
    }
}
