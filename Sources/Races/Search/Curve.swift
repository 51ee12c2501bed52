/// Hits over what the gate achieved, however it was aimed.
struct Curve: Sendable {
    struct CurveSample: Sendable {
        var offset: Duration
        var reading: BreachPattern.PatternReading
    }

    private(set) var samples: [CurveSample] = []

    mutating func add(_ offset: Duration, _ reading: BreachPattern.PatternReading) {
        samples.append(CurveSample(offset: offset, reading: reading))
    }

    /// In log-spaced bins, as the coarse sweep aims: each bin's middle is twice as far out as that of
    /// the one before. Empty bins are left out. Trials that cannot tell count where there are no
    /// others: nothing can be seen there. Those that broke the promise by other requests never do.
    var points: [RaceFinding.CurvePoint] {
        var bins: [Int: [CurveSample]] = [:]
        for sample in samples where sample.reading != .hidden {
            bins[Self.bin(of: sample.offset), default: []].append(sample)
        }
        return bins.sorted { $0.key < $1.key }.map { _, samples in
            let telling = samples.filter(\.reading.tells)
            let counted = telling.isEmpty ? samples : telling
            return RaceFinding.CurvePoint(
                offset: counted.map(\.offset).reduce(.zero, +) / counted.count,
                rate: HitRate(
                    hits: counted.count { $0.reading == .hit }, trials: counted.count))
        }
    }

    /// The first step of the coarse sweep: what is nearer to zero is simultaneous.
    static let step: Duration = .microseconds(50)

    /// 0 around zero, then 1, 2, 3 ... for 50, 71, 100, 141 us ..., negative on the other side.
    static func bin(of offset: Duration) -> Int {
        let distance = offset.magnitude
        // Between two steps the boundary is at 1.19 times the lower, the fourth root of two.
        var odd = step * 1189 / 1000
        var even = step * 1682 / 1000
        guard distance >= step / 2 else { return 0 }
        var number = 1
        while number < 80 {
            if distance < odd { break }
            number += 1
            if distance < even { break }
            number += 1
            odd = odd * 2
            even = even * 2
        }
        return offset < .zero ? -number : number
    }

    /// The offsets of a coarse sweep within `range`: 0, +-50 us * 2^j, and both ends; `isShifted`: half
    /// a step further out, so that both together miss no window that is half as long as it is far.
    static func grid(_ range: ClosedRange<Duration>, isShifted: Bool = false) -> [Duration] {
        let ends = isShifted ? [] : [range.lowerBound, range.upperBound]
        var offsets = Set(ends)
        if !isShifted, range.contains(.zero) { offsets.insert(.zero) }
        var distance = isShifted ? step * 1414 / 1000 : step
        while distance < range.reach {
            for offset in [distance, .zero - distance] where range.contains(offset) {
                // An end that is close to a step replaces it.
                if !ends.contains(where: { bin(of: $0) == bin(of: offset) }) {
                    offsets.insert(offset)
                }
            }
            distance = distance * 2
        }
        return offsets.sorted()
    }
}

/// Where hits are frequent, and the nearest places on both sides where they are not.
struct Plateau: Sendable {
    /// The frequent points at both ends.
    var first: Duration
    var last: Duration
    /// Of all trials within.
    var rate: HitRate
    /// Points that hit nowhere near as often.
    var outside: Int
    /// All points, and where in them it lies.
    var points: [RaceFinding.CurvePoint]
    var places: Range<Int>
    private var isHigh: [Bool]

    /// Of the runs of points that hit a third as often or more as all that hit come to together, the one
    /// that stands out most: by how much more often, added up. Nil without hits.
    init?(_ points: [RaceFinding.CurvePoint]) {
        let peak = points.map(\.rate).filter { $0.hits > 0 }.reduce(HitRate(), +).share
        guard peak > 0 else { return nil }
        let isHigh = points.map { $0.rate.share >= peak / 3 }
        var best: (places: Range<Int>, sum: Double)?
        var start = 0
        while let first = isHigh[start...].firstIndex(of: true) {
            var end = first + 1
            // One point alone that was tried but a few times may be bad luck (`doubtful`).
            while end < points.count,
                isHigh[end]
                    || peak < Self.sure && end + 1 < points.count && isHigh[end + 1]
                        && points[end].rate.trials < Self.enough
            {
                end += 1
            }
            let sum = points[first..<end].reduce(0) { $0 + $1.rate.share - peak / 3 }
            if best.map({ sum > $0.sum }) ?? true { best = (first..<end, sum) }
            start = end
        }
        guard let best = best?.places else { return nil }
        first = points[best.lowerBound].offset
        last = points[best.upperBound - 1].offset
        self.points = points
        self.isHigh = isHigh
        places = best
        outside = points.count - isHigh.count { $0 }
        rate = points[best].map(\.rate).reduce(HitRate(), +)
    }

    var peak: Double { rate.share }

    /// Points within that hit less than half as often as all of it, and were tried but a few times.
    var doubtful: [Duration] {
        points[places].dropFirst().dropLast().filter {
            $0.rate.trials < Self.enough && $0.rate.share < peak / 2
        }.map(\.offset)
    }
    private static let enough = 12

    /// The nearest point on one side that was tried often and seldom hits, where beyond it they do again: another window
    /// lies there.
    func gap(isUpper: Bool) -> Duration? {
        let outside =
            isUpper
            ? Array(points.indices[places.upperBound...])
            : points.indices[..<places.lowerBound].reversed()
        guard
            let gap = outside.firstIndex(where: {
                !isHigh[$0] && points[$0].rate.trials >= Self.enough
            }), outside[gap...].contains(where: { isHigh[$0] })
        else { return nil }
        return points[outside[gap]].offset
    }

    /// Not every trial within hits, or they are too few to say so.
    var isLuck: Bool { peak < Self.sure || rate.trials < 8 }
    private static let sure = 0.9

    /// The point in its middle, on the scale of the sweep.
    var middlePlace: Int { (places.lowerBound + places.upperBound - 1) / 2 }
    var middle: Duration { points[middlePlace].offset }

    /// It makes no difference when.
    var isEverywhere: Bool { outside == 0 }
}
