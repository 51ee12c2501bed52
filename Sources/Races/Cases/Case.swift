public import Formats
public import Vocabulary

/// A minimal reproduction of a broken promise, and what is known about it: the file that one person
/// sends and another one replays. Holds no secret: accounts are words of the schedule, tokens are
/// not in it, the rig's secrets stand as `${NAME}`.
public struct Case: Codable, Sendable, Hashable {
    /// The schema of the file.
    public static let schema = "screenrig/case/1"

    /// In the order of the file; `schedule` stands among them.
    private enum CodingKeys: String, CodingKey {
        case name, made, version, seed, target, throttle, policies, expected, schedule, company
        case swept, evidence, prefixes
        case isMinimal = "minimal"
        case removed = "removedOps"
        case almost, controls, alternatives, path, historyHash, household, trial, rig
    }

    /// Name of the file without its ending: `poll-authenticate-sign-in-visible`.
    public var name: String
    /// UTC, when it was made: `2026-11-21T07:00:00Z`.
    public var made: String
    /// Of screenrig.
    public var version: String
    public var rig: RigText
    @Quoted public var seed: UInt64
    /// What the service was held to, in words.
    public var policies: [String]
    public var target: Target
    /// What is assumed about rate limits.
    public var throttle: String
    public var schedule: Schedule
    /// What may go on around a trial without being in its way.
    public var company: Isolation
    /// The op whose offset was swept; its distance from its anchor is the offset of the case.
    public var swept: String?
    public var expected: Expected
    /// Nil: it was taken from a run and has not been replayed yet.
    public var evidence: Evidence?
    /// Nothing can be left out any more.
    public var isMinimal: Bool
    /// What shrinking took away: `actor tv-2`, `op poll-3`, `arg resource of authorize`.
    public var removed: [String]
    /// What becomes of it when any one op is left out.
    public var almost: [Almost]
    /// How often it happens when only the first ops keep their times; empty where that is not known.
    public var prefixes: [Prefix] = []
    public var controls: Controls
    public var alternatives: [Alternative]
    /// How much the way to the service varies; nil where nothing stands between.
    public var path: PathJitter?
    /// Of the run that it comes from, or empty.
    public var historyHash: String
    /// Its number in that run; nil in a case of a race.
    public var household: Int?
    /// One execution that broke it; nil before there was one.
    public var trial: Trial?

    /// The rig that it is played with.
    public struct RigText: Codable, Sendable, Hashable {
        public var name: String
        /// As read, with `--set` applied and secrets left as `${NAME}`.
        public var source: String

        public init(name: String, source: String) {
            self.name = name
            self.source = source
        }
    }

    /// What it was found on, so that a replay elsewhere is known to be one.
    public struct Target: Codable, Sendable, Hashable {
        /// `embedded (in process), faults: ack-before-apply`, or an address.
        public var name: String
        /// `adobe-pass-v1`.
        public var protocolName: String
        /// The service's own clock at that time, from its `Date`; empty if it tells none.
        public var date: String
        public var server: String
        /// Names of the cookies that it set: some may be those by which nodes are told apart.
        public var cookies: [String]

        private enum CodingKeys: String, CodingKey {
            case name
            case protocolName = "protocol"
            case date, server, cookies
        }

        public init(
            name: String, protocolName: String, date: String = "", server: String = "",
            cookies: [String] = []
        ) {
            self.name = name
            self.protocolName = protocolName
            self.date = date
            self.server = server
            self.cookies = cookies
        }
    }

    /// What a replay must show to count.
    public struct Expected: Codable, Sendable, Hashable {
        public var invariant: Invariant
        /// Whose promise it is, by the judge.
        public var source: PromiseSource
        /// Ids of the ops that cannot all be true.
        public var ops: [String]
        /// The least distance in time between the two that contradict each other; nil where time is
        /// no part of it.
        public var gap: Duration?
        public var signature: String
        public var sentence: String

        private enum CodingKeys: String, CodingKey {
            case invariant, source, ops
            case gap = "minGapUs"
            case signature, sentence
        }

        /// `source`: nil is the invariant's usual one.
        public init(
            _ invariant: Invariant, source: PromiseSource? = nil, ops: [String] = [],
            gap: Duration? = nil,
            signature: String = "", sentence: String = ""
        ) {
            self.invariant = invariant
            self.source = source ?? invariant.source
            self.ops = ops
            self.gap = gap
            self.signature = signature
            self.sentence = sentence
        }

