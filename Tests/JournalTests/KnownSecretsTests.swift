import Dialects
import Formats
import Statistics
import Testing

@testable import Journal

@Suite("Secrets that a household has")
struct KnownSecretsTests {
    private static func gate(_ known: KnownSecrets) -> OutputGate {
        OutputGate(Fingerprinter(key: 1)).knowing(known)
    }

    /// Reads a form field by field.
    private static func obviously(_ form: [UInt8], whole: Bool) -> [Range<Int>] {
        var places: [Range<Int>] = []
        let fields = form.split(omittingEmptySubsequences: false) { "&;?#".utf8.contains($0) }
        for field in fields {
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: field[..<equals], as: UTF8.self).lowercased()
                .filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
            if equals + 1 < field.endIndex, whole || SecretFields.names.contains(name) {
                places.append(equals + 1..<field.endIndex)
            }
        }
        return places
    }

    @Test("the secret values of a form are found, and no others", arguments: Seed.samples(40))
    func forms(seed: Seed) {
        var dice = seed.generator()
        let parts = [
            "=", "=", "&", "&", ";", "?", "#", "pin", "PassWord", "client_secret", "a", "%3D", "é",
            "client_secrets", "0123456789abcdef",
        ]
        for _ in 0..<200 {
            let count = Int.random(in: 0...20, using: &dice)
            let form = Array(
                (0..<count).map { _ in parts.randomElement(using: &dice) ?? "" }.joined().utf8)
            for whole in [false, true] {
                let places = SecretFields.form(form, whole: whole).map(\.place)
                let text = String(decoding: form, as: UTF8.self)
                #expect(places == Self.obviously(form, whole: whole), "\(text)")
            }
        }
    }

    @Test(
        "a body in another form than the protocol's shows no secret",
        arguments: [
            #"{"clientSecret":"@"}"#, #"{"CLIENT_SECRET":"@"}"#, #"{"client-secret":"@"}"#,
            #"{" client_secret":"@"}"#, #"{"x_client_secret":"@"}"#, #"{"client_secret_v2":"@"}"#,
            #"{"\ufeffclient_secret":"@"}"#, #"{"client_secret\u0000":"@"}"#,
            #"{"client_secret":["@"]}"#,
            #"{"client_secret":{"v":"@"}}"#, #"{"client_secret":{"v":1,"x":"@"}}"#,
            #"{"client_secret":["short", "@"]}"#, #"{"client_secret": [ "@" ]}"#,
            "client_id=a&client_secret=@",
            "<html><b>client_secret: @</b>", "{'client_secret':'@'}", "{'client_secret' : '@'}",
            "{client_secret: \"@\"}", "{\"\u{feff}accessToken\":\"@\"}", #"{"deviceCode":"@"}"#,
            "<client-secret>@</client-secret>", "client_secret=@",
        ])
    func otherForms(body: String) {
        let secret = "RAWSECRET-20-55fbcbe2aff"
        let text = Array(body.replacing("@", with: secret).utf8)
        #expect(SecretFields.document(text).map(\.value) == [secret], "\(body)")
    }

    @Test(
        "a hostile body is read in linear time",
        arguments: ["pin:", "pin=", "pin:'", "\"pin\":[", "<pin>", "accessToken1 = "])
    func hostile(part: String) {
        let text = Array(String(repeating: part, count: 200_000).utf8)
        #expect(SecretFields.document(text).count < text.count)
    }

    @Test(
        "what only has such a name is no secret",
        arguments: [
            #"{"id_token_signing_alg_values_supported":["RS256","ES256"]}"#,
            #"{"token_endpoint":"https://sp.example/o/token2"}"#,
            "please enter your password: required",
            #"{"access_token_expires_at":"2026-12-01T02:35:11Z"}"#,
            "Password: https://sp.example/help/2026-12-01",
            #"{"access_token_url":"https://sp.example/oauth2/token"}"#,
            #"{"refresh_token_policy":"sliding-window-30-days"}"#,
            #"{"x_access_token_v1":"https://sp.example/1234567"}"#,
            #"{"access_token_expires_in":3600}"#, #"{"client_secret_expires_at":0}"#,
            "<p>Your pin: four digits</p>", #"{"client_secret":[]}"#, #"{"client_secret":{}}"#,
            #"{"client_secret":{"#,
            "client_secret", "client_secret=", "client_secret:", "'client_secret':'",
        ])
    func onlyNamed(body: String) {
        #expect(SecretFields.document(Array(body.utf8)).map(\.value) == [])
    }

    @Test("what a provider hands over in an address is a secret where it is long enough for one")
    func oneTimeValues() {
        func values(_ form: String) -> [String] {
            SecretFields.form(Array(form.utf8)).map(\.value)
        }
        #expect(
            values("/back?code=be8ef1dc1910498ca0&state=3c2faedceeeb445b&SAMLart=AAQAAMh48_1oXIM")
                == ["be8ef1dc1910498ca0", "3c2faedceeeb445b"])
        #expect(values("/device?code=K7DPQ2X&state=California&zip=12345678901234567") == [])
    }

    @Test(
        "a secret of any bytes is found, plain and in Base64 wherever it begins",
        arguments: Seed.samples(40))
    func heads(seed: Seed) {
        var dice = seed.generator()
        for _ in 0..<50 {
            let count = Int.random(in: 4...40, using: &dice)
            let secret = String(
                decoding: (0..<count).map { _ in UInt8.random(in: 0x21...0x7e, using: &dice) },
                as: UTF8.self)
            var known = KnownSecrets()
            known.note(Secret("another-secret"))
            known.note(Secret(secret))
            for before in ["", "1", "12"] {
                #expect(known.mayBe(in: "says " + before + secret), "\(secret)")
                #expect(known.mayBe(inPlain: before + secret), "\(secret)")
                let packed = Base64.encode((before + secret).utf8)
                // Of four bytes in Base64 the digits that are the secret's own are fewer than four.
                guard count >= 6 else { continue }
                #expect(known.mayBe(in: packed), "\(secret)")
                #expect(known.mayBe(inPlain: packed), "\(secret)")
                #expect(Self.gate(known).name(packed) != packed, "\(secret)")
            }
        }
    }

    @Test("texts that read alike and are other bytes are two secrets")
    func alike() {
        let secrets = ["planted-caf\u{e9}-7", "planted-cafe\u{301}-7"]
        var known = KnownSecrets()
        for secret in secrets + secrets { known.note(Secret(secret)) }
        for secret in secrets {
            let bytes = Array("a \(secret).".utf8)
            let shown = Self.gate(known).body(bytes, mediaType: "text/plain")
            #expect(shown == "a \(Self.gate(known).mark(secret)).")
        }
    }

    @Test("what is short is looked for, too, and noted once")
    func short() {
        var known = KnownSecrets()
        for secret in ["1", "12", "123", "1234", "1234"] { known.note(Secret(secret)) }
        for secret in ["1", "12", "123", "1234"] {
            #expect(Self.gate(known).name("a \(secret)") != "a \(secret)")
        }
        #expect(Self.gate(known).name("a 12345") != "a 12345")
        #expect(Self.gate(known).name("a 21") == "a 21")
    }

    @Test("every cookie and every credential of a request is known, and a name is none")
    func requests() throws {
        var call = Call(.pollToken, .get, try #require(WebAddress("https://sp.test/poll")))
        call.headers.append("Cookie", "a=planted-1; b;; c=planted=2;viewer=viewer-77; d=planted-3")
        call.headers.append("Authorization", "Bearer planted-4 planted-5")
        call.headers.append("Proxy-Authorization", "planted-6")
        var known = KnownSecrets()
        known.note(name: "viewer-77")
        known.note(call)
        known.note(
            Reply(status: 200, headers: ["Set-Cookie": "e=planted-7; Path=/planted-8"]))
        let gate = Self.gate(known)
        for text in ["planted-1", "planted=2", "planted-3", "planted-4 planted-5", "planted-7"] {
            #expect(gate.name(text) == gate.mark(text))
        }
        for text in ["planted-6", "/planted-8", "viewer-77"] { #expect(gate.name(text) == text) }
    }

    @Test("what somebody else knew is known, and their names are names")
    func others() {
        var (one, two) = (KnownSecrets(), KnownSecrets())
        for secret in ["1", "planted-1", "planted-2"] { two.note(Secret(secret)) }
        two.note(name: "viewer-77")
        one.note(Secret("planted-1"))
        one.note(two)
        one.note(two)
        let gate = Self.gate(one)
        for text in ["1", "planted-1", "planted-2"] { #expect(gate.name(text) == gate.mark(text)) }
        #expect(one.isName("viewer-77") && !one.isName("viewer-7"))
    }

    @Test(
        "a text that stands for other bytes may hold a secret of whoever comes next",
        arguments: ["PHBsYW50ZWQtMT4=", "planted%2D1", "planted&#45;1"])
    func unknown(text: String) {
        #expect(KnownSecrets().mayBe(in: text))
        #expect(!KnownSecrets().mayBe(in: "a quiet text"))
    }
}
