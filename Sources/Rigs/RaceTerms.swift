/// What a race search tries, and for how long (rigs/reference.yaml, `race`).
public struct RaceTerms: Sendable, Hashable {
    /// A conflict pair or triple by its name, `all`, or a plan of the rig's own.
    public enum Choice: Sendable, Hashable {
        case named(String)
        case own(OwnPlan)
    }

    /// `{name: ..., actors: {tv: [...], phone: [...]}, sweep: [phone.authenticate, tv.poll-token]}`.
    public struct OwnPlan: Sendable, Hashable {
        public struct RaceActor: Sendable, Hashable {
            public var name: String
            public var operations: [Operation]

            public init(name: String, operations: [Operation]) {
                self.name = name
                self.operations = operations
            }
        }

        /// `poll-token`, or `{step: authenticate, as: second, account: 2}`.
        public struct Operation: Sendable, Hashable, ExpressibleByStringLiteral {
            public var step: String
            /// What the plan calls it: `as`, or else its step.
            public var name: String
            /// Which one it takes, each counted from 1.
            public var account: Int?
            public var provider: Int?
            public var resource: Int?
            /// The operation that made its code, and the sign-in whose assertion is sent again:
            /// `tv.registration-code`.
            public var code: String?
            public var repeats: String?

            public init(step: String, as name: String? = nil) {
                self.step = step
                self.name = name ?? step
            }

            public init(stringLiteral step: String) { self.init(step: step) }
        }

        public var name: String
        public var actors: [RaceActor]
        /// The two that are raced: the first keeps its time, the other is moved.
        public var fixed: String
        public var moved: String

        public init(name: String, actors: [RaceActor], fixed: String, moved: String) {
            self.name = name
            self.actors = actors
            self.fixed = fixed
            self.moved = moved
        }
    }

    public enum RaceAnchor: String, Sendable, CaseIterable {
        /// Offsets count from the last byte of the other's request.
        case lastByte = "last-byte"
        /// From the first byte of its answer.
        case firstReply = "first-reply"
    }

    public enum Gate: String, Sendable, CaseIterable {
        /// The last byte on HTTP/1.1, together on HTTP/2, the whole request through a plain proxy.
        case auto
        case lastByte = "last-byte"
        case group, none
    }

    public var plans: [Choice]
    /// Offsets that are tried, from the earliest to the latest.
    public var offsets: ClosedRange<Duration>
    public var anchor: RaceAnchor
    /// Trials at each offset of the first, coarse sweep.
    public var perOffset: Int
    /// How many trials at most, the cases of what was found included; nil: not given.
    public var trials: Int?
    /// How long at most; nil: not given.
    public var time: Duration?
    public var gate: Gate
    /// Each raced request has a connection of its own, made for it.
    public var isFresh: Bool
    public var dropsCookies: Bool

    public init(
        plans: [Choice] = [.named("all")],
        offsets: ClosedRange<Duration> = .milliseconds(-200) ... .milliseconds(200),
        anchor: RaceAnchor = .lastByte, perOffset: Int = 5, trials: Int? = nil,
        time: Duration? = nil, gate: Gate = .auto, isFresh: Bool = false,
        dropsCookies: Bool = false
    ) {
        self.plans = plans
        self.offsets = offsets
        self.anchor = anchor
        self.perOffset = perOffset
        self.trials = trials
        self.time = time
        self.gate = gate
        self.isFresh = isFresh
        self.dropsCookies = dropsCookies
    }
}

extension RaceTerms {
    /// What holds where neither is given: a search for one conflict has gone far enough then.
    public static let usualTrials = 2000
    public static let usualTime: Duration = .seconds(60)

    /// Everything is raced: what is not given is no limit, and the sweeps are the end of it.
    private var isOfAll: Bool { plans.contains(.named("all")) }

    /// Nothing but the sweeps ends it.
    public var isUnlimited: Bool { isOfAll && trials == nil && time == nil }

    /// Nil: none.
    public var trialLimit: Int? { trials ?? (isOfAll ? nil : Self.usualTrials) }
    public var timeLimit: Duration? { time ?? (isOfAll ? nil : Self.usualTime) }
}
