internal import Dialects
internal import Formats

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
        String(utf8Capacity: width(pairs)) { write(pairs, to: &$0) }
    }

    /// The same of texts only: it is written for every exchange.
    static func object(_ headers: Headers) -> String {
        let capacity = headers.fields.reduce(2) { $0 + width($1.name) + width($1.value) + 2 }
        return String(utf8Capacity: capacity) { bytes in
            bytes.append(UInt8(ascii: "{"))
            for field in headers.fields {
                if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
                write(field.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                write(field.value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    static func objects(_ all: [Pairs]) -> String {
        String(utf8Capacity: all.reduce(2) { $0 + width($1) + 1 }) { bytes in
            bytes.append(UInt8(ascii: "["))
            for pairs in all {
                if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
                write(pairs, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
    }

    static func texts(_ all: [String]) -> String {
        String(utf8Capacity: all.reduce(2) { $0 + width($1) + 1 }) { bytes in
            bytes.append(UInt8(ascii: "["))
            for value in all {
                if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
                write(value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
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

    /// Bytes that an object takes at most.
    private static func width(_ pairs: Pairs) -> Int {
        pairs.reduce(2) { sum, pair in
            switch pair.value {
            case .text(let value): sum + width(pair.name) + width(value) + 2
            case .number: sum + width(pair.name) + 22
            }
        }
    }

    private static func write(_ pairs: Pairs, to bytes: inout OutputSpan<UInt8>) {
        bytes.append(UInt8(ascii: "{"))
        for position in pairs.indices {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            write(pairs[position].name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            switch pairs[position].value {
            case .text(let value): write(value, to: &bytes)
            case .number(let value):
                let digits = String(value)
                let span = digits.utf8Span.span
                for place in span.indices { bytes.append(span[place]) }
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// What is written otherwise than it is.
    private static let special = ByteStops(below: 0x20, "\"", "\\")

    /// Bytes that a text takes with its quotation marks: at most six for one that is escaped.
    private static func width(_ value: String) -> Int {
        let text = value.utf8Span.span
        return text.first(of: special) == text.count ? text.count + 2 : text.count * 6 + 2
    }

    private static func write(_ value: String, to bytes: inout OutputSpan<UInt8>) {
        let text = value.utf8Span.span
        bytes.append(UInt8(ascii: "\""))
        let plain = text.first(of: special)
        for position in 0..<plain { bytes.append(text[unchecked: position]) }
        for position in plain..<text.count {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(UInt8(ascii: "n"))
            case ..<0x20:
                for digit in "\\u00".utf8 { bytes.append(digit) }
                bytes.append(Hexadecimal.lower(byte >> 4))
                bytes.append(Hexadecimal.lower(byte & 15))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
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
