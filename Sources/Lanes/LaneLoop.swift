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
}

extension LaneLoop {
    public var sharesWakeUps: Bool { false }

    @discardableResult
    public func wait(until deadline: Instant?) -> Instant { wait(until: deadline) {} }
}

/// Virtual time: waiting is jumping. No thread ever sleeps, so an hour takes as long as its work.
public final class VirtualLoop: LaneLoop {
    public let canBeWoken = false
    private let isWoken = Atomic(false)
    /// Moved on by the lane alone, and read by whoever ends the run.
    private let nanoseconds: Atomic<Int64>

    public var now: Instant { Instant(nanoseconds: nanoseconds.load(ordering: .relaxed)) }

    /// `begin`: where time begins, for a run that goes on where an earlier one ended.
    public init(at begin: Instant = .start) { nanoseconds = Atomic(begin.nanoseconds) }

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
}
