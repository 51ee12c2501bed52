public import Journal
internal import Rendering
internal import Statistics

/// What is known of a run at one moment, for those who watch it.
public struct LiveState: Sendable, Hashable {
    /// What a run waits for.
    public enum Phase: Sendable, Hashable {
        /// Households are still to come.
        case arrivals
        /// The same, and arrivals are paused (`control pause`).
        case paused
        /// All have come; so many viewers have not signed in or left.
        case viewers(Int)
        /// No viewer is left; polls go on for so long.
        case settling(Duration)
        /// So many households finish what they do.
        case leaving(Int)
        /// The run was stopped; what is under way may end.
        case stopping
    }

    /// `staging load → https://auth.staging.example`.
    public var title: String
    public var progress: Progress
    /// How long the run will take; nil when nobody knows.
    public var planned: Duration?
    public var plannedHouseholds: Int?
    public var phase: Phase
    /// Answers per second of the last intervals, oldest first.
    public var recentRates: [Double]
    /// What the judge has found so far; nil where nothing is judged while the run goes on.
    public var findings: LiveFindings?
    /// The rig's thresholds as they stand, those that something was measured for (`hold`).
    public internal(set) var thresholds: [ThresholdResult] = []
    /// Thresholds that only the end decides, or for which nothing was measured yet.
    public internal(set) var undecidedThresholds = 0
    /// Why the numbers so far are not to be trusted; nil where they are.
    public internal(set) var invalidity: String?
    /// What happened to the service or the load so far.
    public var events: [RunEvent] = []
    /// Where a search is; nil where it is a run that goes on.
    public var search: LiveSearch?

    public init(
        title: String, progress: Progress, planned: Duration? = nil, plannedHouseholds: Int? = nil,
        phase: Phase = .arrivals, recentRates: [Double] = [], findings: LiveFindings? = nil,
        search: LiveSearch? = nil
    ) {
        self.title = title
        self.progress = progress
        self.planned = planned
        self.plannedHouseholds = plannedHouseholds
        self.phase = phase
        self.recentRates = recentRates
        self.findings = findings
        self.search = search
    }

    /// `389 viewers`, `polls that go on for 12 s`: the end of "waits for ...".
    var wait: String {
        switch phase {
        // No response in the last interval: households wait for the service.
        case .arrivals where isSilent, .viewers where isSilent:
            Figures.counted(progress.underWay, "response")
        case .arrivals: "more households"
        case .paused: "'screenrig control resume' (arrivals are paused)"
        case .viewers(let count): Figures.counted(count, "viewer")
        case .settling(let left):
            "late tokens; polling continues for \(Figures.span(seconds: left.milliseconds / 1000))"
        case .leaving(let count): "\(Figures.counted(count, "household")) to finish"
        case .stopping: "households to finish, at most 5 s"
        }
    }

    private var isSilent: Bool {
        progress.perSecond == 0 && progress.completed > 0 && progress.underWay > 1
    }
}

extension Progress {
    /// Answers per second over the last interval, and in all where that is less: the first interval may be a few
    /// milliseconds long, and five answers in 10 ms are five so far, not 500 per second.
    package var answerRate: Double { min(perSecond, Double(completed)) }
}
