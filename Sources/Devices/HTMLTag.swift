/// An opening or closing tag with its attributes; names in lower case, a closing tag's begins
/// with `/`.
struct HTMLTag {
    var name: String
    var attributes: [(name: String, value: String)]
    /// Where it stands in the page's bytes, brackets included.
    var place = 0..<0

    /// Whether HTML knows it, or has parts in its name as elements of a page's own have (HTML, 4).
    var isElement: Bool {
        let name = name.hasPrefix("/") ? name.dropFirst() : name[...]
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

    subscript(name: String) -> String? {
        for attribute in attributes where attribute.name == name { return attribute.value }
        return nil
    }

    /// The tags of a page in order; what stands in comments, scripts and styles is skipped. `excess`: of
    /// what the page has more than is read (`HTMLBudget`); the tags are those before it.
    static func all(in html: String) -> (tags: [HTMLTag], excess: String?) {
        guard html.utf8.count <= HTMLBudget.bytes else {
            return ([], HTMLBudget.exceeded("\(HTMLBudget.bytes) bytes"))
        }
        var tags: [HTMLTag] = []
        tags.reserveCapacity(min(html.utf8.count / 16, 32))
        var scanner = Scanner(html)
        while let tag = scanner.nextTag() {
            if scanner.hasTooManyAttributes {
                return (tags, HTMLBudget.exceeded("\(HTMLBudget.attributes) attributes in a tag"))
            }
            guard tags.count < HTMLBudget.tags else {
                return (tags, HTMLBudget.exceeded("\(HTMLBudget.tags) tags"))
            }
            tags.append(tag)
            // What stands in these is text, whatever it looks like (HTML, 13.2.5.2 to 13.2.5.4).
            switch tag.name {
            case "script", "style", "title", "textarea": scanner.skip(to: "</" + tag.name)
            default: break
            }
        }
        return (tags, nil)
    }

    private struct Scanner {
        private let text: [UInt8]
        private var position = 0
        private(set) var hasTooManyAttributes = false

        init(_ html: String) {
            text = Array(html.utf8)
        }

        mutating func nextTag() -> HTMLTag? {
            while let start = text[position...].firstIndex(of: UInt8(ascii: "<")) {
                position = start + 1
                if isAt(Self.commentStart) {
                    skip(to: "-->")
                } else if beginsTag, let name = word() {
                    let attributes = attributes()
                    return HTMLTag(name: name, attributes: attributes, place: start..<position)
                }
            }
            return nil
        }

        /// To where `end` begins, or to the end of the page.
        mutating func skip(to end: String) {
            let wanted = Array(end.lowercased().utf8)
            while position < text.count, !isAt(wanted) { position += 1 }
        }

        /// A sign of less is one where no name follows (HTML, 13.2.5.6).
        private var beginsTag: Bool {
            guard position < text.count else { return false }
            let byte = text[position]
            return (0x61...0x7a).contains(byte | 0x20) || "/!?".utf8.contains(byte)
        }

        private static let commentStart = Array("!--".utf8)

        private func isAt(_ word: [UInt8]) -> Bool {
            guard position + word.count <= text.count else { return false }
            for (offset, wanted) in word.enumerated() {
                let byte = text[position + offset]
                let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                guard byte == wanted || isUpper && byte | 0x20 == wanted else { return false }
            }
            return true
        }

        private static func isSpace(_ byte: UInt8) -> Bool {
            byte == 0x20 || (0x09...0x0d).contains(byte)
        }

        private mutating func skipSpace() {
            while position < text.count, Self.isSpace(text[position]) { position += 1 }
        }

        /// A name, in lower case.
        private mutating func word() -> String? {
            let start = position
            var isLower = true
            while position < text.count, !Self.isSpace(text[position]),
                text[position] != UInt8(ascii: ">"),
                text[position] != UInt8(ascii: "=")
            {
                let byte = text[position]
                if byte == UInt8(ascii: "/"), position > start { break }
                if byte >= 0x80 || (0x41...0x5a).contains(byte) { isLower = false }
                position += 1
            }
            guard position > start else { return nil }
            let word = String(decoding: text[start..<position], as: UTF8.self)
            return isLower ? word : word.lowercased()
        }

        private mutating func attributes() -> [(name: String, value: String)] {
            var found: [(name: String, value: String)] = []
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
                found.append((name, value()))
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
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                let start = position
                while position < text.count, !Self.isSpace(text[position]),
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
            let value = String(decoding: text[range], as: UTF8.self)
            return text[range].contains(UInt8(ascii: "&")) ? HTMLEntities.decode(value) : value
        }
    }
}
