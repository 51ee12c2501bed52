/// Hits over what the gate achieved, however it was aimed.
struct Curve: Sendable {
    struct Sample: Sendable {
        var offset: Duration
        var isHit: Bool
    }

    private(set) var samples: [Sample] = []

    mutating func add(_ offset: Duration, isHit: Bool) {
        samples.append(Sample(offset: offset, isHit: isHit))
    }

    var hits: Int { samples.count { $0.isHit } }

    /// In log-spaced bins, as the coarse sweep aims: each bin's middle is twice as far out as that of
    /// the one before. Empty bins are left out.
    var points: [RaceFinding.CurvePoint] {
        var bins: [Int: [Sample]] = [:]
        for sample in samples { bins[Self.bin(of: sample.offset), default: []].append(sample) }
        return bins.sorted { $0.key < $1.key }.map { _, samples in
            RaceFinding.CurvePoint(
                offset: samples.map(\.offset).reduce(.zero, +) / samples.count,
                rate: HitRate(hits: samples.count { $0.isHit }, trials: samples.count))
        }
    }

    /// The first step of the coarse sweep: what is nearer to zero is simultaneous.
    static let step: Duration = .microseconds(50)

    /// 0 around zero, then 1, 2, ... for 50, 100, 200 us ..., negative on the other side.
    static func bin(of offset: Duration) -> Int {
        let distance = offset < .zero ? .zero - offset : offset
        // Between two steps the boundary is at 1.41 times the lower.
        var boundary = step / 2
        var number = 0
        while distance >= boundary, number < 40 {
            boundary = number == 0 ? step * 141 / 100 : boundary * 2
            number += 1
        }
        return offset < .zero ? -number : number
    }

    /// The offsets of the coarse sweep within `range`: 0, +-50 us * 2^j, and both ends.
    static func grid(_ range: ClosedRange<Duration>) -> [Duration] {
        var offsets: Set<Duration> = [range.lowerBound, range.upperBound]
        if range.contains(.zero) { offsets.insert(.zero) }
        var distance = step
        while distance < max(range.upperBound, .zero - range.lowerBound) {
            for offset in [distance, .zero - distance] where range.contains(offset) {
                offsets.insert(offset)
            }
            distance = distance * 2
        }
        // An end that is close to a step of the grid replaces it.
        return offsets.sorted().filter { offset in
            offset == range.lowerBound || offset == range.upperBound
                || ![range.lowerBound, range.upperBound].contains {
                    bin(of: $0) == bin(of: offset)
                }
        }
    }
}

/// Where hits are frequent, and the nearest places on both sides where they are not.
struct Plateau: Sendable {
    /// The frequent points at both ends.
    var first: Duration
    var last: Duration
    /// The next points out, which are rare; nil: there is none.
    var before: Duration?
    var after: Duration?
    var peak: Double
    /// Points within and without.
    var inside: Int
    var outside: Int

    /// The longest run of points at half the peak or more, on a logarithmic scale; nil without hits.
    init?(_ points: [RaceFinding.CurvePoint]) {
        guard let peak = points.map(\.rate.share).max(), peak > 0 else { return nil }
        let isHigh = points.map { $0.rate.share >= peak / 2 }
        var best: Range<Int>?
        var position = 0
        while position < points.count {
            guard isHigh[position] else {
                position += 1
                continue
            }
            var end = position
            // A gap of one point that was tried but a few times may be bad luck.
            while end < points.count,
                isHigh[end]
                    || peak < 0.9 && end + 1 < points.count && isHigh[end + 1]
                        && points[end].rate.hits > 0
            {
                end += 1
            }
            if best.map({ end - position > $0.count }) ?? true { best = position..<end }
            position = end
        }
        guard let best else { return nil }
        first = points[best.lowerBound].offset
        last = points[best.upperBound - 1].offset
        before = best.lowerBound > 0 ? points[best.lowerBound - 1].offset : nil
        after = best.upperBound < points.count ? points[best.upperBound].offset : nil
        inside = best.count
        outside = points.count - isHigh.count { $0 }
        let rates = points[best].reduce(into: HitRate()) { sum, point in
            sum.hits += point.rate.hits
            sum.trials += point.rate.trials
        }
        self.peak = rates.share
    }

    /// It makes no difference when.
    var isEverywhere: Bool { outside == 0 }
}
