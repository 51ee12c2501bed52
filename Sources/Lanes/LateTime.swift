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
    /// The last stretch without a gap.
    private var since = Instant.start
    private var until = Instant.start

    public init() {}

    /// Of requests in the order in which they were begun.
    mutating func add(from due: Instant, to begun: Instant) {
        guard begun > max(due, until) else { return }
        total += begun - max(due, until)
        if due > until { since = due }
        until = begun
    }

    /// What of it was before `instant`, which lies in the last stretch or after it: a response that came while the rig stood
    /// still is taken up after it.
    public func total(by instant: Instant) -> Duration {
        instant < until ? total - (until - max(since, instant)) : total
    }
}
