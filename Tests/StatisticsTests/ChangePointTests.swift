import Testing

@testable import Statistics

@Suite("Lasting changes of a series")
struct ChangePointTests {
    private let detector = ChangePointDetector()

    /// The step begins with night 41 of 60, so that it may be told on the nights 41 to 46.
    private static let step = 40
    private static let within = step...(step + 5)

    /// Judged night by night, as somebody lives it: what is told with a night hangs on no later one
    /// ("what was told stays told").
    private func rises(_ values: [Double]) -> [ChangePoint] {
        detector.changes(in: values).filter(\.isRise)
    }

    @Test("a step of 10 % in a noise of 4 % is told within 5 nights for 18 of 20 seeds, at least")
    func found() {
        let told = (1...20).filter { seed in
            rises(Nights(step: Self.step).values(Seed(UInt64(seed))))
                .contains { Self.within.contains($0.noticed) }
        }
        #expect(told.count >= 18, "told for \(told)")
    }

    @Test("a percentile takes five values beyond it, on either side of a change and by itself")
    func counts() {
        let needs = [0.5, 0.9, 0.95, 0.99, 0.999].map { PercentileNeed.values(atShare: $0) }
        #expect(needs == [10, 50, 100, 500, 5000])
        #expect(PercentileNeed.values(atShare: 1) == .max)
        let values = [100.0, 101, 99, 102, 100, 98, 100, 101, 150, 151, 149, 150, 151]
        func noticed(_ count: Double?) -> [Int] {
            ChangePointDetector(needed: 100).changes(
                in: values, counts: values.map { _ in count }
            ).map(\.noticed)
        }
        #expect(noticed(nil) == [10] && noticed(100) == [10] && noticed(34) == [10])
        // Five nights of 20 are as many as it takes; five of 19 are not.
        #expect(noticed(20) == [12] && noticed(19) == [])
        let detector = ChangePointDetector(needed: 100)
        let nine = Array(values.prefix(9))
        #expect(detector.departure(of: nine, counts: nine.map { _ in 99 }) == nil)
        #expect(detector.departure(of: nine, counts: nine.map { _ in 100 }) != nil)
        #expect(detector.departure(of: nine) != nil)
    }

    @Test("60 nights without a step raise no alarm for 19 of 20 seeds, at least")
    func quiet() {
        let silent = (1...20).filter { rises(Nights().values(Seed(UInt64($0)))).isEmpty }
        #expect(silent.count >= 19, "silent for \(silent)")
    }

    @Test("the same holds for many more: at least 90 of 100 told, at most 5 of 100 false alarms")
    func rates() {
        let seeds = (1000..<1300).map { Seed(UInt64($0)) }
        let told = seeds.count { seed in
            rises(Nights(step: Self.step).values(seed)).contains {
                Self.within.contains($0.noticed)
            }
        }
        let alarmed = seeds.count { !rises(Nights().values($0)).isEmpty }
        #expect(told >= 270, "told \(told) of 300")
        #expect(alarmed <= 15, "alarmed \(alarmed) of 300")
    }

