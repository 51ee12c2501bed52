internal import Dialects
internal import Vocabulary

/// Who is signed in where: P1, P2, P3 (rest-v2.md § 6).
extension Service {
    /// P1: stored profiles, and those that the call's headers let it see. Nothing degraded, no trials (B10).
    mutating func profiles(_ asker: V2Asker, at moment: Moment) -> Reply {
        guard let requestor = settings.requestor(asker.device.requestor) else {
            return show([], at: moment)
        }
        var views: [ProfileView] = []
        for mvpd in tokens.providers(of: asker.device) {
            if let view = regularProfile(asker, mvpd: mvpd, at: moment) { views.append(view) }
        }
        if let view = partnerProfile(asker, at: moment),
            !views.contains(where: { $0.signIn.mvpd == view.signIn.mvpd })
        {
            views.append(view)
        }
        if let identity = asker.identity ?? identities.alias {
            for mvpd in identities.sharing(of: identity).keys.sorted()
            where !views.contains(where: { $0.signIn.mvpd == mvpd }) {
                if let view = sharedProfile(asker, mvpd: mvpd, at: moment) { views.append(view) }
            }
        }
        views.removeAll { view in
            settings.provider(view.key.mvpd).map { !isIntegrated($0, requestor, at: moment) }
                ?? true
        }
        return show(views, at: moment)
    }

    /// P2.
    mutating func profilesByMVPD(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, _ asker: V2Asker,
        at moment: Moment
    ) throws(V2Error) -> Reply {
        let provider = try provider(question.route.name, of: requestor, at: moment)
        if let view = degradedProfile(asker.device, mvpd: provider.id, at: moment) {
            return show([view], at: moment)
        }
        if provider.isTempPass {
            return show([try trialProfile(asker, provider, at: moment)], at: moment)
        }
        let view = anyProfile(asker, mvpd: provider.id, at: moment)
        return show(view.map { [$0] } ?? [], at: moment)
    }

    /// P3: the profile that the session of a code has led to, whoever asks.
    mutating func profilesByCode(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, at moment: Moment
    ) throws(V2Error) -> Reply {
        let key = try codeKey(question)
        guard let record = codes.session(key, of: requestor.id, at: moment.milliseconds) else {
            throw .noSession
        }
        let isLive = record.isLive(at: moment.milliseconds)
        let signIn = liveSignIn(record.device, at: moment)
        // After its end a code is good for nothing but the profile that it led to (B24).
        guard isLive || signIn != nil && settings.policies.codeAfterExpiry == .profile else {
            throw .noSession
        }
        guard let provider = settings.provider(record.device.mvpd) else {
            return show(signIn.map { [own($0, record.device)] } ?? [], at: moment)
        }
        if isLive {
            let device = record.device.owner
            if let view = degradedProfile(device, mvpd: provider.id, at: moment) {
                return show([view], at: moment)
            }
            if provider.isTempPass {
                let trialIdentity = question.header("AP-TempPass-Identity")
                // Without its header a promotional trial shows nothing (B51).
                if provider.passResources != nil, trialIdentity == nil {
                    return show([], at: moment)
                }
                let asker = V2Asker(device: device, trialIdentity: trialIdentity)
                return show([try trialProfile(asker, provider, at: moment)], at: moment)
            }
        }
        // Another session's sign-in does not show before this one's has come about (§ 5.5).
        guard let signIn, record.isBound || signIn.code == record.key,
            isIntegrated(provider, requestor, at: moment)
        else { return show([], at: moment) }
        return show([own(signIn, record.device)], at: moment)
    }

    mutating func show(
        _ views: [ProfileView], status: Int = 200, at moment: Moment
    ) -> Reply {
        if views.isEmpty {
            return Reply(
                status: status, headers: headers(Self.profilesType, at: moment),
                body: Self.noProfiles)
        }
        let providers = views.map { settings.provider($0.signIn.mvpd) }
        return answer(status, at: moment) { document in
            document.object("profiles") { list in
                for (view, provider) in zip(views, providers) { view.write(provider, to: &list) }
            }
        }
    }

