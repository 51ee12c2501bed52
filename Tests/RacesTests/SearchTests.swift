import Dialects
import Journal
import Statistics
import Synchronization
import Testing
import Vocabulary

@testable import Races
@testable import Rigs

/// An arena without devices: a promise breaks by a rule of the test's own.
struct RuleArena: Arena {
    /// Whether a trial at that offset breaks it; the number counts trials.
    var rule: @Sendable (Duration, Int) -> Bool
    var isolatesTrials = false
    /// Whose promise the judge says it is; nil is the invariant's usual source.
    var source: PromiseSource?
    /// The same by the number of the trial.
    var sources: (@Sendable (Int) -> PromiseSource)?
    /// The same by the offset.
    var sourceAt: (@Sendable (Duration) -> PromiseSource)?
    /// Whether it breaks in a trial by itself; nil, as beside others.
    var alone: (@Sendable (Duration) -> Bool)?
    /// At which offsets an answer is one that a page does not allow.
    var deviates: (@Sendable (Duration) -> Bool)?
    /// At which offsets the poll is answered 500.
    var fails: (@Sendable (Duration) -> Bool)?
    /// Whether polls find a sign-in in the end.
    var signsIn = true
    /// After so many trials nobody answers.
    var livesThrough = Int.max
    /// Nor any request of setup.
    var isSilent = false
    let played = Played()

    init(isolatesTrials: Bool = false, rule: @escaping @Sendable (Duration, Int) -> Bool) {
        self.isolatesTrials = isolatesTrials
        self.rule = rule
    }

    final class Played: Sendable {
        private let count = Mutex(0)
        var next: Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    func play(_ schedules: [Schedule]) async -> [TrialResult] {
        await play(schedules, in: .crowd)
    }

    func play(_ schedules: [Schedule], in company: Isolation) async -> [TrialResult] {
        schedules.map { schedule in
            let op = schedule.ops.last { $0.anchor?.event == .lastByteSent }
            let offset = op?.offset ?? .zero
            let number = played.next
            var result = TrialResult(schedule: schedule, households: [0])
            result.releases = [
                .init(
                    op: op?.id ?? "", sent: .init(offset), sequence: 1, offset: offset)
            ]
            var answer = Exchange(
                lane: 0, sequence: 1, device: DeviceID(household: 0, role: .firstScreen),
                operation: .profilesByCode, planned: .start, sent: .start, ended: .start,
                delivery: .answered(status: 200), outcome: .ok,
                observation: Observation(signsIn ? .success : .absent))
            if deviates?(offset) ?? false {
                result.deviations = [
                    Breach(
                        .conforms, source: .documented,
                        sentence: "profiles-by-code: a profile has a userID; found none",
                        signature: "conforms", household: 0, exchanges: [1])
                ]
            }
            if fails?(offset) ?? false {
                (answer.delivery, answer.outcome) = (.answered(status: 500), .serverError)
            }
            result.exchanges = [answer]
            if number > livesThrough {
                result.discarded = .connectionFailed(op: "poll", "nobody listens")
                if isSilent {
                    answer.delivery = .unknown(TransportError(.connectionLost, "cut"))
                    answer.ended = .start + .milliseconds(200 * number)
                    result.exchanges = [answer]
                }
            } else if company == .nobody
                ? alone?(offset) ?? rule(offset, number) : rule(offset, number)
            {
                result.breaches = [
                    Breach(
                        .signInVisible, source: sourceAt?(offset) ?? sources?(number) ?? source,
                        sentence: "late",
                        household: 0,
                        exchanges: [1])
                ]
            } else {
                result.discarded = result.failure
            }
            return result
        }
    }
}

/// Whatever it plays is stopped, as at the end of the time.
private struct StoppedArena: Arena {
    var isolatesTrials: Bool { false }

    func play(_ schedules: [Schedule]) async -> [TrialResult] {
        schedules.map { schedule in
            var result = TrialResult(schedule: schedule, households: [0])
            result.discarded = .stopped
            return result
        }
    }
}

@Suite struct SearchTests {
    private static func report(_ outcome: RaceOutcome) -> RaceReport {
        RaceReport(
            outcome, cases: [],
            about: .init(rig: "r", target: "t", version: "0", seed: 1, startedMicroseconds: 0))
    }

    private func search(_ trials: Int = 4000) -> RaceSearch {
        var terms = RaceTerms(plans: [.named("poll-authenticate")])
        terms.trials = trials
        var search = RaceSearch(
            plans: RacePlan.plans(terms), terms: terms, seed: Seed(1), gateError: .zero,
            clock: { .zero })
        search.exploresOrders = false
        return search
    }

