internal import Journal
internal import Vocabulary

/// A leaky bucket for each identity: rate and burst, no delay, one bucket across all listed
/// endpoints (rest-v1.md § 14, reading A18). A request that is turned down takes nothing from it.
///
///     empty at ──┐ each accepted request pushes this one interval later
///     ───────────┼──────────────────────────▶ time
///         now    │   accepted while `emptyAt - now <= burst * every`
struct Throttle: Sendable {
    /// The instant at which each bucket will have run dry, in nanoseconds.
    private var emptyAt: [String: Int64] = [:]
    private var queue = DueQueue<String>()
    private let every: Int64
    private let depth: Int64

    /// A dry bucket is as good as none; it is kept a minute longer to spare a polling device the
    /// coming and going.
    private static let patience: Int64 = 60_000_000_000

    init(_ rule: Policies.Throttle) {
        every = Instant(rule.every).nanoseconds
        depth = every * Int64(rule.burst)
    }

    /// Buckets held at present.
    var count: Int { emptyAt.count }

    /// Whether a request of `identity` may pass now; counts it if so.
    mutating func admits(_ identity: String, at now: Instant) -> Bool {
        let time = now.nanoseconds
        guard let index = emptyAt.index(forKey: identity) else {
            emptyAt[identity] = time + every
            queue.add(identity, due: time + every + Self.patience)
            return true
        }
        let full = emptyAt.values[index]
        guard full - time <= depth else { return false }
        emptyAt.values[index] = max(full, time) + every
        return true
    }

    /// Forgets buckets that have long run dry.
    mutating func sweep(at now: Instant) {
        for _ in 0..<sweepStep {
            guard let identity = queue.next(dueBy: now.nanoseconds) else { return }
            guard let empty = emptyAt[identity] else { continue }
            if empty + Self.patience <= now.nanoseconds {
                emptyAt[identity] = nil
            } else {
                queue.add(identity, due: empty + Self.patience)
            }
        }
    }
}
