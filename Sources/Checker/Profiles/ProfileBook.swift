internal import Dialects
internal import Vocabulary

/// What a device has that may be signed in with several providers at once, besides what every device has:
/// its providers by number, and what its answers showed of each (rest-v2.md §§ 6, 16.2). A household has one
/// as soon as it sends a request of such a protocol.
final class ProfileBook {
    /// Providers by their marks; their numbers begin with 1. A partner's profile at a provider has a number
    /// of its own: it is shown only to who shows the partner's status (rest-v2.md § 8.3).
    private var providers: [UInt64] = []
    /// Of exchanges that are not judged yet, by their numbers.
    private var answers: [Int32: ProfileAnswer] = [:]
    /// Promises that the answer at hand was counted for, from `Invariant.profileConsistent` on.
    private var counted: UInt32 = 0
    /// When the first request of all was sent that showed what this device speaks.
    let begun: Int64
    /// When the application registered anew: profiles and sessions are its client's (rest-v2.md § 4, B18).
    var registered: Int64?
    /// So many of its codes are an older client's, whose profiles they may show (B23).
    private(set) var orphans = 0

    /// Whether a login came from here; before that a second app of a device has nothing of its own.
    var hasLoggedIn = false

    // Sessions, by the positions of their codes' lives.
    /// Where the phone was told of a profile, at which provider.
    private var toldSlots: [Int: UInt8] = [:]
    /// Codes that may show a profile that nobody made with them: a session was resumed by a device that is
    /// signed in (rest-v2.md § 5.5), or nobody knows.
    var given: Set<Int> = []
    /// By whom a session was completed that another screen had begun.
    var resumed: [Int: CompactOperation] = [:]
    /// The first answer that let a browser go on to the provider.
    var loginBegun: [Int: Int64] = [:]
    /// What each session's provider may have been.
    var choices = ProviderChoices()

    // Profiles.
    /// From when on a provider's profile is known not to be from before the run.
    private var empty: [UInt8: Int64] = [:]
    /// The first list of all profiles: when it came, and whose it had.
    private var firstList: (ret: Int64, shown: [UInt64])?
    /// Users that the device itself was shown, not only who asked by a code.
    var shownToDevice: Set<UInt64> = []
    /// Profiles that their codes showed, and the device's own look did not, until something tells whether they are this
    /// device's.
    var unbound: [UnboundProfile] = []
    /// What was found since, which may follow from them.
    var behindUnbound: [HouseholdState.Accusation] = []
    var seen: [ProfileSeen] = []
    /// Providers at which a partner has vouched for the viewer.
    var partnered: Set<UInt8> = []
    /// Providers whose rules gave access to everybody for a time (rest-v2.md § 10).
    var degraded: Set<UInt8> = []
    var passes: [UInt8: PassSeen] = [:]

    // Identities (rest-v2.md § 8).
    private(set) var subjects: [UInt64] = []
    var views: [IdentityLedger.View] = []
    /// The identities under which it logged out, by the numbers of those requests.
    var identityLogouts: [Int32: UInt64] = [:]
    /// Permits after them.
    var permits: [SharedPermits.Permit] = []
    /// Whether it is known by now what other devices of the same identities did.
    var isSettled = false
    /// What another device's logout would explain.
    private(set) var kept: [HouseholdState.Accusation] = []

    /// A profile that answers showed: what they said of it first.
    struct ProfileSeen {
        var tag: UInt64
        var slot: UInt8
        var kind: Profile.Kind
        var generated: Int64
        var expires: Int64
        var beat: CompactOperation

        /// Whether an answer shows the same profile, by its times, as that of another user.
        func isUnderAnotherName(_ shown: Observed) -> Bool {
            slot == shown.slot && generated == shown.generated && expires == shown.expires
                && tag != shown.tag
        }
    }

    struct UnboundProfile {
        /// The look that did not show it.
        var read: TokenRead
        /// The answer about its code that did, so long before.
        var earlier: TokenRead
        var gap: Int64
    }

    /// A temporary pass as this device used it (rest-v2.md § 11).
    struct PassSeen {
        var subject: UInt64
        /// The first permit by it.
        var permit: CompactOperation?
        /// Its end as first shown after that.
        var expires: Int64 = 0
        var shown: CompactOperation?
        var usedUp: CompactOperation?
        /// What was denied because it has no resource left.
        var exceeded: [(resource: UInt8, beat: CompactOperation)] = []
    }

    /// The TV's last configuration, and the providers whose platform sign-on it had switched off.
    var configured: CompactOperation?
    var switchedOff: [String] = []

