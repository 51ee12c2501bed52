import Dialects
import Statistics
import Testing

@testable import Rigs

@Suite("Forwarded addresses")
struct ForwardedAddressTests {
    private static let endless = "{closed: {households: 1, for: 1s}}"

    private static func plan(
        _ lines: String, load: String = endless, run: RunID? = nil, file: String? = nil
    ) throws -> Plan {
        let surroundings = RigSurroundings(contents: { _ in file })
        return Plan(try Rig.sample(lines, load: load, with: surroundings), seed: Seed(5), run: run)
    }

    private static func addresses(_ household: HouseholdPlan?) -> [String?] {
        household.map { [$0.firstScreen.forwardedFor] + $0.secondScreens.map(\.forwardedFor) } ?? []
    }

    /// 198.18.0.0/15, or 2001:db8::/32.
    private static func isForTests(_ address: String) -> Bool {
        ["198.18.", "198.19.", "2001:db8:"].contains { address.hasPrefix($0) }
    }

    @Test("by default the screens of a household have one address, which no other household has")
    func perHousehold() throws {
        let plan = try Self.plan("identities: by-seed\nkinds: [{name: a, second-screens: 2}]")
        #expect(Self.addresses(plan.household(0)) == Array(repeating: "198.18.0.1", count: 3))
        #expect(
            Self.addresses(plan.household(131_070)) == Array(repeating: "198.19.255.255", count: 3))
        #expect(plan.household(131_071)?.firstScreen.forwardedFor == "198.18.0.0")
        // From there on a /64 for each home.
        #expect(plan.household(131_072)?.firstScreen.forwardedFor == "2001:db8:0:1::1")
        #expect(plan.household(131_072 + 65_535)?.firstScreen.forwardedFor == "2001:db8:1::1")
    }

    @Test("each device has one of its own where the rig says so, and none where it says that")
    func perDevice() throws {
        let plan = try Self.plan(
            "identities: by-seed\nforwarded-for: per-device\nkinds: [{name: a}, {name: b, second-screens: 2}]"
        )
        let devices = (0..<200).flatMap { Self.addresses(plan.household($0)) }.compactMap(\.self)
        #expect(Set(devices).count == devices.count)
        #expect(devices.allSatisfy(Self.isForTests))
        #expect(Self.addresses(try Self.plan("forwarded-for: none").household(0)) == [nil, nil])
    }

    @Test(
        "addresses are the run's, or with by-seed the seed's; no two homes of a run share one, beyond 131,072 of them"
    )
    func runs() throws {
        var first: Set<String> = []
        for seed in Seed.samples(50) {
            let plan = try Self.plan("identities: per-run", run: RunID(of: seed))
            let all = (0..<500).compactMap { plan.household($0 * 600)?.firstScreen.forwardedFor }
            first.insert(all[0])
            #expect(Set(all).count == 500)
            #expect(all.allSatisfy(Self.isForTests))
        }
        #expect(first.count == 50)
        let (a, b) = (RunID(of: Seed(1)), RunID(of: Seed(2)))
        for line in ["", "forwarded-for: [203.0.113.0/24]\n"] {
            let seeds = try [a, b].map {
                try Self.plan(line + "identities: by-seed", run: $0).household(3)
            }
            #expect(seeds[0]?.firstScreen.forwardedFor == seeds[1]?.firstScreen.forwardedFor)
            let runs = try [a, b].map {
                try Self.plan(line + "identities: per-run", run: $0).household(3)
            }
            #expect(runs[0]?.firstScreen.forwardedFor != runs[1]?.firstScreen.forwardedFor)
        }
    }

    @Test("parts of a plan give no address twice, and the same as the whole", arguments: 1...5)
    func parts(count: Int) throws {
        let whole = try Self.plan("kinds: [{name: a}]", load: "{closed: {households: 300}}")
        var seen: [String: Int] = [:]
        for part in (0..<count).map({ whole.part($0, of: count) }) {
            for position in 0..<(part.households ?? 0) {
                let household = try #require(part.household(position))
                let address = try #require(household.firstScreen.forwardedFor)
                #expect(seen.updateValue(household.index, forKey: address) == nil)
                #expect(whole.household(household.index)?.firstScreen.forwardedFor == address)
            }
        }
        #expect(seen.count == 300)
    }

    @Test("households that share a sign-in are one home, and have one address")
    func joined() throws {
        let kind = "{name: a, first-screen: roku, single-sign-on: {shared-with: device}}"
        let lines =
            "identities: by-seed\nkinds: [\(kind)]\nforwarded-for: [203.0.113.8/31]"
        let rig = try Rig.sample(
            lines, load: "{closed: {households: 4}}",
            target: "{base: embedded, protocol: adobe-pass-v2}")
        let plan = Plan(rig, seed: Seed(5))
        let homes = (0..<4).map { plan.household($0)?.firstScreen.forwardedFor }
        #expect(homes == ["203.0.113.8", "203.0.113.8", "203.0.113.9", "203.0.113.9"])
        #expect(rig.householdsOfHome == 2)
        #expect(!rig.repeatsAddresses)
    }

    @Test(
        "homes have the addresses of ranges and files in their order, and then again",
        arguments: [
            (
                "[203.0.113.254/31, 198.51.100.7]",
                ["203.0.113.254", "203.0.113.255", "198.51.100.7", "203.0.113.254"]
            ),
            ("[\"2001:db8:1::/63\"]", ["2001:db8:1::1", "2001:db8:1:1::1", "2001:db8:1::1"]),
            ("[\"2001:db8::fe/127\"]", ["2001:db8::fe", "2001:db8::ff", "2001:db8::fe"]),
            ("{file: ips.txt}", ["192.0.2.1", "2001:db8::9", "192.0.2.1"]),
        ] as [(String, [String])])
    func listed(text: String, expected: [String]) throws {
        let plan = try Self.plan(
            "identities: by-seed\nforwarded-for: \(text)",
            file: "# homes\n192.0.2.1   # first\n\n2001:db8::9\r\n")
        for (index, address) in expected.enumerated() {
            #expect(Self.addresses(plan.household(index)) == [address, address])
        }
        #expect(plan.rig.repeatsAddresses)
    }

    @Test(
        "more homes at a time than addresses are refused, with the remedy",
        arguments: [
            ("{closed: {households: 3}}", "[192.0.2.0/31]", "for 3 homes at a time"),
            ("{closed: {households: 300, for: 1m}}", "[192.0.2.0/24]", "for 300 homes at a time"),
            (
                "{arrivals: [{ramp-to: 50/s, over: 0s}, {hold: 60s}]}", "[192.0.2.0/25]",
                "homes at a time"
            ),
            ("{closed: {households: 2}}", "{file: ips.txt}", "1 address for 2 homes"),
        ])
    func tooMany(load: String, addresses: String, words: String) throws {
        do {
            _ = try Self.plan("forwarded-for: \(addresses)", load: load, file: "192.0.2.1\n")
            Issue.record("it was taken")
        } catch let errors as RigErrors {
            #expect(errors.description.contains(words))
            #expect(errors.description.contains("write per-household, which has enough"))
        }
    }

    @Test("as many homes as addresses are taken")
    func enough() throws {
        _ = try Self.plan("forwarded-for: [192.0.2.0/31]", load: "{closed: {households: 2}}")
        _ = try Self.plan(
            "forwarded-for: [192.0.2.0/24]",
            load: "{arrivals: [{ramp-to: 1/s, over: 0s}, {hold: 1m}]}")
    }

    @Test(
        "a file with a mistake is refused with the line",
        arguments: [
            ("192.0.2.1\nhome\n", "ips.txt:2: 'home' is no address"),
            ("192.0.2.1\n192.0.2.0/24\n", "ips.txt:2: '192.0.2.0/24' is a range"),
            ("192.0.2.1\n# two\n192.0.2.1\n", "ips.txt:3: duplicate of the address in line 1"),
            ("# nothing\n", "ips.txt:1: the file has no address"),
        ])
    func mistakes(text: String, words: String) throws {
        do {
            _ = try Self.plan("forwarded-for: {file: ips.txt}", file: text)
            Issue.record("it was taken")
        } catch let errors as RigErrors {
            #expect(errors.description.contains(words), "\(errors)")
        }
    }

    @Test("a preflight has addresses of no home, as far as there are such")
    func spare() throws {
        for run in Seed.samples(20).map(RunID.init(of:)) {
            let plan = try Self.plan(
                "forwarded-for: [192.0.2.0/29]", load: "{closed: {households: 6}}", run: run)
            let homes = (0..<6).compactMap { plan.household($0)?.firstScreen.forwardedFor }
            let spare = plan.spareAddresses(salt: run.low)
            #expect(Set(homes + spare).count == 8)
            let full = try Self.plan(
                "forwarded-for: [203.0.113.0/31]", load: "{closed: {households: 2}}", run: run)
            #expect(full.spareAddresses(salt: run.low).allSatisfy { !$0.hasPrefix("203.") })
        }
        #expect(try Self.plan("forwarded-for: none").spareAddresses(salt: 1) == [])
    }

    @Test("people who lose no time have an address for each device; other choices stay")
    func hurried() throws {
        let rig = try Rig.sample("seed: 1")
        #expect(rig.forwardedFor == .perHousehold)
        #expect(rig.racing(phones: 2).forwardedFor == .perDevice)
        #expect(rig.trial()?.forwardedFor == .perDevice)
        #expect(try Rig.sample("forwarded-for: none").racing(phones: 1).forwardedFor == .none)
    }
}
