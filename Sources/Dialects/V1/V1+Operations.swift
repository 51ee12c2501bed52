internal import Formats
public import Vocabulary

/// Every row of rest-v1.md § 2: what it asks, and what it may be answered.
extension V1 {
    /// What needs no more than the thing it is about, with its row of § 2.
    public func call(
        _ operation: OperationName, about subject: Subject, _ credential: Credential
    ) -> Call? {
        let resources = subject.resources
        switch operation {
        // N3.
        case .checkAuthentication:
            return get(operation, keyed("/api/v1/checkauthn", credential), credential)
        // C1.
        case .configuration:
            let path = "/api/v1/config/" + FormEncoding.encode(requestor)
            return get(operation, documented(path, [], credential), credential)
        // R2.
        case .registrationRecord:
            return about(subject, operation, credential) {
                documented(path(of: $0), [], credential)
            }
        // R3.
        case .deleteRegistration:
            return about(subject, operation, credential, by: .delete) {
                documented(path(of: $0), [], credential)
            }
        // N2.
        case .checkCode:
            return about(subject, operation, credential) { code in
                let path = "/api/v1/checkauthn/" + FormEncoding.encode(code.text)
                return documented(path, [("requestor", requestor)], credential)
            }
        // U1.
        case .userMetadata:
            return get(operation, keyed("/api/v1/tokens/usermetadata", credential), credential)
        // Z1.
        case .preauthorize:
            let asked = resources.joined(separator: ",")
            return get(
                operation, keyed("/api/v1/preauthorize", credential, asked), credential)
        // Z2.
        case .preauthorizeCode:
            return about(subject, operation, credential) { code in
                let path = "/api/v1/preauthorize/" + FormEncoding.encode(code.text)
                return documented(
                    path,
                    [("requestor", requestor), ("resource", resources.joined(separator: ","))],
                    credential)
            }
        // Z3.
        case .authorize: return playing(operation, "/api/v1/authorize", subject, credential)
        // Z4.
        case .authorizationToken:
            return playing(operation, "/api/v1/tokens/authz", subject, credential)
        // Z5.
        case .mediaToken:
            return playing(operation, "/api/v1/tokens/media", subject, credential)
        // L1.
        case .logout:
            var call = get(operation, keyed("/api/v1/logout", credential), credential)
            call.method = .delete
            return call
        default: return nil
        }
    }

    /// A request about a code.
    private func about(
        _ subject: Subject, _ operation: OperationName, _ credential: Credential,
        by method: Method = .get, at address: (Code) -> WebAddress
    ) -> Call? {
        guard let code = subject.code else { return nil }
        var call = get(operation, address(code), credential)
        call.method = method
        call.code = code
        return call
    }

    private func playing(
        _ operation: OperationName, _ path: String, _ subject: Subject, _ credential: Credential
    ) -> Call? {
        guard let resource = subject.resources.first else { return nil }
        var call = get(operation, keyed(path, credential, resource), credential)
        call.resource = resource
        return call
    }
}

/// The table: every row of rest-v1.md § 2, with the sections that describe its answers. Fields that
/// it does not name may come all the same. What real services were seen to answer (observed.md) is
/// no deviation; where the page is stricter than the schemas and the records, it is a reading.
extension V1 {
    static let conformance: [ConformanceRow] = [
        .row(
            "D1", .registerClient,
            [.init(201, .json(Registration.clientFields)), .init(400, .error)]),
        .row(
            "D2", .accessToken,
            [
                // A1: 201 today, 200 of old.
                .init(201, .json(Registration.tokenFields), .reading),
                .init(200, .json(Registration.olderTokenFields), .reading),
                .init(400, .error),
            ]),
        .row("R1", .registrationCode, [.init(201, .document(record)), .init(400, .error)]),
        .row(
            "R2", .registrationRecord,
            [.init(200, .document(record)), .init(404, .error, .own)]),
        .row("R3", .deleteRegistration, [.init(204, .none), .init(404, .error, .own)]),
        .row(
            "C1", .configuration,
            [.init(200, .document(Offer.fields)), .init(404, .error, .own)]),
        // Of /api/v1/authenticate alone: a later hop may be a page that posts itself (observed.md).
        .row("N1", .authenticate, [.init(302, .location), .init(400, .errorOrPage)]),
        // The page's column of hops tells the stand-in's answers, and fixes no number of them.
        .row(
            "ACS", .assertion,
            [
                .init(302, .location), .init(303, .location), .init(503, .errorOrPage),
                .init(400, .errorOrPage, .own),
            ], others: .reading),
        .row("N2", .checkCode, [.init(200, .none), .init(403, .error)]),
        .row("N3", .checkAuthentication, [.init(200, .none), .init(403, .error)]),
        .row(
            "N4", .pollToken,
            [.init(200, .document(token)), .init(404, .error), .init(410, .error)]),
        .row("N5", .freePreview, [.init(204, .none), .init(400, .error)]),
        .row("S1", .profileRequest, [.init(200, .bytes), .init(400, .error)]),
        .row("S2", .tokenExchange, [.init(204, .none), .init(400, .error)]),
        .row("Z1", .preauthorize, decided),
        .row("Z2", .preauthorizeCode, decided),
        .row("Z3", .authorize, [.init(200, .document(authorization)), .init(403, .error)]),
        .row(
            "Z4", .authorizationToken,
            [
                .init(200, .document(authorization)), .init(412, .error), .init(404, .error),
                .init(410, .error),
            ]),
        .row("Z5", .mediaToken, [.init(200, .document(media)), .init(403, .error)]),
        .row(
            "U1", .userMetadata,
            [.init(200, .document(metadata)), .init(404, .error), .init(412, .error)]),
        .row("L1", .logout, [.init(204, .none)]),
        // A12; told from L1 by its method.
        .row("L2", .logout, [.init(302, .location, .own), .init(400, .errorOrPage, .own)]),
    ]

