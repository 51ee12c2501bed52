import Formats
import Signing
import Testing

@Suite("keys and tokens")
struct KeyTests {
    @Test("a signature is the same every time, and belongs to its text and key")
    func signatures() throws {
        let key = DemoKeys.statements()
        let text = Array("hello".utf8)
        let signature = try key.sign(text)
        #expect(signature.count == 256)
        #expect(try key.sign(text) == signature)
        let verifier = try RSAKey(publicPEM: key.publicPEM())
        #expect(!verifier.isPrivate)
        #expect(try verifier.verifies(signature, of: text))
        #expect(try !verifier.verifies(signature, of: Array("hallo".utf8)))
        #expect(try !verifier.verifies(Array(signature.dropLast()), of: text))
        #expect(try !verifier.verifies([], of: text))
        #expect(try !DemoKeys.media().verifies(signature, of: text))
        #expect(try DemoKeys.saml().sign(text) != signature)
    }

    @Test("the key of access tokens signs as any RSA key: 2,048 bits, whatever the text")
    func accessTokens() throws {
        let key = AccessTokenKey.demo
        #expect(key.modulus.count == 256 && key.modulus[0] >= 0x80)
        let verifier = try RSAKey(publicPEM: key.publicPEM)
        for number in 0..<50 {
            let text = Array("token \(number)".utf8)
            let signature = key.sign(text)
            #expect(signature.count == 256 && signature == key.sign(text))
            #expect(try verifier.verifies(signature, of: text), "\(number)")
            #expect(try !verifier.verifies(signature, of: text + [0]))
        }
        let token = JWT.make(claims: #"{"sub":"tv"}"#, key: key)
        #expect(try JWT.verify(token, key: verifier) == #"{"sub":"tv"}"#)
    }

    @Test("a public key does not sign")
    func publicOnly() throws {
        let verifier = try RSAKey(publicPEM: DemoKeys.media().publicPEM())
        #expect(throws: SigningError.self) { try verifier.sign([1]) }
    }

    @Test(
        "other text is no key",
        arguments: ["", "hello", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"])
    func notKeys(text: String) {
        #expect(throws: SigningError.notAKey(expected: "private key")) {
            try RSAKey(privatePEM: text)
        }
        #expect(throws: SigningError.notAKey(expected: "public key")) {
            try RSAKey(publicPEM: text)
        }
    }

    @Test("an elliptic key is no RSA key")
    func elliptic() throws {
        let pair = try CertificatePair.selfSigned()
        #expect(throws: SigningError.notAKey(expected: "RSA key")) {
            try RSAKey(privatePEM: pair.key)
        }
    }

    @Test("a token gives its claims back to whoever has the key")
    func tokens() throws {
        let token = try JWT.make(claims: #"{"sub":"é"}"#, key: DemoKeys.statements())
        #expect(token.split(separator: ".").count == 3)
        #expect(token.hasPrefix("eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9."))
        #expect(try JWT.verify(token, key: DemoKeys.statements()) == #"{"sub":"é"}"#)
        #expect(throws: SigningError.wrongSignature) {
            try JWT.verify(token, key: DemoKeys.media())
        }
        let parts = token.split(separator: ".")
        let forged = "\(parts[0]).\(Base64.encodeURL(#"{"sub":"e"}"#.utf8)).\(parts[2])"
        #expect(throws: SigningError.wrongSignature) {
            try JWT.verify(forged, key: DemoKeys.statements())
        }
    }

    @Test(
        "what is no RS256 token says what is wrong",
        arguments: [
            ("", "1 parts where there are three"), ("a.b", "2 parts where there are three"),
            ("!.b.c", "a part that is not Base64url"),
            // {"alg":"none"}
            ("eyJhbGciOiJub25lIn0.e30.", "a header that does not name RS256"),
        ])
    func notTokens(text: String, found: String) {
        #expect(throws: SigningError.notAToken(found: found)) {
            try JWT.verify(text, key: DemoKeys.statements())
        }
        #expect(
            SigningError.notAToken(found: found).description
                == "this is no RS256 token: \(found)")
    }

    @Test("the demo statement is always the same, and the demo key's")
    func statement() throws {
        #expect(demoSoftwareStatement() == demoSoftwareStatement())
        let claims = try JWT.verify(demoSoftwareStatement(), key: DemoKeys.statements())
        #expect(claims.contains(#""software_id":"screenrig-demo""#))
    }
}

@Suite("certificates")
struct CertificateTests {
    @Test("a pair is PEM, and new each time")
    func pair() throws {
        let pair = try CertificatePair.selfSigned(for: ["tv.example", "10.0.0.1"], days: 1)
        #expect(pair.certificate.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(pair.key.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try CertificatePair.selfSigned() != pair)
    }

    @Test(
        "a name that would end in another is turned down", arguments: ["", "a b", "a,DNS:b", "a\n"])
    func badNames(name: String) {
        #expect(throws: SigningError.badHostName(name)) {
            try CertificatePair.selfSigned(for: ["localhost", name])
        }
    }

    @Test("an address that is none is the library's to refuse")
    func badAddress() {
        #expect(throws: SigningError.self) { try CertificatePair.selfSigned(for: ["1.2.3.4.5"]) }
    }
}
