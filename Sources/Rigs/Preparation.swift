internal import Statistics

/// The time before the load in which households that return sign in, as they would have yesterday. None of its
/// requests counts in the figures of a run; the judge hears them all.
///
/// ```text
/// 0 ─────── sign-ins, evenly ─────── lead ───── length
///                                               the load: k-th household at length + its arrival
/// ```
struct Preparation: Sendable, Hashable {
    /// Whole seconds, since figures are counted by the second; zero where nobody prepares.
    let length: Duration
    /// From its beginning to the last sign-in's.
    private let lead: Double
    private let households: Int

    static let none = Preparation(length: .zero, lead: 0, households: 0)

    private init(length: Duration, lead: Double, households: Int) {
        self.length = length
        self.lead = lead
        self.households = households
    }

    /// `households`: of the whole plan.
    init(_ rig: Rig, households: Int?) {
        let total = Double(max(1, rig.kinds.reduce(0) { $0 + $1.weight }))
        let share = rig.kinds.reduce(0.0) {
            $0 + Double($1.weight) * $1.returning.shareBefore / total
        }
        guard share > 0, let households, households > 0 else {
            self = .none
            return
        }
        lead = Double(households) * share / rig.load.preparationRate
        // One sign-in of viewers who are at their phones, whenever its poll comes.
        let signIn = 2 * rig.polling.meanInterval.seconds + 3
        length = .seconds(Int((lead + signIn).rounded(.up)))
        self.households = households
    }

    /// When a household of the whole plan signs in, since the run began.
    func time(of index: Int) -> Duration {
        .bounded(seconds: lead * Double(index) / Double(max(1, households)))
    }
}

extension Load {
    /// Sign-ins per second before the load: no more than come at its peak.
    fileprivate var preparationRate: Double {
        guard case .open(let arrivals) = self else { return 20 }
        let even = Arrivals(stages: arrivals.stages, spacing: .even, settle: arrivals.settle)
        return max(1, ArrivalTimes(even, seed: Seed(1)).peakRate)
    }
}

extension Rig {
    /// As that of its plan.
    public var preparation: Duration { Plan(self, seed: Seed(1)).preparation }
}
