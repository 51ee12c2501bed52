/// The instants at which a busy live lane wakes for its timers. Those due between two of them share the
/// wake-up at the next, which costs 10 to 25 us of processor time in a virtual machine: more than a
/// request. They leave one after the other, and a request counts as planned for when its turn comes, less the time by which the
/// lane woke too late. Neither latency nor lateness includes the rest. A request that is not sent within another step is
/// late from its step on.
///
/// ```text
///   timers        |  | |   |  |  | |
///   grid      ----+-------+-------+---   about eight share a step of at most 2 ms;
///   wake-ups      ^       ^       ^      no grid below 1,000 timers a second
/// ```
struct TimeGrid {
    /// Nanoseconds between two instants; 1: no grid.
    private(set) var step: Int64 = 1

    /// A step is this, or a half, a quarter, ... of it.
    static let widest: Int64 = 2_000_000
    private static let narrowest: Int64 = 125_000
    private static let sharing = 8.0
    private static let fewest = 1_000.0

    /// Chooses the step for as many timers in a second as there were `timers` in `seconds`.
    mutating func adapt(to timers: Int, in seconds: Double) {
        guard seconds > 0 else { return }
        let rate = Double(timers) / seconds
        guard rate >= Self.fewest else {
            step = 1
            return
        }
        // A quarter more, so that a rate at the edge does not go back and forth.
        let ideal = Self.sharing * 1.25e9 / rate
        step = Self.widest
        while step > Self.narrowest, Double(step) > ideal { step /= 2 }
    }

    /// When a timer for `due` counts as planned whose request is sent at `now` by a lane that woke at `woken`; all in
    /// nanoseconds.
    func turn(of due: Int64, at now: Int64, woken: Int64) -> Int64 {
        guard step > 1 else { return due }
        let wake = next(due)
        // The lane was awake between two steps.
        guard now > wake else { return max(due, now) }
        return now - wake > step ? wake : max(due, now - max(0, woken - wake))
    }

    /// The first instant of the grid at or after `instant`, in nanoseconds.
    func next(_ instant: Int64) -> Int64 {
        guard step > 1, instant < .max - step else { return instant }
        return (instant + step - 1) / step * step
    }
}
