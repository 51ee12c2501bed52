/// Keys by the time at which they may be over, earliest first: lets a table forget what has expired
/// a little at each request, instead of stopping to search for it. A binary heap; ties are broken by
/// the order of adding, so that a seed repeats.
struct DueQueue<Key: Sendable>: Sendable {
    private struct DueEntry: Sendable {
        var due: Int64
        var order: UInt64
        var key: Key

        func isBefore(_ other: DueEntry) -> Bool {
            due != other.due ? due < other.due : order < other.order
        }
    }

    private var entries: [DueEntry] = []
    private var order: UInt64 = 0

    var count: Int { entries.count }

    mutating func add(_ key: Key, due: Int64) {
        order += 1
        let entry = DueEntry(due: due, order: order, key: key)
        var hole = entries.count
        entries.append(entry)
        while hole > 0 {
            let parent = (hole - 1) / 2
            guard entry.isBefore(entries[parent]) else { break }
            entries[hole] = entries[parent]
            hole = parent
        }
        entries[hole] = entry
    }

    /// Removes and returns the earliest key that is due at or before `time`.
    mutating func next(dueBy time: Int64) -> Key? {
        // Asked of a dozen queues at each request: nothing is copied while nothing is due.
        guard !entries.isEmpty, entries[0].due <= time else { return nil }
        let first = entries[0]
        let last = entries.removeLast()
        if entries.isEmpty { return first.key }
        var hole = 0
        while true {
            var child = hole * 2 + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
            guard entries[child].isBefore(last) else { break }
            entries[hole] = entries[child]
            hole = child
        }
        entries[hole] = last
        return first.key
    }
}

/// How many entries a table may drop for each request: more than one, so that it catches up.
let sweepStep = 2
