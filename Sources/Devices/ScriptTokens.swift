/// The tokens of a script, as far as telling literal redirects needs them (ECMA-262, 12): names, strings,
/// numbers, and every other sign by itself. Nothing is run.
///
/// A text that is not understood for certain has no tokens: a string or a bracket that is not closed, a
/// template with values in it, a slash that may begin a regular expression or divide.
struct ScriptTokens {
    enum Kind { case name, string, number, mark, pattern }

    struct Token {
        var kind: Kind
        /// Its bytes; of a string without the quotes.
        var place: Range<Int>
        /// A line ends before it, so that a statement may.
        var beginsLine: Bool
    }

    private(set) var tokens: [Token] = []
    /// By position, of an opening bracket the position of its closing one; 0 for other tokens.
    private var closings: [Int] = []
    private let bytes: [UInt8]

    /// Scripts that lead on are short; what is longer is a program.
    static let mostBytes = 200_000

    init?(_ script: some Sequence<UInt8>) {
        bytes = Array(script)
        guard bytes.count <= Self.mostBytes, read(), match() else { return nil }
    }

    /// The sign or the name at a position; nil behind the last.
    func text(_ position: Int) -> String? {
        guard tokens.indices.contains(position) else { return nil }
        let token = tokens[position]
        guard token.kind == .name || token.kind == .mark else { return nil }
        return String(decoding: bytes[token.place], as: UTF8.self)
    }

    func holds(_ text: StaticString, at position: Int) -> Bool {
        guard tokens.indices.contains(position) else { return false }
        let token = tokens[position]
        return (token.kind == .name || token.kind == .mark) && bytes.holds(text, in: token.place)
    }

    /// Where the bracket that opens at a position closes; nil for another token.
    func partner(_ position: Int) -> Int? {
        guard tokens.indices.contains(position), closings[position] > 0 else { return nil }
        return closings[position]
    }

    /// What a string or a number says; nil for another token.
    func value(_ position: Int) -> String? {
        guard tokens.indices.contains(position) else { return nil }
        switch tokens[position].kind {
        case .string: return Self.unescaped(bytes[tokens[position].place])
        case .number: return String(decoding: bytes[tokens[position].place], as: UTF8.self)
        case .name, .mark, .pattern: return nil
        }
    }

    // MARK: Reading

    private mutating func read() -> Bool {
        var position = 0
        var beginsLine = true
        while position < bytes.count {
            let byte = bytes[position]
            let start = position
            switch byte {
            case 0x0a, 0x0d:
                beginsLine = true
                position += 1
                continue
            case 0x20, 0x09, 0x0b, 0x0c:
                position += 1
                continue
            case UInt8(ascii: "/") where at(position + 1) == UInt8(ascii: "/"):
                skipLine(&position)
                continue
            case UInt8(ascii: "/") where at(position + 1) == UInt8(ascii: "*"):
                guard skipComment(&position, &beginsLine) else { return false }
                continue
            // As old pages hide scripts from older browsers (ECMA-262, B.1.1).
            case UInt8(ascii: "<") where bytes[position...].starts(with: "<!--".utf8):
                skipLine(&position)
                continue
            case UInt8(ascii: "-")
            where beginsLine && bytes[position...].starts(with: "-->".utf8):
                skipLine(&position)
                continue
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                guard let end = endOfString(from: position + 1, quote: byte) else { return false }
                add(.string, (start + 1)..<end, beginsLine)
                position = end + 1
            case UInt8(ascii: "/"):
                guard let divides else { return false }
                if divides {
                    add(.mark, start..<(start + 1), beginsLine)
                    position += 1
                } else {
                    guard let end = endOfPattern(from: position + 1) else { return false }
                    add(.pattern, start..<end, beginsLine)
                    position = end
                }
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                while position < bytes.count,
                    Self.isName(bytes[position]) || bytes[position] == UInt8(ascii: ".")
                {
                    position += 1
                }
                add(.number, start..<position, beginsLine)
            case _ where Self.isName(byte):
                while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
                add(.name, start..<position, beginsLine)
            // An escaped name, a private one, a byte that no script has outside of strings.
            case UInt8(ascii: "\\"), 0..<0x20: return false
            default:
                add(.mark, start..<(start + 1), beginsLine)
                position += 1
            }
            beginsLine = false
        }
        return true
    }

    private mutating func add(_ kind: Kind, _ place: Range<Int>, _ beginsLine: Bool) {
        tokens.append(Token(kind: kind, place: place, beginsLine: beginsLine))
    }

    private func at(_ position: Int) -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private static func isName(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte)
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    private func skipLine(_ position: inout Int) {
        while let byte = at(position), byte != 0x0a, byte != 0x0d { position += 1 }
    }

