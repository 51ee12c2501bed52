import Testing

@testable import Lanes

@Suite("Sleep of this machine")
struct ClockWatchTests {
    @Test("is noticed by the distance of two clocks, once")
    func slept() {
        var watch = ClockWatch()
        #expect(watch.look(monotonic: 1_000_000_000, bootTime: 5_000_000_000) == nil)
        #expect(watch.look(monotonic: 2_000_000_000, bootTime: 6_000_000_000) == nil)
        #expect(
            watch.look(monotonic: 3_000_000_000, bootTime: 10_000_000_000) == .seconds(3))
        #expect(watch.look(monotonic: 4_000_000_000, bootTime: 11_000_000_000) == nil)
    }

    @Test("is not taken for the time between two readings")
    func wobble() {
        var watch = ClockWatch()
        _ = watch.look(monotonic: 0, bootTime: 100)
        #expect(watch.look(monotonic: 1_000_000_000, bootTime: 1_009_000_000) == nil)
        #expect(watch.look(monotonic: 2_000_000_000, bootTime: 2_000_000_100) == nil)
    }

    @Test("has not happened to a machine that is awake")
    func awake() {
        var watch = ClockWatch()
        for _ in 0..<100 { #expect(watch.look() == nil) }
    }
}
