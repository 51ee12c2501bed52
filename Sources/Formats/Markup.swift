/// Text as it may stand in HTML, SVG or XML, in an attribute or between tags.
public enum Markup {
    /// For a reader: the five characters that mean something, and no control character.
    public static func escaped(_ text: String) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count)
        if text.unicodeScalars.contains(where: isHarmful) {
            var shown = String.UnicodeScalarView()
            for scalar in text.unicodeScalars {
                shown.append(isHarmful(scalar) ? "\u{fffd}" : scalar)
            }
            xml(String(shown), to: &out)
        } else {
            xml(text, to: &out)
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isControl && scalar != "\n" && scalar != "\t"
    }

    /// For a program: the five characters; what may not stand in XML 1.0, not even escaped (2.2), becomes
    /// `?`. Appends to `out`.
    public static func xml(_ text: String, to out: inout [UInt8]) {
        let bytes = text.utf8Span.span
        var plain = 0
        for position in bytes.indices {
            let entity: StaticString
            switch bytes[position] {
            case UInt8(ascii: "&"): entity = "&amp;"
            case UInt8(ascii: "<"): entity = "&lt;"
            case UInt8(ascii: ">"): entity = "&gt;"
            case UInt8(ascii: "\""): entity = "&quot;"
            case UInt8(ascii: "'"): entity = "&#39;"
            case 9, 10, 13: continue
            case 0..<32: entity = "?"
            default: continue
            }
            for copied in plain..<position { out.append(bytes[copied]) }
            entity.withUTF8Buffer { out.append(contentsOf: $0) }
            plain = position + 1
        }
        if plain == 0 { return out.append(text: text) }
        for copied in plain..<bytes.count { out.append(bytes[copied]) }
    }

    /// The same as a text.
    public static func xml(_ text: String) -> String {
        var out: [UInt8] = []
        xml(text, to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Undoes `xml`, for text that we have escaped ourselves.
    public static func unescape(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result: [UInt8] = []
        // What `xml` wrote is well formed: anything else is returned as it stands.
        return XMLText.append(Array(text.utf8)[...], to: &result)
            ? String(decoding: result, as: UTF8.self) : text
    }
}
