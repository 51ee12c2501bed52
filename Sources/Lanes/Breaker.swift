public import Journal

/// Stops a run that does harm (rigs/reference.yaml, `breaker`): a pure value over time and counts.
///
/// Time is cut into stretches that end when something was looked at and at least five exchanges have
/// ended in it: at a low rate a single good answer says nothing. When the share of errors was above
/// the limit in every stretch for as long as the rig says, it trips.
///
/// ```
///   errors  10%  60%  80%  40%  90%  70%  100%
///                ^--------^ not long enough
///                               ^-------------- 10 s: trips
/// ```
public struct Breaker: Sendable, Hashable {
    /// Why it tripped.
    public struct Trip: Sendable, Hashable {
        /// Share of errors since it was first above the limit.
        public var share: Double
        public var lasted: Duration
        /// What the rig allows.
        public var limit: Double
    }

    private let limit: Double
    private let lasting: Duration
    /// Where the stretch at hand began.
    private var stretch = BreakerMark()
    /// Where the first of the bad stretches in a row began.
    private var bad: BreakerMark?

    private struct BreakerMark: Hashable {
        var at = Instant.start
        var ended = 0
        var errors = 0
    }

    private static let evidence = 5
    /// Who looks once a second is not punctual: so much may be missing of the time that the rig says.
    private var slack: Duration { min(.milliseconds(300), lasting / 10) }

    /// Trips when more than `limit` (0 to 1) of what ended were errors, for as long as `lasting`.
    public init(above limit: Double, for lasting: Duration) {
        self.limit = limit
        self.lasting = lasting
    }

    /// Its first stretch begins now: of a run that goes on where an earlier one ended.
    public mutating func begin(at now: Instant) { stretch.at = now }

    /// Takes a look: `ended` exchanges since the run began, `errors` among them.
    public mutating func look(at now: Instant, ended: Int, errors: Int) -> Trip? {
        guard now > stretch.at, ended - stretch.ended >= Self.evidence else { return nil }
        let began = stretch
        stretch = BreakerMark(at: now, ended: ended, errors: errors)
        let share = Double(errors - began.errors) / Double(ended - began.ended)
        guard share > limit else {
            bad = nil
            return nil
        }
        let since = bad ?? began
        bad = since
        guard now - since.at >= lasting - slack else { return nil }
        return Trip(
            share: Double(errors - since.errors) / Double(ended - since.ended),
            lasted: now - since.at, limit: limit)
    }
}

extension Breaker.Trip: CustomStringConvertible {
    /// `93% of exchanges were errors for 10 s, and target.breaker allows 50%`.
    public var description: String {
        "\(Self.percent(share)) of exchanges were errors for \(Int((lasted / .seconds(1)).rounded())) s, and "
            + "target.breaker allows \(Self.percent(limit))"
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded()))%" }
}
