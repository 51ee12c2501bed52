internal import Formats
internal import Vocabulary

/// What V2 answers mean. Classified by body before status.
extension V2 {
    public func read(_ reply: Reply, to call: Call) -> Reading {
        if Self.isNoProfile(reply, to: call) {
            return Reading(.pending, .pending, Observation(.absent))
        }
        let document = ReplyDocument(reply)
        // § 13: an HTML page of the front server; it carries no information. Any other may come from a
        // gateway.
        if reply.status == 429 { return Reading(.throttled, .slow(reply.throttlePause)) }
        if let unreadable = document.unreadable { return unreadable }
        var reading =
            switch call.operation {
            case .authenticate, .mvpdLogin, .assertion, .mvpdLogout:
                browser.read(document, to: call, startsLogin: startsLogin(call))
            default: readService(document, to: call)
            }
        if reading.outcome != .blocked, reading.operation == nil {
            reading.take(deviations(of: document, to: call))
        }
        return reading.heeding(reply)
    }

    /// The commonest answer of all, the "not yet" of a poll in its documented spelling, and its kind: known
    /// to be right without being read.
    private static func isNoProfile(_ reply: Reply, to call: Call) -> Bool {
        guard reply.body.count == noProfile.count, reply.status == 200 else { return false }
        switch call.operation {
        case .profiles, .profilesByMVPD, .profilesByCode:
            return reply.body == noProfile && reply.knownMediaType == .json
        default: return false
        }
    }

