internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// What an AccessEnabler asks of service and platform (access-enabler-sdk.md § 11). A 429 is not
/// waited out here: it becomes the code that the page maps it to (§ 5), and the app decides.
extension Household {
    func perform(_ work: AccessEnabler.SDKWork) async throws(StopReason) -> [AccessEnabler
        .SDKEffect]
    {
        switch work {
        case .configure: try await configureForSDK()
        case .askPlatform(let isInteractive, let supported, let featured):
            try await askPlatformForSDK(
                isInteractive
                    ? .interactive(supported: supported, featured: featured) : .silent)
        case .exchange(let provider):
            try await finishExchange(with: provider)
        case .registerCode(let mvpd): sdk.on(try await registerForSDK(mvpd))
        case .pollToken: sdk.on(try await pollForSDK())
        case .fetchToken: sdk.on(try await fetchForSDK())
        case .startPass(let mvpd): sdk.on(try await startPassForSDK(mvpd))
        case .authorize(let resource): sdk.on(try await authorizeForSDK(resource))
        case .preauthorize(let resources): sdk.on(try await preauthorizeForSDK(resources))
        case .fetchUserMetadata: sdk.on(try await metadataForSDK())
        case .logOut: sdk.on(try await logOutForSDK())
        }
    }

    private func finishExchange(
        with provider: Provider
    ) async throws(StopReason) -> [AccessEnabler.SDKEffect] {
        let outcome = try await exchangeForSDK(provider)
        if case .exchangeFailed = outcome { sdkApp.hasLoginFailed = true }
        return sdk.on(outcome)
    }

    private func configureForSDK() async throws(StopReason) -> [AccessEnabler.SDKEffect] {
        let answered: Answered
        do throws(StopReason) {
            answered = try await once { dialect.configuration($0) }
        } catch .failed {
            // D1 or D2: § 5, R400 and R401.
            return sdk.on(.notConfigured(tv.client == nil ? .notRegistered : .noAccessToken))
        }
        switch answered.answer {
        case .configuration(let providers):
            accounts.learn(providers)
            sdk.now = lane.now
            return sdk.on(.configured(providers))
        case .slow: return sdk.on(.notConfigured(.configurationThrottled))
        case .denied where answered.exchange.delivery.status == 400:
            return sdk.on(.notConfigured(.badRequestor))
        case .denied: return sdk.on(.notConfigured(.configurationNotFound))
        default: return sdk.on(.notConfigured(.configurationFailed))
        }
    }

    /// The picker's callbacks come while it is open, in their order (§ 10, rule 2).
    private func askPlatformForSDK(
        _ request: MetadataRequest
    ) async throws(StopReason) -> [AccessEnabler.SDKEffect] {
        if request.isInterruptionAllowed {
            flipSettings(before: .beforeStep4)
            _ = try await mayAskPlatform()
        } else if sdk.purpose == .start {
            beginSignIn()
        }
        let access = accounts.access
        let result = try await answer(to: request)
        if result.hasShownPicker {
            if plan.kind.platform?.filter(on: plan.kind.device) != nil {
                notePicker("present", request)
            }
            tell(sdk.on(.pickerOpened))
            try await human(plan.viewer.noticesCode)
            if result.hasLoggedIn { try await human(plan.viewer.signsIn) }
            tell(sdk.on(.pickerClosed))
        }
        if request.isInterruptionAllowed { divertInSDK(result) }
        sdk.now = lane.now
        return sdk.on(
            .platform(access, result, hasAccount: accounts.account != nil, at: lane.now))
    }

    /// Where the platform itself brought nothing that the silent exchange could begin with.
    private func divertInSDK(_ result: MetadataResult) {
        switch PickerFinding(result, at: lane.now, providers: sdk.providers) {
        case .signedIn(let id):
            guard let provider = sdk.providers.provider(onPlatform: id),
                provider.platform?.isEnabled == true
            else { return divert(.noIntegration(id, offered: sdk.providers)) }
            if provider.platform?.boarding != .supported {
                divert(.boarding(provider.id, offered: sdk.providers))
            }
        case .preselected(let mvpd): divert(.boarding(mvpd, offered: sdk.providers))
        case .ownPicker: divert(.picker(result.error))
        }
    }

    /// Callbacks that the app only listens to.
    private func tell(_ effects: [AccessEnabler.SDKEffect]) {
        for case .callback(let callback) in effects { hear(callback) }
    }

    /// Steps 6 to 9 of apple-sso.md § 1, and N4 for the token.
    private func exchangeForSDK(_ provider: Provider) async throws(StopReason)
        -> AccessEnabler.SDKInput
    {
        guard case .token(let token) = try await profileRequest(of: provider) else {
            return .exchangeFailed
        }
        flipSettings(before: .beforeStep7)
        try await takePlatformAccount()
        defer { endLogin { $0.noteNothing(of: $1) } }
        let access = accounts.access
        let vouched = try await answer(to: .vouching(token), for: provider.id)
        guard let document = vouched.metadata?.attributeResponse else {
            divert(.notVouched(vouched.error))
            return .notVouched(access, vouched.error)
        }
        guard try await exchange(document, for: provider) else { return .exchangeFailed }
        endLogin { $0.noteSuccess(of: $1) }
        let fetched = try await fetchToken()
        guard case .signedIn = fetched.answer else {
            divert(.refused(fetched))
            return .exchangeFailed
        }
        return .exchanged(until: end(of: fetched))
    }

