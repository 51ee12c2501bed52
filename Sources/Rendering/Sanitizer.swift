internal import Formats

/// Texts of a server or a rig, made harmless before anything prints them.
package enum Sanitizer {
    /// One line without control characters (a terminal would obey them) or marks that turn the
    /// direction of writing, no longer than `limit` characters.
    package static func line(_ text: String, limit: Int = 240) -> String {
        let clean = String(String.UnicodeScalarView(text.unicodeScalars.map(replacement)))
        return clean.count <= limit ? clean : clean.prefix(limit - 1) + "…"
    }

    /// What is said of a violation: whole, with two names of users and three operations in it.
    package static func sentence(_ text: String) -> String { line(text, limit: 600) }

    /// Many lines, each treated like `line`, tabs as four spaces.
    package static func lines(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { line(spreadTabs($0), limit: 2000) }
            .joined(separator: "\n")
    }

    private static func spreadTabs(_ text: Substring) -> String {
        text.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ")
    }

    private static func replacement(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "\t", "\n", "\r": " "
        default: scalar.isControl ? "\u{fffd}" : scalar
        }
    }
}
