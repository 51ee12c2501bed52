internal import Checker
internal import Journal
internal import Vocabulary

/// Has the real judge look at one trial.
struct TrialJudge: Sendable {
    let rules: Rules

    /// Broken promises of its living rooms: device, code and account are its own, so that what only the
    /// last reading shows is its making as well. `others` are trials that had the same code
    /// (`SharedCodes`).
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
            return trial.households.contains(violation.household)
                && !violation.invariant.isAboutRun
        }.map(Breach.init)
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
