import Foundation
import Statistics
import Testing

@testable import Rigs

@Suite("Plans")
struct PlanTests {
    static let lines = """
        seed: 5
        kinds:
          - {name: living room, weight: 80}
          - {name: bedroom, weight: 20, second-screens: 2, viewer: {gives-up: 50%}}
        code: {new-code: 10%}
        after-sign-in: [user-metadata, {watch: "uniform(1s, 3s)"}, {logout: 20%}, authorize, {again: 10%}]
        """
    static let open = "{arrivals: [{ramp-to: 50/s, over: 0s}, {hold: 20s}]}"

    static func plan(
        _ lines: String = lines, load: String = open, run: RunID? = nil, seed: UInt64 = 5
    ) throws -> Plan {
        Plan(try Rig.sample(lines, load: load), seed: Seed(seed), run: run)
    }

    static func all(_ plan: Plan) -> [HouseholdPlan] {
        (0..<(plan.households ?? 0)).compactMap { plan.household($0) }
    }

    @Test("the same rig, seed and run give the same households; another seed others")
    func repeatable() throws {
        let households = Self.all(try Self.plan())
        #expect(households.count == 1_000)
        #expect(households == Self.all(try Self.plan()))
        let other = Self.all(try Self.plan(seed: 6))
        #expect(zip(households, other).count { $0.viewer == $1.viewer } < 10)
    }

    @Test("parts are disjoint, together the whole, and change no household", arguments: 1...7)
    func parts(count: Int) throws {
        for load in [Self.open, "{closed: {households: 101}}"] {
            let whole = try Self.plan(load: load)
            let parts = (0..<count).map { whole.part($0, of: count) }
            #expect(parts.reduce(0) { $0 + ($1.households ?? 0) } == whole.households)
            let together = parts.flatMap { Self.all($0) }.sorted { $0.index < $1.index }
            #expect(together == Self.all(whole))
            for part in parts {
                #expect(part.household(part.households ?? 0) == nil)
                #expect(part.household(-1) == nil)
            }
        }
    }

