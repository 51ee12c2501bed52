import Testing

@testable import Formats

/// What is looked for eight bytes at a time is what a walk byte by byte finds.
@Suite struct ByteScanTests {
    /// Texts of every length around a word, with every byte at every place.
    static func texts(_ look: ([UInt8]) -> Void) {
        for length in 0..<20 {
            let plain = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            look(plain)
            for position in plain.indices {
                for byte in UInt8.min...UInt8.max {
                    var text = plain
                    text[position] = byte
                    if position > 0 { text[position - 1] = byte ^ 0x80 }
                    look(text)
                }
            }
        }
    }

    @Test("the first stop")
    func stops() {
        Self.texts { text in
            let json = text.firstIndex {
                $0 < 0x20 || $0 >= 0x80 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
            }
            if text.span.first(of: .json) != json ?? text.count { Issue.record("\(text)") }
            let other = text.firstIndex {
                $0 < 0x21 || $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "%")
            }
            let stops = ByteStops(below: 0x21, "#", "%")
            if text.span.first(of: stops) != other ?? text.count { Issue.record("\(text)") }
            let letter = text.firstIndex { "pPuU".utf8.contains($0) }
            let letters = ByteStops("p", "u", ignoresCase: true)
            if text.span.first(of: letters) != letter ?? text.count { Issue.record("\(text)") }
        }
    }

    @Test("the first of a byte, from anywhere")
    func bytes() {
        let text = Array("a=1&bc=23&d=&&efghijklmnop=qrstuvw&xyz".utf8)
        for start in 0...text.count {
            for byte in Set(text) {
                let found = text[start...].firstIndex(of: byte) ?? text.count
                #expect(text.span.first(byte, from: start) == found)
            }
        }
    }

    @Test("parts", arguments: ["", "a", "abc", "abcdefgh", "hijklmnopq", "pq", "ba", "abcdefgi"])
    func parts(part: String) {
        let text = "xabcdefghijklmnopq"
        let (bytes, wanted) = (Array(text.utf8), Array(part.utf8))
        let places = bytes.indices.filter { bytes[$0...].starts(with: wanted) }
        #expect(bytes.span.first(wanted.span) == places.first)
        for place in -2...20 {
            let isThere = place == bytes.count ? wanted.isEmpty : places.contains(place)
            #expect(bytes.span.holds(wanted.span, at: place) == isThere)
        }
    }

    @Test("a set has its members")
    func sets() {
        let set = ByteSet { $0 % 3 == 0 || $0 > 250 }
        for byte in UInt8.min...UInt8.max {
            #expect(set.contains(byte) == (byte % 3 == 0 || byte > 250))
        }
    }

    @Test(
        "what is percent-encoded is decoded again",
        arguments: ["", "plain-._~", "a b+c%d&e=f", "é😀", "100%", "\u{0}"])
    func percent(text: String) {
        let encoded = PercentEncoding.encode(text)
        #expect(encoded.utf8.count == PercentEncoding.width(of: text))
        let decoded = PercentEncoding.decode(encoded.utf8Span.span, plusIsSpace: true)
        #expect(decoded == Array(text.utf8))
    }

    @Test(
        "a percent sign without two digits stands for itself",
        arguments: [("%", "%"), ("%4", "%4"), ("%4g", "%4g"), ("%41%", "A%"), ("a+b", "a b")])
    func loose(text: String, decoded: String) {
        let bytes = PercentEncoding.decode(text.utf8Span.span, plusIsSpace: true)
        #expect(String(decoding: bytes, as: UTF8.self) == decoded)
    }

    @Test("letters, figures and -._~ stay as they are, whichever stand beside them")
    func unreserved() {
        let plain = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        Self.texts { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            var wanted = ""
            for byte in text.utf8 {
                let digits = String(byte, radix: 16, uppercase: true)
                wanted +=
                    plain.contains(byte)
                    ? String(UnicodeScalar(byte)) : byte < 16 ? "%0" + digits : "%" + digits
            }
            if PercentEncoding.encode(text) != wanted { Issue.record("\(bytes)") }
            if PercentEncoding.width(of: text) != wanted.utf8.count { Issue.record("\(bytes)") }
        }
    }

    @Test("texts of any length are joined")
    func joined() {
        for length in 0..<20 {
            let part = String("0123456789abcdefghijk".prefix(length))
            #expect(String(joining: part, "é", "", part) == part + "é" + part)
        }
    }

    @Test("a text goes to bytes and comes from them")
    func texts() {
        var bytes: [UInt8] = [1]
        bytes.append(text: "é")
        bytes.append(text: "")
        #expect(bytes == [1, 0xc3, 0xa9])
        let text = String(utf8Capacity: 8) { for byte in "é, too".utf8 { $0.append(byte) } }
        #expect(text == "é, too")
    }

    @Test("a word is found in any case, wherever it stands")
    func ignoringCase() {
        let word = "back"
        for text in [
            "", "bac", "back", "BaCk", "xBACk", "a bacback", "bbacK\u{e9}", "b\u{41}cK",
            "\u{42}@ck",
        ] {
            let wanted = text.lowercased().contains(word)
            let found = text.utf8Span.span.holdsIgnoringCase(word.utf8Span.span)
            #expect(found == wanted, "\(text)")
        }
        let isEmptyThere = word.utf8Span.span.holdsIgnoringCase("".utf8Span.span)
        #expect(!isEmptyThere)
    }
}
