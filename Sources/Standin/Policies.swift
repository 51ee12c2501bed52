extension ServiceSettings {
    /// What the protocol leaves open: each service has its own answer. The
    /// defaults are the readings of rest-v1.md.
    public struct Policies: Hashable, Sendable {
        /// What becomes of a code that a sign-in has used.
        public enum CodeReuse: String, CaseIterable, Sendable {
            /// Spent: N1 turns it down (§ 6.3, BOUND).
            case single
            /// Good for further sign-ins until it expires.
            case untilExpiry = "until-expiry"
        }

        /// What a device's next code does to its former, unbound one.
        public enum NewCode: String, CaseIterable, Sendable {
            case keep
            /// The former dies (A9).
            case replace
        }

        /// What a sign-in does on a device where somebody is signed in.
        public enum SecondSignIn: String, CaseIterable, Sendable {
            /// The newest wins (§ 10).
            case replace
            /// It comes to nothing; the first stays.
            case reject
        }

        /// What a second media request of a device and resource is answered with.
        public enum MediaReuse: String, CaseIterable, Sendable {
            /// A new token each time (§ 11: never cached).
            case never
            /// The same token, while it lives.
            case untilExpiry = "until-expiry"
        }

        public var codeReuse: CodeReuse
        public var newCode: NewCode
        public var secondSignIn: SecondSignIn
        public var mediaReuse: MediaReuse
        /// Whether "expired" (410) turns into "none" (404) a day after the expiry.
        public var goneDecays: Bool

        public init(
            codeReuse: CodeReuse = .single, newCode: NewCode = .replace,
            secondSignIn: SecondSignIn = .replace, mediaReuse: MediaReuse = .never,
            goneDecays: Bool = true
        ) {
            self.codeReuse = codeReuse
            self.newCode = newCode
            self.secondSignIn = secondSignIn
            self.mediaReuse = mediaReuse
            self.goneDecays = goneDecays
        }
    }
}
