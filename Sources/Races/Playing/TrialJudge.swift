internal import Checker
internal import Journal

/// Has the real judge look at one trial.
struct TrialJudge: Sendable {
    let rules: Rules

    /// Broken promises in which an op of the schedule has a part. What only the reading after the race
    /// shows is not of its making: another trial may have caused it. `others` are trials that had the
    /// same code (`Namesakes`).
    func breaches(
        _ exchanges: [Exchange], of trial: TrialResult, besides others: [Exchange] = []
    ) -> [Breach] {
        let judge = Judge(rules)
        for household in Set(others.map(\.device.household)).sorted() {
            for exchange in Self.ordered(others, of: household) { judge.take(exchange) }
        }
        for household in trial.households {
            for exchange in Self.ordered(exchanges, of: household) { judge.take(exchange) }
        }
        return judge.finish().violations.filter { violation in
            switch violation.standing {
            case .fails, .observed: break
            case .known, .suspected: return false
            }
            guard !Self.isOfNoRace(violation.invariant) else { return false }
            return violation.exchanges.contains { sequence in
                trial.isOwn(sequence, of: violation.household)
            }
        }.map(Breach.init)
    }

    /// Promises about a run as a whole.
    private static func isOfNoRace(_ invariant: Invariant) -> Bool {
        switch invariant {
        case .conforms, .pollingEnds, .throttleContract, .clockAgreement: true
        default: false
        }
    }

    /// The judge takes what is numbered lower to have begun no later. A request at the gate has its
    /// number before it begins, so each is said to begin when the next ones do at the latest: the
    /// judge then waits longer, and knows the same.
    private static func ordered(_ exchanges: [Exchange], of household: Int) -> [Exchange] {
        var own = exchanges.filter { $0.device.household == household }
            .sorted { $0.sequence < $1.sequence }
        var latest = Instant.distantFuture
        for position in own.indices.reversed() {
            latest = min(latest, own[position].begun)
            own[position].begun = latest
        }
        return own
    }
}

extension TrialResult {
    /// Whether an exchange is the decisive one of an op.
    func isOwn(_ sequence: Int, of household: Int) -> Bool {
        releases.contains { release in
            guard release.sequence == sequence, let op = schedule[op: release.op],
                let actor = schedule[actor: op.actor]
            else { return false }
            return households.indices.contains(actor.household)
                && households[actor.household] == household
        }
    }
}
