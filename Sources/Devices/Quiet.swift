internal import Journal
internal import Synchronization

/// When the lanes of a run are quiet: arrivals are over, and no viewer is left to sign in. First screens that
/// still poll stop `settle` later, by the same rule on every lane.
///
/// Virtual lanes are at different instants. A lane asks about the instant `settle` ago, and no lane is that far
/// behind (`Convoy`), so the answer is the same on one lane and on several.
///
/// Safe because all state is in a `Mutex`.
final class Quiet: Sendable {
    /// By lane, the instants at which quiet began and ended, alternating. A lane begins without quiet.
    private let changes: Mutex<[[Instant]]>

    init(lanes: Int) {
        changes = Mutex(Array(repeating: [], count: lanes))
    }

    /// Notes that a lane became quiet, or that a viewer is expected again. On the lane's thread, in the order
    /// of time.
    func note(_ isQuiet: Bool, on lane: Int, at instant: Instant) {
        changes.withLock { changes in
            guard changes[lane].count.isMultiple(of: 2) == isQuiet else { return }
            changes[lane].append(instant)
        }
    }

    /// Whether all lanes were quiet after everything at `instant` had happened.
    func wasQuiet(at instant: Instant) -> Bool {
        changes.withLock { changes in
            changes.allSatisfy { lane in
                // Only the last entries can be later than `instant`, so search from the end.
                let later = lane.reversed().prefix { $0 > instant }.count
                return !(lane.count - later).isMultiple(of: 2)
            }
        }
    }
}
