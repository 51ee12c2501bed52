/// Base64 in both alphabets (RFC 4648, 4 and 5).
public enum Base64 {
    private static let standard = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlSafe = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each byte in either alphabet; 255 where it has none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for alphabet in [standard, urlSafe] {
            for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        }
        return values
    }()

    /// The standard alphabet, padded.
    public static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes.span, standard.span, pads: true)
    }

    /// The standard alphabet, padded.
    public static func encode(_ text: String.UTF8View) -> String {
        encode(text.span, standard.span, pads: true)
    }

    /// The URL-safe alphabet, not padded: parts of a JWT.
    public static func encodeURL(_ bytes: [UInt8]) -> String {
        encode(bytes.span, urlSafe.span, pads: false)
    }

    /// The URL-safe alphabet, not padded: parts of a JWT.
    public static func encodeURL(_ text: String.UTF8View) -> String {
        encode(text.span, urlSafe.span, pads: false)
    }

    private static func encode(
        _ bytes: Span<UInt8>, _ alphabet: Span<UInt8>, pads: Bool
    ) -> String {
        String(utf8Capacity: (bytes.count + 2) / 3 * 4) { text in
            var position = 0
            while position + 3 <= bytes.count {
                let three =
                    UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8
                    | UInt32(bytes[position + 2])
                text.append(alphabet[Int(three >> 18)])
                text.append(alphabet[Int(three >> 12 & 63)])
                text.append(alphabet[Int(three >> 6 & 63)])
                text.append(alphabet[Int(three & 63)])
                position += 3
            }
            // One or two bytes are left: two or three digits.
            if position < bytes.count {
                let isOne = position + 1 == bytes.count
                let two =
                    UInt32(bytes[position]) << 8 | (isOne ? 0 : UInt32(bytes[position + 1]))
                text.append(alphabet[Int(two >> 10)])
                text.append(alphabet[Int(two >> 4 & 63)])
                if !isOne { text.append(alphabet[Int(two << 2 & 63)]) }
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