    @Test(
        "who returns from before signs in ahead of the load, in the order of the plan; parts agree")
    func preparation() throws {
        let lines = "kinds: [{name: a, returning: 40%}]\npolling: {every: 5s}"
        let whole = try Self.plan(lines)
        // 400 at the load's peak of 50/s, and one sign-in.
        #expect(whole.preparation == .seconds(21))
        let households = Self.all(whole)
        let times = households.compactMap(\.preparation)
        #expect((350...450).contains(times.count))
        #expect(times == times.sorted() && times.allSatisfy { $0 < .seconds(8) })
        #expect(households.first?.arrival == .seconds(21))
        #expect(whole.arrivalsEnd == .seconds(41))
        let parts = (0..<3).flatMap { Self.all(whole.part($0, of: 3)) }
        #expect(parts.sorted { $0.index < $1.index } == households)
        // A household that leaves within the run comes when the load says so.
        let within = try Self.plan("kinds: [{name: a, returning: {share: 40%, away: 60s}}]")
        #expect(
            within.preparation == .zero && Self.all(within).allSatisfy { $0.preparation == nil })
    }

    @Test("a part can be parted again: machines first, then lanes")
    func partsOfParts() throws {
        let whole = try Self.plan()
        let pieces = (0..<3).flatMap { machine in
            (0..<2).flatMap { Self.all(whole.part(machine, of: 3).part($0, of: 2)) }
        }
        #expect(pieces.sorted { $0.index < $1.index } == Self.all(whole))
    }

    @Test("each part has its share of every second")
    func evenParts() throws {
        let whole = try Self.plan()
        for k in 0..<4 {
            let part = Self.all(whole.part(k, of: 4))
            let early = part.count { ($0.arrival ?? .zero) < .seconds(1) }
            #expect((12...13).contains(early))
        }
    }

    @Test("under closed load for a time there is always another, and each part has its own slots")
    func closed() throws {
        let whole = try Self.plan(load: "{closed: {households: 10, for: 5m}}")
        #expect(whole.households == nil)
        #expect(whole.atOnce == 10)
        #expect(whole.household(123_456)?.arrival == nil)
        #expect((0..<3).compactMap { whole.part($0, of: 3).atOnce } == [4, 3, 3])
        #expect(whole.part(1, of: 3).household(2)?.index == 7)
        #expect(whole.arrivalsEnd == .seconds(300))
    }

    @Test("each living once, all come at the start")
    func once() throws {
        let plan = try Self.plan(load: "{closed: {households: 10}}")
        #expect(Self.all(plan).map(\.arrival) == Array(repeating: .zero, count: 10))
        #expect(plan.atOnce == nil)
    }

    @Test("no two devices share an id or an address, no two viewers an account")
    func unique() throws {
        let households = Self.all(try Self.plan())
        let devices = households.flatMap { [$0.firstScreen] + $0.secondScreens }
        #expect(Set(devices.map(\.id)).count == devices.count)
        #expect(Set(households.map(\.account.user)).count == households.count)
        #expect(devices.allSatisfy { $0.id.count == 32 && !$0.id.contains("-") })
    }

    @Test("identities are the run's, or with by-seed the seed's")
    func identities() throws {
        let (a, b) = (RunID(of: Seed(1)), RunID(of: Seed(2)))
        func identity(_ lines: String, _ run: RunID, _ seed: UInt64 = 5) throws -> [String] {
            let household = try #require(try Self.plan(lines, run: run, seed: seed).household(3))
            return [
                household.firstScreen.id, household.account.user,
                household.firstScreen.forwardedFor ?? "",
            ]
        }
        let perRun = try identity("identities: per-run", a)
        #expect(try zip(perRun, identity("identities: per-run", b)).allSatisfy { $0 != $1 })
        #expect(try perRun == identity("identities: per-run", a))
        #expect(try perRun[0] != identity("identities: per-run", a, 6)[0])
        #expect(try identity("identities: by-seed", a) == identity("identities: by-seed", b))
        #expect(try identity("identities: by-seed", a) != identity("identities: by-seed", a, 6))
        #expect(perRun[1] == "viewer-\(a.description.prefix(16))-3")
        #expect(try identity("identities: by-seed", a)[1] == "viewer-5-3")
        // The rest of a household's script is the seed's in any case.
        let one = try Self.plan("identities: per-run", run: a).household(3)
        let other = try Self.plan("identities: per-run", run: b).household(3)
        #expect(one?.viewer == other?.viewer)
    }

    @Test("each of the 128 bits of a run's id changes its devices")
    func bits() throws {
        let zero = String(repeating: "0", count: 32)
        var ids: Set<String> = []
        for place in zero.indices {
            for digit in ["1", "2", "4", "8"] {
                let text = zero.replacingCharacters(in: place...place, with: digit)
                let run = try #require(RunID(text))
                let household = try Self.plan("identities: per-run", run: run).household(0)
                ids.insert(try #require(household).firstScreen.id)
            }
        }
        #expect(ids.count == 128)
    }

    @Test("weights and shares hold in a thousand households")
    func shares() throws {
        let households = Self.all(try Self.plan())
        let bedrooms = households.filter { $0.kind.name == "bedroom" }
        #expect((150...250).contains(bedrooms.count))
        #expect(bedrooms.allSatisfy { $0.secondScreens.count == 2 })
        let gone = bedrooms.count { $0.viewer.givesUp }
        #expect(abs(Double(gone) / Double(bedrooms.count) - 0.5) < 0.12)
        #expect((60...145).contains(households.count { $0.asksForNewCode }))
        #expect((150...250).contains(households.count { $0.activities.contains(.logout) }))
        #expect((60...145).contains(households.count { $0.activities.last == .again }))
    }

    @Test("after a logout nothing follows but signing in again, which ends the list")
    func activities() throws {
        for household in Self.all(try Self.plan()) {
            let activities = household.activities
            #expect(activities.first == .ask(.userMetadata))
            if let logout = activities.firstIndex(of: .logout) {
                #expect(activities[(logout + 1)...].allSatisfy { $0 == .again })
            } else {
                #expect(activities.contains(.ask(.authorize)))
            }
            #expect(activities.count { $0 == .again } <= 1)
        }
    }

    @Test("one more share moves no other choice")
    func independence() throws {
        let plain = Self.all(try Self.plan("kinds: [{name: a, viewer: {gives-up: 0%}}]"))
        let other = Self.all(
            try Self.plan("kinds: [{name: a, viewer: {gives-up: 50%}}]\ncode: {new-code: 50%}"))
        for (one, two) in zip(plain, other) {
            #expect(one.viewer.noticesCode == two.viewer.noticesCode)
            #expect(one.viewer.signsIn == two.viewer.signsIn)
            #expect(one.pollSeed == two.pollSeed)
            #expect(one.firstScreen == two.firstScreen)
        }
    }
}
