/// A strict JSON reader (RFC 8259) over bytes. Own, because it sits on the path of every answer:
/// Foundation's decoder takes 2.3 us for a token answer.
public struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0
    private var nodes = 0
    private let nodesAtMost: Int
    private var limit: JSON.Limit?

    /// The document, nil when it is not exactly one JSON value of at most 64 levels and so many values: as
    /// many as an answer may have, unless a file is read.
    public static func read(_ bytes: [UInt8], nodesAtMost: Int = JSON.maximumNodes) -> JSON? {
        var limit: JSON.Limit?
        return read(bytes, &limit, nodesAtMost: nodesAtMost)
    }

    /// The same; `limit` is what it is beyond, if it is nil for that.
    public static func read(
        _ bytes: [UInt8], _ limit: inout JSON.Limit?, nodesAtMost: Int = JSON.maximumNodes
    ) -> JSON? {
        var reader = JSONReader(bytes: bytes, nodesAtMost: nodesAtMost)
        guard let value = reader.value(depth: 0) else {
            limit = reader.limit
            return nil
        }
        reader.skipSpace()
        return reader.position == bytes.count ? value : nil
    }

    private init(bytes: [UInt8], nodesAtMost: Int) {
        self.nodesAtMost = nodesAtMost
        self.bytes = bytes
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            position += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) -> JSON? {
        nodes += 1
        guard depth < JSON.maximumDepth, nodes <= nodesAtMost else {
            limit = depth < JSON.maximumDepth ? .nodes : .depth
            return nil
        }
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map(JSON.string)
        case UInt8(ascii: "t"): return word("true", .bool(true))
        case UInt8(ascii: "f"): return word("false", .bool(false))
        case UInt8(ascii: "n"): return word("null", .null)
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JSON? {
        position += 1
        var members: [JSON.Member] = []
        if take(UInt8(ascii: "}")) { return .object(members) }
        members.reserveCapacity(6)
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\""), let name = string(), take(UInt8(ascii: ":")),
                let value = value(depth: depth + 1)
            else { return nil }
            members.append(JSON.Member(name: name, value: value))
            if take(UInt8(ascii: ",")) { continue }
            return take(UInt8(ascii: "}")) ? .object(members) : nil
        }
    }

    private mutating func array(depth: Int) -> JSON? {
        position += 1
        var items: [JSON] = []
        if take(UInt8(ascii: "]")) { return .array([]) }
        while true {
            guard let value = value(depth: depth + 1) else { return nil }
            items.append(value)
            if take(UInt8(ascii: ",")) { continue }
            return take(UInt8(ascii: "]")) ? .array(items) : nil
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) -> JSON? {
        guard position + word.utf8CodeUnitCount <= bytes.count else { return nil }
        for offset in 0..<word.utf8CodeUnitCount
        where bytes[position + offset] != word.utf8Start[offset] {
            return nil
        }
        position += word.utf8CodeUnitCount
        return value
    }

    private mutating func number() -> JSON? {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        guard let first = current, isDigit(first) else { return nil }
        skipDigits()
        if first == UInt8(ascii: "0"), bytes[position - 1] != first || position - start > 2 {
            return nil
        }
        if current == UInt8(ascii: ".") {
            position += 1
            guard let digit = current, isDigit(digit) else { return nil }
            skipDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            guard let digit = current, isDigit(digit) else { return nil }
            skipDigits()
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func skipDigits() {
        while let byte = current, isDigit(byte) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private mutating func string() -> String? {
        position += 1
        let start = position
        var isASCII = true
        let all = bytes
        var end = start
        while end < all.count {
            let byte = all[end]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            guard byte >= 0x20 else { return nil }
            if byte >= 0x80 { isASCII = false }
            end += 1
        }
        position = end
        if current == UInt8(ascii: "\"") {
            position += 1
            return isASCII
                ? String(decoding: bytes[start..<end], as: UTF8.self) : text(start..<end)
        }
        return escapedString(from: start)
    }

    /// The bytes as text; nil when they are not UTF-8.
    private func text(_ range: Range<Int>) -> String? {
        guard let valid = try? UTF8Span(validating: bytes.span.extracting(range)) else {
            return nil
        }
        return String(copying: valid)
    }

    private mutating func escapedString(from start: Int) -> String? {
        var text = Array(bytes[start..<position])
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text.append(contentsOf: String(scalar).utf8)
            case ..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = current else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = hexUnit() else { return nil }
            guard (0xd800..<0xdc00).contains(unit) else { return Unicode.Scalar(unit) }
            // A surrogate pair: the low half must follow.
            guard current == UInt8(ascii: "\\") else { return nil }
            position += 1
            guard current == UInt8(ascii: "u") else { return nil }
            position += 1
            guard let low = hexUnit(), (0xdc00..<0xe000).contains(low) else { return nil }
            return Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        default: return nil
        }
    }

    private mutating func hexUnit() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
        position += 4
        return digits.contains("+") || digits.contains("-") ? nil : UInt32(digits, radix: 16)
    }
}