    /// The last permit of each resource that a provider gave.
    var granted: [Permit] = []

    struct Permit {
        var resource: UInt8
        var slot: UInt8
        var beat: CompactOperation
        /// Of its media token, by the service's clock in epoch milliseconds.
        var expires: Int64
    }

    init(begun: Int64) { self.begun = begun }

    // MARK: Providers

    /// The number of a provider, which it is given now if it has none; 0 beyond 250.
    func number(of mvpd: String, isPartner: Bool = false) -> UInt8 {
        number(ofMark: Checker.mark(mvpd) ^ (isPartner ? Self.partner : 0))
    }

    private func number(ofMark mark: UInt64) -> UInt8 {
        let known = slot(ofMark: mark)
        guard known == 0, providers.count < 250 else { return known }
        providers.append(mark)
        return UInt8(providers.count)
    }

    /// 0: it has none.
    func slot(ofMark mark: UInt64) -> UInt8 {
        providers.firstIndex(of: mark).map { UInt8($0 + 1) } ?? 0
    }

    /// Whether that is the number of that provider's own profile, or of its partner's.
    func isProvider(_ mark: UInt64, _ slot: UInt8) -> Bool {
        let known = providers[Int(slot) - 1]
        return known == mark || known == mark ^ Self.partner
    }

    /// The number of what a partner vouches for at the same provider; 0: it never did.
    func partner(of own: UInt8) -> UInt8 {
        own > 0 ? slot(ofMark: providers[Int(own) - 1] ^ Self.partner) : 0
    }

    func mark(of slot: UInt8) -> UInt64 { providers[Int(slot) - 1] }

    /// The numbers of providers' own profiles.
    var regular: [UInt8] {
        providers.indices.compactMap { position in
            let slot = UInt8(position + 1)
            return partners.contains(slot) ? nil : slot
        }
    }

    /// The numbers of partners' profiles.
    private(set) var partners: Set<UInt8> = []
    private static let partner: UInt64 = 0x5bd1_e995_9e37_79b9

    func partnerNumber(of mvpd: String) -> UInt8 {
        let slot = number(of: mvpd, isPartner: true)
        if slot > 0 { partners.insert(slot) }
        return slot
    }

    /// Until when a session may be created whose answer was lost.
    private var lostSessions = Int64.min

    func note(lostSession ret: Int64) { lostSessions = max(lostSessions, ret) }

    /// Whether such a session may end one that is created from `time` on.
    func mayLoseSession(after time: Int64) -> Bool { lostSessions >= time }

    /// The application registered anew, when it had that many codes.
    func register(at time: Int64, codes: Int) {
        registered = time
        orphans = codes
    }

    // MARK: Answers

    func keep(_ answer: ProfileAnswer, of sequence: Int32) { answers[sequence] = answer }

    func answer(_ sequence: Int32) -> ProfileAnswer { answers[sequence] ?? ProfileAnswer() }

    func forget(_ sequence: Int32) {
        if !answers.isEmpty { answers[sequence] = nil }
    }

    // MARK: Counting

    func beginCounting() { counted = 0 }

    /// Whether the answer at hand was not counted for that promise yet.
    func counts(_ invariant: Invariant) -> Bool {
        let bit: UInt32 = 1 << UInt32(invariant.rawValue - Invariant.profileConsistent.rawValue)
        defer { counted |= bit }
        return counted & bit == 0
    }

    // MARK: What was told

    func tell(_ life: Int, of slot: UInt8) { toldSlots[life] = slot }

    /// 0: nobody was told of a profile by that code.
    func toldSlot(_ life: Int) -> UInt8 { toldSlots[life] ?? 0 }

    // MARK: From before the run

    func noteEmpty(_ slot: UInt8, at time: Int64) { empty[slot] = min(empty[slot] ?? .max, time) }

    func noteList(_ shown: [UInt64], at time: Int64) {
        if firstList == nil { firstList = (time, shown) }
    }

    /// Whether that provider was known to have no profile here before `time`.
    func wasEmpty(_ slot: UInt8, before time: Int64) -> Bool {
        if let since = empty[slot], since < time { return true }
        guard let firstList, firstList.ret < time, slot > 0 else { return false }
        return !firstList.shown.contains(mark(of: slot))
    }

    // MARK: Identities

    func note(subject: UInt64) {
        if subject != 0, !subjects.contains(subject) { subjects.append(subject) }
    }

