/// A paragraph of a public standard.
public struct StandardClause: Sendable, Hashable {
    /// `RFC 8628, 3.5`.
    public var reference: String
    /// What it says, in our words.
    public var says: String

    init(_ reference: String, _ says: String) {
        self.reference = reference
        self.says = says
    }
}

extension Invariant {
    /// What public standards say about this promise where a device signs in by the OAuth device grant; empty
    /// where they say nothing. Whether it binds a server is the promise's source: many a promise is what
    /// follows from several paragraphs, and no MUST of one.
    public var grantClauses: [StandardClause] {
        let success = StandardClause(
            "RFC 8628, 3.5",
            "once the user has approved, a poll is answered with the token; authorization_pending means "
                + "that the user has not finished yet")
        let decision = StandardClause(
            "RFC 8628, 3.3", "the user approves or denies the device on the verification page")
        let denied = StandardClause("RFC 8628, 3.5", "access_denied: the request was denied")
        return switch self {
        case .noTokenBeforeSignIn, .tokenIsolation, .oneOwner: [decision, success]
        case .signInVisible, .signInDelivered, .tokenMonotonic, .linearizable, .errorsHaveNoEffect:
            [success]
        case .decisionFinal, .oneDecision: [decision, denied]
        case .refusalDelivered: [denied]
        case .expiryRespected:
            [
                StandardClause("RFC 8628, 3.2", "expires_in is the lifetime of both codes"),
                StandardClause("RFC 8628, 3.5", "expired_token: the device code has expired"),
            ]
        case .codeKept:
            [
                StandardClause("RFC 8628, 3.2", "expires_in is the lifetime of both codes"),
                success,
            ]
        case .codeUnique:
            [
                StandardClause(
                    "RFC 8628, 5.1",
                    "a user code must not be guessed while it lives, let alone shared")
            ]
        case .deviceCodeOnce, .oneToken:
            [
                StandardClause(
                    "RFC 6749, 4.1.2",
                    "an authorization code must not be used more than once; of device codes no "
                        + "standard says so")
            ]
        case .refreshTokenOnce:
            [
                StandardClause(
                    "RFC 6749, 6",
                    "a server may revoke the old refresh token when it issues a new one"),
                StandardClause(
                    "RFC 9700, 4.14.2",
                    "with rotation, a refresh token that is used twice tells the server of a leak"),
            ]
        case .logoutFinal:
            [
                StandardClause(
                    "RFC 7009, 2", "the token cannot be used again after the revocation")
            ]
        case .clientBound:
            [
                StandardClause(
                    "RFC 6749, 5.2",
                    "invalid_grant: the grant or the refresh token was issued to another client"),
                StandardClause(
                    "RFC 6749, 6", "a refresh token is bound to the client that it was issued to"),
                StandardClause(
                    "RFC 7009, 2.1",
                    "a token that was not issued to the client that asks is not revoked"),
            ]
        case .throttleContract:
            [
                StandardClause(
                    "RFC 8628, 3.5", "slow_down: the interval grows by 5 seconds, for good")
            ]
        default: []
        }
    }
}
