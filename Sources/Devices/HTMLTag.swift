/// An opening or closing tag with its attributes; names in lower case, a closing tag's begins
/// with `/`.
struct HTMLTag {
    var name: String
    var attributes: [(name: String, value: String)]
    /// Where it stands in the page's bytes, brackets included.
    var place = 0..<0

    subscript(name: String) -> String? {
        for attribute in attributes where attribute.name == name { return attribute.value }
        return nil
    }

    /// The tags of a page in order; what stands in comments, scripts and styles is skipped.
    static func all(in html: String) -> [HTMLTag] {
        var tags: [HTMLTag] = []
        var scanner = Scanner(html)
        while let tag = scanner.nextTag() {
            tags.append(tag)
            if tag.name == "script" || tag.name == "style" { scanner.skip(to: "</" + tag.name) }
        }
        return tags
    }

    private struct Scanner {
        private let text: [UInt8]
        private var position = 0

        init(_ html: String) {
            text = Array(html.utf8)
        }

        mutating func nextTag() -> HTMLTag? {
            while let start = text[position...].firstIndex(of: UInt8(ascii: "<")) {
                position = start + 1
                if isAt(Self.commentStart) {
                    skip(to: "-->")
                } else if let name = word() {
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

/// Character references in attribute values: numbers, and the names that forms use.
enum HTMLEntities {
    private static let named: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{a0}",
    ]

    static func decode(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            guard let end = rest.prefix(12).firstIndex(of: ";"),
                let character = character(rest[rest.index(after: start)..<end])
            else {
                result += "&"
                rest = rest.dropFirst()
                continue
            }
            result += character
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> String? {
        guard name.hasPrefix("#") else { return named[String(name)] }
        let digits = name.dropFirst()
        let number =
            digits.hasPrefix("x") || digits.hasPrefix("X")
            ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
