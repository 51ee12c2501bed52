internal import Journal
package import Standin
internal import Synchronization

/// What the stand-in's faults did in a run, from its thread, or from those of its virtual lanes, to the session's.
package final class TruthLog: Sendable {
    private let log = Mutex<[(lane: Int, event: TruthEvent)]>([])

    package init() {}

    /// `lane`: of the service that says so, where each has one.
    package func append(_ events: [TruthEvent], lane: Int = 0) {
        log.withLock { log in
            for event in events { log.append((lane, event)) }
        }
    }

    /// As they came.
    package var events: [TruthEvent] { log.withLock { $0.map(\.event) } }

    /// In the order of their instants and households, with activations numbered anew in that order: the same for
    /// one lane and for several, each of whose services counts its own.
    package var joined: [TruthEvent] {
        struct Activation: Hashable {
            var lane: Int
            var number: Int
        }
        func comes(_ left: TruthEvent, before right: TruthEvent) -> Bool {
            left.at != right.at
                ? left.at < right.at : (left.household ?? -1) < (right.household ?? -1)
        }
        let sorted = log.withLock { Array($0.enumerated()) }.sorted { left, right in
            let (first, second) = (left.element.event, right.element.event)
            if comes(first, before: second) { return true }
            return !comes(second, before: first) && left.offset < right.offset
        }
        var numbers: [Activation: Int] = [:]
        return sorted.map { entry in
            var event = entry.element.event
            let activation = Activation(lane: entry.element.lane, number: event.activation)
            let number = numbers[activation] ?? numbers.count + 1
            numbers[activation] = number
            event.activation = number
            return event
        }
    }
}
