internal import Dispatch
internal import Synchronization

/// Counts what lanes hand over and keeps none of it: for those who look on at what leaves no history,
/// such as the trials of a search. Counting happens on a queue of its own, not on the lanes.
public final class ProgressSink: HistorySink {
    fileprivate struct Counted {
        var meter = ProgressMeter()
        var tally = Tally()
    }

    private let queue = DispatchQueue(label: "screenrig.progress", qos: .utility)
    private let counted = Mutex(Counted())

    public init() {}

    public func append(_ batch: Batch) {
        queue.async { [self] in
            counted.withLock { $0.count(batch) }
        }
    }

    /// Where it is, once everything that was handed over is counted; ends an interval.
    public func progress() -> Progress {
        queue.sync {
            counted.withLock { $0.meter.turn(worst: $0.tally.worst(3)) }
        }
    }
}

extension ProgressSink.Counted {
    fileprivate mutating func count(_ batch: Batch) {
        for exchange in batch.exchanges {
            meter.add(exchange)
            _ = tally.add(exchange, kind: 0)
        }
        meter.addOpen(batch)
        meter.pass(batch.through)
        // Only the kinds of errors are asked for: cells would grow with the time it takes.
        tally.written(through: batch.through)
    }
}
