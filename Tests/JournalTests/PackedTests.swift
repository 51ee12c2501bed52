import Dialects
import Statistics
import Testing

@testable import Journal

@Suite("Texts that stand in others as digits")
struct PackedTests {
    /// Reads each run as `Packed.readings` says, byte by byte and with all the memory it likes.
    private static func obviously(_ run: [UInt8]) -> Set<Int> {
        var found: Set<Int> = []
        for first in 0..<4 {
            var bytes: [UInt8] = []
            for start in stride(from: first, to: run.count, by: 4) {
                let four = run[start..<min(start + 4, run.count)].map { UInt32(Packed.value($0)) }
                let bits = (four + [0, 0, 0]).prefix(4).reduce(UInt32(0)) { $0 << 6 | $1 }
                bytes += (0..<max(0, four.count - 1)).map { UInt8(bits >> (16 - 8 * $0) & 0xff) }
            }
            if isText(bytes) { found.insert(first) }
        }
        return found
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        var (count, due) = (0, 0)
        for byte in bytes where byte != 0 {
            switch byte {
            case 0x20...0x7f where due == 0, 0x09 where due == 0, 0x0a where due == 0,
                0x0d where due == 0:
                count += 1
            case 0x80...0xbf where due > 0: (count, due) = (count + 1, due - 1)
            case 0xc2...0xf4 where due == 0:
                (count, due) = (count + 1, byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3)
            default: (count, due) = (0x20...0x7f ~= byte ? 1 : 0, 0)
            }
            if count == Packed.shortest { return true }
        }
        return false
    }

    @Test(
        "the readings of a run that are text are found, and no others", arguments: Seed.samples(40))
    func readings(seed: Seed) {
        var dice = seed.generator()
        let digits = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_".utf8)
        let words = ["ZXlKaGJHY2lPaUo", "cGHDpHNzd8O2cmQ", "aABlAGwAbABvACAAdABoAGUAcgBl", ""]
        for _ in 0..<200 {
            let before = (0..<Int.random(in: 0...9, using: &dice)).map { _ in
                digits.randomElement(using: &dice) ?? 0x41
            }
            let after = (0..<Int.random(in: 11...40, using: &dice)).map { _ in
                digits.randomElement(using: &dice) ?? 0x41
            }
            let run = before + Array((words.randomElement(using: &dice) ?? "").utf8) + after
            let readings = Packed.readings(of: run.span, 0..<run.count)
            let found = Set((0..<4).filter { readings.contains(.base64($0)) })
            #expect(found == Self.obviously(run), "\(String(decoding: run, as: UTF8.self))")
        }
    }

    @Test("hexadecimal digits of a text are found among others")
    func hexadecimal() {
        let run = Array("-70613a242077_70617373776f7264-".utf8)
        #expect(Packed.readings(of: run.span, 0..<run.count).contains(.hexadecimal))
        let random = Array("00112233-4455-6677-8899-aabbccddeeff".utf8)
        #expect(!Packed.readings(of: random.span, 0..<random.count).contains(.hexadecimal))
    }

    @Test("secrets of the run and of the household are found by one search")
    func both() {
        var (run, household) = (KnownSecrets(), KnownSecrets())
        run.note(Secret("rig-secret"))
        household.note(Secret("tv-secret"))
        for text in ["a rig-secret", "a tv-secret", "rig%2Dsecret", "cmlnLXNlY3JldA=="] {
            #expect(household.mayBe(in: text, or: run), "\(text)")
        }
        #expect(!household.mayBe(in: "a quiet text", or: run))
        #expect(!household.mayBe(inPlain: "a rig-secret"))
        #expect(household.mayBe(inPlain: "a tv-secret"))
        run.note(Secret("12"))
        #expect(household.mayBe(in: "a quiet text", or: run))
    }

    @Test("a copy keeps what was known when it was made")
    func copies() {
        var known = KnownSecrets()
        known.note(Secret("first secret"))
        let before = known
        known.note(Secret("second secret"))
        #expect(before.mayBe(in: "first secret") && !before.mayBe(in: "second secret"))
        #expect(known.mayBe(in: "first secret") && known.mayBe(in: "second secret"))
    }
}
