internal import Dialects
internal import Formats

/// How the platform's answer becomes a form field (apple-sso.md § 4). The order of the steps is part
/// of the contract: runs of spaces collapse before line breaks vanish, so that the indentation after
/// a line break survives as one space, and a bare line break leaves nothing.
enum SAMLText {
    /// Steps 1 to 3.
    static func normalised(_ text: String) -> String {
        trimmed(unfolded(collapsed(text)))
    }

    /// Steps 1 to 4: what an encoder of forms is given. It does step 5 itself; encoding here as well
    /// is "the classic bug".
    static func base64(_ text: String) -> String {
        Base64.encode(normalised(text).utf8)
    }

    /// 1. Every run of spaces and tabs becomes one space; other white space stays.
    private static func collapsed(_ text: String) -> String.UnicodeScalarView {
        var scalars = String.UnicodeScalarView()
        var isInRun = false
        for scalar in text.unicodeScalars {
            let isBlank = scalar == " " || scalar == "\t"
            if !isBlank {
                scalars.append(scalar)
            } else if !isInRun {
                scalars.append(" ")
            }
            isInRun = isBlank
        }
        return scalars
    }

    /// 2. Every newline scalar goes.
    private static func unfolded(_ scalars: String.UnicodeScalarView) -> String.UnicodeScalarView {
        var kept = String.UnicodeScalarView()
        for scalar in scalars where !isNewline(scalar) { kept.append(scalar) }
        return kept
    }

    /// 3. Tabs, newlines and separators (category Zs) go at both ends.
    private static func trimmed(_ scalars: String.UnicodeScalarView) -> String {
        let isOutside = { (scalar: Unicode.Scalar) in
            scalar == "\t" || isNewline(scalar)
                || scalar.properties.generalCategory == .spaceSeparator
        }
        guard let first = scalars.firstIndex(where: { !isOutside($0) }),
            let last = scalars.lastIndex(where: { !isOutside($0) })
        else { return "" }
        return String(String.UnicodeScalarView(scalars[first...last]))
    }

    private static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0a...0x0d, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
