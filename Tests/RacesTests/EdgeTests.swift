import Journal
import Statistics
import Synchronization
import Testing

@testable import Races
@testable import Rigs

@Suite("What a trial can tell")
struct BreachPatternTests {
    /// A sign-in sent at 0, and a poll sent at `offset`; instants in milliseconds.
    private func sample(
        answeredAfter took: Int, offset: Int, isHit: Bool = false
    ) -> TrialSample {
        func at(_ milliseconds: Int) -> Instant { .start + .milliseconds(500 + milliseconds) }
        return TrialSample(
            offset: .milliseconds(offset), isQuiet: true,
            breaches: isHit
                ? [
                    .init(
                        promise: Promise(.signInVisible), ops: ["authenticate", "poll"],
                        isOfSwept: true, sentence: "")
                ] : [],
            releases: [
                .init(op: "authenticate", sent: at(0), firstByte: at(took), sequence: 1),
                .init(op: "poll", sent: at(offset), firstByte: at(offset + 1), sequence: 2),
            ])
    }

    @Test(
        "a poll that was sent before the phone had been told tells nothing, one before the sign-in does",
        arguments: [
            (took: 1, offset: 5, reading: .miss),
            (took: 8, offset: 5, reading: .blind),
            (took: 8, offset: -5, reading: .miss),
            (took: 1, offset: 0, reading: .blind),
        ] as [(took: Int, offset: Int, reading: BreachPattern.PatternReading)])
    func blind(took: Int, offset: Int, reading: BreachPattern.PatternReading) {
        let hit = sample(answeredAfter: 1, offset: 10, isHit: true)
        let pattern = BreachPattern(Promise(.signInVisible), in: [hit])
        #expect(pattern.reading(of: hit) == .hit)
        #expect(pattern.reading(of: sample(answeredAfter: took, offset: offset)) == reading)
    }

    @Test("a trial whose accusation is of another request may hide what the swept one broke")
    func hidden() {
        let hit = sample(answeredAfter: 1, offset: 10, isHit: true)
        var other = sample(answeredAfter: 1, offset: 10, isHit: true)
        other.breaches[0].isOfSwept = false
        other.breaches[0].ops = ["authenticate", "poll-2"]
        let pattern = BreachPattern(Promise(.signInVisible), in: [hit, other])
        #expect(pattern.reading(of: hit) == .hit)
        #expect(pattern.reading(of: other) == .hidden)
        // It is no miss in a curve.
        var curve = Curve()
        curve.add(.milliseconds(10), pattern.reading(of: other))
        #expect(curve.points.isEmpty)
        // In another household of the trial it hides nothing.
        other.breaches[0].isOfSweptHousehold = false
        #expect(pattern.reading(of: other) == .miss)
        // Where the swept op breaks nothing, whoever breaks it counts.
        #expect(BreachPattern(Promise(.signInVisible), in: [other]).reading(of: other) == .hit)
    }

    @Test(
        "what breaks in nearly every trial breaks whatever the offset, by which request it may be")
    func everywhere() {
        let hit = sample(answeredAfter: 1, offset: 10, isHit: true)
        var other = sample(answeredAfter: 1, offset: -10, isHit: true)
        other.breaches[0].isOfSwept = false
        let miss = sample(answeredAfter: 1, offset: -20)
        let all = [hit, hit] + Array(repeating: other, count: 8)
        #expect(BreachPattern(Promise(.signInVisible), in: all).reading(of: other) == .hit)
        let few = BreachPattern(Promise(.signInVisible), in: all.dropLast())
        #expect(few.reading(of: other) == .hidden)
        let often = BreachPattern(Promise(.signInVisible), in: all + [miss, miss])
        #expect(often.reading(of: other) == .hidden)
        #expect(often.reading(of: miss) == .miss)
        // A violation in another living room does not decide about the swept one.
        other.breaches[0].isOfSweptHousehold = false
        let elsewhere = BreachPattern(
            Promise(.signInVisible), in: [hit, hit] + Array(repeating: other, count: 30))
        #expect(elsewhere.reading(of: other) == .miss)
    }

