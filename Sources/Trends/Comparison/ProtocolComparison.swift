internal import Dialects
internal import Vocabulary

/// What a move from one protocol to another changes besides times and errors: which requests a sign-in
/// takes, and how many.
public struct ProtocolComparison: Sendable, Hashable {
    /// `adobe-pass-v1`, of the base.
    public var base: String
    public var run: String
    /// In the order of a sign-in; those that neither side has are left out.
    public var steps: [Step]
    /// Both sides: households that signed in.
    public var baseSignIns: Int
    public var runSignIns: Int
    /// What could not be told apart, and what no run can show, a sentence each.
    public var notes: [String]

    /// One step of the abstract machine on both sides.
    public struct Step: Sendable, Hashable {
        /// `TV's poll`.
        public var name: String
        /// What each protocol asks for; empty where it has no such step.
        public var baseOperations: [String]
        public var runOperations: [String]
        /// Requests per household that signed in.
        public var base: Double
        public var run: Double
        /// It comes before the sign-in is done.
        public var isSignIn: Bool
        /// How often it happens is decided by how long viewers take.
        public var isPoll: Bool
    }

    /// Requests per household that signed in, of the steps that fit.
    func total(where fits: (Step) -> Bool = { _ in true }) -> (base: Double, run: Double) {
        steps.filter(fits).reduce((0, 0)) { ($0.0 + $1.base, $0.1 + $1.run) }
    }

    /// Up to the sign-in.
    public var signIn: (base: Double, run: Double) { total(where: \.isSignIn) }
    /// The part of it that viewers' haste decides.
    public var polls: (base: Double, run: Double) { total(where: \.isPoll) }
    /// What the household does once it is signed in.
    public var afterwards: (base: Double, run: Double) { total { !$0.isSignIn } }
    public var all: (base: Double, run: Double) { total() }
}

extension ProtocolComparison {
    /// Nil where both sides speak the same, or nobody looked at their steps.
    init?(_ base: ComparedRun, _ run: ComparedRun) {
        guard base.protocols != run.protocols, let before = base.steps, let after = run.steps
        else { return nil }
        self.base = base.comparability.protocolName
        self.run = run.comparability.protocolName
        (baseSignIns, runSignIns) = (base.signedIn, run.signedIn)
        let isApart = before.tellsScreensApart && after.tellsScreensApart
        steps = SignInStep.allCases.compactMap { step in
            if step == .confirm, !isApart { return nil }
            let parts = step == .poll && !isApart ? [.poll, .confirm] : [step]
            func share(_ side: RunSteps, of signIns: Int) -> Double {
                let count = parts.reduce(0) { $0 + side.count($1) }
                return signIns > 0 ? Double(count) / Double(signIns) : 0
            }
            func operations(_ side: RunSteps) -> [String] {
                parts.flatMap { side.operations($0).map(\.name) }
            }
            let row = Step(
                name: parts.count > 1 ? RunSteps.bothScreens : step.name,
                baseOperations: operations(before), runOperations: operations(after),
                base: share(before, of: base.signedIn), run: share(after, of: run.signedIn),
                isSignIn: step.isUpToSignIn, isPoll: step == .poll)
            return row.baseOperations.isEmpty && row.runOperations.isEmpty ? nil : row
        }
        notes = Self.notes(before, after, isApart: isApart)
        if Set(base.protocols + run.protocols).count == 2, run.protocols == [Self.second],
            base.protocols == [Self.first]
        {
            notes.append(Self.signInsAreLost)
        }
    }

    private static let first = ProtocolName.adobePassV1.rawValue
    private static let second = ProtocolName.adobePassV2.rawValue
    /// rest-v2.md § 17 (Migration FAQ 3).
    private static let signInsAreLost =
        "no sign-in of V1 is carried over: after the update every user signs in again, so expect a "
        + "wave of logins that no run of a fleet in balance shows (docs/migration.md)"

    private static func notes(
        _ before: RunSteps, _ after: RunSteps, isApart: Bool
    ) -> [String] {
        var notes: [String] = []
        if !isApart {
            notes.append(
                "the TV's polls and the phone's checks are one row: not every exchange was recorded, "
                    + "and profiles-by-code is both (record: all tells them apart)")
        }
        if !before.sumsDecisions || !after.sumsDecisions,
            before.count(.authorize) + after.count(.authorize) > 0
        {
            notes.append(
                "authorize and media token are compared one by one: not every exchange was recorded, "
                    + "so nobody knows which of them belong together; a decision of V1 takes both, "
                    + "one of V2 has the media token in it")
        }
        return notes
    }

    /// What stands for an operation in rows and errors of both sides.
    static func subject(of operation: String) -> String {
        guard let known = OperationName(name: operation) else { return operation }
        let step = known.step(onFirstScreen: true)
        // An error does not say which screen met it.
        return step == .confirm || step == .poll ? RunSteps.bothScreens : step.name
    }

    /// The subjects of both runs that can be compared, in the order of a sign-in.
    static func subjects(_ base: RunSteps, _ run: RunSteps) -> [String] {
        let isApart = base.tellsScreensApart && run.tellsScreensApart
        let isSummed = base.sumsDecisions && run.sumsDecisions
        return SignInStep.allCases.flatMap { step -> [String] in
            switch step {
            case .poll where !isApart: [RunSteps.bothScreens]
            case .confirm where !isApart: []
            case .authorize where isSummed: [RunSteps.decision]
            case .mediaToken where isSummed, .readAuthorization where isSummed: []
            default: [step.name]
            }
        }
    }
}

extension SignInStep {
    /// Part of coming to a sign-in, not of what follows it.
    fileprivate var isUpToSignIn: Bool {
        switch self {
        case .preauthorize, .authorize, .readAuthorization, .mediaToken, .metadata, .logout,
            .logoutHop, .connection:
            false
        default: true
        }
    }
}
