/// The codes of enhanced errors (rest-v1.md § 4).
enum EnhancedCode: String, CaseIterable, Sendable {
    case invalidRequestor = "invalid_requestor"
    case invalidDeviceInfo = "invalid_device_info"
    case invalidDeviceID = "invalid_device_id"
    case missingResource = "missing_resource"
    case malformedRequest = "malformed_authz_request"
    case preauthorizationDenied = "preauthorization_denied_by_mvpd"
    case authorizationDenied = "authorization_denied_by_mvpd"
    case deniedByParentalControls = "authorization_denied_by_parental_controls"
    case internalError = "internal_error"
    case unknownIntegration = "unknown_integration"
    case tooManyResources = "too_many_resources"
    case issuerMismatch = "authentication_session_issuer_mismatch"
    case deniedByHomePolicies = "authorization_denied_by_hba_policies"
    case deniedBySessionInvalidated = "authorization_denied_by_session_invalidated"
    case identityNotRecognized = "identity_not_recognized_by_mvpd"
    case sessionInvalidated = "authentication_session_invalidated"
    case sessionMissing = "authentication_session_missing"
    case sessionExpired = "authentication_session_expired"
    case preauthorizationSessionMissing = "preauthorization_authentication_session_missing"
    case preauthorizationSessionExpired = "preauthorization_authentication_session_expired"
    case authorizationNotFound = "authorization_not_found"
    case authorizationExpired = "authorization_expired"
    case networkReceivedError = "network_received_error"
    case networkTimeout = "network_connection_timeout"
    case executionTimeExceeded = "maximum_execution_time_exceeded"

    /// What the application should do about it.
    var action: String {
        switch self {
        case .invalidRequestor, .invalidDeviceInfo, .invalidDeviceID, .missingResource,
            .malformedRequest, .preauthorizationDenied, .authorizationDenied,
            .deniedByParentalControls, .internalError:
            "none"
        case .unknownIntegration, .tooManyResources: "configuration"
        case .issuerMismatch, .deniedByHomePolicies, .deniedBySessionInvalidated,
            .identityNotRecognized, .sessionInvalidated, .sessionMissing, .sessionExpired,
            .preauthorizationSessionMissing, .preauthorizationSessionExpired:
            "authentication"
        case .authorizationNotFound, .authorizationExpired: "authorization"
        case .networkReceivedError, .networkTimeout, .executionTimeExceeded: "retry"
        }
    }
}

/// An error with all the fields of § 4; `trace` is new with each.
enum EnhancedError {
    private static let help =
        "https://experienceleague.adobe.com/docs/pass/authentication/enhanced-error-codes"

    static func write(
        _ code: EnhancedCode, status: Int, message: String, details: String?, trace: String,
        to document: inout DocumentWriter
    ) {
        write(
            code.rawValue, action: code.action, status: status, message: message, details: details,
            trace: trace, to: &document)
    }

    /// The same of a code by its name: both protocols write errors alike (rest-v2.md § 12.1).
    static func write(
        _ code: String, action: String, status: Int, message: String, details: String?,
        trace: String, to document: inout DocumentWriter
    ) {
        document.text("action", action)
        document.number("status", Int64(status))
        document.text("code", code)
        document.text("message", message)
        if let details { document.text("details", details) }
        document.text("helpUrl", help)
        document.text("trace", trace)
    }
}

/// What the stand-in's providers say of a resource: told by how its id begins, so that a rig can
/// ask for each of the page's errors.
struct ResourceVerdict: Sendable {
    /// Nil: it may be played.
    var code: EnhancedCode?
    /// The provider's words.
    var details: String?

    private static let prefixes: [(String, EnhancedCode, String)] = [
        ("deny-", .authorizationDenied, "Your package of % does not include this channel."),
        ("rated-", .deniedByParentalControls, "% keeps this programme from children."),
        ("away-", .deniedByHomePolicies, "% allows this at home only."),
        ("stranger-", .identityNotRecognized, "% does not know this viewer."),
        ("broken-", .networkReceivedError, "% answered with an error."),
        ("silent-", .networkTimeout, "% did not answer."),
        ("overrun-", .executionTimeExceeded, "% took too long."),
    ]

    init(_ resource: ResourceText, mvpd: String) {
        let id = resource.name
        guard let found = Self.prefixes.first(where: { id.hasPrefix($0.0) }) else { return }
        code = found.1
        let parts = found.2.split(separator: "%", omittingEmptySubsequences: false)
        details = parts.joined(separator: mvpd)
    }

    private init(_ code: EnhancedCode, details: String) {
        self.code = code
        self.details = details
    }

    /// A user whose package includes no channel.
    static func notEntitled(mvpd: String) -> ResourceVerdict {
        ResourceVerdict(
            .authorizationDenied, details: "Your package of \(mvpd) includes no channel.")
    }

    /// On a preauthorization the plain denial has a code of its own.
    var preauthorizationCode: EnhancedCode? {
        code == .authorizationDenied ? .preauthorizationDenied : code
    }
}
