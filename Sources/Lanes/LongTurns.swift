public import Journal

/// Turns of lanes that take seconds: what a watchdog says of them, once for each. A pure value.
public struct LongTurns: Sendable {
    public init() {}

    /// What was said, in words for the user.
    public private(set) var sentences: [String] = []
    /// When the last of each lane that was told began.
    private var told: [Int: Int64] = [:]

    /// A lane that is busy for longer keeps all its devices waiting, in nanoseconds.
    static let limit: Int64 = 2_000_000_000
    /// A lane that is too slow as a whole is no news each time.
    private static let most = 5

    /// What is new in `turns` at `now`, nanoseconds of the monotonic clock.
    public mutating func look(_ turns: [LaneTurn], at now: Int64) -> [String] {
        let new = turns.filter { turn in
            turn.phase != .waiting && turn.began > 0 && now - turn.began >= Self.limit
                && told[turn.lane] != turn.began
        }
        let said = new.prefix(Self.most - min(Self.most, sentences.count)).map { turn in
            told[turn.lane] = turn.began
            return "\(turn.sentence) for at least \((now - turn.began) / 1_000_000_000) s"
        }
        sentences += said
        return said
    }

    /// The run ends without those that do not come to rest.
    public mutating func giveUp(_ turns: [LaneTurn]) {
        let busy = turns.filter { $0.phase != .waiting }
        for turn in busy.isEmpty ? turns : busy {
            sentences.append(
                "the run was ended without waiting for lane \(turn.lane): \(turn.sentence)")
        }
    }
}