    private static let profilesType = "application/json;charset=UTF-8"
    /// Nobody is signed in: the answer to nearly every poll.
    static let noProfiles = Array(#"{"profiles":{}}"#.utf8)

    // MARK: The look-ups, in the order of § 7

    func rule(
        _ rule: Degradations.Rule, _ requestor: String, _ mvpd: String, at moment: Moment
    ) -> Degradations.Order? {
        degradations.order(rule, requestor, mvpd, at: moment.milliseconds)
    }

    func degradedProfile(
        _ device: DeviceKey, mvpd: String, at moment: Moment
    ) -> ProfileView? {
        rule(.authNAll, device.requestor, mvpd, at: moment).map {
            .degraded(device, mvpd: mvpd, $0, at: moment.milliseconds)
        }
    }

    /// Regular, then by identity, then by the partner.
    mutating func anyProfile(
        _ asker: V2Asker, mvpd: String, at moment: Moment
    ) -> ProfileView? {
        if let view = ownOrSharedProfile(asker, mvpd: mvpd, at: moment) { return view }
        guard let view = partnerProfile(asker, at: moment), view.key.mvpd == mvpd else {
            return nil
        }
        return view
    }

    mutating func ownOrSharedProfile(
        _ asker: V2Asker, mvpd: String, at moment: Moment
    ) -> ProfileView? {
        regularProfile(asker, mvpd: mvpd, at: moment)
            ?? sharedProfile(asker, mvpd: mvpd, at: moment)
    }

    /// The device's own; from now on it is shared under the identity of the call as well (B48).
    private mutating func regularProfile(
        _ asker: V2Asker, mvpd: String, at moment: Moment
    ) -> ProfileView? {
        let key = asker.device.with(mvpd: mvpd)
        guard let signIn = liveSignIn(key, at: moment) else { return nil }
        if let identity = asker.identity, settings.provider(mvpd)?.sharesIdentity ?? false {
            identities.bind(identity, to: key, serial: signIn.serial, at: moment.milliseconds)
        }
        return own(signIn, key)
    }

    /// Another's, by the identity of the call (§ 8.2).
    private mutating func sharedProfile(
        _ asker: V2Asker, mvpd: String, at moment: Moment
    ) -> ProfileView? {
        guard let identity = asker.identity ?? identities.alias,
            settings.provider(mvpd)?.sharesIdentity ?? false,
            let shared = identities.sharing(of: identity)[mvpd]?.first(where: {
                isLive($0, at: moment)
            }), let signIn = tokens[shared.key],
            identities.show(shared.serial, on: asker.device.with(mvpd: mvpd))
        else { return nil }
        return ProfileView(
            kind: identity.kind == .platform ? .platformSSO : .serviceTokenSSO, key: shared.key,
            signIn: signIn)
    }

    func isLive(_ shared: Identities.SharedSignIn, at moment: Moment) -> Bool {
        let signIn = tokens.live(shared.key, serial: shared.serial, at: moment.milliseconds)
        return signIn.map { !$0.isInvalidated } ?? false
    }

    /// The partner's, for the provider that the platform names now (B55).
    private func partnerProfile(_ asker: V2Asker, at moment: Moment) -> ProfileView? {
        guard let id = asker.partner.mappingID, let provider = partnerProvider(id),
            let signIn = liveSignIn(
                asker.device.with(mvpd: provider.id, isPartner: true), at: moment)
        else { return nil }
        return ProfileView(
            kind: .appleSSO, key: asker.device.with(mvpd: provider.id, isPartner: true),
            signIn: signIn)
    }

    /// The provider of a platform's mapping id.
    func partnerProvider(_ mappingID: String) -> ServiceSettings.Provider? {
        settings.providers.first { $0.platform?.mappingID == mappingID }
    }

    private func own(_ signIn: SignIn, _ key: DeviceKey) -> ProfileView {
        ProfileView(kind: .regular, key: key, signIn: signIn)
    }

    /// A sign-in that counts: neither over, nor ended by its provider.
    func liveSignIn(_ key: DeviceKey, at moment: Moment) -> SignIn? {
        guard case .live(let signIn) = tokens.find(key, at: moment.milliseconds),
            !signIn.isInvalidated
        else { return nil }
        return signIn
    }

    /// Which sign-in of the service a key has; 0 for none.
    func serial(_ key: DeviceKey) -> Int { tokens[key]?.serial ?? 0 }
}
