internal import Statistics
internal import Vocabulary

extension Findings {
    /// Adds what was found in another part of the run, in which other households lived: on another target, or by
    /// another process. Nothing of one part was compared with another.
    public mutating func add(_ other: Findings) {
        for more in other.verdicts {
            if let position = verdicts.firstIndex(where: { $0.invariant == more.invariant }) {
                verdicts[position].sum(more)
            } else {
                verdicts.append(more)
            }
        }
        verdicts.sort { $0.invariant < $1.invariant }
        // However the parts came, the same list.
        violations = (violations + other.violations).sorted {
            $0.isTold(before: $1)
        }
        if violations.count > SharedState.foundLimit {
            violations.removeLast(violations.count - SharedState.foundLimit)
        }
        for more in other.levels {
            if let position = levels.firstIndex(where: { $0.level == more.level }) {
                levels[position].broken += more.broken
                levels[position].households += more.households
                levels[position].undecided += more.undecided
            } else {
                levels.append(more)
            }
        }
        staleness.merge(other.staleness)
        for change in other.changes where !changes.contains(change) { changes.append(change) }
        columnNote = columnNote ?? other.columnNote
        operations += other.operations
        households += other.households
        preSignedIn += other.preSignedIn
        sdkHouseholds += other.sdkHouseholds
        if let from = other.unjudgedFrom { unjudgedFrom = min(from, unjudgedFrom ?? from) }
    }

    /// Notes at each promise between households that those of different shards were not compared.
    public mutating func limitToShards() {
        for position in verdicts.indices
        where verdicts[position].invariant.isBetweenHouseholds && verdicts[position].note.isEmpty {
            verdicts[position].note = Verdict.withinShards
        }
    }
}

extension Verdict {
    /// Adds the verdict on the same promise of other households.
    fileprivate mutating func sum(_ other: Verdict) {
        // Why a promise was not tested is no word about where it was.
        let isReason = checked > 0 && other.checked == 0
        let hasReason = checked == 0 && other.checked > 0
        if hasReason || note.isEmpty && !isReason { note = other.note }
        checked += other.checked
        households += other.households
        undecided += other.undecided
        add(other)
        if let more = other.exposure {
            if exposure == nil { exposure = more } else { exposure?.merge(more) }
        }
        examples = Array((examples + other.examples).prefix(5))
    }
}
