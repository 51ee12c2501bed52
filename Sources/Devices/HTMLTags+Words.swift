internal import Formats

/// What a person reads on a page.
extension HTMLTags {
    /// The words from a tag to the end of its element, as far as nesting of its own name tells. Links do
    /// not nest: the next one ends it.
    func words(inside position: Int?) -> String {
        guard let position else { return "" }
        let opening = list[position]
        let nests = !isNamed(opening, "a")
        var depth = 1
        var end = position + 1
        while end < list.count {
            if isSameElement(list[end], opening) {
                guard nests else { break }
                depth += 1
            }
            if closes(list[end], opening) { depth -= 1 }
            if depth == 0 { break }
            end += 1
        }
        return words(from: position, to: end, atMost: 200)
    }

    /// The words between tags, without those of scripts and styles.
    func words(from first: Int, to last: Int, atMost limit: Int) -> String {
        var words: [String] = []
        var length = 0
        var isGlued = false
        /// Whether there is room for more.
        func add(_ text: String) -> Bool {
            let parts = text.unicodeScalars.split(
                maxSplits: limit, whereSeparator: \.properties.isWhitespace)
            isGlued = isGlued && text.unicodeScalars.first?.properties.isWhitespace == false
            for word in parts {
                length += word.count + 1
                if length > limit { return false }
                if isGlued, let last = words.popLast() {
                    words.append(last + String(word))
                } else {
                    words.append(String(word))
                }
                isGlued = false
            }
            isGlued = text.unicodeScalars.last?.properties.isWhitespace == false
            return true
        }
        for position in first..<min(last, list.count) {
            let tag = list[position]
            if isNamed(tag, "script") || isNamed(tag, "style") { continue }
            // A viewer's own words may look like a tag: they stay whole, so that a secret in them is known.
            let isWord = position > first && !isElement(tag)
            if !isWord { isGlued = false }
            let start = isWord ? tag.place.lowerBound : tag.place.upperBound
            let end = place(behind: position).upperBound
            guard start < end else { continue }
            guard add(HTMLEntities.decode(Self.uncommented(bytes(start..<end)))) else {
                return words.joined(separator: " ") + " ..."
            }
        }
        return words.joined(separator: " ")
    }

    /// What stands in these bytes outside comments.
    private static func uncommented(_ bytes: ArraySlice<UInt8>) -> String {
        var rest = bytes
        var text: [UInt8] = []
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            text += rest[..<start]
            rest = rest[start...]
            guard rest.starts(with: "<!--".utf8) else {
                text.append(UInt8(ascii: "<"))
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(4)
            while let hyphen = rest.firstIndex(of: UInt8(ascii: "-")) {
                rest = rest[hyphen...]
                if rest.starts(with: "-->".utf8) { break }
                rest = rest.dropFirst()
            }
            guard rest.starts(with: "-->".utf8) else {
                return String(decoding: text, as: UTF8.self)
            }
            rest = rest.dropFirst(3)
        }
        return String(decoding: text + rest, as: UTF8.self)
    }
}
