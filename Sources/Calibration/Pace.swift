/// When the requests of a plain load are due.
public enum Pace: Sendable, Hashable {
    /// A closed loop: each caller asks again when it has its answer.
    case closed
    /// So many per second, evenly spaced over all callers, whatever the service does.
    case rate(perSecond: Double)

    /// When a caller's request is due, in nanoseconds from the beginning of the load; nil in a closed
    /// loop. Callers take turns, so the whole is as even as its parts: with 3 callers at 6/s
    ///
    /// ```text
    ///   caller 0   |           |           |
    ///   caller 1       |           |           |
    ///   caller 2           |           |
    ///            0ms 167 333 500 667 ...
    /// ```
    func due(_ turn: Int, of caller: Int, among callers: Int) -> Int64? {
        guard case .rate(let perSecond) = self else { return nil }
        let number = Double(turn) * Double(callers) + Double(caller)
        return Int64((number * 1e9 / perSecond).rounded())
    }
}

/// What is kept of each exchange.
public enum Keeping: String, Sendable, CaseIterable {
    /// How many there were.
    case none
    /// And how long they took, in histograms.
    case aggregates
    /// And each of them, read and recorded as in a run.
    case all
}
