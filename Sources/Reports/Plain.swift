/// Texts of a server or a rig, made harmless before anything prints them.
enum Plain {
    /// One line without control characters (a terminal would obey them) or marks that turn the
    /// direction of writing, no longer than `limit` characters.
    static func line(_ text: String, limit: Int = 240) -> String {
        let clean = String(String.UnicodeScalarView(text.unicodeScalars.map(replacement)))
        return clean.count <= limit ? clean : clean.prefix(limit - 1) + "…"
    }

    /// Many lines, each treated like `line`, tabs as four spaces.
    static func lines(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { line(spreadTabs($0), limit: 2000) }
            .joined(separator: "\n")
    }

    private static func spreadTabs(_ text: Substring) -> String {
        text.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ")
    }

    private static func replacement(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x09, 0x0a, 0x0d: " "
        case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x202a...0x202e, 0x2028, 0x2029,
            0x2066...0x2069, 0xfffe, 0xffff:
            "\u{fffd}"
        default: scalar
        }
    }
}
