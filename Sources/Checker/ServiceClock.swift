/// The service's clock against ours, without asking it: each code's `generated` was read while its
/// request was under way.
///
/// offset = service - ours, in nanoseconds. A sample says that it lies in a range; ranges that share
/// nothing come from clocks that disagree. Ranges widen as time goes by, because two clocks drift.
struct ServiceClock: Sendable {
    /// 100 ppm.
    static let drift: Int64 = 10_000

    struct Range: Sendable {
        var low: Int64
        var high: Int64
        /// When it was so.
        var at: Int64

        func widened(to now: Int64) -> Range {
            let slack = (now > at ? now - at : at - now) / ServiceClock.drift
            return Range(low: low - slack, high: high + slack, at: max(at, now))
        }
    }

    /// An answer whose time fits no clock but its own.
    struct Sample: Sendable {
        var household: Int
        var sequence: Int
        var at: Int64
        /// How far from the nearest other clock, in nanoseconds: at least.
        var distance: Int64
    }

    /// Samples that fit one clock.
    private struct Dial: Sendable {
        var range: Range
        var count: Int
        var samples: [Sample]
    }

    let tolerance: Int64
    private var dials: [Dial] = []
    private(set) var count = 0
    /// Our own clock has stood still for so long in all, and the last time then.
    private(set) var standstill: Int64 = 0

    private static let dialLimit = 8
    private static let samplesKept = 4_096

    init(tolerance: Int64) { self.tolerance = tolerance }

    /// A service's time in milliseconds, cut, read between `call` and `ret`.
    mutating func add(
        _ generated: Int64, between call: Int64, and ret: Int64, household: Int, sequence: Int
    ) {
        count += 1
        guard generated > 0, generated < 8_000_000_000_000 else { return }
        let sample = Range(
            low: generated * 1_000_000 - ret, high: (generated + 1) * 1_000_000 - call, at: ret)
        var distance = Int64.max
        for position in dials.indices {
            let now = dials[position].range.widened(to: ret)
            let apart = max(sample.low - now.high, now.low - sample.high) - tolerance
            if apart <= 0 {
                let (low, high) = (max(now.low, sample.low), min(now.high, sample.high))
                // Where they touch within the tolerance only, both are kept.
                dials[position].range =
                    low <= high
                    ? Range(low: low, high: high, at: now.at)
                    : Range(
                        low: min(now.low, sample.low), high: max(now.high, sample.high),
                        at: now.at)
                dials[position].count += 1
                if dials.count > 1 || dials[position].samples.count < 64 {
                    note(position, household, sequence, ret, 0)
                }
                return
            }
            distance = min(distance, apart)
        }
        guard dials.count < Self.dialLimit else { return }
        dials.append(Dial(range: sample, count: 1, samples: []))
        note(dials.count - 1, household, sequence, ret, distance == .max ? 0 : distance)
    }

    private mutating func note(
        _ position: Int, _ household: Int, _ sequence: Int, _ at: Int64, _ distance: Int64
    ) {
        guard dials[position].samples.count < Self.samplesKept else { return }
        dials[position].samples.append(
            Sample(household: household, sequence: sequence, at: at, distance: distance))
    }

    /// The offset, as far as it is known; nil before the first sample. Where clocks disagree it spans
    /// all of them.
    func offset(at now: Int64) -> Range? {
        guard let first = dials.first else { return nil }
        return dials.dropFirst().reduce(first.range.widened(to: now)) { sum, dial in
            let next = dial.range.widened(to: now)
            return Range(low: min(sum.low, next.low), high: max(sum.high, next.high), at: sum.at)
        }
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
    mutating func stoodStill(for time: Int64) {
        standstill += time
        dials.removeAll()
    }

    /// All samples but those of the clock that most agree with.
    var strangers: [Sample] {
        guard dials.count > 1 else { return [] }
        var most = 0
        for position in dials.indices where dials[position].count > dials[most].count {
            most = position
        }
        let reference = dials[most].range
        var found: [Sample] = []
        for (position, dial) in dials.enumerated() where position != most {
            let now = reference.widened(to: dial.range.at)
            let apart =
                max(dial.range.low - now.high, now.low - dial.range.high, 0) - tolerance
            for var sample in dial.samples {
                sample.distance = max(apart, 0)
                found.append(sample)
            }
        }
        return found.sorted { ($0.at, $0.household) < ($1.at, $1.household) }
    }
}
