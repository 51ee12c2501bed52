internal import Checker
internal import Journal
internal import Vocabulary

/// Has the real judge look at one trial.
struct TrialJudge: Sendable {
    let rules: Rules

    /// Broken promises of its living rooms: device, code and account are its own, so that what only the
    /// last reading shows is its making as well. `others` are trials that had the same code
    /// (`SharedCodes`). `deviations`: answers that the protocol's pages, or our reading of them, do not allow.
    func judge(
        _ exchanges: [Exchange], of trial: TrialResult, besides others: [Exchange] = []
    ) -> (breaches: [Breach], deviations: [Breach]) {
        let judge = Judge(rules)
        for household in Set(others.map(\.device.household)).sorted() {
            Self.tell(judge, others, of: household)
        }
        for household in trial.households {
            Self.tell(judge, exchanges, of: household)
        }
        let counted = judge.finishedViolations().filter { violation in
            switch violation.standing {
            case .fails, .observed: trial.households.contains(violation.household)
            case .known, .suspected: false
            }
        }
        return (
            counted.filter { !$0.invariant.isAboutRun }.map(Breach.init),
            counted.filter { $0.invariant == .conforms }.map(Breach.init)
        )
    }

    /// The judge takes what is numbered lower to have begun no later. A request at the gate has its
    /// number before it begins, so each is said to begin when the next ones do at the latest: the
    /// judge then waits longer, and knows the same.
    private static func tell(_ judge: Judge, _ exchanges: [Exchange], of household: Int) {
        let own = exchanges.indices.filter { exchanges[$0].device.household == household }
            .sorted { exchanges[$0].sequence < exchanges[$1].sequence }
        var begun = own.map { exchanges[$0].begun }
        for number in begun.indices.reversed().dropFirst() {
            begun[number] = min(begun[number], begun[number + 1])
        }
        for (position, begun) in zip(own, begun) {
            var exchange = exchanges[position]
            exchange.begun = begun
            judge.take(exchange)
        }
    }
}
