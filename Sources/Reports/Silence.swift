internal import Dialects
internal import Rendering
internal import Vocabulary

/// An outage: the service responded for a while and then stopped. A verdict names it first, since all
/// later failures follow from it.
struct Silence: Hashable {
    /// The last second in which anything was answered.
    var second: Int
    /// Requests that came to their ends after it.
    var unanswered: Int
    /// All of them waited for `target.timeout`: a service that is merely slower shows the same.
    var isOfTimeouts: Bool
    /// The operation that was asked, where it was one and nothing else tells that the service is gone.
    var only: OperationName?
    /// The service is gone, not merely late with its last answers: whoever asked it afterwards was not
    /// answered either.
    var isOutage: Bool

    /// Fewer than that are bad luck.
    private static let least = 3

    /// Nil where the service answered to the end, or never.
    init?(_ rows: [TimelineRow]) {
        let requests = rows.lazy.filter { !$0.operation.isOfConnection }
        guard let last = requests.last(where: { $0.completed > 0 })?.second else { return nil }
        second = last
        let ownTrouble = Self.operationsInTroubleOfTheirOwn(requests, last: last)
        let told = requests.filter { $0.second > last && !ownTrouble.contains($0.operation) }
        unanswered = told.reduce(0) { $0 + $1.errors }
        isOfTimeouts = told.allSatisfy { $0.timeouts == $0.errors }
        let asked = Set(told.filter { $0.errors > 0 }.map(\.operation))
        only = isOfTimeouts && asked.count == 1 ? asked.first : nil
        isOutage = told.reduce(0) { $0 + $1.sent } >= Self.least
        guard unanswered >= Self.least else { return nil }
    }

    /// Operations that timed out before the others fell silent too, or that never were answered in time: that says something
    /// about the operation and nothing about the service.
    private static func operationsInTroubleOfTheirOwn(
        _ rows: some Sequence<TimelineRow>, last: Int
    ) -> Set<OperationName> {
        var answered: Set<OperationName> = []
        var timedOut: Set<OperationName> = []
        var failedOtherwise: Set<OperationName> = []
        var failing: Set<OperationName> = []
        for row in rows {
            if row.timeouts > 0 { timedOut.insert(row.operation) }
            if row.errors > row.timeouts { failedOtherwise.insert(row.operation) }
            if row.completed > 0 {
                answered.insert(row.operation)
                failing.remove(row.operation)
            } else if row.errors > 0, row.second < last {
                failing.insert(row.operation)
            }
        }
        return failing.union(timedOut.subtracting(answered).subtracting(failedOtherwise))
    }

    var sentence: String {
        let what = only.map(\.name) ?? "the service"
        let within = isOfTimeouts ? " within target.timeout" : ""
        return "\(what) stopped responding\(within) at second \(Figures.count(second)): none of "
            + "\(Figures.counted(unanswered, "request")) after that got a response"
    }
}
