internal import Formats
internal import Vocabulary

/// The table: every row of rest-v2.md § 2, with the sections that describe its answers. Fields that it
/// does not name may come all the same. What services were seen to answer (§ 18) is no deviation; where
/// the page settles an ambiguity, what it did not choose is a reading at most (§§ 19, 20).
extension V2 {
    static let conformance: [ConformanceRow] = [
        .row(
            "4, D1", .registerClient,
            [.init(201, .json(Registration.clientFields)), .init(400, .error)]),
        .row(
            "4, D2", .accessToken,
            [
                .init(201, .json(Registration.tokenFields), .reading),
                .init(200, .json(Registration.olderTokenFields), .reading), .init(400, .error),
            ]),
        .row("14.3, C", .configuration, [.init(200, .json(Offer.fields))]),
        .row("5.2, S1", .createSession, [.init(200, .json(session(opened)))]),
        .row("5.2, S2", .resumeSession, [.init(200, .json(session(resumed)))]),
        .row("5.3, S3", .sessionByCode, [.init(200, .json(sessionRecord))]),
        // The first hop alone: 302, or a page that posts itself (§ 18).
        .row(
            "5.4, A", .authenticate,
            [.init(302, .location), .init(200, .page), .init(400, .errorOrPage)]),
        .row(
            "5.4, ACS", .assertion,
            [
                // The page tells nothing of how the consumer refuses.
                .init(302, .location), .init(303, .location), .init(503, .anything),
                .init(500, .anything), .init(400, .anything, .own),
            ], others: .reading),
        .row("6, P1", .profiles, [.init(200, .json(profiles))]),
        .row("6, P2", .profilesByMVPD, [.init(200, .json(profiles)), .init(403, .error)]),
        .row("6, P3", .profilesByCode, [.init(200, .json(profiles)), .init(403, .error)]),
        .row("7, Z1", .preauthorize, decided),
        .row("7, Z2", .authorize, decided),
        .row("9, L", .logout, [.init(200, .json(logouts)), .init(302, .location, .reading)]),
        .row("8.3, X1", .partnerRequest, [.init(200, .json(session(partnered)))]),
        .row(
            "8.3, X2", .ssoProfile,
            [.init(201, .json(profiles)), .init(200, .json(profiles))]),
    ]

    static let table = ConformanceTable(
        page: "rest-v2.md", rows: conformance, anywhere: anywhere,
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
        var conditions = Conditions(page: row.page, serviceProvider: serviceProvider)
        conditions.hold(tree, of: call)
        found += conditions.found
        return found
    }
}

extension OperationName {
    fileprivate var hasConditions: Bool {
        switch self {
        case .createSession, .resumeSession, .partnerRequest, .profiles, .profilesByMVPD,
            .profilesByCode, .ssoProfile, .preauthorize, .authorize, .logout:
            true
        default: false
        }
    }
}

/// What a table of fields cannot say: fields that belong together, and what an answer repeats of its
/// request. Each rule names its section of rest-v2.md.
private struct Conditions {
    let page: String
    let serviceProvider: String
    private(set) var found: [Deviation] = []

    init(page: String, serviceProvider: String) {
        self.page = page
        self.serviceProvider = serviceProvider
    }

    private mutating func note(
        _ rule: String, _ what: String, _ source: Deviation.Source = .documented
    ) {
        // A list of a thousand wrong items is one finding, a few times.
        guard found.count < 8 else { return }
        found.append(Deviation(rule: "rest-v2.md \(page): \(rule)", found: what, source: source))
    }

    /// Nothing is kept of the call: a copy of one costs more than most of these rules.
    mutating func hold(_ tree: JSONDocument.Value, of call: Call) {
        switch call.operation {
        case .createSession, .resumeSession, .partnerRequest: holdSession(tree, of: call)
        case .preauthorize, .authorize: holdDecisions(tree, of: call)
        case .logout: holdLogout(tree, of: call)
        default: holdProfiles(tree, of: call)
        }
    }

    // MARK: Sessions (§ 5.2)

    private mutating func holdSession(_ tree: JSONDocument.Value, of call: Call) {
        guard let action = tree["actionName"]?.text else { return }
        let hasCode = tree["code"].map { $0.kind != .null } ?? false
        let isOver = action == "authorize" || action == "partner_profile"
        if isOver, hasCode, call.operation != .resumeSession {
            // B42: S2's may have one.
            note("code is absent with \(Self.known(action))", "present")
        }
        if !isOver {
            if !hasCode { note("code is present with \(Self.known(action))", "missing") }
            for name in ["notBefore", "notAfter"] where tree[name] == nil {
                note("\(name) is present with code", "missing")
            }
        }
        switch action {
        case "authenticate": holdType(tree, "interactive")
        case "resume", "retry":
            // B7: X1's fallback is spelled in two ways.
            holdType(tree, "direct")
            if tree["missingParameters"] == nil, tree["missing"] == nil {
                note("missingParameters is present with \(action)", "missing", .reading)
            }
        case "authorize": holdType(tree, "direct")
        case "partner_profile":
            holdType(tree, "direct")
            if tree["authenticationRequest"] == nil {
                note("authenticationRequest is present with partner_profile", "missing")
            }
        default: break
        }
        holdEcho(of: tree["serviceProvider"], "serviceProvider", serviceProvider)
    }

