public import Dialects
public import Statistics
public import Vocabulary

/// Where a run is, for a line every few seconds. Renewed about once a second.
public struct Progress: Sendable, Hashable {
    public struct HouseholdCounts: Sendable, Hashable {
        public var started = 0
        /// Also those that are still here, and those that were on arrival.
        public var signedIn = 0
        /// Of those, on arrival.
        public var preSignedIn = 0
        public var failed = 0
        public var abandoned = 0
        /// Of those, the ones that the rig did not draw (`HouseholdRecord.Abandonment.service`).
        public var abandonedByService = 0
        /// Those that have not ended, by the stage they are at (`Stage.rawValue`).
        public var runningAt = [Int](repeating: 0, count: Stage.allCases.count)

        public var running: Int { runningAt.reduce(0, +) }
        /// Of those, the ones without a token.
        public var waiting: Int { runningAt[..<Int(Stage.signedIn.rawValue)].reduce(0, +) }
    }

    /// The group of errors with the highest count.
    public struct WorstError: Sendable, Hashable {
        public var operation: OperationName
        public var outcome: Outcome
        public var status: Int
        public var reason: String
        public var count: Int

        public init(
            operation: OperationName, outcome: Outcome, status: Int, reason: String, count: Int
        ) {
            self.operation = operation
            self.outcome = outcome
            self.status = status
            self.reason = reason
            self.count = count
        }
    }

    /// One operation over the whole run so far; making connections too.
    public struct Work: Sendable, Hashable {
        public var operation: OperationName
        /// Of those that have ended.
        public var sent = 0
        /// Sent, and not ended.
        public var underWay = 0
        public var completed = 0
        public var errors = 0
        /// By `Outcome.rawValue`.
        public var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)
        /// Of the exchanges that were answered.
        public var latency = Histogram()
        /// The same without the rig's lateness (`Cell.punctual`).
        public var punctual = Histogram()
        public var service = Histogram()
        /// Of the exchanges that were sent.
        public var lateness = Histogram()

        public init(_ operation: OperationName) {
            self.operation = operation
        }

        /// Exchanges that came to an end, whichever.
        public var count: Int { outcomes.reduce(0, +) }
    }

    /// How far the fastest lane is.
    public var elapsed = Instant.start
    public var households = HouseholdCounts()
    /// Of those that have ended.
    public var sent = 0
    /// Sent, and not ended.
    public var underWay: Int { works.reduce(0) { $0 + $1.underWay } }
    public var completed = 0
    public var errors = 0
    public var throttled = 0
    /// Answers per second of the run's time, over the last interval.
    public var perSecond = 0.0
    /// Over the last interval; nil when nothing was answered in it.
    public var latencyP50: Duration?
    public var latencyP99: Duration?
    public var latenessP99: Duration?
    public var worstError: WorstError? { worstErrors.first }
    /// The three most frequent, by cause.
    public var worstErrors: [WorstError] = []
    /// Those that occurred, in the order of `screenrig list`.
    public var works: [Work] = []
    /// Of all operations together, over the last interval.
    public var recentLatency = Histogram()
    public var recentLateness = Histogram()
    /// Of all that was sent, over the whole run so far.
    public var lateness = Histogram()
    /// Code shown → token seen, of the households that came so far.
    public var signIn = Histogram()
    /// The same without the rig's lateness.
    public var punctualSignIn = Histogram()
    /// Requests that a ceiling held back so far, and those that it holds back now.
    public var heldBack = 0
    public var heldNow = 0
    /// Batches that wait to be counted and written: a disk that cannot keep up shows here.
    public var waitingBatches = 0

    public init() {}
}

/// Counts what `Progress` shows.
struct ProgressMeter {
    private(set) var progress = Progress()
    private var latency = Histogram()
    private var lateness = Histogram()
    /// By `OperationName.rawValue`.
    private var works = OperationName.allCases.map(Progress.Work.init)
    private var intervalBegan = Instant.start
    private var completedBefore = 0
    /// By lane.
    private var heldNow: [Int: Int] = [:]
    private var underWay: [Int: [Int32]] = [:]
    /// Households that have not ended.
    private var living: [Int: MeterPlace] = [:]
    /// A bit for each household that has: its record may come once more, with what its phone met afterwards.
    private var ended: [UInt64] = []

    private struct MeterPlace {
        var stage: Stage
        var fate: HouseholdRecord.Fate
        var hasToken: Bool
    }

    mutating func add(_ exchange: Exchange) {
        if exchange.outcome != .notSent {
            progress.sent += 1
            lateness.record(exchange.latenessNanoseconds)
        }
        if exchange.outcome == .throttled { progress.throttled += 1 }
        if exchange.isError { progress.errors += 1 }
        if exchange.delivery.status != nil { progress.completed += 1 }
        if exchange.isTimed { latency.record(exchange.latencyNanoseconds) }
        work(exchange.operation) { $0.add(exchange) }
        guard let connect = exchange.connect else { return }
        work(.connect) { $0.add(took: connect) }
        if let tls = exchange.tls { work(.tls) { $0.add(took: tls) } }
    }

