import Glibc
import Journal
import Testing

@testable import Lanes

@Suite("The kernel's stamps on a lane's clock")
struct ArrivalStampTests {
    private func wall() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    @Test("lie on it where they were made, and never before the wait ahead of the latest")
    func stamps() throws {
        let loop = try LiveLoop(origin: LiveLoop.monotonic())
        loop.wait(until: .start) {}
        let before = loop.now
        let stamp = wall()
        let after = loop.now
        loop.wait(until: .start) {}
        let (arrived, now) = loop.arrival(stamp)
        #expect(before <= arrived && arrived <= now)
        // Reading two clocks takes a moment, by which a stamp may come out later.
        #expect(arrived <= after || arrived - after < now - before)
        let none = loop.arrival(0)
        #expect(none.arrived == none.now && none.now >= now)
    }
    @Test(
        "are never too early where the wall clock was set between stamp and reading",
        arguments: [
            // Waits ended at 100 and 200, read at 300; the clock was 1,000 ahead at both.
            // Not set; set forward by 500 after the stamp, and before it; set back by 500 after it, and before.
            (1_250, 1_000, 250), (1_250, 1_500, 250), (1_750, 1_500, 300), (1_250, 500, 300),
            (750, 500, 250),
            // Before the wait ahead of the latest nothing was left unread.
            (1_050, 1_000, 100), (1, 1_000, 100), (0, 1_000, 300),
        ] as [(Int64, Int64, Int64)])
    func setClock(stamp: Int64, lead: Int64, arrival: Int64) {
        var clock = ArrivalClock()
        clock.look(at: 100, lead: 1_000)
        clock.look(at: 200, lead: 1_000)
        #expect(clock.arrival(stamp, at: 300, lead: lead) == arrival)
    }

    @Test("before two waits have ended are taken as they are")
    func firstWait() {
        var clock = ArrivalClock()
        #expect(clock.arrival(1_050, at: 300, lead: 1_000) == 50)
        clock.look(at: 100, lead: 1_000)
        #expect(clock.arrival(1_050, at: 300, lead: 1_000) == 50)
    }
}