    @Test("before anything has been seen every trial counts")
    func unknown() {
        let miss = sample(answeredAfter: 8, offset: 5)
        #expect(BreachPattern(Promise(.signInVisible), in: [miss]).reading(of: miss) == .miss)
    }

    @Test("what cannot tell is left out of a curve where others can")
    func curve() {
        var curve = Curve()
        curve.add(.milliseconds(5), .hit)
        curve.add(.milliseconds(5), .blind)
        curve.add(.milliseconds(-5), .blind)
        #expect(curve.points.map(\.rate) == [HitRate(trials: 1), HitRate(hits: 1, trials: 1)])
    }
}

/// What a trial shows hangs on the company that it is played in.
private struct MindfulOfCompany: Arena {
    let usual: RuleArena
    let disturbed: RuleArena
    /// In which it is `disturbed`.
    let disturbing: Set<Isolation>

    func play(_ schedules: [Schedule]) async -> [TrialResult] {
        await play(schedules, in: .crowd)
    }

    func play(_ schedules: [Schedule], in company: Isolation) async -> [TrialResult] {
        await (disturbing.contains(company) ? disturbed : usual).play(schedules)
    }
}

@Suite("Edges")
struct EdgeTests {
    private func search() -> RaceSearch {
        let terms = RaceTerms(plans: [.named("poll-authenticate")])
        var search = RaceSearch(
            plans: RacePlan.plans(terms), terms: terms, seed: Seed(1), gateError: .zero,
            clock: { .zero })
        search.exploresOrders = false
        return search
    }

    private static func within(_ low: Int, _ high: Int) -> RuleArena {
        RuleArena { offset, _ in
            offset >= .milliseconds(low) && offset <= .milliseconds(high)
        }
    }

    @Test(
        "edges are those of trials that race alone, however wrong the crowded sweep was",
        arguments: [(6, 44), (9, 20), (-3, 60)] as [(Int, Int)])
    func crowd(low: Int, high: Int) async throws {
        // Many trials at a time make answers slow.
        let arena = MindfulOfCompany(
            usual: Self.within(1, 31), disturbed: Self.within(low, high), disturbing: [.crowd])
        let outcome = await search().run(in: arena)
        let window = try #require(outcome.findings.first?.window)
        // A tenth of the window is what a search may be off by.
        #expect(abs(window.low / .milliseconds(1) - 1) < 3, "\(window)")
        #expect(abs(window.high / .milliseconds(1) - 31) < 3, "\(window)")
    }

    @Test("trials that go wrong now and then move an edge by little", arguments: Seed.samples(20))
    func noise(seed: Seed) async throws {
        let dice = Mutex(seed.generator())
        let arena = RuleArena { offset, _ in
            let isWithin = offset >= .milliseconds(1) && offset <= .milliseconds(31)
            return dice.withLock { $0.chance(0.06) } ? !isWithin : isWithin
        }
        let outcome = await search().run(in: arena)
        let finding = try #require(outcome.findings.first { $0.invariant == .signInVisible })
        let window = try #require(finding.window)
        #expect(abs(window.low / .milliseconds(1) - 1) < 3, "\(window)")
        #expect(abs(window.high / .milliseconds(1) - 31) < 3, "\(window)")
    }

    @Test(
        "of two windows, one on either side of zero, one is found, and not both as one",
        arguments: Seed.samples(10))
    func mirrored(seed: Seed) async throws {
        let dice = Mutex(seed.generator())
        let arena = RuleArena { offset, _ in
            let isWithin = (.microseconds(500) ... .milliseconds(30)).contains(offset.magnitude)
            return isWithin && dice.withLock { $0.chance(0.97) }
        }
        let outcome = await search().run(in: arena)
        let window = try #require(outcome.findings.first?.window)
        let ends = [window.low.magnitude, window.high.magnitude].sorted()
        #expect(abs(ends[0] / .milliseconds(1) - 0.5) < 1, "\(window)")
        #expect(abs(ends[1] / .milliseconds(1) - 30) < 3, "\(window)")
        #expect((window.low < .zero) == (window.high < .zero), "\(window)")
    }

