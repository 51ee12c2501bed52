import Dialects
import Statistics
import Testing

@testable import Rigs

@Suite("The parts of shards")
struct ShardPlanTests {
    struct PlannedRig: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var lines: String
        var load: String
        var target = "{base: embedded}"
    }

    /// Loads of every kind, and what makes households depend on one another.
    static let rigs = [
        PlannedRig(testDescription: "open, even", lines: PlanTests.lines, load: PlanTests.open),
        PlannedRig(
            testDescription: "open, poisson, with households that sign in before the load",
            lines: "kinds: [{name: a, returning: 40%}]",
            load: "{arrivals: [{ramp-to: 40/s, over: 4s}, {hold: 3s}], spacing: poisson}"),
        PlannedRig(
            testDescription: "once, homes of two",
            lines: """
                kinds:
                  - {name: a, weight: 3, first-screen: roku, single-sign-on: {shared-with: device}}
                  - {name: b, second-screens: 2}
                """, load: "{closed: {households: 101}}",
            target: "{base: embedded, protocol: adobe-pass-v2}"),
        PlannedRig(
            testDescription: "closed for a time", lines: PlanTests.lines,
            load: "{closed: {households: 37, for: 5m}}"),
    ]

    /// Of a closed load as many as so many rounds begin.
    static func households(_ plan: Plan, rounds: Int = 3) -> [HouseholdPlan] {
        let count = plan.households ?? (plan.atOnce ?? 0) * rounds
        return (0..<count).compactMap { plan.household($0) }
    }

    @Test(
        "are together the whole plan exactly, whatever their number, and share nothing",
        arguments: rigs, Seed.samples(6))
    func union(planned: PlannedRig, seed: Seed) throws {
        let rig = try Rig.sample(planned.lines, load: planned.load, target: planned.target)
        let whole = Plan(rig, seed: seed, run: RunID(named: "premiere"))
        var dice = seed.generator()
        for count in [1, 2, 8, 2 + dice.below(60), 150] {
            let parts = (0..<count).map { whole.part(Shard($0, of: count)) }
            let together = parts.flatMap { Self.households($0) }.sorted { $0.index < $1.index }
            if whole.households != nil {
                #expect(together == Self.households(whole))
            } else {
                #expect(parts.reduce(0) { $0 + ($1.atOnce ?? 0) } == whole.atOnce)
                #expect(together.allSatisfy { whole.household($0.index) == $0 })
                // The first of each slot are the first of the whole.
                let first = parts.flatMap { Self.households($0, rounds: 1) }.map(\.index).sorted()
                #expect(first == Array(0..<(whole.atOnce ?? 0)))
            }
            #expect(Set(together.map(\.index)).count == together.count)
            let devices = together.flatMap { [$0.firstScreen] + $0.secondScreens }
            let shared = together.count { $0.home?.isFirst == false }
            #expect(Set(devices.map(\.id)).count == devices.count)
            #expect(Set(together.map(\.pollSeed)).count == together.count)
            #expect(Set(together.map(\.account.user)).count == together.count - shared)
            // No home is in two parts.
            let homes = parts.map { Set(Self.households($0).compactMap(\.home?.first)) }
            #expect(
                homes.reduce(0) { $0 + $1.count }
                    == homes.reduce(into: Set()) { $0.formUnion($1) }.count)
            // No address is in two parts.
            let addresses = parts.map {
                Set(Self.households($0).compactMap(\.firstScreen.forwardedFor))
            }
            #expect(
                addresses.reduce(0) { $0 + $1.count }
                    == addresses.reduce(into: Set()) { $0.formUnion($1) }.count)
        }
    }

    @Test("a part is the same for everyone who has the run's id, and another one's for others")
    func sameRun() throws {
        let rig = try Rig.sample("identities: per-run\n" + PlanTests.lines, load: PlanTests.open)
        let shard = Shard(3, of: 8)
        func part(_ run: String) -> [HouseholdPlan] {
            Self.households(Plan(rig, seed: Seed(5), run: RunID(named: run)).part(shard))
        }
        #expect(part("a") == part("a"))
        #expect(
            Set(part("a").map(\.firstScreen.id)).isDisjoint(with: part("b").map(\.firstScreen.id)))
    }

    @Test("a part has its share of the arrivals, and of what an estimate says of them")
    func estimate() throws {
        let rig = try Rig.sample(PlanTests.lines, load: PlanTests.open)
        let whole = Plan(rig, seed: Seed(5))
        let machine = MachineLimits(
            descriptors: 100_000, descriptorsAtMost: 100_000, ports: 28_000, cores: 2)
        let all = PlanEstimate(whole, on: machine)
        let part = PlanEstimate(whole.part(Shard(1, of: 4)), on: machine)
        #expect(part.households == 250 && all.households == 1_000)
        #expect(abs(part.peakArrivals * 4 - all.peakArrivals) < 1e-9)
        #expect(abs(part.alive * 4 - all.alive) < 1e-6)
    }

    // MARK: Accounts

    private static func accounts(_ numbers: [(String, Int)]) -> AccountList {
        let entries = numbers.flatMap { mvpd, count in
            (0..<count).map { number in
                AccountList.Entry(
                    mvpd: mvpd, account: Account(user: "\(mvpd)-\(number)", password: Secret("x")),
                    place: "accounts.csv:\(number)")
            }
        }
        return AccountList(file: "accounts.csv", entries: entries)
    }

    @Test("a file of accounts is dealt out without overlap, and without a rest", arguments: 1...9)
    func dealt(count: Int) {
        let file = Self.accounts([("DemoCable", 30), ("DemoSat", 11), ("DemoTel", 9)])
        let parts = (0..<count).map { file.part(Shard($0, of: count)) }
        let together = parts.flatMap(\.entries)
        #expect(together.count == 50)
        #expect(Set(together) == Set(file.entries))
        for part in parts {
            for (mvpd, all) in file.providers {
                let own = part.entries.count { $0.mvpd == mvpd }
                #expect(own == all / count || own == all / count + 1)
            }
            // The same weights as in the whole file, so that a household chooses the same provider.
            #expect(part.providers.map(\.mvpd) == file.providers.map(\.mvpd))
            #expect(part.providers.map(\.accounts) == file.providers.map(\.accounts))
        }
    }

    @Test("a provider with fewer accounts than shards is named")
    func shortage() {
        let file = Self.accounts([("DemoCable", 30), ("DemoSat", 7)])
        #expect(file.shortage(for: 7) == nil)
        #expect(file.shortage(for: 8)?.mvpd == "DemoSat")
        #expect(file.shortage(for: 8)?.accounts == 7)
    }

    // MARK: Restarts

    @Test(
        "without households that were begun, a plan has the others, each where it was",
        arguments: rigs, Seed.samples(4))
    func rest(planned: PlannedRig, seed: Seed) throws {
        let rig = try Rig.sample(planned.lines, load: planned.load, target: planned.target)
        let part = Plan(rig, seed: seed).part(Shard(1, of: 3))
        let all = Self.households(part)
        var dice = seed.generator()
        let begun = all.filter { _ in dice.chance(0.4) }.map(\.index)
        let rest = part.without(begun: begun)
        let left = all.indices.filter { !rest.isBegun($0) }.compactMap { rest.household($0) }
        let homes = Set(begun.map { $0 / rig.householdsOfHome })
        #expect(left == all.filter { !homes.contains($0.index / rig.householdsOfHome) })
        if part.households != nil {
            #expect(rest.householdsLeft == left.count)
            let begins = left.map { $0.preparation ?? $0.arrival ?? .zero }.min()
            #expect(rest.firstLeft == begins)
        }
        // Lanes know of them as well.
        let lanes = (0..<2).map { rest.part($0, of: 2) }
        let onLanes = lanes.flatMap { lane in
            (0..<(lane.households ?? all.count)).filter { !lane.isBegun($0) }.map(lane.index(of:))
        }
        #expect(Set(onLanes).isSuperset(of: left.map(\.index)))
        #expect(Set(onLanes).isDisjoint(with: begun))
        let none = part.without(begun: all.map(\.index))
        if part.households != nil { #expect(none.householdsLeft == 0 && none.firstLeft == nil) }
    }

    @Test("preflights of shards fill no two times the same buckets")
    func spare() throws {
        let rig = try Rig.sample(PlanTests.lines, load: PlanTests.open)
        let plan = Plan(rig, seed: Seed(5), run: RunID(named: "premiere"))
        let used = Set(Self.households(plan).compactMap(\.firstScreen.forwardedFor))
        let spare = (0..<40).flatMap { plan.spareAddresses(salt: 99, for: Shard($0, of: 40)) }
        #expect(Set(spare).count == 80)
        #expect(used.isDisjoint(with: spare))
    }
}
