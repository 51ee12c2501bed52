/// How a live lane waits for its next timer: asleep, or, for exact sending, awake over the last
/// moments, because the kernel wakes a sleeper some tens of microseconds late.
///
/// ```
///    now                            due - 100 us          due
///     |------------ asleep --------------|------ awake -----|
/// ```
struct Vigil {
    /// The longest that a wait is spent awake: a spinning lane has a core to
    /// itself, and others want it.
    static let longest: Int64 = 100_000

    enum Step: Equatable {
        /// Sleep for so many nanoseconds, or until something happens; nil: no timer is set.
        case sleep(Int64?)
        /// Look whether something has happened, and ask again.
        case watch
        /// It is due.
        case go
    }

    let isPrecise: Bool
    /// When this wait began to be spent awake.
    private var watchingSince: Int64?

    init(isPrecise: Bool) { self.isPrecise = isPrecise }

    /// What to do at `now` about a timer at `due`, both in nanoseconds. Of one wait; a new one has a
    /// new vigil.
    mutating func step(at now: Int64, until due: Int64?) -> Step {
        guard let due else { return .sleep(nil) }
        let left = due - now
        guard left > 0 else { return .go }
        guard isPrecise else { return .sleep(left) }
        guard left <= Self.longest else { return .sleep(left - Self.longest) }
        let since = watchingSince ?? now
        watchingSince = since
        // Never longer, should the clock and the timer disagree.
        return now - since < Self.longest ? .watch : .go
    }
}
