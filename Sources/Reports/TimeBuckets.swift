/// What can be added up: the content of a bucket.
protocol Mergeable {
    init()
    mutating func merge(_ other: Self)
}

/// Values over the seconds of a run, in buckets that widen as the run goes on, so that an hour
/// draws as fast as a minute: never more than `limit` of them.
struct TimeBuckets<Value: Mergeable & Sendable>: Sendable {
    /// Seconds per bucket.
    private(set) var width = 1
    private(set) var values: [Value] = []
    private let limit: Int
    /// What follows 1 s, 5 s, 15 s, 1 min, 5 min, 15 min; each is a multiple of the one before.
    private var factors: ArraySlice<Int> = [5, 3, 4, 5, 3, 4]

    init(limit: Int) {
        precondition(limit > 0, "a chart needs at least one bucket")
        self.limit = limit
    }

    /// Changes the bucket that `second` falls into; what is before the start belongs to the first.
    mutating func update(second: Int, _ change: (inout Value) -> Void) {
        while max(0, second) / width >= limit { widen() }
        let position = max(0, second) / width
        while values.count <= position { values.append(Value()) }
        change(&values[position])
    }

    /// Makes the buckets at least `seconds` long, so that two series can be drawn over each other.
    mutating func widen(to seconds: Int) {
        while width < seconds { widen() }
    }

    private mutating func widen() {
        let factor = factors.popFirst() ?? 2
        width *= factor
        values = stride(from: 0, to: values.count, by: factor).map { start in
            values[start..<min(start + factor, values.count)].reduce(into: Value()) { sum, value in
                sum.merge(value)
            }
        }
    }
}
