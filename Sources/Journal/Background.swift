internal import CLinux
internal import Glibc

/// What a thread does that works beside lanes, and may have to share a core with one: the lane goes first, for what is
/// measured must not show who looks on.
public enum Background {
    /// Where more exchanges wait, lanes no longer go first.
    private static let patience = 10_000

    /// Before each piece of work, for Dispatch may have taken another thread for it. Slices are long (Linux from 6.12 on): a
    /// lane, whose are short, goes first when it wakes up. Longer ones keep a lane waiting that has had more than its share. With
    /// a `niceness` of 10 the thread also has a tenth of a core where lanes want all of it; it cannot take that back.
    public static func begin(niceness: Int32 = 0) {
        _ = thread_set_slices(3_000_000)
        // Dispatch gives all its threads the same priority on Linux, where a niceness is a thread's own.
        if niceness > 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
    }

    /// Lets a lane go first that woke up meanwhile: Linux from 6.6 on (EEVDF) leaves the processor to who has it for a
    /// millisecond or more. `waiting`: exchanges that have still to be worked on. Who always gives way to lanes that want the whole
    /// core falls ever farther behind: beyond `patience` it no longer does.
    public static func giveWay(waiting: Int) {
        if waiting < patience { sched_yield() }
    }
}