    private func skipComment(_ position: inout Int, _ beginsLine: inout Bool) -> Bool {
        position += 2
        while let byte = at(position) {
            if byte == UInt8(ascii: "*"), at(position + 1) == UInt8(ascii: "/") {
                position += 2
                return true
            }
            if byte == 0x0a || byte == 0x0d { beginsLine = true }
            position += 1
        }
        return false
    }

    private func endOfString(from start: Int, quote: UInt8) -> Int? {
        var position = start
        while let byte = at(position) {
            switch byte {
            case quote: return position
            case UInt8(ascii: "\\"): position += 1
            case 0x0a where quote != UInt8(ascii: "`"), 0x0d where quote != UInt8(ascii: "`"):
                return nil
            case UInt8(ascii: "$")
            where quote == UInt8(ascii: "`") && at(position + 1) == UInt8(ascii: "{"):
                return nil
            default: break
            }
            position += 1
        }
        return nil
    }

    /// Whether a slash here divides; nil: that depends on what the bracket before it closes.
    private var divides: Bool? {
        guard let last = tokens.last else { return false }
        switch last.kind {
        case .string, .number, .pattern: return true
        case .name: return !Self.operators.contains { holds($0, at: tokens.count - 1) }
        case .mark:
            switch bytes[last.place.lowerBound] {
            case UInt8(ascii: "]"): return true
            case UInt8(ascii: ")"), UInt8(ascii: "}"): return nil
            default: return false
            }
        }
    }

    /// After these a value follows.
    static let operators: [StaticString] = [
        "return", "typeof", "new", "delete", "void", "in", "of", "instanceof", "await", "yield",
        "case", "else", "do", "throw",
    ]

    private func endOfPattern(from start: Int) -> Int? {
        var position = start
        var isInClass = false
        while let byte = at(position), byte != 0x0a, byte != 0x0d {
            switch byte {
            case UInt8(ascii: "\\"): position += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass:
                position += 1
                while let flag = at(position), Self.isName(flag) { position += 1 }
                return position
            default: break
            }
            position += 1
        }
        return nil
    }

    private mutating func match() -> Bool {
        var open: [(position: Int, closing: UInt8)] = []
        closings = Array(repeating: 0, count: tokens.count)
        for (position, token) in tokens.enumerated() where token.kind == .mark {
            let byte = bytes[token.place.lowerBound]
            switch byte {
            case UInt8(ascii: "("): open.append((position, UInt8(ascii: ")")))
            case UInt8(ascii: "["): open.append((position, UInt8(ascii: "]")))
            case UInt8(ascii: "{"): open.append((position, UInt8(ascii: "}")))
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                guard let last = open.popLast(), last.closing == byte else { return false }
                closings[last.position] = position
            default: break
            }
        }
        return open.isEmpty
    }

    // MARK: Strings

    /// What a literal says (ECMA-262, 12.9.4); nil where an escape is none.
    private static func unescaped(_ literal: ArraySlice<UInt8>) -> String? {
        guard literal.contains(UInt8(ascii: "\\")) else {
            return String(decoding: literal, as: UTF8.self)
        }
        var units: [UInt16] = []
        var rest = Substring(decoding: literal, as: UTF8.self).unicodeScalars
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                units += Array(String(scalar).utf16)
                continue
            }
            guard let escape = rest.popFirst() else { return nil }
            switch escape {
            case "n": units.append(0x0a)
            case "r": units.append(0x0d)
            case "t": units.append(0x09)
            case "b": units.append(0x08)
            case "v": units.append(0x0b)
            case "f": units.append(0x0c)
            case "\n", "\r": break
            case "x":
                guard let unit = number(rest.prefix(2), digits: 2) else { return nil }
                units.append(UInt16(unit))
                rest = rest.dropFirst(2)
            case "u" where rest.first == "{":
                let digits = rest.dropFirst().prefix(7).prefix { $0 != "}" }
                guard let value = number(digits, digits: digits.count),
                    let named = Unicode.Scalar(value)
                else { return nil }
                units += Array(String(named).utf16)
                rest = rest.dropFirst(digits.count + 2)
            case "u":
                guard let unit = number(rest.prefix(4), digits: 4) else { return nil }
                units.append(UInt16(unit))
                rest = rest.dropFirst(4)
            // Octal ones are errors in half of all scripts.
            case "0"..."9": return nil
            default: units += Array(String(escape).utf16)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func number(
        _ digits: Substring.UnicodeScalarView, digits count: Int
    ) -> UInt32? {
        guard digits.count == count, digits.allSatisfy(\.properties.isASCIIHexDigit) else {
            return nil
        }
        return UInt32(String(digits), radix: 16)
    }
}
