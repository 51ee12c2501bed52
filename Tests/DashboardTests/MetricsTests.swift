import Journal
import Reports
import Testing
import Vocabulary

@testable import Dashboard

@Suite("Metrics") struct MetricsTests {
    private static func page(_ state: LiveState = Samples.state) throws -> PrometheusReader {
        try PrometheusReader(Metrics.text(state, Samples.subject))
    }

    @Test("a strict reader takes them: HELP, TYPE and samples of each together, nothing twice")
    func strict() throws {
        let page = try Self.page()
        #expect(page.metrics.count == 15)
        for (name, metric) in page.metrics {
            #expect(name.hasPrefix("screenrig_") && metric.help.hasSuffix("."), "\(name)")
            #expect((metric.type == "counter") == name.hasSuffix("_total"), "\(name)")
        }
    }

    @Test("whatever stands in a name comes out as it went in")
    func escaping() throws {
        let info = try #require(try Self.page().metrics["screenrig_info"]?.samples.first)
        #expect(info.labels["rig"] == Samples.subject.rig)
        #expect(info.labels["run"] == "a-rig-20261121T070000Z")
        #expect(info.value == 1)
    }

    @Test(
        "of a shard each sample carries its number, and info says of how many; of a whole run none does"
    )
    func shard() throws {
        var subject = Samples.subject
        subject.shard = .init(number: 3, count: 8)
        let page = try PrometheusReader(Metrics.text(Samples.state, subject))
        let samples = page.metrics.values.flatMap(\.samples)
        #expect(samples.count > 100 && samples.allSatisfy { $0.labels["shard"] == "3" })
        #expect(page.metrics["screenrig_info"]?.samples.first?.labels["shards"] == "8")
        #expect(page["screenrig_shards", ["shard": "3"]] == 8)
        let whole = try Self.page().metrics.values.flatMap(\.samples)
        #expect(whole.allSatisfy { $0.labels["shard"] == nil && $0.labels["shards"] == nil })
    }

    @Test("counts are those of the run")
    func counts() throws {
        let page = try Self.page()
        let poll = ["operation": "poll-token"]
        #expect(page["screenrig_requests_sent_total", poll] == 101)
        #expect(page["screenrig_errors_total", poll] == 1)
        let outcomes = page.metrics["screenrig_exchanges_total"]?.samples ?? []
        #expect(outcomes.reduce(0) { $0 + $1.value } == 128)
        #expect(
            page["screenrig_exchanges_total", ["operation": "poll-token", "outcome": "pending"]]
                == 60)
        #expect(page["screenrig_households", ["state": "signed-in"]] == 9)
        #expect(page["screenrig_households", ["state": "running"]] == 7)
        #expect(page["screenrig_households_at", ["stage": "code-shown"]] == 7)
        #expect(page["screenrig_households_planned", [:]] == 20)
        #expect(page["screenrig_elapsed_seconds", [:]] == 65)
        #expect(page["screenrig_requests_held_back_total", [:]] == 5)
        #expect(page["screenrig_violations", ["invariant": "sign-in-visible"]] == 2)
        #expect(page.metrics["screenrig_violations"]?.samples.count == Invariant.allCases.count)
    }

    @Test("buckets are cumulative, end in +Inf, and agree with count and sum")
    func histogram() throws {
        let page = try Self.page()
        let name = "screenrig_latency_seconds"
        for operation in ["poll-token", "logout"] {
            let buckets = (page.metrics[name]?.samples ?? [])
                .filter { $0.name == "\(name)_bucket" && $0.labels["operation"] == operation }
            let bounds = buckets.map { Double($0.labels["le"]!.replacing("+Inf", with: "inf"))! }
            #expect(bounds == bounds.sorted() && bounds.last == .infinity)
            #expect(bounds.dropLast() == LiveMetrics.bounds[...])
            let values = buckets.map(\.value)
            #expect(values == values.sorted())
            #expect(values.last == page["\(name)_count", ["operation": operation]])
        }
        // 1 ms to 100 ms, one of each.
        let poll = ["operation": "poll-token"]
        #expect(page["\(name)_sum", poll].map { abs($0 - 5.05) < 1e-9 } == true)
        for (bound, count) in [("0.0005", 0.0), ("0.01", 10), ("0.025", 25), ("0.05", 50)] {
            let found = try #require(page["\(name)_bucket", poll.merging(["le": bound]) { $1 }])
            #expect(abs(found - count) <= 1, "\(bound)")
        }
        // What is beyond the last bound is in +Inf only.
        #expect(page["\(name)_bucket", ["operation": "logout", "le": "30"]] == 0)
    }

    @Test("a run that has not begun, and one that nobody judges, read as well")
    func empty() throws {
        let page = try Self.page(LiveState(title: "", progress: Progress()))
        #expect(page.metrics["screenrig_violations"] == nil)
        #expect(page.metrics["screenrig_households_planned"] == nil)
        #expect(page["screenrig_lateness_seconds_count", [:]] == 0)
    }

    @Test(
        "numbers are written as a parser of floats reads them",
        arguments: [
            (0.0, "0"), (12, "12"), (0.0005, "0.0005"), (1.5, "1.5"), (-3, "-3"),
            (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (1e18, "1e+18"),
        ] as [(Double, String)])
    func numbers(value: Double, text: String) {
        #expect(Exposition.number(value) == text)
    }
}