    @Test(
        "of two windows on one side of zero, with few hits between them, one is found, and the case lies in it",
        arguments: [
            [-54 ... -33, -20 ... -1], [9...20, 31...90], [1...5, 8...40],
        ] as [[ClosedRange<Int>]], Seed.samples(6))
    func neighbours(lobes: [ClosedRange<Int>], seed: Seed) async throws {
        let dice = Mutex(seed.generator())
        let arena = RuleArena { offset, _ in
            let place = offset / .milliseconds(1)
            let isWithin = lobes.contains { Double($0.lowerBound)...Double($0.upperBound) ~= place }
            let isBetween = Double(lobes[0].upperBound)...Double(lobes[1].lowerBound) ~= place
            return dice.withLock { $0.chance(isWithin ? 0.85 : isBetween ? 0.06 : 0) }
        }
        let outcome = await search().run(in: arena)
        let finding = try #require(outcome.findings.first)
        let window = try #require(finding.window, "\(finding.rate) at \(finding.best)")
        #expect(finding.rate.share > 0.5 && !finding.isRare, "\(finding.rate)")
        #expect(
            lobes.contains { lobe in
                abs(window.low / .milliseconds(1) - Double(lobe.lowerBound)) < 3
                    && abs(window.high / .milliseconds(1) - Double(lobe.upperBound)) < 3
            }, "\(window)")
    }

    @Test(
        "a search that ends as it measures the gap between two windows still has one of them",
        arguments: Seed.samples(20))
    func cutShort(seed: Seed) async throws {
        let dice = Mutex(seed.generator())
        let played = Mutex<[Duration: Int]>([:])
        func arena(_ lobes: [ClosedRange<Double>]) -> RuleArena {
            RuleArena { offset, _ in
                played.withLock { $0[offset, default: 0] += 1 }
                return lobes.contains { $0 ~= offset / .milliseconds(1) }
                    && dice.withLock { $0.chance(0.8) }
            }
        }
        // Many trials at a time make answers slow, which closes the gap.
        let crowded = MindfulOfCompany(
            usual: arena([-54 ... -33, -20 ... -1]), disturbed: arena([-54 ... -1]),
            disturbing: [.crowd])
        var search = search()
        search.isInterrupted = {
            played.withLock {
                $0.contains { $0.value > 28 && -33 ... -20 ~= $0.key / .milliseconds(1) }
            }
        }
        let outcome = await search.run(in: crowded)
        let finding = try #require(outcome.findings.first)
        #expect(finding.window != nil && !finding.isRare, "\(finding.rate) at \(finding.best)")
    }

    @Test("luck that is the doing of other trials is no luck once trials go alone")
    func hidden() async throws {
        var right = 0
        for seed in Seed.samples(10) {
            let dice = Mutex(seed.generator())
            let near = RuleArena { offset, _ in
                offset >= .milliseconds(1) && offset <= .milliseconds(31)
                    && dice.withLock { $0.chance(0.35) }
            }
            let outcome = await search().run(
                in: MindfulOfCompany(
                    usual: Self.within(1, 31), disturbed: near, disturbing: [.crowd, .queue]))
            guard let finding = outcome.findings.first, let window = finding.window,
                outcome.isAlone, finding.rate == HitRate(hits: 30, trials: 30)
            else { continue }
            let isExact =
                abs(window.low / .milliseconds(1) - 1) < 3
                && abs(window.high / .milliseconds(1) - 31) < 3
            if isExact { right += 1 }
        }
        // Now and then a few hits in a row look like a window that is sure.
        #expect(right >= 8, "\(right) of 10")
    }

    @Test("luck that is as good alone leaves trials together", arguments: Seed.samples(10))
    func luck(seed: Seed) async throws {
        let dice = Mutex(seed.generator())
        let arena = RuleArena { offset, _ in
            offset >= .milliseconds(1) && offset <= .milliseconds(31)
                && dice.withLock { $0.chance(0.5) }
        }
        let outcome = await search().run(in: arena)
        #expect(!outcome.isAlone)
        #expect(outcome.findings.contains { $0.invariant == .signInVisible })
    }
}
