import Foundation
import Testing

@testable import Formats

@Suite struct JSONReaderTests {
    @Test("JSON and XML read to the same value")
    func sameTree() throws {
        let json = try #require(JSONReader.read(Array(#"{"a":"1","b":{"c":"x & y"}}"#.utf8)))
        let xml = try #require(
            XMLReader.read(
                Array(
                    "<?xml version=\"1.0\"?><ns2:r xmlns:ns2=\"n\"><a>1</a><b><c>x &amp; y</c></b></ns2:r>"
                        .utf8)))
        #expect(xml.root == "r")
        #expect(json == xml.tree)
    }

    @Test(
        "what is not exactly one JSON value is none",
        arguments: [
            "", "{", "{}x", "{\"a\":}", "[1,]", "01", "-", "1.", "1e", "\"\u{1}\"", "\"\\x\"",
            "tru", "nul",
            "{\"a\" 1}", "\"\\ud800\"", "'a'", "[1 2]", String(repeating: "[", count: 100),
        ])
    func refuse(text: String) {
        #expect(JSONReader.read(Array(text.utf8)) == nil)
    }

    @Test(
        "strings are unescaped",
        arguments: [
            (#""a\"b\\c\/\n\t""#, "a\"b\\c/\n\t"), (#""\u00e9\ud83d\ude00""#, "é😀"), ("\"é\"", "é"),
            ("\"\"", ""),
        ])
    func strings(text: String, expected: String) {
        #expect(JSONReader.read(Array(text.utf8)) == .string(expected))
    }

    @Test("numbers keep their digits", arguments: ["0", "-1", "1.50", "1e9", "1767776000000"])
    func numbers(text: String) {
        #expect(JSONReader.read(Array(text.utf8)) == .number(text))
    }

    @Test(
        "what our writer quotes, any reader reads back", arguments: ["", "\"\\\n\u{7}é😀", "plain"])
    func quoting(text: String) throws {
        let quoted = JSONText.quoted(text)
        #expect(JSONReader.read(Array(quoted.utf8)) == .string(text))
        let theirs = try JSONSerialization.jsonObject(
            with: Data(quoted.utf8), options: .fragmentsAllowed)
        #expect(theirs as? String == text)
    }

    @Test("JSON texts are escaped as RFC 8259 has it")
    func escapes() {
        #expect(JSONText.quoted("a\"b\\c\n\u{1}é") == "\"a\\\"b\\\\c\\n\\u0001é\"")
        #expect(JSONText.quoted("\u{7f}\u{9b}°\u{202e}") == "\"\\u007f\\u009b°\\u202e\"")
    }

    @Test("broken XML is none", arguments: ["<a>", "<a></b>", "", "text"])
    func brokenXML(text: String) {
        #expect(XMLReader.read(Array(text.utf8)) == nil)
    }
}
