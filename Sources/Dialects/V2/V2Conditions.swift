internal import Formats
internal import Vocabulary

/// What a table of fields cannot say: fields that belong together, and what an answer repeats of its
/// request. Each rule names its request as docs/coverage.md does.
struct V2Conditions {
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
        found.append(Deviation(rule: "REST V2, \(page): \(rule)", found: what, source: source))
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
        // X1 names no provider (§ 8.3).
        if call.operation != .partnerRequest, let mvpd = call.mvpd {
            holdEcho(of: tree["mvpd"], "mvpd", mvpd, .reading)
        }
        holdAddress(tree)
    }

    /// Every sample's `url` has the code of its own answer in its path (§ 5.2).
    private mutating func holdAddress(_ tree: JSONDocument.Value) {
        guard let code = tree["code"]?.text, let url = tree["url"]?.text,
            url.contains("/authenticate/") || url.contains("/sessions/")
        else { return }
        let path = url.prefix { $0 != "?" }
        if path.lowercased().hasSuffix("/" + code.lowercased()) { return }
        note("url leads to the code of the answer", "'\(path.suffix(60))'", .reading)
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
        of value: JSONDocument.Value?, _ name: String, _ wanted: String,
        _ source: Deviation.Source = .documented
    ) {
        guard found.count < 8,
            let other = Echo.deviation(
                of: value, name, asked: wanted, "REST V2, \(page)", source)
        else { return }
        found.append(other)
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
        if access != "granted" { return note(rule, "the status was not 'granted'") }
        // Who has signed out in the settings shows no provider. That it hides the profile follows from X1, and no page says so.
        let provider = json?["frameworkProviderInfo"]?["id"]?.text
        if provider?.isEmpty ?? true { note(rule, "the status named no provider", .reading) }
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
            holdTimes(ofDecision: item)
            if !isPermitted, item["error"] == nil {
                note("decisions.error is present with a denial", "missing")
            }
            holdEcho(of: item["serviceProvider"], "decisions.serviceProvider", serviceProvider)
            if let mvpd = call.mvpd { holdEcho(of: item["mvpd"], "decisions.mvpd", mvpd) }
        }
        let answered = items.compactMap { $0["resource"]?.text }
        if call.operation == .preauthorize { holdResources(answered, of: call) }
        guard call.operation == .authorize, let asked = call.resource else { return }
        if answered.contains(where: { Resource.isSame($0, as: asked) }) { return }
        if let other = answered.first {
            found.append(
                Echo.deviation("resource", told: other, asked: asked, "REST V2, \(page)"))
        } else {
            // B25, § 18: what no provider gates was seen to be left out, of Z1.
            note("decisions has one for the resource asked for", "none", .reading)
        }
    }

    /// Of Z1, which may leave some out (B25, § 18).
    private mutating func holdResources(_ answered: [String], of call: Call) {
        guard case .array(let list)? = JSONReader.read(call.body)?["resources"] else { return }
        let asked = list.compactMap(\.text)
        let other = answered.first { name in !asked.contains { Resource.isSame(name, as: $0) } }
        guard let other else { return }
        note("each resource is one of those asked for", "'\(other.prefix(60))'")
    }

    /// A decision is valid from its notBefore to its notAfter. That a permit is still valid when its media token begins, which is made
    /// with the answer, is our reading.
    private mutating func holdTimes(ofDecision item: JSONDocument.Value) {
        guard let end = item["notAfter"]?.epoch else { return }
        if let start = item["notBefore"]?.epoch, end < start {
            note("a decision ends after it begins", "notAfter before notBefore")
        } else if let issued = item["token"]?["notBefore"]?.epoch, end < issued {
            note(
                "a permit is valid when its token begins", "notAfter before token.notBefore",
                .reading)
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

extension OperationName {
    var hasConditions: Bool {
        switch self {
        case .createSession, .resumeSession, .partnerRequest, .profiles, .profilesByMVPD,
            .profilesByCode, .ssoProfile, .preauthorize, .authorize, .logout:
            true
        default: false
        }
    }
}
