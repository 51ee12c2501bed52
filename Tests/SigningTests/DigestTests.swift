import Signing
import Testing

@Suite("digests")
struct DigestTests {
    /// FIPS 180-4 examples.
    @Test(
        "SHA-256 of the standard's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func vectors(text: String, digest: String) {
        #expect(Hex.encode(SHA256.digest(text)) == digest)
    }
}

extension DigestTests {
    /// RFC 4231, test cases 1, 2 and 6.
    @Test(
        "HMAC-SHA256 of the standard's examples",
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func keyed(key: [UInt8], text: String, digest: String) {
        #expect(Hex.encode(KeyedDigest(key: key).digest(Array(text.utf8))) == digest)
    }

    @Test("random bytes differ")
    func random() throws {
        #expect(try RandomBytes.make(16) != RandomBytes.make(16))
        #expect(try RandomBytes.make(0).isEmpty)
    }
}
