internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// What became of the platform's sign-on.
enum SignOnOutcome {
    /// The service has a token of this device: step 11.
    case signedIn
    /// Step 10, the answer to everything else, with the provider that the picker named.
    case regular(preselected: String?)
}

/// The eleven steps of apple-sso.md § 1, from step 2 on, as the page tells them: step 1 has found no
/// token, step 10 is `signInRegularly`, and step 11 is what the rig has TVs do after a sign-in.
extension Household {
    func signOnByPlatform() async throws(Halt) -> SignOnOutcome {
        var trail = [1]
        let outcome = try await walkSteps(&trail)
        switch outcome {
        case .signedIn: trail += [11]
        case .regular: trail += [10]
        }
        note(.signOnPath, trail.map(String.init).joined(separator: "-"))
        return outcome
    }

    private func walkSteps(_ trail: inout [Int]) async throws(Halt) -> SignOnOutcome {
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
            if record.stage >= .loggedOut { note(.silentRelogin) }
        } else {
            // 4. The platform's picker.
            trail.append(4)
            flipSettings(before: .beforeStep4)
            guard try await mayAskPlatform() else { return .regular(preselected: nil) }
            let supported = providers.supportedOnPlatform.compactMap { $0.platform?.mappingID }
            let picked = try await askPlatform(.interactive(supported: supported))
            // 5. What came of it?
            trail.append(5)
            switch PickerFinding(picked, at: lane.now, providers: providers) {
            case .signedIn(let id): providerID = id
            case .preselected(let mvpd): return .regular(preselected: mvpd)
            case .ownPicker: return .regular(preselected: nil)
            }
        }

        // 6. The profile request. G6: not integrated, or not enabled: step 10.
        trail.append(6)
        guard let provider = providers.provider(onPlatform: providerID),
            let terms = provider.platform, terms.isEnabled,
            let token = try await profileRequest(of: provider)
        else { return .regular(preselected: nil) }

        // 7. The platform vouches for its viewer.
        trail.append(7)
        flipSettings(before: .beforeStep7)
        guard try await mayAskPlatform() else { return .regular(preselected: nil) }
        let vouched = try await askPlatform(
            .vouching(attributes: terms.requiredMetadata, token))
        guard let document = vouched.metadata?.attributeResponse else {
            return .regular(preselected: nil)
        }

        // 8 and 9. Its word for a token; 204 only.
        trail.append(8)
        let isExchanged = try await exchange(document, for: provider)
        trail.append(9)
        return isExchanged ? .signedIn : .regular(preselected: nil)
    }
}

// MARK: The platform's side

extension Household {
    /// Steps 2, 4 and 7: asks for the access status, with the prompt option true.
    func mayAskPlatform() async throws(Halt) -> Bool {
        let (access, hasPrompted) = accounts.checkAccessStatus(prompts: true)
        if hasPrompted {
            note(.platformPrompt, "\(access)")
            try await human(plan.viewer.noticesCode)
        }
        return access == .granted
    }

    /// Puts a request to the framework. What the viewer does with its picker takes the viewer's time;
    /// the picker opens before and closes after it, in every case (§ 3.4).
    func askPlatform(_ request: MetadataRequest) async throws(Halt) -> MetadataResult {
        let result = accounts.enqueue(request, at: lane.now, vouching: terms.vouching)
        if result.hasShownPicker {
            note(.platformPicker, "present")
            try await human(plan.viewer.noticesCode)
            if result.hasLoggedIn { try await human(plan.viewer.signsIn) }
            note(.platformPicker, "dismiss")
        }
        if let error = result.error { note(.platformError, "\(error.code.rawValue)") }
        return result
    }

    /// The viewer may change the permission between any two steps (§ 6).
    func flipSettings(before step: PlatformSignOn.Withdrawal) {
        guard plan.kind.platform?.withdrawal == step else { return }
        accounts.withdrawPermission()
    }
}

// MARK: The service's side

extension Household {
    /// The configuration, from memory where it was fetched before: "cache in memory a few minutes"
    /// (rest-v1.md § 7). Nil when it cannot be had (G5).
    func platformConfiguration() async throws(Halt) -> [Provider]? {
        if let providers = knownProviders { return providers }
        let providers = try await attempt { () async throws(Halt) in
            try await configuration(tv)
        }
        knownProviders = providers
        if let providers { accounts.learn(providers) }
        return providers
    }

    /// S1; nil where it is refused (G5).
    func profileRequest(
        of provider: Provider
    ) async throws(Halt) -> MetadataRequest.VerificationToken? {
        let asked = try await attempt { () async throws(Halt) in
            try await ask(tv) { credential throws(Halt) in
                guard
                    let call = terms.dialect.profileRequest(
                        mvpd: provider.id, on: platformDevice, credential)
                else { throw .unknownStep }
                return call
            }
        }
        guard let asked, case .profileRequest(let bytes) = asked.answer else { return nil }
        return MetadataRequest.VerificationToken(bytes: bytes, received: asked.exchange.ended)
    }

    /// S2 with the platform's document; whether a token came of it.
    func exchange(_ document: String, for provider: Provider) async throws(Halt) -> Bool {
        let response = SAMLText.base64(document)
        let exchanged = try await attempt { () async throws(Halt) in
            try await ask(tv) { credential throws(Halt) in
                guard
                    var call = terms.dialect.tokenExchange(
                        response, mvpd: provider.id, on: platformDevice, credential)
                else { throw .unknownStep }
                // Whom the platform vouches for (`SubscriberAccounts`).
                call.signsIn(plan.account, at: provider.id)
                return call
            }
        }
        guard let exchanged, case .done = exchanged.answer,
            exchanged.exchange.delivery.status == 204
        else { return false }
        signedInAtOnce(exchanged)
        return true
    }

    /// There is a token, and nobody had to wait for a poll to see it.
    func signedInAtOnce(_ answered: Answered) {
        if record.tokenSeen == nil { record.tokenSeen = answered.exchange.ended }
        traces.signedIn = true
        reach(.signedIn)
        expect(aViewer: false)
    }

    /// `tvOS` or `iOS`, of which iPadOS is one (apple-sso.md § 5).
    var platformDevice: PlatformDevice {
        plan.kind.firstScreen.hasWebView ? .iOS : .tvOS
    }

    /// Nil instead of a failure that leads to step 10.
    private func attempt<T>(
        _ step: () async throws(Halt) -> T
    ) async throws(Halt) -> T? {
        do throws(Halt) {
            return try await step()
        } catch {
            switch error {
            case .failed, .unknownStep: return nil
            case .abandoned, .stopped: throw error
            }
        }
    }
}
