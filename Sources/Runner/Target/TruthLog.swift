package import Standin
internal import Synchronization

/// What the stand-in's faults did in a run, from its thread to the session's.
package final class TruthLog: Sendable {
    private let log = Mutex<[TruthEvent]>([])

    package init() {}

    package func append(_ events: [TruthEvent]) { log.withLock { $0 += events } }
    package var events: [TruthEvent] { log.withLock { $0 } }
}