        /// By the signature, the responses that cannot all be true, with what each of them said; the last is the one that
        /// cannot be.
        var responses: [(operation: OperationName, result: String)] {
            signature.split(separator: " > ").compactMap { part in
                let words = part.split(separator: " ").suffix(2)
                guard let word = words.first, let result = words.last, words.count == 2,
                    let operation = OperationName.allCases.first(where: { $0.name == word })
                else { return nil }
                return (operation, String(result))
            }
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                try container.decode(Invariant.self, forKey: .invariant),
                // The first cases had none.
                source: try container.decodeIfPresent(PromiseSource.self, forKey: .source),
                ops: try container.decode([String].self, forKey: .ops),
                gap: try container.decodeIfPresent(Duration.self, forKey: .gap),
                signature: try container.decode(String.self, forKey: .signature),
                sentence: try container.decode(String.self, forKey: .sentence))
        }
    }

    /// How often it was seen, and when.
    public struct Evidence: Sendable, Hashable {
        public var rate: HitRate
        /// `sweep`, `random order`.
        public var method: String
        public var achieved: RaceFinding.Quantiles?
        public var window: RaceFinding.Window?
        public var best: Duration
        /// The window is too narrow to be aimed at.
        public var isSimultaneous: Bool
        public var curve: [RaceFinding.CurvePoint]
        /// From the start of the search to the first hit.
        public var firstSeen: Duration
        /// What a trial takes.
        public var trialTime: Duration

        /// It was searched for, and no offset made it break often.
        public var isRare: Bool {
            window == nil && !isSimultaneous && !curve.isEmpty
                && min(rate.share, curve.total.share) < RaceFinding.rare
        }

        public init(
            rate: HitRate, method: String = "sweep", achieved: RaceFinding.Quantiles? = nil,
            window: RaceFinding.Window? = nil, best: Duration = .zero,
            isSimultaneous: Bool = false, curve: [RaceFinding.CurvePoint] = [],
            firstSeen: Duration = .zero, trialTime: Duration = .zero
        ) {
            self.rate = rate
            self.method = method
            self.achieved = achieved
            self.window = window
            self.best = best
            self.isSimultaneous = isSimultaneous
            self.curve = curve
            self.firstSeen = firstSeen
            self.trialTime = trialTime
        }
    }

    /// The schedule without one of its ops.
    public struct Almost: Codable, Sendable, Hashable {
        /// Id of the op that is left out.
        public var without: String
        public var rate: HitRate
        /// Why nothing can be said: it cannot be played without it. Empty as a rule.
        public var note: String

        public init(without: String, rate: HitRate, note: String = "") {
            self.without = without
            self.rate = rate
            self.note = note
        }
    }

    /// The same thing where it must not happen.
    public struct Controls: Codable, Sendable, Hashable {
        /// The same schedule at an offset outside the window.
        public var outside: Arm?
        /// The same schedule on a stand-in without faults that answers as slowly as the target.
        public var clean: Arm?
        /// What the target took to answer, which the clean stand-in imitates.
        public var latency: Duration?

        private enum CodingKeys: String, CodingKey {
            case outside = "outsideWindow"
            case clean = "cleanStandin"
            case latency = "cleanLatencyUs"
        }

        public init(outside: Arm? = nil, clean: Arm? = nil, latency: Duration? = nil) {
            self.outside = outside
            self.clean = clean
            self.latency = latency
        }
    }

    /// One control and what came of it.
    public struct Arm: Codable, Sendable, Hashable {
        public var offset: Duration
        public var rate: HitRate
        /// Fisher's exact test, two-sided: how likely so clear a difference from the case itself is
        /// by chance.
        @Probability public var fisher: Double

        private enum CodingKeys: String, CodingKey {
            case offset = "offsetUs"
            case rate
            case fisher = "fisherP"
        }

        public init(offset: Duration, rate: HitRate, fisher: Double) {
            self.offset = offset
            self.rate = rate
            self.fisher = fisher
        }
    }

    /// Another explanation, and the exchange that rules it out.
    public struct Alternative: Codable, Sendable, Hashable {
        public var explanation: String
        public var ruledOutBy: String

        public init(_ explanation: String, ruledOutBy: String) {
            self.explanation = explanation
            self.ruledOutBy = ruledOutBy
        }
    }

    /// How much the time of the same short request varies on the way through a proxy.
    public struct PathJitter: Codable, Sendable, Hashable {
        public var via: String
        public var spread: RaceFinding.Quantiles

        private enum CodingKeys: String, CodingKey {
            case via
            case spread = "jitterUs"
        }

        public init(via: String, spread: RaceFinding.Quantiles) {
            self.via = via
            self.spread = spread
        }

        /// What the two ends of a window may be off by.
        public var width: Duration { spread.p90 - spread.p10 }
    }

    /// One execution, exchange by exchange.
    public struct Trial: Codable, Sendable, Hashable {
        /// Microseconds since 1970 at instant zero of the exchanges.
        public var startedMicroseconds: Int64
        public var exchanges: [Entry]

        private enum CodingKeys: String, CodingKey {
            case startedMicroseconds = "startedUs"
            case exchanges
        }

        public init(startedMicroseconds: Int64, exchanges: [Entry]) {
            self.startedMicroseconds = startedMicroseconds
            self.exchanges = exchanges
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(startedMicroseconds, forKey: .startedMicroseconds)
            try container.encode(exchanges.map(withClock), forKey: .exchanges)
        }

        /// An exchange with two of its times as a clock shows them, for a reader.
        private func withClock(_ entry: Entry) -> JSON {
            JSON(encoding: entry).inserting(
                [("sentUtc", utc(entry.sent)), ("firstByteUtc", utc(entry.firstByte))],
                before: "lost")
        }
    }

    /// One exchange of it; times in nanoseconds.
    public struct Entry: Codable, Sendable, Hashable {
        /// Id of the op; empty for setup and the reads after the race.
        public var op: String
        public var actor: String
        public var operation: OperationName
        public var household: Int
        public var sequence: Int
        /// Handed to the transport.
        public var begun: Int64
        /// Before its last byte left.
        public var sent: Int64
        /// First byte of the answer.
        public var firstByte: Int64
        public var ended: Int64
        /// The answer was lost.
        public var isOpen: Bool
        public var status: Int?
        /// `success`, `absent`, `expired`, `denied`, `maybe` or `lost`.
        public var answer: String
        /// What the TV may have been after it returned: bit 0 signed out, bit n its n-th sign-in;
        /// nil where nobody asked.
        public var belief: Int?
        /// One of those that cannot all be true.
        public var isConflict: Bool
        /// The server's `Date`.
        public var serverDate: String
        /// What the server calls it.
        public var requestID: String
        /// As it was sent; nil: it was not kept.
        public var request: Request?
        /// The W3C trace context that it carried; nil where that is not known.
        public var traceparent: String?

        private enum CodingKeys: String, CodingKey {
            case op, actor, operation, household, sequence
            case begun = "begunNs"
            case sent = "sentNs"
            case firstByte = "firstByteNs"
            case ended = "endedNs"
            case isOpen = "lost"
            case status, answer, belief
            case isConflict = "conflict"
            case serverDate
            case requestID = "requestId"
            case request, traceparent
        }

        public init(
            op: String, actor: String, operation: OperationName, household: Int, sequence: Int,
            begun: Int64, sent: Int64, firstByte: Int64, ended: Int64, isOpen: Bool = false,
            status: Int? = nil, answer: String, belief: Int? = nil, isConflict: Bool = false,
            serverDate: String = "", requestID: String = "", request: Request? = nil
        ) {
            self.op = op
            self.actor = actor
            self.operation = operation
            self.household = household
            self.sequence = sequence
            self.begun = begun
            self.sent = sent
            self.firstByte = firstByte
            self.ended = ended
            self.isOpen = isOpen
            self.status = status
            self.answer = answer
            self.belief = belief
            self.isConflict = isConflict
            self.serverDate = serverDate
            self.requestID = requestID
            self.request = request
        }
    }

    /// What a request asked for; secrets of its address are fingerprints.
    public struct Request: Codable, InlineCodable, Sendable, Hashable {
        public static let firstKey = "url"

        public var method: String
        public var url: String

        public init(method: String, url: String) {
            self.method = method
            self.url = url
        }
    }

    public init(
        name: String, made: String, version: String, rig: RigText, seed: UInt64,
        policies: [String] = [], target: Target, throttle: String = "", schedule: Schedule,
        company: Isolation = .crowd, swept: String? = nil, expected: Expected,
        evidence: Evidence? = nil,
        isMinimal: Bool = false, removed: [String] = [], almost: [Almost] = [],
        controls: Controls = Controls(), alternatives: [Alternative] = [],
        path: PathJitter? = nil, historyHash: String = "", trial: Trial? = nil
    ) {
        self.name = name
        self.made = made
        self.version = version
        self.rig = rig
        self.seed = seed
        self.policies = policies
        self.target = target
        self.throttle = throttle
        self.schedule = schedule
        self.company = company
        self.swept = swept
        self.expected = expected
        self.evidence = evidence
        self.isMinimal = isMinimal
        self.removed = removed
        self.almost = almost
        self.controls = controls
        self.alternatives = alternatives
        self.path = path
        self.historyHash = historyHash
        self.trial = trial
    }
}
