public import Vocabulary

/// The result of one promise in a run, the same for every output. A violation that was found only along
/// with another counts with that one; the promise has not held.
public enum PromiseResult: Sendable, Hashable {
    /// `with` the first cause, where no breach counts as its own.
    case broken(with: Invariant?)
    case observed(with: Invariant?)
    case known(with: Invariant?)
    case suspected(with: Invariant?)
    /// The number of checks without a result.
    case undecided(Int)
    case kept
    /// No check of it took place; the text may say why.
    case notExercised(String)

    /// `violated with sign-in-visible`, `observed; does not fail the run`, `held`.
    public var words: String { text(broken: "violated", kept: "held") }

    /// The same as programs know it from summary.json: `broken`, `kept`.
    public var code: String { text(broken: "broken", kept: "kept") }

    private func text(broken: String, kept: String) -> String {
        func told(_ word: String, _ cause: Invariant?) -> String {
            word + (cause.map { " with \($0.name)" } ?? "")
        }
        return switch self {
        case .broken(let cause): told(broken, cause)
        case .observed(let cause): told("observed", cause) + "; does not fail the run"
        case .known(let cause): told("known", cause) + "; does not fail the run"
        case .suspected(let cause): told("suspected", cause) + "; does not fail the run"
        case .undecided(let count): "undecided in \(count)"
        case .kept: kept
        case .notExercised(let why): why.isEmpty ? "not tested by this run" : "not tested: \(why)"
        }
    }

    /// The promise along with which this one was broken; nil where its own breaches decide.
    public var cause: Invariant? {
        switch self {
        case .broken(let cause), .observed(let cause), .known(let cause), .suspected(let cause):
            cause
        case .undecided, .kept, .notExercised: nil
        }
    }

    public var isBroken: Bool { if case .broken = self { true } else { false } }

    /// Whether reports leave it out of their lists.
    public var isQuiet: Bool {
        switch self {
        case .kept, .notExercised: true
        default: false
        }
    }
}

extension Findings {
    /// What became of a promise.
    public func result(of invariant: Invariant) -> PromiseResult {
        let verdict = self[invariant]
        let cause = cause(ofCompanion: invariant)
        func with(_ standing: Standing) -> Invariant?? {
            guard let cause, cause.standing.rank == standing.rank else { return nil }
            return .some(cause.invariant)
        }
        if verdict.violations > 0 { return .broken(with: nil) }
        if let cause = with(.fails) { return .broken(with: cause) }
        if verdict.observed > 0 { return .observed(with: nil) }
        if let cause = with(.observed) { return .observed(with: cause) }
        if verdict.known > 0 { return .known(with: nil) }
        if let cause = with(.known(ticket: "")) { return .known(with: cause) }
        if verdict.suspected > 0 { return .suspected(with: nil) }
        if let cause = with(.suspected) { return .suspected(with: cause) }
        if verdict.undecided > 0 { return .undecided(verdict.undecided) }
        return verdict.checked > 0 ? .kept : .notExercised(verdict.note)
    }
}

extension Standing {
    /// The gravest first.
    var rank: Int {
        switch self {
        case .fails: 0
        case .observed: 1
        case .known: 2
        case .suspected: 3
        }
    }
}
