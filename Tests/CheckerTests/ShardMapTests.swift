import Testing
import Vocabulary

@testable import Checker

@Suite("Households of several shards")
struct ShardMapTests {
    /// Two shards, each on a machine of its own unless `clocks` says otherwise: household 6 is in shard 0, household 7
    /// in shard 1.
    private static func map(
        clocks: [Int64?], of parts: [Int] = [0, 1], targets: [Int] = [0, 0]
    ) -> ShardMap {
        ShardMap(
            count: 2, homeSize: 1,
            parts: (0..<2).map {
                ShardMap.Part(shard: $0, from: 0, target: targets[$0], clock: parts[$0])
            }, clocks: clocks)
    }

    /// One code for two households, whose lives overlap by 29 s.
    private static func twins(_ map: ShardMap?) -> Story {
        var story = Story()
        story.rules.shards = map
        story.code("AAAAAA1", at: 0, life: 60, in: 6)
        story.code("AAAAAA1", at: 30_000, life: 60, in: 7)
        return story
    }

    @Test(
        "code-unique is found across shards where no error of their clocks explains it",
        arguments: [
            (clocks: [1_000_000, 2_000_000], parts: [0, 1], finds: true),
            (clocks: [10_000_000_000, 10_000_000_000], parts: [0, 1], finds: true),
            (clocks: [20_000_000_000, 20_000_000_000], parts: [0, 1], finds: false),
            // Of one machine it is known, whatever its clock.
            (clocks: [20_000_000_000], parts: [0, 0], finds: true),
            (clocks: [nil], parts: [0, 0], finds: true),
            (clocks: [nil, 0], parts: [0, 1], finds: false),
        ] as [(clocks: [Int64?], parts: [Int], finds: Bool)])
    func twins(clocks: [Int64?], parts: [Int], finds: Bool) throws {
        let findings = Self.twins(Self.map(clocks: clocks, of: parts)).findings
        #expect(findings.violations.map(\.invariant) == (finds ? [.codeUnique] : []))
        #expect(findings[.codeUnique].checked == 2)
        let isUnknown = parts == [0, 1] && clocks.contains(nil)
        #expect(findings[.codeUnique].note.isEmpty == !isUnknown)
    }

    @Test(
        "the gap of such a violation is what is left when the clocks are as far apart as they may be"
    )
    func gap() throws {
        let whole = try #require(Self.twins(nil).findings.violations.first?.gap)
        let map = Self.map(clocks: [3_000_000_000, 4_000_000_000])
        let left = try #require(Self.twins(map).findings.violations.first?.gap)
        #expect(whole - left == 7_000_000_000)
    }

    /// A deletion by a device of one shard, and the same letters for another shard's right after it.
    @Test("what would explain an answer is looked for within the bound, too")
    func explained() {
        var story = Story()
        story.rules.shards = Self.map(clocks: [2_000_000_000, 2_000_000_000])
        story.code("AAAAAA1", at: 0, in: 6)
        story.tell(.tv, .deleteRegistration, at: 5_000, in: 6)
        // By its own clock the other device got them 3 s before.
        story.code("AAAAAA1", at: 2_000, in: 7)
        #expect(story.findings.violations.isEmpty)
        story.rules.shards = Self.map(clocks: [0, 0])
        #expect(story.findings.violations.map(\.invariant) == [.codeUnique])
    }

    @Test("each machine holds the service's clock against its own")
    func clocks() {
        var story = Story()
        // The second machine's clock is 10 s behind that of the first.
        for household in 0..<12 {
            let skew: Int64 = household.isMultiple(of: 2) ? 0 : 10_000
            story.code("AAAAA\(household)", at: Double(household) * 100, in: household, skew: skew)
        }
        #expect(story.findings.violations.allSatisfy { $0.invariant == .clockAgreement })
        #expect(!story.findings.violations.isEmpty)
        story.rules.shards = Self.map(clocks: [6_000_000_000, 6_000_000_000])
        #expect(story.findings.violations.isEmpty)
    }

