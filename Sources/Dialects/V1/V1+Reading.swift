internal import Formats

/// What V1 answers mean. Classified by body before status, XML and JSON alike.
extension V1 {
    public func read(_ reply: Reply, to call: Call) -> Reading {
        let document = ReplyDocument(reply)
        // § 14: the documented 429 is an HTML page of the front server; it carries no information. Any other
        // may come from a gateway.
        if reply.status == 429 { return Reading(.throttled, .slow(reply.throttlePause)) }
        if let unreadable = document.unreadable { return unreadable }
        var reading =
            switch call.operation {
            case .authenticate, .mvpdLogin, .assertion, .mvpdLogout: readHop(document, to: call)
            case .logout where (300..<400).contains(reply.status): readLogoutHop(document, to: call)
            default: readService(document, to: call)
            }
        if reading.outcome != .blocked {
            if reading.operation == nil { reading.take(deviations(of: document, to: call)) }
            // § 11: Z3, Z4 and Z5 answer for the resource that was asked for.
            if let asked = call.resource, let answered = reading.observation.resource,
                !Resource.isSame(answered, as: asked)
            {
                let page = Self.row(of: call)?.page ?? "Z3"
                reading.deviations.append(
                    Echo.deviation("resource", told: answered, asked: asked, "REST V1, \(page)"))
            }
        }
        return reading.heeding(reply)
    }

    /// L2 removes what L1 would (§ 13); its further hops are between the browser and the provider.
    private func readLogoutHop(_ document: ReplyDocument, to call: Call) -> Reading {
        var reading = readHop(document, to: call)
        if reading.outcome == .ok, call.address.hasPath(endingWith: "/api/v1/logout") {
            reading.observation = Observation(.success)
        }
        return reading
    }

    private func readHop(_ document: ReplyDocument, to call: Call) -> Reading {
        browser.read(document, to: call, startsLogin: Self.startsLogin(call))
    }

    /// N1, and none of the redirects after it.
    static func startsLogin(_ call: Call) -> Bool {
        call.operation == .authenticate
            && call.address.hasPath(endingWith: "/api/v1/authenticate")
    }

    private func readService(_ document: ReplyDocument, to call: Call) -> Reading {
        let reply = document.reply
        if document.isPage {
            let reason: Untrusted =
                "HTML where the service answers JSON or XML"
            return Reading(.blocked, reply.isServerFailure ? .fault : .blocked, reason: reason)
        }
        switch reply.status {
        case 200..<300: return readSuccess(document, to: call)
        case _ where reply.isServerFailure:
            return Reading(.serverError, .fault, reason: document.errorWord)
        case 401:
            let reason = document.errorWord
            return Reading(.rejected, .staleToken, Observation(.denied), reason: reason)
        default: return readRefusal(document, to: call)
        }
    }

    private func readSuccess(_ document: ReplyDocument, to call: Call) -> Reading {
        let reply = document.reply
        switch call.operation {
        case .checkAuthentication, .checkCode: return readCheck(reply)
        case .pollToken where Self.isCheck(call):
            return readCheck(reply)
        case .logout, .deleteRegistration, .freePreview, .tokenExchange:
            return Reading(.ok, .done, Observation(.success))
        case .profileRequest: return readProfileRequest(reply)
        default: break
        }
        guard let tree = document.read() else {
            return .unread(
                document, "neither JSON nor XML", "REST V1: the body is JSON or XML")
        }
        switch call.operation {
        case .registerClient: return Registration.client(tree, "REST V1, D1")
        case .accessToken: return Registration.accessToken(tree, "REST V1, D2")
        case .configuration: return Offer.read(tree, "REST V1, C1")
        case .registrationCode: return readCode(tree)
        case .registrationRecord: return readRecord(tree)
        case .pollToken: return readToken(tree)
        case .preauthorize, .preauthorizeCode: return readDecisions(tree)
        case .authorize, .authorizationToken: return readAuthorization(tree)
        case .mediaToken: return readMedia(tree)
        case .userMetadata: return readMetadata(tree)
        default: return Reading(.ok, .done, Observation(.success))
        }
    }

    /// 200 is the sign-in (N2, N3): a status that the page does not have tells nothing of one.
    private func readCheck(_ reply: Reply) -> Reading {
        reply.status == 200
            ? Reading(.ok, .signedIn(nil), Observation(.success))
            : Reading(
                .malformed, .pending, reason: "status \(reply.status), where 200 or 403 tells")
    }

    // MARK: Documents

