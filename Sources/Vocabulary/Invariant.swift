/// The promises that a history is held against: names that appear in reports, thresholds and cases.
public enum Invariant: UInt8, CaseIterable, Sendable {
    case noTokenBeforeSignIn, tokenIsolation, signInVisible, signInDelivered, tokenMonotonic
    case oneOwner, oneToken, codeUnique, expiryRespected, logoutFinal, deleteFinal
    case errorsHaveNoEffect, retryOnce, authorizationGates, clockAgreement, throttleContract
    case pollIsPure, pathIndependence, pollingEnds, linearizable, conforms

    /// As rigs, reports and the command line spell it: `no-token-before-sign-in`.
    public var name: String { Self.names[Int(rawValue)] }

    /// The invariant spelled so, if there is one.
    public init?(name: String) {
        guard let position = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: UInt8(position))
    }

    private static let names = [
        "no-token-before-sign-in", "token-isolation", "sign-in-visible", "sign-in-delivered",
        "token-monotonic", "one-owner", "one-token", "code-unique", "expiry-respected",
        "logout-final", "delete-final", "errors-have-no-effect", "retry-once",
        "authorization-gates", "clock-agreement", "throttle-contract", "poll-is-pure",
        "path-independence", "polling-ends", "linearizable", "conforms",
    ]
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

extension Invariant {
    /// Whose promise it is, as far as the invariant decides that; `conforms` goes by its rule.
    public var source: PromiseSource {
        switch self {
        // rest-v1.md § 6 (codes, DELETE), § 10 (one live token per key), § 11 (playback order),
        // § 13 (logout removes), § 14 (throttling), § 16 (what may be asserted).
        case .noTokenBeforeSignIn, .tokenIsolation, .signInDelivered, .oneToken, .codeUnique,
            .expiryRespected, .logoutFinal, .deleteFinal, .authorizationGates, .throttleContract,
            .conforms:
            .documented
        case .oneOwner: .policy
        default: .ours
        }
    }

    /// Policy-free safety: counts under `documented` whoever promised it;
    /// `one-owner` hangs on `code-reuse`.
    public var isSafety: Bool {
        switch self {
        case .noTokenBeforeSignIn, .tokenIsolation, .oneToken, .codeUnique, .deleteFinal,
            .errorsHaveNoEffect, .authorizationGates:
            true
        default: false
        }
    }

    /// Two arms are compared: an ordinary run decides nothing.
    public var isDecidedByRace: Bool { self == .pollIsPure || self == .pathIndependence }

    /// What a breach of this one may break besides, in the same household.
    public var companions: [Invariant] {
        switch self {
        case .noTokenBeforeSignIn:
            [.oneToken, .tokenIsolation, .tokenMonotonic, .authorizationGates, .logoutFinal]
        case .tokenIsolation:
            [.noTokenBeforeSignIn, .tokenMonotonic, .oneToken, .signInVisible, .logoutFinal]
        case .signInVisible: [.tokenMonotonic, .signInDelivered, .pollingEnds]
        case .signInDelivered: [.signInVisible, .pollingEnds]
        case .tokenMonotonic:
            [.signInVisible, .signInDelivered, .oneToken, .expiryRespected, .pollingEnds]
        case .oneOwner: [.oneToken, .tokenMonotonic, .deleteFinal, .retryOnce]
        case .oneToken: [.tokenMonotonic, .tokenIsolation]
        case .codeUnique:
            [
                .tokenIsolation, .oneOwner, .noTokenBeforeSignIn, .signInDelivered, .signInVisible,
                .expiryRespected, .tokenMonotonic, .oneToken, .deleteFinal, .logoutFinal,
                .pollingEnds,
            ]
        case .expiryRespected:
            [.tokenMonotonic, .signInVisible, .signInDelivered, .oneOwner, .clockAgreement]
        case .logoutFinal: [.tokenMonotonic, .authorizationGates, .noTokenBeforeSignIn]
        case .deleteFinal: [.oneOwner, .expiryRespected, .signInDelivered]
        case .errorsHaveNoEffect:
            [
                .noTokenBeforeSignIn, .tokenIsolation, .tokenMonotonic, .oneToken, .logoutFinal,
                .signInVisible, .signInDelivered,
            ]
        case .retryOnce: [.oneToken, .oneOwner]
        case .authorizationGates: [.logoutFinal]
        case .clockAgreement: [.expiryRespected]
        case .throttleContract: [.pollingEnds, .signInDelivered, .errorsHaveNoEffect]
        default: []
        }
    }
}

extension Invariant {
    /// The level that its breach disproves.
    public var level: ConsistencyLevel? {
        switch self {
        case .noTokenBeforeSignIn, .tokenIsolation, .oneOwner, .oneToken, .codeUnique,
            .deleteFinal, .errorsHaveNoEffect, .authorizationGates:
            .safety
        case .signInDelivered: .eventual
        case .tokenMonotonic: .monotonicReads
        case .logoutFinal: .readYourWrites
        case .signInVisible: .crossScreen
        case .linearizable: .linearizable
        default: nil
        }
    }
}
