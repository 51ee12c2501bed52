internal import CLinux
internal import Glibc
public import Journal

/// Something that owns descriptors on a live lane.
public protocol Readiness: AnyObject {
    /// Called on the lane's thread. May come once too often: after the descriptor was closed and
    /// opened again under the same number, say.
    func ready(_ descriptor: Int32, _ events: Events)
}

/// What a descriptor is watched for, or ready for; the bits are epoll's.
public struct Events: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let readable = Events(rawValue: EPOLLIN.rawValue)
    public static let writable = Events(rawValue: EPOLLOUT.rawValue)
    /// An error or the end of the connection: reported whether asked for or not.
    public static let broken = Events(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
}

/// A live lane's clock and waiting room: one epoll descriptor, one event descriptor to be woken by.
///
/// Not a Dispatch source for each socket: that costs 31 us a request, against 7.
public final class LiveLoop: LaneLoop {
    public let canBeWoken = true
    public var sharesWakeUps: Bool { !isPrecise }
    /// Spins over the last 100 us before a timer.
    private let isPrecise: Bool
    /// The kernel has been told not to put off the timers of the lane's thread.
    private var isSharp = false
    private let epoll: Int32
    private let event: Int32
    private let origin: Int64
    /// By descriptor. Not owned: what owns descriptors usually owns a way to the loop. Nor weak: a
    /// weak reference makes every later retain and release of the object a slow one.
    ///
    /// Safe because a watcher ends its watch, by `unwatch` or `forget`, before it goes away.
    private var watchers: [Watcher] = []

    private struct Watcher {
        unowned(unsafe) var object: (any Readiness)?
        var isSet = false
    }

    private var events = [epoll_event](repeating: epoll_event(), count: 1024)
    private var arrivals = ArrivalClock()

    /// `origin` is the machine's monotonic time, in nanoseconds, that this run calls zero; all
    /// lanes of a run share it. `isPrecise` has a core for each lane spun away to wake up within a
    /// microsecond. Throws when the process is out of descriptors.
    public init(origin: Int64, isPrecise: Bool = false) throws(LaneError) {
        self.origin = origin
        self.isPrecise = isPrecise
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        event = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard epoll >= 0, event >= 0 else { throw LaneError.noDescriptors(errno: errno) }
        var interest = epoll_event()
        interest.events = EPOLLIN.rawValue
        interest.data.fd = event
        epoll_ctl(epoll, EPOLL_CTL_ADD, event, &interest)
    }

    deinit {
        close(epoll)
        close(event)
    }

    /// The machine's monotonic clock in nanoseconds.
    public static func monotonic() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    public var now: Instant { Instant(nanoseconds: Self.monotonic() - origin) }

    /// When something arrived that is read now, by the kernel's stamp (the wall clock, in nanoseconds; 0: none, and the
    /// answer is now), and now.
    public func arrival(_ stamp: Int64) -> (arrived: Instant, now: Instant) {
        let (now, lead) = Self.clocks()
        let arrived = arrivals.arrival(stamp, at: now, lead: lead)
        return (Instant(nanoseconds: arrived - origin), Instant(nanoseconds: now - origin))
    }

    /// The machine's monotonic clock in nanoseconds, and how far the wall clock is ahead of it: never more than it is.
    private static func clocks() -> (monotonic: Int64, lead: Int64) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let wall = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        let now = monotonic()
        return (now, wall - now)
    }

    /// Watches a descriptor, or changes what it is watched for. The watcher is not kept alive: it
    /// must end the watch before it goes away. Registration is the caller's to keep
    /// small: a call costs a system call.
    public func watch(_ descriptor: Int32, for events: Events, by watcher: any Readiness) {
        let index = Int(descriptor)
        while watchers.count <= index { watchers.append(Watcher()) }
        var interest = epoll_event()
        interest.events = events.rawValue
        interest.data.fd = descriptor
        if !watchers[index].isSet {
            if epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &interest) != 0, errno == EEXIST {
                epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &interest)
            }
        } else if epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &interest) != 0, errno == ENOENT {
            // Closed and opened again under the same number since.
            epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &interest)
        }
        watchers[index] = Watcher(object: watcher, isSet: true)
    }

    /// Ends the watching of a descriptor that stays open.
    public func unwatch(_ descriptor: Int32) {
        var interest = epoll_event()
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &interest)
        forget(descriptor)
    }

    /// The descriptor is closed, or about to be: epoll drops it by itself.
    public func forget(_ descriptor: Int32) {
        if Int(descriptor) < watchers.count { watchers[Int(descriptor)] = Watcher() }
    }

    @discardableResult
    public func wait(until deadline: Instant?, _ woken: () -> Void) -> Instant {
        if !isSharp { sharpen() }
        let due = deadline.map { $0.nanoseconds &+ origin }
        var vigil = Vigil(isPrecise: isPrecise)
        var count: Int32 = 0
        loop: while true {
            switch vigil.step(at: Self.monotonic(), until: due) {
            case .sleep(let nanoseconds):
                count = poll(nanoseconds)
                // Only a precise lane has something left to do when its sleep is over.
                if count != 0 || !isPrecise { break loop }
            case .watch:
                count = poll(0)
                if count != 0 { break loop }
            case .go:
                count = poll(0)
                break loop
            }
        }
        // A signal, such as that a stopped process goes on: what has arrived meanwhile comes before the timers.
        if count < 0 { count = poll(0) }
        let (monotonic, lead) = Self.clocks()
        let ended = Instant(nanoseconds: monotonic - origin)
        arrivals.look(at: monotonic, lead: lead)
        woken()
        for position in 0..<max(0, Int(count)) {
            let descriptor = events[position].data.fd
            if descriptor == event {
                var value: UInt64 = 0
                read(event, &value, 8)
            } else if Int(descriptor) < watchers.count,
                let watcher = watchers[Int(descriptor)].object
            {
                watcher.ready(descriptor, Events(rawValue: events[position].events))
            }
        }
        return ended
    }

    /// Waits for events at most so long; nil: for ever.
    @inline(__always)
    private func poll(_ nanoseconds: Int64?) -> Int32 {
        guard let nanoseconds else {
            return epoll_pwait2(epoll, &events, Int32(events.count), nil, nil)
        }
        var timeout = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        return epoll_pwait2(epoll, &events, Int32(events.count), &timeout, nil)
    }

    /// A thread's timers may else come 50 us late, to be bundled with others. Of the thread that
    /// waits, which is the lane's; Dispatch's other work on it does not mind.
    private func sharpen() {
        isSharp = true
        lane_sharpen_timers()
    }

    public func wake() {
        var one: UInt64 = 1
        write(event, &one, 8)
    }
}

/// Why a lane could not be made.
public enum LaneError: Error, CustomStringConvertible {
    case noDescriptors(errno: Int32)

    public var description: String {
        switch self {
        case .noDescriptors(let number):
            "no descriptors left for a lane (\(String(cString: strerror(number)))); raise 'ulimit -n'"
        }
    }
}
