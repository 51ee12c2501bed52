internal import Dialects
internal import Formats

/// How the platform's answer becomes a form field (apple-sso.md § 4). The order of the steps is part
/// of the contract: runs of spaces collapse before line breaks vanish, so that the indentation after
/// a line break survives as one space, and a bare line break leaves nothing.
enum SAMLText {
    /// Steps 1 to 3.
    static func normalised(_ text: String) -> String {
        trimmed(unfolded(text))
    }

    /// Steps 1 to 4: what an encoder of forms is given. It does step 5 itself; encoding here as well
    /// is "the classic bug".
    static func base64(_ text: String) -> String {
        Base64.encode(normalised(text).utf8)
    }

    /// 1 and 2. Every run of spaces and tabs becomes one space, other white space stays; then every newline scalar goes.
    private static func unfolded(_ text: String) -> String {
        let bytes = text.utf8Span.span
        return String(utf8Capacity: bytes.count) { kept in
            var (position, isInRun) = (0, false)
            while position < bytes.count {
                let isBlank = bytes[position] == 0x20 || bytes[position] == 0x09
                let newline = newline(in: bytes, at: position)
                if isBlank {
                    if !isInRun { kept.append(0x20) }
                } else if newline == 0 {
                    kept.append(bytes[position])
                }
                isInRun = isBlank
                position += max(newline, 1)
            }
        }
    }

    /// 3. Separators (category Zs) go at both ends; tabs and newlines are gone by now.
    private static func trimmed(_ text: String) -> String {
        let isInside = { (scalar: Unicode.Scalar) in
            scalar.properties.generalCategory != .spaceSeparator
        }
        guard let first = text.unicodeScalars.firstIndex(where: isInside),
            let last = text.unicodeScalars.lastIndex(where: isInside)
        else { return "" }
        return String(text.unicodeScalars[first...last])
    }

    /// So many bytes has the newline that begins there (U+000A to U+000D, U+0085, U+2028, U+2029); 0: none does. The
    /// bytes are a text's, in which 0xc2 and 0xe2 begin a scalar of two and of three.
    private static func newline(in bytes: Span<UInt8>, at position: Int) -> Int {
        switch bytes[position] {
        case 0x0a...0x0d: 1
        case 0xc2: bytes[position + 1] == 0x85 ? 2 : 0
        case 0xe2: bytes[position + 1] == 0x80 && (bytes[position + 2] | 1) == 0xa9 ? 3 : 0
        default: 0
        }
    }
}
