internal import Dialects
public import Vocabulary

/// A line of `thresholds:`, understood (rigs/reference.yaml, `thresholds`).
public struct Threshold: Sendable, Hashable {
    public enum Subject: Sendable, Hashable {
        case operation(OperationName)
        case signIn, signInService, tokenVisibility
        /// Sign-ins on the platform, from the first question on.
        case platformSignIn
        /// All exchanges together.
        case everything
        case householdsFailed, householdsNotEntitled
        /// Without a sign-in, though the rig did not draw it and the run went on: the code ended first.
        case householdsAbandoned
        /// Signed in by another path than their kind asks for.
        case householdsDiverted
        case violations, undecided
        case invariant(Invariant)
    }

    /// Which of an exchange's times.
    public enum Time: String, Sendable { case latency, service, lateness }

    public enum Measure: Sendable, Hashable {
        /// Share of the time's values at or below: 0.99 for p99.
        case percentile(Double, Time)
        case min(Time)
        case mean(Time)
        case max(Time)
        /// Share of exchanges, 0 to 1.
        case errors, throttled
        /// Exchanges per second.
        case rate
        /// Households or violations, as a number or as a share.
        case count, share
    }

    public enum Relation: String, Sendable, CaseIterable {
        case below = "<"
        case atMost = "<="
        case above = ">"
        case atLeast = ">="
        case equal = "=="
    }

    /// Only households of the kind with this name.
    public var kind: String?
    public var subject: Subject
    public var measure: Measure
    public var comparison: Relation
    /// Nanoseconds for times, 0 to 1 for shares, else a number.
    public var bound: Double
    /// As it was written.
    public var text: String

    public init(
        kind: String? = nil, subject: Subject, measure: Measure, comparison: Relation,
        bound: Double, text: String
    ) {
        self.kind = kind
        self.subject = subject
        self.measure = measure
        self.comparison = comparison
        self.bound = bound
        self.text = text
    }
}
