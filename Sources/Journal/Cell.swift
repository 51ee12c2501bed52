public import Dialects
public import Statistics
public import Vocabulary

/// The aggregate of one operation of one kind of household in one second of the run: what is kept
/// of every exchange, whatever `record:` says. Counts go to the second in which the exchange ended,
/// except `sent`, which goes to the second in which it was sent.
public struct Cell: Sendable, Hashable {
    public struct CellKey: Sendable, Hashable, Comparable {
        public var second: Int
        public var operation: OperationName
        /// Position in `HistoryHeader.kinds`.
        public var kind: Int

        public init(second: Int, operation: OperationName, kind: Int) {
            self.second = second
            self.operation = operation
            self.kind = kind
        }

        public static func < (left: CellKey, right: CellKey) -> Bool {
            (left.second, left.operation.rawValue, left.kind)
                < (right.second, right.operation.rawValue, right.kind)
        }
    }

    public var key: CellKey
    public var sent = 0
    /// Ended with an answer, whichever.
    public var completed = 0
    /// By `Exchange.isError`: without rejections that the rig provoked.
    public var errors = 0
    /// By `Outcome.rawValue`.
    public var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)
    /// Answers by HTTP status.
    public var statuses: [Int: Int] = [:]
    /// Of the exchanges that were answered, and of those that timed out (`Exchange.isTimed`).
    public var latency = Histogram()
    /// The same, counted from when the rig began them: without its own lateness. Equal to `latency` in histories from before
    /// it was kept.
    public var punctual = Histogram()
    public var service = Histogram()
    /// Of all exchanges that were sent.
    public var lateness = Histogram()

    public init(key: CellKey) {
        self.key = key
    }

    /// Adds `other` to this one, whatever its key: the sum over seconds or kinds.
    public mutating func merge(_ other: Cell) {
        sent += other.sent
        completed += other.completed
        errors += other.errors
        for position in outcomes.indices { outcomes[position] += other.outcomes[position] }
        statuses.merge(other.statuses, uniquingKeysWith: +)
        latency.merge(other.latency)
        punctual.merge(other.punctual)
        service.merge(other.service)
        lateness.merge(other.lateness)
    }
}

/// Errors that look the same, counted together.
public struct ErrorGroup: Sendable, Hashable {
    public var operation: OperationName
    public var outcome: Outcome
    /// HTTP status, 0 when there was no answer.
    public var status: Int
    /// The service's own word, or the kind of transport error.
    public var reason: String
    public var count: Int
    public var first: Instant
    public var last: Instant
    /// The first of them.
    public var example: Exchange?

    public init(
        operation: OperationName, outcome: Outcome, status: Int, reason: String, count: Int,
        first: Instant, last: Instant, example: Exchange?
    ) {
        self.operation = operation
        self.outcome = outcome
        self.status = status
        self.reason = reason
        self.count = count
        self.first = first
        self.last = last
        self.example = example
    }
}

/// What a history says about its run before the first exchange.
public struct HistoryHeader: Sendable, Hashable {
    /// Name of the run directory.
    public var run: String
    /// Which run it was, whatever its directory is called; nil in histories from before this was kept.
    public var runID: RunID?
    public var rigName: String
    /// The rig as resolved, without secrets; a report of a saved run needs no rig file.
    public var rigSource: String
    public var seed: UInt64
    /// Wall clock at `Instant.start`, microseconds since 1970; a fixed date in virtual time.
    public var startedMicroseconds: Int64
    public var target: String
    public var protocolName: String
    public var version: String
    public var isVirtual: Bool
    public var lanes: Int
    /// Names of the kinds of households, in the rig's order.
    public var kinds: [String]
    /// Nil when it depends on how fast households live.
    public var plannedHouseholds: Int?
    /// Free text about what the load is: `50/s for 40 s`.
    public var load: String
    /// All thresholds in force, as written.
    public var thresholds: [String]
    /// What the run must show, as written; empty in histories from before this was kept.
    public var shows: [String]
    /// What the service is held to where its protocol leaves it open, a line each:
    /// `code-reuse: single`. Empty in histories from before this was kept.
    public var policies: [String]
    /// What it is judged by, as the judge reads it back; empty in a history that nobody judges.
    public var judging: [String]
    /// validity: lateness-p99 in nanoseconds, busy share, fail on breach.
    public var validLatenessNanoseconds: Int64
    public var validBusy: Double
    public var breachFails: Bool
    /// What a preflight found that the service throttles by; nil where there was none.
    public var throttledBy: ThrottleKey?
    /// Each request carried the `traceparent` that `TraceContext` makes of `runID`; false in histories from
    /// before it did so.
    public var sendsTraceContext: Bool
    /// Which part of the plan it is; nil where the run was not split, and in histories from before version 5.
    public var shard: ShardRecord?

