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
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        encode(bytes, standard, pads: true)
    }

    /// The URL-safe alphabet, not padded: parts of a JWT.
    public static func encodeURL(_ bytes: some Collection<UInt8>) -> String {
        encode(bytes, urlSafe, pads: false)
    }

    private static func encode(
        _ bytes: some Collection<UInt8>, _ alphabet: [UInt8], pads: Bool
    ) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bits) & 63)]) }
        while pads, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` spells in either alphabet, padded or not; nil for anything else:
    /// foreign characters, spaces, padding inside or of the wrong length, a lone last character.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        var count = 0
        var padding = 0
        for byte in text {
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

    /// The bytes that a text spells; see `decode(_:)` for bytes.
    public static func decode(_ text: String) -> [UInt8]? {
        decode(text.utf8)
    }
}