    private func readCode(_ tree: JSONDocument.Value) -> Reading {
        guard let text = tree["code"]?.text, Code.canBeShown(text) else {
            return .incomplete("REST V1, R1: code is 1 to 32 letters, digits or hyphens")
        }
        if let impossible = tree.impossibleInstant(
            of: ["generated", "expires"], "REST V1, R1")
        {
            return impossible
        }
        guard let generated = tree["generated"]?.epoch, let expires = tree["expires"]?.epoch else {
            return .incomplete("REST V1, R1: generated and expires are epoch milliseconds")
        }
        guard let life = Times.life(from: generated, to: expires) else {
            return .impossible("REST V1, R1: expires is 1 ms to 10 years after generated")
        }
        let code = Code(text)
        let issued = IssuedCode(
            code: code, lifetime: life, recordID: tree["id"]?.text)
        let observation = Observation(
            .success, code: code, generated: generated, expires: expires, record: issued.recordID)
        return Reading(.ok, .code(issued), observation)
    }

    private func readRecord(_ tree: JSONDocument.Value) -> Reading {
        guard let text = tree["code"]?.text else {
            return .incomplete("REST V1, R2: the record carries its code")
        }
        if let impossible = tree.impossibleInstant(
            of: ["generated", "expires"], "REST V1, R2")
        {
            return impossible
        }
        let mvpd = tree["mvpd"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        let observation = Observation(
            .success, code: Code(text), generated: tree["generated"]?.epoch,
            expires: tree["expires"]?.epoch, record: tree["id"]?.text)
        return Reading(.ok, .record(mvpd: mvpd), observation)
    }

    private func readToken(_ tree: JSONDocument.Value) -> Reading {
        if let impossible = tree.impossibleInstant(of: ["expires"], "REST V1, N4") {
            return impossible
        }
        guard let mvpd = tree["mvpd"]?.text, let user = tree["userId"]?.text,
            let expires = tree["expires"]?.epoch
        else {
            return .incomplete("REST V1, N4: mvpd, userId and expires are present")
        }
        let tag = Tag(mvpd: mvpd, user: user)
        return Reading(.ok, .signedIn(tag), Observation(.success, tag: tag, expires: expires))
    }

    private func readDecisions(_ tree: JSONDocument.Value) -> Reading {
        guard let list = tree["resources"] else {
            // In XML the root itself is `resources`.
            return .decisions(tree.items("resource"))
        }
        return .decisions(list.items("resource"))
    }

    private func readAuthorization(_ tree: JSONDocument.Value) -> Reading {
        if let impossible = tree.impossibleInstant(of: ["expires"], "REST V1, Z3") {
            return impossible
        }
        guard let resource = tree["resource"]?.text, let expires = tree["expires"]?.epoch else {
            return .incomplete("REST V1, Z3: resource and expires are present")
        }
        return Reading(.ok, .done, Observation(.success, resource: resource, expires: expires))
    }

    private func readMedia(_ tree: JSONDocument.Value) -> Reading {
        if let impossible = tree.impossibleInstant(of: ["expires"], "REST V1, Z5") {
            return impossible
        }
        guard let token = tree["serializedToken"]?.text, let expires = tree["expires"]?.epoch
        else {
            return .incomplete("REST V1, Z5: serializedToken and expires are present")
        }
        let tag = tree["mvpdId"]?.text.flatMap { mvpd in
            tree["userId"]?.text.map { Tag(mvpd: mvpd, user: $0) }
        }
        let observation = Observation(
            .success, tag: tag, resource: tree["resource"]?.text, expires: expires,
            secret: Secret(token))
        return Reading(.ok, .media(Secret(token)), observation)
    }

    /// S1: bytes that are nobody's to read but the platform's.
    private func readProfileRequest(_ reply: Reply) -> Reading {
        guard !reply.body.isEmpty else {
            return .incomplete("REST V1, S1: the body is not empty")
        }
        return Reading(
            .ok, .profileRequest(reply.body),
            Observation(.success, secret: Secret(reply.text)))
    }

    /// U1: `tokenSource` says who made the token; absent for all but the platform. Its `userID` and
    /// `householdID` are whose token it is (§ 12); the provider may be missing.
    private func readMetadata(_ tree: JSONDocument.Value) -> Reading {
        let data = tree["data"] ?? tree
        let tag = data["userID"]?.text.map { Tag(mvpd: data["mvpd"]?.text ?? "", user: $0) }
        return Reading(
            .ok, .metadata(tokenSource: data["tokenSource"]?.text),
            Observation(.success, tag: tag, record: data["householdID"]?.text))
    }
}

extension Reading {
    fileprivate static func decisions(_ items: [JSONDocument.Value]) -> Reading {
        var decisions: [String: Bool] = [:]
        for item in items {
            guard let id = item["id"]?.text else {
                return .incomplete("REST V1, Z1: every resource has an id")
            }
            decisions[id] = item["authorized"]?.isTrue ?? false
        }
        return Reading(.ok, .decisions(decisions), Observation(.success))
    }
}
