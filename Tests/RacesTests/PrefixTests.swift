import Statistics
import Testing

@testable import Races

@Suite struct PrefixTests {
    /// A poll that breaks it within 30 ms after the sign-in, wherever the check is.
    private func prefixes(_ offset: Duration) throws -> Prefixes {
        let plan = try #require(RacePlan.named("poll-authenticate"))
        return Prefixes(
            schedule: plan.variants[0].at(offset), invariant: .signInVisible,
            reach: .milliseconds(200), seed: Seed(5))
    }

    @Test("the op with which the rate jumps is the one that decides it")
    func decisive() async throws {
        let prefixes = try prefixes(.milliseconds(15))
        // In the order of time, not of the schedule.
        #expect(prefixes.movable == ["check", "poll", "poll-2"])
        let arena = RuleArena { offset, _ in
            offset >= .zero && offset <= .milliseconds(30)
        }
        var made = Case.sample
        made.prefixes = await prefixes.play(in: arena, trials: 40)
        #expect(made.prefixes.map(\.op) == ["", "check", "poll", "poll-2"])
        #expect(made.prefixes.map(\.rate.trials) == [40, 40, 40, 40])
        #expect(made.prefixes[0].rate.share < 0.3 && made.prefixes[1].rate.share < 0.3)
        #expect(made.prefixes[2].rate.share == 1 && made.prefixes[3].rate.share == 1)
        #expect(made.decisive == "poll")
    }

    @Test("where times make no difference, no op decides it; a schedule without times has no curve")
    func indifferent() async throws {
        var made = Case.sample
        made.prefixes = try await prefixes(.zero).play(in: RuleArena { _, _ in true }, trials: 5)
        #expect(made.decisive == nil)
        var plain = try prefixes(.zero)
        plain = Prefixes(
            schedule: Schedule(plan: "p", actors: [], ops: [.init("create", "tv", .logout)]),
            invariant: plain.invariant, reach: plain.reach, seed: plain.seed)
        #expect(await plain.play(in: RuleArena { _, _ in true }) == [])
    }

    @Test("the curve is in the file and on the page, and survives reading")
    func written() throws {
        var made = Case.sample
        made.prefixes = [
            .init(op: "", rate: HitRate(hits: 2, trials: 20)),
            .init(op: "poll", rate: HitRate(hits: 20, trials: 20)),
        ]
        let again = try Case(Array(made.json.utf8), file: "a.json")
        #expect(again.prefixes == made.prefixes)
        let page = made.page(replaying: "a.json")
        #expect(page.contains("poll decides it"))
        #expect(page.contains("no request keeps its time"))
        // Cases that were made before have none.
        let old = made.json.replacing("\"prefixes\"", with: "\"formerly\"")
        #expect(try Case(Array(old.utf8), file: "a.json").prefixes == [])
    }
}
