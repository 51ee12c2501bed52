/// Which violations may fail a run (rigs/reference.yaml, `promises`).
public struct Promises: Sendable, Hashable {
    public enum Level: String, Sendable, CaseIterable {
        /// Every invariant.
        case strict
        /// What the vendor's pages promise, and safety that hangs on no policy.
        case documented
        /// Nothing fails; everything is told.
        case observe
    }

    public var level: Level
    /// For single invariants.
    public var overrides: [Invariant: Level]

    public init(_ level: Level = .strict, overrides: [Invariant: Level] = [:]) {
        self.level = level
        self.overrides = overrides
    }

    /// Whether a breach of `invariant`, promised by `source`, may fail a run.
    public func holds(_ invariant: Invariant, from source: PromiseSource) -> Bool {
        switch overrides[invariant] ?? level {
        case .strict: true
        case .documented: source == .documented || source != .policy && invariant.isSafety
        case .observe: false
        }
    }

    /// What a breach means for a run, in the words of every output: `fails a run under promises:
    /// documented`, `observed; does not fail a run under promises: documented`.
    public func meaning(of invariant: Invariant, from source: PromiseSource) -> String {
        let word = overrides[invariant].map { "{\(invariant.name): \($0.rawValue)}" }
        let under = "a run under promises: \(word ?? level.rawValue)"
        guard holds(invariant, from: source) else { return "observed; does not fail \(under)" }
        let isSafety = (overrides[invariant] ?? level) == .documented && source != .documented
        return "fails \(under)" + (isSafety ? ", as a matter of safety" : "")
    }
}

/// A violation that is accepted for now (rigs/reference.yaml, `known`): listed in each report, and no
/// reason to fail until its date.
public struct KnownViolation: Sendable, Hashable {
    public var invariant: Invariant
    /// Nil: whichever operation it shows in.
    public var operation: OperationName?
    public var ticket: String
    /// `2026-12-15`: the last day; nil is for ever.
    public var until: String?

    public init(
        invariant: Invariant, operation: OperationName? = nil, ticket: String, until: String? = nil
    ) {
        self.invariant = invariant
        self.operation = operation
        self.ticket = ticket
        self.until = until
    }

    /// Whether it covers a violation whose answer was to `operation`, on `day` (`2026-11-21`).
    public func covers(_ invariant: Invariant, _ operation: OperationName?, on day: String) -> Bool
    {
        guard invariant == self.invariant else { return false }
        if let wanted = self.operation, wanted != operation { return false }
        guard let until else { return true }
        // Dates of this form compare as texts do.
        return day <= until
    }
}
