internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// What became of the platform's sign-on.
enum SignOnOutcome {
    /// The service has a token of this device: step 11.
    case signedIn
    /// Step 10, the answer to everything else, with the provider that the picker named, and, in REST V2,
    /// the code that came instead of a platform's request.
    case regular(SignInStart)

    static func regular(preselected: String?) -> SignOnOutcome {
        .regular(SignInStart(mvpd: preselected))
    }
}

/// The eleven steps of apple-sso.md § 1, from step 2 on, as the page tells them: step 1 has found no
/// token, step 10 is `signInRegularly`, and step 11 is what the rig has TVs do after a sign-in. Where
/// it is not the rig's own script that leads to step 10, the reason is kept (`divert`).
extension Household {
    @inline(never)
    func signOnByPlatform() async throws(StopReason) -> SignOnOutcome {
        var trail = [1]
        let outcome = try await walkSteps(&trail)
        switch outcome {
        case .signedIn: trail += [11]
        case .regular: trail += [10]
        }
        let path = trail.map(String.init).joined(separator: "-")
        if record.signOn.steps.isEmpty { record.signOn.steps = path }
        note(.signOnPath, "\(path)")
        return outcome
    }

    private func walkSteps(_ trail: inout [Int]) async throws(StopReason) -> SignOnOutcome {
        // 2. Is somebody signed in on the platform?
        trail.append(2)
        guard try await mayAskPlatform() else { return .regular(preselected: nil) }
        let silent = try await askPlatform(.silent)
        let signedOn = silent.metadata?.provider(at: lane.now)

        // 3. The configuration; G1: also on the way from 2 to 6, which needs its mapping.
        if signedOn == nil { trail.append(3) }
        guard let providers = try await platformConfiguration() else {
            return .regular(preselected: nil)
        }
        let providerID: PlatformProviderID
        if let signedOn {
            providerID = signedOn
        } else {
            // 4. The platform's picker.
            trail.append(4)
            flipSettings(before: .beforeStep4)
            guard try await mayAskPlatform() else { return .regular(preselected: nil) }
            let lists = providers.offered(plan.kind.platform?.filter(on: plan.kind.device))
            let picked = try await askPlatform(
                .interactive(supported: lists.supported, featured: lists.featured))
            // 5. What came of it?
            trail.append(5)
            switch PickerFinding(picked, at: lane.now, providers: providers) {
            case .signedIn(let id): providerID = id
            case .preselected(let mvpd):
                divert(.boarding(mvpd, offered: providers))
                return .regular(preselected: mvpd)
            case .ownPicker:
                divert(.picker(picked.error))
                return .regular(preselected: nil)
            }
        }

        // 6. The profile request. G6: not integrated, or not enabled: step 10; in REST V2 the service says
        // so, by the status that the request shows (rest-v2.md § 8.3).
        trail.append(6)
        let integrated = providers.provider(onPlatform: providerID)
        guard hasSessions || integrated?.platform?.isEnabled == true else {
            divert(.noIntegration(providerID, offered: providers))
            return .regular(preselected: nil)
        }
        let provider = integrated ?? Provider(id: "", displayName: "")
        let token: MetadataRequest.VerificationToken
        switch try await profileRequest(of: provider) {
        case .token(let given): token = given
        case .signedIn: return .signedIn
        case .code(let issued):
            let known = issued.lacksProvider ? nil : integrated?.id
            return .regular(SignInStart(mvpd: known, issued: issued))
        case .refused: return .regular(preselected: nil)
        }

        // 7. The platform vouches for its viewer.
        trail.append(7)
        flipSettings(before: .beforeStep7)
        guard try await mayAskPlatform() else { return .regular(preselected: nil) }
        try await takePlatformAccount()
        let vouched = try await askPlatform(.vouching(token), for: provider.id)
        guard let document = vouched.metadata?.attributeResponse else {
            divert(.notVouched(vouched.error))
            endLogin { $0.noteNothing(of: $1) }
            return .regular(preselected: nil)
        }

        // 8 and 9. Its word for a token; 204 only.
        trail.append(8)
        let isExchanged = try await exchange(document, for: provider)
        trail.append(9)
        endLogin { isExchanged ? $0.noteSuccess(of: $1) : $0.noteNothing(of: $1) }
        return isExchanged ? .signedIn : .regular(preselected: nil)
    }
}

