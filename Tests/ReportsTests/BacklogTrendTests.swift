import Dialects
import Journal
import Statistics
import Testing
import Vocabulary

@testable import Reports

@Suite("Whether a service kept up through a step of find-limit") struct BacklogTrendTests {
    /// 4 s of warm-up and `length` s that count, with two operations a second; `each` gives what was sent and answered
    /// of each, and how long that took, in milliseconds.
    private func growth(
        _ length: Int = 12, each: (_ second: Int) -> (sent: Int, answered: Int, took: Double)
    ) -> BacklogTrend.Growth? {
        var trend = BacklogTrend(seconds: 4..<4 + length)
        for second in 0..<4 + length + 10 {
            let (sent, answered, took) = each(second)
            for (operation, factor) in [(OperationName.authorize, 1.0), (.pollToken, 0.5)] {
                var cell = Cell(
                    key: Cell.CellKey(second: second, operation: operation, kind: 0))
                cell.sent = sent
                cell.completed = answered
                cell.outcomes[Int(Outcome.ok.rawValue)] = answered
                for _ in 0..<answered {
                    cell.latency.record(.milliseconds(took * factor))
                }
                trend.add(cell)
            }
        }
        return trend.growth
    }

    @Test("where more is due than is answered, a short step is enough to see the backlog grow")
    func grows() throws {
        // 40 of 42 requests a second: each second waits longer than the one before.
        let found = try #require(growth { (21, 20, 60 + 30 * Double($0)) })
        #expect(found.from == 12 && found.to == 30)
    }

    @Test(
        "a service that keeps up is not accused: steady, noisy, or with households that are still becoming more",
        arguments: Seed.samples(50))
    func keepsUp(seed: Seed) {
        var dice = seed.generator()
        #expect(growth { _ in (20, 20, 100) } == nil)
        #expect(
            growth { _ in (20 + dice.below(5), 20 + dice.below(5), 50 + 100 * dice.unit()) } == nil)
        // Twice the requests at the end, each as fast as at the beginning: in flight there are more.
        #expect(growth { (20 + $0, 20 + max(0, $0 - 1), 100) } == nil)
        // Slower, and nothing waits.
        #expect(growth { (20, 20, 60 + 30 * Double($0)) } == nil)
    }

    @Test("a backlog that grows by less than chance makes of so many requests is none")
    func chance() {
        // One more in flight each second, of 200: less than one in 50, which 40 requests more would be by then.
        #expect(growth { (100 + $0 % 2, 100, 60 + 30 * Double($0)) } == nil)
        #expect(growth { (103, 100, 60 + 30 * Double($0)) } != nil)
    }

    @Test("one second's pause of the service hides no backlog that grows before and after it")
    func pause() {
        #expect(
            growth(40) { second in
                let late = second == 8 ? 20 : 0
                let caught = second == 9 ? 20 : 0
                return (23, 20 - late + caught, 60 + 30 * Double(second))
            } != nil)
    }

    @Test(
        "a wave of arrivals that the service has caught up with is no backlog, however slow its responses"
    )
    func wave() {
        // In flight, of both operations, from second 4 on: it is empty in the last quarter, and has more than ever before.
        let waiting = [0, 2, 2, 2, 2, 4, 4, 6, 4, 8, 0, 24, 20]
        func at(_ second: Int) -> Int { waiting[min(max(0, second - 4), waiting.count - 1)] }
        #expect(
            growth { second in
                (20, 20 - (at(second) - at(second - 1)) / 2, 60 + 30 * Double(second))
            } == nil)
    }

    @Test("a step in which the backlog grew is missed, and the result says so")
    func report() throws {
        let base = try LimitReportTests.report()
        var grown = base
        for index in grown.steps.indices where grown.steps[index].rate > 40 {
            let step = grown.steps[index]
            grown.steps[index].growth = BacklogTrend.Growth(from: 4, to: 19)
            grown.steps[index].held = false
            grown.steps[index].readings = step.readings.map {
                LimitReport.Reading(
                    expression: $0.expression, actual: $0.actual, value: $0.value, met: true)
            }
        }
        #expect(
            grown.headline.contains(
                "; more was due than the service answered at rates from 4"), "\(grown.headline)")
        #expect(!grown.headline.contains("was missed at rates"))
        #expect(!base.headline.contains("more was due"))
    }
}
