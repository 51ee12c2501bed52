/// Reads an XML 1.0 document into a `JSON` value: an element with children becomes an object named by its
/// children, any other its text. Names lose their prefix; attributes are checked and dropped.
///
/// Own and strict, as `JSONReader` is: the protocol needs elements, text and little else, and what a
/// general parser does beside that is how documents attack one. There is no DOCTYPE, so there are no
/// entities but the five of XML; the only encoding is UTF-8; depth and number of elements are limited.
public struct XMLReader {
    private let bytes: [UInt8]
    private var position = 0
    private var nodes = 0
    private var limit: JSON.Limit?
    private var open: [Element] = []
    private var root: (root: String, tree: JSON)?

    /// An element whose end has not come yet.
    private struct Element {
        /// As written, prefix included: what the end tag must repeat.
        var name: ArraySlice<UInt8>
        var members: [JSON.Member] = []
        var text: [UInt8] = []
    }

    /// The root element's name and content; nil when the document is not well formed, has a DOCTYPE, or
    /// is beyond a limit, which is then in `limit`.
    public static func read(
        _ bytes: [UInt8], _ limit: inout JSON.Limit?
    ) -> (root: String, tree: JSON)? {
        guard XMLText.isAllowed(bytes) else { return nil }
        var reader = XMLReader(bytes)
        let isRead = reader.document()
        limit = reader.limit
        return isRead ? reader.root : nil
    }

