internal import Dialects
internal import Formats
internal import Signing

/// May it be played: Z1 to Z4, and what the provider tells of its user, U1 (rest-v1.md §§ 11, 12).
extension Service {
    /// Z1.
    mutating func preauthorize(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let resources = try resources(question)
        return try decide(resources, try signIn(device, question, at: moment), question, at: moment)
    }

    /// Z2, on the token that the code led to.
    mutating func preauthorizeCode(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let bound = try boundSignIn(question, at: moment)
        let resources = try resources(question)
        guard let bound else { throw .notAuthenticated(.none, at: .preauthorizeCode) }
        return try decide(resources, bound.1, question, at: moment)
    }

    private func resources(_ question: V1Question) throws(ClassicError) -> [String] {
        let resources = try question.required("resource").split(separator: ",")
            .map { $0.trimmingSpaces() }.filter { !$0.isEmpty }
        guard !resources.isEmpty else { throw .missing("resource") }
        guard resources.allSatisfy(ResourceVerdict.isWellFormed) else { throw .malformedResource }
        return resources
    }

    /// The live sign-in of a device, or the error that the endpoint has for there being none.
    private func signIn(
        _ device: DeviceKey, _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> SignIn {
        let finding = tokens.find(device, at: moment.milliseconds)
        guard case .live(let signIn) = finding else {
            throw .notAuthenticated(finding, at: question.route.endpoint)
        }
        return signIn
    }

    private mutating func decide(
        _ resources: [String], _ signIn: SignIn, _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        guard resources.count <= settings.preauthorizeLimit else { throw .tooManyResources }
        let isEnhanced = wantsEnhanced(question)
        var items: [Document] = []
        for resource in resources {
            let verdict = verdict(on: resource, signIn)
            var members: [(String, Document)] = [
                ("id", .text(resource)), ("authorized", .flag(verdict.code == nil)),
            ]
            // Item-level: within 200, with a status of its own (§ 4).
            if isEnhanced, let code = verdict.preauthorizationCode {
                let error = EnhancedError.document(
                    code, status: 403, message: "Not authorized", details: verdict.details,
                    trace: ids.response())
                members.append(("error", error))
            }
            items.append(.object(members))
        }
        let document = Document.object([("resources", .list(items, item: "resource"))])
        // In XML the list is the root itself.
        var answer: Reply
        switch question.format {
        case .json: answer = reply(200, document, root: "", question, at: moment)
        case .xml:
            answer = reply(
                200, .list(items, item: "resource"), root: "resources", question, at: moment)
        }
        answer.headers.append("Adobe-Response-Confidence", "full")
        return answer
    }

    private func verdict(on resource: String, _ signIn: SignIn) -> ResourceVerdict {
        settings.entitles(signIn.user)
            ? ResourceVerdict(resource, mvpd: signIn.mvpd) : .notEntitled(mvpd: signIn.mvpd)
    }

    /// Z3.
    mutating func authorize(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let resource = try question.required("resource")
        _ = try GenericData.scope(question["generic_data"])
        guard ResourceVerdict.isWellFormed(resource) else { throw .malformedResource }
        let signIn = try signIn(device, question, at: moment)
        if let mvpd = question["mvpd"], mvpd != signIn.mvpd {
            throw ClassicError(
                400, "The session is one of '\(signIn.mvpd)'", code: .issuerMismatch)
        }
        guard !signIn.isInvalidated else {
            throw ClassicError(
                403, "User not authorized", details: "\(signIn.mvpd) has ended the session.",
                code: .deniedBySessionInvalidated)
        }
        let verdict = verdict(on: resource, signIn)
        if let code = verdict.code {
            throw ClassicError(403, "User not authorized", details: verdict.details, code: code)
        }
        let life = settings.provider(signIn.mvpd)?.authorizationTTL ?? settings.authorizationTTL
        var ttl = life.wholeMilliseconds
        if let end = passEnd(of: signIn, at: moment) {
            guard moment.milliseconds < end else {
                throw ClassicError(
                    403, "User not authorized", details: "The free preview is used up.",
                    code: .authorizationDenied)
            }
            ttl = min(ttl, end - moment.milliseconds)
        }
        let expires = tokens.authorize(device, resource, at: moment.milliseconds, ttl: ttl)
        return authorization(device, signIn, resource, expires, question, at: moment)
    }

    /// Z4.
    mutating func authorizationToken(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let resource = try question.required("resource")
        let signIn = try signIn(device, question, at: moment)
        guard let expires = signIn.authorizations[resource] else { throw .noAuthorization }
        guard moment.milliseconds < expires else { throw .authorizationGone }
        return authorization(device, signIn, resource, expires, question, at: moment)
    }

    private mutating func authorization(
        _ device: DeviceKey, _ signIn: SignIn, _ resource: String, _ expires: Int64,
        _ question: V1Question, at moment: Moment
    ) -> Reply {
        var members: [(String, Document)] = [
            ("mvpd", .text(signIn.mvpd)), ("resource", .text(resource)),
            ("requestor", .text(device.requestor)), ("expires", .text(String(expires))),
        ]
        if let proxy = settings.provider(signIn.mvpd)?.proxy {
            members.append(("proxyMvpd", .text(proxy)))
        }
        return reply(200, .object(members), root: "authorization", question, at: moment)
    }

    /// U1.
    mutating func userMetadata(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let signIn = try signIn(device, question, at: moment)
        let provider = settings.provider(signIn.mvpd)
        guard provider?.offersMetadata ?? true else { throw .notFound }
        let encrypts = provider?.encryptsZip ?? false
        let rating = Document.object([("MPAA", .text("PG-13")), ("VCHIP", .text("TV-Y"))])
        var data: [(String, Document)] = [
            ("userID", .text(signIn.user)), ("householdID", .text("h-\(signIn.user)")),
            ("zip", encrypts ? .text(Self.encryptedZip) : .list([.text("12345")], item: nil)),
            ("maxRating", rating),
            ("channelID", .list([.text("c1"), .text("c2")], item: nil)),
        ]
        // Only for tokens of platform sign-on (§ 12; apple-sso.md § 7).
        if signIn.origin == .platform { data.append(("tokenSource", .text("Apple"))) }
        let document = Document.object([
            ("updated", .number(signIn.updated / 1000)),
            ("encrypted", .list(encrypts ? [.text("zip")] : [], item: nil)),
            ("data", .object(data)),
        ])
        return reply(200, document, root: "metadata", question, at: moment)
    }

    /// Stands for RSA under the programmer's key, which the stand-in does not have: 256 bytes.
    private static let encryptedZip = Base64.encode(
        (0..<8).flatMap { SHA256.digest("zip 12345, part \($0)") })
}
