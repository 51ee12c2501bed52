import Formats
import Foundation
import Testing

@Suite struct Base64Tests {
    /// RFC 4648, 10.
    @Test(
        "Base64 of the standard's examples, both ways",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func base64(plain: String, encoded: String) {
        #expect(Base64.encode(plain.utf8) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
        let bare = String(encoded.prefix { $0 != "=" })
        #expect(Base64.encodeURL(plain.utf8) == bare)
        #expect(Base64.decode(bare) == Array(plain.utf8))
    }

    @Test("both alphabets are read")
    func alphabets() {
        #expect(Base64.encode([0xfb, 0xff]) == "+/8=")
        #expect(Base64.encodeURL([0xfb, 0xff]) == "-_8")
        #expect(Base64.decode("+/8=") == [0xfb, 0xff])
        #expect(Base64.decode("-_8") == [0xfb, 0xff])
    }

    @Test(
        "what is no Base64 is nil",
        arguments: ["A", "AAAAA", "AA=", "AA===", "A=AA", "AA AA", "é", "=", "===="])
    func notBase64(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("Base64 agrees with Foundation's", arguments: 0..<20)
    func base64(length: Int) {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 250) }
        #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
    }

    /// Each group of three bytes stands at four places of those that are written at once.
    @Test("all digits of both alphabets, at every place", arguments: 0..<12)
    func digits(first: Int) {
        let bytes = (first..<first + 1024).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 3) }
        let standard = Data(bytes).base64EncodedString()
        #expect(Base64.encode(bytes) == standard)
        let url = standard.replacing("+", with: "-").replacing("/", with: "_")
        #expect(Base64.encodeURL(bytes) == String(url.prefix { $0 != "=" }))
        #expect(Base64.decode(standard) == bytes)
    }
}
