/// An error as V1 has always had it (rest-v1.md § 4): status, message, details. Both spellings are
/// ready, for the answer to a poll is nearly always one of these. What a requestor that has opted
/// in to enhanced errors sees is made of it when it is sent.
struct ClassicError: Error, Sendable {
    let status: Int
    let message: String
    let details: String?
    /// Its enhanced code; nil where the page names none for it: such an error stays classic.
    let code: EnhancedCode?
    let json: [UInt8]
    let xml: [UInt8]

    /// How `details` are written when there are none: left out, or (Z4) as null.
    enum Absent { case omitted, null }

    init(
        _ status: Int, _ message: String, xmlMessage: String? = nil, details: String? = nil,
        absent: Absent = .omitted, code: EnhancedCode? = nil
    ) {
        self.status = status
        self.message = message
        self.details = details
        self.code = code
        json = DocumentWriter.json {
            $0.number("status", Int64(status))
            $0.text("message", message)
            if let details {
                $0.text("details", details)
            } else if absent == .null {
                $0.null("details")
            }
        }
        xml = DocumentWriter.document(.xml, root: "error") {
            $0.number("status", Int64(status))
            $0.text("message", xmlMessage ?? message)
            if let details { $0.text("details", details) }
        }
    }

    static func missing(_ name: String) -> ClassicError {
        let code: EnhancedCode? =
            switch name {
            case "requestor", "requestor_id": .invalidRequestor
            case "deviceId": .invalidDeviceID
            case "X-Device-Info": .invalidDeviceInfo
            case "resource": .missingResource
            default: nil
            }
        return ClassicError(400, "Required '\(name)' is not present", code: code)
    }

    static func unknownRequestor(_ id: String) -> ClassicError {
        ClassicError(400, "Unknown requestor '\(id)'", code: .invalidRequestor)
    }

    static func unknownIntegration(_ id: String) -> ClassicError {
        ClassicError(400, "Unknown integration '\(id)'", code: .unknownIntegration)
    }

    /// N4; the two spellings differ (A25). The page has no enhanced code for it: a missing session
    /// is 403 or 412.
    static let notFound = ClassicError(404, "Not Found", xmlMessage: "Not found")
    static let noRecord = ClassicError(404, "Not Found")
    static let gone = ClassicError(410, "Gone")
    /// N2.
    static let forbidden = ClassicError(403, "Forbidden", code: .sessionMissing)
    static let methodNotAllowed = ClassicError(405, "Method Not Allowed", code: .internalError)
    /// N3 (§ 10).
    static let noToken = ClassicError(
        403, "Authentication token not found", code: .sessionMissing)
    static let tokenExpired = ClassicError(
        403, "Authentication token expired", code: .sessionExpired)
    static let sessionInvalidated = ClassicError(
        403, "Authentication token not found", code: .sessionInvalidated)
    static let invalidDeviceInfo = ClassicError(
        400, "invalid_device_info", code: .invalidDeviceInfo)
    static let tooManyResources = ClassicError(
        403, "too_many_resources", code: .tooManyResources)
    static let malformedResource = ClassicError(
        400, "Invalid 'resource'", code: .malformedRequest)
    /// Z5 without an authorization.
    static let notAuthorized = ClassicError(
        403, "User not authorized", code: .authorizationNotFound)
    static let noAuthorization = ClassicError(
        404, "Not Found", xmlMessage: "Not found", absent: .null, code: .authorizationNotFound)
    static let authorizationGone = ClassicError(
        410, "Gone", absent: .null, code: .authorizationExpired)

    /// Who asks without a live sign-in: 412 on Z1, Z2, Z4, U1, and 403 on Z3 and Z5 (A16; § 11).
    static func notAuthenticated(
        _ finding: TokenTable.TokenLookup, at endpoint: V1Endpoint
    ) -> ClassicError {
        var isExpired = false
        if case .expired = finding { isExpired = true }
        switch endpoint {
        case .preauthorize, .preauthorizeCode:
            return isExpired ? preauthorizeExpired : preauthorizeMissing
        case .authorizationToken: return isExpired ? readExpired : readMissing
        case .userMetadata: return isExpired ? metadataExpired : metadataMissing
        default: return isExpired ? authorizeExpired : authorizeMissing
        }
    }

    private static let message = "User not authenticated"
    private static let preauthorizeMissing = ClassicError(
        412, message, code: .preauthorizationSessionMissing)
    private static let preauthorizeExpired = ClassicError(
        412, message, code: .preauthorizationSessionExpired)
    private static let readMissing = ClassicError(
        412, message, absent: .null, code: .sessionMissing)
    private static let readExpired = ClassicError(
        412, message, absent: .null, code: .sessionExpired)
    private static let metadataMissing = ClassicError(412, message, code: .sessionMissing)
    private static let metadataExpired = ClassicError(412, message, code: .sessionExpired)
    private static let authorizeMissing = ClassicError(403, message, code: .sessionMissing)
    private static let authorizeExpired = ClassicError(403, message, code: .sessionExpired)
}
