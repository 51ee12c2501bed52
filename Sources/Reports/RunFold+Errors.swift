internal import Dialects
internal import Journal
internal import Vocabulary

/// Errors of the load, without those that came before it.
extension RunFold {
    /// Counted anew where some came before the load; estimated where not every exchange was kept.
    func errorsOfLoad(_ history: some Recorded) throws -> [ErrorGroup] {
        let groups = try history.errorGroups().filter { $0.last.second >= loadBegins }
        guard groups.contains(where: beganBefore) else { return groups }
        guard history.keepsAllExchanges else { return estimated(groups) }
        var errors = ErrorCount()
        try history.exchanges { if $0.ended.second >= loadBegins { errors.add($0) } }
        return errors.groups
    }

    private func beganBefore(_ group: ErrorGroup) -> Bool { group.first.second < loadBegins }

    private struct ErrorKind: Hashable {
        var operation: OperationName
        var outcome: Outcome
    }

    /// Of one operation and outcome, groups that began before the load share what the others leave of the cells.
    private func estimated(_ groups: [ErrorGroup]) -> [ErrorGroup] {
        func kind(of group: ErrorGroup) -> ErrorKind {
            ErrorKind(operation: group.operation, outcome: group.outcome)
        }
        var left: [ErrorKind: Int] = [:]
        for (slot, sum) in sums {
            for outcome in Outcome.allCases {
                let kind = ErrorKind(operation: slot.operation, outcome: outcome)
                left[kind, default: 0] += sum.outcomes[Int(outcome.rawValue)]
            }
        }
        var shared: [ErrorKind: Int] = [:]
        for group in groups {
            if beganBefore(group) {
                shared[kind(of: group), default: 0] += group.count
            } else {
                left[kind(of: group), default: 0] -= group.count
            }
        }
        return ErrorCount.sorted(
            groups.compactMap { group in
                guard beganBefore(group), let whole = shared[kind(of: group)] else { return group }
                let rest = max(0, left[kind(of: group)] ?? 0)
                guard whole > rest else { return group }
                var group = group
                group.count = rest * group.count / whole
                group.first = Instant(.seconds(loadBegins))
                group.example = nil
                return group.count > 0 ? group : nil
            })
    }
}
