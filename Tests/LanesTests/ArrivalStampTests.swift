import Journal
import Testing

@testable import Lanes

@Suite("The kernel's stamps on a lane's clock")
struct ArrivalStampTests {
    @Test("count from the beginning of the run, but never before the wait ahead of the latest")
    func stamps() throws {
        let origin = LiveLoop.monotonic()
        let loop = try LiveLoop(origin: origin)
        let first = loop.wait(until: .start) {}
        loop.wait(until: .start) {}
        // The wall clock was set meanwhile: the stamp says the day before yesterday.
        #expect(loop.arrival(1) == first)
        let later = first + .milliseconds(1)
        #expect(loop.arrival(origin + later.nanoseconds) == later)
        let now = loop.now
        #expect(loop.arrival(0) >= now)
    }
}
