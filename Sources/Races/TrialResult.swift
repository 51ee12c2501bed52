public import Checker
internal import Dialects
public import Journal
public import Vocabulary

/// One execution of a schedule, with a device, a code and an account that nothing has used before.
public struct TrialResult: Sendable {
    public var schedule: Schedule
    /// Households of the run that it was played by, in the order of the schedule's numbers.
    public var households: [Int]
    /// What the gate achieved, in the order of the schedule's ops.
    public var releases: [ReleaseTime]
    /// Broken promises that count: never suspicions. Empty where nothing broke.
    public var breaches: [Breach]
    /// Answers that the protocol's pages, or our reading of them, do not allow: of each the breach of `conforms`.
    public var deviations: [Breach] = []
    /// The first that the pages do not allow, in the judge's words; nil where there was none.
    public var deviation: String? {
        deviations.first { $0.source == .documented }?.sentence
    }
    /// Why it says nothing; nil when it counts.
    public var discarded: Discard?
    public var exchanges: [Exchange]
    /// What was sent, in the order of `exchanges`; kept where something broke.
    public var requests: [Case.Request] = []

    public init(
        schedule: Schedule, households: [Int] = [], releases: [ReleaseTime] = [],
        breaches: [Breach] = [], discarded: Discard? = nil, exchanges: [Exchange] = []
    ) {
        self.schedule = schedule
        self.households = households
        self.releases = releases
        self.breaches = breaches
        self.discarded = discarded
        self.exchanges = exchanges
    }

    /// When an op's decisive request left, and how far that was from its anchor's event.
    public struct ReleaseTime: Sendable, Hashable {
        /// The op's id.
        public var op: String
        public var sent: Instant
        public var firstByte: Instant?
        /// Number of the exchange within its household.
        public var sequence: Int
        /// Nil for an op without an anchor, or whose anchor never happened.
        public var offset: Duration?

        public init(
            op: String, sent: Instant, firstByte: Instant? = nil, sequence: Int,
            offset: Duration? = nil
        ) {
            self.op = op
            self.sent = sent
            self.firstByte = firstByte
            self.sequence = sequence
            self.offset = offset
        }
    }

    /// Why a trial does not count.
    public enum Discard: Sendable, Hashable, CustomStringConvertible {
        /// The answer came before the request was complete.
        case answeredEarly(op: String)
        /// A raced request had no answer.
        case connectionFailed(op: String, String)
        /// What comes before the race did not come about.
        case setupFailed(op: String, String)
        /// Turned down by a rate limit.
        case throttled(op: String)
        /// The service, or something before it, answered that it could not: that shows no state.
        case failed(op: String, status: Int)
        /// Of the reads that were to show the state, not one was answered with it.
        case unread(OperationName, String)
        case stopped

        /// The service, or the way to it, has not given what was needed.
        var isOfService: Bool {
            switch self {
            case .answeredEarly, .stopped: false
            case .connectionFailed, .setupFailed, .throttled, .failed, .unread: true
            }
        }

        public var description: String {
            switch self {
            case .answeredEarly(let op): "\(op) was answered before its request was complete"
            case .connectionFailed(let op, let detail): "\(op) was not answered: \(detail)"
            case .setupFailed(let op, let detail): "\(op) could not be set up: \(detail)"
            case .throttled(let op): "\(op) was throttled"
            case .failed(let op, let status): "\(op) was answered \(status)"
            case .unread(let operation, let detail):
                "no response to \(operation.name) showed a state: \(detail)"
            case .stopped: "the search was stopped"
            }
        }
    }

    /// What the gate made of an op.
    public subscript(release op: String) -> ReleaseTime? { releases.first { $0.op == op } }

    /// Whether an exchange is the decisive one of an op.
    func isOwn(_ sequence: Int, of household: Int) -> Bool {
        releases.contains { release in
            guard release.sequence == sequence, let op = schedule[op: release.op],
                let actor = schedule[actor: op.actor]
            else { return false }
            return households.indices.contains(actor.household)
                && households[actor.household] == household
        }
    }