// MARK: The platform's side

extension Household {
    /// Steps 2, 4 and 7: asks for the access status, with the prompt option true.
    func mayAskPlatform() async throws(StopReason) -> Bool {
        let (access, hasPrompted) = accounts.checkAccessStatus(prompts: true)
        readPartnerStatus()
        if hasPrompted {
            record.signOn.prompts += 1
            note(.platformPrompt, "\(ours: "\(access)")")
            try await human(plan.viewer.noticesCode)
        }
        return access == .granted
    }

    /// The app enters the foreground; `isAgain`: after it was closed, when the viewer may have been in
    /// the settings. An app that follows apple-sso.md § 6 asks for the permission here.
    @inline(never)
    func enterForeground(isAgain: Bool) async throws(StopReason) {
        guard let script = plan.kind.platform else { return }
        if isAgain {
            let before = (accounts.access, accounts.account == nil)
            accounts.relaunch()
            if before != (accounts.access, accounts.account == nil) {
                note(.settingsChange, "\(script.settingsChange.rawValue)")
            }
        }
        if script.asking == .foreground { _ = try await mayAskPlatform() }
        readPartnerStatus()
    }

    /// Puts a request to the framework, in the terms of this app. What the viewer does with its picker
    /// takes the viewer's time; the picker opens before and closes after it, in every case (§ 3.4).
    /// `mvpd` is the service's name of the provider that is to vouch.
    func askPlatform(
        _ request: MetadataRequest, for mvpd: String = ""
    ) async throws(StopReason) -> MetadataResult {
        let result = try await answer(to: request, for: mvpd)
        if result.hasShownPicker {
            notePicker("present", request)
            try await human(plan.viewer.noticesCode)
            if result.hasLoggedIn { try await human(plan.viewer.signsIn) }
            note(.platformPicker, "dismiss")
        }
        if let error = result.error { note(.platformError, "\(error.code.rawValue)") }
        readPartnerStatus()
        return result
    }

    /// What the framework answers, with the platform's signature where one is due.
    func answer(
        to request: MetadataRequest, for mvpd: String = ""
    ) async throws(StopReason) -> MetadataResult {
        var request = request
        request.includesProvider = plan.kind.platform?.includesProvider ?? true
        request.includesExpiry = plan.kind.platform?.includesExpiry ?? true
        var result = accounts.enqueue(request, at: lane.now)
        if result.hasShownPicker { record.signOn.pickers += 1 }
        if let query = result.query {
            result = result.signed(try await platformAnswer(to: query, for: mvpd))
        }
        if let error = result.error { record.signOn.codes.append("VSError-\(error.code.rawValue)") }
        return result
    }

    /// The picker, with what the app narrowed or put first.
    func notePicker(_ word: String, _ request: MetadataRequest) {
        guard plan.kind.platform?.filter(on: plan.kind.device) != nil else {
            return note(.platformPicker, "\(word)")
        }
        let lists =
            ["offers \(request.supportedProviders.joined(separator: ","))"]
            + (request.featuredProviders.isEmpty
                ? [] : ["featured \(request.featuredProviders.joined(separator: ","))"])
        note(.platformPicker, "\(word): \(lists.joined(separator: "; "))")
    }

    /// The viewer may change the permission between any two steps (§ 6).
    func flipSettings(before step: PlatformSignOn.Withdrawal) {
        guard plan.kind.platform?.withdrawal == step else { return }
        accounts.withdrawPermission()
    }

    /// Whom the platform is to vouch for, where accounts come from a file.
    func takePlatformAccount() async throws(StopReason) {
        try await takeAccount()
        accounts.subject = account.userID ?? account.user
    }
}

// MARK: The service's side

