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
    /// The operations that were asked, where they were few: nothing is known of the others.
    var only: [OperationName] = []
    /// The service is gone, not merely late with its last answers: whoever asked it afterwards was not
    /// answered either.
    var isOutage: Bool

    /// So many operations may be slow while others, which are no longer requested, are not.
    private static let few = 2

    /// Fewer than that are bad luck.
    private static let least = 3

    /// `timeout`: target.timeout. Nil where the service answered to the end, or never, or where all that went unanswered is in
    /// trouble of its own.
    init?(_ rows: [TimelineRow], timeout: Duration = .zero) {
        let requests = rows.lazy.filter { !$0.operation.isOfConnection }
        guard let last = requests.last(where: { $0.completed > 0 })?.second else { return nil }
        second = last
        let operations = Operations(requests, last: last, timeout: timeout)
        let evidence = requests.filter {
            $0.second > last && !operations.inTrouble.contains($0.operation)
        }
        let failed = evidence.filter { $0.errors > 0 }
        guard failed.contains(where: { operations.answered.contains($0.operation) }) else {
            return nil
        }
        unanswered = failed.reduce(0) { $0 + $1.errors }
        isOfTimeouts = failed.allSatisfy { $0.timeouts == $0.errors }
        let asked = Set(failed.map(\.operation))
        if isOfTimeouts, asked.count <= Self.few {
            only = OperationName.allCases.filter(asked.contains)
        }
        isOutage = evidence.reduce(0) { $0 + $1.sent } >= Self.least
        guard unanswered >= Self.least else { return nil }
    }

    /// What a run shows of each operation.
    private struct Operations {
        var answered: Set<OperationName> = []
        /// Asked, and not answered, while others still were; or never answered in time. That says something about the operation
        /// and nothing about the service.
        var inTrouble: Set<OperationName> = []

        init(_ rows: some Sequence<TimelineRow>, last: Int, timeout: Duration) {
            // What the service had in hand when it stopped was asked for as long before as its slowest answer took.
            let slowest = rows.lazy.filter { $0.timeouts == 0 }.compactMap(\.max).max() ?? 0
            let asked = last - 1 - Int(slowest / 1000)
            let wait = Int((timeout / .seconds(1)).rounded(.up))
            var timedOut: Set<OperationName> = []
            var failedOtherwise: Set<OperationName> = []
            for row in rows {
                if row.timeouts > 0 { timedOut.insert(row.operation) }
                if row.errors > row.timeouts { failedOtherwise.insert(row.operation) }
                if row.completed > 0 {
                    answered.insert(row.operation)
                    inTrouble.remove(row.operation)
                } else if row.errors > row.timeouts && row.second < asked
                    || row.timeouts > 0 && row.second - wait < asked
                {
                    inTrouble.insert(row.operation)
                }
            }
            inTrouble.formUnion(timedOut.subtracting(answered).subtracting(failedOtherwise))
        }
    }

    var sentence: String {
        let what =
            only.isEmpty ? "the service" : only.map(\.name).joined(separator: " and ")
        let within = isOfTimeouts ? " within target.timeout" : ""
        return "\(what) stopped responding at second \(Figures.count(second)): none of "
            + "\(Figures.counted(unanswered, "request")) after that got a response\(within)"
    }
}
