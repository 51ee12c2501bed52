internal import Journal
public import Reports
internal import Statistics
internal import Vocabulary

/// What a comparison needs of one run: its distributions in stretches of time, its errors, what
/// became of its promises.
public struct ComparedRun: Sendable {
    var side: Comparison.Side
    var comparability: Comparability
    /// By subject: an operation's latency, or a time of the sign-in.
    var times: [String: BlockBootstrap] = [:]
    /// By operation: errors of those that ended.
    var errors: [String: SharesInTime] = [:]
    /// Of all operations together: many kinds of a few errors each are many errors.
    var allErrors = SharesInTime()
    /// Households that failed.
    var failed = SharesInTime()
    var kinds: [ErrorRow] = []
    /// Nil where nothing is known of it.
    var grid: PollGrid?
    /// Breaches by promise; nil where nothing was judged.
    var breaches: [String: Comparison.Breaches]?
    /// The protocols that it spoke, by their names.
    var protocols: [String]
    /// Households that signed in.
    var signedIn: Int
    /// The same by step of the abstract machine; nil until somebody asks (`readSteps`).
    var steps: RunSteps?
    /// Its id and its start, in microseconds since 1970: what a copy of it has as well.
    let identity: (RunID?, Int64)
    /// What charts of a report show of it.
    let charts: EarlierRun
    /// The length of a stretch, in seconds.
    private var width: Int

    /// Stretches of equal length that a run is cut into, at most.
    static let stretches = 40
    /// Subjects that are no operations, in the order of reports.
    static let signIns = ["sign-in", "sign-in-service", "token-visibility"]

    /// Reads a run; `breaches` says how often each promise was broken.
    public init(
        _ history: some Recorded, breaches: [String: Comparison.Breaches]? = nil
    ) throws {
        let fold = try RunFold(history)
        try self.init(history, fold, Summary(fold, thresholds: []), breaches: breaches)
    }

    /// `fold` and `summary` are those of the history.
    init(
        _ history: some Recorded, _ fold: RunFold, _ summary: Summary,
        breaches: [String: Comparison.Breaches]?
    ) throws {
        let width = max(1, Int((fold.seconds / Double(Self.stretches)).rounded(.up)))
        self.width = width
        protocols = summary.run.protocols
        signedIn = summary.households.signedIn
        side = Comparison.Side(summary)
        comparability = Comparability(summary, fold.header)
        identity = (fold.header.runID, fold.header.startedMicroseconds)
        charts = EarlierRun(summary)
        kinds = summary.errors
        grid = PollGrid(fold.header)
        self.breaches = breaches
        var latencies: [OperationName: Stretches] = [:]
        try history.cells { cell in
            let stretch = max(0, cell.key.second) / width
            latencies[cell.key.operation, default: Stretches()].add(cell.latency, at: stretch)
            errors[cell.key.operation.name, default: SharesInTime()]
                .add(cell.errors, of: cell.ended, at: stretch)
            if !cell.key.operation.isOfConnection {
                allErrors.add(cell.errors, of: cell.ended, at: stretch)
            }
        }
        var signIns = Self.signIns.map { _ in Stretches() }
        try history.households { household in
            let stretch = max(0, household.arrived.second) / width
            let times = [household.signIn, household.signInService, household.tokenVisibility]
            for (index, time) in times.enumerated() {
                if let time { signIns[index].add(time, at: stretch) }
            }
            failed.add(household.fate == .failed ? 1 : 0, of: 1, at: stretch)
        }
        for (operation, stretches) in latencies { times[operation.name] = stretches.bootstrap }
        for (name, stretches) in zip(Self.signIns, signIns) { times[name] = stretches.bootstrap }
    }

    /// Whether their operations have other names, so that they are compared by steps.
    public func speaksOtherProtocol(than other: ComparedRun) -> Bool {
        protocols != other.protocols
    }

    /// Reads what a comparison by steps needs; `history` is the one that it was made from.
    public mutating func readSteps(_ history: some Recorded) throws {
        steps = try RunSteps(history, width: width)
    }
}

/// A distribution in stretches of time.
struct Stretches {
    private var parts: [Histogram] = []

    mutating func add(_ histogram: Histogram, at stretch: Int) {
        grow(to: stretch)
        parts[stretch].merge(histogram)
    }

    mutating func add(_ time: Duration, at stretch: Int) {
        grow(to: stretch)
        parts[stretch].record(time)
    }

    var bootstrap: BlockBootstrap { BlockBootstrap(parts) }

    private mutating func grow(to stretch: Int) {
        while parts.count <= stretch { parts.append(Histogram()) }
    }
}

/// How often something happened, in stretches of time: what happened together counts as one piece
/// of news.
struct SharesInTime: Sendable {
    private var parts: [(hits: Int, trials: Int)] = []

    private(set) var hits = 0
    private(set) var trials = 0
    var share: Double { trials == 0 ? 0 : Double(hits) / Double(trials) }

    mutating func add(_ hits: Int, of trials: Int, at stretch: Int) {
        while parts.count <= stretch { parts.append((0, 0)) }
        parts[stretch].hits += hits
        parts[stretch].trials += trials
        self.hits += hits
        self.trials += trials
    }

    /// Variance of the share when whole stretches vary (the ratio estimator of Cochran, Sampling
    /// Techniques, 1977, 6.3).
    var variance: Double {
        let filled = parts.filter { $0.trials > 0 }
        guard filled.count > 1 else { return 0 }
        let squares = filled.reduce(0.0) { sum, part in
            let rest = Double(part.hits) - share * Double(part.trials)
            return sum + rest * rest
        }
        let correction = Double(filled.count) / Double(filled.count - 1)
        return correction * squares / (Double(trials) * Double(trials))
    }
}

extension Comparison.Side {
    init(_ summary: Summary) {
        id = summary.run.id
        rig = summary.run.rig
        started = summary.run.started
        seconds = summary.run.seconds
        target = summary.run.target
        load = summary.run.load
        version = summary.run.version
        answers = summary.exchanges.completed
        households = summary.households.started
        interruptions = summary.interruptions
    }
}