    @Test("what was told stays told: later nights move no night of notice", arguments: [3, 4, 5])
    func stays(seed: Int) {
        let values = Nights(step: 25, size: 0.2).values(Seed(UInt64(seed)))
        let all = detector.changes(in: values)
        for end in 1...values.count {
            let then = detector.changes(in: Array(values.prefix(end)))
            #expect(
                then.map(\.noticed) == all.map(\.noticed).filter { $0 < end },
                "with \(end) nights")
        }
    }

    @Test("the change is placed where it was, with its size and an interval around it")
    func place() throws {
        for seed in Seed.samples(20) {
            let changes = rises(Nights(step: 30, size: 0.3).values(seed))
            let change = try #require(changes.first { abs($0.first - 30) <= 1 }, "seed \(seed)")
            let ratio = change.after / change.before
            #expect((0.24...0.37).contains(ratio - 1), "seed \(seed): \(ratio)")
            #expect(change.ratio.contains(ratio))
            #expect(change.noticed - 30 <= 4)
        }
    }

    @Test("a large step is told on its third night, not before and not later")
    func soon() {
        let values = Nights(step: 30, size: 1).values(Seed(5))
        #expect(detector.changes(in: values).map(\.noticed) == [32])
    }

    @Test("one night, however bad, is no lasting change; nor are two")
    func odd() {
        for nights in 1...2 {
            var values = Nights().values(Seed(11))
            for index in 30..<(30 + nights) { values[index] *= 10 }
            #expect(rises(values).isEmpty, "\(nights)")
        }
    }

    @Test(
        "a single night is unusual in fewer than one of 1,000 quiet ones, and when 30 % are added")
    func unusual() {
        func isUnusual(_ values: [Double], _ night: Int) -> Bool {
            guard
                let found = detector.departure(of: Array(values[...night]))
            else { return false }
            return found.deviate >= ChangePointDetector.Departure.limit
                && found.ratio >= ChangePointDetector.Departure.smallest
        }
        var (flagged, nights, shown) = (0, 0, 0)
        for seed in (2000..<2200).map({ Seed(UInt64($0)) }) {
            let quiet = Nights().values(seed)
            for night in 5..<60 {
                nights += 1
                if isUnusual(quiet, night) { flagged += 1 }
            }
            if isUnusual(Nights(count: 31, step: 30, size: 0.3).values(seed), 30) { shown += 1 }
        }
        #expect(Double(flagged) <= 0.001 * Double(nights), "\(flagged) of \(nights)")
        #expect(shown >= 190, "\(shown) of 200")
        #expect(detector.departure(of: [400, 401, 399, 400, 4000]) == nil)
    }

    @Test("what got worse and was mended after three nights is seen to be mended within three more")
    func mended() {
        let values = Nights(count: 30).values(Seed(7)) + [4000, 4100, 3900, 400, 410, 395]
        #expect(detector.changes(in: values).map(\.noticed) == [32, 35])
    }

    @Test("three bad nights do not stand on the worst of them alone")
    func oneCarries() {
        // Two are a little slow; with the third they would make a level of their own.
        var values = Nights(noise: 0.02).values(Seed(2))
        for (index, factor) in [(50, 1.0), (51, 1.01), (52, 3)] { values[index] = 400 * factor }
        #expect(rises(Array(values.prefix(53))).isEmpty)
    }

    @Test("an improvement is a change, but no rise; and the way back is one")
    func improvement() {
        let first = Nights(count: 20).values(Seed(1))
        let better = Nights(count: 20, level: 300).values(Seed(2))
        let worse = Nights(count: 20).values(Seed(3))
        let changes = detector.changes(in: first + better + worse)
        #expect(changes.map(\.isRise) == [false, true])
        #expect(abs(changes[0].first - 20) <= 1)
        #expect(abs(changes[1].first - 40) <= 1)
    }

    @Test(
        "a change below the floor is none, however sure",
        arguments: [(1.02, 0), (1.025, 0), (1.04, 1), (0.98, 0), (0.95, 1)])
    func floor(factor: Double, count: Int) {
        // In virtual time values repeat exactly.
        let values = Array(repeating: 100.0, count: 20) + Array(repeating: 100 * factor, count: 20)
        #expect(detector.changes(in: values).count == count)
    }

    @Test("shares may be zero: with an offset, errors that come to stay are told")
    func shares() {
        let detector = ChangePointDetector(offset: 0.005, smallest: 0.2)
        let none = Array(repeating: 0.0, count: 20)
        #expect(detector.changes(in: none + Array(repeating: 0.0005, count: 9)).isEmpty)
        let told = detector.changes(in: none + Array(repeating: 0.01, count: 9))
        #expect(told.map(\.noticed) == [22])
        #expect(abs((told.first?.after ?? 0) - 0.01) < 1e-9)
        #expect(told.first?.before ?? 1 < 1e-9)
    }

    /// Shares of 820 requests each.
    private static func errors(_ share: Double, nights: Int, _ seed: Seed) -> [Double] {
        var dice = seed.child("errors").generator()
        return (0..<nights).map { _ in
            Double((0..<820).count { _ in dice.chance(share) }) / 820
        }
    }

    private let ofShares = ChangePointDetector(offset: 0.005, smallest: 0.2)

    /// An old level of nothing does not scatter at all, and the new one does.
    @Test(
        "errors that come to stay where there were none are told, though they scatter",
        arguments: [nil, 820.0])
    func scattering(whole: Double?) throws {
        func changes(_ values: [Double]) -> [ChangePoint] {
            ofShares.changes(in: values, wholes: values.map { _ in whole })
        }
        let none = Array(repeating: 0.0, count: 9)
        let some = [0.0098, 0.011, 0.0073, 0.0135, 0.0086, 0.0098, 0.011, 0.0086, 0.0098]
        #expect(changes(none + some).map(\.noticed) == [11])
        // 5, 11, 7 and 2 of 820 requests; 9, 3, 6, 11, 6 and 7 of 822.
        for (old, errors) in [(9, [5.0, 11, 7, 2]), (6, [9.0, 3, 6, 11, 6, 7])] {
            let values = Array(repeating: 0.0, count: old) + errors.map { $0 / 820 }
            let change = try #require(changes(values).first, "\(errors)")
            #expect(change.first == old && change.noticed <= old + 4, "\(errors): \(change)")
        }
        for (share, least) in [(0.003, 30), (0.01, 58), (0.03, 58), (0.1, 58)] {
            let told = Seed.samples(60).count { seed in
                changes(none + Self.errors(share, nights: 9, seed))
                    .contains { $0.noticed < 15 && $0.isRise }
            }
            #expect(told >= least, "\(share): \(told) of 60")
        }
    }

    /// Five nights without an error scatter less than errors do.
    @Test(
        "errors that come now and then are no change, where it is known of how many requests",
        arguments: [0.0001, 0.0003, 0.001, 0.01])
    func nowAndThen(share: Double) {
        let seeds = Seed.samples(100)
        let wholes = Array(repeating: Optional(820.0), count: 60)
        let alarmed = seeds.count { seed in
            ofShares.changes(in: Self.errors(share, nights: 60, seed), wholes: wholes)
                .contains(where: \.isRise)
        }
        #expect(alarmed <= 5, "\(alarmed) of 100")
        // A book of which the first nights do not tell yet.
        let some = (0..<60).map { $0 < 12 ? nil : Optional(820.0) }
        let mixed = seeds.count { seed in
            ofShares.changes(in: Self.errors(share, nights: 60, seed), wholes: some)
                .contains { $0.isRise && $0.noticed >= 12 }
        }
        #expect(mixed <= 8, "\(mixed) of 100 with nights that do not tell")
        let unusual = seeds.count { seed in
            let values = Self.errors(share, nights: 30, seed)
            return (ofShares.departure(of: values, wholes: wholes)?.deviate ?? 0)
                >= ChangePointDetector.Departure.limit
        }
        #expect(unusual <= 1, "\(unusual) of 100 nights")
    }

    @Test("too few nights tell nothing", arguments: 0...7)
    func few(count: Int) {
        let values = (0..<count).map { $0 < 4 ? 100.0 : 1000 }
        #expect(detector.changes(in: values).isEmpty)
    }

    @Test("negative and absurd values end no program")
    func absurd() {
        #expect(detector.changes(in: Array(repeating: -5, count: 30)).isEmpty)
        _ = detector.changes(in: [0, 1e300, 0, 1e-300, 5, 0, 0, 1e300, 1, 2, 3, 4, 5])
    }
}
