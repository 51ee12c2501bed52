/// The promises that a history is held against: names that appear in reports, thresholds and cases.
public enum Invariant: UInt8, CaseIterable, Sendable {
    case noTokenBeforeSignIn, tokenIsolation, signInVisible, signInDelivered, tokenMonotonic
    case oneOwner, oneToken, codeUnique, expiryRespected, logoutFinal, deleteFinal
    case errorsHaveNoEffect, retryOnce, authorizationGates, clockAgreement, throttleContract
    case pollIsPure, pathIndependence, pollingEnds, linearizable, conforms
    // From here on those that only protocols with several sign-ins for a device have (rest-v2.md § 15).
    case profileConsistent, profileViewsAgree, providerIndependence, codeBindsDevice, actionTrue
    case profileNotProlonged, decisionTrue, preauthorizeInert, identityIsolation, singleLogout
    case tempPassBudget, degradationBounded, sessionSuperseded, protocolsApart
    // From here on those that only the OAuth device grant has (RFC 8628).
    case decisionFinal, refusalDelivered, codeKept, deviceCodeOnce, oneDecision, refreshTokenOnce
    case clientBound

    /// As rigs, reports and the command line spell it: `no-token-before-sign-in`.
    public var name: String { declared.name }

    /// The invariant spelled so, if there is one.
    public init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// What it promises, in one line.
    public var line: String { declared.line }
    /// What a violation is, in sentences.
    public var meaning: String { declared.meaning }
    /// Causes that need no action by the server's team.
    public var harmless: String { declared.harmless }
    /// What was seen where it was violated, after a number of households: `179 of 200 ...`.
    public var observed: String { declared.observed }
    /// Whose promise it is, as far as the invariant decides that; `conforms` goes by its rule.
    public var source: PromiseSource { declared.source }
    /// The level that its violation disproves.
    public var level: ConsistencyLevel? { declared.level }

    /// Whether what one household was given is held against what others were.
    public var isBetweenHouseholds: Bool {
        [.codeUnique, .tokenIsolation, .authorizationGates, .identityIsolation, .singleLogout]
            .contains(self)
    }
    /// Policy-free safety: counts under `documented` whoever promised it; `one-owner` hangs on
    /// `code-reuse`.
    public var isSafety: Bool { declared.isSafety }
    /// About a run as a whole: no single race decides it.
    public var isAboutRun: Bool { declared.isAboutRun }
    /// Two arms are compared: an ordinary run decides nothing.
    public var isDecidedByRace: Bool { declared.isDecidedByRace }
    /// The window in which it can break, where time decides that; nil where a rate says all.
    public var window: PromiseWindow? { declared.window }
    /// What a violation of this one may violate besides, in the same household.
    public var companions: [Invariant] { declared.companions }
    /// Of protocols in which a device has several sign-ins: no other run has anything to check it by.
    public var isOfProfiles: Bool { self >= .profileConsistent && self <= .protocolsApart }
    /// Of the OAuth device grant: no other run has anything to check it by.
    public var isOfDeviceGrant: Bool { self >= .decisionFinal }

    /// Whether it is reported first of two that were violated together: the cause before what follows from it. What only one
    /// protocol promises, such as what its codes are good for, is the cause; what every protocol promises of the sign-in that
    /// came of it follows.
    public func leads(_ other: Invariant) -> Bool {
        let isOwn = isOfProfiles || isOfDeviceGrant
        let isOthersOwn = other.isOfProfiles || other.isOfDeviceGrant
        return isOwn == isOthersOwn ? self < other : isOwn
    }

    private var declared: Declaration { Self.declarations[Int(rawValue)] }
    private static let declarations = allCases.map(\.declaration)
}

extension Invariant: Comparable, CustomStringConvertible {
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { name }
}

/// Who made a promise: it decides whether its breach may fail a run.
public enum PromiseSource: String, Sendable, CaseIterable {
    /// The vendor's pages.
    case documented
    /// A choice where the pages are silent (`policies`).
    case policy
    /// Our own reading, or a bound that no page promises.
    case ours

