internal import Dialects
package import Journal
internal import Vocabulary

/// Errors that look the same, counted anew from the exchanges of a part of a run: the groups of a history are of all of it.
package struct ErrorCount {
    private struct Look: Hashable {
        var operation: OperationName
        var outcome: Outcome
        var status: Int
        var reason: String
    }

    private var byLook: [Look: ErrorGroup] = [:]

    package init() {}

    /// Exchanges that are no errors are left out.
    package mutating func add(_ exchange: Exchange) {
        guard exchange.isError else { return }
        let look = Look(
            operation: exchange.operation, outcome: exchange.outcome,
            status: exchange.delivery.status ?? 0,
            reason: exchange.reason ?? exchange.delivery.error?.kind.rawValue ?? "")
        var group =
            byLook[look]
            ?? ErrorGroup(
                operation: look.operation, outcome: look.outcome, status: look.status,
                reason: look.reason, count: 0, first: exchange.ended, last: exchange.ended,
                example: exchange)
        group.count += 1
        if exchange.ended < group.first {
            (group.first, group.example) = (exchange.ended, exchange)
        }
        group.last = max(group.last, exchange.ended)
        byLook[look] = group
    }

    package var groups: [ErrorGroup] { Self.sorted(byLook.values) }

    /// The most frequent first.
    static func sorted(_ groups: some Sequence<ErrorGroup>) -> [ErrorGroup] {
        groups.sorted {
            ($1.count, $0.operation.rawValue, $0.status, $0.reason)
                < ($0.count, $1.operation.rawValue, $1.status, $1.reason)
        }
    }
}
