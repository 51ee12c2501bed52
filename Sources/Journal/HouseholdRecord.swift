/// How far a household got; each stage includes those before it.
public enum Stage: UInt8, CaseIterable, Sendable, Comparable {
    case arrived, registered, codeShown, codeTyped, signedIn, playing, loggedOut

    public var name: String { Self.names[Int(rawValue)] }

    public init?(name: String) {
        guard let position = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: UInt8(position))
    }

    private static let names = [
        "arrived", "registered", "code-shown", "code-typed", "signed-in", "playing", "logged-out",
    ]

    public static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
}

/// How many requests of a household the service throttled (429), each try counted.
public struct ThrottledRequests: Sendable, Hashable {
    public var firstScreen = 0
    /// Of all its phones together.
    public var secondScreens = 0
    /// Of both, before its TV saw its token.
    public var beforeSignIn = 0

    public init(firstScreen: Int = 0, secondScreens: Int = 0, beforeSignIn: Int = 0) {
        self.firstScreen = firstScreen
        self.secondScreens = secondScreens
        self.beforeSignIn = beforeSignIn
    }

    public var total: Int { firstScreen + secondScreens }
}

/// For how long the rig was late with requests of a household on which its sign-in waited: of its phones until they were done,
/// and of its TV from then on. What overlaps counts once.
public struct SignInLateness: Sendable, Hashable {
    /// Between what `HouseholdRecord.signInByPath` counts from and the TV's token.
    public var inSignIn = Duration.zero
    /// Between the sign-in's last response at the phone and the TV's token.
    public var inVisibility = Duration.zero

    public init(inSignIn: Duration = .zero, inVisibility: Duration = .zero) {
        (self.inSignIn, self.inVisibility) = (inSignIn, inVisibility)
    }
}

/// One household's life in a line: kept at each stage, so that a run that is cut short still tells
/// where everybody was.
public struct HouseholdRecord: Sendable, Hashable {
    public enum Fate: UInt8, CaseIterable, Sendable {
        case running, signedIn, preSignedIn, failed, abandoned

        public var name: String { Self.names[Int(rawValue)] }

        public init?(name: String) {
            guard let position = Self.names.firstIndex(of: name) else { return nil }
            self.init(rawValue: UInt8(position))
        }

        private static let names = ["running", "signed-in", "pre-signed-in", "failed", "abandoned"]
    }

    /// Why an abandoned household ended without a sign-in.
    public enum Abandonment: UInt8, CaseIterable, Sendable {
        /// The rig drew it: the viewer gives up, comes too late, or needs longer than the lifetime that came
        /// with the code.
        case viewer
        /// The viewer was in time for the lifetime that came with the code, and the code ended first.
        case service
        /// The run ended or was stopped before, or a rate limit of it delayed the phone for too long.
        case run

        public var name: String { Self.names[Int(rawValue)] }

        public init?(name: String) {
            guard let position = Self.names.firstIndex(of: name) else { return nil }
            self.init(rawValue: UInt8(position))
        }

        private static let names = ["viewer", "service", "run"]
    }

    public var household: Int
    public var kind: String
    public var lane: Int
    public var arrived: Instant
    public var stage: Stage
    public var fate: Fate
    /// What stopped it, in words for a reader; empty while all is well.
    public var cause: String
    /// Of an abandoned one; nil for others, and in histories from before it was kept.
    public var abandonedBy: Abandonment?
    /// The TV shows its code.
    public var codeShown: Instant?
    /// The sign-in's last response reached the phone.
    public var phoneDone: Instant?
    /// End of the first exchange in which the TV saw its token.
    public var tokenSeen: Instant?
    /// The part of the time between code shown and token seen that is not the service's: the viewer's own, and waits for
    /// a rate limit of the run.
    public var viewerTime: Duration
    /// For how long the rig itself was late with requests of its screens, in the times of its first sign-in.
    public var rigLateness = SignInLateness()
    public var polls: Int
    public var ended: Instant?
    /// How often the service said that this account may not watch what it asked for.
    public var denials: Int
    /// The provider (MVPD) that it belongs to: of the login, or as its token says; nil where it came to none, and
    /// in histories from before it was kept.
    public var mvpd: String?
    /// Requests of its screens that the service throttled; nil in histories from before it was kept.
    public var throttled: ThrottledRequests?
    /// By which paths it signed in, and what platform and SDK said.
    public var signOn: SignOnRecord

