public import Checker
internal import Rendering
public import Vocabulary

/// Violations of one promise that do not fail the run, because the protocol does not make that promise: a
/// run that passes with them passes "with observations", in every output.
public struct ObservedPromise: Sendable, Hashable {
    public var invariant: Invariant
    /// Households in which it was broken, of those that were judged.
    public var households: Int
    public var judged: Int
    public var breaches: Int
    /// `the protocol does not promise it; `promises: strict` fails it`.
    public var reason: String
    /// The first breach in the judge's words.
    public var example: String

    /// `179 of 200 TVs got 'pending' from a poll after their sign-in had been confirmed
    /// (sign-in-visible; the protocol does not promise it; `promises: strict` fails it)`.
    public var sentence: String {
        "\(count) \(invariant.observed) (\(invariant.name); \(reason))"
    }

    /// `179 of 200`.
    var count: String { "\(Figures.count(households)) of \(Figures.count(judged))" }
}

extension Findings {
    /// What was observed, the most frequent first. What broke along with something else is told there.
    public var observations: [ObservedPromise] {
        verdicts.filter { $0.observed > 0 }.map { verdict in
            let listed = violations.filter {
                $0.standing == .observed && $0.invariant == verdict.invariant
            }
            // Beyond the judge's list only breaches are counted: each may be a household's.
            let households = Set(listed.map(\.household)).count + verdict.observed - listed.count
            return ObservedPromise(
                invariant: verdict.invariant, households: min(households, self.households),
                judged: self.households, breaches: verdict.observed,
                reason: reason(verdict.invariant, listed.first?.source),
                example: listed.first.map { Sanitizer.line($0.sentence, limit: 400) } ?? "")
        }.sorted {
            $0.households == $1.households
                ? $0.invariant.leads($1.invariant) : $0.households > $1.households
        }
    }

    /// Who did not promise it, and what would make it fail.
    private func reason(_ invariant: Invariant, _ source: PromiseSource?) -> String {
        let own = rules.promises.overrides[invariant]
        if (own ?? rules.promises.level) == .observe {
            return own == nil
                ? "`promises: observe` fails nothing"
                : "the rig's `promises: {\(invariant.name): observe}` does not fail it"
        }
        let strict = own == nil ? "strict" : "{\(invariant.name): strict}"
        let who =
            switch source ?? invariant.source {
            case .documented, .ours: "the protocol does not promise it"
            case .policy: "it is a policy of the rig, not a promise of the protocol"
            }
        return "\(who); `promises: \(strict)` fails it"
    }
}
