internal import Rendering
public import Rigs

/// How much a race will be, said before it begins.
public struct RaceEstimate: Sendable, Hashable {
    /// Trials of all sweeps, of what is tried again where they show nothing, and of arms.
    public var sweeps: Int
    public var again: Int
    public var arms: Int
    public var plans: Int
    public var ways: Int
    /// Of the sweeps and arms; nil: in virtual time it takes a moment.
    public var time: Duration?
    let terms: RaceTerms
    /// Why trials are played more slowly than the rig asks for; nil where nothing keeps them.
    private let concurrencyLimit: String?

    /// `pace`: what a trial of a schedule takes where as many go on at once as the target bears.
    public init(
        _ plans: [RacePlan], arms: [ArmPlan], terms: RaceTerms,
        pace: ((Schedule) -> Duration)?, concurrencyLimit: String? = nil
    ) {
        let rounds = (0..<terms.perOffset).map {
            Curve.grid(terms.offsets, isShifted: $0 % 2 == 1).count
        }
        let each = rounds.reduce(0, +)
        let variants = plans.flatMap(\.variants)
        self.plans = plans.count + arms.count
        ways = variants.count + arms.count
        sweeps = variants.count * each
        again = variants.count * Curve.grid(terms.offsets).count * Stress.allCases.count
        self.arms = arms.count * 200
        self.terms = terms
        self.concurrencyLimit = concurrencyLimit
        time = pace.map { pace in
            variants.reduce(.zero) { $0 + pace($1.schedule) * each }
                + arms.flatMap(\.arms).reduce(.zero) { $0 + pace($1.schedule) * 100 }
        }
    }

    /// `estimate: 6708 trials to sweep 51 ways to play 41 plans, about 3 min; ...`
    public var line: String {
        var text =
            "estimate: \(sweeps + arms) trials for \(Figures.counted(ways, "variant")) of "
            + Figures.counted(plans, "plan")
        if let time { text += ", about \(Self.about(time))" }
        return text + limitText + (concurrencyLimit.map { "; \($0)" } ?? "")
    }

    private var limitText: String {
        guard terms.isUnlimited else {
            var limits: [String] = []
            if let trials = terms.trialLimit { limits.append("\(trials) trials") }
            if time != nil, let limit = terms.timeLimit { limits.append(Self.about(limit)) }
            return "; at most " + limits.joined(separator: " or ")
        }
        return ", plus shrinking and measuring each finding; \(again) more for plans without a "
            + "finding. No limit is set; set one with --for or --trials"
    }

    private static func about(_ time: Duration) -> String {
        Figures.span(seconds: (time / .seconds(1)).rounded(.up))
    }
}
