internal import Synchronization

/// What a race may spend, what it makes of its findings included. Given limits are kept to a tenth more:
/// the search keeps to the limit itself, and whoever shrinks and measures takes from what is left.
public final class Allowance: Sendable {
    private let trials: Int?
    private let time: Duration?
    private let clock: @Sendable () -> Duration
    private let spent = Mutex(0)

    /// Nil: no limit. `clock` is the time since the race began.
    public init(trials: Int?, time: Duration?, clock: @escaping @Sendable () -> Duration) {
        self.trials = trials.map { $0 + $0 / 10 }
        self.time = time.map { $0 + $0 / 10 }
        self.clock = clock
    }

    /// As many of the trials that are wanted as it bears.
    func take(_ wanted: Int) -> Int {
        if let time, clock() >= time { return 0 }
        return spent.withLock { spent in
            let granted = min(wanted, max(0, (trials ?? .max) - spent))
            spent += granted
            return granted
        }
    }

    /// Nil: no limit.
    var trialsLeft: Int? { trials.map { trials in max(0, trials - spent.withLock { $0 }) } }
    var timeLeft: Duration? { time.map { max(.zero, $0 - clock()) } }

    public var isSpent: Bool { trialsLeft == 0 || timeLeft == .zero }

    /// When it ends at the latest; nil: never.
    public var end: Duration? { time }
}

/// An arena that plays what an allowance bears; the rest is discarded as if somebody had stopped it.
public struct AllowedArena: Arena {
    private let arena: any Arena
    let allowance: Allowance

    public init(_ arena: any Arena, _ allowance: Allowance) {
        self.arena = arena
        self.allowance = allowance
    }

    public func play(_ schedules: [Schedule]) async -> [TrialResult] {
        await play(schedules, in: .crowd)
    }

    public func play(_ schedules: [Schedule], in company: Isolation) async -> [TrialResult] {
        let granted = allowance.take(schedules.count)
        let played = await arena.play(Array(schedules.prefix(granted)), in: company)
        return played
            + schedules.dropFirst(granted).map { TrialResult(schedule: $0, discarded: .stopped) }
    }

    public var isolatesTrials: Bool { arena.isolatesTrials }
}
