import Statistics
import Testing

@testable import Devices

/// The tags of a page are ranges into its bytes; the twin has a string for every name and value.
@Suite struct HTMLTagTwinTests {
    private static let parts = [
        "<", "</", ">", "/>", "=", "\"", "'", " ", "/", "\n", "\t", "!", "?", "-", "&", ";", "\0",
        "É", "&amp;", "&#x41;", "&lt", "<!-", "<!--", "-->", "<!-->", "<![CDATA[", "]]>",
        "<!doctype html>",
        "<script>", "</SCRIPT", "<Style ", "</style>", "<title>", "</Title>", "<textarea>",
        "</textarea", "<input type=hidden name=a value=b>",
        "<INPUT Name='É&quot;' name=\"b>c\" value>",
        "<FORM action='/x?a=1&amp;b=2' method=POST>", "</form>", "<a href=", " name=", " VALUE = ",
        // Ends of elements that break off.
        "</texta", "</Scrip", "</styl", "</titl",
        // In lower case, the first of them is ASCII, the second longer than before.
        "\u{212a}", "\u{130}",
    ]

    private static func page(_ dice: inout Dice) -> String {
        var page = ""
        for _ in 0..<dice.below(40) {
            if dice.chance(0.25) {
                for _ in 0...dice.below(4) {
                    let letter = UInt8(ascii: dice.chance(0.5) ? "a" : "A") + UInt8(dice.below(26))
                    page.unicodeScalars.append(Unicode.Scalar(letter))
                }
            } else {
                page += parts[dice.below(parts.count)]
            }
        }
        return page
    }

    /// Expects of `html` what the twin reads, and returns how many attributes that was.
    @discardableResult
    private static func compare(_ html: String) -> Int {
        let (wanted, excess) = TagTwin.read(html)
        let tags = HTMLTags(html)
        let found = tags.list.map { tag in
            TwinTag(
                name: tags.name(tag),
                attributes: tags.attributes(tag).map {
                    TwinAttribute(name: $0.name, value: $0.value)
                },
                place: tag.place)
        }
        // Pages may be long: they are shown only where they differ.
        if found != wanted || tags.excess != excess {
            let place = zip(found, wanted).prefix { $0 == $1 }.count
            Issue.record(
                """
                \(String(html.prefix(2_000)).debugDescription)
                tag \(place) of \(found.count): \(found.dropFirst(place).first.map { "\($0)" } ?? "none")
                the twin's, of \(wanted.count): \(wanted.dropFirst(place).first.map { "\($0)" } ?? "none")
                excess: \(tags.excess ?? "none"), the twin's: \(excess ?? "none")
                """)
            return 0
        }
        for (tag, twin) in zip(tags.list, wanted) {
            let isSame =
                tags.value("name", tag) == twin["name"] && tags.value("value", tag) == twin["value"]
                && tags.lowered("name", tag) == twin["name"]?.lowercased()
                && tags.isClosing(tag) == twin.name.hasPrefix("/")
                && tags.isNamed(tag, "input") == (twin.name == "input")
                && tags.bytes(tag.place).elementsEqual(Array(html.utf8)[twin.place])
            if !isSame { Issue.record("\(html.debugDescription): \(twin)") }
        }
        return wanted.reduce(0) { $0 + $1.attributes.count }
    }

    /// 2,000 pages.
    @Test("tags of drawn pages are those of the twin", arguments: Seed.samples(100))
    func drawn(seed: Seed) {
        var dice = seed.generator()
        var attributes = 0
        for _ in 0..<20 { attributes += Self.compare(Self.page(&dice)) }
        #expect(attributes > 0, "of 20 pages, some have attributes")
    }

    @Test(
        "a tag with more attributes than are read ends the page where the twin ends",
        arguments: 499...502)
    func attributes(count: Int) {
        let many = String(repeating: " A", count: count)
        for end in [">", "/>", "", " ", "='&amp;'><b>", "=", "<"] {
            Self.compare("<p id=1><input\(many)\(end)")
        }
    }

    @Test("so does one tag too many", arguments: -1...1)
    func tags(beyond: Int) {
        let page = String(repeating: "<a>", count: HTMLBudget.tags + beyond)
        let (wanted, excess) = TagTwin.read(page)
        let tags = HTMLTags(page)
        #expect(tags.list.map(\.place) == wanted.map(\.place))
        #expect(tags.excess == excess)
        #expect((excess != nil) == (beyond > 0))
    }

