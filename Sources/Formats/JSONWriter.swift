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
    /// `value` with exactly `places` decimals, of which there are few; what is no number prints as 0.
    public static func fixed(_ value: Double, _ places: Int) -> String {
        guard let number = scaled(value, places) else { return unscaled(value) }
        return text(number, places, isNegative: value < 0)
    }

    /// `value` with at most `places` decimals and no trailing zeros.
    public static func trimmed(_ value: Double, _ places: Int = 3) -> String {
        guard var number = scaled(value, places) else {
            let text = unscaled(value)
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        var places = places
        while places > 0, number % 10 == 0 {
            number /= 10
            places -= 1
        }
        return text(number, places, isNegative: value < 0)
    }

    /// In units of the last decimal; nil where those are more than a `Double` counts.
    private static func scaled(_ value: Double, _ places: Int) -> UInt64? {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = (abs(value) * scale).rounded()
        return scaled < 9e15 ? UInt64(scaled) : nil
    }

    private static func unscaled(_ value: Double) -> String {
        value.isFinite ? String(value) : "0"
    }

    private static func text(_ number: UInt64, _ places: Int, isNegative: Bool) -> String {
        // The first digit's unit, and how many digits follow it: one stands in front of the point at least.
        var unit: UInt64 = 1
        var left = 0
        while left < places || number / unit >= 10 {
            unit *= 10
            left += 1
        }
        return String(utf8Capacity: left + 3) { text in
            if isNegative, number > 0 { text.append(UInt8(ascii: "-")) }
            while true {
                text.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
                guard left > 0 else { return }
                if left == places { text.append(UInt8(ascii: ".")) }
                unit /= 10
                left -= 1
            }
        }
    }
}
