import Statistics
import Testing

@Suite("Histograms")
struct HistogramTests {
    /// Values over many octaves, as latencies are.
    private func values(_ seed: Seed, _ count: Int) -> [Int64] {
        var dice = seed.generator()
        return (0..<count).map { _ in Int64(dice.next() >> UInt64(20 + dice.below(40))) }
    }

    @Test("percentiles are within 0.4 % of a sorted array's", arguments: Seed.samples(30))
    func percentiles(seed: Seed) throws {
        let values = values(seed, 1_000)
        var histogram = Histogram()
        for value in values { histogram.record(value) }
        let sorted = values.sorted()
        for share in [0, 0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1] {
            let exact = sorted[max(0, Int((share * 1_000).rounded(.up)) - 1)]
            let found = try #require(histogram.value(atShare: share))
            #expect(abs(Double(found - exact)) <= 0.004 * Double(exact) + 1, "p\(share * 100)")
        }
        #expect(histogram.smallest == sorted.first)
        #expect(histogram.largest == sorted.last)
        #expect(histogram.sum == values.reduce(0, +))
        #expect(histogram.count == 1_000)
    }

    @Test("merging is the same as recording all in one", arguments: Seed.samples(20))
    func merge(seed: Seed) {
        let (one, other) = (values(seed.child("one"), 300), values(seed.child("other"), 200))
        var (left, right, both) = (Histogram(), Histogram(), Histogram())
        for value in one { left.record(value) }
        for value in other { right.record(value) }
        for value in one + other { both.record(value) }
        left.merge(right)
        #expect(left.count == both.count)
        #expect(left.sum == both.sum)
        #expect((left.smallest, left.largest) == (both.smallest, both.largest))
        #expect(left.filled.map(\.low) == both.filled.map(\.low))
        #expect(left.filled.map(\.count) == both.filled.map(\.count))
    }

    @Test("merging with an empty one changes nothing, whichever side is empty")
    func mergeEmpty() {
        var some = Histogram()
        some.record(5)
        var empty = Histogram()
        empty.merge(some)
        some.merge(Histogram())
        #expect(empty == some)
    }

    @Test("the stored form is read back exactly", arguments: Seed.samples(20))
    func encoding(seed: Seed) {
        var histogram = Histogram()
        for value in values(seed, 500) { histogram.record(value) }
        let back = Histogram(encoded: histogram.encoded)
        #expect(back?.encoded == histogram.encoded)
        #expect(back?.value(atShare: 0.9) == histogram.value(atShare: 0.9))
        #expect(back?.sum == histogram.sum)
    }

    @Test("bytes that are no histogram are refused, and crash nothing", arguments: Seed.samples(50))
    func damaged(seed: Seed) {
        var histogram = Histogram()
        for value in values(seed, 20) { histogram.record(value) }
        let bytes = histogram.encoded
        #expect(Histogram(encoded: bytes.dropLast()) == nil)
        #expect(Histogram(encoded: bytes + [1, 1, 1]) == nil)
        var dice = seed.generator()
        var noise = bytes
        for _ in 0..<3 { noise[dice.below(noise.count)] = UInt8(dice.below(256)) }
        if let read = Histogram(encoded: noise) { #expect(read.count >= 0) }
        #expect(Histogram(encoded: [UInt8]()) == nil)
    }

    @Test("an empty one has no percentile and no mean")
    func empty() {
        let histogram = Histogram()
        #expect(histogram.value(atShare: 0.5) == nil)
        #expect(histogram.mean == nil)
        #expect(Histogram(encoded: histogram.encoded) == histogram)
    }

    @Test("extremes are exact: zero, one nanosecond before the epoch, the largest number")
    func extremes() {
        var histogram = Histogram()
        histogram.record(-1)
        histogram.record(Int64.max / 4)
        #expect(histogram.smallest == 0)
        #expect(histogram.value(atShare: 1) == Int64.max / 4)
        #expect(histogram.value(atShare: 0.5) == 0)
    }

    @Test("buckets lie side by side, without gap or overlap")
    func buckets() {
        var histogram = Histogram()
        for value in Int64(0)..<5_000 { histogram.record(value) }
        var next: Int64 = 0
        for (low, width, count) in histogram.filled.dropLast() {
            #expect(low == next)
            #expect(width == Int64(count))
            next = low + width
        }
    }

    @Test("durations keep their nanoseconds")
    func durations() {
        #expect(Duration.seconds(3).nanoseconds == 3_000_000_000)
        #expect(Duration.nanoseconds(1_500_000).milliseconds == 1.5)
        #expect(Duration.milliseconds(250).seconds == 0.25)
    }
}