    @Test("and one byte too many", arguments: -1...1)
    func bytes(beyond: Int) {
        let head = "<input name=a>"
        let rest = HTMLBudget.bytes + beyond - head.utf8.count
        Self.compare(head + String(repeating: "a", count: rest))
    }
}

private struct TwinAttribute: Equatable {
    var name: String
    var value: String
}

private struct TwinTag: Equatable {
    var name: String
    var attributes: [TwinAttribute]
    var place: Range<Int>

    subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
}

/// One byte after the other, and a string for each part.
private struct TagTwin {
    private let text: [UInt8]
    private var position = 0
    private var hasTooManyAttributes = false

    private init(_ html: String) {
        text = Array(html.utf8)
    }

    static func read(_ html: String) -> (tags: [TwinTag], excess: String?) {
        guard html.utf8.count <= HTMLBudget.bytes else {
            return ([], HTMLBudget.exceeded("\(HTMLBudget.bytes) bytes"))
        }
        var tags: [TwinTag] = []
        var twin = TagTwin(html)
        while let tag = twin.nextTag() {
            if twin.hasTooManyAttributes {
                return (tags, HTMLBudget.exceeded("\(HTMLBudget.attributes) attributes in a tag"))
            }
            guard tags.count < HTMLBudget.tags else {
                return (tags, HTMLBudget.exceeded("\(HTMLBudget.tags) tags"))
            }
            tags.append(tag)
            if ["script", "style", "title", "textarea"].contains(tag.name) {
                twin.skip(to: "</" + tag.name)
            }
        }
        return (tags, nil)
    }

    private mutating func nextTag() -> TwinTag? {
        while let start = text[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start + 1
            if isAt("!--") {
                skip(to: "-->")
            } else if beginsTag, let name = word() {
                let attributes = attributes()
                return TwinTag(name: name, attributes: attributes, place: start..<position)
            }
        }
        return nil
    }

    private mutating func skip(to end: String) {
        while position < text.count, !isAt(end) { position += 1 }
    }

    private var beginsTag: Bool {
        guard position < text.count else { return false }
        let byte = text[position]
        return (0x61...0x7a).contains(byte | 0x20) || "/!?".utf8.contains(byte)
    }

    /// `word` is in lower case.
    private func isAt(_ word: String) -> Bool {
        text[position...].prefix(word.utf8.count).lazy
            .map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }.elementsEqual(word.utf8)
    }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }

    private mutating func skipSpace() {
        while position < text.count, isSpace(text[position]) { position += 1 }
    }

    private mutating func word() -> String? {
        let start = position
        while position < text.count, !isSpace(text[position]), !">=".utf8.contains(text[position]) {
            if text[position] == UInt8(ascii: "/"), position > start { break }
            position += 1
        }
        guard position > start else { return nil }
        return String(decoding: text[start..<position], as: UTF8.self).lowercased()
    }

    private mutating func attributes() -> [TwinAttribute] {
        var found: [TwinAttribute] = []
        while position < text.count {
            skipSpace()
            guard position < text.count else { break }
            if text[position] == UInt8(ascii: ">") {
                position += 1
                break
            }
            if text[position] == UInt8(ascii: "/") {
                position += 1
                continue
            }
            guard let name = word() else {
                position += 1
                continue
            }
            guard found.count < HTMLBudget.attributes else {
                hasTooManyAttributes = true
                break
            }
            found.append(TwinAttribute(name: name, value: value()))
        }
        return found
    }

    private mutating func value() -> String {
        skipSpace()
        guard position < text.count, text[position] == UInt8(ascii: "=") else { return "" }
        position += 1
        skipSpace()
        guard position < text.count else { return "" }
        let quote = text[position]
        guard "\"'".utf8.contains(quote) else {
            let start = position
            while position < text.count, !isSpace(text[position]),
                text[position] != UInt8(ascii: ">")
            {
                position += 1
            }
            return decoded(start..<position)
        }
        let start = position + 1
        position = text[start...].firstIndex(of: quote) ?? text.count
        let value = decoded(start..<position)
        position = min(position + 1, text.count)
        return value
    }

    private func decoded(_ range: Range<Int>) -> String {
        HTMLEntities.decode(String(decoding: text[range], as: UTF8.self))
    }
}
