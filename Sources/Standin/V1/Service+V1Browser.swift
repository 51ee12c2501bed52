internal import Dialects
internal import Formats
internal import Signing

/// The browser's way through a login: N1 and the hops after it (rest-v1.md § 8). Providers live on
/// the same origin, under `/mvpd/ID/`; each hop trusts only what the one before gave out.
extension Service {
    private static let flowCookie = "AP_FLOW"
    private static let sessionCookie = "MVPDSESSION"

    /// N1, hop 1.
    mutating func authenticate(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let code = try question.required("reg_code")
        let requestor = try requestor(try question.required("requestor_id"))
        let mvpd = try question.required("mso_id")
        let domain = try question.required("domain_name")
        let redirect = try redirectURL(question)
        // Nobody logs in at a trial.
        guard settings.provider(mvpd, of: requestor)?.isTempPass == false else {
            throw .unknownIntegration(mvpd)
        }
        try checkDomain(domain, of: requestor)
        _ = try GenericData.scope(question["generic_data"])
        guard let key = CodeKey(code),
            let record = codes.live(key, of: requestor.id, at: moment.milliseconds)
        else { throw ClassicError(400, "Registration code '\(code)' not found") }
        if case .bound = record.state, settings.policies.codeReuse == .single {
            throw ClassicError(400, "Registration code '\(code)' has been used")
        }
        let login = BrowserLogin(
            id: ids.shortSecret(), code: key, record: record.id, requestor: requestor.id,
            mvpd: mvpd, redirectURL: redirect)
        logins.begin(login, expires: record.expires)
        codes.use(key, login: login.id)
        let location = String(
            joining: "/adobe-services/authenticate/saml?noflash=true&mso_id=",
            PercentEncoding.encode(mvpd), "&requestor_id=", PercentEncoding.encode(requestor.id),
            "&no_iframe=true&domain_name=", PercentEncoding.encode(domain), "&redirect_url=",
            PercentEncoding.encode(redirect))
        return redirected(to: location, at: moment, cookie: "\(Self.flowCookie)=\(login.id)")
    }

    /// Hop 2: an authentication request for the provider.
    mutating func sendToProvider(_ question: V1Question, at moment: Moment) -> Reply {
        guard let id = question.request.cookie(Self.flowCookie), let login = logins[id],
            question["mso_id"] == login.mvpd, question["requestor_id"] == login.requestor
        else { return page(400, Pages.lost, at: moment) }
        let provider = String(joining: "/mvpd/", PercentEncoding.encode(login.mvpd), "/sso")
        let request = SAML.request(login: id, destination: provider, at: moment.milliseconds)
        let location = String(
            joining: provider, "?SAMLRequest=", PercentEncoding.encode(Base64.encode(request)),
            "&RelayState=", id)
        return redirected(to: location, at: moment)
    }

    /// Hop 3: the provider's page.
    mutating func loginPage(_ question: V1Question, at moment: Moment) -> Reply {
        guard let id = question["RelayState"], question["SAMLRequest"] != nil,
            let login = logins[id], login.mvpd == question.route.name, !login.isOver
        else { return page(400, Pages.lost, at: moment) }
        let interstitial = settings.provider(login.mvpd)?.interstitial ?? .none
        if interstitial != .none, question["step"] != "login" {
            let next = question.request.target + "&step=login"
            return page(200, Pages.interstitial(to: next, by: interstitial), at: moment)
        }
        // The provider knows this browser: no questions asked (A12).
        if let cookie = question.request.cookie(Self.rememberedCookie),
            let session = sessions[cookie],
            session.mvpd == login.mvpd
        {
            return returnToService(login, user: session.user, at: moment)
        }
        return showLogin(id, message: nil, at: moment)
    }

    private mutating func showLogin(_ id: String, message: String?, at moment: Moment) -> Reply {
        logins.showPage(id, ids: &ids)
        guard let login = logins[id] else { return page(400, Pages.lost, at: moment) }
        let name = settings.providers.first { $0.id == login.mvpd }?.displayName ?? login.mvpd
        return page(
            200, Pages.login(login, provider: name, message: message), at: moment,
            cookie: "\(Self.sessionCookie)=\(login.session)")
    }

