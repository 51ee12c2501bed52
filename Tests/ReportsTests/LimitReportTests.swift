import Journal
import Rigs
import Statistics
import TestSupport
import Testing
import Vocabulary

@testable import Reports

@Suite("What find-limit leaves") struct LimitReportTests {
    @Test(
        "a step in which the rig was late is repeated once, and the next one says so; late again it is the limit"
    )
    func late() throws {
        let step = try #require(try Self.report().steps.first)
        var search = LimitSteps(.init(from: 1, to: 100))
        var played: [String] = []
        func play(_ came: LimitSteps.Played) {
            guard let (number, rate) = search.begin() else { return }
            played.append("\(number) at \(rate)")
            search.take(came, at: rate)
        }
        play(.late("its process did not run for 1.2 s"))
        #expect(search.ending == nil && search.steps.isEmpty)
        play(.step(step))
        #expect(
            search.steps.map(\.notes) == [
                "repeats step 1, in which the rig was late: its process did not run for 1.2 s"
            ])
        play(.late("it was late"))
        play(.late("it was late again"))
        play(.step(step))
        #expect(played == ["1 at 1.0", "2 at 1.0", "3 at 2.0", "4 at 2.0"])
        #expect(search.steps.count == 1)
        #expect(search.ending == .rigWasLimit(rate: 2, reason: "it was late again"))
    }

    static let thresholds = [
        Threshold(
            subject: .operation(.pollToken), measure: .percentile(0.99, .latency),
            comparison: .below, bound: 250e6, text: "poll-token p99 < 250ms"),
        Threshold(
            subject: .everything, measure: .errors, comparison: .below, bound: 0.01,
            text: "errors < 1%"),
    ]

    /// A service with the limit 42/s, as its steps would tell; `steps`: at most so many.
    static func report(
        _ ending: LimitReport.Ending? = nil, steps most: Int = 30, from: Double = 1,
        limit: Double = 42, missesBoth: Bool = false
    ) throws -> LimitReport {
        var search = LimitSearch(.init(from: from, to: 100, stepsAtMost: most))
        let part = try SteadyPart(
            Sample(), seconds: 2..<12, findings: nil)
        var steps: [LimitReport.Step] = []
        while let rate = search.next {
            let milliseconds = 20 / max(0.02, 1 - rate / (limit / 0.92))
            let held = rate < limit
            search.note(rate: rate, held: held)
            steps.append(
                LimitReport.Step(
                    number: steps.count + 1, rate: rate, seed: UInt64(steps.count),
                    run: "step-\(steps.count + 1)", part, violations: 0,
                    readings: [
                        .init(
                            expression: "poll-token p99 < 250ms",
                            actual: "\(Int(milliseconds)) ms", value: milliseconds * 1e6,
                            met: held),
                        .init(
                            expression: "errors < 1%", actual: "0 %", value: 0,
                            met: held || !missesBoth),
                    ], held: held, remark: ""))
            if ending != nil, steps.count == most { break }
        }
        return LimitReport(
            LimitReport.About(
                rig: "limit <&>", target: "http://127.0.0.1:8080", version: "1.2.3",
                started: "2026-11-25T07:00:00Z", seed: 7, isVirtual: false,
                thresholds: thresholds, stepSeconds: 60, warmUpSeconds: 9), search, steps: steps,
            ending: ending ?? search.ending.map { .init($0) } ?? .interrupted)
    }

    @Test("its files are those that were reviewed")
    func files() throws {
        let report = try Self.report()
        for (name, text) in report.files { try Golden.expect(text, is: "limit/\(name)") }
        #expect(!(report.files.last?.text.contains("<&>") ?? true))
        let interval = try #require(report.interval)
        #expect(interval.contains(42) && report.limit.map(interval.contains) == true)
    }

    @Test("one threshold was missed, several were")
    func plural() throws {
        let one = try Self.report(from: 60)
        #expect(one.headline.contains("poll-token p99 < 250ms was missed already there"))
        let both = try Self.report(from: 60, missesBoth: true)
        #expect(both.headline.contains(" and 1 more were missed already there"))
    }

    @Test("a search in which every step was missed found no rate that the service carries")
    func nothingHeld() throws {
        let missed = try Self.report(steps: 1, from: 60)
        #expect(
            missed.nothingHeld && missed.headline.hasSuffix("lower --from, or raise --max-steps."))
        let held = try Self.report(steps: 1)
        #expect(!held.nothingHeld && held.headline.hasSuffix("; raise --max-steps."))
    }

    @Test("a limit at which much was throttled may be the throttle's")
    func throttled() throws {
        var report = try Self.report()
        #expect(!report.headline.contains("throttled"))
        report.steps[0].throttledShare = 0.6
        #expect(
            report.headline.contains(
                " Up to 60 % of the requests were throttled (429) in steps that held"),
            "\(report.headline)")
    }

    @Test("each way to end has its sentence")
    func headlines() throws {
        let all: [(LimitReport, String)] = [
            (try Self.report(), "Limit: "), (try Self.report(steps: 9), "The interval is wider"),
            (try Self.report(steps: 3), "No limit found in 3 steps"),
            (try Self.report(limit: 1000), "No limit up to 100 households/s"),
            (try Self.report(from: 60), "The limit is below 60.0 households/s"),
            (
                try Self.report(.rigWasLimit(rate: 64, reason: "it was late"), steps: 4),
                "The rig, not the service, was the limit at 64.0 households/s: it was late"
            ),
            (
                try Self.report(.interrupted, steps: 8),
                "Interrupted after 8 steps: the service's limit lies"
            ),
            (try Self.report(.couldNotRun("no answer"), steps: 1), "Could not run: no answer."),
        ]
        for (report, words) in all {
            #expect(report.headline.contains(words), "\(report.headline)")
        }
        try Golden.expect(
            all.map { $0.0.headline + "\n" }.joined(), is: "limit/headlines.txt")
    }

    @Test(
        "only what ended in the steady part counts, and what timed out took that long")
    func steady() throws {
        let sample = Sample()
        let whole = try SteadyPart(
            sample, seconds: 0..<10_000, findings: nil)
        let part = try SteadyPart(sample, seconds: 2..<6, findings: nil)
        let sum = part.sum(nil, kind: nil)
        #expect(sum.sent > 0 && sum.sent < whole.sum(nil, kind: nil).sent)
        #expect(part.households == sample.records.count { (2..<6).contains($0.arrived.second) })
        let all = whole.sum(nil, kind: nil)
        let lost = all[.timeout]
        #expect(lost > 0 && all.latency.count == all.completed + lost)
        #expect(all.latency.count(above: 1_990_000_000) >= lost)
        #expect(part.requestsPerSecond == Double(sum.completed) / 4)
    }
}
