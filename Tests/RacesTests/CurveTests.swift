import Statistics
import Testing

@testable import Races

@Suite struct CurveTests {
    @Test("the grid doubles from 50 us to both ends")
    func grid() {
        let grid = Curve.grid(.milliseconds(-1) ... .milliseconds(1))
        let microseconds = grid.map { Int($0 / .microseconds(1)) }
        #expect(
            microseconds == [
                -1000, -800, -400, -200, -100, -50, 0, 50, 100, 200, 400, 800, 1000,
            ])
    }

    @Test("a grid keeps to its range, which need not hold zero")
    func oneSided() {
        let grid = Curve.grid(.milliseconds(1) ... .milliseconds(10))
        #expect(grid.first == .milliseconds(1))
        #expect(grid.last == .milliseconds(10))
        #expect(grid.allSatisfy { $0 >= .milliseconds(1) })
    }

    @Test(
        "bins are as far apart as the grid",
        arguments: [
            (0, 0), (24, 0), (26, 1), (50, 1), (-50, -1), (71, 2), (100, 3), (200, 5), (12_800, 17),
        ]
            as [(Int, Int)])
    func bins(microseconds: Int, bin: Int) {
        #expect(Curve.bin(of: .microseconds(microseconds)) == bin)
    }

    @Test("every offset of the grid has a bin of its own")
    func ownBins() {
        let range = Duration.milliseconds(-200) ... .milliseconds(200)
        let grid = Curve.grid(range) + Curve.grid(range, isShifted: true)
        #expect(Set(grid.map(Curve.bin)).count >= grid.count - 2)
    }

    private func points(_ rates: [(Int, Int)]) -> [RaceFinding.CurvePoint] {
        rates.enumerated().map { number, rate in
            .init(
                offset: .milliseconds(number), rate: HitRate(hits: rate.0, trials: rate.1))
        }
    }

    @Test("a plateau is the longest run of points that hit, with its neighbours")
    func plateau() throws {
        let plateau = try #require(
            Plateau(points([(0, 5), (5, 5), (0, 5), (5, 5), (5, 5), (4, 5), (0, 5)])))
        #expect(plateau.first == .milliseconds(3))
        #expect(plateau.last == .milliseconds(5))
        #expect(!plateau.isEverywhere)
    }

    @Test("hits at every offset are no window")
    func everywhere() throws {
        let plateau = try #require(Plateau(points([(5, 5), (4, 5), (5, 5)])))
        #expect(plateau.isEverywhere)
        #expect(Plateau(points([(0, 5), (0, 5)])) == nil)
    }

    @Test("where it broke is told only where fewer trials at other offsets did")
    func seen() {
        #expect(
            points([(0, 40), (6, 10), (0, 2), (3, 5), (0, 40)]).seenText(isSure: true)
                == "seen at offsets from +1 ms to +3 ms (9 of 17 trials), at others in none of 80")
        #expect(
            points([(0, 40), (6, 10), (0, 40)]).seenText()
                == "seen at +1 ms (6 of 10 trials), at others in none of 80")
        let few = points([(1, 40), (6, 10), (0, 1)])
        #expect(few.seenText(isSure: true) == nil)
        #expect(
            few.seenText()
                == "seen at offsets from 0 to +1 ms (7 of 50 trials), at others in none of 1")
        #expect(points([(1, 3), (2, 3)]).seenText() == nil)
        #expect(points([(0, 3), (0, 3)]).seenText() == nil)
    }

    @Test("hits outside a window are told beside it")
    func besides() {
        let points = points([(0, 3), (2, 4), (5, 5), (5, 5), (0, 3), (1, 4), (1, 1), (0, 9)])
        let window = RaceFinding.Window(low: .milliseconds(2), high: .milliseconds(3))
        #expect(points.besides(window) == ["2 of 4 at +1 ms", "2 of 5 at +5 ms to +6 ms"])
        let open = RaceFinding.Window(
            low: .milliseconds(2), high: .milliseconds(3), isLowOpen: true, isHighOpen: true)
        #expect(points.besides(open).isEmpty)
        let evidence = Case.Evidence(
            rate: HitRate(hits: 5, trials: 5), window: window, curve: points)
        #expect(
            evidence.windowText.hasPrefix(evidence.rangeText + " (outside it: 2 of 4 at +1 ms;"))
        let lines = RaceText.curve(
            plan: "p", invariant: .signInVisible, points, window, isCoarse: true)
        #expect(
            lines.suffix(2) == [
                "window roughly +2 ms to +3 ms",
                "outside it: 2 of 4 at +1 ms; 2 of 5 at +5 ms to +6 ms",
            ])
    }

    @Test("one point of bad luck does not split a plateau")
    func badLuck() throws {
        let plateau = try #require(Plateau(points([(0, 5), (3, 5), (0, 5), (3, 5), (0, 5)])))
        #expect(plateau.first == .milliseconds(1))
        #expect(plateau.last == .milliseconds(3))
    }
}

@Suite struct PeakTests {
    @Test("against a sure peak a few trials decide")
    func quick() {
        var high = SequentialTest(peak: 1)
        var trials = 0
        while high.decision == nil, trials < 20 {
            high.add(true)
            trials += 1
        }
        #expect(high.decision == .high)
        #expect(trials <= 3)
        var low = SequentialTest(peak: 1)
        low.add(false)
        low.add(false)
        #expect(low.decision == .low)
    }

    @Test("it is wrong as seldom as it promises", arguments: [0.3, 0.6, 1.0])
    func errors(peak: Double) {
        var dice = Seed(3).child("sprt").generator()
        var wrong = 0
        for _ in 0..<400 {
            var test = SequentialTest(peak: peak)
            while test.decision == nil { test.add(dice.chance(peak)) }
            if test.decision != .high { wrong += 1 }
        }
        #expect(wrong <= 40)
    }
}
