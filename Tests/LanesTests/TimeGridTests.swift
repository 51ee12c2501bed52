import Testing

@testable import Lanes

@Suite("The grid of a busy lane's timers")
struct TimeGridTests {
    @Test(
        "about eight timers share a step of at most 2 ms, and none is there for few",
        arguments: [
            (0, 1), (999, 1), (1_000, 2_000_000), (2_000, 2_000_000), (5_000, 2_000_000),
            (8_000, 1_000_000), (20_000, 500_000), (40_000, 250_000), (1_000_000, 125_000),
        ])
    func step(timers: Int, nanoseconds: Int64) {
        var grid = TimeGrid()
        grid.adapt(to: timers, in: 1)
        #expect(grid.step == nanoseconds)
    }

    @Test(
        "what is due between two steps is due at the next; what is on one stays; nothing overflows")
    func next() {
        var grid = TimeGrid()
        #expect(grid.next(1_234_567) == 1_234_567)
        grid.adapt(to: 2_000, in: 1)
        #expect(grid.next(0) == 0)
        #expect(grid.next(1) == 2_000_000)
        #expect(grid.next(2_000_000) == 2_000_000)
        #expect(grid.next(2_000_001) == 4_000_000)
        #expect(grid.next(.max) == .max)
        grid.adapt(to: 5, in: 0)
        #expect(grid.step == 2_000_000)
    }

    @Test(
        "a request is planned for when its turn comes, less what the lane woke too late, up to a step after its own; then it is late from its step on",
        arguments: [
            (1_000_000, 1_500_000, 1_400_000, 1_500_000),
            (1_000_000, 2_000_000, 2_000_000, 2_000_000),
            (1_000_000, 2_300_000, 2_000_000, 2_300_000),
            (1_000_000, 4_000_000, 2_000_000, 4_000_000),
            (1_000_000, 2_300_000, 2_100_000, 2_200_000),
            (1_000_000, 2_300_000, 900_000, 2_300_000),
            (1_000_000, 4_000_001, 2_000_000, 2_000_000),
            (2_000_000, 2_100_000, 2_050_000, 2_050_000),
            (2_000_000, 9_000_000, 8_900_000, 2_000_000),
            (3_000_000, 1_000_000, 900_000, 3_000_000),
        ] as [(Int64, Int64, Int64, Int64)])
    func turn(due: Int64, now: Int64, woken: Int64, planned: Int64) {
        var grid = TimeGrid()
        #expect(grid.turn(of: due, at: now, woken: woken) == due)
        grid.adapt(to: 2_000, in: 1)
        #expect(grid.turn(of: due, at: now, woken: woken) == planned)
    }

}
