internal import Formats

/// What V1 answers mean. Classified by body before status, XML and JSON alike.
extension V1 {
    public func read(_ reply: Reply, to call: Call) -> Reading {
        let document = ReplyDocument(reply)
        // § 14: the documented 429 is an HTML page of the front server; it carries no information.
        if reply.status == 429 {
            return Reading(
                .throttled, .slow(.seconds(1)), deviations: deviations(of: document, to: call))
        }
        var reading =
            switch call.operation {
            case .authenticate, .mvpdLogin, .assertion: readBrowserHop(document, to: call)
            case .logout where (300..<400).contains(reply.status): readLogoutHop(document, to: call)
            default: readService(document, to: call)
            }
        if reading.outcome != .blocked {
            // The table says the same as the codec, and more exactly; but it knows no ranges.
            let deviations = deviations(of: document, to: call)
            if !deviations.isEmpty {
                let isImpossible = reading.reason == "\(ours: Self.impossibleTime)"
                let impossible = isImpossible ? reading.deviations : []
                reading.deviations =
                    deviations
                    + impossible.filter { own in
                        !deviations.contains { $0.subject == own.subject }
                    }
            }
            if let other = otherResource(reading.observation.resource, to: call) {
                reading.deviations.append(other)
            }
        }
        return reading
    }

    /// L2 removes what L1 would (§ 13); its further hops are between the browser and the provider.
    private func readLogoutHop(_ document: ReplyDocument, to call: Call) -> Reading {
        var reading = readBrowserHop(document, to: call)
        if reading.outcome == .ok, call.address.hasPath(endingWith: "/api/v1/logout") {
            reading.observation = Observation(.success)
        }
        return reading
    }

    /// A hop, unless something in front of it answered; the page of one that leads no further is
    /// kept beside.
    private func readBrowserHop(_ document: ReplyDocument, to call: Call) -> Reading {
        let reply = document.reply
        var reading: Reading
        if let wall = Wall.kind(of: reply) {
            reading = Reading(.blocked, .blocked, reason: "\(ours: wall)")
        } else {
            reading = readHop(document, to: call)
            guard reply.status >= 400 else { return reading }
        }
        if document.isPage { reading.page = Untrusted(reply.text) }
        return reading
    }

    /// A page where a browser is meant to see pages.
    private func readHop(_ document: ReplyDocument, to call: Call) -> Reading {
        let reply = document.reply
        switch reply.status {
        case 300..<400:
            guard let location = reply.headers["Location"],
                let address = call.address.resolving(location)
            else {
                // What a provider's pages lack is no breach of the service's.
                let reason = "redirect without a usable Location"
                return call.operation == .mvpdLogin
                    ? Reading(.malformed, .fault, reason: "\(ours: reason)")
                    : Reading(.malformed, .fault, reason: reason, missing: "8: Location is present")
            }
            return Reading(.ok, .redirect(address), Observation(told(by: address, to: call)))
        case 200..<300: return Reading(.ok, .page(Untrusted(reply.text)), Observation(.none))
        case 500...: return Reading(.serverError, .fault, reason: reason(of: document))
        default:
            let reason = reason(of: document)
            return Reading(.rejected, .denied(reason), Observation(.denied), reason: reason)
        }
    }

    /// What a redirect tells: N1's that the code lives (§ 6.3). The assertion consumer's took effect
    /// inside its interval or not at all; with `error=` it says that it did not, and
    /// promises nothing (§ 8).
    private func told(by address: WebAddress, to call: Call) -> Observation.Result {
        switch call.operation {
        case .authenticate where call.address.hasPath(endingWith: "/api/v1/authenticate"):
            .success
        case .assertion
        where isReturn(address)
            && address.query.split(separator: "&").contains { $0.hasPrefix("error=") }:
            .denied
        default: .none
        }
    }

    private func readService(_ document: ReplyDocument, to call: Call) -> Reading {
        let reply = document.reply
        if document.isPage {
            let reason: Untrusted =
                "HTML where the service answers JSON or XML (status \(reply.status))"
            return Reading(.blocked, reply.status >= 500 ? .fault : .blocked, reason: reason)
        }
        switch reply.status {
        case 200..<300: return readSuccess(document, to: call)
        case 500...: return Reading(.serverError, .fault, reason: reason(of: document))
        case 401:
            let reason = reason(of: document)
            return Reading(.rejected, .staleToken, Observation(.denied), reason: reason)
        default: return readRefusal(document, to: call)
        }
    }

