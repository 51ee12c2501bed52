internal import Vocabulary

/// The service's clock against ours, without asking it: each code's `generated` was read while its
/// request was under way, and so was each answer's `Date`. The two may come from different machines
/// (a balancer may date what passes it), so that each is held against its own kind only.
struct ServiceClock: Sendable {
    /// 100 ppm.
    static let drift: Int64 = 10_000
    /// Fronts of one service may date answers that differently: none of them hands out tokens.
    static let dateTolerance: Int64 = 5_000_000_000

    private static let dateDoubt: Int64 = 3_600_000_000_000

    let tolerance: Int64
    private(set) var codes: ClockReadings
    private(set) var dates: ClockReadings
    /// Our own clock has stood still for so long in all, and the last time then.
    private(set) var standstill: Int64 = 0
    /// What was asked for earlier is of an offset that a standstill has made void.
    private var validSince = Int64.min

    init(tolerance: Int64) {
        self.tolerance = tolerance
        codes = ClockReadings(resolution: 1, tolerance: tolerance)
        dates = ClockReadings(resolution: 1000, tolerance: max(tolerance, Self.dateTolerance))
    }

    /// A code's `generated` in epoch milliseconds, read between `call` and `ret`.
    mutating func add(
        _ generated: Int64, of operation: OperationName, between call: Int64, and ret: Int64,
        household: Int, sequence: Int
    ) {
        guard call >= validSince else { return }
        codes.add(
            generated, of: operation, between: call, and: ret, household: household,
            sequence: sequence)
    }

    /// The same of an answer's `Date`.
    mutating func add(
        date: Int64, of operation: OperationName, between call: Int64, and ret: Int64,
        household: Int, sequence: Int
    ) {
        guard call >= validSince else { return }
        dates.add(
            date, of: operation, between: call, and: ret, household: household, sequence: sequence)
    }

    /// The offset, as far as it is known; nil before the first code and three dates. Where clocks disagree it spans
    /// all of them. Dates alone leave it an hour to either side: who wrote them hands out no tokens.
    func offset(at now: Int64) -> ClockReadings.OffsetRange? {
        guard let offset = codes.offset(at: now) else {
            return dates.offset(at: now, atLeast: 3)?.widened(by: Self.dateDoubt)
        }
        // After a jump it may be that no code has told of it yet.
        guard dates.disagree, let other = dates.offset(at: now, atLeast: 3) else { return offset }
        return offset.joined(with: other)
    }

    /// When, by our clock, the service reads `expires`: never earlier than the first, never later
    /// than the second. Nil before there is an offset.
    func window(of expires: Int64, at now: Int64) -> (low: Int64, high: Int64)? {
        guard expires > 0, expires < 8_000_000_000_000, let offset = offset(at: now) else {
            return nil
        }
        let low = expires * 1_000_000 - offset.high
        let high = (expires + 1) * 1_000_000 - offset.low
        let slack = abs(low - now) / Self.drift + 1_000_000 + tolerance
        return (low - slack - standstill, high + slack)
    }

    /// The machine slept: our clock stood still while the service's went on, so what was known of
    /// the offset is void, and whatever runs out may seem to do so early by that much.
    /// `noticed`: by our clock.
    mutating func stoodStill(for time: Int64, noticed: Int64) {
        standstill += time
        validSince = max(validSince, noticed)
        codes.removeAll()
        dates.removeAll()
    }
}

/// Times of a service of one kind, each of them read while its request was under way.
///
/// offset = service - ours, in nanoseconds. A sample says that it lies in a range; ranges that share
/// nothing come from clocks that disagree. Ranges widen as time goes by, because two clocks drift.
struct ClockReadings: Sendable {
    struct OffsetRange: Sendable {
        var low: Int64
        var high: Int64
        /// When it was so.
        var at: Int64

        func widened(to now: Int64) -> OffsetRange {
            var one = widened(by: (now > at ? now - at : at - now) / ServiceClock.drift)
            one.at = max(at, now)
            return one
        }

        func widened(by slack: Int64) -> OffsetRange {
            OffsetRange(low: low - slack, high: high + slack, at: at)
        }

        func joined(with other: OffsetRange) -> OffsetRange {
            OffsetRange(low: min(low, other.low), high: max(high, other.high), at: at)
        }

        /// How far apart the two are at least, when the later one was so; 0 or less where they share something.
        func distance(to other: OffsetRange) -> Int64 {
            let (early, late) =
                at <= other.at ? (widened(to: other.at), other) : (other.widened(to: at), self)
            return max(late.low - early.high, early.low - late.high)
        }
    }

    /// An answer whose time fits no clock but its own.
    struct Sample: Sendable {
        var operation: OperationName
        var household: Int
        var sequence: Int
        var at: Int64
        /// How far from the nearest other clock, in nanoseconds: at least.
        var distance: Int64
    }

    /// Samples that one clock explains.
    private struct Clock: Sendable {
        /// What they have in common.
        var range: OffsetRange
        var count: Int
        var samples: [Sample]
    }

