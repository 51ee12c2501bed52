public import Journal

/// For how long requests were late, where the times of several overlap: what a stop of the rig holds up is counted once.
///
/// ```text
/// due ├────────┤ begun
///         ├──────────┤      ├──┤
///     └──── total ───┘  +   └──┘
/// ```
public struct LateTime: Sendable, Hashable {
    public private(set) var total = Duration.zero
    /// The last stretch without a gap, and the end of the one before it.
    private var since = Instant.start
    private var until = Instant.start
    private var former = Instant.start

    public init() {}

    /// Of requests in the order in which they were begun; they may have been due in another.
    mutating func add(from due: Instant, to begun: Instant) {
        guard begun > due else { return }
        if due > until {
            former = until
            (since, until) = (due, begun)
            total += begun - due
            return
        }
        let start = max(due, former)
        if start < since {
            total += since - start
            since = start
        }
        if begun > until {
            total += begun - until
            until = begun
        }
    }

    /// What of it was before `instant`, which lies in the last stretch or after it: a response that came while the rig stood
    /// still is taken up after it.
    public func total(by instant: Instant) -> Duration {
        instant < until ? total - (until - max(since, instant)) : total
    }
}
