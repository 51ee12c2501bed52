/// The part with the next row: the one with the smallest key, and among equal keys the first part. The list is in
/// descending order: a part's following row is close in time, so it is inserted near the end.
struct MergeOrder {
    private var waiting: [(key: Int64, part: Int)] = []

    mutating func insert(_ key: Int64, _ part: Int) {
        var (low, high) = (0, waiting.count)
        while low < high {
            let middle = (low + high) / 2
            if (waiting[middle].key, waiting[middle].part) > (key, part) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        waiting.insert((key, part), at: low)
    }

    mutating func pop() -> (key: Int64, part: Int)? { waiting.popLast() }

    mutating func pop(if key: Int64) -> (key: Int64, part: Int)? {
        waiting.last?.key == key ? waiting.popLast() : nil
    }
}
