public import Journal

/// What a run, or a lane of it, waits for.
public enum RunPhase: Sendable, Hashable {
    /// Households are still to come.
    case arriving
    /// None will come, and so many viewers have neither signed in nor left.
    case viewers(Int)
    /// No viewer is left: TVs poll on until then.
    case settling(until: Instant)

    /// What all wait for while some wait for this and others for that: the earliest of the three.
    func joined(with other: RunPhase) -> RunPhase {
        switch (self, other) {
        case (.arriving, _), (_, .arriving): .arriving
        case (.viewers(let left), .viewers(let right)): .viewers(left + right)
        case (.viewers, _): self
        case (_, .viewers): other
        case (.settling(let left), .settling(let right)): .settling(until: max(left, right))
        }
    }
}
