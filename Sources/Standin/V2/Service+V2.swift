internal import Dialects
internal import Formats
internal import Journal

/// Who asks, as far as the call says so: what the look-ups of profiles go by (rest-v2.md § 7).
struct V2Asker {
    /// Channel, device and client; no provider.
    var device: DeviceKey
    /// Whom a good identity token of the call names.
    var identity: Identity?
    var partner = PartnerStatus.missing
    /// `AP-TempPass-Identity` as it came.
    var trialIdentity: String?
}

/// REST V2 over the stores: rest-v2.md, with the readings of its §§ 19 and 20.
extension Service {
    mutating func answerV2(_ question: V2Question, at moment: Moment) -> Reply {
        let reply = screened(question, at: moment)
        counters.count(question.operation, status: reply.status)
        return reply
    }

    /// § 3.3, rows 1 and 2.
    private mutating func screened(_ question: V2Question, at moment: Moment) -> Reply {
        let endpoint = question.route.endpoint
        guard endpoint.allows(question.request.method) else {
            var reply =
                endpoint == .authenticate
                ? page(405, Pages.lost, at: moment) : refused(.methodNotAllowed, at: moment)
            reply.headers.append("Allow", endpoint.allowed)
            return reply
        }
        if throttle != nil, question.isThrottled,
            throttle?.admits(question.request.throttleIdentity, at: moment.now) != true
        {
            counters.throttled += 1
            var reply = tooManyRequests(at: moment)
            Self.allowPages(&reply)
            return reply
        }
        do throws(V2Error) {
            return try admitted(question, at: moment)
        } catch {
            return refused(error, at: moment)
        }
    }

    private mutating func admitted(
        _ question: V2Question, at moment: Moment
    ) throws(V2Error) -> Reply {
        let endpoint = question.route.endpoint
        switch endpoint {
        case .unknown: throw .notFound
        case .authenticate: return authenticateV2(question, at: moment)
        default: break
        }
        try checkContentType(question)
        let client = try application(question, at: moment)
        if endpoint == .resetPass || endpoint == .resetGenericPass {
            return try resetPasses(question, at: moment)
        }
        guard let requestor = settings.requestor(question.route.requestor) else {
            throw V2Error(
                .serviceProvider, "Unknown service provider '\(question.route.requestor)'")
        }
        guard endpoint.needsDevice else {
            return try dispatch(question, requestor, at: moment)
        }
        guard let device = question.deviceIdentifier else {
            throw V2Error(
                .deviceIdentifier, "AP-Device-Identifier must be 'fingerprint' and Base64")
        }
        let info = try deviceInfo(question)
        var asker = V2Asker(
            device: DeviceKey(requestor: requestor.id, device: device, client: client))
        if endpoint.readsIdentity { asker.identity = try identity(question, at: moment) }
        if endpoint.readsPartner {
            asker.partner = PartnerStatus(
                question.header("AP-Partner-Framework-Status"), at: moment.milliseconds)
        }
        asker.trialIdentity = question.header("AP-TempPass-Identity")
        return switch endpoint {
        case .sessions: try createSession(question, requestor, asker, info, at: moment)
        case .profiles: profiles(asker, at: moment)
        case .profilesByMVPD: try profilesByMVPD(question, requestor, asker, at: moment)
        case .preauthorize: try preauthorizeV2(question, requestor, asker, at: moment)
        case .authorize: try authorizeV2(question, requestor, asker, at: moment)
        case .logout: try logoutV2(question, requestor, asker, at: moment)
        case .partnerRequest: try partnerRequest(question, requestor, asker, info, at: moment)
        case .partnerProfile: try partnerProfile(question, requestor, asker, at: moment)
        default: throw .notFound
        }
    }

    /// What asks for no device: the configuration, and what is known by its code.
    private mutating func dispatch(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, at moment: Moment
    ) throws(V2Error) -> Reply {
        switch question.route.endpoint {
        case .configuration:
            _ = try deviceInfo(question, isOptional: true)
            return configurationV2(requestor, at: moment)
        case .session where question.request.method == .post:
            return try resumeSession(question, requestor, at: moment)
        case .session: return try showSession(question, requestor, at: moment)
        case .profilesByCode: return try profilesByCode(question, requestor, at: moment)
        default: throw .notFound
        }
    }

    // MARK: Who asks

