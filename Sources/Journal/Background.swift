internal import CLinux
internal import Dispatch
internal import Glibc

/// A thread for work beside lanes, which may have to share a core with one: the lane goes first, when it wakes up and while
/// it runs, for what is measured must not show who looks on.
///
/// ```text
/// little waits   on the thread: all of a core that lanes leave, a tenth of one where they want all of it
/// much waits     on the caller's, as a lane does: or the work would fall ever farther behind
/// ```
///
/// Two threads, because none may take its niceness back (setpriority(2)).
///
/// Safe because the caller waits while the thread works, which `run` checks: `desk.work` has one owner at a time.
public final class Background: @unchecked Sendable {
    /// Where more exchanges wait, or for longer, lanes no longer go first.
    private static let patience = 10_000
    private static let patienceInTime: Duration = .milliseconds(300)
    /// Above that of whoever starts the thread: ten steps are a weight of 110 instead of 1,024 (kernel/sched/core.c).
    private static let niceness: Int32 = 10

    /// What caller and thread share. Safe because `work` is the caller's between `run` and `asked`, and the thread's from
    /// there to `done`.
    private final class Desk: @unchecked Sendable {
        let asked = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        var work: (() -> Void)?

        func serve() {
            // Dispatch gives all its threads the same priority on Linux, where a niceness is a thread's own.
            let thread = __priority_which_t(PRIO_PROCESS.rawValue)
            setpriority(thread, 0, min(19, getpriority(thread, 0) + Background.niceness))
            Background.askForLongSlices()
            while serveOnce() { done.signal() }
        }

        /// False: no work comes any more. In a call of its own, so that nothing of the work is held any longer when the
        /// caller hears that it is done.
        @inline(never)
        private func serveOnce() -> Bool {
            asked.wait()
            guard let work else { return false }
            work()
            return true
        }
    }

    /// From the first piece of work on.
    private var desk: Desk?

    public init() {}

    deinit { desk?.asked.signal() }

    /// Does a piece of work and returns when it is done. `waiting`: exchanges that have still to be worked on; `age`: for how
    /// long these of them have waited. One call at a time.
    public func run(waiting: Int, for age: Duration = .zero, _ work: () -> Void) {
        guard waiting < Self.patience, age < Self.patienceInTime, let desk = desk ?? opened() else {
            // Dispatch may have taken another thread since the last piece.
            Self.askForLongSlices()
            return work()
        }
        precondition(desk.work == nil, "one piece of work at a time")
        withoutActuallyEscaping(work) { work in
            desk.work = work
            desk.asked.signal()
            desk.done.wait()
            desk.work = nil
        }
    }

    /// Nil where the system has no thread left.
    private func opened() -> Desk? {
        let desk = Desk()
        let handed = Unmanaged.passRetained(desk)
        var thread = pthread_t()
        let refusal = pthread_create(
            &thread, nil,
            { desk in
                Unmanaged<Desk>.fromOpaque(desk!).takeRetainedValue().serve()
                return nil
            }, handed.toOpaque())
        guard refusal == 0 else {
            handed.release()
            return nil
        }
        pthread_detach(thread)
        self.desk = desk
        return desk
    }

    /// Slices are long (Linux from 6.12 on): a lane, whose are short, goes first when it wakes up. Longer ones keep a lane waiting
    /// that has had more than its share.
    private static func askForLongSlices() { _ = thread_set_slices(3_000_000) }

    /// Lets a lane go first that woke up meanwhile: Linux from 6.6 on (EEVDF) leaves the processor to who has it for a
    /// millisecond or more. `waiting`: as for `run`.
    public static func giveWay(waiting: Int) {
        if waiting < patience { sched_yield() }
    }
}
