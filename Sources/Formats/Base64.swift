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
        let text = [UInt8](capacity: (bytes.count + 2) / 3 * 4) { text in
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
        return String(decoding: text, as: UTF8.self)
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
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        var count = 0
        var padding = 0
        for position in text.indices {
            let byte = text[position]
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            let value = values[Int(byte)]
            guard value != 255, padding == 0 else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            count += 1
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        guard count % 4 != 1, padding == 0 || (count + padding) % 4 == 0 && padding < 3 else {
            return nil
        }
        return bytes
    }
}
