/// A point on the run's one clock: nanoseconds since the run began. Monotonic; live lanes read it
/// from the machine, virtual lanes from their timer heap.
public struct Instant: Hashable, Comparable, Sendable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public init(_ sinceStart: Duration) {
        nanoseconds = sinceStart.wholeNanoseconds
    }

    // Computed: a stored constant of another module is looked up behind a lock at each use.
    public static var start: Instant { Instant(nanoseconds: 0) }
    public static var distantFuture: Instant { Instant(nanoseconds: .max) }

    /// Milliseconds since the run began.
    public var milliseconds: Double { Double(nanoseconds) / 1e6 }
    /// Whole seconds since the run began: the row of a timeline.
    public var second: Int { Int(nanoseconds / 1_000_000_000) }

    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    public static func + (left: Instant, right: Duration) -> Instant {
        left.later(right.wholeNanoseconds)
    }

    /// So many nanoseconds later; saturates far outside any run.
    package func later(_ more: Int64) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(more)
        return overflow ? .distantFuture : Instant(nanoseconds: sum)
    }

    public static func - (left: Instant, right: Instant) -> Duration {
        .nanoseconds(left.nanoseconds(since: right))
    }

    /// Negative where `earlier` is later; saturates far outside any run.
    package func nanoseconds(since earlier: Instant) -> Int64 {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return overflow ? (self < earlier ? .min : .max) : difference
    }
}

extension Instant: CustomStringConvertible {
    public var description: String { "+\(milliseconds) ms" }
}

extension Duration {
    /// Rounded toward zero; saturates far outside any run.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : scaled + attoseconds / 1_000_000_000
    }
}
