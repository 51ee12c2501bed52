internal import Statistics

/// How soon after its sign-in on the phone a TV's next poll is due, before any of it runs: which windows
/// after a sign-in a plan will see (docs/worth.md). Of a service that answers at once.
///
/// ```text
/// code shown ──┬───────┬── … ──┬───────────┐ polls
///              │       │       │   login ──┤
///                                  │ delay │
/// ```
public struct WindowForecast: Sendable, Hashable {
    /// Sign-ins on a phone, about.
    public private(set) var signIns: Double
    /// Of sign-ins that might be: the delay lies evenly between the two, in nanoseconds.
    private var delays: [Delay] = []
    private let pollers: Int

    private struct Delay: Hashable {
        var low: Double
        var high: Double
    }

    private static let draws = 10_000

    /// `households`: how many start. The draws are of a fixed seed: a rig has one forecast.
    init(_ rig: Rig, households: Double) {
        pollers = rig.polling.pollers
        let total = Double(max(1, rig.kinds.reduce(0) { $0 + $1.weight }))
        let flows = rig.kinds.map { kind in
            (kind, KindFlow(kind, rig).phoneSignIns * Double(kind.weight) / total)
        }
        let each = flows.reduce(0) { $0 + $1.1 }
        signIns = households * each
        guard each > 0 else { return }
        var dice = Seed(1).child("windows").generator()
        for (kind, share) in flows where share > 0 {
            let count = Int((Double(Self.draws) * share / each).rounded(.up))
            for _ in 0..<count {
                let viewer = kind.viewer
                let signIn =
                    viewer.noticesCode.sample(using: &dice) + viewer.signsIn.sample(using: &dice)
                delays.append(
                    Self.delay(rig.polling, after: Double(signIn.nanoseconds), using: &dice))
            }
        }
    }

    /// From a sign-in, so long after the code was shown, to the poll after it.
    private static func delay(
        _ polling: Rig.Polling, after signIn: Double, using dice: inout Dice
    ) -> Delay {
        let every = max(1, Double(polling.meanInterval.nanoseconds))
        if polling.isAligned { return Delay(low: 0, high: every) }
        let button: Distribution? = if case .button(let time) = polling.mode { time } else { nil }
        let jitter = button == nil ? polling.jitter : 0
        func interval() -> Double {
            if let button { return max(1, Double(button.sample(using: &dice).nanoseconds)) }
            return every * (1 + jitter * (2 * dice.unit() - 1))
        }
        var last = 0.0
        if let first = polling.firstAfter {
            last = Double(first.nanoseconds)
            guard last < signIn else { return Delay(low: last - signIn, high: last - signIn) }
        }
        if button == nil {
            // Of many intervals only the sum matters: one draw with its mean and its variance.
            let many = ((signIn - last) / every).rounded(.down) - 16
            if many > 16 {
                last += every * (many + jitter * many.squareRoot() * (2 * dice.unit() - 1))
            }
            while true {
                let next = last + interval()
                if next > signIn { break }
                last = next
            }
            // That the interval is longer than the time since the last poll is known, and no more.
            let since = signIn - last
            let low = max(every * (1 - jitter), since) - since
            return Delay(low: low, high: max(low, every * (1 + jitter) - since))
        }
        var next = last + interval()
        while next <= signIn { next += interval() }
        return Delay(low: next - signIn, high: next - signIn)
    }

    /// The share of sign-ins of which a poll is due within so many nanoseconds, 0 to 1.
    public func share(within window: Double) -> Double {
        guard !delays.isEmpty else { return 0 }
        let sum = delays.reduce(0.0) { sum, delay in
            if window >= delay.high { return sum + 1 }
            return window <= delay.low
                ? sum : sum + (window - delay.low) / (delay.high - delay.low)
        }
        let one = sum / Double(delays.count)
        var missed = 1.0
        for _ in 0..<pollers { missed *= 1 - one }
        return 1 - missed
    }

    /// The probability that the plan sees such a window, if it is there after every sign-in.
    public func probability(ofSeeing window: Double) -> Double {
        TrialCount.probability(ofSeeing: share(within: window), in: .bounded(signIns.rounded()))
    }

    /// The shortest window that the plan sees with 95 %, in nanoseconds; nil where there is none.
    public var shortestWindow: Double? {
        let trials = Int.bounded(signIns.rounded())
        guard trials > 0, let longest = delays.map(\.high).max() else { return nil }
        let needed = TrialCount.share(seenWith: 0.95, in: trials)
        var (low, high) = (0.0, longest)
        for _ in 0..<40 {
            let middle = (low + high) / 2
            if share(within: middle) < needed { low = middle } else { high = middle }
        }
        return high
    }
}