    @Test(
        "a window is found within 2 % of its width, wherever it lies",
        arguments: [(1, 31), (-30, 0), (-12, 55), (2, 3), (60, 200)] as [(Int, Int)])
    func window(low: Int, high: Int) async throws {
        let arena = RuleArena { offset, _ in
            offset >= .milliseconds(low) && offset <= .milliseconds(high)
        }
        let outcome = await search().run(in: arena)
        let finding = try #require(outcome.findings.first)
        let window = try #require(finding.window)
        let slack = max(Double(high - low) * 0.02, 0.05)
        #expect(abs(window.low / .milliseconds(1) - Double(low)) <= slack)
        if high < 200 { #expect(abs(window.high / .milliseconds(1) - Double(high)) <= slack) }
        #expect(window.isHighOpen == (high >= 200))
        #expect(!outcome.isAlone, "a window that is open on one side is no doing of other trials")
        #expect(finding.rate == HitRate(hits: 30, trials: 30))
        #expect(finding.schedule[op: finding.swept]?.offset == finding.best)
        #expect(finding.company == .queue, "as its rate was measured")
    }

    @Test("a window in which one trial of three hits is found as well", arguments: 1...8)
    func rare(seed: UInt64) async throws {
        let dice = Mutex(Seed(seed).child("rare").generator())
        let arena = RuleArena { offset, _ in
            offset >= .milliseconds(1) && offset <= .milliseconds(31)
                && dice.withLock { $0.chance(0.35) }
        }
        let outcome = await search().run(in: arena)
        let window = try #require(outcome.findings.first?.window)
        #expect(window.low > .milliseconds(-2) && window.low < .milliseconds(8))
        #expect(window.high > .milliseconds(20) && window.high < .milliseconds(45))
    }

    @Test("a finding, its case and a replay carry the source that the judge gave the breach")
    func source() async throws {
        var arena = RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) }
        arena.source = .documented
        #expect(Invariant.signInVisible.source != .documented)
        let outcome = await search().run(in: arena)
        let finding = try #require(outcome.findings.first)
        #expect(finding.source == .documented)
        let work = CaseWork(
            .init(
                version: "0", rig: .init(name: "r", source: ""), seed: 1,
                target: .init(name: "here", protocolName: "adobe-pass-v1"), startedMicroseconds: 0),
            on: arena)
        let made = await work.make(finding, example: outcome.examples[0], madeAt: 0)
        #expect(made.expected.source == .documented)
        let read = try Case(Array(made.json.utf8), file: "c.json")
        #expect(read.expected.source == .documented)
        #expect(read.page(replaying: "c.json").contains("Source: the protocol&#39;s documentation"))
        arena.source = .ours
        let replayed = await Replay(read, on: arena).play(times: 5)
        #expect(replayed.source(read) == .ours, "what is seen now counts")
        let quiet = await Replay(read, on: RuleArena { _, _ in false }).play(times: 5)
        #expect(quiet.source(read) == .documented)
    }

