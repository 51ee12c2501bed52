import Races
import Statistics
import Testing
import Vocabulary

@Suite("The shrinker")
struct ShrinkerTests {
    static let window = RaceFinding.Window(low: .zero, high: .milliseconds(30))

    /// A service whose fault needs a code, a sign-in, and a poll within the window.
    static func faulty(_ schedule: Schedule) -> [Invariant: Double] {
        guard schedule.hasCore, let poll = schedule[op: "poll"] else { return [:] }
        let isWithin = (.zero ... .milliseconds(30)).contains(poll.offset)
        return [.signInVisible: isWithin ? 0.9 : 0.01]
    }

    static func budget(_ replays: Int = 600) -> Shrinker.Budget {
        Shrinker.Budget(replays: replays, clock: { .zero })
    }

    @Test("what has no part in it goes, whatever the dice say", arguments: Seed.samples(30))
    func shrinks(seed: Seed) async {
        let arena = SyntheticArena(seed: seed, Self.faulty)
        var shrinker = Shrinker(
            of: .signInVisible, on: arena, peak: 0.9, window: Self.window, swept: "poll",
            pinned: ["poll"], budget: Self.budget())
        let outcome = await shrinker.shrink(.noisy)
        let ids = outcome.schedule.ops.map(\.id)
        #expect(ids.contains("create") && ids.contains("sign-in") && ids.contains("poll"))
        #expect(ids.count <= 4, "\(ids)")
        #expect(!outcome.schedule.actors.contains { $0.household == 1 })
        #expect(outcome.schedule.ops.allSatisfy { $0.args.isEmpty && $0.connection == .fresh })
        #expect(outcome.schedule.codeLifetime == nil)
    }

