internal import Dialects
internal import Formats

/// L (rest-v2.md § 9).
extension Service {
    /// What is left to do after a logout.
    private enum LogoutAction: String {
        case logout
        case partnerLogout = "partner_logout"
        case complete, invalid

        var type: String {
            switch self {
            case .logout: "interactive"
            case .partnerLogout: "partner_interactive"
            case .complete, .invalid: "none"
            }
        }
    }

    /// The profile is gone with this call; what the browser does after it only cleans the provider's side.
    mutating func logoutV2(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, _ asker: V2Asker,
        at moment: Moment
    ) throws(V2Error) -> Reply {
        guard let redirect = question.parameter("redirectUrl") else {
            throw V2Error(.redirectURL, "Required 'redirectUrl' is not present")
        }
        try checkRedirect(redirect, of: requestor)
        let provider = try provider(question.route.name, of: requestor, at: moment)
        let action = end(asker, provider, at: moment)
        // Relative, as in the page's samples: the service does not know by what origin it was called.
        let url =
            "/adobe-services/logout?noflash=true&mso_id=\(PercentEncoding.encode(provider.id))"
            + "&requestor_id=\(PercentEncoding.encode(requestor.id))"
            + "&redirect_url=\(PercentEncoding.encode(redirect))"
            + "&pt_device_id=\(PercentEncoding.encode(asker.device.device))"
        return answer(at: moment) {
            $0.object("logouts") {
                $0.object(provider.id) {
                    $0.text("actionName", action.rawValue)
                    $0.text("actionType", action.type)
                    $0.text("mvpd", provider.id)
                    if action == .logout { $0.text("url", url) }
                }
            }
        }
    }

    private mutating func end(
        _ asker: V2Asker, _ provider: ServiceSettings.Provider, at moment: Moment
    ) -> LogoutAction {
        let own = asker.device.with(mvpd: provider.id)
        let hasOwn = liveSignIn(own, at: moment) != nil
        // Shared sign-ins of the identity end with it, for every app under it (§ 8.2, step 9).
        var hasShared = false
        if let identity = asker.identity, provider.sharesIdentity {
            for shared in identities.sharing(of: identity)[provider.id] ?? []
            where isLive(shared, at: moment) {
                hasShared = true
                tokens.signOut(shared.key)
            }
        }
        tokens.signOut(own)
        if rule(.authNAll, own.requestor, provider.id, at: moment) != nil { return .complete }
        if provider.isTempPass { return .complete }
        if hasOwn || hasShared { return provider.hasLogoutPage ? .logout : .complete }
        let partner = asker.device.with(mvpd: provider.id, isPartner: true)
        if liveSignIn(partner, at: moment) != nil {
            tokens.signOut(partner)
            return .partnerLogout
        }
        // What another's identity had shown here ends for this device (B47).
        if asker.identity == nil, identities.endView(on: own) {
            return provider.hasLogoutPage ? .logout : .complete
        }
        return .invalid
    }
}
