import Testing

@testable import Statistics

/// Searches over services whose limit is known: a curve says how likely a step holds at each rate.
@Suite("The search for a limit") struct LimitSearchTests {
    /// How a service turns from holding to missing.
    struct Service: Sendable, CustomTestStringConvertible {
        var name: String
        /// Chance that a step holds, by the logarithms of its rate and of the limit.
        var holds: @Sendable (Double, Double) -> Double
        var testDescription: String { name }
    }

    private static func logistic(_ x: Double) -> Double {
        x > 40 ? 1 : x < -40 ? 0 : 1 / (1 + Elementary.exponential(-x))
    }

    static let services = [
        Service(name: "holds below, misses above, always") { $0 < $1 ? 1 : 0 },
        Service(name: "both within a few percent") { logistic(($1 - $0) / 0.02) },
        Service(name: "both within a third") { logistic(($1 - $0) / 0.1) },
        Service(name: "one step in forty answers at random") {
            0.0125 + 0.975 * logistic(($1 - $0) / 0.03)
        },
        // Waits grow as 1 / (1 - utilisation), and measuring them has a spread of a quarter.
        Service(name: "a queue") { rate, limit in
            let utilisation = 0.9 * Elementary.exponential(rate - limit)
            guard utilisation < 1 else { return 0 }
            return logistic(-Elementary.logarithm(0.1 / (1 - utilisation)) / 0.25)
        },
    ]

    private static func searched(
        _ service: Service, limit: Double, _ dice: inout Dice, _ terms: LimitSearch.Terms
    ) -> LimitSearch {
        var search = LimitSearch(terms)
        let truth = Elementary.logarithm(limit)
        while let rate = search.next {
            search.note(
                rate: rate,
                held: dice.chance(service.holds(Elementary.logarithm(rate), truth)))
        }
        return search
    }

    @Test("answers that contradict each other lead no further than twice what held")
    func contradiction() throws {
        var search = LimitSearch(.init(from: 1.75, to: 1_000))
        for (rate, held) in [(1.75, true), (3.0, false), (1.75, true), (3.25, true)] {
            search.note(rate: rate, held: held)
        }
        #expect(try #require(search.next) <= 6.5)
    }

    @Test("the interval holds the limit in 47 of 50 searches or more", arguments: services)
    func coverage(service: Service) {
        let seeds = Seed.samples(50)
        var covered = 0
        for seed in seeds {
            var dice = seed.generator()
            // From 3/s to 300/s, each decade alike.
            let limit = 3 * Elementary.exponential(dice.unit() * Elementary.logarithm(100))
            let search = Self.searched(service, limit: limit, &dice, .init(from: 1, to: 1000))
            #expect(search.ending == .found || search.ending == .stepsUsed, "\(seed)")
            #expect(search.steps.count <= 30)
            if search.interval.contains(limit) { covered += 1 }
        }
        #expect(covered >= 47, "\(covered) of \(seeds.count)")
    }

    @Test("a service that always answers alike is found within 20 steps, to 10 %")
    func effort() {
        for seed in Seed.samples(10) {
            var dice = seed.generator()
            let limit = 2 + 200 * dice.unit()
            let search = Self.searched(
                Self.services[0], limit: limit, &dice, .init(from: 1, to: 1000))
            #expect(search.ending == .found && search.steps.count <= 20, "\(seed)")
            #expect(search.interval.high <= search.interval.low * 1.1)
            #expect(search.highestHeld ?? 0 < limit && search.lowestMissed ?? 0 >= limit)
        }
    }

    @Test("the rate doubles until a step misses, and one miss by chance does not end the way up")
    func ramp() {
        var search = LimitSearch(.init(from: 1, to: 1000))
        for rate in [1.0, 2, 4, 8] {
            #expect(search.next == rate)
            // The fourth is a pause of the machine.
            search.note(rate: rate, held: rate < 8)
        }
        while let rate = search.next { search.note(rate: rate, held: rate < 50) }
        #expect(search.interval.contains(50), "\(search.interval)")
    }

    @Test("a limit beyond either end is said, and takes few steps")
    func beyond() {
        var high = LimitSearch(.init(from: 4, to: 20))
        while let rate = high.next { high.note(rate: rate, held: true) }
        #expect(high.ending == .holdsThrough && high.steps.count <= 8)
        #expect(high.steps.allSatisfy { (4...20).contains($0.rate) })
        var low = LimitSearch(.init(from: 4, to: 20))
        while let rate = low.next { low.note(rate: rate, held: false) }
        #expect(low.ending == .missesFrom && low.steps.count <= 8)
        #expect(low.steps.allSatisfy { $0.rate == 4 })
    }

    @Test("so many steps and no more")
    func steps() {
        var search = LimitSearch(.init(from: 1, to: 1000, stepsAtMost: 5))
        while let rate = search.next { search.note(rate: rate, held: rate < 50) }
        #expect(search.ending == .stepsUsed && search.steps.count == 5)
        #expect(search.highestHeld == 16 && search.lowestMissed == nil && !search.isBracketed)
    }

    @Test(
        "rates have three digits",
        arguments: [(0.012345, 0.0123), (1.0, 1), (39.96, 40.0), (123.4, 123), (123_456, 123_000)])
    func rounding(rate: Double, rounded: Double) {
        #expect(abs(LimitSearch.rounded(rate) - rounded) < 1e-12)
    }
}

extension LimitSearch {
    /// The highest rate that held, whatever was seen below it; nil where none did.
    fileprivate var highestHeld: Double? { steps.filter(\.held).map(\.rate).max() }
    /// The lowest rate that missed; nil where none did.
    fileprivate var lowestMissed: Double? { steps.filter { !$0.held }.map(\.rate).min() }
}
