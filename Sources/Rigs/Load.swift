public import Vocabulary

/// How households come.
public enum Load: Sendable, Hashable {
    /// They arrive on their own, whatever the service does.
    case open(Arrivals)
    /// So many at a time, each followed by another, until `for` has passed since the start.
    case closed(households: Int, for: Duration, settle: Duration)
    /// So many, all at the start, each living once.
    case once(households: Int, settle: Duration)

    public struct Arrivals: Sendable, Hashable {
        public enum ArrivalStage: Sendable, Hashable {
            /// From the rate before it, straight to this one.
            case ramp(to: Rate, over: Duration)
            /// At the rate before it.
            case hold(Duration)
        }

        public enum Spacing: String, Sendable, CaseIterable { case even, poisson }

        public var stages: [ArrivalStage]
        public var spacing: Spacing
        public var settle: Duration

        public init(
            stages: [ArrivalStage], spacing: Spacing = .even, settle: Duration = .seconds(15)
        ) {
            self.stages = stages
            self.spacing = spacing
            self.settle = settle
        }
    }

    /// No run has more: each is a row of its history.
    static let householdsAtMost = 20_000_000
    /// No run takes longer.
    static let longest: Duration = .seconds(366 * 86_400)

    /// How long first screens go on polling once no viewer is left who could still sign in.
    public var settle: Duration {
        switch self {
        case .open(let arrivals): arrivals.settle
        case .closed(_, _, let settle), .once(_, let settle): settle
        }
    }
}

extension Load: CustomStringConvertible {
    /// `0/s to 20/s over 60 s, hold 300 s, poisson`, for reports.
    public var description: String {
        switch self {
        case .open(let arrivals):
            let stages = arrivals.stages.map { stage in
                switch stage {
                case .ramp(let rate, let time):
                    "to \(rate.perSecond.short)/s over \(time.seconds.short) s"
                case .hold(let time): "hold \(time.seconds.short) s"
                }
            }
            return stages.joined(separator: ", ")
                + (arrivals.spacing == .poisson ? ", poisson" : "")
        case .closed(let households, let time, _):
            return "\(households) households at a time for \(time.seconds.short) s"
        case .once(let households, _): return "\(households) households, once"
        }
    }
}

extension Double {
    /// Without a fraction where there is none.
    fileprivate var short: String {
        self == rounded() && magnitude < 1e15 ? String(Int64(self)) : String(self)
    }
}
