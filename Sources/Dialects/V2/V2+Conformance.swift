internal import Formats
internal import Vocabulary

/// The table: every row of rest-v2.md § 2, with the sections that describe its answers. Fields that it
/// does not name may come all the same. What services were seen to answer (§ 18) is no deviation; where
/// the page settles an ambiguity, what it did not choose is a reading at most (§§ 19, 20).
extension V2 {
    static let conformance: [ConformanceRow] = [
        .row(
            "D1", .registerClient,
            [.init(201, .json(Registration.clientFields)), .init(400, .error)]),
        .row(
            "D2", .accessToken,
            [
                .init(201, .json(Registration.tokenFields), .reading),
                .init(200, .json(Registration.olderTokenFields), .reading), .init(400, .error),
            ]),
        .row("C", .configuration, [.init(200, .json(Offer.fields))]),
        .row("S1", .createSession, [.init(200, .json(session(opened)))]),
        .row("S2", .resumeSession, [.init(200, .json(session(resumed)))]),
        .row("S3", .sessionByCode, [.init(200, .json(sessionRecord))]),
        // The first hop alone: 302, or a page that posts itself (§ 18).
        .row(
            "A", .authenticate,
            [.init(302, .location), .init(200, .page), .init(400, .errorOrPage)]),
        .row(
            "ACS", .assertion,
            [
                // The page tells nothing of how the consumer refuses.
                .init(302, .location), .init(303, .location), .init(503, .anything),
                .init(500, .anything), .init(400, .anything, .own),
            ], others: .reading),
        .row("P1", .profiles, [.init(200, .json(profiles))]),
        .row("P2", .profilesByMVPD, [.init(200, .json(profiles)), .init(403, .error)]),
        .row("P3", .profilesByCode, [.init(200, .json(profiles)), .init(403, .error)]),
        .row("Z1", .preauthorize, decided),
        .row("Z2", .authorize, decided),
        .row("L", .logout, [.init(200, .json(logouts)), .init(302, .location, .reading)]),
        .row("X1", .partnerRequest, [.init(200, .json(session(partnered)))]),
        .row(
            "X2", .ssoProfile,
            [.init(201, .json(profiles)), .init(200, .json(profiles))]),
    ]

    static let table = ConformanceTable(
        page: "REST V2", rows: conformance, anywhere: anywhere,
        // § 12.1 lists them, and no call of § 2 does.
        disputed: [403, 404, 410, 412], enhanced: enhanced)

    /// What any endpoint may give (§§ 2, 3.3, 12). Of a 401 the status counts alone (B15).
    static let anywhere: [ConformanceRow.ExpectedReply] = [
        .init(400, .error), .init(401, .anything), .init(405, .error), .init(500, .errorOrPage),
    ]

    /// B2: the list of statuses lacks 403, the table of errors has it.
    private static let decided: [ConformanceRow.ExpectedReply] = [
        .init(200, .json(decisions)), .init(403, .error, .reading),
    ]

    // MARK: Documents

    private static let opened = SessionWords(
        actions: ["authenticate", "resume", "authorize"],
        reasons: ["none", "authenticated", "temporary", "degraded", "authenticatedSSO"])
    private static let resumed = SessionWords(
        actions: ["authenticate", "retry", "authorize"],
        reasons: ["none", "authenticated", "temporary", "degraded"])
    private static let partnered = SessionWords(
        actions: ["partner_profile", "authenticate", "resume", "authorize"],
        reasons: [
            "none", "authenticated", "degraded", "authenticatedSSO", "pfs_fallback",
            "configuration_fallback", "missing_parameters_fallback",
        ])

    private struct SessionWords {
        var actions: [String]
        var reasons: [String]
    }

