import Journal
import Statistics
import Testing

@testable import Devices

@Suite struct PollPlanTests {
    private func plan(jitter: Double = 0, isAligned: Bool = false, seed: UInt64 = 1) -> PollPlan {
        PollPlan(every: .seconds(5), jitter: jitter, isAligned: isAligned, seed: Seed(seed))
    }

    @Test("the first poll is one interval after the code")
    func first() {
        var plan = plan()
        #expect(plan.first(after: Instant(.seconds(2))) == Instant(.seconds(7)))
    }

    @Test(
        "the cadence is kept, unless an answer outlasts it",
        arguments: [
            (answered: 0.1, next: 10.0), (answered: 4.9, next: 10.0), (answered: 5.0, next: 10.0),
            (answered: 8.0, next: 18.0),
        ])
    func next(answered: Double, next: Double) {
        var plan = plan()
        let due = Instant(.seconds(5))
        #expect(plan.next(due: due, ended: due + .seconds(answered)) == Instant(.seconds(next)))
    }

    @Test("jitter stays within its share, and varies", arguments: Seed.samples(20))
    func jitter(seed: Seed) {
        var plan = plan(jitter: 0.1, seed: seed.value)
        var due = plan.first(after: .start)
        var intervals: Set<Int64> = [due.nanoseconds]
        for _ in 0..<50 {
            let next = plan.next(due: due, ended: due)
            let interval = (next - due).nanoseconds
            #expect((4_500_000_000...5_500_000_000).contains(interval))
            intervals.insert(interval)
            due = next
        }
        #expect(intervals.count > 40)
    }

    @Test("aligned devices share a beat, wherever they start", arguments: [0.0, 1.3, 4.999, 5.0])
    func aligned(start: Double) {
        var plan = plan(jitter: 0.1, isAligned: true)
        let first = plan.first(after: Instant(.seconds(start)))
        #expect(first.nanoseconds % 5_000_000_000 == 0)
        #expect(first > Instant(.seconds(start)))
    }

    @Test(
        "failures back off to 30 s and no further",
        arguments: [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 30), (60, 30)] as [(Int, Int64)])
    func backoff(count: Int, seconds: Int64) {
        #expect(Backoff.afterFailure(count) == .seconds(seconds))
    }

    @Test(
        "a throttled device waits what it was told, and up to a second more",
        arguments: Seed.samples(20))
    func throttled(seed: Seed) {
        var dice = seed.generator()
        let pause = Backoff.afterThrottle(.seconds(1), using: &dice)
        #expect(pause >= .seconds(1) && pause < .seconds(2))
    }
}