    @Test("most of the time nothing is left that could go, and the rows say so")
    func minimal() async {
        var exact = 0
        for seed in Seed.samples(40) {
            let arena = SyntheticArena(seed: seed, Self.faulty)
            var shrinker = Shrinker(
                of: .signInVisible, on: arena, peak: 0.9, window: Self.window, swept: "poll",
                budget: Self.budget())
            let outcome = await shrinker.shrink(.noisy)
            exact += outcome.schedule.ops.count == 3 && outcome.isMinimal ? 1 : 0
            if outcome.isMinimal {
                #expect(outcome.almost.map(\.without) == outcome.schedule.ops.map(\.id))
                #expect(
                    outcome.almost.allSatisfy {
                        $0.rate.trials >= 4 && $0.rate.share < 0.45 || !$0.note.isEmpty
                    })
            }
        }
        #expect(exact >= 34, "\(exact) of 40")
    }

    @Test("the swept offset ends in the middle of its window, as a round number")
    func centred() async {
        let arena = SyntheticArena { _ in [.signInVisible: 1] }
        var shrinker = Shrinker(
            of: .signInVisible, on: arena, peak: 1, window: Self.window, swept: "poll",
            pinned: Set(Schedule.noisy.ops.map(\.id)), budget: Self.budget())
        let outcome = await shrinker.shrink(.noisy)
        #expect(outcome.schedule[op: "poll"]?.offset == .milliseconds(15))
        #expect(outcome.removed.contains("offset of poll, now +15 ms"))
    }

    @Test("another promise is no success, and is kept as a finding of its own")
    func otherPromise() async {
        let arena = SyntheticArena { schedule in
            schedule[op: "early"] == nil
                ? [.tokenMonotonic: 1] : [.signInVisible: 1, .tokenMonotonic: 1]
        }
        var shrinker = Shrinker(
            of: .signInVisible, on: arena, peak: 1, swept: "poll", budget: Self.budget())
        let outcome = await shrinker.shrink(.noisy)
        #expect(outcome.schedule.ops.map(\.id) == ["early"])
        #expect(outcome.others.map(\.invariant) == [.tokenMonotonic])
        #expect(outcome.others.first?.schedule[op: "early"] == nil)
    }

    @Test("a rate that falls to a fifth is not accepted, one that falls to two thirds is")
    func rates() async {
        let arena = SyntheticArena { schedule in
            if schedule[op: "early"] == nil { return [.signInVisible: 0.12] }
            return [.signInVisible: schedule[op: "record"] == nil ? 0.55 : 0.8]
        }
        var kept = 0
        for seed in Seed.samples(20) {
            let arena = SyntheticArena(seed: seed) { schedule in
                if schedule[op: "early"] == nil { return [.signInVisible: 0.05] }
                return [.signInVisible: schedule[op: "record"] == nil ? 0.6 : 0.8]
            }
            var shrinker = Shrinker(
                of: .signInVisible, on: arena, peak: 0.8, swept: "poll", budget: Self.budget())
            let outcome = await shrinker.shrink(.noisy)
            kept += outcome.schedule.ops.map(\.id) == ["early"] ? 1 : 0
        }
        _ = arena
        #expect(kept >= 16, "\(kept) of 20")
    }

    @Test("it spends no more than it may, and says that it did not come to its end")
    func budget() async {
        let arena = SyntheticArena(Self.faulty)
        var shrinker = Shrinker(
            of: .signInVisible, on: arena, peak: 0.9, window: Self.window, swept: "poll",
            budget: Self.budget(12))
        let outcome = await shrinker.shrink(.noisy)
        #expect(outcome.replays <= 14)
        #expect(!outcome.isMinimal)
        #expect(arena.played.count == outcome.replays)
    }

    /// Breaks it in any company but `nobody`, where only what is in the schedule does.
    private struct Infectious: Arena {
        func play(_ schedules: [Schedule]) async -> [TrialResult] {
            await play(schedules, in: .crowd)
        }

        func play(_ schedules: [Schedule], in company: Isolation) async -> [TrialResult] {
            schedules.map { schedule in
                var result = TrialResult(schedule: schedule, households: [17])
                if company != .nobody || schedule.hasCore {
                    result.breaches = [Breach(.tokenIsolation, sentence: "a stranger's token")]
                }
                return result
            }
        }
    }

    @Test("what other trials infect is shrunk and replayed by itself")
    func company() async {
        var shrinker = Shrinker(
            of: .tokenIsolation, on: Infectious(), peak: 1, company: .nobody,
            budget: Self.budget())
        let outcome = await shrinker.shrink(.noisy)
        #expect(outcome.schedule.hasCore)
        var made = Case.sample
        made.expected = Case.Expected(.tokenIsolation)
        made.schedule.ops.removeAll { $0.id == "sign-in" }
        for (company, hits) in [(Isolation.nobody, 0), (.crowd, 8)] {
            made.company = company
            let rate = await Replay(made, on: Infectious()).play(times: 8).rate
            #expect(rate == HitRate(hits: hits, trials: 8))
        }
    }

    @Test("time runs out too")
    func time() async {
        let arena = SyntheticArena(Self.faulty)
        let ticks = Ticks()
        var shrinker = Shrinker(
            of: .signInVisible, on: arena, peak: 0.9,
            budget: Shrinker.Budget(replays: 1_000, time: .seconds(10), clock: { ticks.next() }))
        let outcome = await shrinker.shrink(.noisy)
        #expect(outcome.replays < 60)
    }

    @Test("what cannot be played without an op cannot go, with the reason")
    func unplayable() async {
        let arena = SyntheticArena(
            unplayable: { schedule in
                schedule[op: "create"] == nil
                    ? .setupFailed(op: "sign-in", "there is no code") : nil
            }, Self.faulty)
        var shrinker = Shrinker(
            of: .signInVisible, on: arena, peak: 0.9, window: Self.window, swept: "poll",
            budget: Self.budget())
        let outcome = await shrinker.shrink(.noisy)
        let row = outcome.almost.first { $0.without == "create" }
        #expect(row?.rate.trials == 0)
        #expect(row?.note == "sign-in could not be set up: there is no code")
    }

    @Test("the same answers, the same way", arguments: Seed.samples(3))
    func repeats(seed: Seed) async {
        var outcomes: [Shrinker.ShrinkOutcome] = []
        for _ in 0..<2 {
            let arena = SyntheticArena(seed: seed, Self.faulty)
            var shrinker = Shrinker(
                of: .signInVisible, on: arena, peak: 0.9, window: Self.window, swept: "poll",
                budget: Self.budget())
            outcomes.append(await shrinker.shrink(.noisy))
        }
        #expect(outcomes[0] == outcomes[1])
    }
}
