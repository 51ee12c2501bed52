internal import Dialects

/// A JSON text with its keys in a fixed order and its numbers finite.
package indirect enum JSON {
    case object([(String, JSON)])
    case array([JSON])
    case text(String)
    case integer(Int)
    /// At most three decimals unless a number says otherwise.
    case number(Double, decimals: Int = 3)
    case flag(Bool)
    case null

    /// Indented by two spaces; objects and arrays of nothing but plain values stay on one line
    /// while it fits.
    package func rendered(indent: Int = 0) -> String {
        switch self {
        case .object(let members):
            list(
                members.map { "\(JSONText.quoted($0.0)): \($0.1.rendered(indent: indent + 2))" },
                "{",
                "}", indent)
        case .array(let items):
            list(items.map { $0.rendered(indent: indent + 2) }, "[", "]", indent)
        case .text(let text): JSONText.quoted(text)
        case .integer(let number): String(number)
        case .number(let number, let decimals): Figures.trimmed(number, decimals)
        case .flag(let flag): flag ? "true" : "false"
        case .null: "null"
        }
    }

    private func list(_ parts: [String], _ open: String, _ close: String, _ indent: Int) -> String {
        let line = open + parts.joined(separator: ", ") + close
        if line.count + indent <= 220, !line.contains("\n") { return line }
        let margin = String(repeating: " ", count: indent)
        return "\(open)\n\(margin)  " + parts.joined(separator: ",\n\(margin)  ")
            + "\n\(margin)\(close)"
    }

    /// On one line, however long.
    package func line() -> String {
        switch self {
        case .object(let members):
            "{" + members.map { "\(JSONText.quoted($0.0)):\($0.1.line())" }.joined(separator: ",")
                + "}"
        case .array(let items): "[" + items.map { $0.line() }.joined(separator: ",") + "]"
        case .text, .integer, .number, .flag, .null: rendered()
        }
    }
}
