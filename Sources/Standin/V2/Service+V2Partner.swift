internal import Dialects
internal import Formats
internal import Journal
internal import Signing

/// Partner single sign-on: X1 and X2 (rest-v2.md § 8.3).
extension Service {
    private func checkPartner(_ question: V2Question) throws(V2Error) {
        guard question.route.name == "Apple" else {
            throw V2Error(.partner, "Unknown partner '\(question.route.name)'")
        }
    }

    /// X1: what the platform is to be asked, or a session for an ordinary sign-in.
    mutating func partnerRequest(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, _ asker: V2Asker,
        _ info: String?, at moment: Moment
    ) throws(V2Error) -> Reply {
        try checkPartner(question)
        var parameters = try sessionParameters(
            question, requestor, at: moment, namesProvider: false)
        let provider = namedProvider(asker.partner, requestor, at: moment)
        if let provider {
            parameters.mvpd = provider.id
            if let reason = partnerReadiness(asker, provider, at: moment) {
                return answer(
                    .init(
                        action: .authorize, reason: reason, requestor: requestor.id,
                        mvpd: provider.id, session: ids.record()), at: moment)
            }
        }
        let fallback: SessionAnswer.Reason?
        if parameters.domainName == nil || parameters.redirectURL == nil {
            fallback = .parametersFallback
        } else if asker.partner.mappingID == nil || provider == nil {
            fallback = .partnerFallback
        } else if let provider, Self.problem(provider, .profileRequest, at: moment.now) != nil {
            fallback = .configurationFallback
        } else {
            fallback = nil
        }
        if let fallback {
            let record = issueSession(question, asker, parameters, info, at: moment)
            let missing = parameters.missing
            return answer(
                .init(
                    action: missing.isEmpty ? .authenticate : .resume, reason: fallback,
                    requestor: requestor.id, mvpd: parameters.mvpd,
                    session: record.session?.id ?? "", record: record, missing: missing),
                at: moment)
        }
        return answer(ask(requestor, provider, at: moment), at: moment)
    }

    /// The verification token for the platform.
    private mutating func ask(
        _ requestor: ServiceSettings.Requestor, _ provider: ServiceSettings.Provider?,
        at moment: Moment
    ) -> SessionAnswer {
        let attributes = provider?.platform?.requiredMetadata ?? []
        let id = "_\(ids.shortSecret())"
        profileRequests.add(
            id,
            .init(
                requestor: requestor.id, mvpd: provider?.id ?? "",
                expires: moment.milliseconds + PlatformSAML.life, isOfSession: true))
        let text = PlatformSAML.request(
            id: id, requestor: requestor.id, attributes: attributes, at: moment.milliseconds,
            key: platformKey)
        return SessionAnswer(
            action: .partnerProfile, requestor: requestor.id, mvpd: provider?.id,
            session: ids.record(),
            partnerRequest: (text: Base64.encode(text.utf8), attributes: attributes))
    }

    /// X2: the platform's answer becomes a profile of its own, live at once.
    mutating func partnerProfile(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, _ asker: V2Asker,
        at moment: Moment
    ) throws(V2Error) -> Reply {
        try checkPartner(question)
        let provider = try partnerProvider(asker.partner, requestor, at: moment)
        if let view = degradedProfile(asker.device, mvpd: provider.id, at: moment) {
            return show([view], at: moment)
        }
        if let code = Self.problem(provider, .tokenExchange, at: moment.now) {
            throw V2Error(code, "Partner sign-on is not enabled for '\(provider.id)'")
        }
        guard let text = question.field("SAMLResponse"), let bytes = Base64.decode(text),
            let assertion = PlatformSAML.assertion(in: bytes, key: platformVerifier),
            let request = profileRequests.live(assertion.request, at: moment.milliseconds),
            request.requestor == requestor.id, request.isOfSession
        else { throw V2Error(.samlResponse, "Invalid 'SAMLResponse'") }
        // The provider of the response is the one that counts (B54).
        guard assertion.provider == provider.platform?.mappingID, request.mvpd == provider.id else {
            throw V2Error(
                .partnerProviderMismatch, "The response is of another provider than the status")
        }
        profileRequests.spend(assertion.request)
        let ttl = (provider.authenticationTTL ?? settings.authenticationTTL).wholeMilliseconds
        let key = asker.device.with(mvpd: provider.id, isPartner: true)
        _ = tokens.signIn(
            key, mvpd: provider.id, user: userID(of: assertion.subject, at: provider.id),
            code: nil, at: moment.milliseconds, ttl: ttl, origin: .platform)
        counters.signIns += 1
        let view = tokens[key].map { ProfileView(kind: .appleSSO, key: key, signIn: $0) }
        return show(view.map { [$0] } ?? [], status: 201, at: moment)
    }

    // MARK: What the status names

    /// The provider that a status names, as far as it may be known without its being good.
    private func namedProvider(
        _ status: PartnerStatus, _ requestor: ServiceSettings.Requestor, at moment: Moment
    ) -> ServiceSettings.Provider? {
        let id: String
        switch status {
        case .granted(let named), .expired(let named): id = named
        default: return nil
        }
        guard let provider = partnerProvider(id), isIntegrated(provider, requestor, at: moment)
        else { return nil }
        return provider
    }

    /// X2's checks of the status (B28: the codes win).
    private func partnerProvider(
        _ status: PartnerStatus, _ requestor: ServiceSettings.Requestor, at moment: Moment
    ) throws(V2Error) -> ServiceSettings.Provider {
        let problem: V2Code
        switch status {
        case .missing: problem = .permissionAbsent
        case .notDetermined: problem = .permissionUndetermined
        case .notGranted: problem = .permissionNotGranted
        case .noProvider: problem = .partnerProviderUndetermined
        case .expired: problem = .partnerProviderExpired
        case .granted:
            if let provider = namedProvider(status, requestor, at: moment) { return provider }
            problem = .partnerProviderUndetermined
        }
        throw V2Error(problem, "Invalid AP-Partner-Framework-Status")
    }

    /// X1's first two rows.
    private mutating func partnerReadiness(
        _ asker: V2Asker, _ provider: ServiceSettings.Provider, at moment: Moment
    ) -> SessionAnswer.Reason? {
        if rule(.authNAll, asker.device.requestor, provider.id, at: moment) != nil {
            return .degraded
        }
        switch anyProfile(asker, mvpd: provider.id, at: moment)?.kind {
        case nil: return nil
        case .regular?: return .authenticated
        default: return .authenticatedSSO
        }
    }

    /// Why a provider cannot be signed in with by the platform; nil when it can.
    private static func problem(
        _ provider: ServiceSettings.Provider,
        _ step: ServiceSettings.Provider.Platform.Refusal, at now: Instant
    ) -> V2Code? {
        guard let platform = provider.platform, platform.isEnabled(at: now) else {
            return .platformProvider
        }
        if platform.boarding != .supported { return .platformBoarding }
        return platform.refuses == step ? .platformExchange : nil
    }
}
