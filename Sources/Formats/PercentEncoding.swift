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
        let (plain, unreserved) = (text.utf8Span.span, unreserved)
        var width = plain.count
        for position in plain.indices where !unreserved.contains(plain[position]) { width &+= 2 }
        return width
    }

    public static func append(_ text: String, to bytes: inout OutputSpan<UInt8>) {
        let (plain, unreserved) = (text.utf8Span.span, unreserved)
        for position in plain.indices {
            let byte = plain[position]
            if unreserved.contains(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(Hexadecimal.upper(byte >> 4))
                bytes.append(Hexadecimal.upper(byte & 15))
            }
        }
    }

    /// Whether anything is to be undone.
    public static func isEncoded(_ text: Span<UInt8>, plusIsSpace: Bool) -> Bool {
        text.first(of: ByteStops("%", plusIsSpace ? "+" : "%")) < text.count
    }

    /// With `%XX` undone, and `+` where it stands for a space; a `%` without two digits stands for itself.
    public static func decode(_ text: Span<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        [UInt8](capacity: text.count) { bytes in
            var position = 0
            while position < text.count {
                let byte = text[position]
                if byte == UInt8(ascii: "%"), position + 2 < text.count,
                    let high = Hexadecimal.value(text[position + 1]),
                    let low = Hexadecimal.value(text[position + 2])
                {
                    bytes.append(high << 4 | low)
                    position += 3
                } else {
                    let isSpace = plusIsSpace && byte == UInt8(ascii: "+")
                    bytes.append(isSpace ? UInt8(ascii: " ") : byte)
                    position += 1
                }
            }
        }
    }

    private static let unreserved = ByteSet { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
