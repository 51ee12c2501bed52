import Statistics
import Testing
import Vocabulary

@testable import Checker

/// What is kept of a device's last operations, against a list that keeps them whole.
@Suite struct RingTests {
    @Test(
        "the last 64 operations come back as they were, whatever they are",
        arguments: Seed.samples(40))
    func lastOperations(seed: Seed) {
        var random = seed.generator()
        var ring = Ring()
        var whole: [CompactOperation] = []
        var call: Int64 = 0
        for number in 1...Int.random(in: 1...300, using: &random) {
            let isWild = Int.random(in: 0..<10, using: &random) == 0
            call =
                isWild
                ? Int64.random(in: -(1 << 62)...(1 << 62), using: &random)
                : call &+ Int64.random(in: 0...6_000_000_000, using: &random)
            let length = Int64.random(in: 0..<(isWild ? 1 << 48 : 5_000_000), using: &random)
            let beat = CompactOperation(
                call: call, ret: call + length,
                sequence: isWild ? .random(in: .min ... .max, using: &random) : Int32(number),
                operation: isWild
                    ? OperationName.allCases.randomElement(using: &random) ?? .logout : .pollToken,
                effect: isWild ? .success : .absent,
                screen: isWild ? .random(in: 0...255, using: &random) : 0,
                flags: isWild ? .random(in: 0...255, using: &random) : 0,
                belief: isWild ? .random(in: 0...0xffff, using: &random) : 1)
            ring.append(beat)
            whole.append(beat)
            if number % 7 == 0 {
                let kept = ring.all
                #expect(kept == Array(whole.suffix(64)))
            }
        }
        let kept = ring.all
        #expect(kept == Array(whole.suffix(64)))
    }
}
