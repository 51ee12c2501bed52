internal import Journal
internal import Synchronization

/// Since when nobody can sign in any more, on all lanes of a run: arrivals are over and no viewer is left. First
/// screens that poll still stop `settle` later, all by the same rule, whichever lane they live on.
///
/// Virtual lanes are not at the same instant. What one asks about is `settle` ago, and none is so far behind
/// (`Convoy`), so that the answer is the same on one lane and on several.
///
/// Safe because everything is in a `Mutex`.
final class Quiet: Sendable {
    /// Of one lane, the instants at which quiet began and ended, in turns; it begins noisy.
    private let changes: Mutex<[[Instant]]>

    init(lanes: Int) {
        changes = Mutex(Array(repeating: [], count: lanes))
    }

    /// A lane has become quiet, or somebody has come back. On its thread.
    func note(_ isQuiet: Bool, on lane: Int, at instant: Instant) {
        changes.withLock { changes in
            guard changes[lane].count.isMultiple(of: 2) == isQuiet else { return }
            changes[lane].append(instant)
        }
    }

    /// Whether all lanes were quiet once everything of `instant` had happened.
    func wasQuiet(at instant: Instant) -> Bool {
        changes.withLock { changes in
            changes.allSatisfy { lane in
                // Only the last of them are later than what is asked about.
                let later = lane.reversed().prefix { $0 > instant }.count
                return !(lane.count - later).isMultiple(of: 2)
            }
        }
    }
}