    /// The source in words: `screenrig's own expectation`.
    public var words: String {
        switch self {
        case .documented: "the protocol's documentation"
        case .policy: "a policy of the rig"
        case .ours: "screenrig's own expectation"
        }
    }
}

/// The time after an event in which a service may still answer as before it: what a violation of some
/// promises is. Whether a run can see it depends on how soon after the event somebody asks.
public struct PromiseWindow: Sendable, Hashable {
    /// What the window begins with, as a noun: `sign-in`.
    public var event: String
    /// When it begins, to the millisecond: `the provider's login was answered`.
    public var opens: String
    /// What shows it: `the TV's next poll`.
    public var look: String
}

/// All that is said of an invariant, for every output.
private struct Declaration: Sendable {
    var name: String
    var line: String
    var meaning: String
    var harmless: String
    var observed: String
    var source: PromiseSource
    var level: ConsistencyLevel?
    var isSafety: Bool
    var isAboutRun: Bool
    var isDecidedByRace: Bool
    var window: PromiseWindow?
    var companions: [Invariant]

    init(
        _ name: String, _ line: String, meaning: String, harmless: String, observed: String,
        source: PromiseSource = .ours, level: ConsistencyLevel? = nil, isSafety: Bool = false,
        isAboutRun: Bool = false, isDecidedByRace: Bool = false, window: PromiseWindow? = nil,
        companions: [Invariant] = []
    ) {
        self.name = name
        self.line = line
        self.meaning = meaning
        self.harmless = harmless
        self.observed = observed
        self.source = source
        self.level = level
        self.isSafety = isSafety
        self.isAboutRun = isAboutRun
        self.isDecidedByRace = isDecidedByRace
        self.window = window
        self.companions = companions
    }
}

