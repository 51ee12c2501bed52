internal import Statistics
public import Vocabulary

/// How households come.
public enum Load: Sendable, Hashable {
    /// They arrive on their own, whatever the service does.
    case open(Arrivals)
    /// So many at a time, each followed by another, until `for` has passed since the start.
    case closed(households: Int, for: Duration, settle: Duration)
    /// So many, all at the start, each living once.
    case once(households: Int, settle: Duration)

    /// Whether households arrive at times of their own.
    public var isOpen: Bool {
        if case .open = self { true } else { false }
    }

    /// Whether the seed decides how many households arrive in a time.
    public var isRandom: Bool {
        if case .open(let arrivals) = self { arrivals.spacing == .poisson } else { false }
    }

    public struct Arrivals: Sendable, Hashable {
        public enum ArrivalStage: Sendable, Hashable {
            /// From the rate before it, straight to this one.
            case ramp(to: Rate, over: Duration)
            /// At the rate before it.
            case hold(Duration)
        }

        public enum Spacing: String, Sendable, CaseIterable { case even, poisson }

        public var stages: [ArrivalStage]
        public var spacing: Spacing = .even
        public var settle: Duration = .seconds(15)

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
                    "to \(Spelling.spelled(rate.perSecond))/s over \(Spelling.spelled(time.seconds)) s"
                case .hold(let time): "hold \(Spelling.spelled(time.seconds)) s"
                }
            }
            return stages.joined(separator: ", ")
                + (arrivals.spacing == .poisson ? ", poisson" : "")
        case .closed(let households, let time, _):
            return "\(households) households at a time for \(Spelling.spelled(time.seconds)) s"
        case .once(let households, _): return "\(households) households, once"
        }
    }
}

/// What stands under `load:`, before it is known which sort of load it is.
struct LoadKeys {
    struct Stage {
        var rate: Rate?
        var over: Duration?
        var hold: Duration?
    }

    struct Closed {
        var households = 1
        var time: Duration?
    }

    var stages: [Stage]?
    var spacing = Load.Arrivals.Spacing.even
    var settle: Duration = .seconds(15)
    var closed: Closed?

    func load(_ marks: Marks, _ reader: inout ValueReader) -> Load {
        if marks.isWhole { checkSort(marks, &reader) }
        if let closed {
            guard let time = closed.time else {
                return .once(households: closed.households, settle: settle)
            }
            Self.checkLength(time + settle, marks["closed"]["for"].place, &reader)
            return .closed(households: closed.households, for: time, settle: settle)
        }
        let given = zip(stages ?? [], marks["arrivals"].items)
        let stages = given.compactMap { $0.stage($1, &reader) }
        let arrivals = Load.Arrivals(stages: stages, spacing: spacing, settle: settle)
        if marks.isWhole, marks.gives("arrivals"), stages.count == self.stages?.count {
            Self.check(arrivals, marks["arrivals"].place, &reader)
        }
        return .open(arrivals)
    }

    private func checkSort(_ marks: Marks, _ reader: inout ValueReader) {
        switch (marks.gives("arrivals"), marks.gives("closed")) {
        case (true, true):
            reader.refuse(
                marks["closed"].place,
                "'arrivals' (open load) and 'closed' exclude each other; remove one of them")
        case (false, false):
            reader.refuse(
                marks.place,
                "load has neither 'arrivals' nor 'closed'; add "
                    + "'arrivals: [{ramp-to: 20/s, over: 0s}, {hold: 1m}]' or 'closed: {households: 20}'"
            )
        case (false, true) where marks.gives("spacing"):
            reader.refuse(
                marks["spacing"].place, "'spacing' has no effect with 'closed'; remove it")
        default: break
        }
    }

    private static func check(
        _ arrivals: Load.Arrivals, _ place: Place, _ reader: inout ValueReader
    ) {
        let even = Load.Arrivals(stages: arrivals.stages, spacing: .even, settle: arrivals.settle)
        let times = ArrivalTimes(even, seed: Seed(1))
        if times.peakRate == 0 {
            reader.refuse(
                place,
                "no household would arrive, because the rate starts at 0/s and stays there; "
                    + "start with {ramp-to: 20/s, over: 0s}")
        }
        checkLength(times.end + arrivals.settle, place, &reader)
        if times.count > Load.householdsAtMost {
            reader.refuse(
                place,
                "\(times.count) households would arrive, and the limit is "
                    + "\(Load.householdsAtMost) per run; lower the rates, or shorten the stages")
        }
    }

    /// A plan that nobody can mean.
    private static func checkLength(
        _ time: Duration, _ place: Place, _ reader: inout ValueReader
    ) {
        guard time > Load.longest else { return }
        reader.refuse(
            place,
            "the run would take \(Int(time.seconds / 86_400)) days, and the limit is "
                + "\(Int(Load.longest.seconds / 86_400)) days; shorten it")
    }
}

extension LoadKeys.Stage {
    fileprivate func stage(
        _ marks: Marks, _ reader: inout ValueReader
    ) -> Load.Arrivals.ArrivalStage? {
        guard marks.isWhole else { return nil }
        switch (rate, over, hold) {
        case (nil, nil, let time?): return .hold(time)
        case (let rate?, let over?, nil): return .ramp(to: rate, over: over)
        default:
            reader.refuse(
                marks.place,
                "a stage of arrivals is {ramp-to: 20/s, over: 1m} or {hold: 5m}, not "
                    + (marks.given.isEmpty ? "empty" : marks.given.joined(separator: " with ")))
            return nil
        }
    }
}

extension LoadKeys: RigSection {
    static let blank = LoadKeys()
    static let keys: [Key<LoadKeys>] = [
        Key(
            "arrivals", .list(.section), ifGiven: \.stages,
            example: "[{ramp-to: 20/s, over: 1m}, {hold: 5m}, {ramp-to: 0/s, over: 30s}]",
            "Open load: households arrive at this rate, however slow the service is. A list of "
                + "stages; the rate starts at 0/s."),
        Key(
            "spacing", .words(), into: \.spacing,
            "even: equal intervals. poisson: random, independent arrivals."),
        Key(
            "settle", .scalar(.duration), into: \.settle,
            "How long polls continue after the last viewer is done, before the final reads."),
        Key(
            "closed", .section, ifGiven: \.closed, example: "{households: 500, for: 10m}",
            alternative: true,
            "Closed load instead of arrivals: a fixed number of households at a time."),
    ]
}

extension LoadKeys.Stage: RigSection {
    static let blank = LoadKeys.Stage()
    static let keys: [Key<LoadKeys.Stage>] = [
        Key(
            "ramp-to", .scalar(.rate), ifGiven: \.rate, example: "20/s",
            "Change the rate linearly to this value"),
        Key(
            "over", .scalar(.duration), ifGiven: \.over, example: "1m",
            "over this time; 0s: at once."),
        Key(
            "hold", .scalar(.duration), ifGiven: \.hold, example: "5m",
            "Keep the rate for this time."),
    ]
}

extension LoadKeys.Closed: RigSection {
    static let blank = LoadKeys.Closed()
    static let keys: [Key<LoadKeys.Closed>] = [
        Key(
            "households", .scalar(.count(1...1_000_000)), into: \.households, required: true,
            example: "500", "Number of concurrent households."),
        Key(
            "for", .scalar(.duration), ifGiven: \.time, example: "10m",
            "Replace each household that ends by a new one for this time. Default: each runs once."),
    ]
}