    private func readSuccess(_ document: ReplyDocument, to call: Call) -> Reading {
        let reply = document.reply
        switch call.operation {
        case .checkAuthentication, .checkCode: return readCheck(reply)
        case .pollToken where call.address.hasPath(endingWith: "/checkauthn"):
            return readCheck(reply)
        case .logout, .deleteRegistration, .freePreview, .tokenExchange:
            return Reading(.ok, .done, Observation(.success))
        case .profileRequest: return readProfileRequest(reply)
        default: break
        }
        guard let tree = document.read() else {
            let reason =
                document.limit.map { "a body with \($0)" } ?? "a body that is neither JSON nor XML"
            return Reading(
                .malformed, .fault, reason: reason, missing: "3.3: the body is JSON or XML")
        }
        switch call.operation {
        case .registerClient: return readClient(tree)
        case .accessToken: return readAccessToken(tree)
        case .configuration: return readConfiguration(tree)
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

    private func readClient(_ tree: JSONDocument.Value) -> Reading {
        guard let id = tree["client_id"]?.text, let secret = tree["client_secret"]?.text else {
            return .incomplete("5, D1: client_id and client_secret are strings")
        }
        let client = ClientCredentials(id: id, secret: Secret(secret))
        return Reading(.ok, .client(client), Observation(.success, record: id))
    }

    private func readAccessToken(_ tree: JSONDocument.Value) -> Reading {
        guard let bearer = tree["access_token"]?.text, !bearer.isEmpty else {
            return .incomplete("5, D2: access_token is a string")
        }
        // A1: obey expires_in; without one, the documented 21600 s.
        var lifetime = Duration.seconds(21600)
        if let told = tree["expires_in"], told.kind != .null {
            guard let duration = told.seconds else {
                return .impossible("5, D2: expires_in is a number of seconds from 0 to 10 years")
            }
            lifetime = duration
        }
        let token = AccessToken(bearer: Secret(bearer), lifetime: lifetime)
        return Reading(.ok, .accessToken(token), Observation(.success, secret: Secret(bearer)))
    }

    private func readConfiguration(_ tree: JSONDocument.Value) -> Reading {
        guard let requestor = tree["requestor"], let list = requestor["mvpds"] else {
            return .incomplete("7, C1: requestor.mvpds is a list")
        }
        let providers = list.items("mvpd").compactMap { item -> Provider? in
            guard let id = item["id"]?.text else { return nil }
            return Provider(
                id: id, displayName: item["displayName"]?.text ?? id,
                isTempPass: item["isTempPass"]?.isTrue ?? false, platform: platformTerms(item))
        }
        return Reading(.ok, .configuration(providers), Observation(.success))
    }

    /// "The five platform properties are present only for MVPDs set up for platform SSO" (§ 7).
    private func platformTerms(_ item: JSONDocument.Value) -> Provider.PlatformTerms? {
        guard let enabled = item["enablePlatformServices"] else { return nil }
        return Provider.PlatformTerms(
            isEnabled: enabled.isTrue,
            boarding: item["boardingStatus"]?.text.flatMap(
                Provider.PlatformTerms.Boarding.init(rawValue:)),
            isListed: item["displayInPlatformPicker"]?.isTrue ?? false,
            mappingID: item["platformMappingId"]?.text ?? "",
            requiredMetadata: metadataFields(item))
    }

    /// A list in JSON, a repeated element in XML.
    private func metadataFields(_ item: JSONDocument.Value) -> [String] {
        guard let fields = item["requiredMetadataFields"] else { return [] }
        if fields.kind == .array { return fields.items.compactMap(\.text) }
        return item.items("requiredMetadataFields").compactMap(\.text)
    }

    private func readCode(_ tree: JSONDocument.Value) -> Reading {
        guard let text = tree["code"]?.text, (6...7).contains(text.count) else {
            return .incomplete("6.1, R1: code is 6 or 7 characters")
        }
        if let impossible = tree.impossibleInstant(of: ["generated", "expires"], "6.1, R1") {
            return impossible
        }
        guard let generated = tree["generated"]?.epoch, let expires = tree["expires"]?.epoch else {
            return .incomplete("6.1, R1: generated and expires are epoch milliseconds")
        }
        guard (1...Self.longestLife).contains(expires - generated) else {
            return .impossible("6.1, R1: expires is 1 ms to 10 years after generated")
        }
        let code = Code(text)
        let issued = IssuedCode(
            code: code, lifetime: .milliseconds(expires - generated), recordID: tree["id"]?.text)
        let observation = Observation(
            .success, code: code, generated: generated, expires: expires, record: issued.recordID)
        return Reading(.ok, .code(issued), observation)
    }

    private func readRecord(_ tree: JSONDocument.Value) -> Reading {
        guard let text = tree["code"]?.text else {
            return .incomplete("6.2, R2: the record carries its code")
        }
        if let impossible = tree.impossibleInstant(of: ["generated", "expires"], "6.2, R2") {
            return impossible
        }
        let mvpd = tree["mvpd"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        let observation = Observation(
            .success, code: Code(text), generated: tree["generated"]?.epoch,
            expires: tree["expires"]?.epoch, record: tree["id"]?.text)
        return Reading(.ok, .record(mvpd: mvpd), observation)
    }

    private func readToken(_ tree: JSONDocument.Value) -> Reading {
        if let impossible = tree.impossibleInstant(of: ["expires"], "10, N4") { return impossible }
        guard let mvpd = tree["mvpd"]?.text, let user = tree["userId"]?.text,
            let expires = tree["expires"]?.epoch
        else {
            return .incomplete("10, N4: mvpd, userId and expires are present")
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
        if let impossible = tree.impossibleInstant(of: ["expires"], "11, Z3") { return impossible }
        guard let resource = tree["resource"]?.text, let expires = tree["expires"]?.epoch else {
            return .incomplete("11, Z3: resource and expires are present")
        }
        return Reading(.ok, .done, Observation(.success, resource: resource, expires: expires))
    }

    /// § 11: Z3, Z4 and Z5 answer for the resource that was asked for. Services trim ids, and write
    /// MRSS anew (observed.md), which is no other resource.
    private func otherResource(_ answered: String?, to call: Call) -> Deviation? {
        guard let asked = call.resource, let answered,
            asked != answered, !asked.utf8.contains(UInt8(ascii: "<")),
            asked.trimmingSpaces().lowercased() != answered.trimmingSpaces().lowercased()
        else { return nil }
        let page = Self.row(of: call)?.page ?? "11"
        return Deviation(
            rule: "rest-v1.md \(page): resource is the one asked for",
            found: "'\(answered.prefix(60))' for '\(asked.prefix(60))'")
    }

    private func readMedia(_ tree: JSONDocument.Value) -> Reading {
        if let impossible = tree.impossibleInstant(of: ["expires"], "11, Z5") { return impossible }
        guard let token = tree["serializedToken"]?.text, let expires = tree["expires"]?.epoch
        else {
            return .incomplete("11, Z5: serializedToken and expires are present")
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
        guard !reply.body.isEmpty else { return .incomplete("13, S1: the body is not empty") }
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
    fileprivate init(_ outcome: Outcome, _ answer: Answer, reason: String, missing rule: String) {
        self.init(
            outcome, answer, deviations: [Deviation(rule: "rest-v1.md \(rule)", found: reason)],
            reason: "\(ours: reason)")
    }

    /// A success whose body lacks what the page promises.
    fileprivate static func incomplete(_ rule: String) -> Reading {
        Reading(.malformed, .fault, reason: "a body without its fields", missing: rule)
    }

    /// A number that is no time of a service that works, where the page has a time.
    static func impossible(_ rule: String) -> Reading {
        Reading(.malformed, .fault, reason: V1.impossibleTime, missing: rule)
    }

    fileprivate static func decisions(_ items: [JSONDocument.Value]) -> Reading {
        var decisions: [String: Bool] = [:]
        for item in items {
            guard let id = item["id"]?.text else {
                return .incomplete("11, Z1: every resource has an id")
            }
            decisions[id] = item["authorized"]?.isTrue ?? false
        }
        return Reading(.ok, .decisions(decisions), Observation(.success))
    }
}