    /// The cause of a viewer who came too late for the code, or just in time and too late for the TV's last poll.
    public static let tooLate = "the code expired before the viewer signed in"
    public static let tooLateForPoll =
        "the code expired after the viewer had signed in, before the TV's next poll"
    /// What such a cause ends with where the code lived shorter than the rig expects: no side is known to be at fault, and a
    /// sign-in was wanted.
    public static let codeTooShort = ": the service gave it"

    public static func isOfShortCode(_ cause: String) -> Bool {
        [tooLate, tooLateForPoll].contains { cause.hasPrefix($0 + codeTooShort) }
    }

    /// The cause of a viewer whose phone a rate limit of the run delayed until the code was over.
    public static let delayed = "the code expired while a rate limit of the rig delayed the phone"
    /// The same where the rig was late itself.
    public static let late = "the code expired while the rig itself was late"
    /// The run went on, and would have had to be quicker.
    public var wasDelayed: Bool { cause == Self.delayed || cause == Self.late }

    /// The end of the cause of a household whose sign-in expired, as the service had said, before its last step.
    public static let signInExpired = ": the sign-in had expired"

    /// What the cause of a login begins with that the provider rejected, around the account's line (`accounts.csv:3`).
    public static let turnedDown = (before: "the account in ", after: " was turned down")

    /// `accounts in accounts.csv were turned down: wrong password`: the cause without the account's line, so that those of several
    /// accounts are equal; nil where it is another cause.
    public static func ofSeveralAccounts(_ cause: String) -> String? {
        guard cause.hasPrefix(turnedDown.before), let end = cause.firstRange(of: turnedDown.after),
            let colon = cause[..<end.lowerBound].lastIndex(of: ":")
        else { return nil }
        let file = cause[..<colon].dropFirst(turnedDown.before.count)
        return "accounts in \(file) were turned down\(cause[end.upperBound...])"
    }

    /// It did not come to an end of its own: the run ended or was stopped before.
    public var wasCutOff: Bool { abandonedBy == .run && !wasDelayed }

    /// The cause of whoever was under way when the run was ended from outside.
    public static let stopped = "the run was stopped"

    /// The cause of whoever was under way when the process of its shard was killed, in a merged run.
    public static let lost = "its process was killed"

    public init(household: Int, kind: String, lane: Int, arrived: Instant) {
        self.household = household
        self.kind = kind
        self.lane = lane
        self.arrived = arrived
        stage = .arrived
        fate = .running
        cause = ""
        viewerTime = .zero
        polls = 0
        denials = 0
        signOn = SignOnRecord()
    }

    /// The TV saw a token of its own sign-in, or found itself signed in on arrival, whatever came after.
    public var hasSignedIn: Bool {
        fate == .signedIn || fate == .preSignedIn || tokenSeen != nil || stage >= .signedIn
    }

    /// Code shown → token seen by the TV.
    public var signIn: Duration? {
        guard let codeShown, let tokenSeen else { return nil }
        return tokenSeen - codeShown
    }

    /// The same less the viewer's own time; never negative.
    public var signInService: Duration? {
        signIn.map { max(.zero, $0 - viewerTime) }
    }

    /// The sign-in's last response at the phone → first poll that saw the token. A poll that was
    /// pending in between gives the upper bound, so it is never negative.
    public var tokenVisibility: Duration? {
        guard let phoneDone, let tokenSeen else { return nil }
        return max(.zero, tokenSeen - phoneDone)
    }

    /// `signIn` without the rig's lateness, about as it would be had the rig been in time: later polls may be at other times then.
    public var punctualSignIn: Duration? { signIn.map { max(.zero, $0 - rigLateness.inSignIn) } }

    /// `tokenVisibility` without the rig's lateness, likewise.
    public var punctualVisibility: Duration? {
        tokenVisibility.map { max(.zero, $0 - rigLateness.inVisibility) }
    }
}
