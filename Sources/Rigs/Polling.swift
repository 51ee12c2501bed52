public import Dialects
public import Statistics

extension Rig {
    /// How a first screen polls (rest-v1.md § 15).
    public struct Polling: Sendable, Hashable {
        public var every: Duration = .seconds(5)
        /// Share of `every` by which an interval varies both ways, 0 to 1.
        public var jitter: Double = 0.1
        public var target: PollTarget = .token
        /// Asks for the token by the code on its screen, instead of by its device id.
        public var isByCode = false
        /// What a poll for a code that is shown asks.
        public var asks: PollTarget { isByCode ? .code : target }
        /// Spread: each device has a phase of its own. Aligned: all poll on the same beat.
        public var isAligned: Bool = false
        /// Code shown → first poll; nil: one interval.
        public var firstAfter: Duration?
        /// What makes a first screen ask.
        public var mode: Mode = .timer
        /// Poll loops of one TV, evenly apart; more than one is for test benches.
        public var pollers: Int = 1
        /// How long they go on after each success and each logout, for test benches.
        public var afterSuccess: Duration = .zero
        /// Whether a poll is due within `afterSuccess`, or none is asked for.
        var pollsOn: Bool {
            afterSuccess == .zero || afterSuccess >= every || pollers > 1 || mode != .timer
        }

        /// The vendor recommends a "Continue" button over polling (rest-v1.md § 15).
        public enum Mode: Sendable, Hashable {
            case timer
            /// The viewer presses it after so long, and again after as long, until it works.
            case button(Distribution)
        }
    }

    /// How a TV handles registration codes.
    public struct CodeTerms: Sendable, Hashable {
        /// Asked for when the rig says so; nil leaves it to the service.
        public var lifetime: Duration?
        /// Life of a code when the rig asks for none (rest-v1.md § 6).
        static let usualLifetime: Duration = .seconds(1_800)
        /// How long a code should live.
        public var expectedLifetime: Duration { lifetime ?? Self.usualLifetime }
        /// The TV deletes its code once it has its token.
        public var deletesAfter: Bool = false
        /// Share of households that ask for a new code instead of using the first, 0 to 1.
        public var newCode: Double = 0
    }

    /// When the rig was the bottleneck (exit code 4).
    public struct Validity: Sendable, Hashable {
        public var latenessP99: Duration = .milliseconds(10)
        /// Share of time that a lane may spend in turns, 0 to 1.
        public var busy: Double = 0.9
        public var failsOnBreach: Bool = true
    }
}

extension Rig.Polling: RigSection {
    static let blank = Rig.Polling()
    static let keys: [Key<Rig.Polling>] = [
        Key(
            "every", .scalar(.duration), into: \.every, "Interval between polls."),
        Key(
            "jitter", .scalar(.share), into: \.jitter,
            "Random variation of the interval, plus or minus."),
        Key(
            "target", .words(("authn", .token), ("checkauthn", .check)), into: \.target,
            "authn: request the token. checkauthn: request only whether a token exists."),
        Key(
            "by", .words(("device", false), ("code", true)), into: \.isByCode,
            "REST V1: what a poll names. device: the TV. code: the code that it shows "
                + "(/api/v1/authenticate/CODE), as some older apps do."),
        Key(
            "mode", .scalar(.pollMode), into: \.mode, default: "timer",
            "timer, or continue(fixed 20s): instead of a timer, the viewer presses a Continue "
                + "button after this time, repeatedly until it succeeds."),
        Key(
            "pollers", .scalar(.count(1...10)), into: \.pollers,
            "Poll loops per TV, evenly spaced; more than one only for test benches."),
        Key(
            "after-success", .scalar(.duration), into: \.afterSuccess,
            "How long polls continue after each success and each logout. Real TVs stop at their first "
                + "success and send nothing after a logout: what a logout, a deleted code or a first token "
                + "is worth (logout-final, delete-final, token-monotonic, device-code-once) is tested with "
                + "this key only: 12s for example, as two polls should be due in it. Its polls are load "
                + "that real TVs do not make."),
        Key(
            "phase", .words(("spread", false), ("aligned", true)), into: \.isAligned,
            "spread: each TV has its own phase. aligned: all TVs poll at the same instants; only "
                + "for test benches."),
    ]
}

extension Rig.Polling {
    /// By its code a TV hears of that code alone: what it would see after it, or by another question, is
    /// something else.
    func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard isByCode else { return }
        for (key, isOdd, remedy) in [
            ("target", target != .token, "remove target"),
            ("pollers", pollers > 1, "set pollers to 1"),
            ("after-success", afterSuccess > .zero, "remove after-success"),
        ] where isOdd {
            reader.refuse(
                marks[key].place,
                "'by: code' polls for the one code until its token is there; \(remedy), or write by: device"
            )
        }
    }
}

extension Rig.CodeTerms: RigSection {
    static let blank = Rig.CodeTerms()
    static let keys: [Key<Rig.CodeTerms>] = [
        Key(
            "ttl", .scalar(.duration), ifGiven: \.lifetime, example: "30m",
            "Requested lifetime. Default: the service decides (30m)."),
        Key(
            "delete-after", .scalar(.flag), into: \.deletesAfter,
            "The TV deletes its code when it has its token."),
        Key(
            "new-code", .scalar(.share), into: \.newCode,
            "Share of households that request a second code and use it."),
    ]
}

extension Rig.Validity: RigSection {
    static let blank = Rig.Validity()
    static let keys: [Key<Rig.Validity>] = [
        Key(
            "lateness-p99", .scalar(.duration), into: \.latenessP99,
            "Limit of the p99 lateness of sending. With fewer than 1,000 requests, the run is "
                + "invalid if at least 10 and 5 % of them are later than this."),
        Key(
            "busy", .scalar(.share), into: \.busy,
            "Limit of the share of time that a lane is busy."),
        Key(
            "on-breach", .words(("fail", true), ("warn", false)), into: \.failsOnBreach,
            "fail: the run is invalid (exit code 4), unless a promise or a threshold on counts "
                + "failed it (1). warn: only a warning in the report."),
    ]
}
