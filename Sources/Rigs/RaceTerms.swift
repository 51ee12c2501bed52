/// What a race search tries, and for how long (rigs/reference.yaml, `race`).
public struct RaceTerms: Sendable, Hashable {
    /// A conflict pair or triple by its name, `all`, or a plan of the rig's own.
    public enum Choice: Sendable, Hashable {
        case named(String)
        case own(OwnPlan)
    }

    /// `{name: ..., actors: {tv: [...], phone: [...]}, sweep: [phone.authenticate, tv.poll-token]}`.
    public struct OwnPlan: Sendable, Hashable {
        public struct Actor: Sendable, Hashable {
            public var name: String
            public var operations: [String]

            public init(name: String, operations: [String]) {
                self.name = name
                self.operations = operations
            }
        }

        public var name: String
        public var actors: [Actor]
        /// The two that are raced: the first keeps its time, the other is moved.
        public var fixed: String
        public var moved: String

        public init(name: String, actors: [Actor], fixed: String, moved: String) {
            self.name = name
            self.actors = actors
            self.fixed = fixed
            self.moved = moved
        }
    }

    public enum Anchor: String, Sendable, CaseIterable {
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
    public var anchor: Anchor
    /// Trials at each offset of the first, coarse sweep.
    public var perOffset: Int
    /// How many trials at most.
    public var trials: Int
    /// How long at most.
    public var time: Duration
    public var gate: Gate
    /// Each raced request has a connection of its own, made for it.
    public var isFresh: Bool
    public var dropsCookies: Bool

    public init(
        plans: [Choice] = [.named("all")],
        offsets: ClosedRange<Duration> = .milliseconds(-200) ... .milliseconds(200),
        anchor: Anchor = .lastByte, perOffset: Int = 5, trials: Int = 2000,
        time: Duration = .seconds(60), gate: Gate = .auto, isFresh: Bool = false,
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
