/// An error as V1 has always had it (rest-v1.md § 4): status, message, details. Both spellings are
/// ready, for the answer to a poll is nearly always one of these.
struct ClassicError: Error, Sendable {
    let status: Int
    let json: [UInt8]
    let xml: [UInt8]

    /// How `details` are written when there are none: left out, or (Z4) as null.
    enum Absent { case omitted, null }

    init(
        _ status: Int, _ message: String, xmlMessage: String? = nil, details: String? = nil,
        absent: Absent = .omitted
    ) {
        self.status = status
        var json = Array("{\"status\":\(status),\"message\":".utf8)
        JSONText.quote(message, to: &json)
        if let details {
            json += ",\"details\":".utf8
            JSONText.quote(details, to: &json)
        } else if absent == .null {
            json += ",\"details\":null".utf8
        }
        json.append(UInt8(ascii: "}"))
        self.json = json
        var members: [(String, Document)] = [
            ("status", .number(Int64(status))), ("message", .text(xmlMessage ?? message)),
        ]
        if let details { members.append(("details", .text(details))) }
        xml = Document.object(members).xml(root: "error")
    }

    static func missing(_ name: String) -> ClassicError {
        ClassicError(400, "Required '\(name)' is not present")
    }

    static func unknownRequestor(_ id: String) -> ClassicError {
        ClassicError(400, "Unknown requestor '\(id)'")
    }

    /// N4; the two spellings differ (A25).
    static let notFound = ClassicError(404, "Not Found", xmlMessage: "Not found")
    static let noRecord = ClassicError(404, "Not Found")
    static let gone = ClassicError(410, "Gone")
    static let forbidden = ClassicError(403, "Forbidden")
    static let methodNotAllowed = ClassicError(405, "Method Not Allowed")
    /// N3 (§ 10).
    static let noToken = ClassicError(403, "Authentication token not found")
    static let tokenExpired = ClassicError(403, "Authentication token expired")
    static let invalidDeviceInfo = ClassicError(400, "invalid_device_info")
    static let tooManyResources = ClassicError(403, "too_many_resources")
    /// § 11: 412 on Z1, Z2, Z4, U1; 403 on Z3 and Z5 (A16).
    static let notAuthenticated = ClassicError(412, "User not authenticated")
    static let notAuthenticatedNull = ClassicError(412, "User not authenticated", absent: .null)
    static let notAuthenticatedForbidden = ClassicError(403, "User not authenticated")
    static let notAuthorized = ClassicError(403, "User not authorized")
    static let noAuthorization = ClassicError(
        404, "Not Found", xmlMessage: "Not found", absent: .null)
    static let authorizationGone = ClassicError(410, "Gone", absent: .null)
}
