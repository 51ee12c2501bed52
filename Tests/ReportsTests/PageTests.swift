import Foundation
import Journal
import Rigs
import Statistics
import Testing
import Vocabulary

@testable import Reports

@Suite("The page")
struct PageTests {
    private static let page = Result { try FilesTests.evening.get()["report.html"] }

    @Test("its sections come in the order of a reader's questions")
    func order() throws {
        let page = try Self.page.get()
        let titles = page.matches(of: #/<h2 id="([a-z-]+)-h">/#).map { String($0.1) }
        #expect(
            titles == [
                "thresholds", "households", "latency", "timeline", "load", "sign-in", "errors",
                "slowest", "rig", "run",
            ])
        let verdict = try #require(page.firstRange(of: "role=\"status\""))
        let first = try #require(page.firstRange(of: "<section"))
        #expect(verdict.lowerBound < first.lowerBound)
    }

    @Test("every drawing has a name, every table a caption and headers with a scope")
    func names() throws {
        let page = try Self.page.get()
        for drawing in page.matches(of: #/<svg ([^>]*)>/#) {
            let isInner = drawing.1.contains("class=\"win\"")
            #expect(isInner || drawing.1.contains("role=\"img\""))
            #expect(
                isInner || drawing.1.contains("aria-labelledby=")
                    || drawing.1.contains("aria-label="))
        }
        #expect(page.matches(of: #/<table/#).count == page.matches(of: #/<caption/#).count)
        #expect(
            page.matches(of: #/<th /#).count == page.matches(of: #/<th scope="(col|row)"/#).count)
        for landmark in ["<header>", "<main>", "<footer>", "<nav aria-label="] {
            #expect(page.contains(landmark))
        }
        #expect(page.contains("lang=\"en\""))
    }

    @Test("charts over time say where each stage of the load begins")
    func stages() throws {
        let page = try Self.page.get()
        for name in [">to 2/s<", ">hold 2/s<", ">no more arrivals<"] {
            #expect(page.contains(name))
        }
        #expect(page.matches(of: #/class="stage"/#).count >= 3 * 4)
    }

    @Test("a simulated run shows no date")
    func virtual() throws {
        let page = try Rendered(Sample(Shape(households: 3, isVirtual: true)))["report.html"]
        let head = page.prefix(upTo: try #require(page.firstRange(of: "<main>")).lowerBound)
        #expect(head.contains("simulated in virtual time"))
        #expect(!head.contains("2026-"))
        #expect(page.contains("virtual time, which always begins at"))
    }

    @Test("small curves of one table have one axis of time")
    func sparklines() throws {
        let summary = try FilesTests.evening.get().written.summary
        #expect(Set(summary.operations.map(\.trend.count)).count == 1)
        let through = Double(summary.operations[0].trend.count * summary.trendWidth)
        #expect(through >= summary.run.seconds)
    }

    @Test("stages of a load, in their order, with their times")
    func loads() {
        let load = Load.open(
            .init(stages: [
                .ramp(to: Rate(perSecond: 20), over: .seconds(10)), .hold(.seconds(30)),
                .ramp(to: Rate(perSecond: 50), over: .zero), .hold(.milliseconds(1500)),
            ]))
        #expect(
            LoadStage.stages(of: load) == [
                LoadStage(name: "to 20/s", from: 0, through: 10),
                LoadStage(name: "hold 20/s", from: 10, through: 40),
                LoadStage(name: "hold 50/s", from: 40, through: 41.5),
            ])
        #expect(
            LoadStage.stages(of: .closed(households: 1500, for: .seconds(60), settle: .zero))
                == [LoadStage(name: "1,500 at a time", from: 0, through: 60)])
        #expect(LoadStage.stages(of: .once(households: 3, settle: .zero)).isEmpty)
    }

    @Test(
        "a heat map holds every answer, each in the row of its latency", arguments: Seed.samples(10)
    )
    func heat(seed: Seed) throws {
        var dice = seed.generator()
        var columns = [Histogram](repeating: Histogram(), count: 5)
        for _ in 0..<500 {
            columns[dice.below(5)].record(.microseconds(200 + Int64(40_000 * dice.unit())))
        }
        let heat = try #require(HeatMap(columns, width: 2))
        #expect(heat.counts.map { $0.reduce(0, +) } == columns.map(\.count))
        let smallest = try #require(columns.filter { $0.count > 0 }.map(\.smallest).min())
        let largest = try #require(columns.map(\.largest).max())
        #expect(heat.low <= Double(smallest) / 1e6 && heat.edge(1) > Double(smallest) / 1e6 * 0.99)
        #expect(heat.high >= Double(largest) / 1e6)
        #expect(HeatMap([Histogram()], width: 1) == nil)
    }

    @Test("the slowest households are those whose sign-in cost the service most, slowest first")
    func slowest() throws {
        let sample = Sample(Shape(households: 40))
        let summary = try FilesTests.evening.get().written.summary
        let wanted = sample.records.filter { $0.signInService != nil }
            .sorted { $0.signInService! > $1.signInService! }.prefix(Slowest.limit)
        #expect(summary.slowest.map(\.household) == wanted.map(\.household))
        for waterfall in summary.slowest {
            let own = try sample.exchanges(household: waterfall.household)
            let shown = waterfall.rows.flatMap { $0.bars.map(\.sequence) }
            #expect(Set(shown).count == shown.count)
            #expect(Set(shown).isSubset(of: own.map(\.sequence)))
            #expect(
                shown.count
                    >= own.count { $0.ended <= sample.records[waterfall.household].tokenSeen! })
            #expect(waterfall.marks.map(\.name) == ["code shown", "phone done", "token seen"])
        }
    }
}
