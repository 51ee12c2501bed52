internal import Formats

/// Values and comments as YAML writes them.
enum ManifestText {
    /// A YAML scalar: plain where YAML reads it as that text, otherwise quoted (a JSON string is YAML).
    static func scalar(_ text: String) -> String {
        let isPlain =
            text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./".contains($0)) }
            && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(
                text.lowercased())
        return isPlain ? text : JSONText.quoted(text)
    }

    /// A text of several lines under its key, unchanged; `depth`: number of spaces in front of the key.
    static func block(_ key: String, _ text: String, depth: Int) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // A block would not give back a text that begins with a space, does not end in exactly one line end, or holds
        // carriage returns or tabs.
        let isPlain =
            text.hasSuffix("\n") && !text.hasSuffix("\n\n") && lines.first?.first != " "
            && !text.contains("\r") && !text.contains("\t")
        let before = String(repeating: " ", count: depth) + scalar(key) + ":"
        guard isPlain else { return "\(before) \(JSONText.quoted(text))" }
        return ([before + " |"] + indented(lines.dropLast().map(String.init), by: depth + 2))
            .joined(separator: "\n")
    }

    /// Empty lines stay empty.
    static func indented(_ lines: [String], by depth: Int) -> [String] {
        let blanks = String(repeating: " ", count: depth)
        return lines.map { $0.isEmpty ? "" : blanks + $0 }
    }

    static func indented(_ text: String, by depth: Int) -> String {
        indented(
            text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init),
            by: depth
        ).joined(separator: "\n")
    }

    /// Lines of comment, each broken at a space before column 100.
    static func comment(_ lines: [String]) -> String {
        lines.flatMap { $0.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) }
            .flatMap { wrapped(String($0)) }.map { $0.isEmpty ? "#" : "# " + $0 }.joined(
                separator: "\n")
    }

    /// Commands begin with a space and are never broken.
    private static func wrapped(_ text: String) -> [String] {
        guard !text.hasPrefix(" ") else { return [text] }
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + 1 + word.count <= 98 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

/// The name of a job, and the prefix of its objects: a label of RFC 1123 of at most 40 characters, so that
/// engines can append to it.
public struct JobName: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// A name that the user chose; throws `ManifestError.name` where it is not allowed.
    public init(_ text: String) throws(ManifestError) {
        guard Self.fits(text) else { throw .name(text) }
        description = text
    }

    /// The name for a rig: its letters and digits in lower case, with '-' for everything between them. Words
    /// beyond 40 characters are left out; `screenrig` where nothing is left.
    public init(rig: String) {
        let words = rig.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        var name = ""
        for word in words {
            let longer = name.isEmpty ? String(word) : "\(name)-\(word)"
            if longer.count > Self.longest { break }
            name = longer
        }
        description = name.isEmpty ? "screenrig" : name
    }

    private static let longest = 40

    private static func fits(_ text: String) -> Bool {
        (1...longest).contains(text.count)
            && text.allSatisfy {
                $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-")
            } && text.first != "-" && text.last != "-"
    }
}
