/// The codes of errors that V2 sends (rest-v2.md § 12.2), with what the application should do about
/// each. Those of a provider's denial are the verdict's own.
enum V2Code: String, CaseIterable, Sendable {
    case serviceProvider = "invalid_parameter_service_provider"
    case mvpd = "invalid_parameter_mvpd"
    case code = "invalid_parameter_code"
    case resources = "invalid_parameter_resources"
    case redirectURL = "invalid_parameter_redirect_url"
    case partner = "invalid_parameter_partner"
    case samlResponse = "invalid_parameter_saml_response"
    case deviceInfo = "invalid_header_device_info"
    case deviceIdentifier = "invalid_header_device_identifier"
    case trialIdentity = "invalid_header_identity_for_temporary_access"
    /// The page names none for it (own).
    case contentType = "invalid_header_content_type"
    /// Two identity headers at once (B48); the page names none for it (own).
    case twoIdentities = "invalid_header_identity"
    case permissionAbsent = "invalid_header_pfs_permission_access_not_present"
    case permissionUndetermined = "invalid_header_pfs_permission_access_not_determined"
    case permissionNotGranted = "invalid_header_pfs_permission_access_not_granted"
    case partnerProviderUndetermined = "invalid_header_pfs_provider_id_not_determined"
    case partnerProviderMismatch = "invalid_header_pfs_provider_id_mismatch"
    case partnerProviderExpired = "invalid_header_pfs_provider_info_expired"
    case integration = "invalid_integration"
    case session = "invalid_authentication_session"
    case tooManyResources = "too_many_resources"
    case trialSetUp = "invalid_configuration_temporary_access"
    case platformBoarding = "invalid_configuration_mvpd_platform_boarding_status"
    case platformProvider = "invalid_configuration_mvpd_platform"
    case platformExchange = "invalid_configuration_mvpd_platform_profile_exchange"
    case tokenServiceProvider = "invalid_access_token_service_provider"
    case tokenClient = "invalid_access_token_client_application"
    case profileMissing = "authenticated_profile_missing"
    case profileExpired = "authenticated_profile_expired"
    case profileInvalidated = "authenticated_profile_invalidated"
    case trialTime = "temporary_access_duration_limit_exceeded"
    case trialResources = "temporary_access_resources_limit_exceeded"
    case deniedByRule = "authorization_denied_by_degradation_rule"
    case internalError = "internal_server_error"

    var action: String {
        switch self {
        case .tooManyResources, .trialSetUp, .platformBoarding, .platformProvider,
            .platformExchange:
            "configuration"
        case .tokenServiceProvider, .tokenClient: "application-registration"
        case .profileMissing, .profileExpired, .profileInvalidated, .trialTime, .trialResources:
            "authentication"
        default: "none"
        }
    }

    /// The status it has, at the top of an answer or of an item.
    var status: Int {
        switch self {
        case .tooManyResources, .profileMissing, .profileExpired, .profileInvalidated, .trialTime,
            .trialResources, .deniedByRule:
            403
        case .tokenServiceProvider, .tokenClient: 401
        case .trialSetUp, .platformBoarding, .platformProvider, .platformExchange, .internalError:
            500
        default: 400
        }
    }
}

/// An error of V2: always the enhanced object, always JSON (rest-v2.md § 12.1).
struct V2Error: Error, Sendable {
    var code: V2Code
    var status: Int
    var message: String
    var details: String?

    init(_ code: V2Code, _ message: String, status: Int? = nil, details: String? = nil) {
        self.code = code
        self.status = status ?? code.status
        self.message = message
        self.details = details
    }

    static let methodNotAllowed = V2Error(
        .internalError, "The method is not allowed here", status: 405)
    static let notFound = V2Error(.internalError, "There is nothing here", status: 404)
    static let tokenRefused = V2Error(
        .tokenClient, "The access token is missing, expired, or not for this API")
    static let noSession = V2Error(
        .session, "The authentication session is unknown, expired or complete")
    static let noCode = V2Error(.code, "The code is not one of six or seven letters and digits")

    func write(trace: String, to document: inout DocumentWriter) {
        EnhancedError.write(
            code.rawValue, action: code.action, status: status, message: message, details: details,
            trace: trace, to: &document)
    }
}