    /// A word of a peer is told only if it is one of ours.
    private static func known(_ action: String) -> String {
        let words = ["authenticate", "resume", "retry", "authorize", "partner_profile"]
        return words.first { $0 == action } ?? "this action"
    }

    private mutating func holdType(_ tree: JSONDocument.Value, _ wanted: String) {
        guard let type = tree["actionType"]?.text, type != wanted else { return }
        note("actionType is \(wanted) with this action", "another")
    }

    private mutating func holdEcho(
        of value: JSONDocument.Value?, _ name: String, _ wanted: String
    ) {
        guard let value, value.kind == .string,
            value.withText({ $0.isEqual(to: wanted) }) == false, let told = value.text,
            told != wanted
        else { return }
        note("\(name) is the one asked for", "'\(told.prefix(60))' for '\(wanted.prefix(60))'")
    }

    // MARK: Profiles (§ 6)

    private mutating func holdProfiles(_ tree: JSONDocument.Value, of call: Call) {
        guard let map = tree["profiles"], map.kind == .object else { return }
        for item in map.items.prefix(8) {
            guard let type = item["type"]?.text, let kind = Profile.Kind(rawValue: type) else {
                continue
            }
            if !Self.mayShow(kind, call.operation) {
                note("type is one of those of the call", type, .reading)
            }
            if kind == .appleSSO, call.operation != .ssoProfile { holdPartnerGate(of: call) }
            if let issuer = item["issuer"]?.text {
                let wanted =
                    switch kind {
                    case .appleSSO: "Apple"
                    case .degraded, .temporary: "Adobe"
                    default: item.name
                    }
                // § 15, I20: a sample of the vendor's own has another; it is told, and fails nothing.
                if issuer != wanted {
                    note("issuer is that of the type", "'\(issuer.prefix(60))'", .reading)
                }
            }
        }
    }

    /// § 8.3, I30: a partner's profile is for who shows that the partner grants access. That it stays hidden
    /// from who shows no status at all is our reading.
    private mutating func holdPartnerGate(of call: Call) {
        let rule = "an appleSSO profile is shown only with a granted partner status"
        guard let status = call.headers["AP-Partner-Framework-Status"] else {
            return note(rule, "no status was sent", .reading)
        }
        let json = Base64.decode(status).flatMap { JSONReader.read($0) }
        let access = json?["frameworkPermissionInfo"]?["accessStatus"]?.text
        if access != "granted" { note(rule, "the status was not 'granted'") }
    }

    /// The table of § 6 (B10, B45).
    private static func mayShow(_ kind: Profile.Kind, _ operation: OperationName) -> Bool {
        switch operation {
        case .profiles: !kind.isGiven
        case .profilesByCode: kind == .regular || kind.isGiven
        case .ssoProfile: kind == .appleSSO || kind == .degraded
        default: true
        }
    }

    // MARK: Decisions (§ 7)

    private mutating func holdDecisions(_ tree: JSONDocument.Value, of call: Call) {
        guard let list = tree["decisions"], list.kind == .array else { return }
        let items = list.items
        for item in items where found.count < 8 {
            let isPermitted = item["authorized"]?.isTrue ?? false
            let hasToken = item["token"].map { $0.kind != .null } ?? false
            switch (call.operation, isPermitted, hasToken) {
            case (.preauthorize, _, true): note("decisions.token is absent", "present")
            case (.authorize, true, false):
                note("decisions.token is present with a permit", "missing")
            case (.authorize, false, true):
                note("decisions.token is absent with a denial", "present")
            default: break
            }
            if !isPermitted, item["error"] == nil {
                note("decisions.error is present with a denial", "missing")
            }
            holdEcho(of: item["serviceProvider"], "decisions.serviceProvider", serviceProvider)
            if let mvpd = call.mvpd { holdEcho(of: item["mvpd"], "decisions.mvpd", mvpd) }
        }
        guard call.operation == .authorize, let asked = call.resource else { return }
        let answered = items.compactMap { $0["resource"]?.text }
        if answered.contains(where: { Resource.isSame($0, as: asked) }) { return }
        if let other = answered.first {
            found.append(Resource.other(other, than: asked, "rest-v2.md \(page)"))
        } else {
            // B25, § 18: what no provider gates was seen to be left out, of Z1.
            note("decisions has one for the resource asked for", "none", .reading)
        }
    }

    // MARK: Logout (§ 9)

    private mutating func holdLogout(_ tree: JSONDocument.Value, of call: Call) {
        guard let map = tree["logouts"], map.kind == .object else { return }
        if let mvpd = call.mvpd, map[mvpd] == nil {
            note("logouts has the provider that was named", "no entry for it")
        }
        for item in map.items.prefix(8) {
            guard let action = item["actionName"]?.text else { continue }
            let wanted: String? =
                switch action {
                case "logout": "interactive"
                case "partner_logout": "partner_interactive"
                case "complete", "invalid": "none"
                default: nil
                }
            if let wanted { holdType(item, wanted) }
            let hasURL = item["url"].map { $0.kind != .null } ?? false
            if action == "logout", !hasURL { note("logouts.url is present with logout", "missing") }
            // B13.
            if action != "logout", wanted != nil, hasURL {
                note("logouts.url is absent without a browser's part", "present", .reading)
            }
        }
    }
}