    private mutating func work(_ operation: OperationName, _ change: (inout Progress.Work) -> Void)
    {
        change(&works[Int(operation.rawValue)])
    }

    mutating func add(_ record: HouseholdRecord) {
        guard !hasEnded(record.household) else { return }
        let before = living[record.household]
        let hasToken = record.tokenSeen != nil
        if hasToken, before?.hasToken != true, let time = record.signIn {
            progress.signIn.record(time.wholeNanoseconds)
            record.punctualSignIn.map { progress.punctualSignIn.record($0.wholeNanoseconds) }
        }
        if let before {
            progress.households.runningAt[Int(before.stage.rawValue)] -= 1
            progress.households.count(before.fate, -1)
        } else {
            progress.households.started += 1
        }
        let fate = record.fate == .running && record.hasSignedIn ? .signedIn : record.fate
        progress.households.count(fate, 1)
        if record.abandonedBy == .service { progress.households.abandonedByService += 1 }
        if record.ended == nil {
            living[record.household] = MeterPlace(
                stage: record.stage, fate: fate, hasToken: hasToken)
            progress.households.runningAt[Int(record.stage.rawValue)] += 1
        } else {
            living[record.household] = nil
            end(record.household)
        }
    }

    private func hasEnded(_ household: Int) -> Bool {
        let word = household / 64
        return word < ended.count && ended[word] & 1 << UInt64(household % 64) != 0
    }

    private mutating func end(_ household: Int) {
        let missing = household / 64 + 1 - ended.count
        if missing > 0 { ended += repeatElement(0, count: missing) }
        ended[household / 64] |= 1 << UInt64(household % 64)
    }

    /// What of a batch has not ended.
    mutating func addOpen(_ batch: Batch) {
        progress.heldBack += batch.heldBack.count
        heldNow[batch.lane] = batch.heldBack.waiting
        progress.heldNow = heldNow.values.reduce(0, +)
        underWay[batch.lane] = batch.underWay
    }

    mutating func pass(_ instant: Instant) {
        progress.elapsed = max(progress.elapsed, instant)
    }

    /// Ends the interval and gives the state at its end.
    mutating func turn(worst: [ErrorGroup]) -> Progress {
        let seconds = (progress.elapsed - intervalBegan).seconds
        if seconds > 0 {
            progress.perSecond = Double(progress.completed - completedBefore) / seconds
        } else if progress.completed == completedBefore {
            // Idle lanes hand nothing over, so that their time stands still.
            progress.perSecond = 0
        }
        progress.latencyP50 = latency.duration(atShare: 0.5)
        progress.latencyP99 = latency.duration(atShare: 0.99)
        progress.latenessP99 = lateness.duration(atShare: 0.99)
        progress.recentLatency = latency
        progress.recentLateness = lateness
        progress.lateness.merge(lateness)
        for position in works.indices { works[position].underWay = 0 }
        for open in underWay.values {
            for (position, count) in open.enumerated() { works[position].underWay += Int(count) }
        }
        progress.works = works.filter { $0.count > 0 || $0.underWay > 0 }
        progress.worstErrors = worst.map {
            Progress.WorstError(
                operation: $0.operation, outcome: $0.outcome, status: $0.status, reason: $0.reason,
                count: $0.count)
        }
        intervalBegan = progress.elapsed
        completedBefore = progress.completed
        latency = Histogram()
        lateness = Histogram()
        return progress
    }
}

extension Progress.Work {
    /// As `Cell` counts: the tables of a run and of its report agree.
    fileprivate mutating func add(_ exchange: Exchange) {
        if exchange.outcome != .notSent {
            sent += 1
            lateness.record(exchange.latenessNanoseconds)
        }
        outcomes[Int(exchange.outcome.rawValue)] += 1
        if exchange.isError { errors += 1 }
        if exchange.delivery.status != nil { completed += 1 }
        guard exchange.isTimed else { return }
        latency.record(exchange.latencyNanoseconds)
        punctual.record(exchange.punctualNanoseconds)
        service.record(exchange.serviceNanoseconds)
    }

    /// A connection that was made, or secured.
    fileprivate mutating func add(took: Duration) {
        sent += 1
        completed += 1
        outcomes[Int(Outcome.ok.rawValue)] += 1
        latency.record(took.wholeNanoseconds)
        punctual.record(took.wholeNanoseconds)
    }
}

extension Histogram {
    fileprivate func duration(atShare share: Double) -> Duration? {
        value(atShare: share).map { .nanoseconds($0) }
    }
}

extension Progress.HouseholdCounts {
    fileprivate mutating func count(_ fate: HouseholdRecord.Fate, _ change: Int) {
        switch fate {
        case .running: break
        case .signedIn: signedIn += change
        case .preSignedIn:
            signedIn += change
            preSignedIn += change
        case .failed: failed += change
        case .abandoned: abandoned += change
        }
    }
}