    /// The raced request that failed; nil where each was answered with a state.
    var failure: Discard? {
        for release in releases {
            let own = exchanges.first {
                $0.sequence == release.sequence && isOwn($0.sequence, of: $0.device.household)
            }
            guard let own, own.outcome == .serverError || own.outcome == .blocked,
                case .answered(let status) = own.delivery
            else { continue }
            return .failed(op: release.op, status: status)
        }
        return nil
    }

    /// Why it does not count, in words: of a trial that was stopped while an operation got no answer that
    /// tells anything, that operation.
    var reasonOfDiscard: String {
        guard let discarded else { return "" }
        guard discarded == .stopped, let last = obstacle?.last else { return "\(discarded)" }
        switch last.delivery {
        case .refused(let error), .unknown(let error):
            return "\(last.operation.name) was not answered: \(error.detail)"
        case .answered(let status): return "\(last.operation.name) answered \(status)"
        }
    }

    /// All requests of the last operation of which not one was answered as a service that works answers;
    /// nil where there was none.
    private var obstacle: [Exchange]? {
        let sent = exchanges.filter {
            $0.outcome != .notSent && $0.delivery.error?.kind != .stopped
        }
        let works = Set(sent.filter(\.tellsState).map(\.operation))
        guard let last = sent.last(where: { !works.contains($0.operation) }) else { return nil }
        return sent.filter { $0.operation == last.operation }
    }

    /// Its set-up was throttled to the end: another trial would be, too. Screens take 60 tries, and what
    /// is raced one.
    var isThrottledThroughout: Bool {
        guard discarded != nil, let obstacle else { return false }
        return obstacle.count >= 10 && obstacle.allSatisfy { $0.outcome == .throttled }
    }

    /// What was read and never answered with a state, with the reason of the last: a trial that saw
    /// nothing broken because it saw nothing.
    var unread: Discard? {
        for operation in Self.reads {
            guard let last = exchanges.lastIndex(where: { $0.operation == operation }),
                !exchanges.contains(where: { $0.operation == operation && $0.tellsState })
            else { continue }
            return .unread(operation, exchanges[last].reason ?? exchanges[last].outcome.name)
        }
        return unheard
    }

    /// The last polls came too early for the server, which says nothing of a decision then (RFC 8628, 3.5).
    private var unheard: Discard? {
        guard let last = exchanges.last(where: { $0.operation == .deviceToken }),
            last.outcome == .pending, last.observation.result == .none
        else { return nil }
        let isSettled = exchanges.contains { poll in
            guard poll.operation == .deviceToken else { return false }
            return switch poll.observation.result {
            case .success, .denied, .expired: true
            default: false
            }
        }
        guard !isSettled else { return nil }
        return .unread(
            .deviceToken,
            "slow_down; load.settle must be longer than the interval and the 5 s that each slow_down adds"
        )
    }

    private static let reads: [OperationName] = [
        .pollToken, .checkCode, .registrationRecord, .authorizationToken, .profilesByCode,
        .profiles,
    ]

    /// What should have taken effect by the response to it, or by what was read afterwards, and did not, in words; nil where all
    /// did, or where something else in the schedule may be what ended it.
    var withoutEffect: String? {
        let codes = schedule.ops.count { $0.step.issuesCode }
        guard !exchanges.isEmpty, codes <= households.count,
            !schedule.ops.contains(where: \.step.endsSignIn)
        else { return nil }
        let decides = schedule.ops.contains { $0.step.signsIn || $0.step == .refusal }
        if decides, !exchanges.contains(where: Self.showsDecision) {
            return "no sign-in or refusal took effect"
        }
        let authorizes = schedule.ops.contains { $0.step == .authorize }
        let isGranted = exchanges.contains {
            $0.operation == .authorize && $0.observation.result == .success
        }
        return authorizes && !isGranted ? "no authorization was granted" : nil
    }

