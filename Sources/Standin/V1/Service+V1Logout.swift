internal import Dialects
internal import Formats
internal import Signing

/// The end of a sign-in: L1 from the device, L2 through a browser (rest-v1.md § 13, A12).
extension Service {
    static let rememberedCookie = "MVPDUSER"

    /// L1: idempotent; takes the authorizations along, and leaves the provider's session alone.
    mutating func logout(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        tokens.signOut(try device(question))
        return empty(204, at: moment)
    }

    /// L2, for web views: the same removal, then on to the provider.
    mutating func logoutByBrowser(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let requestor = try requestor(try question.required("requestor"))
        let key = DeviceKey(
            requestor: requestor.id, device: try question.required("deviceId"),
            user: question["deviceUser"] ?? "", app: question["appId"] ?? "")
        let redirect = try redirectURL(question)
        var mvpd: String?
        if case .live(let signIn) = tokens.find(key, at: moment.milliseconds) { mvpd = signIn.mvpd }
        tokens.signOut(key)
        // Nobody was signed in: there is no provider to tell.
        guard let mvpd else { return redirected(to: redirect, at: moment) }
        let location =
            "/adobe-services/logout?noflash=true&mso_id=\(PercentEncoding.encode(mvpd))"
            + "&requestor_id=\(PercentEncoding.encode(requestor.id))"
            + "&redirect_url=\(PercentEncoding.encode(redirect))"
        return redirected(to: location, at: moment)
    }

    /// L2's second hop.
    mutating func sendToProviderLogout(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let mvpd = try question.required("mso_id")
        let redirect = try redirectURL(question)
        guard settings.provider(mvpd) != nil else { throw .unknownIntegration(mvpd) }
        let location =
            "/mvpd/\(PercentEncoding.encode(mvpd))/logout?redirect_url=\(PercentEncoding.encode(redirect))"
        let device = question["pt_device_id"].map { "&pt_device_id=\(PercentEncoding.encode($0))" }
        return redirected(to: location + (device ?? ""), at: moment)
    }

    /// L2's third hop: the provider forgets its viewer.
    mutating func providerLogout(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let redirect = try redirectURL(question)
        if let id = question.request.cookie(Self.rememberedCookie),
            sessions[id]?.mvpd == question.route.name
        {
            sessions.end(id)
        }
        return redirected(
            to: redirect, at: moment, cookie: "\(Self.rememberedCookie)=", path: "/mvpd")
    }

    /// Where a browser is to come back to.
    func redirectURL(_ question: V1Question) throws(ClassicError) -> String {
        let redirect = try question.required("redirect_url")
        guard Self.isAbsolute(redirect), !redirect.utf8.contains(where: { $0 <= 32 }) else {
            throw ClassicError(400, "Invalid 'redirect_url'")
        }
        return redirect
    }

    func checkDomain(
        _ domain: String, of requestor: ServiceSettings.Requestor
    ) throws(ClassicError) {
        guard requestor.domains.contains(domain) else {
            throw ClassicError(400, "Domain '\(domain)' is not registered for '\(requestor.id)'")
        }
    }
}
