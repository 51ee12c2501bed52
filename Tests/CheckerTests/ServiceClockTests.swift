import Testing
import Vocabulary

@testable import Checker

@Suite("The service's clock")
struct ServiceClockTests {
    /// The `Date` of an answer that took 4 ms, by a clock that is `ahead` by so many milliseconds.
    private func add(
        _ clock: inout ServiceClock, at time: Int64, ahead: Int64 = 0, in household: Int
    ) {
        let date = (1_800_000_000_000 + time + ahead) / 1_000 * 1_000
        clock.add(
            date: date, of: .pollToken, between: time * 1_000_000, and: (time + 4) * 1_000_000,
            household: household, sequence: 1)
    }

    /// Two of eight answers come from a front of its own; with dates in whole seconds 5 s of tolerance end somewhere
    /// between 5 and 6 s.
    @Test(
        "a front that is too far ahead or behind is accused, in whatever order the answers come, and never the others",
        arguments: [4_900, 5_100, 5_500, 5_900, 6_100, 9_000] as [Int64], 0..<8)
    func fronts(distance: Int64, phase: Int) {
        for ahead in [distance, -distance] {
            var clock = ServiceClock(tolerance: 0)
            for round in 0..<40 {
                let isOther = (round + phase) % 8 < 2
                add(
                    &clock, at: Int64(round) * 731, ahead: isOther ? ahead : 0,
                    in: isOther ? 1 : 2)
            }
            let strangers = clock.dates.strangers
            let accused = Set(strangers.map(\.household))
            #expect(!accused.contains(2), "\(ahead) ms: \(accused)")
            #expect(strangers.allSatisfy { $0.distance > 0 })
            if distance < 5_000 { #expect(accused.isEmpty) }
            if distance > 6_000 { #expect(accused == [1]) }
        }
    }

    @Test("a clock that is set by less than the tolerance, or runs slow, is one clock")
    func setAgain() {
        var steps = ServiceClock(tolerance: 0)
        var slow = ServiceClock(tolerance: 0)
        for second in 0..<28_800 as Range<Int64> {
            add(&steps, at: second * 1_000, ahead: second / 3_600 * 3_200, in: 1)
            add(&slow, at: second * 1_000, ahead: -second * 3 / 10, in: 1)
        }
        #expect(steps.dates.strangers.isEmpty && !steps.dates.disagree)
        #expect(slow.dates.strangers.isEmpty && !slow.dates.disagree)
    }

    @Test("the offset spans clocks within the tolerance, and is no wider for their age")
    func offset() throws {
        var clock = ServiceClock(tolerance: 0)
        for second in 0..<28_800 as Range<Int64> {
            add(&clock, at: second * 1_000 + second % 997, ahead: second % 2 * 1_000, in: 1)
        }
        let range = try #require(clock.dates.offset(at: 28_800_000_000_000, atLeast: 3))
        #expect(range.high - range.low < 2_000_000_000, "\(range)")
    }
}
