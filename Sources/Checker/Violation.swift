public import Statistics
public import Vocabulary

/// How sure a violation is.
public enum Certainty: Sendable, Hashable {
    /// No order of the operations explains the answers.
    case certain
    /// Certain if that holds: `the settle phase of 15 s`.
    case given(String)
    /// It looks so; the words say what else it may be.
    case suspicion(String)

    /// What was worked out from the service's own dates.
    static let withinDrift = Certainty.given("both clocks drift less than 100 ppm")
}

/// What a violation means for the run.
public enum Standing: Sendable, Hashable {
    case fails
    /// Nobody promised it, by the rig's `promises`.
    case observed
    /// Accepted for now, under that ticket.
    case known(ticket: String)
    /// Only a suspicion.
    case suspected

    public var name: String {
        switch self {
        case .fails: "fails"
        case .observed: "observed"
        case .known: "known"
        case .suspected: "suspected"
        }
    }

    /// What it means for the run: `Fails the run`.
    public var words: String {
        switch self {
        case .fails: "Fails the run"
        case .observed: "Observed; does not fail the run"
        case .known(let ticket):
            "Known\(ticket.isEmpty ? "" : " (\(ticket))"); does not fail the run"
        case .suspected: "Suspected; does not fail the run"
        }
    }
}

/// One operation in the picture of a violation, in nanoseconds since the run began.
public struct SceneEntry: Sendable, Hashable {
    /// Number of the exchange within its household.
    public var sequence: Int
    public var operation: OperationName
    /// 0: the TV, 1: the phone, 2: `phone-2` ...
    public var screen: Int
    public var call: Int64
    public var ret: Int64
    /// The answer was lost: the service may have acted at any time from `call` on.
    public var isOpen: Bool
    /// `success`, `absent`, `expired`, `unauthenticated`, `denied`, `maybe`, `lost` ...
    public var answer: String
    /// What the device may have been after it returned: bit 0 signed out, bit n the n-th sign-in of
    /// the household; 0 where nothing explains it any more.
    public var belief: UInt16
    /// Part of the minimal conflict.
    public var isConflict: Bool
}

/// One breach of one promise in one household, with everything that proves it.
public struct Violation: Sendable, Hashable {
    public var invariant: Invariant
    public var certainty: Certainty
    public var source: PromiseSource
    public var standing: Standing
    public var household: Int
    /// Numbers of the exchanges within the household, oldest first; the last is the one that no
    /// explanation survives.
    public var exchanges: [Int]
    public var operations: [OperationName]
    /// `sign-in-visible: check-code success > poll-token absent`: equal for what looks the same, so
    /// that 4,000 rows are three findings.
    public var signature: String
    /// How far apart the two that cannot both be were, in nanoseconds; nil where time is no part of
    /// it.
    public var gap: Int64?
    /// When that gap begins: where one of the two returned, or where what the answer is held against was
    /// due to end. Nil where `gap` is, or where the other lies in another household.
    public var gapFrom: Int64?
    /// When the last of `exchanges` returned, in nanoseconds since the run began.
    public var at: Int64
    /// Household, exchanges and gap in words.
    public var sentence: String
    /// What else broke with it.
    public var companions: [Invariant] = []
    /// How often this household broke this promise.
    public var times = 1
    /// A change of the service near it: `Server changed from "a" to "b" 2.1 s before`.
    public var nearChange: String?
    /// The operations around it; empty beyond the first violations of a run.
    public var scene: [SceneEntry] = []
    /// It hangs on whose code some letters were, which is not known before its household closes.
    var hangsOnCode = false
    /// It proved to be no breach, or a part of another.
    var isWithdrawn = false
    /// The level that it disproves, if any.
    var level: ConsistencyLevel?

    /// Whether it may be reported as a consequence of a cause of that standing: a mere suspicion hides no breach.
    func mayFollow(from cause: Standing) -> Bool { cause != .suspected || standing == .suspected }
}

/// What became of one invariant: all three counts together.
public struct Verdict: Sendable, Hashable {
    public var invariant: Invariant
    /// How often it could have been broken: answers, codes or households, by the invariant.
    public var checked = 0
    /// Households that could have broken it at least once. Checks within one household are not independent:
    /// bounds are stated for households.
    public var households = 0
    /// Of a promise that breaks in a window of time (`Invariant.window`): how soon after its events somebody
    /// looked. Nil for all others.
    public var exposure: WindowExposure?
    /// Breaches that fail the run.
    public var violations = 0
    /// Where nothing could be said.
    public var undecided = 0
    /// Breaches that fail no run: of what nobody promised, accepted for now, or merely suspected.
    public var observed = 0
    public var known = 0
    public var suspected = 0
    /// Why nothing was checked, or what weakens the rest; empty as a rule.
    public var note = ""
    /// Sentences of the first violations, those that fail first.
    public var examples: [String] = []

    /// The note of a promise between households, where those of several shards could not be compared.
    public static let withinShards = "compared within each shard only"

    public init(_ invariant: Invariant) { self.invariant = invariant }
}

extension Violation {
    /// The order of telling: by time, and of what one answer shows the cause first.
    func isTold(before other: Violation) -> Bool {
        if (at, household) != (other.at, other.household) {
            return (at, household) < (other.at, other.household)
        }
        return invariant.leads(other.invariant)
    }
}
