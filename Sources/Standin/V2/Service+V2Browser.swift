internal import Dialects
internal import Formats
internal import Signing

/// A: the way of a browser from a code to the provider (rest-v2.md § 5.4). What follows are V1's hops.
extension Service {
    mutating func authenticateV2(_ question: V2Question, at moment: Moment) -> Reply {
        let name = question.route.requestor
        guard let requestor = settings.requestor(name), let key = CodeKey(question.route.name),
            let record = pendingSession(key, of: name, at: moment),
            let session = record.session, let redirect = session.redirectURL,
            session.domainName != nil,
            let provider = settings.provider(record.device.mvpd), !provider.isTempPass,
            isIntegrated(provider, requestor, at: moment)
        else { return page(400, Pages.lost, at: moment) }
        let login = BrowserLogin(
            id: ids.shortSecret(), code: key, record: record.id, requestor: name,
            mvpd: provider.id, redirectURL: redirect, isOfSession: true)
        logins.begin(login, expires: record.expires)
        codes.use(key, login: login.id)
        // To the provider at once: what it must know travels in the URL (§ 18).
        let path = String(joining: "/mvpd/", PercentEncoding.encode(provider.id), "/sso")
        let request = SAML.request(
            login: login.id, destination: path, at: moment.milliseconds)
        let location = String(
            joining: path, "?SAMLRequest=", PercentEncoding.encode(Base64.encode(request)),
            "&RelayState=", login.id)
        return redirected(to: location, at: moment)
    }
}
