internal import Formats

/// An opening or closing tag: where its parts stand in the text of its page (`HTMLTags`).
struct HTMLTag {
    /// A closing tag's begins with `/`.
    var name: Range<Int>
    /// Positions among the attributes of the page.
    var attributes: Range<Int>
    /// Where it stands in the page's bytes, brackets included.
    var place: Range<Int>
}

/// The tags of a page in order; what stands in comments, scripts and styles is skipped. Names are in lower case.
struct HTMLTags {
    private(set) var list: [HTMLTag] = []
    /// Of what the page has more than is read (`HTMLBudget`); the tags are those before it.
    private(set) var excess: String?
    /// The page, and behind it what means something else than is written: names with capitals, values with references.
    private var text: [UInt8] = []
    private var length = 0
    private var attributes: [(name: Range<Int>, value: Range<Int>)] = []

    init(_ html: String) {
        let page = html.utf8Span.span
        guard page.count <= HTMLBudget.bytes else {
            excess = HTMLBudget.exceeded("\(HTMLBudget.bytes) bytes")
            return
        }
        length = page.count
        text.reserveCapacity(page.count + Self.roomForOthers)
        text.append(text: html)
        list.reserveCapacity(min(page.count / 16, 32))
        attributes.reserveCapacity(min(page.count / 16, 32))
        read(page)
    }

    private static let roomForOthers = 256

    // MARK: What tags say

    @inline(__always)
    func isNamed(_ tag: HTMLTag, _ name: StaticString) -> Bool { text.holds(name, in: tag.name) }

    func isClosing(_ tag: HTMLTag) -> Bool { text[tag.name.lowerBound] == UInt8(ascii: "/") }

    func isSameElement(_ one: HTMLTag, _ other: HTMLTag) -> Bool {
        text[one.name].elementsEqual(text[other.name])
    }

    /// Whether `closing` ends elements of `opening`'s name.
    func closes(_ closing: HTMLTag, _ opening: HTMLTag) -> Bool {
        isClosing(closing) && text[closing.name].dropFirst().elementsEqual(text[opening.name])
    }

    func name(_ tag: HTMLTag) -> String { string(tag.name) }

    func has(_ name: StaticString, _ tag: HTMLTag) -> Bool { place(name, tag) != nil }

    /// What the attribute of that name says; of several the first.
    func value(_ name: StaticString, _ tag: HTMLTag) -> String? {
        place(name, tag).map { string($0) }
    }

    /// The same in lower case.
    func lowered(_ name: StaticString, _ tag: HTMLTag) -> String? {
        guard let place = place(name, tag) else { return nil }
        let isLower = text[place].allSatisfy { $0 < 0x80 && !(0x41...0x5a).contains($0) }
        return isLower ? string(place) : string(place).lowercased()
    }

    func attributes(_ tag: HTMLTag) -> [(name: String, value: String)] {
        attributes[tag.attributes].map { (string($0.name), string($0.value)) }
    }

    /// Where the text behind the tag at a position of the list stands: up to the next tag, or to the end of the page.
    func place(behind position: Int) -> Range<Int> {
        let start = list[position].place.upperBound
        let end = position + 1 < list.count ? list[position + 1].place.lowerBound : length
        return start..<max(start, end)
    }

    /// The text behind that tag, with its references read.
    func text(behind position: Int) -> String {
        HTMLEntities.decode(string(place(behind: position)))
    }

    /// Bytes of the page, as written.
    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { text[range] }

    private func place(_ name: StaticString, _ tag: HTMLTag) -> Range<Int>? {
        for position in tag.attributes where text.holds(name, in: attributes[position].name) {
            return attributes[position].value
        }
        return nil
    }

    private func string(_ range: Range<Int>) -> String {
        String(decoding: text[range], as: UTF8.self)
    }

    /// Whether HTML knows it, or has parts in its name as elements of a page's own have (HTML, 4).
    func isElement(_ tag: HTMLTag) -> Bool {
        let written = name(tag)
        let name = written.hasPrefix("/") ? written.dropFirst() : written[...]
        return Self.elements.contains(String(name)) || name.contains("-") || name.first == "!"
            || name.first == "?"
    }

