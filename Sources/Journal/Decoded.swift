internal import Formats

/// A text with what stands for other bytes undone, and where each byte came from: `%41`, `&#65;`,
/// `&amp;`, `\u0041`, `\/`, or what is packed as Base64 or hexadecimal. Marks that nobody sees are left
/// out.
struct Decoded {
    private(set) var bytes: [UInt8]
    /// The place in the first text of each byte; nil: the same.
    private var places: [Range<Int32>]?

    init(_ text: [UInt8]) { bytes = text }

    private init(_ bytes: [UInt8], _ places: [Range<Int32>]) {
        self.bytes = bytes
        self.places = places
    }

    /// The place in the first text.
    func place(of range: Range<Int>) -> Range<Int> {
        guard let places, !range.isEmpty else { return range }
        return Int(
            places[range.lowerBound].lowerBound)..<Int(places[range.upperBound - 1].upperBound)
    }

    private func origin(of range: Range<Int>) -> Range<Int32> {
        let place = place(of: range)
        return Int32(place.lowerBound)..<Int32(place.upperBound)
    }

    /// Itself and everything that is written in it, in `depth` layers: a query in an attribute in JSON,
    /// Base64 of Base64. What is read in all is bounded by a multiple of the text: unescaping makes no
    /// text longer, and unpacking reads each digit at most six times.
    func layers(_ depth: Int = 3, _ visit: (Decoded) -> Void) {
        visit(self)
        guard depth > 0 else { return }
        unescaped()?.layers(depth - 1, visit)
        unpacked()?.layers(depth - 1, visit)
    }

    /// With one layer of escapes undone; nil where there is none.
    func unescaped() -> Decoded? {
        guard let first = bytes.firstIndex(where: Self.opens) else { return nil }
        var decoded = Array(bytes[..<first])
        var origins: [Range<Int32>] = []
        decoded.reserveCapacity(bytes.count)
        origins.reserveCapacity(bytes.count)
        for position in 0..<first { origins.append(origin(of: position..<position + 1)) }
        var position = first
        var hasChanged = false
        while position < bytes.count {
            var length = 1
            if Self.opens(bytes[position]), let unit = Self.unit(bytes[position...]) {
                hasChanged = true
                length = unit.length
                let origin = origin(of: position..<position + length)
                // What nobody sees goes with what it stands behind.
                if unit.bytes.isEmpty, let last = origins.last {
                    origins[origins.count - 1] = last.lowerBound..<origin.upperBound
                }
                for byte in unit.bytes {
                    decoded.append(byte)
                    origins.append(origin)
                }
            } else {
                decoded.append(bytes[position])
                origins.append(origin(of: position..<position + 1))
            }
            position += length
        }
        return hasChanged ? Decoded(decoded, origins) : nil
    }

    /// What runs of Base64 and hexadecimal digits hold, as far as it is text; nil where none does.
    private func unpacked() -> Decoded? {
        var texts: [UInt8] = []
        var origins: [Range<Int32>] = []
        Packed.each(in: bytes) { text, run in
            let origin = origin(of: run)
            // Between two there is what belongs to no writing.
            texts += text
            texts.append(UInt8(ascii: "\""))
            origins += repeatElement(origin, count: text.count + 1)
        }
        return texts.isEmpty ? nil : Decoded(texts, origins)
    }

