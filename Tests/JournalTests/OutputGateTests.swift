import Dialects
import Formats
import Foundation
import Testing

@testable import Journal

@Suite("The gate for words of peers")
struct GateTests {
    static let password = "pa$$ w&rd/+é\"<9>"
    static let bearer = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ0diJ9.sig-nature_1"
    private static let gate: OutputGate = {
        var known = KnownSecrets()
        known.note(Secret(password))
        known.note(Secret(bearer))
        known.note(name: "ann")
        return OutputGate(Fingerprinter(key: 1)).knowing(known)
    }()

    /// A literal would be ours.
    private static func peer(_ text: String) -> Untrusted { Untrusted(text) }

    /// Every way in which a peer may write a text, by name.
    static func writings(of text: String) -> [(name: String, text: String)] {
        func each(_ unit: (UInt8) -> String) -> String { text.utf8.map(unit).joined() }
        func scalars(_ unit: (Unicode.Scalar) -> String) -> String {
            text.unicodeScalars.map(unit).joined()
        }
        func hex(_ value: UInt8) -> String { (value < 16 ? "0" : "") + String(value, radix: 16) }
        func unicode(_ value: UInt16) -> String {
            let digits = String(value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        let form = FormEncoding.encode(text)
        let named = ["&": "amp", "<": "lt", ">": "gt", "\"": "quot", "$": "dollar", "/": "sol"]
        let base64 = Base64.encode(("ann:" + text).utf8)
        let url = base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        let json = JSONText.quoted(text).dropFirst().dropLast()
        return [
            ("plain", text), ("percent", form), ("form", form.replacing("%20", with: "+")),
            ("percent, lower", each { "%" + hex($0) }),
            ("percent, upper", each { "%" + hex($0).uppercased() }),
            (
                "percent, in part",
                each { $0 > 0x60 && $0 < 0x7b ? String(Unicode.Scalar($0)) : "%" + hex($0) }
            ),
            ("entities, named", scalars { named[String($0)].map { "&\($0);" } ?? String($0) }),
            ("entities, decimal", scalars { "&#\($0.value);" }),
            ("entities, open", scalars { "&#\($0.value)" }),
            ("entities, hexadecimal", scalars { "&#x000" + String($0.value, radix: 16) + ";" }),
            ("JSON", String(json)), ("JSON, slashes", String(json).replacing("/", with: "\\/")),
            ("JSON, escaped", text.utf16.map(unicode).joined()),
            ("entities of percents", each { "&#37;" + hex($0) }),
            ("percents of percents", form.replacing("%", with: "%25")),
            ("with marks that nobody sees", scalars { String($0) + "\u{200b}\u{7}" }),
            ("base64", Base64.encode(text.utf8)), ("base64 of user:password", base64),
            ("base64url", String(url)), ("base64, shifted", Base64.encode(("12" + text).utf8)),
            ("base64, percent", FormEncoding.encode(base64)),
            ("entities, padded", scalars { "&#0000000000000\($0.value);" }),
            (
                "base64 in lines",
                lines(Base64.encode((String(repeating: "x", count: 99) + text).utf8))
            ),
            ("hexadecimal", each(hex)), ("hexadecimal, upper", each { hex($0).uppercased() }),
        ]
    }

    private static func lines(_ text: String) -> String {
        stride(from: 0, to: text.count, by: 76).map { text.dropFirst($0).prefix(76) }
            .joined(separator: "\r\n")
    }

    @Test("a secret is found in three writings on top of each other, in any order")
    func layers() {
        let ways: [(name: String, write: (String) -> String)] = [
            ("base64", { Base64.encode(("<" + $0 + ">").utf8) }),
            (
                "percent",
                { $0.utf8.map { "%" + String(Int($0) | 0x100, radix: 16).dropFirst() }.joined() }
            ),
            (
                "JSON",
                {
                    $0.utf16.map { "\\u" + String(Int($0) | 0x10000, radix: 16).dropFirst() }
                        .joined()
                }
            ),
            ("entities", { $0.unicodeScalars.map { "&#\($0.value);" }.joined() }),
            (
                "hexadecimal",
                { $0.utf8.map { String(Int($0) | 0x100, radix: 16).dropFirst() }.joined() }
            ),
        ]
        for first in ways {
            for second in ways {
                for third in ways {
                    let text = third.write(second.write(first.write(Self.password)))
                    let shown = Self.gate.text(Untrusted("says '\(text)'."), limit: 100_000)
                    #expect(
                        shown == "says '\(Self.gate.mark(Self.password))'.",
                        "\(third.name) of \(second.name) of \(first.name): \(shown.prefix(200))")
                }
            }
        }
    }

    @Test("Base64 and hexadecimal of UTF-16 are found where the secret is ASCII")
    func wide() {
        for order in [0, 1] {
            let bytes = Self.bearer.utf8.flatMap { (byte: UInt8) -> [UInt8] in
                order == 0 ? [byte, 0] : [0, byte]
            }
            let hexadecimal = bytes.map { String(Int($0) | 0x100, radix: 16).dropFirst() }.joined()
            for text in [Base64.encode(bytes), hexadecimal] {
                #expect(Self.gate.text(Untrusted(text)) == Self.gate.mark(Self.bearer))
            }
        }
    }

    @Test(
        "whatever is packed in what, a text is read a bounded number of times",
        arguments: [
            "MTEx", "343", "QUFBQUFB", "%25", "&amp;", "\\\\", "5a6d", "bW1t", "a ", "ZXlK\\/",
        ])
    func bounded(unit: String) {
        let text = String(repeating: unit, count: 20_000 / unit.utf8.count)
        var read = 0
        Decoded(Array(text.utf8)).layers { read += $0.bytes.count }
        #expect(read < 20 * text.utf8.count, "\(read)")
    }

    @Test("a secret is found however a peer writes it", arguments: [password, bearer])
    func encodings(secret: String) {
        for (name, text) in Self.writings(of: secret) {
            let shown = Self.gate.text(Untrusted("says '\(text)' twice: \(text)."))
            let mark = Self.gate.mark(secret)
            #expect(shown == "says '\(mark)' twice: \(mark).", "\(name): \(shown)")
            #expect(Self.gate.body(Array(text.utf8), mediaType: "text/plain") == mark, "\(name)")
            #expect(Self.gate.name(text) == mark, "\(name)")
        }
    }

    @Test(
        "our own words stay, whatever the secrets are; a peer's lose controls and what is too long")
    func words() {
        var known = KnownSecrets()
        known.note(Secret("page"))
        known.note(Secret("a"))
        let gate = OutputGate(Fingerprinter(key: 1)).knowing(known)
        let mark = gate.mark("page")
        let title = Self.peer("\u{1b}[31mhome\u{202e} page\nof a car")
        #expect(
            gate.text("the page says '\(title)'")
                == "the page says '[31mhome \(mark) of \(gate.mark("a")) car'")
        #expect(gate.text(Self.peer(String(repeating: "x", count: 5_000))).count == 1_000)
        // What has been through it stays as it is.
        #expect(gate.text(Self.peer("a \(mark)")) == "\(gate.mark("a")) \(mark)")
        var secret = KnownSecrets()
        secret.note(Secret("secret"))
        let other = OutputGate(Fingerprinter(key: 1)).knowing(secret)
        #expect(other.text(Self.peer(other.text(Self.peer("secret")))) == other.mark("secret"))
    }