    @Test("what is documented leads a finding and its example, however late it was seen")
    func documentedLeads() async throws {
        var arena = RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) }
        arena.sources = { $0 > 100 ? .documented : .ours }
        let outcome = await search().run(in: arena)
        #expect(outcome.findings.first?.source == .documented)
        #expect(outcome.examples.first??.breaches.map(\.source) == [.documented])
    }

    /// A check of the code that stays true after a logout at every offset is no page's promise; a poll that brings the token
    /// back when it comes shortly before is.
    @Test("what is documented and what is not have a finding and a window each")
    func sources() async throws {
        var both = RuleArena { _, _ in true }
        both.sourceAt = { (.milliseconds(-30)...Duration.zero) ~= $0 ? .documented : .ours }
        let outcome = await search().run(in: both)
        #expect(outcome.findings.map(\.source) == [.documented, .ours])
        let window = try #require(outcome.findings[0].window)
        #expect(
            abs(window.low / .milliseconds(1) + 30) <= 0.6
                && abs(window.high / .milliseconds(1)) <= 0.6)
        #expect(outcome.findings[1].window == nil)
    }

    @Test("two are simultaneous only where their window is no wider than what can be aimed at")
    func simultaneous() async throws {
        for (reach, isSimultaneous) in [(30_000, false), (2000, false), (40, true)] {
            let range = Duration.microseconds(-reach)...Duration.microseconds(reach)
            let outcome = await search().run(in: RuleArena { offset, _ in range ~= offset })
            let finding = try #require(outcome.findings.first, "\(reach)")
            #expect(finding.isSimultaneous == isSimultaneous, "\(reach): \(finding.window as Any)")
        }
    }

    /// Redirects that nobody follows, or a button that does nothing: every promise is kept, and nothing was searched.
    @Test("a search in which nobody was ever signed in is no pass", arguments: [true, false])
    func idle(signsIn: Bool) async throws {
        var idle = RuleArena { _, _ in false }
        idle.signsIn = signsIn
        let outcome = await search().run(in: idle)
        let report = Self.report(outcome)
        guard !signsIn else {
            #expect(outcome.whyNothingCameAbout == nil && report.verdict == .pass)
            return
        }
        let reason = try #require(outcome.whyNothingCameAbout)
        #expect(
            reason.hasPrefix(
                "no trial shows anything: no sign-in or refusal took effect in any of "))
        #expect(report.verdict == .aborted)
        #expect(
            RaceText.report(outcome, cases: []).contains("shows nothing on this target: no sign-in")
        )
        // What broke shows that something happened.
        var broken = RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) }
        broken.signsIn = false
        #expect(Self.report(await search().run(in: broken)).verdict == .fail)
    }

    @Test("a service that is gone for most of a search is no pass, and its sweep is not whole")
    func gone() async throws {
        var dying = RuleArena { _, _ in false }
        dying.livesThrough = 40
        let outcome = await search().run(in: dying)
        #expect(outcome.findings.isEmpty && outcome.sweptWhole == 0)
        let reason = try #require(outcome.whyNothingCameAbout)
        #expect(
            reason.hasSuffix("trials could not be completed: poll was not answered: nobody listens")
        )
        let report = Self.report(outcome)
        #expect(report.verdict == .aborted)
    }

    @Test("a service that does not answer for ten seconds ends the search, which says since when")
    func silent() async throws {
        var dying = RuleArena { _, _ in false }
        (dying.livesThrough, dying.isSilent) = (40, true)
        var outcome = await search().run(in: dying)
        #expect(outcome.end == .noAnswer && outcome.trials < 1000)
        outcome.startedMicroseconds = 1_760_000_000_000_000
        #expect(
            outcome.whyNothingCameAbout?.hasPrefix(
                "the service has not answered since 2025-10-09T08:53:20Z; the "
                    + "\(outcome.trials - 40) trials after that count for nothing: poll was not")
                == true)
        #expect(
            RaceText.report(outcome, cases: [], width: 200)
                .contains("; stopped because the service no longer answers"))
    }

    @Test(
        "a service that dies after a finding leaves it without a window, and the race is not completed"
    )
    func goneAfterAFinding() async throws {
        var wasWithoutWindow = false
        for trials in (1...12).map({ 20 * $0 }) {
            var dying = RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) }
            dying.livesThrough = trials
            let outcome = await search().run(in: dying)
            let report = Self.report(outcome)
            let junit = try #require(report.files.first { $0.name == "junit.xml" }?.text)
            // It dies once and for all: either most were lost, or many in a row at the end.
            let isLost = outcome.discards * 2 > outcome.trials || outcome.discards >= 20
            #expect(junit.contains("name=\"the race completed\" time=\"0\"/>") == !isLost)
            guard let finding = outcome.findings.first else { continue }
            #expect(report.verdict == .fail, "what broke broke")
            // Edges are told only where trials were made for them.
            #expect((finding.rate.trials > 0) || finding.window == nil)
            if finding.isUnrefined {
                wasWithoutWindow = true
                #expect(finding.total.hits > 0)
                #expect(RaceText.whenText(finding).hasSuffix("its window was not located"))
            }
        }
        #expect(wasWithoutWindow)
    }

    @Test("edges that the limit kept from being measured are told as rough ones")
    func edgesNotMeasured() async throws {
        var ways: Set<Bool> = []
        for trials in (4...24).map({ 20 * $0 }) {
            let outcome = await search(trials).run(
                in: RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) })
            guard let finding = outcome.findings.first, let window = finding.window else {
                continue
            }
            ways.insert(finding.isCoarse)
            #expect(RaceText.whenText(finding).contains("is sent roughly ") == finding.isCoarse)
            guard !finding.isCoarse else { continue }
            #expect(abs(window.low / .milliseconds(1)) <= 2, "\(trials): \(window)")
            #expect(abs(window.high / .milliseconds(1) - 30) <= 2, "\(trials): \(window)")
        }
        #expect(ways == [true, false])
    }

    @Test("an answer that no page allows is told with its offsets, and is no pass")
    func deviations() async throws {
        var arena = RuleArena { _, _ in false }
        arena.deviates = { $0 >= .zero && $0 < .milliseconds(40) }
        let outcome = await search().run(in: arena)
        let finding = try #require(outcome.findings.first)
        #expect(finding.promise == Promise(.conforms, .documented) && finding.window == nil)
        #expect(finding.total.hits > 0 && finding.total.hits < finding.total.trials)
        #expect(finding.sentence == "profiles-by-code: a profile has a userID; found none")
        #expect(RaceText.whenText(finding).hasPrefix("seen at offsets from 0 to +"))
        #expect(outcome.isAccusing && outcome.sweptWhole == outcome.variants)
        // No offset was chosen for it: none is drawn, and the share is that of all trials.
        let page =
            Self.report(outcome).files.first { $0.name == "report.html" }?.text ?? ""
        #expect(page.contains(" at all offsets. Found by: sweep.") && !page.contains("aimed at"))
    }

    @Test("what was seen first was seen then, and not when the search had looked into it")
    func firstSeen() async throws {
        let calls = Mutex(0)
        var search = search()
        search.clock = {
            calls.withLock { calls in
                calls += 1
                return .seconds(calls)
            }
        }
        var arena = RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) }
        arena.deviates = { _ in true }
        let outcome = await search.run(in: arena)
        #expect(outcome.findings.count == 2)
        for finding in outcome.findings {
            #expect(finding.firstSeen < .seconds(60), "\(finding.firstSeen) \(outcome.elapsed)")
        }
        #expect(outcome.elapsed > .seconds(100))
    }

    @Test("a raced request that was answered 500 shows nothing about the promise")
    func failed() async throws {
        var arena = RuleArena { _, _ in false }
        arena.fails = { $0 >= .zero }
        let outcome = await search().run(in: arena)
        #expect(outcome.discards > 0 && outcome.discards < outcome.trials)
        #expect(outcome.discarded.map(\.reason) == ["poll was answered 500"])
    }

    @Test(
        "a service that dies while orders are drawn ends the search like any other",
        arguments: [150, 200, 260])
    func goneWhileOrdersAreDrawn(trials: Int) async throws {
        var dying = RuleArena { _, _ in false }
        dying.livesThrough = trials
        var search = search(400)
        search.exploresOrders = true
        let outcome = await search.run(in: dying)
        #expect(outcome.findings.isEmpty && outcome.trials > trials && outcome.discards > 0)
    }

    @Test(
        "a race in which only what is known was found is no pass where the service was gone in the end"
    )
    func goneAndKnown() async throws {
        let breaks = RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) }
        let whole = await search(700).run(in: breaks)
        var dying = RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) }
        dying.livesThrough = whole.trials - 40
        var outcome = await search(700).run(in: dying)
        let promise = try #require(outcome.findings.first?.promise)
        #expect(outcome.discards >= 40 && outcome.discards * 2 < outcome.trials)
        #expect(outcome.whyNothingCameAbout == nil)
        outcome.baseline = RaceBaseline(
            file: "b.json", known: [.init("poll-authenticate", promise)])
        let reason = try #require(outcome.whyNothingCameAbout)
        #expect(
            reason.hasSuffix("trials could be completed: poll was not answered: nobody listens"))
    }

    @Test(
        "a breach that the limit keeps from being looked into is a finding if it comes back in a trial alone",
        arguments: [15, 20, 25])
    func endedEarly(trials: Int) async throws {
        let arena = RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) }
        let outcome = await search(trials).run(in: arena)
        let finding = try #require(outcome.findings.first)
        #expect(outcome.end == .trials && finding.window == nil && finding.total.hits > 0)
        #expect(finding.method == "sweep; the search ended before it was looked into")
        #expect(outcome.unfollowed.isEmpty && outcome.trials <= trials * 11 / 10)
    }

    @Test("if it does not come back it was the work of other trials, or nobody knows")
    func endedEarlyBesideOthers() async throws {
        var arena = RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) }
        arena.alone = { _ in false }
        let few = search(Curve.grid(search().terms.offsets).count - 1)
        let many = await few.run(in: arena)
        #expect(
            many.findings.map(\.method) == ["sweep with concurrent trials; not in isolated trials"])
        #expect(many.whyNothingCameAbout == nil)

        var once = RuleArena { _, number in number == 30 }
        once.alone = { _ in false }
        var open = await search(40).run(in: once)
        #expect(open.findings.isEmpty)
        let reason = try #require(open.whyNothingCameAbout)
        #expect(
            reason.hasPrefix(
                "sign-in-visible broke in a trial of poll-authenticate, and the search ended before"
            ))
        #expect(Self.report(open).verdict == .aborted)
        open.baseline = RaceBaseline(
            file: "b.json", known: [.init("poll-authenticate", Promise(.signInVisible))])
        #expect(open.whyNothingCameAbout == nil)
    }

    /// Beside others it breaks at any offset, alone within 10 ms.
    @Test("what isolated trials showed before the limit came is told")
    func limited() async throws {
        var ways: Set<String> = []
        for trials in (1...10).map({ 40 * $0 }) {
            let hits = Mutex((alone: 0, trials: 0))
            var arena = RuleArena { _, _ in true }
            arena.alone = { offset in
                let isHit = offset.magnitude <= .milliseconds(10)
                hits.withLock { $0 = ($0.alone + (isHit ? 1 : 0), $0.trials + 1) }
                return isHit
            }
            let outcome = await search(trials).run(in: arena)
            let (alone, played) = hits.withLock { $0 }
            let finding = try #require(outcome.findings.first)
            ways.insert(finding.method)
            #expect(!finding.method.contains("not in") || alone == 0)
            #expect(!finding.method.contains("before isolated") || played == 0)
            guard finding.method.hasPrefix("sweep with isolated") else { continue }
            let text = RaceText.whenText(finding)
            #expect(text.hasPrefix("seen at offsets from -") && text.hasSuffix("not located"))
            #expect(finding.rate.trials <= played && finding.rate.hits <= alone)
        }
        #expect(ways.contains { $0.hasPrefix("sweep with isolated") }, "\(ways)")
    }

    @Test("a case of before, which names no source, has the invariant's")
    func sourceOfOldCase() throws {
        let text = Case.sample.json
        let range = try #require(text.firstRange(of: "\"source\": \"ours\",\n    "))
        let old = text.replacingCharacters(in: range, with: "")
        #expect(try Case(Array(old.utf8), file: "c.json") == Case.sample)
    }

    @Test("what breaks at every offset has no window")
    func everywhere() async throws {
        let outcome = await search().run(in: RuleArena { _, _ in true })
        let finding = try #require(outcome.findings.first)
        #expect(finding.window == nil)
        // Isolated trials at both ends break it as well: the others are not the cause, and the search keeps its pace.
        #expect(!outcome.isAlone && finding.company == .queue)
        #expect(!finding.isSimultaneous && !finding.isRare)
    }

    @Test("what others cause beyond a window that is open on the other side is not part of it")
    func othersBesideAnOpenWindow() async throws {
        var arena = RuleArena { _, _ in true }
        arena.alone = { $0 <= .milliseconds(5) }
        let outcome = await search().run(in: arena)
        let window = try #require(outcome.findings.first?.window)
        #expect(outcome.isAlone && window.isLowOpen && !window.isHighOpen)
        #expect(abs(window.high / .milliseconds(1) - 5) <= 0.6)
    }

    @Test(
        "hits that lie close together by chance are rare, and have no window",
        arguments: [true, false])
    func chance(isolatesTrials: Bool) async throws {
        // Two trials within a hundredth of a millisecond, and never again.
        let hits = Mutex(0)
        let arena = RuleArena(isolatesTrials: isolatesTrials) { offset, _ in
            (.microseconds(150)...(.microseconds(250))).contains(offset)
                && hits.withLock { hits in
                    hits += 1
                    return hits <= 2
                }
        }
        let outcome = await search().run(in: arena)
        let finding = try #require(outcome.findings.first)
        #expect(finding.window == nil)
        #expect(finding.isRare && !finding.isSimultaneous)
        if isolatesTrials { #expect(finding.rate == HitRate(hits: 0, trials: 30)) }
        #expect(finding.total.hits == 2)
        let text = RaceText.report(outcome, cases: [])
        // Of trials at all offsets together nobody says what is rare.
        #expect(
            text.contains(
                isolatesTrials
                    ? "rare, without a window: seen at " : "its window was not located"))
        #expect(!text.contains("is sent"))
        #expect(outcome.examples.first??.breaks(.signInVisible) == true)
    }

    @Test(
        "what breaks now and then is measured at its own offset, and a fix is proven by that rate alone"
    )
    func rareCase() async throws {
        let arena = RuleArena { offset, number in offset < .zero && number.isMultiple(of: 20) }
        let outcome = await search().run(in: arena)
        let finding = try #require(outcome.findings.first)
        #expect(finding.isRare && finding.total.trials > 100)
        let work = CaseWork(
            .init(
                version: "0", rig: .init(name: "r", source: ""), seed: 1,
                target: .init(name: "here", protocolName: "adobe-pass-v1"), startedMicroseconds: 0),
            on: arena)
        var made = await work.make(finding, example: outcome.examples[0], madeAt: 0)
        let evidence = try #require(made.evidence)
        #expect(evidence.rate == HitRate(hits: 1, trials: 20) && evidence.isRare)
        #expect(made.schedule[op: finding.swept]?.offset == evidence.best && evidence.best < .zero)
        #expect(FixedAt(made, confidence: 0.99).replays ?? 0 > 1000)
        // As older cases have it.
        made.evidence?.rate = finding.total
        #expect(FixedAt(made, confidence: 0.99).replays == nil)
    }

    /// Breaks where the second poll comes 20 to 60 ms after the first was answered; sent at once, it is so late in every fifth
    /// trial.
    private struct LateArena: Arena {
        let played = RuleArena.Played()

        func play(_ schedules: [Schedule]) async -> [TrialResult] {
            schedules.map { schedule in
                var result = TrialResult(schedule: schedule, households: [0])
                guard let second = schedule[op: "poll-2"] else { return result }
                let isLate = second.offset == .zero && played.next.isMultiple(of: 5)
                let offset = second.offset + (isLate ? .milliseconds(46) : .zero)
                result.releases = [
                    .init(op: "poll-2", sent: .init(offset), sequence: 2, offset: offset)
                ]
                if offset >= .milliseconds(20), offset <= .milliseconds(60) {
                    result.breaches = [
                        Breach(
                            .tokenMonotonic, source: .ours, sentence: "gone", household: 0,
                            exchanges: [2])
                    ]
                }
                return result
            }
        }

        func play(_ schedules: [Schedule], in company: Isolation) async -> [TrialResult] {
            await play(schedules)
        }
    }

    @Test("what broke the promise because it came late stays as late in the case")
    func late() async throws {
        var schedule = Schedule(
            plan: "late",
            actors: [
                .init(name: "phone", screen: .second, household: 0),
                .init(name: "tv", screen: .first, household: 0),
            ],
            ops: [
                .init("authenticate", "phone", .authenticate), .init("poll", "tv", .pollToken),
                .init("poll-2", "tv", .pollToken),
            ])
        schedule[op: "poll"]?.anchor = .init(.lastByteSent, of: "authenticate")
        schedule[op: "poll-2"]?.anchor = .init(.firstReplyByte, of: "poll")
        let finding = RaceFinding(
            plan: "late", invariant: .tokenMonotonic, source: .ours, schedule: schedule,
            swept: "poll", best: .zero, rate: HitRate(hits: 8, trials: 40), sentence: "gone")
        let work = CaseWork(
            .init(
                version: "0", rig: .init(name: "r", source: ""), seed: 1,
                target: .init(name: "here", protocolName: "adobe-pass-v1"), startedMicroseconds: 0),
            on: LateArena())
        let made = await work.make(finding, madeAt: 0)
        #expect(made.schedule[op: "poll-2"]?.offset == .milliseconds(46))
        #expect(made.evidence?.rate == HitRate(hits: 20, trials: 20))
        #expect(
            Case.when(try #require(made.schedule[op: "poll-2"])) == "46 ms after poll is answered")
        // Ended before anything was measured: the times of the trial that broke it are all that is known.
        var cut = finding
        cut.isUnrefined = true
        var example = TrialResult(schedule: schedule, households: [0])
        example.releases = [
            .init(op: "poll", sent: .start, sequence: 1, offset: .milliseconds(12)),
            .init(op: "poll-2", sent: .start, sequence: 2, offset: .milliseconds(46)),
        ]
        let stopped = CaseWork(work.origin, on: StoppedArena())
        let unmeasured = await stopped.make(cut, example: example, madeAt: 0)
        #expect(unmeasured.schedule[op: "poll"]?.offset == .milliseconds(12))
        #expect(unmeasured.schedule[op: "poll-2"]?.offset == .milliseconds(46))
    }

    @Test("what was given is kept by the search and its cases together, to a tenth more")
    func allowance() async {
        let allowance = Allowance(trials: 300, time: nil, clock: { .zero })
        let arena = AllowedArena(
            RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) }, allowance)
        let outcome = await search(300).run(in: arena)
        for (finding, example) in zip(outcome.findings, outcome.examples) {
            let work = CaseWork(
                .init(
                    version: "0", rig: .init(name: "r", source: ""), seed: 1,
                    target: .init(name: "here", protocolName: "adobe-pass-v1"),
                    startedMicroseconds: 0), on: arena, allowance: allowance)
            let made = await work.make(finding, example: example, madeAt: 0)
            #expect((made.evidence?.rate.trials ?? 0) > 0)
        }
        #expect(!outcome.findings.isEmpty)
        #expect(allowance.trialsLeft.map { $0 >= 0 } == true)
        #expect(outcome.trials <= 300)
    }

    @Test("a rate that was cut short takes the place of no better one")
    func cutShort() async throws {
        let outcome = await search(700).run(
            in: RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) })
        let finding = try #require(outcome.findings.first)
        let allowance = Allowance(trials: 8, time: nil, clock: { .zero })
        let work = CaseWork(
            .init(
                version: "0", rig: .init(name: "r", source: ""), seed: 1,
                target: .init(name: "here", protocolName: "adobe-pass-v1"),
                startedMicroseconds: 0),
            on: AllowedArena(RuleArena { _, _ in false }, allowance), allowance: allowance)
        let made = await work.make(finding, example: outcome.examples[0], madeAt: 0)
        #expect(finding.rate.trials > 8)
        #expect(made.evidence?.rate == finding.rate)
    }

    @Test("what the time no longer bears is not played, and nothing is said of it")
    func time() async {
        let now = Mutex(Duration.zero)
        let allowance = Allowance(trials: nil, time: .seconds(10), clock: { now.withLock { $0 } })
        let arena = AllowedArena(RuleArena { _, _ in true }, allowance)
        let schedule = search().plans[0].variants[0].schedule
        #expect(await arena.play([schedule])[0].discarded == nil)
        now.withLock { $0 = .seconds(11) }
        #expect(await arena.play([schedule])[0].discarded == .stopped)
        var shrinker = Shrinker(of: .signInVisible, on: arena, peak: 1)
        let shrunk = await shrinker.shrink(schedule)
        #expect(shrunk.schedule == schedule && !shrunk.isMinimal && shrunk.almost.isEmpty)
    }

    @Test("everything without a limit ends when all of it has been swept")
    func unlimited() async {
        var terms = RaceTerms(perOffset: 1)
        #expect(terms.isUnlimited && terms.trialLimit == nil && terms.timeLimit == nil)
        let all = RaceSearch(
            plans: RacePlan.plans(terms), terms: terms, seed: Seed(1), gateError: .zero,
            clock: { .seconds(100_000) })
        let outcome = await all.run(in: RuleArena { _, _ in false })
        let estimate = RaceEstimate(all.plans, arms: [], terms: terms, pace: nil)
        #expect(outcome.end == .complete)
        #expect(outcome.sweptWhole == outcome.variants)
        #expect(outcome.trials == estimate.sweeps + estimate.again)
        #expect(estimate.line.contains("No limit is set"))
        terms.time = .seconds(5)
        #expect(!terms.isUnlimited && terms.trialLimit == nil && terms.timeLimit == .seconds(5))
        terms.plans = [.named("poll-poll")]
        #expect(terms.trialLimit == 2000)
    }

    @Test("what a target cannot play at all is tried once, and said")
    func unplayable() async {
        let arena = SyntheticArena(
            unplayable: {
                $0.ops.contains { $0.step == .tokenExchange }
                    ? .setupFailed(op: "sso", "no platform") : nil
            }, { _ in [:] })
        let terms = RaceTerms(plans: [.named("sso-logout"), .named("poll-logout")])
        var search = RaceSearch(
            plans: RacePlan.plans(terms), terms: terms, seed: Seed(1), clock: { .zero })
        search.exploresOrders = false
        let outcome = await search.run(in: arena)
        let sweep = outcome.sweeps[0]
        #expect(sweep.rounds == 1 && sweep.trials == sweep.discarded)
        #expect(sweep.obstacle == "sso could not be set up: no platform")
        #expect(outcome.sweeps[1].rounds == 5)
        let text = RaceText.report(outcome, cases: [])
        #expect(text.contains("sso-logout cannot run on this target: sso could not be set up"))
    }

    @Test("nothing is found where nothing breaks, and the search ends")
    func nothing() async {
        let outcome = await search().run(in: RuleArena { _, _ in false })
        #expect(outcome.findings.isEmpty)
        #expect(outcome.end == .complete)
        #expect(outcome.sweptWhole == 1)
    }

    @Test("no more trials than allowed are played")
    func trials() async {
        var search = search(50)
        search.exploresOrders = true
        let outcome = await search.run(in: RuleArena { _, _ in false })
        #expect(outcome.trials == 50)
        #expect(outcome.end == .trials)
    }

    @Test("an interrupted search keeps what it has found")
    func interrupted() async {
        let flag = Mutex(false)
        var search = search()
        search.news = { if case .found = $0 { flag.withLock { $0 = true } } }
        search.isInterrupted = { flag.withLock { $0 } }
        let arena = RuleArena { offset, _ in offset >= .zero && offset < .milliseconds(30) }
        let outcome = await search.run(in: arena)
        #expect(outcome.findings.count == 1)
        #expect(outcome.end == .interrupted)
    }

    @Test("orders are drawn by chance and by priorities, and move every op that can move")
    func orders() throws {
        let base = try #require(RacePlan.named("authenticate-authenticate")).variants[0]
        let reach = Duration.milliseconds(-200) ... .milliseconds(200)
        var methods: Set<String> = []
        var signs: Set<Bool> = []
        for number in 0..<200 {
            let (variant, method) = OrderExplorer.draw(
                base, seed: Seed(1).child("order", number), offsets: reach)
            methods.insert(method.replacing(/, [a-z0-9-]+ starved$/, with: ""))
            signs.insert(variant.schedule[op: variant.swept]?.offset ?? .zero < .zero)
        }
        #expect(
            methods == [
                "random order", "priorities, 1 change point", "priorities, 2 change points",
            ])
        #expect(signs.count == 2)
    }

    @Test(
        "one time in ten an actor is starved: all that it does comes a reach after everything else")
    func starved() throws {
        let base = try #require(RacePlan.named("authenticate-authenticate")).variants[0]
        let reach = Duration.milliseconds(-200) ... .milliseconds(200)
        var hungry: Set<String> = []
        var times = 0
        for number in 0..<400 {
            let (variant, method) = OrderExplorer.draw(
                base, seed: Seed(1).child("order", number), offsets: reach)
            guard let match = method.firstMatch(of: /, ([a-z0-9-]+) starved$/) else { continue }
            times += 1
            hungry.insert(String(match.1))
            // Two raced operations, of one actor each: whichever is starved, they are far apart.
            let offset = variant.schedule[op: variant.swept]?.offset ?? .zero
            #expect(max(offset, .zero - offset) > reach.upperBound, "\(method) \(offset)")
        }
        #expect((20...60).contains(times))
        #expect(hungry.count == 2)
    }

    @Test("the same seed draws the same order")
    func sameOrder() throws {
        let base = try #require(RacePlan.named("authenticate-authenticate")).variants[0]
        let reach = Duration.milliseconds(-200) ... .milliseconds(200)
        for seed in Seed.samples(50) {
            let first = OrderExplorer.draw(base, seed: seed, offsets: reach)
            let second = OrderExplorer.draw(base, seed: seed, offsets: reach)
            #expect(first.variant == second.variant)
        }
    }

    @Test("trials that the end of the search stopped say nothing about the target")
    func stopped() async {
        let outcome = await search().run(in: StoppedArena())
        let rounds = outcome.sweeps.map(\.rounds)
        #expect(rounds.allSatisfy { $0 == 0 }, "\(rounds)")
        #expect(outcome.sweeps.allSatisfy { $0.obstacle.isEmpty && !$0.isWhole })
        let text = RaceText.report(outcome, cases: [])
        #expect(!text.contains("cannot run on this target"))
    }
}

