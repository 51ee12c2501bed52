internal import Vocabulary

extension Explanation {
    /// In the order of `screenrig list`.
    static let invariants: [Explanation] = Invariant.allCases.map {
        Explanation(
            .invariant, $0.name, $0.line, $0.meaning + $0.windowText, harmless: $0.harmless,
            send: "the row of violations.csv with its request ids, and the household's exchanges "
                + "(sqlite3 RUN/history.sqlite 'SELECT * FROM exchanges WHERE household = N')")
    }
}

extension Invariant {
    /// How long a violation lasts, where time decides whether anybody sees it.
    fileprivate var windowText: String {
        guard let window else { return "" }
        return
            " It may be violated for a time (window) only: from when \(window.opens). A run sees that if "
            + "\(window.look) falls into it."
    }
}