    private static func showsDecision(_ exchange: Exchange) -> Bool {
        let operation = exchange.operation
        return switch exchange.observation.result {
        case .success:
            exchange.isPoll || exchange.signsIn || operation == .refusal
                || operation == .checkCode || Step(operation).readsProfiles
        case .denied: exchange.isPoll && exchange.reason == "access_denied"
        default: false
        }
    }

    /// Whether that promise was broken: one of that source, where it is given, or one that is documented.
    public func breaks(_ invariant: Invariant, of source: PromiseSource? = nil) -> Bool {
        breaches.contains { $0.breaks(invariant, of: source) }
    }
}

/// One broken promise in one trial: the judge's violation without what only a whole run needs.
public struct Breach: Sendable, Hashable {
    public var invariant: Invariant
    /// Whose promise it is, as the judge says: the same invariant is documented for one protocol and
    /// an expectation of ours for another.
    public var source: PromiseSource
    /// Exchanges and gap in words.
    public var sentence: String
    /// `sign-in-visible: check-code success > poll-token absent`.
    public var signature: String
    /// The household of the run, and the numbers of the exchanges within it.
    public var household: Int
    public var exchanges: [Int]
    /// How far apart the two were that cannot both be, in nanoseconds.
    public var gap: Int64?
    public var scene: [SceneEntry]

    /// `source`: nil is the invariant's usual one.
    public init(
        _ invariant: Invariant, source: PromiseSource? = nil, sentence: String,
        signature: String = "",
        household: Int = 0, exchanges: [Int] = [], gap: Int64? = nil, scene: [SceneEntry] = []
    ) {
        self.invariant = invariant
        self.source = source ?? invariant.source
        self.sentence = sentence
        self.signature = signature
        self.household = household
        self.exchanges = exchanges
        self.gap = gap
        self.scene = scene
    }

    /// Whether it is a breach of that promise. What the documentation promises, and a reading of ours of the same name, are
    /// two promises: that the second breaks does not show that the first still does.
    func breaks(_ invariant: Invariant, of source: PromiseSource? = nil) -> Bool {
        self.invariant == invariant
            && (source.map(self.source.covers) ?? true)
    }

    /// The same of the promise that a case is about; the same contradiction is the same promise, whosever it is by now.
    func breaks(_ expected: Case.Expected) -> Bool {
        breaks(expected.invariant, of: expected.source)
            || invariant == expected.invariant && signature == expected.signature
    }

    public init(_ violation: Violation) {
        self.init(
            violation.invariant, source: violation.source, sentence: violation.sentence,
            signature: violation.signature, household: violation.household,
            exchanges: violation.exchanges, gap: violation.gap, scene: violation.scene)
    }
}

/// Where schedules are executed: over sockets, or in virtual time.
public protocol Arena: Sendable {
    /// Executes them, several at once where that does not disturb them, and judges each; the results
    /// are in the order of `schedules`. A stopped arena discards what is left.
    func play(_ schedules: [Schedule]) async -> [TrialResult]

    /// The same, with as much company as that.
    func play(_ schedules: [Schedule], in company: Isolation) async -> [TrialResult]

    /// No trial can have a hand in what another shows, whatever the company.
    var isolatesTrials: Bool { get }
}

/// What goes on around a trial.
public enum Isolation: String, Codable, Sendable, CaseIterable {
    /// Other trials, as many as the arena bears: the quickest.
    case crowd
    /// Other trials, of which none races at the same time: the most punctual.
    case queue
    /// No other trial does anything but wait: what one does to the service shows in no other.
    case nobody
}

extension Arena {
    /// An arena in which nothing disturbs anything.
    public func play(_ schedules: [Schedule], in company: Isolation) async -> [TrialResult] {
        await play(schedules)
    }

    public var isolatesTrials: Bool { false }
}

extension Exchange {
    /// The service itself has answered: with what was asked for, or that it is not there.
    fileprivate var tellsState: Bool {
        switch outcome {
        case .ok, .pending, .rejected, .notEntitled: true
        case .throttled, .serverError, .timeout, .transport, .malformed, .blocked, .notSent,
            .resent, .cutOff:
            false
        }
    }
}
