internal import Formats

/// How values stand in YAML, and in comments.
enum ManifestText {
    /// A YAML scalar: plain where that cannot be taken for anything else, else quoted (a JSON string is YAML).
    static func scalar(_ text: String) -> String {
        let isPlain =
            text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./".contains($0)) }
            && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(
                text.lowercased())
        return isPlain ? text : JSONText.quoted(text)
    }

    /// A text of several lines under its key, exactly as it is; `depth`: blanks in front of the key.
    static func block(_ key: String, _ text: String, depth: Int) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // What begins with blanks, ends otherwise than in one line's end, or holds other ends of lines would not come
        // back from a block as it was.
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

    /// Lines of comment, each broken at a blank before column 100.
    static func comment(_ lines: [String]) -> String {
        lines.flatMap { wrapped($0) }.map { $0.isEmpty ? "#" : "# " + $0 }.joined(separator: "\n")
    }

    /// Commands, which begin with a blank, are never broken.
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

/// The name of a job, and of what belongs to it (RFC 1123, and room for what engines add).
public struct JobName: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// A name that somebody chose.
    public init(_ text: String) throws(ManifestError) {
        guard Self.fits(text) else { throw .name(text) }
        description = text
    }

    /// Of a rig: its letters and digits, and '-' for what stands between them.
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
