/// What the service is held to where its protocol leaves a choice, and the bounds that nobody
/// promised. A rig sets them, the judge checks by them, each report prints them, and the embedded
/// stand-in behaves so, unless `standin.policies` has it differ. The defaults are the readings of
/// rest-v1.md.
public struct Policies: Sendable, Hashable {
    /// What becomes of a code that a sign-in has used.
    public enum CodeReuse: String, Sendable, CaseIterable {
        /// It is spent: the next sign-in with it is turned down (rest-v1.md § 6.3).
        case single
        /// It is good for further sign-ins until it expires.
        case untilExpiry = "until-expiry"
    }

    /// What a device's next code does to its former, unbound one (rest-v1.md, A9).
    public enum NewCode: String, Sendable, CaseIterable {
        case replace, keep
    }

    /// What a sign-in does on a device where somebody is signed in.
    public enum SecondSignIn: String, Sendable, CaseIterable {
        /// The newest wins (rest-v1.md § 10), or the first stays.
        case replace, reject
    }

    /// Whether a media token may be handed out twice.
    public enum MediaReuse: String, Sendable, CaseIterable {
        /// Each request gets a new one (rest-v1.md § 11).
        case never
        case untilExpiry = "until-expiry"
    }

    /// What a poll hears of a sign-in whose code has run out since (rest-v2.md, B24).
    public enum CodeAfterExpiry: String, Sendable, CaseIterable {
        /// The profile, while it lives.
        case profile
        /// That there is no such session.
        case refuse
    }

    /// A leaky bucket for each device: a sustained rate, and a burst at first contact (rest-v1.md
    /// § 14, A18).
    public struct Throttle: Sendable, Hashable {
        public var rate: Rate
        public var burst: Int

        public init(rate: Rate = Rate(perSecond: 1), burst: Int = 10) {
            self.rate = rate
            self.burst = burst
        }

        public init(every: Duration, burst: Int = 10) {
            self.init(rate: Rate(perSecond: .seconds(1) / every), burst: burst)
        }

        /// One request each.
        public var every: Duration { .nanoseconds(Int64((1e9 / rate.perSecond).rounded())) }
    }

    public var codeReuse: CodeReuse
    public var newCode: NewCode
    public var secondSignIn: SecondSignIn
    public var mediaReuse: MediaReuse
    public var codeAfterExpiry: CodeAfterExpiry
    /// Whether "expired" (410) may turn into "none" (404) a day later.
    public var goneDecays: Bool
    /// How long after a completed sign-in a poll may still miss it.
    public var visibility: Duration
    /// How long after its expiry something may still be there.
    public var sweepLag: Duration
    /// How far the clocks of the service's nodes may be apart.
    public var clockTolerance: Duration
    /// No service works on a request for longer: a lost one has taken effect by then, or never will.
    public var unknownDeadline: Duration
    /// Nil: the service does not throttle.
    public var throttle: Throttle?

    public init(
        codeReuse: CodeReuse = .single, newCode: NewCode = .replace,
        secondSignIn: SecondSignIn = .replace, mediaReuse: MediaReuse = .never,
        goneDecays: Bool = true, visibility: Duration = .zero, sweepLag: Duration = .zero,
        clockTolerance: Duration = .zero, unknownDeadline: Duration = .seconds(60),
        throttle: Throttle? = Throttle(), codeAfterExpiry: CodeAfterExpiry = .profile
    ) {
        self.codeAfterExpiry = codeAfterExpiry
        self.codeReuse = codeReuse
        self.newCode = newCode
        self.secondSignIn = secondSignIn
        self.mediaReuse = mediaReuse
        self.goneDecays = goneDecays
        self.visibility = visibility
        self.sweepLag = sweepLag
        self.clockTolerance = clockTolerance
        self.unknownDeadline = unknownDeadline
        self.throttle = throttle
    }

    /// One line for each, as reports show them: `code-reuse: single`. What only some protocols know is left
    /// out where it is as usual.
    public var lines: [String] {
        let codeLines =
            codeAfterExpiry == .profile ? [] : ["code-after-expiry: \(codeAfterExpiry.rawValue)"]
        return codeLines + [
            "code-reuse: \(codeReuse.rawValue)", "new-code: \(newCode.rawValue)",
            "second-sign-in: \(secondSignIn.rawValue)", "media-reuse: \(mediaReuse.rawValue)",
            "gone-decays: \(goneDecays)", "visibility: \(Self.spelled(visibility))",
            "sweep-lag: \(Self.spelled(sweepLag))",
            "clock-tolerance: \(Self.spelled(clockTolerance))",
            "unknown-deadline: \(Self.spelled(unknownDeadline))",
            throttle.map {
                "throttle: \(Self.spelled($0.rate.perSecond))/s, burst \($0.burst)"
            } ?? "throttle: none",
        ]
    }

    /// Whole seconds, else milliseconds.
    private static func spelled(_ time: Duration) -> String {
        let milliseconds = time / .milliseconds(1)
        if time != .zero, milliseconds.truncatingRemainder(dividingBy: 1000) == 0 {
            return "\(Int(milliseconds / 1000))s"
        }
        return "\(spelled(milliseconds))ms"
    }

    private static func spelled(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }
}
