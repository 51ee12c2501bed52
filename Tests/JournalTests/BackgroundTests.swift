import Glibc
import Testing

@testable import Journal

@Suite("Work beside lanes")
struct BackgroundTests {
    /// Of the calling thread.
    private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    @Test("is done on a thread that lanes go before, one piece after the other, unless much waits")
    func threads() {
        let background = Background()
        let own = Self.niceness
        var seen: [Int32] = []
        for waiting in [0, 9_999, 10_000, 0] {
            background.run(waiting: waiting) { seen.append(Self.niceness) }
        }
        let nicer = min(19, own + 10)
        #expect(seen == [nicer, nicer, own, nicer])
        #expect(Self.niceness == own)
    }

    @Test("keeps nothing of a piece of work that is done, however often")
    func often() {
        let background = Background()
        var sum = 0
        for number in 1...5_000 { background.run(waiting: 0) { sum += number } }
        #expect(sum == 5_000 * 5_001 / 2)
    }
}