    @Test("an interpolation by mistake shows nothing")
    func untrusted() {
        let words: Untrusted = "the service said \(Self.peer("hunter2-planted"))"
        #expect("\(words)" == "(unread text of a peer)")
        #expect(String(reflecting: words) == "(unread text of a peer)")
        #expect(String(describing: [words]) == "[(unread text of a peer)]")
        var dumped = ""
        dump(words, to: &dumped)
        #expect(!dumped.contains("hunter2"))
        #expect(words.contains("hunter2") && words == "the service said hunter2-planted")
    }

    @Test("an account's name stays what it is, even where it is the password of another")
    func names() {
        #expect(Self.gate.name("ann") == "ann")
        #expect(Self.gate.name("user \(Self.password)") != "user \(Self.password)")
    }

    @Test(
        "whom a page that turns a household's viewer down names stays out of the words",
        arguments: [
            ("wrong password for otto.wagner@family.example.", "wrong password for (user)."),
            ("user=otto.wagner@family.example&x=1", "user=(user)&x=1"),
            ("user=otto.wagner%40family.example&x=1", "user=(user)&x=1"),
            ("otto.wagner@family.example2", "otto.wagner@family.example2"),
            (
                "berta@berta.example. and Berta%40x-y.example/ are; roberta@x is not",
                "(user). and (user)/ are; roberta@x is not"
            ),
            (
                "at http://auth.berta.example, Berta is locked, and berta; test is not",
                "at http://auth.berta.example, (user) is locked, and (user); test is not"
            ),
            ("ann is locked", "ann is locked"),
        ])
    func namesInWords(said: String, shown: String) {
        var known = KnownSecrets()
        let names = ["otto.wagner@family.example", "Berta", "test", "ann"]
        for name in names { known.note(name: name) }
        let gate = OutputGate(Fingerprinter(key: 1)).knowing(known)
        #expect(gate.text("the page says '\(Untrusted(said))'") == "the page says '\(shown)'")
    }

    /// Of 'viewer-11-4556' the cut end of the second viewer's login could be made.
    @Test("whom a login form names is no secret, nor is a user whose name begins like it")
    func loginNames() throws {
        var known = KnownSecrets()
        known.note(name: "viewer-11-4556-second")
        let page = try #require(WebAddress("https://provider.test/login"))
        var call = Call(.mvpdLogin, .post, page)
        call.body = Array("username=viewer-11-4556-second&password=hunter2-planted-2026".utf8)
        known.note(call)
        let gate = OutputGate(Fingerprinter(key: 1)).knowing(known)
        #expect(gate.name("viewer-11-4556") == "viewer-11-4556")
        #expect(gate.name("viewer-11-4556-second") == "viewer-11-4556-second")
        #expect(gate.name("hunter2-planted-2026") == gate.mark("hunter2-planted-2026"))
    }