extension Invariant {
    /// Documented are: rest-v1.md § 6 (codes, DELETE), § 10 (one live token per key), § 11 (playback
    /// order), § 13 (logout removes), § 14 (throttling), § 16 (what may be asserted); of REST V2 those of
    /// rest-v2.md § 15.
    private var declaration: Declaration {
        switch self {
        case .noTokenBeforeSignIn:
            Declaration(
                "no-token-before-sign-in",
                "a TV sees no token before its sign-in",
                meaning: "A poll or check returned a token although no sign-in of that device had "
                    + "been sent (in REST V2: no sign-in at that provider).",
                harmless:
                    "An earlier run used the same device id (identities: by-seed on a service "
                    + "that keeps tokens); use identities: per-run.",
                observed: "TVs saw a token before any sign-in",
                source: .documented,
                level: .safety,
                isSafety: true,
                companions: [
                    .oneToken, .tokenIsolation, .tokenMonotonic, .authorizationGates, .logoutFinal,
                ])
        case .tokenIsolation:
            Declaration(
                "token-isolation",
                "a TV sees only the token of its own household's sign-in",
                meaning: "A response named a user who signed in in another household.",
                harmless:
                    "Households share accounts: then a user name does not identify a household.",
                observed: "TVs saw the sign-in of another household",
                source: .documented,
                level: .safety,
                isSafety: true,
                companions: [
                    .noTokenBeforeSignIn, .tokenMonotonic, .oneToken, .signInVisible, .logoutFinal,
                ])
        case .signInVisible:
            Declaration(
                "sign-in-visible",
                "a poll sent after the phone's sign-in was confirmed sees the token",
                meaning: "One screen's write is read on the other: the phone's sign-in was "
                    + "confirmed, and a poll sent more than policies.visibility later still "
                    + "returned \"not yet\". The phone's own check confirms it. Where the phone "
                    + "had not checked by then, the response to its login counts, if the sign-in "
                    + "came of it and no check of the phone said \"not yet\" after it. What the TV "
                    + "did itself counts from its answer on, as documented: a token exchange, a "
                    + "free preview.",
                harmless: "Replication lag, or a login that takes effect after its redirect. The "
                    + "protocol forbids neither; policies.visibility sets the delay you accept.",
                observed: "TVs got 'pending' from a poll after their sign-in had been confirmed",
                level: .crossScreen,
                window: PromiseWindow(
                    event: "sign-in", opens: "the login on the phone was answered",
                    look: "the TV's next poll"),
                companions: [.tokenMonotonic, .signInDelivered, .pollingEnds])
        case .signInDelivered:
            Declaration(
                "sign-in-delivered",
                "a poll sent one poll interval after the phone's sign-in was confirmed "
                    + "sees the token",
                meaning: "The phone's sign-in was confirmed, and a poll sent one poll interval "
                    + "later (polling.every plus jitter, at least 5 s) still returned \"not "
                    + "yet\". After a 429, a 5xx or a lost poll the next poll "
                    + "is checked instead; a TV that has stopped polling is not checked.",
                harmless: "A longer replication lag that the server's team has announced: set "
                    + "policies.visibility.",
                observed: "TVs still got 'pending' one poll interval after their sign-in had been "
                    + "confirmed",
                source: .documented,
                level: .eventual,
                companions: [.signInVisible, .pollingEnds])
        case .tokenMonotonic:
            Declaration(
                "token-monotonic",
                "once seen, a token stays until logout, a newer sign-in or its own expiry",
                meaning: "A later response said \"not signed in\": a poll's \"not yet\", or a "
                    + "refusal of user-metadata, preauthorize, authorize, authorization-token or "
                    + "media-token (412, or 403 with \"User not authenticated\").",
                harmless: "The token expired between two responses, or the provider ended the "
                    + "session.",
                observed: "TVs saw their sign-in and were then told that there is none",
                level: .monotonicReads,
                window: PromiseWindow(
                    event: "first token", opens: "the TV got its first token",
                    look: "the TV's next poll"),
                companions: [
                    .signInVisible, .signInDelivered, .oneToken, .expiryRespected, .pollingEnds,
                ])
        case .oneOwner:
            Declaration(
                "one-owner",
                "a code is consumed by at most one sign-in; ended states stay ended",
                meaning: "One code signed in two users, or worked again after its end.",
                harmless: "The service allows it: set policies.code-reuse.",
                observed: "households had a code that worked for more than one sign-in",
                source: .policy,
                level: .safety,
                companions: [.oneToken, .tokenMonotonic, .deleteFinal, .retryOnce])
        case .oneToken:
            Declaration(
                "one-token",
                "all responses about one sign-in carry the same token",
                meaning: "Two reads of one sign-in differed in user, provider or expiry.",
                harmless: "An expiry that the service works out anew for each response, and "
                    + "that moves by milliseconds: set policies.clock-tolerance. One that each "
                    + "read extends is harmless only if the service means it.",
                observed: "TVs saw different tokens for one sign-in",
                source: .documented,
                level: .safety,
                isSafety: true,
                companions: [.tokenMonotonic, .tokenIsolation])
        case .codeUnique:
            Declaration(
                "code-unique",
                "two live registration records never share a code",
                meaning: "The same code was given to two devices while both were live.",
                harmless: "None known.",
                observed: "households had a code that another device held at the same time",
                source: .documented,
                level: .safety,
                isSafety: true,
                companions: [
                    .tokenIsolation, .oneOwner, .noTokenBeforeSignIn, .signInDelivered,
                    .signInVisible, .expiryRespected, .tokenMonotonic, .oneToken, .deleteFinal,
                    .logoutFinal, .pollingEnds,
                ])
        case .expiryRespected:
            Declaration(
                "expiry-respected",
                "tokens and codes work until their expiry, and not after it",
                meaning:
                    "A token or code worked after its own expiry, or stopped working before it.",
                harmless: "Clock skew or late clean-up: set policies.clock-tolerance and "
                    + "policies.sweep-lag.",
                observed: "households had a token or code that did not end at its expiry",
                source: .documented,
                companions: [
                    .tokenMonotonic, .signInVisible, .signInDelivered, .oneOwner, .clockAgreement,
                ])
        case .logoutFinal:
            Declaration(
                "logout-final",
                "after logout a token no longer works",
                meaning: "A poll, authorization or media-token request still succeeded after the "
                    + "logout. In a device grant: a token still worked after it had been given back.",
                harmless:
                    "Requests in flight during the logout are not counted. Servers may take a moment to "
                    + "pass on that a token was given back (RFC 7009, 2): set policies.visibility. Whether "
                    + "an access token ends with its refresh token is not tested: a TV that has given "
                    + "its refresh token back tries that one only. That the check of a code "
                    + "(check-code) still returns 200, because the login was recorded, is screenrig's own "
                    + "expectation and fails no run by default: the documentation says what a logout changes "
                    + "for the TV's own requests only.",
                observed: "households were still shown a sign-in after its logout",
                source: .documented,
                level: .readYourWrites,
                window: PromiseWindow(
                    event: "logout", opens: "the logout was answered",
                    look: "the TV's next request with that sign-in"),
                companions: [.tokenMonotonic, .authorizationGates, .noTokenBeforeSignIn])
        case .deleteFinal:
            Declaration(
                "delete-final",
                "a deleted code stays deleted",
                meaning: "A code still worked after its deletion.",
                harmless: "None known.",
                observed: "households had a code that worked after its deletion",
                source: .documented,
                level: .safety,
                isSafety: true,
                window: PromiseWindow(
                    event: "deletion", opens: "the deletion was answered",
                    look: "the next request about the code"),
                companions: [.oneOwner, .expiryRespected, .signInDelivered])
        case .errorsHaveNoEffect:
            Declaration(
                "errors-have-no-effect",
                "a request answered with 4xx has no effect; a request whose response was "
                    + "lost has at most one",
                meaning: "A request that was rejected took effect all the same.",
                harmless: "None known: a firewall's response counts as blocked, not as 4xx.",
                observed: "households saw an effect of a rejected request",
                level: .safety,
                isSafety: true,
                companions: [
                    .noTokenBeforeSignIn, .tokenIsolation, .tokenMonotonic, .oneToken, .logoutFinal,
                    .signInVisible, .signInDelivered,
                ])
        case .retryOnce:
            Declaration(
                "retry-once",
                "a retried request takes effect once",
                meaning: "A request that was retried after a lost response took effect twice.",
                harmless: "None known: only requests marked as retries are checked.",
                observed: "households saw a retried request take effect twice",
                companions: [.oneToken, .oneOwner])
        case .authorizationGates:
            Declaration(
                "authorization-gates",
                "a media token needs a valid authentication and authorization of that "
                    + "device and resource",
                meaning: "A media token was issued without one of them, or an authorization ended "
                    + "before its expiry without a sign-out or a new sign-in.",
                harmless: "A temporary pass, if the service offers one.",
                observed: "TVs got a media token that was not authorized, or not new",
                source: .documented,
                level: .safety,
                isSafety: true,
                companions: [.logoutFinal])
        case .clockAgreement:
            Declaration(
                "clock-agreement",
                "all server timestamps fit one clock",
                meaning: "The timestamps in responses cannot come from one clock.",
                harmless: "Clock skew of milliseconds between nodes: set policies.clock-tolerance.",
                observed: "households saw timestamps from different clocks",
                isAboutRun: true,
                companions: [.expiryRespected])
        case .throttleContract:
            Declaration(
                "throttle-contract",
                "429 only above the documented rate, and recovery after it",
                meaning:
                    "A device or a home was throttled although it stayed below the documented rate.",
                harmless:
                    "The service throttles by peer address: then all devices share one limit.",
                observed: "households were throttled below their limit",
                source: .documented,
                isAboutRun: true,
                companions: [.pollingEnds, .signInDelivered, .errorsHaveNoEffect])
        case .pollIsPure:
            Declaration(
                "poll-is-pure",
                "how often a TV polls does not change the outcome",
                meaning: "Two variants of a schedule that differ only in their polls ended "
                    + "differently. Only 'screenrig race' checks this.",
                harmless: "None known.",
                observed: "households lost a sign-in to a poll",
                isDecidedByRace: true)
        case .pathIndependence:
            Declaration(
                "path-independence",
                "the outcome does not depend on which node or connection served a request",
                meaning: "Two variants of a schedule that differ only in their connections ended "
                    + "differently. Only 'screenrig race' checks this.",
                harmless: "Replication lag within policies.visibility.",
                observed: "households got responses that depend on the path of the request",
                isDecidedByRace: true)
        case .pollingEnds:
            Declaration(
                "polling-ends",
                "every poll loop ends",
                meaning: "A TV went on polling after its code had expired.",
                harmless: "None known.",
                observed: "TVs kept polling after their code had expired",
                isAboutRun: true)
        case .linearizable:
            Declaration(
                "linearizable",
                "some order of the operations explains all responses (checked per device)",
                meaning: "No order of a device's operations explains the responses it received. "
                    + "Which orders are possible depends on policies of the rig: new-code, "
                    + "code-reuse, second-sign-in.",
                harmless: "The service follows another policy than the rig says. Often another "
                    + "promise is violated with it: look at that one first.",
                observed: "households got responses that no order of the requests explains",
                level: .linearizable)
        case .conforms:
            Declaration(
                "conforms",
                "statuses, fields and types match the protocol",
                meaning: "A response had a status, field or type that the documentation does not "
                    + "allow, or an SDK's callbacks came in the wrong order. Where a violation's "
                    + "source is `ours`, no page says so: it is screenrig's own expectation.",
                harmless: "None known. Additional fields are allowed.",
                observed: "households got responses that deviate from the protocol",
                source: .documented,
                isAboutRun: true)
        case .profileConsistent:
            Declaration(
                "profile-consistent",
                "a profile is of the provider that was asked for, and within its own times",
                meaning:
                    "A response showed a profile of another provider than the request named, the "
                    + "same provider twice, a type that this request never shows, or a profile outside "
                    + "its own notBefore and notAfter.",
                harmless:
                    "An issuer other than the provider alone: one of the vendor's samples has it. "
                    + "Clock skew: set policies.clock-tolerance.",
                observed: "households got a profile that does not fit the request",
                source: .documented,
                companions: [.expiryRespected, .providerIndependence, .tokenIsolation])
        case .profileViewsAgree:
            Declaration(
                "profile-views-agree",
                "profiles, profiles-by-mvpd and profiles-by-code show the same profile",
                meaning:
                    "Two requests about one profile differed in its type, times or existence, and "
                    + "nothing in between could have changed it.",
                harmless: "Replication lag: set policies.visibility.",
                observed: "TVs were shown one profile in two ways",
                level: .monotonicReads,
                companions: [
                    .tokenMonotonic, .signInVisible, .signInDelivered, .oneToken, .actionTrue,
                    .expiryRespected,
                ])
        case .providerIndependence:
            Declaration(
                "provider-independence",
                "a login or logout at one provider leaves the profiles of the others as they are",
                meaning:
                    "A profile ended with the logout or login at another provider, or carried the "
                    + "user of another provider's login.",
                harmless: "None known: a device may have several active profiles.",
                observed: "TVs lost or mixed up the profiles of two providers",
                source: .documented,
                level: .monotonicReads,
                companions: [
                    .tokenMonotonic, .profileViewsAgree, .oneToken, .tokenIsolation, .signInVisible,
                    .signInDelivered, .actionTrue, .noTokenBeforeSignIn, .singleLogout,
                ])
        case .codeBindsDevice:
            Declaration(
                "code-binds-device",
                "the login of a code becomes a profile of the device that created the session",
                meaning: "The code of a session had led to a profile, another device had completed "
                    + "the session (resume-session), and the device that had created it never got the "
                    + "profile.",
                harmless: "None known.",
                observed: "TVs lost their session to another device",
                source: .documented,
                level: .safety,
                isSafety: true,
                companions: [
                    .profileViewsAgree, .tokenMonotonic, .signInVisible, .signInDelivered,
                    .tokenIsolation, .actionTrue,
                ])
        case .actionTrue:
            Declaration(
                "action-true",
                "a session's action matches the profiles of its device",
                meaning:
                    "create-session returned \"authorize\" for a device without a profile at that "
                    + "provider, or \"authenticate\" for one that has a live one.",
                harmless: "Replication lag: set policies.visibility.",
                observed: "TVs were sent the wrong way by create-session",
                source: .documented,
                companions: [
                    .noTokenBeforeSignIn, .tokenMonotonic, .logoutFinal, .profileViewsAgree,
                    .authorizationGates,
                ])
        case .profileNotProlonged:
            Declaration(
                "profile-not-prolonged",
                "a profile's expiry moves only with a new login",
                meaning:
                    "The notAfter of a profile became later although nobody had signed in again.",
                harmless:
                    "None known: no session, poll or decision prolongs a profile.",
                observed: "TVs saw a profile become longer without a login",
                source: .documented,
                companions: [.oneToken, .oneOwner, .profileViewsAgree, .retryOnce])
        case .decisionTrue:
            Declaration(
                "decision-true",
                "a permit carries a live media token of its own",
                meaning:
                    "A decision's media token had expired, or had been issued before: to another "
                    + "device, for another resource, or for another request.",
                harmless: "The service allows the same token twice: set policies.media-reuse.",
                observed: "TVs got a media token that was not new or not theirs",
                source: .documented,
                level: .safety,
                isSafety: true,
                companions: [.authorizationGates])
        case .preauthorizeInert:
            Declaration(
                "preauthorize-inert",
                "preauthorize issues no media token",
                meaning: "A response to preauthorize carried a media token.",
                harmless: "None known.",
                observed: "TVs got a media token from preauthorize",
                source: .documented,
                level: .safety,
                isSafety: true)
        case .identityIsolation:
            Declaration(
                "identity-isolation",
                "a single sign-on profile is shown only to the identity that signed in",
                meaning:
                    "A device was shown a profile by single sign-on without an identity token, or "
                    + "one of a user who had signed in under another identity.",
                harmless:
                    "Devices of two homes use one identity: then they are one to the service.",
                observed: "TVs saw a single sign-on profile of somebody else",
                source: .documented,
                level: .safety,
                isSafety: true,
                companions: [
                    .tokenIsolation, .profileConsistent, .noTokenBeforeSignIn, .logoutFinal,
                ])
        case .singleLogout:
            Declaration(
                "single-logout",
                "a logout with an identity token ends the profile for all devices of that identity",
                meaning:
                    "A device was still shown a profile by single sign-on, or its own that other "
                    + "devices had seen so, after one of them had logged out there under the same "
                    + "identity.",
                harmless: "Replication lag: set policies.visibility.",
                observed: "TVs saw a single sign-on profile after its logout",
                source: .documented,
                companions: [.logoutFinal])
        case .tempPassBudget:
            Declaration(
                "temppass-budget",
                "a temporary pass is not prolonged, and stays used up",
                meaning:
                    "REST V2: the end of a temporary pass moved after the first playback, or a pass "
                    + "that had been reported as used up worked again.",
                harmless: "Somebody reset the pass for this device.",
                observed: "TVs got more out of a temporary pass than it allows",
                source: .documented)
        case .degradationBounded:
            Declaration(
                "degradation-bounded",
                "degraded access lasts as long as its rule, and is never among the profiles",
                meaning: "A degraded profile was listed by profiles, or was shown while no rule of "
                    + "that provider was active.",
                harmless: "A rule that the rig does not know of was active.",
                observed: "TVs got degraded access without a rule",
                source: .documented)
        case .sessionSuperseded:
            Declaration(
                "session-superseded",
                "after a newer session of the device the older code leads to no profile",
                meaning: "A code worked after the device had created a newer session.",
                harmless: "The service allows it: set policies.new-code to keep.",
                observed: "households had an older code that still worked",
                source: .policy,
                companions: [
                    .oneOwner, .oneToken, .expiryRespected, .signInDelivered, .signInVisible,
                ])
        case .protocolsApart:
            Declaration(
                "protocols-apart",
                "a sign-in of one protocol never shows in the other",
                meaning:
                    "A device that speaks one protocol was shown the sign-in that a device made "
                    + "over the other.",
                harmless:
                    "None known: sign-ins are not carried over, and every user signs in again.",
                observed: "households saw a sign-in of the other protocol",
                source: .documented,
                level: .safety,
                isSafety: true,
                companions: [.tokenIsolation, .noTokenBeforeSignIn])
        case .decisionFinal:
            Declaration(
                "decision-final",
                "the first confirmed decision on a device stands",
                meaning:
                    "A person's decision was confirmed before anybody decided otherwise, and a "
                    + "poll sent after it got the opposite: a token after a refusal, or access_denied "
                    + "after an approval (RFC 8628, 3.3 and 3.5).",
                harmless: "None known. Decisions that overlapped are not checked.",
                observed: "TVs got another decision than the one that was confirmed first",
                level: .safety,
                isSafety: true,
                companions: [
                    .refusalDelivered, .codeKept, .tokenMonotonic, .noTokenBeforeSignIn,
                    .errorsHaveNoEffect,
                ])
        case .refusalDelivered:
            Declaration(
                "refusal-delivered",
                "a poll sent after a confirmed refusal is told access_denied",
                meaning: "A person's refusal was confirmed, and a poll sent more than "
                    + "policies.visibility later was still told authorization_pending (RFC 8628, 3.5).",
                harmless: "Replication lag: policies.visibility sets the delay you accept.",
                observed: "TVs got 'pending' from a poll after their viewer had refused",
                level: .crossScreen,
                window: PromiseWindow(
                    event: "refusal", opens: "the refusal on the phone was answered",
                    look: "the TV's next poll"),
                companions: [.pollingEnds])
        case .codeKept:
            Declaration(
                "code-kept",
                "a code that was neither used nor refused is good until it expires",
                meaning:
                    "A poll was told that a code is refused or not valid, before its expiry, though "
                    + "nobody had refused it and no poll had used it (RFC 8628, 3.2 and 3.5).",
                harmless: "The server's operator has revoked the codes.",
                observed: "TVs lost a code that nobody had used or refused",
                companions: [.signInVisible, .signInDelivered, .tokenMonotonic])
        case .deviceCodeOnce:
            Declaration(
                "device-code-once",
                "a device code is good for one token",
                meaning:
                    "Two polls with one device code got tokens of their own. No standard requires a "
                    + "device code to serve once; RFC 6749, 4.1.2 does of authorization codes.",
                harmless:
                    "The server answers a repeated poll with a new token on purpose, for devices "
                    + "that lost an answer.",
                observed: "TVs got two tokens for one device code",
                companions: [.oneToken])
        case .oneDecision:
            Declaration(
                "one-decision",
                "of two opposite decisions at the same time one is confirmed",
                meaning:
                    "An approval and a refusal of one code that overlapped were both confirmed to those who "
                    + "made them; the TV can have been told one only (RFC 8628, 3.3).",
                harmless:
                    "The server lets a person take a decision back, and says that it did.",
                observed: "households had both an approval and a refusal confirmed",
                companions: [.decisionFinal, .refusalDelivered])
        case .refreshTokenOnce:
            Declaration(
                "refresh-token-once",
                "a refresh token that is replaced is good for one successor",
                meaning:
                    "Two renewals with one refresh token got refresh tokens of their own. No standard "
                    + "requires it: RFC 6749, 6 says that the server may revoke the old one; 10.4 and "
                    + "RFC 9700, 4.14.2 describe what replacing it is for.",
                harmless:
                    "The server accepts the old token for a while on purpose, for devices that lost an "
                    + "answer.",
                observed: "TVs got two refresh tokens in the place of one",
                companions: [.oneToken])
        case .clientBound:
            Declaration(
                "client-bound",
                "codes and tokens serve the app that they were issued to, and no other",
                meaning:
                    "Another app of the server got a token with the TV's device code or refresh token, or "
                    + "ended the TV's token (RFC 6749, 5.2 and 6; RFC 7009, 2.1). Checked in races with "
                    + "target.device-grant.other-client.",
                harmless: "Both names are of one app on the server.",
                observed: "TVs' codes or tokens served another app",
                source: .documented,
                level: .safety,
                isSafety: true,
                companions: [
                    .signInVisible, .signInDelivered, .codeKept, .deviceCodeOnce, .refreshTokenOnce,
                ])
        }
    }
}
