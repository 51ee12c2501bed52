internal import Dialects

/// What an app asks of the AccessEnabler (access-enabler-sdk.md § 1).
enum SDKCall: Hashable, Sendable {
    case setRequestor
    case checkAuthentication
    /// With a filter, only these providers are offered, in this order; ids that do not sign on by the
    /// platform are ignored.
    case getAuthentication(filter: ProviderFilter?)
    /// Nil cancels.
    case setSelectedProvider(String?)
    case handleExternalURL
    case checkAuthorization(String)
    case getAuthorization(String)
    case checkPreauthorizedResources([String])
    case getUserMetadata(String)
    case getSelectedProvider
    case logout

    /// As in the history.
    var name: String {
        switch self {
        case .setRequestor: "setRequestor"
        case .checkAuthentication: "checkAuthentication"
        case .getAuthentication: "getAuthentication"
        case .setSelectedProvider: "setSelectedProvider"
        case .handleExternalURL: "handleExternalURL"
        case .checkAuthorization: "checkAuthorization"
        case .getAuthorization: "getAuthorization"
        case .checkPreauthorizedResources: "checkPreauthorizedResources"
        case .getUserMetadata: "getMetadata"
        case .getSelectedProvider: "getSelectedProvider"
        case .logout: "logout"
        }
    }

    var argument: String {
        switch self {
        case .setSelectedProvider(let id): id ?? "null"
        case .checkAuthorization(let resource), .getAuthorization(let resource): resource
        case .checkPreauthorizedResources(let resources): resources.joined(separator: ",")
        case .getUserMetadata(let key): key
        case .getAuthentication(let filter?): filter.description
        default: ""
        }
    }
}

/// What the AccessEnabler tells its app (§ 1).
enum SDKCallback: Hashable, Sendable {
    case setRequestorComplete(Bool)
    case setAuthenticationStatus(Bool, SDKErrorCode)
    case displayProviderDialog([String])
    case navigateToUrl(SDKPage)
    case presentTVProviderDialog
    case dismissTVProviderDialog
    case setToken(String)
    case tokenRequestFailed(String, SDKErrorCode, String)
    case setMetadataStatus(String, String?)
    case preauthorizedResources([String])
    case selectedProvider(String?)
    case sendTrackingData(SDKTracking)
    case status(SDKStatus)

    var name: String {
        switch self {
        case .setRequestorComplete: "setRequestorComplete"
        case .setAuthenticationStatus: "setAuthenticationStatus"
        case .displayProviderDialog: "displayProviderDialog"
        case .navigateToUrl: "navigateToUrl"
        case .presentTVProviderDialog: "presentTVProviderDialog"
        case .dismissTVProviderDialog: "dismissTVProviderDialog"
        case .setToken: "setToken"
        case .tokenRequestFailed: "tokenRequestFailed"
        case .setMetadataStatus: "setMetadataStatus"
        case .preauthorizedResources: "preauthorizedResources"
        case .selectedProvider: "selectedProvider"
        case .sendTrackingData: "sendTrackingData"
        case .status: "status"
        }
    }

    /// Its arguments in words; a media token itself is none of them.
    var argument: String {
        switch self {
        case .setRequestorComplete(let isDone): isDone ? "1" : "0"
        case .setAuthenticationStatus(let isSignedIn, let code):
            isSignedIn ? "1" : "0 \(code.rawValue)"
        case .displayProviderDialog(let providers): providers.joined(separator: ",")
        case .navigateToUrl(let page): page.rawValue
        case .presentTVProviderDialog, .dismissTVProviderDialog: ""
        case .setToken(let resource): resource
        case .tokenRequestFailed(let resource, let code, let words):
            words.isEmpty
                ? "\(resource) \(code.rawValue)" : "\(resource) \(code.rawValue): \(words)"
        case .setMetadataStatus(let key, let value): "\(key) \(value ?? "")"
        case .preauthorizedResources(let resources): resources.joined(separator: ",")
        case .selectedProvider(let id): id ?? "null"
        case .sendTrackingData(let event): event.rawValue
        case .status(let status): status.rawValue
        }
    }
}

/// Pages that the app's web view is sent to.
enum SDKPage: String, Hashable, Sendable { case login, logout }

/// Side channel events (§ 8).
enum SDKTracking: String, Hashable, Sendable {
    case authentication = "TRACKING_AUTHENTICATION"
    case authorization = "TRACKING_AUTHORIZATION"
    case selectedProvider = "TRACKING_GET_SELECTED_PROVIDER"
    case mvpdSelection
}

/// Codes of `setAuthenticationStatus` and `tokenRequestFailed` (§§ 6, 7).
enum SDKErrorCode: String, Hashable, Sendable {
    case none = ""
    case notAuthenticated = "USER_NOT_AUTHENTICATED_ERROR"
    case providerNotSelected = "PROVIDER_NOT_SELECTED_ERROR"
    case generic = "GENERIC_AUTHENTICATION_ERROR"
    case notAuthorized = "USER_NOT_AUTHORIZED_ERROR"
}

/// Advanced codes (§ 5), as far as a device without degradation can meet them. The spelling of APPL
/// is G1's.
enum SDKStatus: String, Hashable, Sendable, CaseIterable {
    case permissionDenied = "VSA403"
    case permissionUndetermined = "VSA404"
    case platformFailed = "VSA503"
    case platformLogout = "VSA203"
    case platformErrorAtStart = "APPL"
    case platformErrorAtCheck = "APPL_ERROR"
    case notAuthenticated = "N000"
    case otherProvider = "N003"
    case unsupportedProvider = "N004"
    case pickerCancelled = "N005"
    case tempPassUsed = "N011"
    case tempPassExpired = "N111"
    case tokenNotFound = "N130"
    case internalError = "N500"
    case registrationCode = "REGCODE"
    case noRegistrationCode = "REG500"
    case notRegistered = "R400"
    case noAccessToken = "R401"
    case badRequestor = "CFG400"
    case configurationNotFound = "CFG404"
    case configurationFailed = "CFG500"
    case configurationThrottled = "CFG429"
    case notAuthorized = "Z100"
    case authorizationNetwork = "Z120"
    case preauthorizationFailed = "P100"
}