    /// When the token expires, by this device's own clock.
    func end(of fetched: Answered) -> Instant? {
        guard let started = terms.startedMicroseconds,
            let expires = fetched.exchange.observation.expires
        else { return nil }
        return Instant(nanoseconds: (expires * 1000 - started) * 1000)
    }

    private func registerForSDK(_ mvpd: String) async throws(StopReason) -> AccessEnabler.SDKInput {
        if !plan.viewer.givesUp { try await takeAccount() }
        let answered = try await once {
            dialect.issueCode($0, lifetime: terms.code.lifetime, mvpd: mvpd)
        }
        guard case .code(let issued) = answered.answer else { return .codeRefused }
        take(issued, from: answered)
        sdkApp.issued = issued
        guard plan.kind.firstScreen.hasWebView else { return .codeIssued }
        showCode(at: lane.now)
        reach(.codeTyped)
        return .codeIssued
    }

    /// tvOS: the code is on the screen, and polling starts at once.
    private func pollForSDK() async throws(StopReason) -> AccessEnabler.SDKInput {
        guard let issued = sdkApp.issued else { return .tokenMissing(.internalError) }
        let shown = show(issued)
        defer { codeOnScreen = nil }
        do throws(StopReason) {
            try await poll(
                PollOrder(
                    issued: issued, start: shown, firstAfter: terms.polling.firstAfter,
                    ends: shown + issued.lifetime,
                    whenOver: codeRanOut(issued)))
        } catch {
            if case .stopped = error { throw error }
            // The app is told first; the story ends then.
            sdkApp.halt = error
            return .tokenMissing(nil)
        }
        signedIn(by: .code)
        return .tokenFetched(until: tokenEnd)
    }

    /// iOS: the web view has come back.
    private func fetchForSDK() async throws(StopReason) -> AccessEnabler.SDKInput {
        expect(aViewer: false)
        let fetched = try await fetchToken()
        guard case .signedIn = fetched.answer, !serviceClock.isOver(fetched) else {
            endLogin { $0.noteNothing(of: $1) }
            return .tokenMissing(.tokenNotFound)
        }
        endLogin { $0.noteSuccess(of: $1) }
        signedInAtOnce(fetched, by: .webView)
        return .tokenFetched(until: end(of: fetched))
    }

    private func fetchToken() async throws(StopReason) -> Answered {
        let issued = sdkApp.issued ?? IssuedCode(code: Code(""), lifetime: .zero)
        return try await ask(tv) { dialect.poll(issued, .token, $0) }
    }

    private func startPassForSDK(_ mvpd: String) async throws(StopReason) -> AccessEnabler.SDKInput
    {
        let answered = try await once { dialect.freePreview(mvpd: mvpd, $0) }
        guard case .done = answered.answer else { return .passRefused }
        signedInAtOnce(answered, by: .pass)
        return .passStarted
    }

    /// Z3, then Z5.
    private func authorizeForSDK(_ resource: String) async throws(StopReason)
        -> AccessEnabler.SDKInput
    {
        let allowed = try await once { dialect.authorize(resource, $0) }
        guard case .done = allowed.answer else { return notAuthorized(allowed, resource) }
        let played = try await once { dialect.mediaToken(resource, $0) }
        guard case .media = played.answer else { return notAuthorized(played, resource) }
        return .authorized
    }

    private func notAuthorized(
        _ answered: Answered, _ resource: String
    ) -> AccessEnabler.SDKInput {
        switch answered.answer {
        case .denied(let words): return .notAuthorized(.notAuthorized, shown(words))
        case .notEntitled(let words):
            deny(resource, words)
            return .notAuthorized(.notAuthorized, shown(words))
        case .signedOut:
            sdkApp.authorization = .sessionLost(shown(StopReason.refusal(answered)))
            return .sessionLost
        case .slow:
            sdkApp.authorization = .throttled
            return .notAuthorized(.notAuthorized, "")
        default: return .notAuthorized(.authorizationNetwork, "")
        }
    }

    private func preauthorizeForSDK(
        _ resources: [String]
    ) async throws(StopReason) -> AccessEnabler.SDKInput {
        let answered = try await once {
            dialect.call(.preauthorize, about: Subject(resources: resources), $0)
        }
        guard case .decisions(let decisions) = answered.answer else { return .notDecided }
        // Services leave out the blanks around an id (observed.md).
        return .decided(
            resources.filter { (decisions[$0] ?? decisions[$0.trimmingSpaces()]) == true })
    }

    private func metadataForSDK() async throws(StopReason) -> AccessEnabler.SDKInput {
        let answered = try await once { dialect.call(.userMetadata, about: Subject(), $0) }
        guard case .metadata(let source) = answered.answer else { return .userMetadata(nil) }
        return .userMetadata(source)
    }

    private func logOutForSDK() async throws(StopReason) -> AccessEnabler.SDKInput {
        _ = try await askIfKnown(tv) { dialect.logout($0) }
        return .loggedOut
    }

    /// One request, whatever is answered; a stale token is renewed, and the request repeated once.
    private func once(
        _ make: (Credential) -> Call?
    ) async throws(StopReason) -> Answered {
        for isLast in [false, true] {
            guard let call = make(try await credential(of: tv)) else { throw .unknownStep }
            let answered = await lane.send(call, from: tv.device)
            switch answered.answer {
            case .slow:
                sdkApp.throttling = answered
                return answered
            case .staleToken where terms.usesBearer && !isLast: tv.token = nil
            case .staleClient where terms.usesBearer && !isLast: forget(tv)
            case .unanswered(let error, _) where error.kind == .stopped: throw .stopped
            default: return answered
            }
        }
        preconditionFailure("the second time is the last")
    }
}