    @Test("a secret that was cut at the end of a text is one, too")
    func cut() {
        let shown = Self.gate.text(Untrusted("token " + Self.bearer.prefix(20)))
        #expect(shown == "token " + Self.gate.mark(Self.bearer))
    }

    @Test(
        "headers that look like tokens are marked, those that are known stay",
        arguments: [
            ("X-Session-Id", "abc", true), ("X-Api-Key", "1", true), ("X-Auth", "x", true),
            ("X-Trace", "0123456789abcdef0123456789abcdef", true),
            ("X-Blob", "QWxhZGRpbjpPcGVuU2VzYW1lMTIzNDU2", true), ("X-Cache", "HIT", false),
            ("Date", "Sun, 22 Nov 2026 07:00:00 GMT", false), ("Server", "nginx/1.25.3", false),
            ("X-Request-Id", "0123456789abcdef0123456789abcdef", false),
            ("Content-Type", "application/json", false), ("ETag", "\"33a64df551425fcc\"", false),
            ("Location", "https://a.test/x?access_token=abc#id_token=abc", true),
            // rest-v2.md § 3.2.
            ("AD-Service-Token", "x", true), ("Adobe-Subject-Token", "x", true),
            ("X-Roku-Reserved-Roku-Connect-Token", "x", true), ("AP-TempPass-Identity", "x", true),
            (
                "AP-Partner-Framework-Status", "eyJmcmFtZXdvcmtQZXJtaXNzaW9uSW5mbyI6eyJhY2Nlc3N",
                false
            ),
        ])
    func headers(name: String, value: String, isMarked: Bool) {
        let shown = Self.gate.header(.init(name, value))
        #expect(shown.value.contains("(secret #") == isMarked, "\(shown.value)")
        #expect(isMarked || shown.value == value)
        #expect(Self.gate.header(.init("X-\(Self.bearer)", "1")).name.contains("(secret #"))
    }

    @Test("what a request shows of its user's identity is known from then on (rest-v2.md § 3.2)")
    func identities() throws {
        let address = try #require(WebAddress("https://sp.test/api/v2/DEMOTV/profiles"))
        let call = Call(
            .profiles, .get, address,
            headers: [
                "AP-Device-Identifier": "fingerprint dmQtMDAwMDAwMDAwMDAx",
                "AD-Service-Token": "planted-service", "Adobe-Subject-Token": "planted-subject",
                "AP-TempPass-Identity": Base64.encode("ann@planted.test".utf8),
            ])
        var known = KnownSecrets()
        known.note(call)
        known.note(call)
        let gate = OutputGate(Fingerprinter(key: 1)).knowing(known)
        for told in ["planted-service", "planted-subject", "ann@planted.test"] {
            #expect(gate.text(Self.peer("for \(told)")) == "for " + gate.mark(told))
        }
        #expect(gate.text(Self.peer("dmQtMDAwMDAwMDAwMDAx")) == "dmQtMDAwMDAwMDAwMDAx")
    }

    @Test(
        "values of a session are marked by their place alone",
        arguments: [
            (#"<input type="hidden" name="csrf" value="planted">"#, "text/html"),
            ("<input value='planted' class=x type='password'/>", "text/html"),
            ("<INPUT name=SAMLResponse value=planted>", "text/html"),
            (#"{"a":"x\"","Access_Token" : "planted","b":1}"#, "application/json"),
            (#"{"pin": 1234567planted, "ok": true}"#, "application/json"),
            ("<ns:serializedToken a='1'>planted</ns:serializedToken>", "text/xml"),
            ("<password><![CDATA[planted]]></password>", "text/xml"),
            ("a=1&client_secret=planted", "application/x-www-form-urlencoded"),
        ])
    func places(body: String, type: String) {
        let shown = OutputGate(Fingerprinter(key: 1)).body(Array(body.utf8), mediaType: type)
        #expect(!shown.contains("planted") && shown.contains("(secret #"), "\(shown)")
    }

    @Test(
        "its time is linear in what a peer sends",
        arguments: [
            "<input", "<input a='", "\"a\":\"\\\\\\", "<a><a>", "<pin><pin", "\"pin\":\"\\\\",
            "\"pin\"    ", "%25", "&#37;", "\\u005c", "pa$$ w&rd/", "eyJhbGciOiJIUzI1NiJ9.",
            "ZXlKaGJHY2lPaUpJVXpJMU5pSjk", "a=b&", "password=&", "<title <title ",
        ])
    func linear(unit: String) {
        func time(_ count: Int) -> Duration {
            let bytes = Array(String(repeating: unit, count: count / unit.utf8.count).utf8)
            return ContinuousClock().measure { _ = Self.gate.body(bytes, mediaType: "text/html") }
        }
        // A quadratic reader takes minutes for this megabyte.
        #expect(time(1 << 20) < .seconds(30))
    }
}
