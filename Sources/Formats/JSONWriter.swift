extension JSON: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self = .string(text) }

    /// An object of names and values, in that order.
    public static func members(_ members: [(String, JSON)]) -> JSON {
        .object(members.map { Member(name: $0.0, value: $0.1) })
    }

    public static func integer(_ value: Int) -> JSON { .number(String(value)) }

    /// Rounded to at most so many decimals; what is no number is 0.
    public static func decimal(_ value: Double, _ decimals: Int = 3) -> JSON {
        .number(DecimalText.trimmed(value, decimals))
    }

    /// An object with more texts in it, before the member of that name.
    public func inserting(_ texts: [(String, String)], before name: String) -> JSON {
        guard case .object(var members) = self else { return self }
        let place = members.firstIndex { $0.name == name } ?? members.endIndex
        members.insert(
            contentsOf: texts.map { Member(name: $0.0, value: .string($0.1)) }, at: place)
        return .object(members)
    }

    /// How a text is laid out.
    public enum Layout: Sendable {
        /// Without spaces: `{"a":1}`.
        case compact
        /// On one line: `{"a": 1, "b": [1, 2]}`.
        case line
        /// Indented by two spaces; objects and arrays of nothing but plain values stay on one line while it
        /// fits.
        case page
        /// Indented by two spaces; only arrays of plain values are on one line.
        case indented
    }

    /// The value as a text (RFC 8259), without a line end.
    public func text(_ layout: Layout) -> String { text(layout, indent: 0) }

    private func text(_ layout: Layout, indent: Int) -> String {
        let colon = layout == .compact ? ":" : ": "
        switch self {
        case .object(let members):
            let parts = members.map {
                JSONText.quoted($0.name) + colon + $0.value.text(layout, indent: indent + 2)
            }
            return list(parts, "{", "}", layout, indent, isFlat: members.isEmpty)
        case .array(let items):
            let parts = items.map { $0.text(layout, indent: indent + 2) }
            return list(parts, "[", "]", layout, indent, isFlat: items.allSatisfy(\.isPlain))
        case .string(let text): return JSONText.quoted(text)
        case .number(let digits): return digits
        case .bool(let flag): return flag ? "true" : "false"
        case .null: return "null"
        }
    }

    private var isPlain: Bool {
        switch self {
        case .object, .array: false
        case .string, .number, .bool, .null: true
        }
    }

    private func list(
        _ parts: [String], _ open: String, _ close: String, _ layout: Layout, _ indent: Int,
        isFlat: Bool
    ) -> String {
        let line = open + parts.joined(separator: layout == .compact ? "," : ", ") + close
        let isOnOne =
            switch layout {
            case .compact, .line: true
            case .page: line.count + indent <= 220 && !line.contains("\n")
            case .indented: isFlat
            }
        if isOnOne { return line }
        let margin = String(repeating: " ", count: indent)
        return "\(open)\n\(margin)  " + parts.joined(separator: ",\n\(margin)  ")
            + "\n\(margin)\(close)"
    }
}

/// Numbers in figures: arithmetic of our own, so that a locale or a processor never changes a text.
public enum DecimalText {
    /// `value` with exactly `places` decimals; what is no number prints as 0.
    public static func fixed(_ value: Double, _ places: Int) -> String {
        guard value.isFinite else { return "0" }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = (abs(value) * scale).rounded()
        guard scaled < 9e15 else { return String(value) }
        let digits = String(Int64(scaled))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let whole = String(padded.dropLast(places))
        let sign = value < 0 && scaled > 0 ? "-" : ""
        return places == 0 ? sign + whole : "\(sign)\(whole).\(padded.suffix(places))"
    }

    /// `value` with at most `places` decimals and no trailing zeros.
    public static func trimmed(_ value: Double, _ places: Int = 3) -> String {
        var text = fixed(value, places)
        guard text.contains(".") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