    /// What belongs to some actions only is told by `conditions(of:)`.
    private static func session(_ words: SessionWords) -> [ConformanceField] {
        [
            .required("actionName", .word(words.actions)),
            .required("actionType", .word(["interactive", "direct"])),
            .required("reasonType", .word(words.reasons)),
            .required("sessionId", .identifier), .required("serviceProvider", .text),
            .required("url", .text, .reading), .optional("missingParameters", .texts),
            .optional("code", .code, .reading), .optional("mvpd", .text),
            .optional("notBefore", .time(.string)), .optional("notAfter", .time(.string)),
            .optional(
                "authenticationRequest",
                .object([
                    .required("type", .text, .reading), .required("request", .base64),
                    .required("attributesNames", .texts, .reading),
                ])),
        ]
    }

    /// B4: some samples have shorter names for both lists.
    private static let sessionRecord: [ConformanceField] = [
        .required(
            "existingParameters",
            .object([
                .required("serviceProvider", .text, .reading), .optional("mvpd", .text),
                .optional("domainName", .text), .optional("redirectUrl", .text),
            ]), .reading),
        .optional("missingParameters", .texts),
        .required(
            "device",
            .object([
                .optional("type", .text), .optional("model", .text),
                .optional("version", .object([])), .optional("hardware", .object([])),
                .optional("operatingSystem", .object([])), .optional("browser", .object([])),
                .optional("display", .object([])), .optional("applicationId", .text),
                .optional("connection", .object([])),
            ]), .reading),
        .required("notBefore", .time(.string)), .required("notAfter", .time(.string)),
    ]

    private static let profiles: [ConformanceField] = [
        .required(
            "profiles",
            .map([
                .required("notBefore", .time(.number)), .required("notAfter", .time(.number)),
                .required("issuer", .text),
                .required("type", .word(Profile.Kind.allCases.map(\.rawValue))),
                .optional("sessionId", .text),
                .required(
                    "attributes",
                    .object([
                        .required(
                            "userID",
                            .object([
                                .optional("value", .anything),
                                .required("state", .word(["plain", "enc"]), .reading),
                                .optional("error", .anything),
                            ]))
                    ])),
            ]))
    ]

    private static let decisions: [ConformanceField] = [
        .required(
            "decisions",
            .list(
                of: "decision",
                [
                    .required("resource", .text), .required("serviceProvider", .text),
                    .required("mvpd", .text), .required("authorized", .flag),
                    .required("source", .word(["mvpd", "degradation", "temppass", "dummy"])),
                    .optional(
                        "token",
                        .object([
                            .required("notBefore", .time(.number), .reading),
                            .required("notAfter", .time(.number)),
                            .required("serializedToken", .base64),
                        ])),
                    .optional("notBefore", .time(.number)),
                    .optional("notAfter", .time(.number)), .optional("error", .object(enhanced)),
                ]))
    ]

    private static let logouts: [ConformanceField] = [
        .required(
            "logouts",
            .map([
                .required(
                    "actionName", .word(["logout", "partner_logout", "complete", "invalid"])),
                .required("actionType", .word(["interactive", "partner_interactive", "none"])),
                .required("mvpd", .text, .reading), .optional("url", .text),
            ]))
    ]

    // MARK: Errors

    /// § 12.1. `trace` is missing in samples of the vendor's own.
    static let enhanced: [ConformanceField] = [
        .required(
            "action",
            .word(["none", "configuration", "application-registration", "authentication", "retry"])),
        .required("status", .number), .required("code", .text), .required("message", .text),
        .optional("details", .text), .required("helpUrl", .text, .reading),
        .optional("trace", .text),
    ]

    // MARK: Judging

    /// The hops after A have no row: they are between the browser and the provider.
    static func row(of call: Call) -> ConformanceRow? {
        if call.operation == .authenticate, !call.address.hasPath(with: "/api/v2/authenticate/") {
            return nil
        }
        return table.rows(of: call.operation).first
    }

    func deviations(of document: ReplyDocument, to call: Call) -> [Deviation] {
        let row = Self.row(of: call)
        var found = Self.table.deviations(of: document, to: call, row)
        guard let row, (200..<300).contains(document.reply.status), !document.isPage,
            call.operation.hasConditions, let tree = document.read()
        else { return found }
        var conditions = V2Conditions(page: row.page, serviceProvider: serviceProvider)
        conditions.hold(tree, of: call)
        found += conditions.found
        return found
    }
}
