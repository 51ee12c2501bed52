import Dialects
import Testing

@testable import Journal

@Suite("SipHash and fingerprints")
struct SipHashTests {
    /// Key 00 01 ... 0f, as in the paper and in the vectors of the reference code.
    let key = SipHash.HashKey(low: 0x0706_0504_0302_0100, high: 0x0f0e_0d0c_0b0a_0908)

    /// The input of `n` bytes is 00 01 ... (n-1).
    @Test(
        "gives the 64 bits of the paper's appendix A and of the reference vectors",
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (2, 0x0d6c_8009_d9a9_4f5a),
            (15, 0xa129_ca61_49be_45e5),
        ] as [(Int, UInt64)])
    func narrow(count: Int, expected: UInt64) {
        var hash = SipHash(key: key)
        hash.update((0..<count).map(UInt8.init))
        #expect(hash.finish64() == expected)
    }

    @Test(
        "gives the 128 bits of the reference vectors",
        arguments: [
            (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
        ])
    func wide(count: Int, expected: String) {
        var hash = SipHash(key: key, wide: true)
        hash.update((0..<count).map(UInt8.init))
        let (first, second) = hash.finish128()
        #expect(hexadecimal(first.byteSwapped) + hexadecimal(second.byteSwapped) == expected)
    }

    @Test("a word is the same as its eight bytes, wherever it begins", arguments: 0..<9)
    func words(lead: Int) {
        let word: UInt64 = 0x8877_6655_4433_2211
        var byBytes = SipHash(key: key)
        byBytes.update([UInt8](repeating: 9, count: lead))
        byBytes.update([0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88] as [UInt8])
        byBytes.update([1, 2, 3] as [UInt8])
        var byWord = SipHash(key: key)
        byWord.update([UInt8](repeating: 9, count: lead))
        byWord.update(word: word)
        byWord.update([1, 2, 3] as [UInt8])
        #expect(byBytes.finish64() == byWord.finish64())
    }

    @Test("a text is the same as its bytes, wherever it begins", arguments: 0..<9)
    func texts(lead: Int) {
        for count in 0..<40 {
            let text = (0..<count).map { String(Unicode.Scalar(UInt8(0x30 + $0))) }.joined()
            var byBytes = SipHash(key: key)
            byBytes.update([UInt8](repeating: 9, count: lead))
            byBytes.update(text.utf8)
            var byText = SipHash(key: key)
            byText.update([UInt8](repeating: 9, count: lead))
            byText.update(text)
            #expect(byBytes.finish64() == byText.finish64(), "\(count)")
        }
    }

    @Test("equal secrets have equal fingerprints under one key, and others under another")
    func fingerprints() {
        let printer = Fingerprinter(key: 42)
        let first = printer.fingerprint(of: Secret("token-1"))
        #expect(first == printer.fingerprint(of: Secret("token-1")))
        #expect(first != printer.fingerprint(of: Secret("token-2")))
        #expect(first != Fingerprinter(key: 43).fingerprint(of: Secret("token-1")))
        #expect(first.description.count == 16)
        #expect(Fingerprint(first.description) == first)
        #expect(Fingerprint("no fingerprint..") == nil)
    }
}
