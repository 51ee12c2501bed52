internal import Vocabulary

extension Explanation {
    /// In the order of `screenrig list`.
    static let invariants: [Explanation] = Invariant.allCases.map {
        Explanation(
            .invariant, $0.name, $0.line, $0.meaning, harmless: $0.harmless,
            send: "the row of violations.csv with its request ids, and the household's exchanges "
                + "(sqlite3 RUN/history.sqlite 'SELECT * FROM exchanges WHERE household = N')")
    }
}
