internal import Journal
internal import Vocabulary

extension ConnectionRamp {
    /// New connections per second at this point of the run.
    func rate(at now: Instant) -> Double { first + growth * Double(now.nanoseconds) / 1e9 }
}

/// Even spacing: never more than the rate, not even for a moment.
struct RequestSpacing {
    /// When the next one may go.
    private(set) var next: Instant = .start

    /// A lane that wakes up late may make up for this much: at 5,000/s it would else lose a fifth.
    private static let slack: Duration = .milliseconds(1)

    mutating func take(at now: Instant, rate: Double) {
        let interval: Duration = .nanoseconds(Int64((1e9 / rate).rounded(.up)))
        next = max(next, Instant(nanoseconds: now.nanoseconds - Self.slack.wholeNanoseconds))
        next = next + interval
    }
}

extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
