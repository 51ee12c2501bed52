/// What the service is held to where its protocol leaves it open, and the
/// bounds that nobody promised. The defaults are the readings of rest-v1.md. The embedded stand-in
/// behaves so, unless `standin.policies` has it differ.
public struct Policies: Sendable, Hashable {
    /// What becomes of a code that a sign-in has used.
    public enum CodeReuse: String, Sendable, CaseIterable {
        /// It is spent.
        case single
        case untilExpiry = "until-expiry"
    }

    /// What a device's next code does to its former one.
    public enum NewCode: String, Sendable, CaseIterable {
        case replace, keep
    }

    /// What a sign-in does on a device where somebody is signed in.
    public enum SecondSignIn: String, Sendable, CaseIterable {
        case replace, reject
    }

    /// Whether a media token may be handed out twice.
    public enum MediaReuse: String, Sendable, CaseIterable {
        case never
        case untilExpiry = "until-expiry"
    }

    /// A leaky bucket for each device: a sustained rate, and a burst at first contact.
    public struct Throttle: Sendable, Hashable {
        public var rate: Rate
        public var burst: Int

        public init(rate: Rate = Rate(perSecond: 1), burst: Int = 10) {
            self.rate = rate
            self.burst = burst
        }
    }

    public var codeReuse: CodeReuse
    public var newCode: NewCode
    public var secondSignIn: SecondSignIn
    public var mediaReuse: MediaReuse
    /// Whether "expired" (410) may turn into "none" (404) later.
    public var goneDecays: Bool
    /// How long after a completed sign-in a poll may still miss it.
    public var visibility: Duration
    /// How long after its expiry something may still be there.
    public var sweepLag: Duration
    /// How far the service's clocks may be apart.
    public var clockTolerance: Duration
    /// After this an unanswered request takes effect no more.
    public var unknownDeadline: Duration
    /// Nil: nobody is throttled.
    public var throttle: Throttle?

    public init(
        codeReuse: CodeReuse = .single, newCode: NewCode = .replace,
        secondSignIn: SecondSignIn = .replace, mediaReuse: MediaReuse = .never,
        goneDecays: Bool = true, visibility: Duration = .zero, sweepLag: Duration = .zero,
        clockTolerance: Duration = .zero, unknownDeadline: Duration = .seconds(60),
        throttle: Throttle? = Throttle()
    ) {
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

    /// One line for each, as reports show them: `code-reuse: single`.
    public var lines: [String] {
        [
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