    @Test("a household is in the attempt that ran when it lived")
    func attempts() {
        let map = ShardMap(
            count: 2, homeSize: 2,
            parts: [
                ShardMap.Part(shard: 0, from: 0, target: 0, clock: 0),
                ShardMap.Part(shard: 1, from: 5, target: 0, clock: 1),
                ShardMap.Part(shard: 1, from: 60, target: 1, clock: 2),
            ], clocks: [1, 2, nil])
        #expect(map.part(of: 4, at: 70).clock == 0 && map.part(of: 5, at: 70).clock == 0)
        #expect(map.part(of: 6, at: 59).clock == 1 && map.part(of: 7, at: 60).clock == 2)
        // Before its own beginning there is nothing else it may be in.
        #expect(map.part(of: 2, at: 0).clock == 1)
        #expect(map.targets == 2)
        #expect(map.bound(0, 1) == 3 && map.bound(1, 1) == 0 && map.bound(0, 2) == .max)
    }

    @Test("the header of a merged history says it, and nothing else reads it")
    func texts() throws {
        var rules = Rules()
        rules.shards = ShardMap(
            count: 3, homeSize: 2,
            parts: [
                ShardMap.Part(shard: 0, from: 0, target: 0, clock: 0),
                ShardMap.Part(shard: 2, from: 7_000, target: 1, clock: 1),
            ], clocks: [2_500_000, nil])
        #expect(try Rules(texts: rules.texts) == rules)
        #expect(rules.texts.contains("shard-clock=unknown"))
        #expect(rules.texts.contains("shard-part=2:7000:1:1"))
        for text in [
            "shards=0:1", "shards=3", "shard-clock=-1", "shard-part=3:0:0:0", "shard-part=0:0:0:2",
            "shard-part=0:0:0",
        ] {
            #expect(throws: RulesError.self, "\(text)") {
                try Rules(
                    texts: rules.texts.filter {
                        !text.hasPrefix("shards") || !$0.hasPrefix("shards=")
                    } + [text])
            }
        }
    }

    @Test(
        "findings of several parts are added: counts, levels, exposures, violations in the order of time"
    )
    func sum() throws {
        var first = Story.clean(in: 6, tag: Story.bob, code: "BBBBBB2")
        first.ends = [6: 30_000]
        var second = Story.flap()
        second.ends = [7: 30_000]
        var both = first
        both.exchanges += second.exchanges
        both.ends.merge(second.ends) { $1 }
        var sum = first.findings
        sum.add(second.findings)
        let whole = both.findings
        #expect(sum.verdicts == whole.verdicts)
        #expect(sum.violations == whole.violations && !whole.violations.isEmpty)
        #expect(sum.levels == whole.levels && sum.staleness == whole.staleness)
        #expect((sum.operations, sum.households) == (whole.operations, whole.households))
    }

    @Test("what a history keeps of findings comes back, but for the scenes of violations")
    func kept() throws {
        var story = Story.flap()
        story.live(in: 8, tag: Story.bob, code: "BBBBBB2")
        story.ends = [7: 40_000, 8: 40_000]
        let findings = story.findings
        let read = try #require(Findings(kept: findings.kept, rules: findings.rules))
        var plain = findings
        for position in plain.violations.indices {
            plain.violations[position].scene = []
            plain.violations[position].level = nil
        }
        #expect(read.violations == plain.violations && !read.violations.isEmpty)
        #expect(read.verdicts == findings.verdicts)
        #expect(read.levels == findings.levels && read.staleness == findings.staleness)
        #expect(read.operations == findings.operations && read.households == findings.households)
        let later = try #require(Findings(kept: findings.kept, rules: findings.rules, shift: 5))
        #expect(later.violations[0].at == findings.violations[0].at + 5)
        for damage in ["", "{}", findings.kept.replacing("\"checked\":", with: "\"chucked\":")] {
            #expect(Findings(kept: damage, rules: findings.rules) == nil)
        }
    }
}