    /// Wrong or missing: 400 before anything else (B50).
    private func checkContentType(_ question: V2Question) throws(V2Error) {
        let wanted: String
        switch question.route.endpoint {
        case .preauthorize, .authorize: wanted = "application/json"
        case .sessions, .partnerRequest, .partnerProfile:
            wanted = "application/x-www-form-urlencoded"
        case .session where question.request.method == .post:
            wanted = "application/x-www-form-urlencoded"
        default: return
        }
        let type = question.header("Content-Type") ?? ""
        if type.equalsIgnoringCase(wanted) { return }
        let plain = Substring(type.utf8.prefix { $0 != UInt8(ascii: ";") }).trimmingSpaces()
        guard plain.equalsIgnoringCase(wanted) else {
            throw V2Error(.contentType, "Content-Type must be \(wanted)")
        }
    }

    /// § 3.3, rows 3 and 4: the client that the bearer was granted to.
    private mutating func application(
        _ question: V2Question, at moment: Moment
    ) throws(V2Error) -> String {
        let isReset = !question.isThrottled
        guard let bearer = question.request.bearer else {
            // Without bearers everybody is one client.
            guard settings.auth != .none else { return "-" }
            throw .tokenRefused
        }
        // The management host knows clients of either protocol (§ 11).
        if isReset, clients.software(of: bearer, at: moment.milliseconds) != nil { return "-" }
        guard let client = clients.client(of: bearer, for: .v2, at: moment.milliseconds),
            !statements.isRevoked(client.software.id)
        else {
            guard settings.auth != .none else { return "-" }
            throw .tokenRefused
        }
        if let own = client.software.requestors, !own.contains(question.route.requestor) {
            throw V2Error(
                .tokenServiceProvider,
                "The access token does not cover '\(question.route.requestor)'")
        }
        return client.id
    }

    /// § 3.3, row 7: nil where none was sent, and it may be left out. Base64, not percent-encoded; what
    /// must be in it only strict fidelity asks (B9).
    private mutating func deviceInfo(
        _ question: V2Question, isOptional: Bool = false
    ) throws(V2Error) -> String? {
        let isStrict = settings.fidelity == .strict
        guard let text = question.header("X-Device-Info"), !text.isEmpty else {
            guard isOptional || !isStrict else {
                throw V2Error(.deviceInfo, "X-Device-Info is required")
            }
            return nil
        }
        let bytes = text.utf8Span.span
        if bytes.first(UInt8(ascii: "%")) == bytes.count {
            if let normalised = deviceInfos.normalised(text) { return normalised }
            if !isStrict, let plain = Base64.decode(text), case .object? = JSONValue(plain) {
                return nil
            }
        }
        throw V2Error(.deviceInfo, "X-Device-Info must be the Base64 of a JSON object")
    }

    /// A token that is not good counts as none; two at once are an error (B48).
    private mutating func identity(
        _ question: V2Question, at moment: Moment
    ) throws(V2Error) -> Identity? {
        let subject = question.header("Adobe-Subject-Token")
        let roku = question.header("X-Roku-Reserved-Roku-Connect-Token")
        let service = question.header("AD-Service-Token")
        let (requestor, time) = (question.route.requestor, moment.milliseconds)
        switch (subject ?? roku, service) {
        case (nil, nil): return nil
        case (nil, let token?):
            return identities.service(token, requestor: requestor, at: time)
        case (_?, nil):
            guard subject == nil || roku == nil else { break }
            if let roku { return Identities.roku(roku, requestor: requestor) }
            return subject.flatMap { identities.platform($0, requestor: requestor, at: time) }
        default: break
        }
        throw V2Error(.twoIdentities, "A call may name one identity only")
    }

    /// § 3.3, row 9.
    func provider(
        _ id: String, of requestor: ServiceSettings.Requestor, at moment: Moment
    ) throws(V2Error) -> ServiceSettings.Provider {
        guard let provider = settings.provider(id) else {
            throw V2Error(.mvpd, "Unknown provider '\(id)'")
        }
        guard isIntegrated(provider, requestor, at: moment) else {
            throw V2Error(
                .integration, "The integration of '\(id)' does not exist or is disabled")
        }
        return provider
    }

    func isIntegrated(
        _ provider: ServiceSettings.Provider, _ requestor: ServiceSettings.Requestor,
        at moment: Moment
    ) -> Bool {
        (requestor.providers?.contains(provider.id) ?? true)
            && provider.isIntegrated(at: moment.now)
    }

    // MARK: Replies

    private static let contentType = "application/json;charset=UTF-8"

    mutating func answer(
        _ status: Int = 200, at moment: Moment, _ content: (inout DocumentWriter) -> Void
    ) -> Reply {
        Reply(
            status: status, headers: headers(Self.contentType, at: moment),
            body: DocumentWriter.json(content))
    }

    mutating func refused(_ error: V2Error, at moment: Moment) -> Reply {
        let trace = ids.response()
        return answer(error.status, at: moment) { error.write(trace: trace, to: &$0) }
    }
}
