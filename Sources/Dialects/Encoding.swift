/// Percent-encoding as `application/x-www-form-urlencoded` bodies and query strings share it: only
/// unreserved characters (RFC 3986, 2.3) stay as they are, so nothing is ever read as syntax.
public enum FormEncoding {
    public static func encode(_ text: String) -> String {
        if isPlain(text) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 2)
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// With `%XX` and `+` undone, as a form's value was before it was written; itself where that is no
    /// text.
    public static func decode(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") })
        else { return text }
        let written = text.utf8Span.span
        var bytes: [UInt8] = []
        bytes.reserveCapacity(written.count)
        var position = 0
        while position < written.count {
            let byte = written[position]
            if byte == UInt8(ascii: "%"), position + 2 < written.count,
                let high = value(written[position + 1]), let low = value(written[position + 2])
            {
                bytes.append(high << 4 | low)
                position += 3
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                position += 1
            }
        }
        return String(validating: bytes, as: UTF8.self) ?? text
    }

    /// `a=1&b=2` of the fields, in order.
    public static func fields(_ fields: [(String, String)]) -> String {
        String(decoding: body(fields), as: UTF8.self)
    }

    /// `fields(_:)` as the bytes of a body.
    public static func body(_ fields: [(String, String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fields.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 2 })
        for (position, field) in fields.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: "&")) }
            append(field.0, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            append(field.1, to: &bytes)
        }
        return bytes
    }

    /// Most texts are names and hexadecimal digits: they are copied whole.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        if isPlain(text) { return bytes.append(contentsOf: text.utf8) }
        let plain = text.utf8Span.span
        for position in plain.indices {
            let byte = plain[position]
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digit(byte >> 4))
                bytes.append(digit(byte & 15))
            }
        }
    }

    /// Of a hexadecimal digit.
    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10)
    }

    private static func isPlain(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        for position in bytes.indices where !isUnreserved(bytes[position]) { return false }
        return true
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
