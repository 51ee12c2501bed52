import Statistics
import Testing

@Suite("What a run says of windows")
struct WindowExposureTests {
    private func exposure(_ delays: [Int64], events: Int) -> WindowExposure {
        var exposure = WindowExposure()
        for _ in 0..<events { exposure.addEvent() }
        for delay in delays { exposure.addLook(after: delay) }
        return exposure
    }

    @Test(
        "12 of 1,958 sign-ins hit: such a run sees it nearly for certain, a share of 10 % with 70 %"
    )
    func many() {
        let delays = (1...1_958).map { Int64($0) * 2_500_000 }
        let exposure = exposure(delays, events: 1_958)
        #expect(exposure.hits(within: 30_050_000) == 12)
        #expect(exposure.probability(ofSeeing: 30_050_000) > 0.9999)
        let tenth = exposure.probability(ofSeeing: 30_050_000, inShare: 0.1)
        #expect(abs(tenth - 0.699) < 0.001)
        #expect(exposure.probability(ofSeeing: 1_000_000) == 0)
    }

    @Test("the shortest window seen with 95 % is the third-shortest delay of many")
    func shortest() throws {
        let exposure = exposure((1...100).map { Int64($0) * 10_000_000 }, events: 100)
        let shortest = try #require(exposure.shortestWindow())
        #expect(abs(shortest - 30_000_000) < 60_000)
        #expect(exposure.probability(ofSeeing: shortest + 60_000) >= 0.95)
        #expect(exposure.probability(ofSeeing: 20_000_000) < 0.95)
    }

    @Test("events that nobody looked at weaken it, and few looks see nothing with 95 %")
    func unlooked() {
        #expect(exposure([1_000_000], events: 1).shortestWindow() != nil)
        #expect(exposure([1_000_000], events: 100).shortestWindow() == nil)
        #expect(exposure([], events: 5).shortestWindow() == nil)
        #expect(exposure([], events: 0).probability(ofSeeing: 1) == 0)
        #expect(exposure([1_000], events: 2).share(within: 2_000) == 0.5)
    }

    @Test("two halves make the whole")
    func merged() {
        var half = exposure([5, 7], events: 4)
        half.merge(exposure([6], events: 2))
        #expect(half == exposure([5, 7, 6], events: 6))
    }

    @Test("share and probability are each other's reverse")
    func reverse() {
        for (probability, trials) in [(0.95, 1), (0.95, 498), (0.5, 40)] {
            let share = TrialCount.share(seenWith: probability, in: trials)
            let again = TrialCount.probability(ofSeeing: share, in: trials)
            #expect(abs(again - probability) < 1e-9)
        }
        #expect(abs(TrialCount.share(seenWith: 0.95, in: 498) - 0.006) < 1e-5)
        #expect(abs(Interval.upperBound(of: 0, in: 1_958) - 0.00153) < 1e-5)
    }
}
