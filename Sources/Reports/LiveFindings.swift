public import Checker
internal import Rendering
public import Vocabulary

/// What the judge has found so far, for those who watch a run.
public struct LiveFindings: Sendable, Hashable {
    /// A promise that was broken, and how often.
    public struct Count: Sendable, Hashable {
        public var invariant: Invariant
        public var violations: Int

        public init(_ invariant: Invariant, violations: Int) {
            self.invariant = invariant
            self.violations = violations
        }
    }

    /// One breach in words.
    public struct LiveBreach: Sendable, Hashable {
        public var invariant: Invariant
        public var household: Int
        /// Seconds since the run began.
        public var seconds: Double
        /// `fails`, `observed`, `known` or `suspected`.
        public var standing: String
        public var sentence: String

        public init(
            _ invariant: Invariant, household: Int, seconds: Double, standing: String,
            sentence: String
        ) {
            self.invariant = invariant
            self.household = household
            self.seconds = seconds
            self.standing = standing
            self.sentence = sentence
        }
    }

    /// Of all invariants.
    public var verdicts: [Verdict] = []
    /// Exchanges judged.
    public var judged = 0
    /// How often each promise could have been broken, all together.
    public var checked = 0
    /// Breaches that fail the run, in the order of `screenrig list`.
    public var counts: [Count] = []
    /// The latest first, at most `shown` of them.
    public var latest: [LiveBreach] = []

    /// How many breaches are told in words.
    public static let shown = 20

    public init() {}

    public init(_ findings: Findings) {
        verdicts = findings.verdicts
        judged = findings.operations
        checked = findings.verdicts.reduce(0) { $0 + $1.checked }
        counts = findings.verdicts.filter { $0.violations > 0 }
            .map { Count($0.invariant, violations: $0.violations) }
        latest = findings.violations.suffix(Self.shown).reversed().map { violation in
            LiveBreach(
                violation.invariant, household: violation.household,
                seconds: Double(violation.at) / 1e9, standing: violation.standing.name,
                sentence: Sanitizer.sentence(violation.sentence))
        }
    }

    /// Breaches that fail the run.
    public var failing: Int { counts.reduce(0) { $0 + $1.violations } }
}
