internal import Journal

/// What to do at an instant.
struct Timer {
    enum Action {
        /// A sleeping flow; resumed with true when the lane stopped instead. `isBehind`: the instant had passed
        /// when it asked.
        case wake(UnsafeContinuation<Bool, Never>, isBehind: Bool)
        /// `isDue`: what it begins was due then.
        case call(() -> Void, isDue: Bool)
    }

    var due: Int64
    /// Ties are broken by the order of setting, so that a seed repeats.
    var order: UInt64
    var action: Action

    /// Its flow asked for an instant that had passed.
    var isBehind: Bool {
        if case .wake(_, isBehind: true) = action { true } else { false }
    }

    /// A request that its flow sends at once was due then.
    var isDue: Bool {
        switch action {
        case .wake: true
        case .call(_, let isDue): isDue
        }
    }
}

/// A four-ary min-heap of timers: shallower than a binary one, and the four children share a cache
/// line or two.
struct TimerHeap {
    private var timers: [Timer] = []
    private var order: UInt64 = 0

    var count: Int { timers.count }
    /// Nanoseconds of the earliest timer.
    var next: Int64? { timers.first?.due }
    var isNextBehind: Bool { timers.first?.isBehind ?? false }

    mutating func push(due: Int64, _ action: Timer.Action) {
        order += 1
        timers.append(Timer(due: due, order: order, action: action))
        // Swapping moves; copying would count references up and down at each step.
        timers.withUnsafeMutableBufferPointer { timers in
            var hole = timers.count - 1
            while hole > 0 {
                let parent = (hole - 1) / 4
                guard Self.isBefore(timers[hole], timers[parent]) else { break }
                timers.swapAt(hole, parent)
                hole = parent
            }
        }
    }

    /// Removes the earliest timer if it is due at or before `instant`.
    mutating func pop(dueBy instant: Int64) -> Timer? {
        guard let due = next, due <= instant else { return nil }
        timers.swapAt(0, timers.count - 1)
        let first = timers.removeLast()
        timers.withUnsafeMutableBufferPointer { timers in
            var hole = 0
            while true {
                let firstChild = hole * 4 + 1
                guard firstChild < timers.count else { break }
                var least = firstChild
                for child in firstChild + 1..<max(firstChild + 1, min(firstChild + 4, timers.count))
                where Self.isBefore(timers[child], timers[least]) {
                    least = child
                }
                guard Self.isBefore(timers[least], timers[hole]) else { break }
                timers.swapAt(hole, least)
                hole = least
            }
        }
        return first
    }

    /// Takes out every sleeper, earliest first, and leaves the calls.
    mutating func removeSleepers() -> [UnsafeContinuation<Bool, Never>] {
        let sorted = timers.sorted(by: Self.isBefore)
        timers = []
        var sleepers: [UnsafeContinuation<Bool, Never>] = []
        for timer in sorted {
            switch timer.action {
            case .wake(let sleeper, _): sleepers.append(sleeper)
            // Appending in order keeps the heap property: a sorted array is a heap.
            case .call: timers.append(timer)
            }
        }
        return sleepers
    }

    private static func isBefore(_ left: Timer, _ right: Timer) -> Bool {
        left.due != right.due ? left.due < right.due : left.order < right.order
    }
}
