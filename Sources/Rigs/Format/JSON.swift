internal import Dialects
internal import Formats

/// JSON to be written: objects keep the order of their keys.
indirect enum JSON: Sendable, ExpressibleByStringLiteral {
    case string(String)
    case number(Int)
    /// Digits with a point, as they are written.
    case decimal(String)
    case boolean(Bool)
    case array([JSON])
    case object([(String, JSON)])

    init(stringLiteral text: String) {
        self = .string(text)
    }

    /// Indented by two spaces; arrays of plain values on one line.
    func text(indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .string(let text): return JSONText.quoted(text)
        case .number(let number): return String(number)
        case .decimal(let digits): return digits
        case .boolean(let flag): return String(flag)
        case .array(let items):
            let isFlat = items.allSatisfy { item in
                switch item {
                case .array, .object: false
                default: true
                }
            }
            if isFlat { return "[" + items.map { $0.text() }.joined(separator: ", ") + "]" }
            return "[\n" + items.map { inner + $0.text(indent: inner) }.joined(separator: ",\n")
                + "\n\(indent)]"
        case .object(let entries):
            if entries.isEmpty { return "{}" }
            return "{\n"
                + entries.map { "\(inner)\(JSONText.quoted($0.0)): \($0.1.text(indent: inner))" }
                .joined(separator: ",\n") + "\n\(indent)}"
        }
    }
}
