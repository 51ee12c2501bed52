internal import Formats

/// Why a device's request is turned down (RFC 6749, 5.2; RFC 8628, 3.5; RFC 6750, 3.1).
enum GrantError: String, Error {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unsupportedGrantType = "unsupported_grant_type"
    case authorizationPending = "authorization_pending"
    case slowDown = "slow_down"
    case accessDenied = "access_denied"
    case expiredToken = "expired_token"
    case invalidToken = "invalid_token"
    case serverError = "server_error"

    var status: Int {
        switch self {
        case .invalidClient, .invalidToken: 401
        case .serverError: 500
        default: 400
        }
    }

    /// `error_description`.
    var words: String {
        switch self {
        case .invalidRequest: "A parameter is missing, unreadable or there twice"
        case .invalidClient: "The client is not known, or its secret is wrong"
        case .invalidGrant: "What was sent is not known, used up, or another client's"
        case .unsupportedGrantType: "Only device codes and refresh tokens are taken"
        case .authorizationPending: "The person has not decided yet"
        case .slowDown: "Polls come too soon: 5 seconds more between them"
        case .accessDenied: "The person has turned the device down"
        case .expiredToken: "The device code is over"
        case .invalidToken: "The access token is not known, or over"
        case .serverError: "Something went wrong here"
        }
    }
}
