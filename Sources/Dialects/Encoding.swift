internal import Formats

/// Percent-encoding as `application/x-www-form-urlencoded` bodies and query strings share it: only
/// unreserved characters (RFC 3986, 2.3) stay as they are, so nothing is ever read as syntax.
public enum FormEncoding {
    public static func encode(_ text: String) -> String {
        let encoded = width(of: text)
        if encoded == text.utf8.count { return text }
        return String(
            decoding: [UInt8](capacity: encoded) { append(text, to: &$0) }, as: UTF8.self)
    }

    /// With `%XX` and `+` undone, as a form's value was before it was written; itself where that is no
    /// text.
    public static func decode(_ text: String) -> String {
        let written = text.utf8Span.span
        let start = written.first(of: escapes)
        guard start < written.count else { return text }
        let bytes = [UInt8](capacity: written.count) { bytes in
            var position = 0
            while position < written.count {
                let byte = written[position]
                if byte == UInt8(ascii: "%"), position + 2 < written.count,
                    let high = Hexadecimal.value(written[position + 1]),
                    let low = Hexadecimal.value(written[position + 2])
                {
                    bytes.append(high << 4 | low)
                    position += 3
                } else {
                    bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                    position += 1
                }
            }
        }
        return String(validating: bytes, as: UTF8.self) ?? text
    }

    private static var escapes: ByteStops { ByteStops("%", "+") }

    /// `a=1&b=2` of the fields, in order.
    public static func fields(_ fields: [(String, String)]) -> String {
        String(decoding: body(fields), as: UTF8.self)
    }

    /// `fields(_:)` as the bytes of a body.
    public static func body(_ fields: [(String, String)]) -> [UInt8] {
        let total = fields.reduce(0) { $0 + width(of: $1.0) + width(of: $1.1) + 2 }
        return [UInt8](capacity: total) { bytes in
            for (name, value) in fields {
                if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
                append(name, to: &bytes)
                bytes.append(UInt8(ascii: "="))
                append(value, to: &bytes)
            }
        }
    }

    /// Bytes that a text takes, encoded.
    private static func width(of text: String) -> Int {
        let (plain, unreserved) = (text.utf8Span.span, unreserved)
        var width = plain.count
        for position in plain.indices where !unreserved.contains(plain[position]) { width += 2 }
        return width
    }

    private static func append(_ text: String, to bytes: inout OutputSpan<UInt8>) {
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