    /// Hop 4: user name and password. The page's hidden token and cookie must come back with them.
    mutating func submitLogin(_ question: V1Question, at moment: Moment) -> Reply {
        guard let id = question["RelayState"], let login = logins[id],
            login.mvpd == question.route.name, !login.isOver, !login.session.isEmpty,
            question["csrf_token"] == login.token,
            question.request.cookie(Self.sessionCookie) == login.session
        else { return page(403, Pages.lost, at: moment) }
        guard let user = question["username"], let password = question["password"],
            password != "wrong"
        else {
            return showLogin(
                id, message: "The user name or the password is not right.", at: moment)
        }
        var reply = returnToService(login, user: user, at: moment)
        if settings.providersRemember {
            let session = ids.shortSecret()
            sessions.begin(session, .init(mvpd: login.mvpd, user: user))
            reply.headers.append(
                "Set-Cookie", "\(Self.rememberedCookie)=\(session); Path=/mvpd; HttpOnly")
        }
        return reply
    }

    /// The viewer gives up at the provider.
    mutating func cancelLogin(_ question: V1Question, at moment: Moment) -> Reply {
        guard let id = question["RelayState"], let login = logins[id],
            login.mvpd == question.route.name, !login.isOver,
            question.request.cookie(Self.sessionCookie) == login.session
        else { return page(400, Pages.lost, at: moment) }
        return returnToService(login, user: nil, at: moment)
    }

    private mutating func returnToService(
        _ login: BrowserLogin, user: String?, at moment: Moment
    ) -> Reply {
        let response = SAML.response(
            login: login.id, mvpd: login.mvpd, user: user, at: moment.milliseconds)
        return page(
            200, Pages.handOver(response: Base64.encode(response), relayState: login.id),
            at: moment)
    }

    /// Hop 5: the one that counts. Success or not, the browser goes back to the login page of the
    /// app; only a check of the code tells.
    mutating func consumeAssertion(_ question: V1Question, at moment: Moment) -> Reply {
        guard let text = question["SAMLResponse"] else {
            return page(503, Pages.noAssertion, at: moment)
        }
        guard let id = question["RelayState"], let login = logins[id] else {
            return page(400, Pages.lost, at: moment)
        }
        guard login.isOfSession || question.request.cookie(Self.flowCookie) == id, !login.isOver,
            let bytes = Base64.decode(text),
            let user = SAML.user(in: bytes, login: id, mvpd: login.mvpd),
            let record = codes.live(login.code, at: moment.milliseconds),
            record.id == login.record, record.awaits(id),
            accepts(record, mvpd: login.mvpd, at: moment)
        else {
            if login.isOfSession { return redirected(to: login.redirectURL, at: moment) }
            let joint = login.redirectURL.contains("?") ? "&" : "?"
            return redirected(
                to: "\(login.redirectURL)\(joint)error=access_denied", at: moment)
        }
        logins.end(id)
        signIn(record, mvpd: login.mvpd, user: user, at: moment)
        return redirected(to: login.redirectURL, at: moment)
    }

    // MARK: Replies to a browser

    mutating func redirected(
        to location: String, at moment: Moment, cookie: String? = nil, path: String = "/"
    ) -> Reply {
        var headers = headers(nil, at: moment)
        headers.append("Location", location)
        if let cookie {
            headers.append("Set-Cookie", String(joining: cookie, "; Path=", path, "; HttpOnly"))
        }
        return Reply(status: 302, headers: headers)
    }

    mutating func page(
        _ status: Int, _ body: [UInt8], at moment: Moment, cookie: String? = nil
    ) -> Reply {
        var headers = headers("text/html;charset=utf-8", at: moment)
        headers.append("Cache-Control", "no-store")
        if let cookie {
            headers.append("Set-Cookie", String(joining: cookie, "; Path=/mvpd; HttpOnly"))
        }
        return Reply(status: status, headers: headers, body: body)
    }
}
