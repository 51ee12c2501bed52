extension Rules {
    /// What the service is held to where the protocol's pages leave a choice. Printed in each
    /// report; the defaults are those of rest-v1.md.
    public struct Policies: Sendable, Hashable {
        /// Whether a code serves one sign-in or as many as come before it expires.
        public enum CodeReuse: String, Sendable, CaseIterable {
            case single
            case untilExpiry = "until-expiry"
        }

        /// What a new code does to the device's older unbound one (rest-v1.md, A9).
        public enum NewCode: String, Sendable, CaseIterable { case replace, keep }

        /// What becomes of a sign-in on a device that has one.
        public enum SecondSignIn: String, Sendable, CaseIterable { case replace, reject }

        /// Whether a media token may be handed out twice.
        public enum MediaReuse: String, Sendable, CaseIterable {
            case never
            case untilExpiry = "until-expiry"
        }

        /// The budget of one device: a leaky bucket (rest-v1.md § 14, A18).
        public struct Throttle: Sendable, Hashable {
            /// One request each.
            public var every: Duration
            public var burst: Int

            public init(every: Duration = .seconds(1), burst: Int = 10) {
                self.every = every
                self.burst = burst
            }
        }

        public var codeReuse = CodeReuse.single
        public var newCode = NewCode.replace
        public var secondSignIn = SecondSignIn.replace
        public var mediaReuse = MediaReuse.never
        /// Whether "expired" may become "not there" (a poll's 410 its 404).
        public var goneDecays = true
        /// How old the state behind an answer may be.
        public var visibility: Duration = .zero
        /// How long past its expiry something may still work.
        public var sweepLag: Duration = .zero
        /// How far the clocks of the service's nodes may differ.
        public var clockTolerance: Duration = .zero
        /// No service works on a request for longer: a lost one has taken effect by then, or never will.
        public var unknownDeadline: Duration = .seconds(60)
        /// Nil: the service does not throttle.
        public var throttle: Throttle? = Throttle()

        public init() {}
    }
}

extension Rules.Policies {
    /// `code-reuse single, new-code replace ...`: one text for each policy, in the rig's spelling.
    public var descriptions: [String] {
        [
            "code-reuse \(codeReuse.rawValue)", "new-code \(newCode.rawValue)",
            "second-sign-in \(secondSignIn.rawValue)", "media-reuse \(mediaReuse.rawValue)",
            "gone-decays \(goneDecays)", "visibility \(milliseconds(visibility))",
            "sweep-lag \(milliseconds(sweepLag))",
            "clock-tolerance \(milliseconds(clockTolerance))",
            "unknown-deadline \(milliseconds(unknownDeadline))",
            throttle.map { "throttle 1 per \(milliseconds($0.every)), burst \($0.burst)" }
                ?? "throttle none",
        ]
    }
}
