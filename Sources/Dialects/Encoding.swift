internal import Formats

/// Forms and query strings (`application/x-www-form-urlencoded`), as devices and browsers write them.
public enum FormEncoding {
    public static func encode(_ text: String) -> String { PercentEncoding.encode(text) }

    /// With `%XX` and `+` undone, as a form's value was before it was written; itself where that is no
    /// text.
    public static func decode(_ text: String) -> String {
        let written = text.utf8Span.span
        guard PercentEncoding.isEncoded(written, plusIsSpace: true) else { return text }
        let bytes = PercentEncoding.decode(written, plusIsSpace: true)
        return String(validating: bytes, as: UTF8.self) ?? text
    }

    /// The fields of a body, in order, as `body(_:)` writes them.
    public static func pairs(_ body: [UInt8]) -> [(String, String)] {
        String(decoding: body, as: UTF8.self).split(separator: "&").map { pair in
            let parts = pair.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                decode(String(parts[0])), parts.count > 1 ? decode(String(parts[1])) : ""
            )
        }
    }

    /// `a=1&b=2` of the fields, in order.
    public static func fields(_ fields: [(String, String)]) -> String {
        String(decoding: body(fields), as: UTF8.self)
    }

    /// `fields(_:)` as the bytes of a body.
    public static func body(_ fields: [(String, String)]) -> [UInt8] {
        let width = fields.reduce(0) {
            $0 + PercentEncoding.width(of: $1.0) + PercentEncoding.width(of: $1.1) + 2
        }
        return [UInt8](capacity: width) { bytes in
            for (name, value) in fields {
                if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
                PercentEncoding.append(name, to: &bytes)
                bytes.append(UInt8(ascii: "="))
                PercentEncoding.append(value, to: &bytes)
            }
        }
    }
}
