public import Journal
internal import Synchronization

/// Where a lane's time comes from and how it waits: the one difference between live and virtual.
public protocol LaneLoop: AnyObject {
    /// From any thread.
    var now: Instant { get }
    /// Waits until `deadline` (nil: for ever), or until something else wants the lane: readiness of
    /// a descriptor, `wake()`. Then calls `woken`, and the handlers of ready descriptors; gives the
    /// instant before them, for what they take is the lane's own time.
    @discardableResult
    func wait(until deadline: Instant?, _ woken: () -> Void) -> Instant
    /// Ends a `wait` early. From any thread.
    func wake()
    /// Whether waiting may be ended by something that is not a timer: false in virtual time, where
    /// a lane without timers is finished.
    var canBeWoken: Bool { get }
    /// Whether timers that are due shortly after each other may share a wake-up.
    var sharesWakeUps: Bool { get }
    /// Time has moved to `now`, and nothing of it is done yet: waits for other lanes that are far behind.
    func keepTogether()
    /// The lane has ended: no other waits for it.
    func leave()
}

extension LaneLoop {
    public var sharesWakeUps: Bool { false }
    public func keepTogether() {}
    public func leave() {}

    @discardableResult
    public func wait(until deadline: Instant?) -> Instant { wait(until: deadline) {} }
}

/// Virtual time: waiting is jumping. No thread ever sleeps, so an hour takes as long as its work. Of several lanes
/// each has a thread and a loop, and none runs far ahead of the others (`Convoy`).
public final class VirtualLoop: LaneLoop {
    public let canBeWoken = false
    private let isWoken = Atomic(false)
    /// The lanes beside this one, which has a number among them.
    private let convoy: Convoy?
    private let number: Int
    /// Moved on by the lane alone, and read by whoever ends the run.
    private let nanoseconds: Atomic<Int64>

    public var now: Instant { Instant(nanoseconds: nanoseconds.load(ordering: .relaxed)) }

    /// `begin`: where time begins, for a run that goes on where an earlier one ended. Of several lanes each has a
    /// `number` among those of its `convoy`.
    public init(at begin: Instant = .start, _ number: Int = 0, of convoy: Convoy? = nil) {
        nanoseconds = Atomic(begin.nanoseconds)
        self.convoy = convoy
        self.number = number
    }

    /// A lane that was told something meanwhile hears it before time goes on: a stop would else
    /// come as late as the next timer.
    @discardableResult
    public func wait(until deadline: Instant?, _ woken: () -> Void) -> Instant {
        defer { woken() }
        if isWoken.load(ordering: .relaxed) {
            isWoken.store(false, ordering: .relaxed)
        } else if let deadline, deadline > now {
            nanoseconds.store(deadline.nanoseconds, ordering: .relaxed)
        }
        return now
    }

    public func wake() {
        isWoken.store(true, ordering: .relaxed)
    }

    public func keepTogether() { convoy?.advance(number, to: now) }
    public func leave() { convoy?.leave(number) }
}
