internal import Checker
internal import Journal
internal import Rendering
internal import Statistics
internal import Vocabulary

/// Something that the households of a run did without one response by which its promise could have broken:
/// a pass says nothing about it, although the run looks like a test of it.
///
/// ```text
/// TV   token ─── logout ───┤ 204       (nothing more)     logout-final: is the token gone? Not asked.
/// TV   token (of whom?) ───┤ 200                          token-isolation: whose is it? Not named.
/// ```
struct UntestedAction {
    var invariant: Invariant
    /// What a pass leaves open: `whether a logout ends the sign-in`.
    var question: String
    /// What would answer it, in the words of a headline: `polling.after-success tests it`.
    var remedy: String
    /// A sentence for the lines below the headline.
    var sentence: String

    /// `whether a logout ends the sign-in (logout-final; polling.after-success tests it)`.
    var text: String { "\(question) (\(invariant.name); \(remedy))" }
}

extension Findings {
    /// What this run's households did, `signedIn` of which got an account's token, and what it could not judge.
    /// `protocols`: what they spoke; `cleanUpOnly`: promises about what only `clean-up` did, which no request follows.
    func untestedActions(
        signedIn: Int, protocols: [String], cleanUpOnly: Set<Invariant> = []
    ) -> [UntestedAction] {
        var actions: [UntestedAction] = []
        if signedIn > 0, isUntested(.tokenIsolation) { actions.append(nameless(protocols)) }
        if columnNote != nil {
            actions.append(
                UntestedAction(
                    invariant: .tokenIsolation,
                    question: "whether each TV got the user of the accounts file",
                    remedy: "the service returned others for most accounts",
                    sentence:
                        "either the user-id column of the accounts file is wrong, or these TVs are signed in as "
                        + "somebody else: correct the column, or find out whose these users are"))
        }
        if self[.codeUnique].note == Verdict.withinShards {
            actions.append(
                UntestedAction(
                    invariant: .codeUnique,
                    question: "whether two shards got the same code, token or user",
                    remedy: "record: all tests it",
                    sentence:
                        "codes, tokens and users of different shards were not compared, because not every "
                        + "exchange was recorded: record: all"))
        }
        for (invariant, question) in [
            (Invariant.logoutFinal, "whether a logout ends the sign-in"),
            (.deleteFinal, "whether a deleted code is gone"),
        ] {
            guard !cleanUpOnly.contains(invariant), isUntested(invariant),
                let words = invariant.window,
                let events = self[invariant].exposure?.events, events > 0
            else { continue }
            actions.append(
                UntestedAction(
                    invariant: invariant, question: question,
                    remedy: "polling.after-success tests it",
                    sentence: "\(invariant.name) was not tested: no request after a "
                        + "\(words.event) would have shown it broken "
                        + "(0 of \(Figures.counted(events, words.event))); real TVs send none. "
                        + "To test it, let TVs poll on for longer than polling.every: polling: {after-success: 12s}; "
                        + "apps with an SDK do not poll on"
                ))
        }
        return actions
    }

    private func nameless(_ protocols: [String]) -> UntestedAction {
        let isGrant = rules.isDeviceGrant
        let remedy =
            isGrant
            ? "let target.device-grant.user-from and claim say what names the user: id-token, access-token or "
                + "userinfo"
            : UserReading.way(protocols)
        return UntestedAction(
            invariant: .tokenIsolation, question: "whose token each TV got",
            remedy: isGrant
                ? "no response named the user: target.device-grant.user-from"
                : "no response named the user",
            sentence:
                "token-isolation was not tested: no response named the user of a token, so another "
                + "user's token would have looked the same. "
                + "To test it, \(remedy)")
    }
}

extension Summary {
    /// Nothing where the run was not judged.
    var untestedActions: [UntestedAction] {
        findings?.untestedActions(
            signedIn: households.signedIn - withoutAccount, protocols: run.protocols,
            cleanUpOnly: cleanUpOnly) ?? []
    }

    /// Signed-in households whose responses have no user to name.
    private var withoutAccount: Int {
        let paths = [SignInPath.pass, .noLogin].map(\.name)
        return signOns.paths.filter { paths.contains($0.name) }.reduce(0) { $0 + $1.households }
    }

    /// ` Not tested: whether a logout ends the sign-in (logout-final; polling.after-success tests it).`, for the
    /// end of a headline; else nothing.
    var untestedSentence: String {
        let texts = (unreached.map { [$0] } ?? []) + untestedActions.map(\.text)
        return texts.isEmpty ? "" : " Not tested: \(texts.joined(separator: ", "))."
    }

    /// The steps that most signed-in households did not reach, because their sign-ins expired; nil where most reached all.
    static func unreached(_ population: Population) -> String? {
        let count = population.expiries.values.reduce(0, +)
        guard count > 0, count * 2 >= population.all.signedIn,
            let most = population.expiries.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })
        else { return nil }
        return
            "the remaining steps of \(Figures.count(count)) of "
            + "\(Figures.counted(population.all.signedIn, "signed-in household")): their sign-ins expired first "
            + "(\(Sanitizer.line(most.key, limit: 200)))"
    }
}
