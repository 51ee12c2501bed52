import Journal
import Races
import Statistics
import Synchronization
import Vocabulary

/// An arena whose truth is known: a rule says how often a schedule breaks what. Each answer comes
/// from the seed.
final class SyntheticArena: Arena {
    typealias Rule = @Sendable (Schedule) -> [Invariant: Double]

    private let rule: Rule
    private let dice: Mutex<Dice>
    private let log = Mutex<[Schedule]>([])
    private let source: PromiseSource?
    private let unplayable: @Sendable (Schedule) -> TrialResult.Discard?

    init(
        seed: Seed = Seed(1), source: PromiseSource? = nil,
        unplayable: @escaping @Sendable (Schedule) -> TrialResult.Discard? = { _ in nil },
        _ rule: @escaping Rule
    ) {
        self.rule = rule
        self.source = source
        self.unplayable = unplayable
        dice = Mutex(seed.generator())
    }

    var played: [Schedule] { log.withLock { $0 } }

    func play(_ schedules: [Schedule]) async -> [TrialResult] {
        log.withLock { $0 += schedules }
        return schedules.map(result)
    }

    private func result(_ schedule: Schedule) -> TrialResult {
        var result = TrialResult(schedule: schedule, households: [17])
        result.discarded = unplayable(schedule)
        guard result.discarded == nil else { return result }
        for (invariant, chance) in rule(schedule).sorted(by: { $0.key < $1.key })
        where dice.withLock({ $0.chance(chance) }) {
            result.breaches.append(
                Breach(
                    invariant, source: source, sentence: "\(invariant.name) broke", household: 17))
        }
        result.releases = schedule.ops.enumerated().map { position, op in
            TrialResult.ReleaseTime(
                op: op.id, sent: Instant(nanoseconds: Int64(position) * 1_000_000),
                sequence: position + 1, offset: op.anchor == nil ? nil : op.offset)
        }
        return result
    }
}

extension Schedule {
    /// Six ops of two living rooms, of which three break `sign-in-visible` when the poll comes within
    /// 0 to 30 ms after the check.
    static var noisy: Schedule {
        Schedule(
            plan: "poll-authenticate",
            actors: [
                Actor(name: "tv", screen: .first), Actor(name: "tv-2", screen: .first),
                Actor(name: "phone", screen: .second),
                Actor(name: "other-tv", screen: .first, household: 1),
            ],
            ops: [
                Op("create", "tv", .registrationCode),
                Op("bystander", "other-tv", .registrationCode),
                Op("record", "phone", .registrationRecord),
                Op("sign-in", "phone", .authenticate, args: [Arg("account", "1")]),
                Op("early", "tv-2", .pollToken),
                Op("check", "phone", .checkCode, gate: .lastByte),
                Op(
                    "poll", "tv-2", .pollToken, anchor: Anchor(.firstReplyByte, of: "check"),
                    offset: .microseconds(13_370), gate: .lastByte),
            ], codeLifetime: .seconds(60))
    }

    var hasCore: Bool {
        ["create", "sign-in", "poll"].allSatisfy { self[op: $0] != nil }
    }
}
