internal import Dialects
internal import Formats
internal import Journal
internal import Signing

/// Platform single sign-on: S1 and S2 (rest-v1.md § 13).
extension Service {
    /// `deviceType` is mandatory here, with exactly these values (A24).
    private func platformDevice(_ question: V1Question) throws(ClassicError) {
        let type = try question.required("deviceType")
        guard type == "iOS" || type == "tvOS" else {
            throw ClassicError(400, "Invalid 'deviceType': it must be iOS or tvOS")
        }
    }

    /// A provider that is set up for platform single sign-on.
    private func platformProvider(
        _ id: String, of requestor: ServiceSettings.Requestor,
        for step: ServiceSettings.Provider.Platform.Refusal, at now: Instant
    ) throws(ClassicError) -> ServiceSettings.Provider.Platform {
        guard let provider = settings.provider(id, of: requestor), provider.isIntegrated(at: now)
        else { throw .unknownIntegration(id) }
        guard let platform = provider.platform, platform.boarding == .supported,
            platform.isEnabled(at: now), platform.refuses != step
        else {
            throw ClassicError(
                400, "Platform sign-on is not enabled for '\(id)'", code: .unknownIntegration)
        }
        return platform
    }

    /// S1: bytes for the platform, whatever format was asked for (§ 3.3).
    mutating func profileRequest(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let requestor = try requestor(question.route.name)
        let platform = try platformProvider(
            question.route.code, of: requestor, for: .profileRequest, at: moment.now)
        try platformDevice(question)
        let id = "_\(ids.shortSecret())"
        profileRequests.add(
            id,
            .init(
                requestor: requestor.id, mvpd: question.route.code,
                expires: moment.milliseconds + PlatformSAML.life))
        let text = PlatformSAML.request(
            id: id, requestor: requestor.id, attributes: platform.requiredMetadata,
            at: moment.milliseconds, key: platformKey)
        return Reply(
            status: 200, headers: headers("application/octet-stream", at: moment),
            body: Array(text.utf8))
    }

    /// S2: the platform's answer becomes a token, live at once.
    mutating func exchangeToken(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let device = try device(question)
        let mvpd = try question.required("mvpd")
        let requestor = try requestor(device.requestor)
        let platform = try platformProvider(
            mvpd, of: requestor, for: .tokenExchange, at: moment.now)
        try platformDevice(question)
        let text = try question.required("SAMLResponse")
        // Spaces are a '+' that was not percent-encoded, a '%' is one encoded twice (apple-sso.md
        // § 4, server side): neither is Base64.
        guard let bytes = Base64.decode(text),
            let assertion = PlatformSAML.assertion(in: bytes, key: platformVerifier),
            let request = profileRequests.live(assertion.request, at: moment.milliseconds),
            request.requestor == device.requestor, request.mvpd == mvpd, !request.isOfSession,
            assertion.provider == platform.mappingID
        else { throw ClassicError(400, "Invalid 'SAMLResponse'") }
        if settings.policies.secondSignIn == .reject,
            case .live = tokens.find(device, at: moment.milliseconds)
        {
            throw ClassicError(400, "Somebody is signed in on this device")
        }
        let ttl = settings.provider(mvpd)?.authenticationTTL ?? settings.authenticationTTL
        _ = tokens.signIn(
            device, mvpd: mvpd, user: userID(of: assertion.subject, at: mvpd), code: nil,
            at: moment.milliseconds,
            ttl: ttl.wholeMilliseconds, origin: .platform)
        counters.signIns += 1
        return empty(204, at: moment)
    }
}