    /// What any endpoint may give (§§ 2, 3.1, 4, 5).
    static let anywhere: [ConformanceRow.ExpectedReply] = [
        .init(400, .error), .init(401, .error), .init(405, .error), .init(500, .errorOrPage),
    ]

    /// A15: the list of statuses lacks 403, the table of errors has it.
    private static let decided: [ConformanceRow.ExpectedReply] = [
        .init(200, .document(decisions)), .init(400, .error), .init(412, .error),
        .init(403, .error, .reading),
    ]

    // MARK: Documents

    /// Each field of `info` may be null in older records, and `deviceInfo` is missing there
    /// (observed.md).
    private static let record: [ConformanceField] = [
        .required("id", .identifier), .required("code", .code, .reading),
        .required("requestor", .text), .optional("mvpd", .text),
        .required("generated", .number), .required("expires", .number),
        .required(
            "info",
            .object([
                .required("deviceId", .base64, .reading), .optional("deviceInfo", .base64),
                .optional("userAgent", .text), .optional("originalUserAgent", .text),
                .optional("authorizationType", .text),
                .optional(
                    "sourceApplicationInformation",
                    .object([
                        .optional("id", .text), .optional("name", .text),
                        .optional("version", .text),
                    ])),
                .optional("registrationURL", .text, .reading), .optional("deviceType", .text),
                .optional("deviceUser", .text), .optional("appId", .text),
                .optional("appVersion", .text),
            ])),
    ]

    private static let token: [ConformanceField] = [
        .required("requestor", .text), .required("mvpd", .text), .required("userId", .text),
        .required("expires", .epoch), .optional("proxyMvpd", .text, .own),
    ]

    private static let decisions: [ConformanceField] = [
        .required(
            "resources",
            .list(
                of: "resource",
                [
                    .required("id", .text), .required("authorized", .flag),
                    .optional("error", .object(enhanced)),
                ]))
    ]

    private static let authorization: [ConformanceField] = [
        .required("mvpd", .text), .required("resource", .text), .required("requestor", .text),
        .required("expires", .epoch), .optional("proxyMvpd", .text),
    ]

    private static let media: [ConformanceField] = [
        .required("resource", .text), .required("requestor", .text),
        .required("expires", .epoch), .required("serializedToken", .base64),
        .required("userId", .text), .required("mvpdId", .text),
    ]

    private static let metadata: [ConformanceField] = [
        .required("updated", .number), .required("encrypted", .texts, .documented, .inJSON),
        .required(
            "data",
            .object([
                .optional("userID", .text), .optional("upstreamUserID", .text),
                .optional("householdID", .text), .optional("zip", .textOrTexts),
                .optional("channelID", .texts),
                .optional("maxRating", .object([])), .optional("tokenSource", .word(["Apple"])),
            ])),
    ]

    // MARK: Errors

    /// § 4.
    static let classic: [ConformanceField] = [
        .required("status", .number), .required("message", .text), .optional("details", .text),
    ]

    /// § 4, opted in.
    static let enhanced: [ConformanceField] = [
        .required(
            "action",
            .word([
                "none", "configuration", "application-registration", "authentication",
                "authorization", "retry",
            ])),
        .required("status", .number), .required("code", .text), .required("message", .text),
        .optional("details", .text), .required("helpUrl", .text), .required("trace", .text),
    ]
}