@Suite struct VirtualSearchTests {
    @Test(
        "a window of 30 ms is found, named and measured",
        arguments: [
            ("ack-before-apply:window=30ms", "poll-authenticate", Invariant.signInVisible),
            ("delete-loses:window=30ms", "authenticate-delete", .deleteFinal),
            ("device-blind-cache:ttl=30ms", "poll-poll", .tokenIsolation),
            ("sso-vs-login:window=30ms", "sso-authenticate", .oneToken),
            ("poll-erases-approval:window=30ms", "poll-authenticate", .signInDelivered),
        ])
    func faults(fault: String, plan: String, invariant: Invariant) async throws {
        let stage = try await TestStage(
            plans: [plan], faults: [fault], more: "standin: {network: {latency: 200us}}")
        var search = stage.search()
        search.exploresOrders = false
        let outcome = await search.run(in: stage.arena)
        let finding = try #require(outcome.findings.first { $0.invariant == invariant })
        let window = try #require(finding.window)
        let width = invariant == .oneToken ? 60.0 : 30
        #expect(abs(window.width / .milliseconds(1) - width) <= 3)
        #expect(finding.rate.share > 0.9)
    }

    @Test("the same seed finds the same, to the last trial")
    func repeats() async throws {
        func once() async throws -> (RaceOutcome, [RaceFinding]) {
            let stage = try await TestStage(
                plans: ["poll-poll"], faults: ["token-flap:window=30ms,probability=60%"], seed: 7)
            let outcome = await stage.search(trials: 900).run(in: stage.arena)
            return (outcome, outcome.findings)
        }
        let (first, second) = (try await once(), try await once())
        #expect(first.1 == second.1)
        #expect(first.0.trials == second.0.trials)
        #expect(!first.1.isEmpty)
    }

    @Test(
        "whatever broke in a trial is found, wherever the limit comes",
        arguments: [30, 60, 120, 240, 480])
    func limited(trials: Int) async throws {
        let stage = try await TestStage(
            plans: ["poll-authenticate"],
            faults: ["ack-before-apply:window=30ms", "premature-token:probability=30%"])
        let outcome = await stage.search(trials: trials).run(in: stage.arena)
        #expect(outcome.end == .trials && outcome.seen.count > 1, "\(outcome.seen)")
        #expect(outcome.seen.subtracting(outcome.found).isEmpty, "\(outcome.found)")
    }

    @Test(
        "controls are accused of nothing, in no plan and in no order",
        arguments: ["none", "slow", "noisy"])
    func controls(name: String) async throws {
        let stage = try await TestStage(plans: ["all"], faults: [name])
        var search = stage.search(trials: 1100)
        search.terms.perOffset = 1
        let outcome = await search.run(in: stage.arena)
        #expect(
            outcome.findings.isEmpty,
            "\(outcome.findings.map { "\($0.plan): \($0.sentence)" })")
        #expect(outcome.discards < outcome.trials / 2, "\(outcome.discarded)")
    }
}
