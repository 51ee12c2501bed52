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

    /// Samples that fit one clock.
    private struct Dial: Sendable {
        /// What all of them have in common but those of `near`.
        var range: OffsetRange
        /// Those that are beside it within the tolerance. They do not narrow it: what is as far to the other side of it is
        /// no nearer to them.
        var near: OffsetRange?
        var count: Int
        var samples: [Sample]

        var span: OffsetRange { near.map(range.joined) ?? range }
    }

    /// What times are cut to, in milliseconds.
    private let resolution: Int64
    private let tolerance: Int64
    private var dials: [Dial] = []

    private static let dialLimit = 8
    private static let samplesKept = 4_096

    init(resolution: Int64, tolerance: Int64) {
        (self.resolution, self.tolerance) = (resolution, tolerance)
    }

    /// Whether there are samples that fit no one clock.
    var disagree: Bool { dials.count > 1 }

    mutating func removeAll() { dials.removeAll() }

    /// A service's time in epoch milliseconds, cut, read between `call` and `ret`.
    mutating func add(
        _ generated: Int64, of operation: OperationName, between call: Int64, and ret: Int64,
        household: Int, sequence: Int
    ) {
        guard generated > 0, generated < 8_000_000_000_000 else { return }
        let sample = OffsetRange(
            low: generated * 1_000_000 - ret, high: (generated + resolution) * 1_000_000 - call,
            at: ret)
        var distance = Int64.max
        for position in dials.indices {
            let now = dials[position].range.widened(to: ret)
            let apart = max(sample.low - now.high, now.low - sample.high) - tolerance
            if apart <= 0 {
                let (low, high) = (max(now.low, sample.low), min(now.high, sample.high))
                if low <= high {
                    dials[position].range = OffsetRange(low: low, high: high, at: now.at)
                } else {
                    dials[position].near =
                        dials[position].near?.widened(to: ret).joined(with: sample) ?? sample
                }
                dials[position].count += 1
                if dials.count > 1 || dials[position].samples.count < 64 {
                    note(
                        position,
                        Sample(
                            operation: operation, household: household, sequence: sequence, at: ret,
                            distance: 0))
                }
                return
            }
            distance = min(distance, apart)
        }
        guard dials.count < Self.dialLimit else { return }
        dials.append(Dial(range: sample, count: 1, samples: []))
        note(
            dials.count - 1,
            Sample(
                operation: operation, household: household, sequence: sequence, at: ret,
                distance: distance == .max ? 0 : distance))
    }

    private mutating func note(_ position: Int, _ sample: Sample) {
        guard dials[position].samples.count < Self.samplesKept else { return }
        dials[position].samples.append(sample)
    }

    /// The offset, as far as it is known; nil before the first sample. Where clocks disagree it spans
    /// all of them that have so many samples.
    func offset(at now: Int64, atLeast count: Int = 1) -> OffsetRange? {
        var sum: OffsetRange?
        for position in dials.indices where dials[position].count >= count {
            let range = dials[position].span.widened(to: now)
            sum = sum?.joined(with: range) ?? range
        }
        return sum
    }

    /// All samples but those of the clock that most agree with.
    var strangers: [Sample] {
        guard dials.count > 1 else { return [] }
        var most = 0
        for position in dials.indices where dials[position].count > dials[most].count {
            most = position
        }
        let reference = dials[most].span
        var found: [Sample] = []
        for (position, dial) in dials.enumerated() where position != most {
            let span = dial.span
            let now = reference.widened(to: span.at)
            let apart = max(span.low - now.high, now.low - span.high, 0) - tolerance
            for var sample in dial.samples {
                sample.distance = max(apart, 0)
                found.append(sample)
            }
        }
        return found.sorted { ($0.at, $0.household) < ($1.at, $1.household) }
    }
}