    public init(
        run: String, runID: RunID? = nil, rigName: String, rigSource: String, seed: UInt64,
        startedMicroseconds: Int64, target: String, protocolName: String, version: String,
        isVirtual: Bool, lanes: Int,
        kinds: [String], plannedHouseholds: Int?, load: String, thresholds: [String],
        shows: [String] = [], policies: [String] = [], judging: [String] = [],
        validLatenessNanoseconds: Int64,
        validBusy: Double, breachFails: Bool, throttledBy: ThrottleKey? = nil,
        sendsTraceContext: Bool = false, shard: ShardRecord? = nil
    ) {
        self.run = run
        self.runID = runID
        self.rigName = rigName
        self.rigSource = rigSource
        self.seed = seed
        self.startedMicroseconds = startedMicroseconds
        self.target = target
        self.protocolName = protocolName
        self.version = version
        self.isVirtual = isVirtual
        self.lanes = lanes
        self.kinds = kinds
        self.plannedHouseholds = plannedHouseholds
        self.load = load
        self.thresholds = thresholds
        self.shows = shows
        self.policies = policies
        self.judging = judging
        self.validLatenessNanoseconds = validLatenessNanoseconds
        self.validBusy = validBusy
        self.breachFails = breachFails
        self.throttledBy = throttledBy
        self.sendsTraceContext = sendsTraceContext
        self.shard = shard
    }
}

/// What a service counts requests by before it answers 429, as far as a preflight can tell.
/// `throttle-contract` is judged only where this is `forwardedAddress`, by device or home as `forwarded-for` has it.
public enum ThrottleKey: String, Sendable, Hashable, CaseIterable {
    /// By `X-Forwarded-For`, as the protocol page says: each home or device has a limit of its own.
    case forwardedAddress = "forwarded-address"
    /// By the device id or its token: each device has a limit of its own, for another reason.
    case device
    /// By the address that requests come from: all devices of a run share one limit.
    case peerAddress = "peer-address"
    /// The preflight was not throttled.
    case nothing
    /// The preflight did not come so far.
    case unknown
}

/// How a run ended; nil in a history that was cut short (`kill -9`).
public struct HistoryEnd: Sendable, Hashable {
    /// When the last lane came to rest.
    public var ended: Instant
    public var interrupted: Bool
    /// Why it could not go on, in words for the user; empty when it could.
    public var failure: String
    /// Share of one core that the process used, in percent; 0 in virtual time.
    public var cpuPercent: Double
    /// Hash over the canonical events, hex.
    public var historyHash: String
    /// Why the breaker stopped it, in words for the user; empty when it did not.
    public var breaker: String
    /// What the judge found while it ran, in words: all there is of it where not every exchange is
    /// recorded. Empty where nothing was judged.
    public var verdicts: String
    /// The same as the judge reads it back (`Findings.kept`), for reports and for a merge with other shards. Empty
    /// where nothing was judged, and in histories from before this was kept.
    public var verdictCounts: String
    /// When this machine slept meanwhile.
    public var standstills: [Standstill]
    /// When this process did not run meanwhile.
    public var stalls: [Standstill]
    /// Turns of lanes that took seconds, and lanes that never came to rest, in words for the user.
    public var longTurns: [String]

    public init(
        ended: Instant, interrupted: Bool, failure: String, cpuPercent: Double, historyHash: String,
        breaker: String = "", verdicts: String = "", verdictCounts: String = "",
        standstills: [Standstill] = [], stalls: [Standstill] = [], longTurns: [String] = []
    ) {
        self.ended = ended
        self.interrupted = interrupted
        self.failure = failure
        self.cpuPercent = cpuPercent
        self.historyHash = historyHash
        self.breaker = breaker
        self.verdicts = verdicts
        self.verdictCounts = verdictCounts
        self.standstills = standstills
        self.stalls = stalls
        self.longTurns = longTurns
    }
}
