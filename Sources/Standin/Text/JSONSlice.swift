internal import Formats

/// JSON that came in (RFC 8259). Small and strict: for bodies of a few hundred bytes.
enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Nil when `bytes` are not one JSON value and nothing more.
    init?(_ bytes: [UInt8]) {
        var reader = JSONSlice(bytes: bytes)
        guard let value = reader.value(depth: 0), reader.isAtEnd() else { return nil }
        self = value
    }

    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The strings of a list, or the words of a string.
    var words: [String]? {
        switch self {
        case .array(let items): items.compactMap(\.string)
        case .string(let text): text.split(separator: " ").map(String.init)
        default: nil
        }
    }

    /// A string, or a number or truth value in its usual spelling.
    var spelled: String? {
        switch self {
        case .string(let text): text
        case .number(let number):
            if let whole = Int64(exactly: number) { String(whole) } else { String(number) }
        case .bool(let flag): flag ? "true" : "false"
        default: nil
        }
    }
}

/// Reads and quotes JSON text.
struct JSONSlice {
    private let bytes: [UInt8]
    private var position = 0
    /// Deeper nesting than any message of ours, and far from the end of the stack.
    private static let deepest = 32

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// What does not stand for itself in a string.
    private static var stops: ByteStops { ByteStops(below: 32, "\"", "\\") }

    static func quote(_ text: String, to out: inout [UInt8]) {
        let plain = text.utf8Span.span
        if plain.first(of: Self.stops) == plain.count {
            // Once for all of it: else text and mark each might move what is there.
            out.append(addingCapacity: plain.count + 2) { out in
                out.append(UInt8(ascii: "\""))
                out.append(plain)
                out.append(UInt8(ascii: "\""))
            }
            return
        }
        out.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): out += #"\""#.utf8
            case UInt8(ascii: "\\"): out += #"\\"#.utf8
            case UInt8(ascii: "\n"): out += #"\n"#.utf8
            case 0..<32:
                let digits = String(byte, radix: 16)
                out += "\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8
            default: out.append(byte)
            }
        }
        out.append(UInt8(ascii: "\""))
    }

    mutating func isAtEnd() -> Bool {
        skipSpaces()
        return position == bytes.count
    }

    mutating func value(depth: Int) -> JSONValue? {
        skipSpaces()
        guard depth < Self.deepest, position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JSONValue? {
        position += 1
        var members: [String: JSONValue] = [:]
        if takes(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpaces()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\""),
                let name = string(), takes(UInt8(ascii: ":")), let value = value(depth: depth + 1)
            else { return nil }
            members[name] = value
            if takes(UInt8(ascii: "}")) { return .object(members) }
            guard takes(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func array(depth: Int) -> JSONValue? {
        position += 1
        var items: [JSONValue] = []
        if takes(UInt8(ascii: "]")) { return .array(items) }
        while true {
            guard let value = value(depth: depth + 1) else { return nil }
            items.append(value)
            if takes(UInt8(ascii: "]")) { return .array(items) }
            guard takes(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func string() -> String? {
        position += 1
        let start = position
        position = bytes.span.first(of: Self.stops, from: start)
        var text = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let valid = try? UTF8Span(validating: text.span) else { return nil }
                return String(copying: valid)
            case UInt8(ascii: "\\"):
                guard escaped(to: &text) else { return nil }
            case 0..<32: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escaped(to text: inout [UInt8]) -> Bool {
        guard position < bytes.count else { return false }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "u"):
            guard var point = fourDigits() else { return false }
            if (0xd800..<0xdc00).contains(point) {
                guard take("\\u"), let low = fourDigits(), (0xdc00..<0xe000).contains(low) else {
                    return false
                }
                point = 0x10000 + (point - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(point) else { return false }
            text += String(Character(scalar)).utf8
        default: return false
        }
        return true
    }

    private mutating func fourDigits() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = Hexadecimal.value(byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        position += 4
        return value
    }

    private mutating func number() -> JSONValue? {
        let start = position
        while position < bytes.count,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position])
                || [43, 45, 46, 69, 101].contains(bytes[position])
        {
            position += 1
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let digits = text.drop { $0 == "-" }
        guard let first = digits.first, ("0"..."9").contains(first), text.last != ".",
            first != "0" || digits.count == 1 || ".eE".contains(digits.dropFirst().first ?? "."),
            let value = Double(text), value.isFinite
        else { return nil }
        return .number(value)
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let matches = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if matches { position += word.utf8CodeUnitCount }
        return matches
    }

    private mutating func takes(_ byte: UInt8) -> Bool {
        skipSpaces()
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpaces() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 32 || byte == 9 || byte == 10 || byte == 13
    }
}
