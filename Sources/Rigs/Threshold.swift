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
        /// From the begin of this event (`events`, `screenrig mark`) until the service was as before.
        case recovery(event: String)
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
        /// How long it took.
        case time
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
    /// A run in which it was missed for so long ends; nil: it goes on.
    public var abortsAfter: Duration?

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

extension Threshold {
    /// Whether a run that goes on can tell: it knows no kinds of households, and of households no more than their
    /// ends and their sign-in.
    public var isKnownLive: Bool {
        guard kind == nil else { return false }
        return switch subject {
        case .operation, .everything, .signIn, .householdsFailed, .householdsAbandoned,
            .violations, .undecided, .invariant:
            true
        default: false
        }
    }
}