    /// What times are cut to, in milliseconds.
    private let resolution: Int64
    private let tolerance: Int64
    private var clocks: [Clock] = []

    /// A server may keep its `Date` for some answers, so that one in whole seconds is of a clock that it misses by no more
    /// than a second, in nanoseconds; one in milliseconds is not.
    private let grain: Int64

    private static let clockLimit = 16
    private static let samplesKept = 4_096

    init(resolution: Int64, tolerance: Int64) {
        (self.resolution, self.tolerance) = (resolution, tolerance)
        grain = resolution > 1 ? resolution * 1_000_000 : 0
    }

    /// Whether there are samples that clocks within the tolerance do not explain.
    private(set) var disagree = false

    mutating func removeAll() {
        clocks.removeAll()
        disagree = false
    }

    /// A service's time in epoch milliseconds, cut, read between `call` and `ret`.
    mutating func add(
        _ generated: Int64, of operation: OperationName, between call: Int64, and ret: Int64,
        household: Int, sequence: Int
    ) {
        guard generated > 0, generated < 8_000_000_000_000 else { return }
        let range = OffsetRange(
            low: generated * 1_000_000 - ret, high: (generated + resolution) * 1_000_000 - call,
            at: ret)
        let sample = Sample(
            operation: operation, household: household, sequence: sequence, at: ret, distance: 0)
        var (fitting, most) = (-1, 0)
        for position in clocks.indices
        where clocks[position].count > most
            && clocks[position].range.distance(to: range) <= grain
        {
            (fitting, most) = (position, clocks[position].count)
        }
        guard fitting >= 0 else {
            if clocks.count == Self.clockLimit { joinNearest() }
            clocks.append(Clock(range: range, count: 1, samples: [sample]))
            disagree = groups.count > 1
            return
        }
        clocks[fitting].count += 1
        let kept = clocks[fitting].samples.count
        if kept < (clocks.count > 1 ? Self.samplesKept : 64) {
            clocks[fitting].samples.append(sample)
        }
        let now = clocks[fitting].range.widened(to: ret)
        let (low, high) = (max(now.low, range.low), min(now.high, range.high))
        guard low <= high else { return }
        clocks[fitting].range = OffsetRange(low: low, high: high, at: now.at)
        if clocks.count > 1, low > now.low || high < now.high {
            disagree = groups.count > 1
        }
    }

    /// A clock that is set again and again would have no end of ranges: the two that are nearest become one.
    private mutating func joinNearest() {
        var nearest = (first: 0, second: 1, distance: Int64.max)
        for first in clocks.indices {
            for second in clocks.indices.dropFirst(first + 1) {
                let distance = clocks[first].range.distance(to: clocks[second].range)
                if distance < nearest.distance { nearest = (first, second, distance) }
            }
        }
        let other = clocks.remove(at: nearest.second)
        let at = max(clocks[nearest.first].range.at, other.range.at)
        clocks[nearest.first].range = clocks[nearest.first].range.widened(to: at)
            .joined(with: other.range.widened(to: at))
        clocks[nearest.first].count += other.count
        clocks[nearest.first].samples = Array(
            (clocks[nearest.first].samples + other.samples).prefix(Self.samplesKept))
    }

    /// The offset, as far as it is known; nil before the first sample. Where clocks disagree it spans
    /// all of them that have so many samples.
    func offset(at now: Int64, atLeast count: Int = 1) -> OffsetRange? {
        var sum: OffsetRange?
        for position in clocks.indices where clocks[position].count >= count {
            let range = clocks[position].range.widened(to: now)
            sum = sum?.joined(with: range) ?? range
        }
        return sum
    }

    /// Positions of the clocks that are connected by steps within the tolerance: those of most samples first, and of equally
    /// many the earliest. A clock that is set now and then is one group, however far it comes.
    private var groups: [[Int]] {
        var groups: [[Int]] = []
        var left = Array(clocks.indices)
        while !left.isEmpty {
            var group = [left.removeFirst()]
            var next = 0
            while next < group.count {
                let range = clocks[group[next]].range
                group += left.filter { range.distance(to: clocks[$0].range) <= tolerance }
                left.removeAll(where: group.contains)
                next += 1
            }
            groups.append(group)
        }
        func samples(_ group: [Int]) -> Int { group.reduce(0) { $0 + clocks[$1].count } }
        return groups.sorted { (samples($1), $0[0]) < (samples($0), $1[0]) }
    }

    /// All samples but those of the clocks that most agree with.
    var strangers: [Sample] {
        guard clocks.count > 1, let most = groups.first else { return [] }
        var found: [Sample] = []
        for (position, clock) in clocks.enumerated() where !most.contains(position) {
            let apart = most.map { clocks[$0].range.distance(to: clock.range) }.min() ?? 0
            found += clock.samples.map { sample in
                var sample = sample
                sample.distance = apart - tolerance
                return sample
            }
        }
        return found.sorted { ($0.at, $0.household) < ($1.at, $1.household) }
    }
}
