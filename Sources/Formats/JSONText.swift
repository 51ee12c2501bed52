/// Writing JSON texts by hand, where a document has a handful of fields.
public enum JSONText {
    /// `text` as a JSON string, quotes included (RFC 8259, 7).
    public static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 2)
        appendQuoted(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `quoted(_:)` as bytes, at the end of others. What needs no escape is copied whole.
    public static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if isPlain(text) {
            bytes.append(text: text)
        } else {
            for scalar in text.unicodeScalars { appendEscaped(scalar, to: &bytes) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Controls beyond those of ASCII as well: whoever prints the JSON prints none.
    private static func appendEscaped(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        switch scalar {
        case "\"": bytes.append(contentsOf: "\\\"".utf8)
        case "\\": bytes.append(contentsOf: "\\\\".utf8)
        case "\n": bytes.append(contentsOf: "\\n".utf8)
        case "\r": bytes.append(contentsOf: "\\r".utf8)
        case "\t": bytes.append(contentsOf: "\\t".utf8)
        case _ where scalar.isControl:
            let digits = String(scalar.value, radix: 16)
            bytes.append(contentsOf: "\\u".utf8)
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
            bytes.append(contentsOf: digits.utf8)
        default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        if bytes.first(of: .json) == bytes.count, bytes.first(0x7f) == bytes.count { return true }
        for position in bytes.indices {
            let byte = bytes[position]
            switch byte {
            // The last four begin the controls beyond ASCII.
            case ..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7f, 0xc2, 0xd8, 0xe2, 0xef:
                return false
            default: continue
            }
        }
        return true
    }
}