    private static let noProfile = Array(#"{"profiles":{}}"#.utf8)

    /// A, and none of the redirects after it.
    func startsLogin(_ call: Call) -> Bool {
        call.operation == .authenticate && call.address.hasPath(with: "/api/v2/authenticate/")
    }

    private func readService(_ document: ReplyDocument, to call: Call) -> Reading {
        let reply = document.reply
        if document.isPage {
            let reason: Untrusted = "HTML where the service answers JSON"
            return Reading(.blocked, reply.isServerFailure ? .fault : .blocked, reason: reason)
        }
        switch reply.status {
        case 200..<300: return readSuccess(document, to: call)
        // § 9: one edition of the page lists it.
        case 300..<400 where call.operation == .logout: return readLogoutRedirect(reply, to: call)
        default: return readRefusal(ServiceError(document), to: call)
        }
    }

    private func readSuccess(_ document: ReplyDocument, to call: Call) -> Reading {
        guard let tree = document.read(), !document.isXML else {
            return .unread(document, "no JSON", "REST V2: the body is JSON")
        }
        switch call.operation {
        case .registerClient: return Registration.client(tree, "REST V2, D1")
        case .accessToken: return Registration.accessToken(tree, "REST V2, D2")
        case .configuration: return Offer.read(tree, "REST V2, C")
        case .createSession, .resumeSession, .partnerRequest: return readSession(tree)
        case .sessionByCode: return readSessionRecord(tree)
        case .profiles, .profilesByMVPD, .profilesByCode, .ssoProfile:
            return readProfiles(tree, to: call)
        case .preauthorize: return readPreauthorization(tree, to: call)
        case .authorize: return readAuthorization(tree, to: call)
        case .logout: return readLogout(tree, to: call)
        default: return Reading(.ok, .done, Observation(.success))
        }
    }

    // MARK: Sessions (§ 5)

    /// S1, S2 and X1 share an answer (§ 5.2).
    private func readSession(_ tree: JSONDocument.Value) -> Reading {
        guard let action = tree["actionName"]?.text else {
            return .incomplete("REST V2: actionName is a string")
        }
        let reason = tree["reasonType"]?.text
        let record = reason.map { "\(action) \($0)" } ?? action
        switch action {
        // No code, nothing to show and nothing to poll.
        case "authorize":
            return Reading(.ok, .signedIn(nil), Observation(.success, record: record))
        // X1: for the platform, unchanged.
        case "partner_profile":
            let asked = tree["authenticationRequest"]
            guard let request = asked?["request"]?.text, !request.isEmpty else {
                return .incomplete("REST V2, X1: authenticationRequest.request is a string")
            }
            let attributes = asked?["attributesNames"]?.items.compactMap(\.text) ?? []
            return Reading(
                .ok, .profileRequest(Array(request.utf8), attributes: attributes),
                Observation(.success, record: record, secret: Secret(request)))
        default: return readCode(tree, lacksProvider: action != "authenticate", record)
        }
    }

    private func readCode(
        _ tree: JSONDocument.Value, lacksProvider: Bool, _ record: String
    ) -> Reading {
        guard let text = tree["code"]?.text, Code.canBeShown(text) else {
            return .incomplete("REST V2: code is 1 to 32 letters, digits or hyphens")
        }
        guard let start = tree["notBefore"]?.epoch, let end = tree["notAfter"]?.epoch else {
            return tree.impossibleInstant(of: Self.times, "REST V2")
                ?? .incomplete("REST V2: notBefore and notAfter are epoch milliseconds")
        }
        guard let life = Times.life(from: start, to: end) else {
            return .impossible("REST V2: notAfter is 1 ms to 10 years after notBefore")
        }
        let code = Code(text)
        let issued = IssuedCode(
            code: code, lifetime: life, recordID: tree["sessionId"]?.text,
            lacksProvider: lacksProvider)
        return Reading(
            .ok, .code(issued),
            Observation(.success, code: code, generated: start, expires: end, record: record))
    }

    /// S3. Some samples have other names for the lists (B4).
    private func readSessionRecord(_ tree: JSONDocument.Value) -> Reading {
        guard let known = tree["existingParameters"] ?? tree["existing"], known.kind == .object
        else {
            return .incomplete("REST V2, S3: existingParameters is an object")
        }
        if let impossible = tree.impossibleInstant(of: Self.times, "REST V2, S3") {
            return impossible
        }
        let mvpd = known["mvpd"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        let observation = Observation(
            .success, generated: tree["notBefore"]?.epoch, expires: tree["notAfter"]?.epoch)
        return Reading(.ok, .record(mvpd: mvpd), observation)
    }

    // MARK: Profiles (§ 6)

    /// P1, P2, P3 and X2. None: nobody is signed in (yet).
    private func readProfiles(_ tree: JSONDocument.Value, to call: Call) -> Reading {
        guard let map = tree["profiles"], map.kind == .object else {
            return .incomplete("REST V2: profiles is an object")
        }
        var profiles: [Profile] = []
        for item in map.items.prefix(Self.mostProfiles) {
            guard let start = item["notBefore"]?.epoch, let end = item["notAfter"]?.epoch else {
                return item.impossibleInstant(of: Self.times, "REST V2")
                    ?? .incomplete("REST V2: notBefore and notAfter are epoch milliseconds")
            }
            guard let userID = item["attributes"]?["userID"] else {
                return .incomplete("REST V2: userID is among the attributes")
            }
            // An attribute may carry an error in the place of its value: somebody's profile, all the same.
            let user = userID["value"]?.text
            if user == nil, userID["error"] == nil {
                return .incomplete("REST V2: userID has a value")
            }
            profiles.append(
                Profile(
                    mvpd: item.name, user: user,
                    kind: item["type"]?.text.flatMap(Profile.Kind.init(rawValue:)),
                    issuer: item["issuer"]?.text ?? "", notBefore: start, notAfter: end))
        }
        // The one that was asked for comes first, else one whose user is named.
        let place =
            profiles.firstIndex { $0.mvpd == call.mvpd } ?? profiles.firstIndex { $0.user != nil }
        if let place { profiles.swapAt(0, place) }
        guard let first = profiles.first else {
            return Reading(.pending, .pending, Observation(.absent))
        }
        let tag = first.user.map { Tag(mvpd: first.mvpd, user: $0) }
        return Reading(
            .ok, .signedIn(tag),
            Observation(
                .success, tag: tag, generated: first.notBefore, expires: first.notAfter,
                profiles: profiles))
    }

    /// From when to when something counts: as sessions, profiles and tokens have it.
    static let times = ["notBefore", "notAfter"]

    /// Nobody has so many providers; what comes after them is not looked at.
    private static let mostProfiles = 100

    // MARK: Logout (§ 9)

    private func readLogout(_ tree: JSONDocument.Value, to call: Call) -> Reading {
        guard let map = tree["logouts"], map.kind == .object else {
            return .incomplete("REST V2, L: logouts is an object")
        }
        let entry = call.mvpd.flatMap { map[$0] } ?? map.items.first
        let action = entry?["actionName"]?.text
        let observation = Observation(.success, record: action)
        switch action {
        case "logout":
            guard let url = entry?["url"]?.text, let address = call.address.resolving(url) else {
                return Reading(.ok, .loggedOut(.nothing), observation)
            }
            return Reading(.ok, .loggedOut(.browser(address)), observation)
        case Observation.partnerLogout: return Reading(.ok, .loggedOut(.platform), observation)
        default: return Reading(.ok, .loggedOut(.nothing), observation)
        }
    }

    private func readLogoutRedirect(_ reply: Reply, to call: Call) -> Reading {
        guard let location = reply.headers["Location"],
            let address = call.address.resolving(location)
        else {
            return Reading(
                .malformed, .fault, reason: "redirect without a usable Location",
                missing: "REST V2, L: Location is present")
        }
        return Reading(
            .ok, .loggedOut(.browser(address)), Observation(.success))
    }
}
