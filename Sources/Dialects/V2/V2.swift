internal import Formats
internal import Vocabulary

/// Adobe Pass REST V2 as devices speak it (rest-v2.md). Endpoint ids in comments (S1, P3 ...) are those of
/// its § 2.
public struct V2: Dialect {
    /// Origin of all paths.
    public let origin: Origin
    /// `sp` of the page: V1's requestor.
    public let serviceProvider: String
    /// What requests have in common, made once.
    let paths: Paths
    /// `domainName` and `redirectUrl` of a form, with an ampersand before them.
    let returnFields: [UInt8]
    let browser: BrowserHops

    /// The paths of § 2, up to what differs from request to request.
    struct Paths: Sendable {
        let configuration, sessions, partnerSessions, authenticate: String
        let profiles, profilesByCode, partnerProfiles: String
        let preauthorize, authorize, logout: String
        /// `redirectUrl` of L.
        let logoutQuery: String
        let register, token: String
    }

    /// `prefix`: before every path; `domain`: `domainName` of S1 and S2; `redirectURL`: where the browser
    /// comes back to.
    public init(
        origin: Origin, prefix: String = "", serviceProvider: String, domain: String,
        redirectURL: String
    ) {
        self.origin = origin
        self.serviceProvider = serviceProvider
        let name = FormEncoding.encode(serviceProvider)
        let own = "\(prefix)/api/v2/\(name)"
        paths = Paths(
            configuration: own + "/configuration", sessions: own + "/sessions",
            partnerSessions: own + "/sessions/sso/Apple",
            authenticate: "\(prefix)/api/v2/authenticate/\(name)/", profiles: own + "/profiles",
            profilesByCode: own + "/profiles/code/", partnerProfiles: own + "/profiles/sso/Apple",
            preauthorize: own + "/decisions/preauthorize/",
            authorize: own + "/decisions/authorize/", logout: own + "/logout/",
            logoutQuery: "?redirectUrl=" + FormEncoding.encode(redirectURL),
            register: prefix + "/o/client/register", token: prefix + "/o/client/token")
        returnFields = Array(
            "&domainName=\(FormEncoding.encode(domain))&redirectUrl=\(FormEncoding.encode(redirectURL))"
                .utf8)
        browser = BrowserHops(
            origin: origin, redirectURL: redirectURL, logout: .mvpdLogout, page: "REST V2")
    }

    public var name: String { "adobe-pass-v2" }
    public var hasSessions: Bool { true }
    /// § 14.1, B8.
    public static var pollFloor: Duration { .seconds(3) }
    /// § 13.
    public var throttle: (perSecond: Double, burst: Int)? { (1, 10) }

    /// D1.
    public func registerClient(_ statement: Secret, as device: DeviceIdentity) -> Call? {
        Registration.client(
            statement, at: address(paths.register), Self.applicationHeaders(device))
    }

    /// D2.
    public func accessToken(_ client: ClientCredentials, as device: DeviceIdentity) -> Call? {
        Registration.accessToken(
            client, at: address(paths.token), Self.applicationHeaders(device))
    }

    /// S1. A code has no lifetime of the caller's choice (§ 16.1).
    public func issueCode(_ credential: Credential, lifetime _: Duration?, mvpd: String?) -> Call? {
        call(
            .createSession, paths.sessions, credential, shows: .identity,
            sends: .form(returnForm(mvpd)), mvpd: mvpd)
    }

    /// S2.
    public func completeSession(_ code: Code, mvpd: String, _ credential: Credential) -> Call? {
        call(
            .resumeSession, String(joining: paths.sessions, "/", FormEncoding.encode(code.text)),
            credential, sends: .form(returnForm(mvpd)), code: code, mvpd: mvpd)
    }

    /// A: the browser's, from an address that either screen builds out of the code (§ 5.4). The provider is
    /// in the session.
    public func authenticate(_ issued: IssuedCode, mvpd _: String?, _: Credential) -> Call? {
        let code = issued.code
        var call = BrowserHops.start(
            .authenticate, address(paths.authenticate + FormEncoding.encode(code.text)))
        call.code = code
        return call
    }

    public func hop(
        _ method: Method, _ address: WebAddress, form: [(String, String)], referer: WebAddress?
    ) -> Call {
        browser.call(method, address, form: form, referer: referer)
    }

    public func logoutHop(_ address: WebAddress, referer: WebAddress?) -> Call {
        browser.logoutCall(address, referer: referer)
    }

    public func isReturn(_ address: WebAddress) -> Bool { browser.isReturn(address) }

    /// P3; P1 where no code is shown, as after a partner's sign-on (§ 14.1).
    public func poll(
        _ issued: IssuedCode?, _: PollTarget, _ credential: Credential
    ) -> Call? {
        guard let issued else { return allProfiles(credential) }
        return profiles(of: issued.code, credential)
    }

    /// L; its answer says where a browser goes on (§ 9).
    public func webLogout(_ credential: Credential) -> Call? { logout(credential) }

    /// X1.
    public func profileRequest(
        mvpd: String, on _: PlatformDevice, _ credential: Credential
    ) -> Call? {
        partnerRequest(mvpd, credential)
    }

    /// X2. `response` is Base64; the form's own encoding is the one percent-encoding that
    /// apple-sso.md § 4 asks for.
    public func tokenExchange(
        _ response: String, mvpd: String, on _: PlatformDevice, _ credential: Credential
    ) -> Call? {
        call(
            .ssoProfile, paths.partnerProfiles, credential, shows: .partner,
            sends: .form(FormEncoding.body([("SAMLResponse", response)])), mvpd: mvpd)
    }
}
