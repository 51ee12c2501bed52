import Testing

@testable import Formats

@Suite struct JSONDocumentTests {
    /// Each is read as it stands and with every byte changed, left out or doubled.
    static let texts = [
        #"{"status":404,"message":"Not Found"}"#,
        #"{"a":[1,-2.5e+3,0,true,false,null,{}],"b":{"c":"x \u00e9\ud83d\ude00\n","c":"2"}}"#,
        #" [ "" , "\"\\\/" , [ ] , 10 ] "#, #"{"name of eight and more":"ü and more of it"}"#, "0",
        "-0.0E-1", "\"12345678\"",
    ]

    @Test("agrees with a reader that builds a tree letter by letter", arguments: texts)
    func agrees(text: String) {
        let bytes = Array(text.utf8)
        check(bytes)
        for position in bytes.indices {
            var shorter = bytes
            shorter.remove(at: position)
            check(shorter)
            var longer = bytes
            longer.insert(bytes[position], at: position)
            check(longer)
            for other in Array(#""\{}[],:0tn-.eu/"#.utf8) + [0, 0x1f, 0x7f, 0x80, 0xc3, 0xff] {
                var changed = bytes
                changed[position] = other
                check(changed)
            }
        }
    }

    private func check(_ bytes: [UInt8]) {
        var limit: JSON.Limit?
        let document = JSONReader.document(bytes, &limit)
        let tree = ObviousJSON.read(bytes)
        #expect(document?.root.tree == tree, "\(String(decoding: bytes, as: UTF8.self))")
        if let document, let tree { same(document.root, tree) }
    }

    /// Looked up in place and in the tree, a value says the same.
    private func same(_ value: JSONDocument.Value, _ tree: JSON) {
        #expect(value.text == tree.text)
        #expect(value.integer == tree.integer)
        #expect(value.isTrue == (tree.text == "true"))
        guard case .object(let members) = tree else { return }
        for member in members {
            guard let inner = value[member.name], let known = tree[member.name] else {
                Issue.record("'\(member.name)' is not found")
                continue
            }
            #expect(inner.tree == known)
            same(inner, known)
        }
        #expect(value["nowhere"] == nil)
        #expect(value.items("c").map(\.tree) == tree.items("c"))
    }

    @Test("a tree is a document again, and the same", arguments: texts)
    func trees(text: String) throws {
        let tree = try #require(JSONReader.read(Array(text.utf8)))
        #expect(JSONDocument(tree).root.tree == tree)
    }

    @Test("zeros in front are none", arguments: ["00", "-00", "01", "00.5"])
    func zeros(text: String) {
        #expect(JSONReader.read(Array(text.utf8)) == nil)
    }
}

/// RFC 8259 as it stands there: slow, and easy to check.
private struct ObviousJSON {
    private var rest: Substring.UnicodeScalarView

    static func read(_ bytes: [UInt8]) -> JSON? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var reader = ObviousJSON(rest: text[...].unicodeScalars)
        guard let value = reader.value() else { return nil }
        reader.skipSpace()
        return reader.rest.isEmpty ? value : nil
    }

    private mutating func skipSpace() {
        rest = rest.drop { " \n\r\t".unicodeScalars.contains($0) }
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.unicodeScalars) else { return false }
        rest = rest.dropFirst(text.unicodeScalars.count)
        return true
    }

    private mutating func value() -> JSON? {
        skipSpace()
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if take("null") { return .null }
        if take("[") { return list("]") { $0.value() }.map(JSON.array) }
        if take("{") { return list("}") { $0.member() }.map(JSON.object) }
        if take("\"") { return string().map(JSON.string) }
        return number()
    }

    private mutating func list<Item>(
        _ end: String, _ item: (inout ObviousJSON) -> Item?
    ) -> [Item]? {
        skipSpace()
        if take(end) { return [] }
        var items: [Item] = []
        repeat {
            guard let one = item(&self) else { return nil }
            items.append(one)
            skipSpace()
        } while take(",")
        return take(end) ? items : nil
    }

    private mutating func member() -> JSON.Member? {
        skipSpace()
        guard take("\""), let name = string() else { return nil }
        skipSpace()
        guard take(":"), let value = value() else { return nil }
        return JSON.Member(name: name, value: value)
    }

    private mutating func string() -> String? {
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return String(text) }
            if scalar.value < 0x20 { return nil }
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            guard let meant = escape() else { return nil }
            text.append(meant)
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let letter = rest.popFirst() else { return nil }
        let plain: [Unicode.Scalar: Unicode.Scalar] = [
            "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{c}", "n": "\n", "r": "\r",
            "t": "\t",
        ]
        if letter != "u" { return plain[letter] }
        guard let high = unit() else { return nil }
        guard (0xd800..<0xdc00).contains(high) else { return Unicode.Scalar(high) }
        guard take("\\u"), let low = unit(), (0xdc00..<0xe000).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00))
    }

    private mutating func unit() -> UInt32? {
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
        rest = rest.dropFirst(4)
        return UInt32(String(digits), radix: 16)
    }

    private mutating func number() -> JSON? {
        var digits = ""
        func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
        func takeDigits() -> String {
            let taken = rest.prefix(while: isDigit)
            rest = rest.dropFirst(taken.count)
            return String(taken)
        }
        if take("-") { digits += "-" }
        let whole = takeDigits()
        guard !whole.isEmpty, whole == "0" || !whole.hasPrefix("0") else { return nil }
        digits += whole
        if take(".") {
            let part = takeDigits()
            guard !part.isEmpty else { return nil }
            digits += "." + part
        }
        for letter in ["e", "E"] where take(letter) {
            digits += letter
            for sign in ["+", "-"] where take(sign) {
                digits += sign
                break
            }
            let power = takeDigits()
            guard !power.isEmpty else { return nil }
            digits += power
            break
        }
        return .number(digits)
    }
}