    private static let elements = Set(
        """
        a abbr acronym address area article aside audio b base bdi bdo big blockquote body br button
        canvas caption center cite code col colgroup data datalist dd del details dfn dialog div dl dt em
        embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header
        hgroup hr html i iframe img input ins kbd label legend li link main map mark marquee menu meta
        meter nav nobr noframes noscript object ol optgroup option output p param path picture pre
        progress q rect rp rt ruby s samp script search section select slot small source span strike
        strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr
        track tt u ul use var video wbr
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}

// MARK: Reading

extension HTMLTags {
    private mutating func read(_ page: Span<UInt8>) {
        var position = page.first(UInt8(ascii: "<"))
        while position < page.count {
            let start = position
            position += 1
            if Self.isAt("!--", page, position) {
                Self.skip(to: "-->", page, &position)
            } else if Self.beginsTag(page, position), let name = word(page, &position) {
                let first = attributes.count
                guard readAttributes(page, &position) else {
                    excess = HTMLBudget.exceeded("\(HTMLBudget.attributes) attributes in a tag")
                    return
                }
                guard list.count < HTMLBudget.tags else {
                    excess = HTMLBudget.exceeded("\(HTMLBudget.tags) tags")
                    return
                }
                let tag = HTMLTag(
                    name: name, attributes: first..<attributes.count, place: start..<position)
                list.append(tag)
                // What stands in these is text, whatever it looks like (HTML, 13.2.5.2 to 13.2.5.4).
                if isNamed(tag, "script") {
                    Self.skip(to: "</script", page, &position)
                } else if isNamed(tag, "style") {
                    Self.skip(to: "</style", page, &position)
                } else if isNamed(tag, "title") {
                    Self.skip(to: "</title", page, &position)
                } else if isNamed(tag, "textarea") {
                    Self.skip(to: "</textarea", page, &position)
                }
            }
            position = page.first(UInt8(ascii: "<"), from: position)
        }
    }

    /// To where `end` begins, or to the end of the page.
    private static func skip(to end: StaticString, _ page: Span<UInt8>, _ position: inout Int) {
        let first = end.withUTF8Buffer { $0[0] }
        position = page.first(first, from: position)
        while position < page.count, !isAt(end, page, position) {
            position = page.first(first, from: position + 1)
        }
    }

    /// A sign of less is one where no name follows (HTML, 13.2.5.6).
    private static func beginsTag(_ page: Span<UInt8>, _ position: Int) -> Bool {
        guard position < page.count else { return false }
        switch page[position] {
        case UInt8(ascii: "/"), UInt8(ascii: "!"), UInt8(ascii: "?"): return true
        case let byte: return (0x61...0x7a).contains(byte | 0x20)
        }
    }

    /// Whether `word`, which is in lower case, stands there in any.
    private static func isAt(_ word: StaticString, _ page: Span<UInt8>, _ position: Int) -> Bool {
        guard word.utf8CodeUnitCount <= page.count - position else { return false }
        return word.withUTF8Buffer { word in
            for offset in word.indices {
                guard page[position + offset].inLowerCase == word[offset] else { return false }
            }
            return true
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }

    private static func skipSpace(_ page: Span<UInt8>, _ position: inout Int) {
        while position < page.count, isSpace(page[position]) { position += 1 }
    }

    /// A name; nil where none begins.
    private mutating func word(_ page: Span<UInt8>, _ position: inout Int) -> Range<Int>? {
        let start = position
        var isLower = true
        while position < page.count {
            let byte = page[position]
            if byte > UInt8(ascii: ">") {
                if byte >= 0x80 || (0x41...0x5a).contains(byte) { isLower = false }
            } else if Self.isSpace(byte) || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "=")
                || byte == UInt8(ascii: "/") && position > start
            {
                break
            }
            position += 1
        }
        let word = start..<position
        guard !word.isEmpty else { return nil }
        return isLower ? word : add(string(word).lowercased())
    }

    /// What a part of the page means, where that is not what is written.
    private mutating func add(_ meaning: String) -> Range<Int> {
        let start = text.count
        text.append(text: meaning)
        return start..<text.count
    }

    /// False where a tag has too many.
    private mutating func readAttributes(_ page: Span<UInt8>, _ position: inout Int) -> Bool {
        let first = attributes.count
        while true {
            Self.skipSpace(page, &position)
            guard position < page.count else { return true }
            switch page[position] {
            case UInt8(ascii: ">"):
                position += 1
                return true
            case UInt8(ascii: "/"):
                position += 1
            default:
                guard let name = word(page, &position) else {
                    position += 1
                    continue
                }
                guard attributes.count - first < HTMLBudget.attributes else { return false }
                attributes.append((name, value(page, &position)))
            }
        }
    }

    private mutating func value(_ page: Span<UInt8>, _ position: inout Int) -> Range<Int> {
        Self.skipSpace(page, &position)
        guard position < page.count, page[position] == UInt8(ascii: "=") else { return 0..<0 }
        position += 1
        Self.skipSpace(page, &position)
        guard position < page.count else { return 0..<0 }
        let quote = page[position]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            let start = position
            var hasReference = false
            while position < page.count, !Self.isSpace(page[position]),
                page[position] != UInt8(ascii: ">")
            {
                if page[position] == UInt8(ascii: "&") { hasReference = true }
                position += 1
            }
            return hasReference ? decoded(start..<position) : start..<position
        }
        let start = position + 1
        // Values may be long: their end and a reference in them are looked for together.
        let stops = ByteStops(Unicode.Scalar(quote), "&")
        var hasReference = false
        position = page.first(of: stops, from: start)
        while position < page.count, page[position] != quote {
            hasReference = true
            position = page.first(of: stops, from: position + 1)
        }
        let value = start..<position
        position = min(position + 1, page.count)
        return hasReference ? decoded(value) : value
    }

    private mutating func decoded(_ range: Range<Int>) -> Range<Int> {
        add(HTMLEntities.decode(string(range)))
    }
}

extension [UInt8] {
    /// Whether those bytes of it are those of `word`. Most words differ in their lengths, and those of callers
    /// are known when this is compiled.
    @inline(__always)
    func holds(_ word: StaticString, in place: Range<Int>) -> Bool {
        guard place.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            for offset in word.indices where self[place.lowerBound + offset] != word[offset] {
                return false
            }
            return true
        }
    }
}
