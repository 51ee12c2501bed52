import Dialects
import Testing

@Suite("A value that most do not have")
struct RareTests {
    private struct Carrier: Hashable {
        @Rare var value: [Int]?
    }

    @Test("is one word, whatever it is")
    func isOneWord() {
        #expect(MemoryLayout<Rare<(String, String, String)>>.size == MemoryLayout<Int>.size)
    }

    @Test("a copy that changes leaves the other as it was")
    func copiesAreValues() {
        let one = Carrier(value: [1])
        var two = one
        two.value?.append(2)
        #expect(one.value == [1])
        #expect(two.value == [1, 2])
        two.value = nil
        #expect(one.value == [1])
        #expect(two.value == nil)
    }

    @Test("compares and hashes by what it holds")
    func comparesByValue() {
        #expect(Carrier(value: [1, 2]) == Carrier(value: [1, 2]))
        #expect(Carrier(value: [1, 2]) != Carrier(value: [1]))
        #expect(Carrier(value: nil) != Carrier(value: []))
        #expect(Set([Carrier(value: [3]), Carrier(value: [3]), Carrier(value: nil)]).count == 2)
    }

    /// Whoever waits has a copy in each function of its chain: 120,000 households wait at the height of
    /// rigs/million.yaml.
    @Test("what devices hand from function to function is small")
    func isSmall() {
        #expect(MemoryLayout<IssuedCode>.size <= 96)
        #expect(MemoryLayout<Answer>.size <= 72)
        #expect(MemoryLayout<Credential>.size <= 208)
        #expect(MemoryLayout<Call>.size <= 168)
    }
}
