internal import Dialects
internal import Signing

/// May it be played: Z1 to Z5, and what the provider tells of its user, U1 (rest-v1.md §§ 11, 12).
extension Service {
    /// The stand-in's policy: everything but ids that begin with `deny-`.
    private static func permits(_ resource: String) -> Bool {
        guard resource.hasPrefix("<") else { return !resource.hasPrefix("deny-") }
        return !resource.contains(">deny-")  // an MRSS fragment
    }

    /// Z1.
    mutating func preauthorize(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let resources = try resources(question)
        guard case .live = tokens.find(device, at: moment.milliseconds) else {
            throw .notAuthenticated
        }
        return try decide(resources, question, at: moment)
    }

    /// Z2, on the token that the code led to.
    mutating func preauthorizeCode(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let signIn = try boundSignIn(question, at: moment)
        let resources = try resources(question)
        guard signIn != nil else { throw .notAuthenticated }
        return try decide(resources, question, at: moment)
    }

    private func resources(_ question: V1Question) throws(ClassicError) -> [String] {
        let resources = try question.required("resource").split(separator: ",")
            .map { $0.trimmingSpaces() }.filter { !$0.isEmpty }
        guard !resources.isEmpty else { throw .missing("resource") }
        return resources
    }

    private mutating func decide(
        _ resources: [String], _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        guard resources.count <= settings.preauthorizeLimit else { throw .tooManyResources }
        let items = resources.map { resource in
            Document.object([
                ("id", .text(resource)), ("authorized", .flag(Self.permits(resource))),
            ])
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

    /// Z3.
    mutating func authorize(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let resource = try question.required("resource")
        guard case .live(let signIn) = tokens.find(device, at: moment.milliseconds) else {
            throw .notAuthenticatedForbidden
        }
        guard Self.permits(resource) else {
            throw ClassicError(
                403, "User not authorized",
                details: "Your package of \(signIn.mvpd) does not include this channel.")
        }
        let expires = tokens.authorize(
            device, resource, at: moment.milliseconds,
            ttl: settings.authorizationTTL.wholeMilliseconds)
        return authorization(device, signIn, resource, expires, question, at: moment)
    }

    /// Z4.
    mutating func authorizationToken(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let resource = try question.required("resource")
        guard case .live(let signIn) = tokens.find(device, at: moment.milliseconds) else {
            throw .notAuthenticatedNull
        }
        guard let expires = signIn.authorizations[resource] else { throw .noAuthorization }
        guard moment.milliseconds < expires else { throw .authorizationGone }
        return authorization(device, signIn, resource, expires, question, at: moment)
    }

    private mutating func authorization(
        _ device: DeviceKey, _ signIn: SignIn, _ resource: String, _ expires: Int64,
        _ question: V1Question, at moment: Moment
    ) -> Reply {
        let document = Document.object([
            ("mvpd", .text(signIn.mvpd)), ("resource", .text(resource)),
            ("requestor", .text(device.requestor)), ("expires", .text(String(expires))),
        ])
        return reply(200, document, root: "authorization", question, at: moment)
    }

    /// Z5: a new one each time; one use (checked by whoever verifies it).
    mutating func mediaToken(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let resource = try question.required("resource")
        guard case .live(let signIn) = tokens.find(device, at: moment.milliseconds) else {
            throw .notAuthenticatedForbidden
        }
        guard let authorized = signIn.authorizations[resource], moment.milliseconds < authorized
        else { throw .notAuthorized }
        let ttl = settings.mediaTTL.wholeMilliseconds
        let token = media.token(
            session: ids.record(), device: device, signIn: signIn, resource: resource,
            issued: moment.milliseconds, ttl: ttl)
        counters.mediaTokens += 1
        // `mvpdId` here, not `mvpd` (§ 11).
        let document = Document.object([
            ("resource", .text(resource)), ("requestor", .text(device.requestor)),
            ("expires", .text(String(moment.milliseconds + ttl))),
            ("serializedToken", .text(token)), ("userId", .text(signIn.user)),
            ("mvpdId", .text(signIn.mvpd)),
        ])
        return reply(200, document, root: "play", question, at: moment)
    }

    /// U1.
    mutating func userMetadata(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        guard case .live(let signIn) = tokens.find(device, at: moment.milliseconds) else {
            throw .notAuthenticated
        }
        let provider = settings.providers.first { $0.id == signIn.mvpd }
        guard provider?.offersMetadata ?? true else { throw .notFound }
        let rating = Document.object([("MPAA", .text("PG-13")), ("VCHIP", .text("TV-Y"))])
        let data = Document.object([
            ("userID", .text(signIn.user)), ("householdID", .text("h-\(signIn.user)")),
            ("zip", .list([.text("12345")], item: nil)), ("maxRating", rating),
            ("channelID", .list([.text("c1"), .text("c2")], item: nil)),
        ])
        let document = Document.object([
            ("updated", .number(signIn.started / 1000)), ("encrypted", .list([], item: nil)),
            ("data", data),
        ])
        return reply(200, document, root: "metadata", question, at: moment)
    }
}

/// Makes media tokens (rest-v1.md § 11).
struct MediaSigner: Sendable {
    private let key: RSAKey?
    /// Not a secret: it only makes tokens differ where they are not signed.
    private static let filler = Array("screenrig demo media token".utf8)

    init(signs: Bool) {
        key = signs ? DemoKeys.media() : nil
    }

    /// Base64 of signature and short authorization token.
    func token(
        session: String, device: DeviceKey, signIn: SignIn, resource: String, issued: Int64,
        ttl: Int64
    ) -> String {
        let token = Document.object([
            ("sessionGUID", .text(session)), ("requestorID", .text(device.requestor)),
            ("resourceID", .text(resource)), ("ttl", .number(ttl)),
            ("issueTime", .text(Calendar.isoDate(issued))), ("mvpdId", .text(signIn.mvpd)),
            ("proxyMvpdId", .text("")),
        ])
        let short = token.xmlElement("shortAuthorizationToken")
        // An RSA key that was read signs any bytes; were it not so, nobody could verify the token,
        // and that is what the filler says too.
        let signature =
            key.flatMap { try? $0.sign(short) }
            ?? SHA256.authenticate(short, key: Self.filler)
        let whole =
            Array("<signatureInfo>\(Base64.encode(signature))</signatureInfo>".utf8) + short
        return Base64.encode(whole)
    }
}