extension Household {
    /// The configuration, from memory where it was fetched before: "cache in memory a few minutes"
    /// (rest-v1.md § 7). Nil when it cannot be had (G5).
    func platformConfiguration() async throws(StopReason) -> [Provider]? {
        if let providers = knownProviders { return providers }
        let providers =
            try await attempt { () async throws(StopReason) in
                try await configuration(tv)
            } ?? nil
        knownProviders = providers
        if let providers { accounts.learn(providers) }
        readPartnerStatus()
        return providers
    }

    /// What the service has for the platform.
    enum ProfileRequestOutcome {
        case token(MetadataRequest.VerificationToken)
        /// The device is signed in as it is.
        case signedIn
        /// None, and a code for an ordinary sign-in (rest-v2.md § 8.3).
        case code(IssuedCode)
        /// G5.
        case refused
    }

    /// S1, or X1 of REST V2.
    func profileRequest(
        of provider: Provider
    ) async throws(StopReason) -> ProfileRequestOutcome {
        let asked = try await attempt { () async throws(StopReason) in
            try await ask(tv) {
                dialect.profileRequest(mvpd: provider.id, on: platformDevice, $0)
            }
        }
        guard let asked else { return .refused }
        switch asked.answer {
        case .profileRequest(let bytes, let attributes):
            return .token(
                MetadataRequest.VerificationToken(
                    bytes: bytes, attributes: provider.vouched(attributes),
                    received: asked.exchange.ended))
        case .code(let issued):
            take(issued, from: asked)
            divert(.fallback(asked))
            return .code(issued)
        case .signedIn(let tag, _):
            remember(tag?.mvpd ?? provider.id)
            signedInAtOnce(asked, by: .noLogin)
            return .signedIn
        default:
            divert(.refused(asked))
            return .refused
        }
    }

    /// S2 with the platform's document, or X2 of REST V2; whether a token came of it.
    func exchange(_ document: String, for provider: Provider) async throws(StopReason) -> Bool {
        let base64 = SAMLText.base64(document)
        let exchanged = try await attempt { () async throws(StopReason) in
            try await ask(tv) { credential in
                var call = dialect.tokenExchange(
                    base64, mvpd: provider.id, on: platformDevice, credential)
                // Whom the platform vouches for (`SubscriberAccounts`).
                call?.signsIn(account, at: provider.id)
                return call
            }
        }
        guard let exchanged else { return false }
        switch exchanged.answer {
        case .done where exchanged.exchange.delivery.status == 204: break
        case .signedIn(let tag, _) where hasSessions:
            remember(tag?.mvpd ?? provider.id)
            vouchedBy = partnerStatus?.provider
        default:
            divert(.refused(exchanged))
            return false
        }
        signedInAtOnce(exchanged, by: .platform)
        return true
    }

    /// There is a token, and nobody had to wait for a poll to see it.
    func signedInAtOnce(_ answered: Answered, by path: SignInPath) {
        seeToken(at: answered.exchange.ended)
        traces.signedIn = true
        note(signInBy: answered)
        signedInNow(by: path)
    }

    /// The same where no single answer says so.
    func signedInNow(by path: SignInPath) {
        seeToken(at: lane.now)
        signedIn(by: path)
        reach(.signedIn)
        expect(aViewer: false)
    }

    /// `tvOS` or `iOS`, of which iPadOS is one (apple-sso.md § 5).
    var platformDevice: PlatformDevice {
        plan.kind.firstScreen.hasWebView ? .iOS : .tvOS
    }

    /// Nil instead of a failure that leads to step 10, and is why.
    private func attempt<T>(
        _ step: () async throws(StopReason) -> T
    ) async throws(StopReason) -> T? {
        do throws(StopReason) {
            return try await step()
        } catch {
            switch error {
            case .failed(let cause): divert(.failed(cause))
            case .signedOut: divert(.failed("the service says that no user is signed in"))
            case .unknownStep: divert(.failed("the protocol has no such operation"))
            case .abandoned, .stopped: throw error
            }
            return nil
        }
    }
}
