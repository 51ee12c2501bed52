internal import Dialects

/// The little JSON that a history needs: objects of texts and numbers, in order, equal names allowed
/// (header fields repeat), and arrays of them. Written and read without Foundation: several hundred
/// thousand times a second, and exactly.
enum FlatJSON {
    enum Value: Hashable, Sendable {
        case text(String)
        case number(Int)
    }

    typealias Pairs = [(name: String, value: Value)]

    static func object(_ pairs: Pairs) -> String {
        var text = "{"
        for (position, pair) in pairs.enumerated() {
            if position > 0 { text += "," }
            write(pair.name, to: &text)
            text += ":"
            switch pair.value {
            case .text(let value): write(value, to: &text)
            case .number(let value): text += String(value)
            }
        }
        return text + "}"
    }

    /// The same of texts only, with less ado: it is written for every exchange.
    static func object(_ headers: Headers) -> String {
        var text = "{"
        text.reserveCapacity(
            headers.fields.reduce(2) { $0 + $1.name.utf8.count + $1.value.utf8.count + 6 })
        for field in headers.fields {
            if text.utf8.count > 1 { text += "," }
            write(field.name, to: &text)
            text += ":"
            write(field.value, to: &text)
        }
        text += "}"
        return text
    }

    static func objects(_ all: [Pairs]) -> String {
        "[" + all.map(object).joined(separator: ",") + "]"
    }

    static func texts(_ all: [String]) -> String {
        var text = "["
        for (position, value) in all.enumerated() {
            if position > 0 { text += "," }
            write(value, to: &text)
        }
        return text + "]"
    }

    static func readObject(_ text: String) -> Pairs? {
        var reader = FlatReader(text)
        guard let pairs = reader.object(), reader.isAtEnd else { return nil }
        return pairs
    }

    static func readObjects(_ text: String) -> [Pairs]? {
        var reader = FlatReader(text)
        guard let all = reader.array({ $0.object() }), reader.isAtEnd else { return nil }
        return all
    }

    static func readTexts(_ text: String) -> [String]? {
        var reader = FlatReader(text)
        guard let all = reader.array({ $0.text() }), reader.isAtEnd else { return nil }
        return all
    }

    private static func write(_ value: String, to text: inout String) {
        text += "\""
        if value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c }) {
            text += value
        } else {
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\"": text += "\\\""
                case "\\": text += "\\\\"
                case "\n": text += "\\n"
                case _ where scalar.value < 0x20:
                    let digits = String(scalar.value, radix: 16)
                    text += "\\u00" + (digits.count == 1 ? "0" : "") + digits
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        text += "\""
    }

    /// Reads what `FlatJSON` writes; nil for anything else.
    private struct FlatReader {
        private let bytes: [UInt8]
        private var position = 0

        init(_ text: String) { bytes = Array(text.utf8) }

        var isAtEnd: Bool { position == bytes.count }

        mutating func object() -> Pairs? {
            guard take("{") else { return nil }
            var pairs: Pairs = []
            if take("}") { return pairs }
            repeat {
                guard let name = text(), take(":"), let value = value() else { return nil }
                pairs.append((name, value))
            } while take(",")
            return take("}") ? pairs : nil
        }

        mutating func array<Element>(_ element: (inout FlatReader) -> Element?) -> [Element]? {
            guard take("[") else { return nil }
            var all: [Element] = []
            if take("]") { return all }
            repeat {
                guard let one = element(&self) else { return nil }
                all.append(one)
            } while take(",")
            return take("]") ? all : nil
        }

        mutating func text() -> String? {
            guard take("\"") else { return nil }
            var found: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: found, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let escaped = escape() else { return nil }
                    found.append(escaped)
                default: found.append(byte)
                }
            }
            return nil
        }

        private mutating func escape() -> UInt8? {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): return byte
            case UInt8(ascii: "n"): return UInt8(ascii: "\n")
            case UInt8(ascii: "u"):
                guard position + 4 <= bytes.count else { return nil }
                let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
                position += 4
                return UInt8(digits, radix: 16)
            default: return nil
            }
        }

        private mutating func value() -> Value? {
            if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
                return text().map(Value.text)
            }
            let start = position
            while position < bytes.count,
                bytes[position] == UInt8(ascii: "-") || (0x30...0x39).contains(bytes[position])
            {
                position += 1
            }
            return Int(String(decoding: bytes[start..<position], as: UTF8.self)).map(Value.number)
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else {
                return false
            }
            position += 1
            return true
        }
    }
}
