import Statistics
import Testing
import Vocabulary

@testable import Rigs

private func climb(_ rate: Double, _ seconds: Double) -> Load.Arrivals.ArrivalStage {
    .ramp(to: Rate(perSecond: rate), over: .seconds(seconds))
}

@Suite("Arrivals")
struct ArrivalTests {
    static func times(
        _ stages: [Load.Arrivals.ArrivalStage], _ spacing: Load.Arrivals.Spacing = .even,
        seed: Int = 1
    ) -> ArrivalTimes {
        ArrivalTimes(
            Load.Arrivals(stages: stages, spacing: spacing), seed: Seed(UInt64(seed)))
    }

    @Test(
        "counts are exact, whatever the fractions",
        arguments: [
            ([climb(50, 0), .hold(.seconds(40))], 2_000),
            ([climb(0.1, 0), .hold(.seconds(30))], 3),
            ([climb(0.7, 0), .hold(.seconds(10))], 7),
            ([climb(20, 60)], 600),
            ([climb(20, 60), .hold(.seconds(300)), climb(0, 30)], 6_900),
            ([climb(1, 0), .hold(.seconds(1.5))], 2),
            ([.hold(.seconds(60))], 0),
            ([climb(3, 0)], 0),
            ([], 0),
        ] as [([Load.Arrivals.ArrivalStage], Int)])
    func counts(stages: [Load.Arrivals.ArrivalStage], count: Int) {
        #expect(Self.times(stages).count == count)
    }

    @Test("a constant rate comes at equal distances, the first at once")
    func constant() {
        let times = Self.times([climb(50, 0), .hold(.seconds(40))])
        for k in 0..<2_000 {
            #expect(times[k] == .milliseconds(20 * k))
        }
        #expect(times[2_000] == nil)
        #expect(times[-1] == nil)
    }

    @Test("after hours at an odd rate nothing has accumulated")
    func drift() throws {
        let times = Self.times([climb(3, 0), .hold(.seconds(100_000))])
        #expect(times.count == 300_000)
        let late = try #require(times[299_997])
        #expect(late == .seconds(99_999))
    }

    @Test("a ramp follows its quadratic: half of them in the last 29 % of the time")
    func ramp() throws {
        let times = Self.times([climb(20, 60)])
        for k in [0, 1, 150, 300, 599] {
            let expected = (2 * Double(k) / (20.0 / 60)).squareRoot()
            #expect(abs(try #require(times[k]).seconds - expected) < 1e-8)
        }
    }

    @Test("stages join without a jump, up and down", arguments: Seed.samples(20))
    func order(seed: Seed) throws {
        var dice = seed.generator()
        let stages: [Load.Arrivals.ArrivalStage] = (0..<6).map { _ in
            dice.chance(0.3)
                ? .hold(.milliseconds(dice.below(5_000)))
                : climb(Double(dice.below(40)), Double(dice.below(5)))
        }
        for spacing in Load.Arrivals.Spacing.allCases {
            let times = Self.times(stages, spacing)
            let all = (0..<times.count).map { times[$0] ?? .seconds(-1) }
            #expect(all == all.sorted())
            #expect(all.allSatisfy { $0 >= .zero && $0 <= times.end })
        }
    }

    @Test("evenly spaced, by any time there are as many as the rate adds up to")
    func twin() throws {
        let times = Self.times([climb(10, 5), .hold(.seconds(3)), climb(2, 4)])
        // The slow, obvious twin: add the rate up in small steps.
        var due = 0.0
        var k = 0
        var worst = 0.0
        for step in 0..<120_000 {
            let now = Duration.microseconds(step * 100)
            while let time = times[k], time <= now { k += 1 }
            worst = max(worst, abs(due + 0.5 - Double(k)))
            due += times.rate(at: now) * 1e-4
        }
        #expect(worst < 0.51)
        #expect(k == times.count)
    }

    @Test("a Poisson process has its mean, and gaps as scattered as they are long")
    func poisson() throws {
        let times = Self.times([climb(50, 0), .hold(.seconds(400))], .poisson)
        #expect(abs(times.count - 20_000) < 600)
        let all = (0..<times.count).compactMap { times[$0]?.seconds }
        let gaps = zip(all.dropFirst(), all).map { $0 - $1 }
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let variance =
            gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
        #expect(abs(mean - 0.02) < 0.0006)
        #expect(abs(variance.squareRoot() / mean - 1) < 0.03)
        // In 400 seconds the counts of each second scatter as much as their mean.
        var counts = Array(repeating: 0.0, count: 400)
        for time in all { counts[Int(time)] += 1 }
        let spread = counts.reduce(0) { $0 + ($1 - 50) * ($1 - 50) } / 400
        #expect((35...65).contains(spread), "\(spread)")
    }

    @Test("Poisson counts scatter from seed to seed, and repeat with the seed")
    func poissonSeeds() {
        let stages = [climb(10, 0), .hold(.seconds(10))]
        let counts = (0..<200).map { Self.times(stages, .poisson, seed: $0).count }
        let mean = Double(counts.reduce(0, +)) / 200
        #expect(abs(mean - 100) < 3)
        #expect(Set(counts).count > 20)
        #expect(counts == (0..<200).map { Self.times(stages, .poisson, seed: $0).count })
    }

    @Test("a Poisson household is found alone as in a row", arguments: [0, 1, 63, 64, 65, 400])
    func poissonAccess(k: Int) throws {
        let times = Self.times([climb(50, 0), .hold(.seconds(40))], .poisson, seed: 3)
        var sum = 0.0
        for gap in 0...k {
            var dice = Seed(3).child("arrival gap", gap).generator()
            sum += Distribution.unitGap(using: &dice)
        }
        #expect(abs(try #require(times[k]).seconds - sum / 50) < 1e-8)
    }
}
