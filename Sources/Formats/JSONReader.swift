/// A strict JSON reader (RFC 8259) over bytes. Own, because it sits on the path of every answer:
/// Foundation's decoder takes 2.3 us for a token answer.
public enum JSONReader {
    /// The document, nil when it is not exactly one JSON value of at most 64 levels and so many values: as
    /// many as an answer may have, unless a file is read.
    public static func read(_ bytes: [UInt8], nodesAtMost: Int = JSON.maximumNodes) -> JSON? {
        var limit: JSON.Limit?
        return document(bytes, &limit, nodesAtMost: nodesAtMost)?.root.tree
    }

    /// The same, left where it stands; `limit` is what it is beyond, if it is nil for that.
    public static func document(
        _ bytes: [UInt8], _ limit: inout JSON.Limit?, nodesAtMost: Int = JSON.maximumNodes
    ) -> JSONDocument? {
        // Places are numbers of 32 bits; what is longer than they reach has more values than any limit.
        guard bytes.count < Int32.max else { return nil }
        var scanner = JSONScanner(bytes: bytes.count, nodesAtMost: nodesAtMost)
        guard scanner.document(bytes.span) else {
            limit = scanner.limit
            return nil
        }
        return JSONDocument(bytes: bytes, nodes: scanner.nodes)
    }
}

/// Finds the values of a JSON text, each checked to its last byte.
struct JSONScanner {
    private(set) var nodes: [JSONDocument.Node] = []
    private(set) var limit: JSON.Limit?
    private let nodesAtMost: Int
    private var position = 0

    /// `bytes`: how many there will be, of which a value with its name takes some twenty. No more room is made
    /// than the longest of usual answers needs.
    init(bytes: Int, nodesAtMost: Int) {
        self.nodesAtMost = nodesAtMost
        nodes.reserveCapacity(min(bytes / 20 + 4, 512))
    }

    /// Whether the bytes are exactly one value.
    mutating func document(_ bytes: Span<UInt8>) -> Bool {
        guard value(bytes, name: .none, depth: 0) else { return false }
        skipSpace(bytes)
        return position == bytes.count
    }

    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0a, 0x0d, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        skipSpace(bytes)
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(
        _ bytes: Span<UInt8>, name: JSONDocument.Part, depth: Int
    ) -> Bool {
        guard depth < JSON.maximumDepth, nodes.count < nodesAtMost else {
            limit = depth < JSON.maximumDepth ? .nodes : .depth
            return false
        }
        skipSpace(bytes)
        guard position < bytes.count else { return false }
        let place = nodes.count
        var node = JSONDocument.Node(name: name, next: Int32(place + 1))
        switch bytes[position] {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = bytes[position] == UInt8(ascii: "{")
            node.kind = isObject ? .object : .array
            nodes.append(node)
            guard isObject ? object(bytes, depth: depth) : array(bytes, depth: depth) else {
                return false
            }
            nodes[place].next = Int32(nodes.count)
            return true
        case UInt8(ascii: "\""):
            guard let text = string(bytes) else { return false }
            (node.kind, node.text) = (.string, text)
        case UInt8(ascii: "t"):
            guard takes("true", bytes) else { return false }
            node.kind = .yes
        case UInt8(ascii: "f"):
            guard takes("false", bytes) else { return false }
            node.kind = .no
        case UInt8(ascii: "n"):
            guard takes("null", bytes) else { return false }
        default:
            guard let digits = number(bytes) else { return false }
            (node.kind, node.text) = (.number, digits)
        }
        nodes.append(node)
        return true
    }

    private mutating func object(_ bytes: Span<UInt8>, depth: Int) -> Bool {
        position += 1
        if take(UInt8(ascii: "}"), bytes) { return true }
        while true {
            skipSpace(bytes)
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\""),
                let name = string(bytes), take(UInt8(ascii: ":"), bytes),
                value(bytes, name: name, depth: depth + 1)
            else { return false }
            if take(UInt8(ascii: ","), bytes) { continue }
            return take(UInt8(ascii: "}"), bytes)
        }
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) -> Bool {
        position += 1
        if take(UInt8(ascii: "]"), bytes) { return true }
        while true {
            guard value(bytes, name: .none, depth: depth + 1) else { return false }
            if take(UInt8(ascii: ","), bytes) { continue }
            return take(UInt8(ascii: "]"), bytes)
        }
    }

    private mutating func takes(_ word: String, _ bytes: Span<UInt8>) -> Bool {
        guard bytes.holds(word.utf8Span.span, at: position) else { return false }
        position += word.utf8.count
        return true
    }

    // MARK: Numbers

    private mutating func number(_ bytes: Span<UInt8>) -> JSONDocument.Part? {
        let start = position
        skip(bytes) { $0 == UInt8(ascii: "-") }
        let first = position
        guard digits(bytes) else { return nil }
        // No zeros in front.
        if bytes[first] == UInt8(ascii: "0"), position > first + 1 { return nil }
        if skip(bytes, where: { $0 == UInt8(ascii: ".") }), !digits(bytes) { return nil }
        if skip(bytes, where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            skip(bytes) { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
            guard digits(bytes) else { return nil }
        }
        return JSONDocument.Part(start: Int32(start), end: Int32(position))
    }

    /// At least one.
    private mutating func digits(_ bytes: Span<UInt8>) -> Bool {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        return position > start
    }

    @discardableResult
    private mutating func skip(_ bytes: Span<UInt8>, where isWanted: (UInt8) -> Bool) -> Bool {
        guard position < bytes.count, isWanted(bytes[position]) else { return false }
        position += 1
        return true
    }

    // MARK: Strings

    /// From its opening quotation mark past its closing one; nil where it has an escape that is none, a
    /// control character, no end, or bytes that are not UTF-8.
    private mutating func string(_ bytes: Span<UInt8>) -> JSONDocument.Part? {
        position += 1
        let start = position
        var isASCII = true
        var hasEscapes = false
        while true {
            position = bytes.first(of: .json, from: position)
            guard position < bytes.count else { return nil }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let text = bytes.extracting(start..<position)
                guard isASCII || (try? UTF8Span(validating: text)) != nil else { return nil }
                position += 1
                return JSONDocument.Part(
                    start: Int32(start), end: Int32(position - 1), hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                guard Self.escape(bytes, &position) != nil else { return nil }
            case ..<0x20: return nil
            default:
                isASCII = false
                position += 1
            }
        }
    }

    /// The text that a string which was read spells.
    static func unescaped(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "\\"), let scalar = escape(bytes, &position) {
                text.append(contentsOf: String(scalar).utf8)
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// What an escape stands for, which begins at `position`; nil where it is none.
    private static func escape(_ bytes: Span<UInt8>, _ position: inout Int) -> Unicode.Scalar? {
        guard position + 1 < bytes.count else { return nil }
        let byte = bytes[position + 1]
        position += 2
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = hexUnit(bytes, &position) else { return nil }
            guard (0xd800..<0xdc00).contains(unit) else { return Unicode.Scalar(unit) }
            // A surrogate pair: the low half must follow.
            guard position + 2 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            else { return nil }
            position += 2
            guard let low = hexUnit(bytes, &position), (0xdc00..<0xe000).contains(low) else {
                return nil
            }
            return Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        default: return nil
        }
    }

    private static func hexUnit(_ bytes: Span<UInt8>, _ position: inout Int) -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        var unit: UInt32 = 0
        for offset in 0..<4 {
            guard let digit = Hexadecimal.value(bytes[position + offset]) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        position += 4
        return unit
    }
}
