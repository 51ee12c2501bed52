import Statistics
import Testing

@Suite("Seeds")
struct SeedTests {
    @Test("a child depends on seed, purpose and index, and on nothing else")
    func children() {
        let seed = Seed(1)
        #expect(seed.child("viewer", 3) == Seed(1).child("viewer", 3))
        #expect(seed.child("viewer", 3) != seed.child("viewer", 4))
        #expect(seed.child("viewer", 3) != seed.child("kind", 3))
        #expect(seed.child("viewer", 3) != Seed(2).child("viewer", 3))
    }

    @Test("children of one purpose never collide")
    func distinct() {
        let seed = Seed(99)
        #expect(Set((0..<20_000).map { seed.child("device", $0).value }).count == 20_000)
    }

    @Test("the generator is SplitMix64 as published")
    func published() {
        var dice = Dice(Seed(1_234_567))
        let first = [dice.next(), dice.next(), dice.next()]
        #expect(
            first == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    @Test("draws below a bound stay below it and use all of it", arguments: Seed.samples(20))
    func below(seed: Seed) {
        var dice = seed.generator()
        var seen = Array(repeating: 0, count: 7)
        for _ in 0..<7_000 { seen[dice.below(7)] += 1 }
        #expect(seen.allSatisfy { (850...1150).contains($0) }, "\(seen)")
    }

    @Test(
        "unit draws are within 0 and 1, with the mean of an even spread",
        arguments: Seed.samples(20))
    func unit(seed: Seed) {
        var dice = seed.generator()
        let draws = (0..<10_000).map { _ in dice.unit() }
        #expect(draws.allSatisfy { $0 >= 0 && $0 < 1 })
        #expect(abs(draws.reduce(0, +) / 10_000 - 0.5) < 0.02)
    }

    @Test("no chance never happens, certainty always does")
    func chance() {
        var dice = Seed(5).generator()
        for _ in 0..<1_000 {
            let (never, always) = (dice.chance(0), dice.chance(1))
            #expect(!never && always)
        }
    }

    @Test("samples for property tests differ and stay the same")
    func samples() {
        #expect(Set(Seed.samples(100)).count == 100)
        #expect(Seed.samples(3) == Array(Seed.samples(100).prefix(3)))
    }
}
