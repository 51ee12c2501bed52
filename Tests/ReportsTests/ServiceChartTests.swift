import Rigs
import Statistics
import Testing
import Vocabulary

@testable import Rendering
@testable import Reports
@testable import Trends

@Suite("Charts that answer a question at a glance")
struct ServiceChartTests {
    private static func threshold(
        _ subject: Threshold.Subject, _ measure: Threshold.Measure, _ bound: Double, _ text: String
    ) -> Threshold {
        Threshold(
            subject: subject, measure: measure, comparison: .below, bound: bound, text: text)
    }

    private static let thresholds = [
        threshold(
            .operation(.pollToken), .percentile(0.99, .latency), 250e6, "poll-token p99 < 250ms"),
        threshold(.everything, .errors, 0.01, "errors < 1%"),
        threshold(.signIn, .percentile(0.95, .latency), 60e9, "sign-in p95 < 60s"),
        threshold(.householdsFailed, .share, 0.05, "households failed < 5%"),
    ]

    private static let summary = Result {
        try Summary(RunFold(Sample(Shape(households: 40))), thresholds: thresholds)
    }

    @Test("a threshold is a line in the chart of what it is about")
    func limits() throws {
        let summary = try Self.summary.get()
        let marks = summary.thresholds.map(\.mark)
        #expect(marks[0] == .init(chart: .operation("poll-token"), value: 250))
        #expect(marks[1] == .init(chart: .errors, value: 1))
        #expect(marks[2] == .init(chart: .signIn, value: 60_000))
        #expect(marks[3] == nil)
        let page = ReportPage.text(summary)
        for result in summary.thresholds.dropLast() {
            let words = HTML("\(result.expression)").text
            #expect(
                page.contains(
                    try Regex("limit-name[^>]*>\\s*\(words.replacing(".", with: "\\."))")),
                "\(words)")
        }
        #expect(!page.contains(try Regex("limit-name[^>]*>\\s*households")))
    }

    @Test("a run beside an earlier one has its lines in pale, and without one has none")
    func overlay() throws {
        var summary = try Self.summary.get()
        #expect(!ReportPage.text(summary).contains("class=\"line before\""))
        summary.earlier = EarlierRun(summary)
        let page = ReportPage.text(summary)
        // Waiting, answered, two of latency, errors, operations, kinds and the distribution of sign-ins.
        #expect(page.matches(of: #/class="line before"/#).count >= 8)
        #expect(page.contains("the last comparable run.") && page.contains("earlier run"))
    }

    @Test(
        "status codes are lines of their own, as many as there are colours for their class",
        arguments: [
            ([200, 404], ["200", "404"]),
            ([200, 201, 202, 302], ["200", "other 2xx", "302"]),
            ([302, 303, 307], ["302", "other 3xx"]),
            (
                [0, 400, 404, 410, 429, 500, 503],
                ["400", "other 4xx", "500", "503", "no response"]
            ),
            ([], []),
        ] as [([Int], [String])])
    func statuses(codes: [Int], names: [String]) {
        // The smaller the code, the more often it came.
        let rates = Dictionary(
            uniqueKeysWithValues: codes.map { ($0, [1000 - Double($0), 1, 0]) })
        let lines = StatusLine.lines(rates)
        #expect(lines.map(\.name) == names)
        let drawn = lines.flatMap(\.values).reduce(0, +)
        #expect(drawn == rates.values.flatMap(\.self).reduce(0, +))
    }

    @Test("every response and every request without one is in the chart of status codes")
    func counted() throws {
        let summary = try Self.summary.get()
        let course = summary.course
        let drawn = course.statuses.values.flatMap(\.self).reduce(0, +) * Double(course.width)
        let ended = summary.operations.map(\.completed).reduce(0, +)
        let unanswered = (course.statuses[0] ?? []).reduce(0, +) * Double(course.width)
        #expect(abs(drawn - unanswered - Double(ended)) < 0.5)
    }

    @Test("slow operations and kinds have a line, in the order of the percentile curves")
    func operations() throws {
        let summary = try Self.summary.get()
        let lines = TimelineCharts.operations(summary)
        // A threshold names it.
        #expect(lines.first?.name == "poll-token")
        #expect(lines.count <= PercentileChart.named && Set(lines.map(\.name)).count == lines.count)
        let page = ReportPage.text(summary)
        #expect(page.contains("Latency by operation, p95"))
        #expect(page.contains("Responses per second by status code"))
        #expect(page.contains("Latency by kind of household, p95"))
    }

    @Test("the slowest sign-ins have a bar of their own, and a threshold beyond the axis is named")
    func tail() throws {
        var histogram = Histogram()
        for index in 0..<1_000 { histogram.record(.milliseconds(1_000 + Int64(index))) }
        for _ in 0..<4 { histogram.record(.seconds(90)) }
        let bins = try #require(Bins(histogram))
        #expect(bins.beyond == 4)
        let spread = try #require(Spread(histogram))
        let limit = try #require(
            try Self.summary.get().thresholds.first { $0.mark?.chart == .signIn })
        let chart = SignInChart(bins: bins, spread: spread, limits: [limit]).html.text
        #expect(chart.contains("class=\"bar tail\"") && chart.contains("4 households"))
        #expect(chart.contains("further right"))
        var near = Histogram()
        for index in 0..<100 { near.record(.milliseconds(1_000 + Int64(index))) }
        let all = SignInChart(
            bins: try #require(Bins(near)), spread: try #require(Spread(near))
        ).html.text
        #expect(!all.contains("bar tail"))
    }

    @Test("groups of households are set side by side where there are several")
    func spreads() throws {
        var histogram = Histogram()
        histogram.record(.seconds(2))
        let spread = try #require(Spread(histogram))
        #expect(SpreadChart("x", id: "x", [("a", spread), ("b", nil)]).html == .none)
        let both = SpreadChart("x", id: "x", [("a<b", spread), ("b", spread)]).html.text
        #expect(both.matches(of: #/<rect/#).count == 2 && both.contains("a&lt;b"))
    }

    @Test("a table of cards names the column in each cell, without markup")
    func cards() {
        let table = Rendering.Table(
            caption: "x",
            columns: [
                .text("Row"), .number("Time <span class=\"unit\">ms</span>"), .verdict("Verdict"),
            ],
            rows: [["a", "1", "ok"]], isCards: true
        ).html.text
        #expect(table.contains("<table class=\"cards\">"))
        #expect(table.contains("<td class=\"n\" data-h=\"Time ms\">1</td>"))
        #expect(table.contains("<td class=\"v\" data-h=\"Verdict\">ok</td>"))
        #expect(table.contains("<th scope=\"row\">a</th>"))
        let numbered = Rendering.Table(
            caption: "x", columns: [.number("Shard"), .text("Host")], rows: [["3", "a"]],
            isSortable: true, isCards: true
        ).html.text
        #expect(numbered.contains("<table class=\"sortable cards\">"))
        #expect(numbered.contains("<th scope=\"row\" data-h=\"Shard\">3</th>"))
    }

    @Test(
        "an interval that goes on beyond the scale has an arrow there, and one within it has none")
    func clipped() {
        func mark(_ low: Double, _ high: Double, reach: Double) -> String {
            let row = Comparison.Row(
                subject: "poll-token", statistic: "p95", unit: .milliseconds, base: 100,
                run: 100 + (low + high) / 2, baseCount: 100, runCount: 100, low: low, high: high,
                sure: 1, verdict: .worse, isSmall: false)
            var scale = IntervalMark.Scale([row])
            scale.reach = reach
            return IntervalMark(row: row, scale: scale).html.text
        }
        #expect(!mark(10, 40, reach: 0.5).contains("<path"))
        #expect(mark(10, 80, reach: 0.5).matches(of: #/<path/#).count == 1)
        let both = mark(-300, 700, reach: 2)
        #expect(both.matches(of: #/<path/#).count == 2)
        // Where the value itself is beyond, no dot pretends to be it.
        #expect(mark(300, 700, reach: 2).contains("<circle") == false)
    }

    @Test("a page that compares has each value once")
    func once() throws {
        let page = ComparisonPage.text(try ComparisonTests.worse.get())
        let names = page.matches(of: #/<span class="name">([^<]+)</span>/#).map { String($0.1) }
        #expect(names.count > 20 && Set(names).count == names.count)
    }
}
