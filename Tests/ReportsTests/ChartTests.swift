import Formats
import Statistics
import Testing

@testable import Rendering
@testable import Reports

@Suite("Charts")
struct ChartTests {
    @Test(
        "steps of an axis are round",
        arguments: [
            (0.9, 1), (1, 1), (1.1, 2), (2.1, 2.5), (2.6, 5), (5.1, 10), (0.03, 0.05), (700, 1000),
            (0, 1), (.infinity, 1),
        ] as [(Double, Double)])
    func steps(wanted: Double, step: Double) {
        #expect(abs(Scale.roundStep(wanted) - step) < 1e-9)
    }

    @Test(
        "a linear axis begins at 0 and ends at a round number above the top",
        arguments: Seed.samples(50))
    func upward(seed: Seed) {
        var dice = seed.generator()
        let top = dice.unit() * [0.01, 1, 100, 1e6][dice.below(4)]
        let axis = Axis.upward(to: top) { DecimalText.trimmed($0, 6) }
        #expect(axis.low == 0)
        #expect(axis.high >= top * 0.999_999 && axis.high <= max(top * 2, 1))
        #expect((2...8).contains(axis.ticks.count))
        #expect(Set(axis.ticks.map(\.label)).count == axis.ticks.count)
    }

    @Test("a logarithmic axis holds all values, with ticks at 1, 2, 5", arguments: Seed.samples(50))
    func logarithmic(seed: Seed) {
        var dice = seed.generator()
        let values = (0..<5).map { _ in 0.01 + dice.unit() * [1, 100, 10_000][dice.below(3)] }
        let axis = Axis.milliseconds(around: values)
        #expect(axis.low <= values.min()! && axis.high >= values.max()!)
        #expect((2...20).contains(axis.ticks.count))
        for value in values { #expect((0...1).contains(axis.share(value))) }
        #expect(axis.share(axis.low) == 0 && axis.share(axis.high) == 1)
    }

    @Test("each further nine is as wide as the one before")
    func nines() {
        let axis = Axis.percentiles(through: 0.9999)
        for (share, place) in [(0, 0), (0.9, 0.25), (0.99, 0.5), (0.999, 0.75), (0.9999, 1)] {
            #expect(abs(axis.share(share) - place) < 1e-9)
        }
        #expect(
            axis.ticks.map(\.label) == ["0 %", "50 %", "75 %", "90 %", "99 %", "99.9 %", "99.99 %"])
    }

    @Test("ticks that would lie on each other are those of whole decades and the ends")
    func fewTicks() {
        let axis = Axis.milliseconds(around: [0.2, 47], ticks: 7)
        #expect(axis.ticks.map(\.label) == ["0.2 ms", "1 ms", "10 ms", "50 ms"])
        #expect(Axis.milliseconds(around: [0.2, 47]).ticks.count == 8)
        #expect(Axis.milliseconds(around: [2, 47], ticks: 7).ticks.count == 5)
    }

    @Test("values between two round numbers are still told by the ends of their axis")
    func narrow() {
        let axis = Axis.milliseconds(from: 3.16, to: 4.64)
        #expect(axis.ticks.map(\.label) == ["3.16 ms", "4.64 ms"])
        #expect(Axis.milliseconds(from: 0.9, to: 30).ticks.count >= 4)
    }

    @Test("labels move apart and keep their order", arguments: Seed.samples(50))
    func labels(seed: Seed) {
        var dice = seed.generator()
        let wanted = (0..<6).map { _ in dice.unit() * 300 }
        let places = Plot.spread(wanted, gap: 18, within: 0...300)
        let order = wanted.indices.sorted { wanted[$0] < wanted[$1] }
        for (upper, lower) in zip(order, order.dropFirst()) {
            #expect(places[lower] - places[upper] >= 18 - 1e-9)
        }
        #expect(places.allSatisfy { (-1e-9...300.000_001).contains($0) })
    }

    @Test("a gap breaks a line, and a lone point becomes a dot")
    func gaps() {
        let plot = Plot(x: .time(through: 10), y: .upward(to: 1) { _ in "" })
        let points: [(Double, Double?)] = [
            (0, 1), (1, 1), (2, nil), (3, 0.5), (4, nil), (5, 1), (6, 0),
        ]
        let drawn = plot.line(points, class: "s1").text
        #expect(drawn.split(separator: "M").count - 1 == 2)
        #expect(drawn.split(separator: "<circle").count - 1 == 1)
    }

    @Test("buckets widen in steps that a clock has, and lose nothing")
    func buckets() {
        var buckets = TimeBuckets<Tally>(limit: 10)
        for (second, width) in [(3, 1), (9, 1), (10, 5), (49, 5), (50, 15), (149, 15), (150, 60)] {
            buckets.update(second: second) { $0.count += 1 }
            #expect(buckets.width == width)
            #expect(buckets.values.count <= 10)
        }
        #expect(buckets.values.map(\.count).reduce(0, +) == 7)
        #expect(buckets.values.map(\.count) == [5, 0, 2])
    }

    private struct Tally: Mergeable {
        var count = 0
        mutating func merge(_ other: Tally) { count += other.count }
    }

    @Test("bins hold every sign-in, in round steps", arguments: Seed.samples(30))
    func bins(seed: Seed) throws {
        var dice = seed.generator()
        var histogram = Histogram()
        let count = 1 + dice.below(400)
        for _ in 0..<count {
            histogram.record(.milliseconds(1000 + Int64(20_000 * dice.unit() * dice.unit())))
        }
        let bins = try #require(Bins(histogram))
        #expect(bins.counts.reduce(0, +) + bins.beyond == count)
        #expect(bins.beyond <= max(1, count / 100))
        #expect(bins.counts.count <= 40)
        #expect(Scale.roundStep(bins.width) == bins.width)
        #expect(Bins(Histogram()) == nil)
    }

    @Test("a single value a rounding error before the edge of its bin is in that bin")
    func roundedEdge() throws {
        var histogram = Histogram()
        histogram.record(1_638_450)
        let bins = try #require(Bins(histogram))
        #expect(bins.counts == [1] && bins.beyond == 0)
    }

    @Test("the percentile curve goes as far as there are values, and ends with the slowest")
    func curve() throws {
        let rendered = try FilesTests.evening.get()
        for row in rendered.written.summary.operations {
            let last = try #require(row.curve.last)
            let count = try #require(row.latency?.count)
            #expect(abs((1 - last.share) * Double(count) - 1) < 1e-6)
            #expect(last.ms == row.latency?.max)
            #expect(zip(row.curve, row.curve.dropFirst()).allSatisfy { $0.ms <= $1.ms })
            #expect(row.curve.first?.ms == row.latency?.min)
        }
    }
}
