import Dialects
import Testing

@testable import Devices

/// apple-sso.md § 4, with its vectors.
@Suite("The platform's answer becomes a form field")
struct SAMLTextTests {
    struct Vector: CustomTestStringConvertible {
        var name: String
        var input: String
        var normalised: String
        var base64: String
        var wire: String
        var testDescription: String { name }
    }

    static let vectors = [
        Vector(
            name: "V1 tabs, CRLF, surrounding white space",
            input: "\t<samlp:Response ID=\"_a1\">\r\n\t\t<saml:Issuer>idp.example</saml:Issuer>\r\n"
                + "</samlp:Response>\n",
            normalised: "<samlp:Response ID=\"_a1\"> <saml:Issuer>idp.example</saml:Issuer>"
                + "</samlp:Response>",
            base64: "PHNhbWxwOlJlc3BvbnNlIElEPSJfYTEiPiA8c2FtbDpJc3N1ZXI+aWRwLmV4YW1wbGU8L3NhbWw6"
                + "SXNzdWVyPjwvc2FtbHA6UmVzcG9uc2U+",
            wire: "PHNhbWxwOlJlc3BvbnNlIElEPSJfYTEiPiA8c2FtbDpJc3N1ZXI%2BaWRwLmV4YW1wbGU8L3NhbWw6"
                + "SXNzdWVyPjwvc2FtbHA6UmVzcG9uc2U%2B"),
        Vector(
            name: "V2 mixed runs, padding", input: "<r>\n  <a>x  \t y</a>\n  <b/>\n</r>",
            normalised: "<r> <a>x y</a> <b/></r>",
            base64: "PHI+IDxhPnggeTwvYT4gPGIvPjwvcj4=",
            wire: "PHI%2BIDxhPnggeTwvYT4gPGIvPjwvcj4%3D"),
        Vector(
            name: "V3 all three special characters", input: "<v>???>>>~~~</v>",
            normalised: "<v>???>>>~~~</v>", base64: "PHY+Pz8/Pj4+fn5+PC92Pg==",
            wire: "PHY%2BPz8%2FPj4%2Bfn5%2BPC92Pg%3D%3D"),
        Vector(
            name: "V4 a newline between attributes disappears", input: "<r a=\"1\"\nb=\"2\"/>",
            normalised: "<r a=\"1\"b=\"2\"/>", base64: "PHIgYT0iMSJiPSIyIi8+",
            wire: "PHIgYT0iMSJiPSIyIi8%2B"),
        Vector(
            name: "V5 what is not ASCII, as UTF-8", input: "<u>subs\u{e9} \u{ff}\u{ff}</u>",
            normalised: "<u>subs\u{e9} \u{ff}\u{ff}</u>", base64: "PHU+c3Vic8OpIMO/w788L3U+",
            wire: "PHU%2Bc3Vic8OpIMO%2Fw788L3U%2B"),
    ]

    @Test("the vectors of the page", arguments: vectors)
    func vector(vector: Vector) {
        #expect(SAMLText.normalised(vector.input) == vector.normalised)
        #expect(SAMLText.base64(vector.input) == vector.base64)
        let wire = FormEncoding.encode(SAMLText.base64(vector.input))
        #expect(wire == vector.wire)
        #expect(!wire.contains("%25"), "encoded twice")
    }

    @Test("other white space stays inside and goes at the ends; every newline scalar goes")
    func edges() {
        #expect(SAMLText.normalised("\u{a0}<a>\u{a0}\u{a0}</a>\u{2003}") == "<a>\u{a0}\u{a0}</a>")
        #expect(SAMLText.normalised("a\u{b}b\u{c}c\u{85}d\u{2028}e\u{2029}f") == "abcdef")
        #expect(SAMLText.normalised("a \n b") == "a  b", "runs collapse before lines join")
        #expect(SAMLText.normalised(" \t\r\n ") == "")
    }
}