    /// A byte that may stand for something else, alone or with those behind it.
    static func opens(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "\\"), 0xc2, 0xe2, 0xef: true
        default: byte < 0x20 || byte == 0x7f
        }
    }

    private static func unit(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        let rest = text.dropFirst()
        switch text[text.startIndex] {
        case UInt8(ascii: "%"):
            return number(rest.prefix(2), digits: 2...2).map { ([UInt8($0.value)], 3) }
        case UInt8(ascii: "&"): return entity(rest)
        case UInt8(ascii: "\\"): return escape(rest)
        case 0xc2, 0xe2, 0xef: return unseen(text)
        default: return ([], 1)
        }
    }

    /// Behind a `\` (RFC 8259, 7; `\x41` is a script's).
    private static func escape(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        guard let letter = text.first else { return nil }
        switch letter {
        case UInt8(ascii: "u"):
            guard let high = number(text.dropFirst().prefix(4), digits: 4...4) else { return nil }
            let rest = text.dropFirst(5)
            if (0xd800..<0xdc00).contains(high.value), rest.starts(with: Array("\\u".utf8)),
                let low = number(rest.dropFirst(2).prefix(4), digits: 4...4),
                (0xdc00..<0xe000).contains(low.value)
            {
                let scalar = 0x10000 + (high.value - 0xd800) << 10 + (low.value - 0xdc00)
                return (utf8(scalar), 12)
            }
            return (utf8(high.value), 6)
        case UInt8(ascii: "x"):
            return number(text.dropFirst().prefix(2), digits: 2...2).map { (utf8($0.value), 4) }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"):
            return ([letter], 2)
        case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"),
            UInt8(ascii: "t"):
            return ([], 2)
        default: return nil
        }
    }

    /// Behind a `&`: by number, with any zeros in front, with or without the `;`, or by a name of a
    /// character of ASCII.
    private static func entity(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        func closed(_ length: Int) -> Int {
            text.dropFirst(length - 1).first == UInt8(ascii: ";") ? length + 1 : length
        }
        if text.first == UInt8(ascii: "#") {
            let isHexadecimal = text.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
            let start = isHexadecimal ? 2 : 1
            let digits = text.dropFirst(start)
            let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
            let found = number(
                digits.dropFirst(zeros), digits: 0...9, radix: isHexadecimal ? 16 : 10)
            guard let found, zeros + found.length > 0 else { return nil }
            return (utf8(found.value), closed(start + 1 + zeros + found.length))
        }
        guard let end = text.prefix(longestName).firstIndex(of: UInt8(ascii: ";")) else {
            return nil
        }
        let name = text[text.startIndex..<end]
        guard let byte = names[String(decoding: name, as: UTF8.self)] else { return nil }
        return ([byte], name.count + 2)
    }

    /// Control characters of two bytes, and marks of no width (U+00AD, U+200B to U+200F, U+2060,
    /// U+FEFF).
    private static func unseen(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        let next = text.dropFirst().prefix(2)
        let second = next.first ?? 0
        let third = next.dropFirst().first ?? 0
        switch text[text.startIndex] {
        case 0xc2: return (0x80...0x9f).contains(second) || second == 0xad ? ([], 2) : nil
        case 0xe2:
            let isMark =
                second == 0x80 && ((0x8b...0x8f).contains(third) || (0xa8...0xae).contains(third))
                || second == 0x81 && (0xa0...0xaf).contains(third)
            return isMark ? ([], 3) : nil
        default: return second == 0xbb && third == 0xbf ? ([], 3) : nil
        }
    }

    private static func number(
        _ text: ArraySlice<UInt8>, digits: ClosedRange<Int>, radix: Int = 16
    ) -> (value: Int, length: Int)? {
        var (value, length) = (0, 0)
        for byte in text {
            guard length < digits.upperBound, let digit = Hexadecimal.value(byte).map(Int.init),
                digit < radix
            else {
                break
            }
            value = value * radix + digit
            length += 1
        }
        return length >= digits.lowerBound ? (value, length) : nil
    }

    private static func utf8(_ value: Int) -> [UInt8] {
        guard let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init) else { return [] }
        return scalar.value < 0x20 ? [] : Array(String(scalar).utf8)
    }

    /// Of `names`, with its `;`.
    private static let longestName = 13

    private static let names: [String: UInt8] =
        ([
            "amp": "&", "AMP": "&", "lt": "<", "LT": "<", "gt": ">", "GT": ">", "quot": "\"",
            "QUOT": "\"", "apos": "'", "nbsp": " ", "excl": "!", "num": "#", "dollar": "$",
            "percnt": "%", "lpar": "(", "rpar": ")", "ast": "*", "midast": "*", "plus": "+",
            "comma": ",", "period": ".", "sol": "/", "colon": ":", "semi": ";", "equals": "=",
            "quest": "?", "commat": "@", "lsqb": "[", "lbrack": "[", "bsol": "\\", "rsqb": "]",
            "rbrack": "]", "Hat": "^", "lowbar": "_", "UnderBar": "_", "grave": "`", "lcub": "{",
            "lbrace": "{", "verbar": "|", "vert": "|", "VerticalLine": "|", "rcub": "}",
            "rbrace": "}", "hyphen": "-", "dash": "-",
        ] as [String: Unicode.Scalar]).mapValues { UInt8(ascii: $0) }
}
