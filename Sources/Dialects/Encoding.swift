/// Percent-encoding as `application/x-www-form-urlencoded` bodies and query strings share it: only
/// unreserved characters (RFC 3986, 2.3) stay as they are, so nothing is ever read as syntax.
public enum FormEncoding {
    public static func encode(_ text: String) -> String {
        if text.utf8.allSatisfy(isUnreserved) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `a=1&b=2` of the fields, in order.
    public static func fields(_ fields: [(String, String)]) -> String {
        fields.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

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

/// Base64, standard alphabet, padded, no line breaks (RFC 4648, 4).
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while let first = rest.popFirst() {
            let second = rest.popFirst()
            let third = rest.popFirst()
            let group = Int(first) << 16 | Int(second ?? 0) << 8 | Int(third ?? 0)
            text.append(alphabet[group >> 18])
            text.append(alphabet[group >> 12 & 63])
            text.append(second == nil ? UInt8(ascii: "=") : alphabet[group >> 6 & 63])
            text.append(third == nil ? UInt8(ascii: "=") : alphabet[group & 63])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Writing JSON texts by hand, where a document has a handful of fields.
public enum JSONText {
    /// `text` as a JSON string, quotes included (RFC 8259, 7).
    public static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case ..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
