internal import Dispatch
internal import Journal
internal import Synchronization

/// Virtual lanes side by side, each on a thread of its own: none is further ahead of the others than `window`, so
/// that what they hand over can be put in one order without keeping much of it, and what one wants to know of the
/// others (`Quiet`) is known by then. They share nothing else.
///
/// ```text
/// lane 0   ──────────────────▶ 12.4 s
/// lane 1   ────────────▶ 10.9 s                       may go on
/// lane 2   ────────────────────────────▶ 12.9 s       waits until lane 1 has come nearer
///                      |◀──── window ───▶|
/// ```
///
/// The lane that is behind all others never waits, so somebody always goes on.
///
/// Safe because `reached` is atomic, and who waits is in a `Mutex`.
public final class Convoy: Sendable {
    private final class Milestone: Sendable {
        let nanoseconds = Atomic<Int64>(0)
    }

    private struct Waiter {
        /// All others must have reached it.
        var need: Int64
        var lane: Int
        let semaphore: DispatchSemaphore
    }

    /// How far each lane has come: it has done all that comes before.
    private let reached: [Milestone]
    private let window: Int64
    private let waiters = Mutex<[Waiter]>([])
    private let waiting = Atomic(0)

    /// `window` zero: lanes go from instant to instant together.
    public init(lanes: Int, window: Duration) {
        reached = (0..<lanes).map { _ in Milestone() }
        self.window = Instant(window).nanoseconds
    }

    /// `lane` has done everything before `instant`; returns when the others are near enough.
    func advance(_ lane: Int, to instant: Instant) {
        reached[lane].nanoseconds.store(
            instant.nanoseconds, ordering: .sequentiallyConsistent)
        wakeOthers()
        let need = instant.nanoseconds - window
        if slowest(besides: lane) < need { wait(lane, need) }
    }

    /// `lane` is finished: nobody waits for it any more.
    func leave(_ lane: Int) {
        reached[lane].nanoseconds.store(.max, ordering: .sequentiallyConsistent)
        wakeOthers()
    }

    private func slowest(besides lane: Int) -> Int64 {
        var least = Int64.max
        for position in reached.indices where position != lane {
            least = min(
                least, reached[position].nanoseconds.load(ordering: .sequentiallyConsistent))
        }
        return least
    }

    /// Whoever waits says so before it looks again, and whoever goes on has gone before it looks who waits: one of
    /// both sees the other.
    private func wait(_ lane: Int, _ need: Int64) {
        let semaphore = DispatchSemaphore(value: 0)
        let isNear = waiters.withLock { waiters in
            waiting.add(1, ordering: .sequentiallyConsistent)
            if slowest(besides: lane) >= need {
                waiting.subtract(1, ordering: .sequentiallyConsistent)
                return true
            }
            waiters.append(Waiter(need: need, lane: lane, semaphore: semaphore))
            return false
        }
        if !isNear { semaphore.wait() }
    }

    private func wakeOthers() {
        guard waiting.load(ordering: .sequentiallyConsistent) > 0 else { return }
        waiters.withLock { waiters in
            waiters.removeAll { waiter in
                guard slowest(besides: waiter.lane) >= waiter.need else { return false }
                waiting.subtract(1, ordering: .sequentiallyConsistent)
                waiter.semaphore.signal()
                return true
            }
        }
    }
}
