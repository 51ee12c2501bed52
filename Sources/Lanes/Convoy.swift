internal import Dispatch
internal import Journal
internal import Synchronization

/// Keeps virtual lanes close together, each on a thread of its own: none is further ahead of the others than
/// `window`. What the lanes hand over can then be put in order with little of it in memory, and what one lane
/// must know of the others (`Quiet`) is known in time. The lanes share nothing else.
///
/// ```text
/// lane 0   ──────────────────▶ 12.4 s
/// lane 1   ────────────▶ 10.9 s                       continues
/// lane 2   ────────────────────────────▶ 12.9 s       waits until lane 1 is near enough
///                      |◀──── window ───▶|
/// ```
///
/// The lane that is behind all others never waits, so at least one lane always continues.
///
/// Safe because `reached` is atomic, and `waiters` is in a `Mutex`.
public final class Convoy: Sendable {
    private final class Milestone: Sendable {
        let nanoseconds = Atomic<Int64>(0)
    }

    private struct Waiter {
        /// Virtual time in nanoseconds that all other lanes must have reached.
        var need: Int64
        var lane: Int
        let semaphore: DispatchSemaphore
    }

    /// By lane, the virtual time before which it has done everything.
    private let reached: [Milestone]
    /// In nanoseconds.
    private let window: Int64
    /// How far a lane goes, in nanoseconds, until it publishes its progress again: each time all lanes read memory
    /// that another core has written.
    private let stride: Int64
    private let waiters = Mutex<[Waiter]>([])
    private let waiting = Atomic(0)

    /// With a `window` of zero, all lanes move from instant to instant together.
    public init(lanes: Int, window: Duration) {
        reached = (0..<lanes).map { _ in Milestone() }
        self.window = Instant(window).nanoseconds
        stride = self.window / 8
    }

    /// Notes that `lane` has done everything before `instant`, unless it did so less than a stride ago. Blocks until
    /// no other lane is more than `window` behind, also after another stride.
    func advance(_ lane: Int, to instant: Instant) {
        let published = reached[lane].nanoseconds.load(ordering: .relaxed)
        if instant.nanoseconds - published < stride { return }
        reached[lane].nanoseconds.store(
            instant.nanoseconds, ordering: .sequentiallyConsistent)
        wakeOthers()
        let need = instant.nanoseconds + stride - window
        if slowest(besides: lane) < need { wait(lane, need) }
    }

    /// Notes that `lane` is finished: the others no longer wait for it.
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

    /// A lane that waits raises `waiting` before it reads the others' times again, and a lane that moves on
    /// stores its time before it reads `waiting`. So one of the two always sees the other.
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