    public static func read(_ bytes: [UInt8]) -> (root: String, tree: JSON)? {
        var limit: JSON.Limit?
        return read(bytes, &limit)
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    // MARK: The document

    private mutating func document() -> Bool {
        _ = take("\u{feff}")
        guard declaration() else { return false }
        while let byte = current {
            let isRead: Bool
            if byte != UInt8(ascii: "<") {
                isRead = open.isEmpty ? space() : text()
            } else if take("<!--") {
                isRead = comment()
            } else if take("<![CDATA[") {
                isRead = !open.isEmpty && characterData()
            } else if take("<?") {
                isRead = instruction()
            } else if take("</") {
                isRead = endTag()
            } else {
                position += 1
                isRead = startTag()
            }
            guard isRead else { return false }
        }
        return root != nil && open.isEmpty
    }

    /// `<?xml version="1.0" encoding="UTF-8"?>` (XML 1.0, 2.8). ASCII under another name is UTF-8 too.
    private mutating func declaration() -> Bool {
        let start = position
        guard take("<?xml") else { return true }
        guard let next = current, XMLText.isSpace(next) else {
            // An instruction such as `<?xml-stylesheet ...?>`.
            position = start
            return true
        }
        guard let fields = attributes(), take("?>") else { return false }
        let order = ["version", "encoding", "standalone"]
        let places = fields.map { order.firstIndex(of: $0.name) }
        guard fields.first?.name == "version", fields[0].value.hasPrefix("1."),
            !places.contains(nil), places.compactMap(\.self) == places.compactMap(\.self).sorted()
        else { return false }
        switch fields.first(where: { $0.name == "encoding" })?.value.lowercased() {
        case nil, "utf-8": return true
        case "us-ascii", "iso-8859-1": return bytes.allSatisfy { $0 < 0x80 }
        default: return false
        }
    }

    // MARK: Between tags

    private mutating func space() -> Bool {
        let start = position
        while let byte = current, XMLText.isSpace(byte) { position += 1 }
        return position > start
    }

    private mutating func text() -> Bool {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        let text = bytes[position..<end]
        position = end
        // 2.4: it would end a CDATA section.
        for place in text.indices.dropFirst(2) where text[place] == UInt8(ascii: ">") {
            let isEnd = text[place - 1] == UInt8(ascii: "]") && text[place - 2] == UInt8(ascii: "]")
            if isEnd { return false }
        }
        return XMLText.append(text, to: &open[open.count - 1].text)
    }

    private mutating func characterData() -> Bool {
        guard let text = take(until: "]]>") else { return false }
        XMLText.appendLines(text, to: &open[open.count - 1].text)
        return true
    }

    /// 2.5: no two hyphens within it.
    private mutating func comment() -> Bool {
        guard take(until: "--") != nil else { return false }
        return take(">")
    }

    /// 2.6: `xml` is no target but at the very beginning.
    private mutating func instruction() -> Bool {
        guard let target = name(), !String(decoding: target, as: UTF8.self).isXML else {
            return false
        }
        guard let next = current, XMLText.isSpace(next) || next == UInt8(ascii: "?") else {
            return false
        }
        return take(until: "?>") != nil
    }

    // MARK: Tags

    private mutating func startTag() -> Bool {
        guard root == nil, let name = name(), XMLText.isQualified(name) else { return false }
        guard open.count < JSON.maximumDepth else { return exceeds(.depth) }
        nodes += 1
        guard nodes <= JSON.maximumNodes else { return exceeds(.nodes) }
        guard let fields = attributes() else { return false }
        // Namespaces in XML, 6.3, says more; two of the same spelling are never right (3.1).
        guard fields.count < 2 || Set(fields.map(\.name)).count == fields.count else {
            return false
        }
        let isEmpty = take("/")
        guard take(">") else { return false }
        open.append(Element(name: name))
        if isEmpty { close() }
        return true
    }

    private mutating func endTag() -> Bool {
        guard let name = name(), open.last?.name == name else { return false }
        _ = space()
        guard take(">") else { return false }
        close()
        return true
    }

    private mutating func close() {
        let element = open.removeLast()
        let name = XMLText.withoutPrefix(element.name)
        let tree: JSON =
            element.members.isEmpty
            ? .string(String(decoding: element.text, as: UTF8.self)) : .object(element.members)
        if open.isEmpty {
            root = (name, tree)
        } else {
            open[open.count - 1].members.append(JSON.Member(name: name, value: tree))
        }
    }

    /// Attributes up to what is none; nil when one is not well formed.
    private mutating func attributes() -> [(name: String, value: String)]? {
        var found: [(name: String, value: String)] = []
        while space() {
            guard let next = current, XMLText.isNameStart(next) else { break }
            guard let name = name(), XMLText.isQualified(name) else { return nil }
            _ = space()
            guard take("=") else { return nil }
            _ = space()
            guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
                let end = bytes[(position + 1)...].firstIndex(of: quote)
            else { return nil }
            let text = bytes[(position + 1)..<end]
            position = end + 1
            var value: [UInt8] = []
            guard !text.contains(UInt8(ascii: "<")), XMLText.append(text, to: &value) else {
                return nil
            }
            found.append(
                (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        return found
    }

    // MARK: Bytes

    private mutating func exceeds(_ limit: JSON.Limit) -> Bool {
        self.limit = limit
        return false
    }

    private mutating func name() -> ArraySlice<UInt8>? {
        let start = position
        guard let first = current, XMLText.isNameStart(first) else { return nil }
        while let byte = current, XMLText.isNamePart(byte) { position += 1 }
        return bytes[start..<position]
    }

    private mutating func take(_ word: StaticString) -> Bool {
        guard position + word.utf8CodeUnitCount <= bytes.count else { return false }
        for offset in 0..<word.utf8CodeUnitCount
        where bytes[position + offset] != word.utf8Start[offset] {
            return false
        }
        position += word.utf8CodeUnitCount
        return true
    }

    /// What stands before `end`, which is taken too; nil when it does not come.
    private mutating func take(until end: StaticString) -> ArraySlice<UInt8>? {
        let start = position
        while position < bytes.count {
            let here = position
            if take(end) { return bytes[start..<here] }
            position += 1
        }
        return nil
    }
}

extension String {
    fileprivate var isXML: Bool { lowercased() == "xml" }
}

/// What bytes mean in XML 1.0, and how its text is read.
enum XMLText {
    /// UTF-8 without the characters that no document may hold (2.2).
    static func isAllowed(_ bytes: [UInt8]) -> Bool {
        guard (try? UTF8Span(validating: bytes.span)) != nil else { return false }
        for (position, byte) in bytes.enumerated() {
            if byte < 0x20, byte != 0x09, byte != 0x0a, byte != 0x0d { return false }
            // U+FFFE and U+FFFF: EF BF BE and EF BF BF.
            if byte >= 0xbe, position > 1, bytes[position - 1] == 0xbf, bytes[position - 2] == 0xef
            {
                return false
            }
        }
        return true
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
    }

    /// Letters, `_`, `:`, and all that is not ASCII: which of those are letters (2.3) matters to nobody.
    static func isNameStart(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte | 0x20) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ":") || byte >= 0x80
    }

    static func isNamePart(_ byte: UInt8) -> Bool {
        isNameStart(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    /// At most one colon, and something on both sides of it (Namespaces in XML, 4).
    static func isQualified(_ name: ArraySlice<UInt8>) -> Bool {
        let parts = name.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { !$0.isEmpty }
    }

    static func withoutPrefix(_ name: ArraySlice<UInt8>) -> String {
        let colon = name.firstIndex(of: UInt8(ascii: ":"))
        return String(decoding: colon.map { name[($0 + 1)...] } ?? name, as: UTF8.self)
    }

    /// Appends text with its references resolved; false when one of them is none.
    static func append(_ text: ArraySlice<UInt8>, to result: inout [UInt8]) -> Bool {
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            appendLines(rest[..<start], to: &result)
            // The longest: `&#x10FFFF;`, and zeros that people put in front.
            let window = rest[(start + 1)...].prefix(16)
            guard let end = window.firstIndex(of: UInt8(ascii: ";")),
                let scalar = scalar(of: window[..<end])
            else { return false }
            result.append(contentsOf: String(scalar).utf8)
            rest = rest[(end + 1)...]
        }
        appendLines(rest, to: &result)
        return true
    }

    /// A line ends with LF, however it was written (2.11).
    static func appendLines(_ text: ArraySlice<UInt8>, to result: inout [UInt8]) {
        guard text.contains(0x0d) else { return result.append(contentsOf: text) }
        for position in text.indices {
            guard text[position] == 0x0d else {
                result.append(text[position])
                continue
            }
            let isPair = position + 1 < text.endIndex && text[position + 1] == 0x0a
            if !isPair { result.append(0x0a) }
        }
    }

    /// What stands between `&` and `;`: one of the five names (4.6), or a number (4.1).
    private static func scalar(of reference: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let name = String(decoding: reference, as: UTF8.self)
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.utf8.first != UInt8(ascii: "+"),
            let scalar = UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(
                Unicode.Scalar.init)
        else { return nil }
        return isAllowed(Array(String(scalar).utf8)) ? scalar : nil
    }
}
