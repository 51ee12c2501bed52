import Testing
import Vocabulary

@testable import Checker

@Suite("The service's clock")
struct ServiceClockTests {
    /// The `Date` of an answer that took 4 ms, by a front whose clock is `ahead` by so many milliseconds.
    private func add(
        _ clock: inout ServiceClock, at time: Int64, ahead: Int64 = 0, in household: Int
    ) {
        let date = (1_800_000_000_000 + time + ahead) / 1_000 * 1_000
        clock.add(
            date: date, of: .pollToken, between: time * 1_000_000, and: (time + 4) * 1_000_000,
            household: household, sequence: 1)
    }

    /// A front may be ahead by 5 s. One that is ahead by a little more is accused, and not those whose answers came between
    /// its own: they share no second with it, and everything with most others.
    @Test("a front that is nearly too far ahead does not pull the others' clock along")
    func nearlyTooFar() {
        for ahead: Int64 in [4_900, 5_100, 5_500, 5_900, 6_100] {
            var clock = ServiceClock(tolerance: 0)
            for round in 0..<40 {
                let time = Int64(round) * 731
                let isAhead = round % 8 == 3 || round % 8 == 4
                add(&clock, at: time, ahead: isAhead ? ahead : 0, in: isAhead ? 1 : 2)
            }
            let accused = Set(clock.dates.strangers.map(\.household))
            #expect(!accused.contains(2), "\(ahead) ms: \(accused)")
            #expect(ahead < 6_000 || accused == [1], "\(ahead) ms: \(accused)")
        }
    }

    @Test("the offset spans what is beside most others within the tolerance")
    func offset() throws {
        var clock = ServiceClock(tolerance: 0)
        for round in 0..<8 { add(&clock, at: Int64(round) * 900, in: 2) }
        let before = try #require(clock.dates.offset(at: 8_000_000_000, atLeast: 3))
        add(&clock, at: 8_000, ahead: 3_000, in: 1)
        let after = try #require(clock.dates.offset(at: 8_000_000_000, atLeast: 3))
        #expect(after.low <= before.low + 1_000_000 && after.high > before.high + 1_000_000_000)
    }
}
