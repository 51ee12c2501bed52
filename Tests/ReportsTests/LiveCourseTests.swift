import Foundation
import Journal
import Statistics
import Testing

@testable import Reports

@Suite("The course of a run that goes on")
struct LiveCourseTests {
    /// Progress in steps of random length, and all that happened.
    private static func run(_ seed: Seed, steps: Int, longest: Int) -> (
        LiveCourse, Journal.Progress
    ) {
        var dice = seed.generator()
        var course = LiveCourse()
        var progress = Journal.Progress()
        for _ in 0..<steps {
            progress.elapsed = progress.elapsed + .milliseconds(dice.below(longest) + 1)
            progress.completed += dice.below(500)
            progress.errors += dice.below(20)
            progress.households.started += dice.below(50)
            progress.recentLatency = Histogram()
            for _ in 0..<dice.below(5) {
                progress.recentLatency.record(.milliseconds(dice.below(900) + 1))
            }
            course.add(progress)
        }
        return (course, progress)
    }

    @Test("adds up to the run, however long it is and however its steps lie", arguments: 1...20)
    func sums(number: Int) {
        let (steps, longest) = number.isMultiple(of: 2) ? (50, 2_000) : (300, 90_000)
        let (course, progress) = Self.run(Seed(UInt64(number)), steps: steps, longest: longest)
        let points = course.points
        #expect(points.count <= 300)
        func total(_ rate: (Course.Point) -> Double) -> Double {
            points.reduce(0) { $0 + rate($1) } * Double(course.width)
        }
        #expect(abs(total(\.completed) - Double(progress.completed)) < 0.01)
        #expect(abs(total(\.errors) - Double(progress.errors)) < 0.01)
        #expect(abs(total(\.arrivals) - Double(progress.households.started)) < 0.01)
        #expect(points.map(\.from) == points.indices.map { $0 * course.width })
    }

    @Test("an interval that lies across two seconds is divided between them")
    func divided() {
        var course = LiveCourse()
        var progress = Journal.Progress()
        for step in 1...4 {
            progress.elapsed = Instant(.milliseconds(800 * step))
            progress.completed += 80
            course.add(progress)
        }
        let rates = course.points.map { $0.completed.rounded() }
        #expect(rates == [100, 100, 100, 20])
    }

    @Test("charts leave out the second under way, which would look like a collapse")
    func underWay() {
        var course = LiveCourse()
        var progress = Journal.Progress()
        for step in 1...4 {
            progress.elapsed = Instant(.milliseconds(800 * step))
            progress.completed += 80
            course.add(progress)
        }
        #expect(course.shown.map { $0.completed.rounded() } == [100, 100, 100])
        progress.elapsed = Instant(.seconds(4))
        progress.completed += 80
        course.add(progress)
        #expect(course.shown.map { $0.completed.rounded() } == [100, 100, 100, 100])
    }

    @Test("the same state twice is counted once")
    func twice() {
        var course = LiveCourse()
        var progress = Journal.Progress()
        progress.elapsed = Instant(.seconds(1))
        progress.completed = 10
        progress.recentLatency.record(.milliseconds(5))
        course.add(progress)
        let before = course.points
        course.add(progress)
        #expect(course.points == before)
    }

    @Test("the board is one line of JSON with every number of the state")
    func board() throws {
        var board = LiveBoard(LiveTests.busy)
        var state = LiveTests.busy
        var work = Journal.Progress.Work(.logout)
        work.completed = 3
        work.outcomes[0] = 3
        for step in 1...3 { work.latency.record(.milliseconds(step * 10)) }
        state.progress.works = [work]
        state.findings = LiveFindings()
        state.findings?.counts = [.init(.oneOwner, violations: 2)]
        board.take(state)
        let text = board.json
        #expect(!text.contains { $0.isNewline })
        let read = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let rows = try #require(read["operations"] as? [[String: Any]])
        #expect(rows.count == 1 && rows[0]["count"] as? Int == 3)
        let latency = rows[0]["latencyMs"] as? [String: Double]
        #expect(latency?["p50"].map { abs($0 - 20) < 0.1 } == true && latency?["max"] == 30)
        #expect((read["findings"] as? [String: Any])?["violations"] as? Int == 2)
        let course = read["course"] as? [String: Any]
        #expect((course?["completed"] as? [Double])?.reduce(0, +).rounded() == 12_345)
        #expect(read["ended"] is NSNull)
        board.end(.init(path: "reports/x", outcome: "fail", headline: "Failed: a\nb."))
        let ended = try JSONSerialization.jsonObject(with: Data(board.json.utf8)) as? [String: Any]
        #expect((ended?["ended"] as? [String: Any])?["outcome"] as? String == "fail")
    }
}
