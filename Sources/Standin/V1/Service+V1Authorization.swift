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

    private func resources(_ question: V1Question) throws(ClassicError) -> [ResourceText] {
        let resources = ResourceText.list(try question.required("resource"))
        guard !resources.isEmpty else { throw .missing("resource") }
        guard resources.allSatisfy(\.isWellFormed) else { throw .malformedResource }
        return resources
    }

    /// The one resource of Z3, Z4 and Z5.
    func resource(_ question: V1Question) throws(ClassicError) -> ResourceText {
        let resource = ResourceText(try question.required("resource"))
        guard !resource.key.isEmpty else { throw .missing("resource") }
        guard resource.isWellFormed else { throw .malformedResource }
        return resource
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
        _ resources: [ResourceText], _ signIn: SignIn, _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        guard resources.count <= settings.preauthorizeLimit else { throw .tooManyResources }
        let isEnhanced = wantsEnhanced(question)
        // Item-level: within 200, with a status and a trace of its own (§ 4).
        let items = resources.map { resource in
            let verdict = verdict(on: resource, signIn)
            let code = isEnhanced ? verdict.preauthorizationCode : nil
            return Decision(
                resource: resource.sent, verdict: verdict,
                error: code.map { (code: $0, trace: ids.response()) })
        }
        var answer = reply(200, root: "resources", question, at: moment) {
            // In XML the list is the root itself.
            switch $0.spelling {
            case .json: $0.list("resources", of: items, as: "resource") { $1.write(to: &$0) }
            case .xml: $0.objects(items, as: "resource") { $1.write(to: &$0) }
            }
        }
        answer.headers.append("Adobe-Response-Confidence", "full")
        return answer
    }

    private func verdict(on resource: ResourceText, _ signIn: SignIn) -> ResourceVerdict {
        settings.entitles(signIn.user)
            ? ResourceVerdict(resource, mvpd: signIn.mvpd) : .notEntitled(mvpd: signIn.mvpd)
    }

    /// Z3.
    mutating func authorize(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let resource = try resource(question)
        _ = try GenericData.scope(question["generic_data"])
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
        let expires = tokens.authorize(
            device, resource.key, at: moment.milliseconds, ttl: ttl)
        return authorization(device, signIn, resource, expires, question, at: moment)
    }

    /// Z4.
    mutating func authorizationToken(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let resource = try resource(question)
        let signIn = try signIn(device, question, at: moment)
        guard let expires = signIn.authorizations[resource.key] else { throw .noAuthorization }
        guard moment.milliseconds < expires else { throw .authorizationGone }
        return authorization(device, signIn, resource, expires, question, at: moment)
    }

    private mutating func authorization(
        _ device: DeviceKey, _ signIn: SignIn, _ resource: ResourceText, _ expires: Int64,
        _ question: V1Question, at moment: Moment
    ) -> Reply {
        let proxy = settings.provider(signIn.mvpd)?.proxy
        return reply(200, root: "authorization", question, at: moment) {
            $0.text("mvpd", signIn.mvpd)
            $0.text("resource", resource.sent)
            $0.text("requestor", device.requestor)
            $0.text("expires", String(expires))
            if let proxy { $0.text("proxyMvpd", proxy) }
        }
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
        return reply(200, root: "metadata", question, at: moment) { document in
            document.number("updated", signIn.updated / 1000)
            document.texts("encrypted", encrypts ? ["zip"] : [])
            document.object("data") { data in
                data.text("userID", signIn.user)
                data.text("householdID", "h-" + signIn.user)
                if encrypts {
                    data.text("zip", Self.encryptedZip)
                } else {
                    data.texts("zip", ["12345"])
                }
                data.object("maxRating") {
                    $0.text("MPAA", "PG-13")
                    $0.text("VCHIP", "TV-Y")
                }
                data.texts("channelID", ["c1", "c2"])
                // Only for tokens of platform sign-on (§ 12; apple-sso.md § 7).
                if signIn.origin == .platform { data.text("tokenSource", "Apple") }
            }
        }
    }

    /// Stands for RSA under the programmer's key, which the stand-in does not have: 256 bytes.
    static let encryptedZip = Base64.encode(
        (0..<8).flatMap { SHA256.digest("zip 12345, part \($0)") })
}

/// What is to be said of one resource.
private struct Decision {
    let resource: String
    let verdict: ResourceVerdict
    let error: (code: EnhancedCode, trace: String)?

    func write(to document: inout DocumentWriter) {
        document.text("id", resource)
        document.flag("authorized", verdict.code == nil)
        guard let error else { return }
        document.object("error") {
            EnhancedError.write(
                error.code, status: 403, message: "Not authorized", details: verdict.details,
                trace: error.trace, to: &$0)
        }
    }
}
