import Checker
import Reports
import Rigs
import Statistics
import TestSupport
import Testing
import Vocabulary

/// What reports say of windows, against windows that were planted: rigs in virtual time, once without a
/// fault and once with it, by seed (docs/worth.md).
@Suite("What a pass is worth, against planted windows")
struct WorthTests {
    private static let seeds = 1...100
    private static let households = 20

    /// Polls every 2 s, viewers who take from 1.5 to 9.5 s: a window of 60 ms is hit in 3 % of sign-ins.
    private static func rig(
        _ seed: Int, _ more: [(String, String)] = [], fault: String? = nil
    ) throws -> Rig {
        let reading = try Rig.read(
            contentsOf: Repository.rigs.appending(path: "second-screen.yaml").path,
            with: RigSurroundings(
                overrides: [
                    ("seed", "\(seed)"), ("polling.every", "2s"),
                    ("kinds.0.viewer.notices-code", "fixed 500ms"),
                    ("kinds.0.viewer.signs-in", "uniform(1s, 9s)"),
                    ("standin.network.latency", "fixed 1ms"), ("standin.throttle", "off"),
                    ("load.arrivals.0.ramp-to", "10/s"),
                    ("load.arrivals.1.hold", "\(households * 100)ms"),
                    ("after-sign-in", "[authorize]"),
                ].map { (path: $0.0, value: $0.1) } + more.map { (path: $0.0, value: $0.1) },
                target: .embedded))
        var rig = reading.rig
        rig.thresholds = []
        rig.shows = []
        let place = Place(file: "test", line: 1, column: 1)
        rig.faults = fault.map { [Rig.FaultTerms($0, at: place)] } ?? []
        return rig
    }

    private static func verdict(_ rig: Rig, _ invariant: Invariant) throws -> Verdict {
        try JudgeTests.findings(Rehearsal(rig))[invariant]
    }

    /// Of the runs without a fault, by seed; made once for all tests.
    private static let clean = Result {
        try seeds.map { seed in
            let clean = try verdict(rig(seed), .signInVisible)
            let exposure = try #require(clean.exposure)
            #expect(clean.violations == 0 && exposure.events == households)
            return exposure
        }
    }

    /// Whether so many hits are within what a share leads to in 99 % of cases.
    private static func isLikely(_ hits: Int, of trials: Int, _ share: Double) -> Bool {
        Interval.exactShare(of: hits, in: trials, confidence: 0.99).contains(share)
    }

    @Test(
        "ack-before-apply is found in the runs whose delays say so, and in as many as were forecast",
        arguments: [20, 60, 150])
    func visibility(milliseconds: Int) throws {
        let window = Int64(milliseconds) * 1_000_000
        var found = 0
        var all = WindowExposure()
        for (seed, exposure) in zip(Self.seeds, try Self.clean.get()) {
            all.merge(exposure)
            let planted = try Self.verdict(
                Self.rig(seed, fault: "ack-before-apply:window=\(milliseconds)ms"), .signInVisible)
            #expect((planted.violations > 0) == (exposure.hits(within: window) > 0), "seed \(seed)")
            if planted.violations > 0 { found += 1 }
        }
        let rig = try Self.rig(1)
        let forecast = PlanEstimate(
            Plan(rig, seed: rig.seed),
            on: MachineLimits(
                descriptors: 1_024, descriptorsAtMost: 20_000, ports: 28_232, cores: 2)
        ).windows
        // A round trip is part of the window.
        let expected = forecast.probability(ofSeeing: Double(window) - 2e6)
        #expect(Self.isLikely(found, of: Self.seeds.count, expected), "\(found), \(expected)")
        // All runs together say of one of them what was found.
        let pooled = TrialCount.probability(
            ofSeeing: all.share(within: window), in: Self.households)
        #expect(Self.isLikely(found, of: Self.seeds.count, pooled), "\(found), \(pooled)")
    }

    @Test(
        "where three of ten sign-ins have the window, fewer runs find it, as many as were predicted"
    )
    func partly() throws {
        let window: Int64 = 150_000_000
        var found = 0
        var all = WindowExposure()
        for (seed, exposure) in zip(Self.seeds, try Self.clean.get()) {
            all.merge(exposure)
            let planted = try Self.verdict(
                Self.rig(seed, fault: "ack-before-apply:window=150ms,probability=30%"),
                .signInVisible)
            if planted.violations > 0 { found += 1 }
        }
        let predicted = TrialCount.probability(
            ofSeeing: 0.3 * all.share(within: window), in: Self.households)
        #expect(Self.isLikely(found, of: Self.seeds.count, predicted), "\(found), \(predicted)")
    }

    @Test("token-flap is found where a poll follows the first token soon enough, and nowhere else")
    func flap() throws {
        let polls = [("polling.after-success", "3s"), ("polling.pollers", "2")]
        var outcomes: Set<Bool> = []
        for (seed, milliseconds) in zip(1...12, [200, 400, 600, 800].cycled) {
            let clean = try Self.verdict(Self.rig(seed, polls), .tokenMonotonic)
            let exposure = try #require(clean.exposure)
            #expect(exposure.events == Self.households)
            let isHit = exposure.hits(within: Int64(milliseconds) * 1_000_000) > 0
            let planted = try Self.verdict(
                Self.rig(seed, polls, fault: "token-flap:window=\(milliseconds)ms"),
                .tokenMonotonic)
            #expect((planted.violations > 0) == isHit, "seed \(seed), \(milliseconds) ms")
            outcomes.insert(isHit)
        }
        #expect(outcomes == [true, false])
    }

    @Test("a run in which nobody polls soon after a sign-in says that it would miss the window")
    func structure() throws {
        let rig = try Rehearsal.standard("smoke.yaml")
        let exposure = try #require(JudgeTests.findings(rig)[.signInVisible].exposure)
        #expect(exposure.events == 8 && exposure.probability(ofSeeing: 30_000_000) == 0)
        let text = TerminalReport.text(
            try Summary(rig.history, thresholds: [], findings: JudgeTests.findings(rig)),
            width: 2_000, color: false)
        #expect(text.contains("a 30 ms window after each sign-in would be missed"))
        #expect(
            text.contains("not tested by this run: expiry-respected, logout-final, delete-final"))
    }
}

extension Array {
    /// From the beginning again, without an end.
    fileprivate var cycled: some Sequence<Element> {
        sequence(state: 0) { position -> Element? in
            defer { position += 1 }
            return self[position % count]
        }
    }
}