    /// Keeps back what may have its cause at another device of the same identity, until that is known.
    func keep(back accusation: HouseholdState.Accusation) -> Bool {
        guard accusation.isOfEnds, !subjects.isEmpty, !isSettled,
            Self.isEndedElsewhere(accusation.violation.invariant)
        else { return false }
        kept.append(accusation)
        return true
    }

    func takeKept() -> [HouseholdState.Accusation] {
        defer { kept = [] }
        return kept
    }

    /// What it may look like where a profile ended by what another device did.
    private static func isEndedElsewhere(_ invariant: Invariant) -> Bool {
        switch invariant {
        case .tokenMonotonic, .signInVisible, .signInDelivered, .expiryRespected,
            .providerIndependence, .profileViewsAgree, .codeBindsDevice, .actionTrue:
            true
        default: false
        }
    }
}

/// What an answer showed besides what `Observed` keeps of it.
struct ProfileAnswer: Sendable {
    struct ShownProfile: Sendable {
        /// Marks of the user with its provider (0: somebody without a name), and of the provider.
        var tag: UInt64
        var mvpd: UInt64
        /// Its number (`ProfileBook`).
        var slot: UInt8
        /// Nil: a word that the page does not have.
        var kind: Profile.Kind?
        var hasUsualIssuer: Bool
        var generated: Int64
        var expires: Int64
    }

    /// What a session's answer says, as far as it says something of profiles (rest-v2.md § 5.2).
    enum SessionAction: Sendable {
        /// The device has a live profile of its own there.
        case authorizeSignedIn
        /// A rule of degraded access lets everybody in.
        case authorizeDegraded
        /// Another device of its identity has signed in there.
        case authorizeShared
        /// It may go on for another reason, such as a temporary pass.
        case authorizeOtherwise
        case authenticate, other

        var isAuthorize: Bool {
            switch self {
            case .authorizeSignedIn, .authorizeDegraded, .authorizeShared, .authorizeOtherwise: true
            case .authenticate, .other: false
            }
        }
    }

    /// On what a decision rests (rest-v2.md § 7).
    enum DecisionSource: Sendable { case provider, pass, rule, other }

    /// What a logout found and ended (rest-v2.md § 9).
    enum LogoutAction: Sendable {
        /// A profile by a login: the provider's own page is to be opened.
        case ownProfile
        /// What the platform vouched for.
        case partnersProfile
        case noProfile
    }

    /// Why a request was turned down, as far as it matters here.
    enum RefusalReason: Sendable {
        case invalidated, deniedByProvider, other
        /// A temporary pass is over, or has no resource left.
        case passUsedUp, passExceeded
    }

    var shown: [ShownProfile] = []
    /// Of the identity that the request named; 0: none.
    var subject: UInt64 = 0
    var action = SessionAction.other
    var source = DecisionSource.other
    var reason = RefusalReason.other
    var logout: LogoutAction?
    /// No profile, though the request showed the word of a platform that one was made of.
    var lacksVouched = false

    func shows(_ mvpd: UInt64) -> Bool { shown.contains { $0.mvpd == mvpd } }

    /// Whether it is another than what `ProfileBook.answer` has for those that it keeps nothing of.
    var saysSomething: Bool {
        !shown.isEmpty || subject != 0 || action != .other || source != .other || reason != .other
            || logout != nil || lacksVouched
    }
}

extension ProfileAnswer.SessionAction {
    /// `authorize authenticated`: action and reason.
    init(_ record: String) {
        switch record {
        case "authorize authenticated": self = .authorizeSignedIn
        case "authorize degraded": self = .authorizeDegraded
        case "authorize authenticatedSSO": self = .authorizeShared
        case "authenticate none": self = .authenticate
        default: self = record.hasPrefix("authorize") ? .authorizeOtherwise : .other
        }
    }
}

extension ProfileAnswer.LogoutAction {
    init?(_ record: String) {
        switch record {
        case "logout": self = .ownProfile
        case Observation.partnerLogout: self = .partnersProfile
        case "invalid": self = .noProfile
        default: return nil
        }
    }
}

extension ProfileAnswer.RefusalReason {
    init(_ reason: String) {
        switch reason {
        // The provider ended it, or a session there: nobody here did.
        case "authenticated_profile_invalidated", "authorization_denied_by_session_invalidated":
            self = .invalidated
        case "temporary_access_duration_limit_exceeded": self = .passUsedUp
        case "temporary_access_resources_limit_exceeded": self = .passExceeded
        case "authorization_denied_by_mvpd": self = .deniedByProvider
        default: self = .other
        }
    }
}
