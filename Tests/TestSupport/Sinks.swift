public import Journal
import Synchronization

/// Keeps nothing of a run.
public struct Nowhere: HistorySink {
    public init() {}
    public func append(_ batch: Batch) {}
}

/// Keeps what a run hands over.
public final class Collected: HistorySink {
    private let held = Mutex<[Batch]>([])

    public init() {}

    public func append(_ batch: Batch) { held.withLock { $0.append(batch) } }
    public var batches: [Batch] { held.withLock { $0 } }
    public var exchanges: [Exchange] { batches.flatMap(\.exchanges) }
}
