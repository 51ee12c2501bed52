public import Vocabulary

/// A sign-in protocol, seen from devices: how to ask, and how to read what comes back. A dialect is
/// configured once for a target (address, requestor, format) and holds no state.
///
/// A step that a protocol lacks is nil, as all of them are unless a dialect says otherwise: devices
/// go on without it, and a schedule that names it is refused.
public protocol Dialect: Sendable {
    /// `adobe-pass-v1`.
    var name: String { get }
    /// The shortest poll interval that the protocol allows; faster rigs are warned.
    static var pollFloor: Duration { get }
    /// Whether the service's word for an error is about that setting of the rig.
    static func blames(_ setting: AppSetting, in words: String) -> Bool
    /// The provider that the first browser hop of a sign-in asks for, as it stands there.
    static func provider(askedBy call: Call) -> String?
    /// What a script needs to speak the protocol by itself; nil where nobody writes one.
    static var script: ScriptTerms? { get }
    /// Whether the provider is named to a session before the login (`completeSession`), and kept by the
    /// device; else the login itself names it.
    var hasSessions: Bool { get }
    /// How a person enters a code and decides on it in pages of the service; nil where the login itself
    /// is what signs in.
    var pages: GrantPages? { get }
    /// What the service throttles a device to: requests per second, and the burst it forgives.
    var throttle: (perSecond: Double, burst: Int)? { get }

    /// Requests that tell where the others go, in the order in which they are tried; empty where that is
    /// known.
    func discover(as device: DeviceIdentity) -> [Call]
    /// What a phone sends for a sign-in with `issued` in the place of walking pages, in order; empty
    /// where it walks them. `refuses`: the person says no in the end.
    func phoneCalls(_ issued: IssuedCode, as account: Account, refuses: Bool) -> [PhoneRequest]
    func registerClient(_ statement: Secret, as device: DeviceIdentity) -> Call?
    func accessToken(_ client: ClientCredentials, as device: DeviceIdentity) -> Call?
    /// A request that needs no more than the thing it is about.
    func call(
        _ operation: OperationName, about subject: Subject, _ credential: Credential
    ) -> Call?
    func issueCode(_ credential: Credential, lifetime: Duration?, mvpd: String?) -> Call?
    /// Names the provider that the viewer chose, where that was not done with the code: it is the
    /// second screen's look-up of a typed code as well. Nil: the login itself names it.
    func completeSession(_ code: Code, mvpd: String, _ credential: Credential) -> Call?
    /// First browser hop of a sign-in. `mvpd` is nil where nobody chooses a provider.
    func authenticate(_ issued: IssuedCode, mvpd: String?, _ credential: Credential) -> Call?
    /// A later browser hop: what it is for is read off its address and fields.
    func hop(
        _ method: Method, _ address: WebAddress, form: [(String, String)], referer: WebAddress?
    ) -> Call
    /// A later browser hop of a logout, whatever its address looks like.
    func logoutHop(_ address: WebAddress, referer: WebAddress?) -> Call
    /// Whether a browser that is sent here has come back from the login. A login that ends on a page
    /// of the service's ends where `read` answers `.done` to a hop.
    func isReturn(_ address: WebAddress) -> Bool
    /// Whether the TV is signed in. Without a code: what the TV knows without one; nil where polls
    /// need one.
    func poll(_ issued: IssuedCode?, _ target: PollTarget, _ credential: Credential) -> Call?
    /// First browser hop of a logout that ends the provider's session as well.
    func webLogout(_ credential: Credential) -> Call?
    /// Starts a TempPass.
    func freePreview(mvpd: String, _ credential: Credential) -> Call?
    /// What the platform is to be asked before it vouches for a viewer of `mvpd`.
    func profileRequest(
        mvpd: String, on device: PlatformDevice, _ credential: Credential
    ) -> Call?
    /// Brings the platform's answer to the service; `response` is Base64.
    func tokenExchange(
        _ response: String, mvpd: String, on device: PlatformDevice, _ credential: Credential
    ) -> Call?

    /// Reads a reply by its body before its status. Pure.
    func read(_ reply: Reply, to call: Call) -> Reading
}

/// What a protocol has unless it says otherwise: no step, no limit.
extension Dialect {
    public static var pollFloor: Duration { .zero }
    public static func blames(_: AppSetting, in _: String) -> Bool { false }
    public static func provider(askedBy _: Call) -> String? { nil }
    public static var script: ScriptTerms? { nil }
    public var hasSessions: Bool { false }
    public var pages: GrantPages? { nil }
    public func discover(as _: DeviceIdentity) -> [Call] { [] }
    public func phoneCalls(
        _: IssuedCode, as _: Account, refuses _: Bool
    ) -> [PhoneRequest] { [] }
    public var throttle: (perSecond: Double, burst: Int)? { nil }
    public func registerClient(_: Secret, as _: DeviceIdentity) -> Call? { nil }
    public func accessToken(_: ClientCredentials, as _: DeviceIdentity) -> Call? { nil }
    public func call(
        _: OperationName, about _: Subject, _: Credential
    ) -> Call? { nil }
    public func issueCode(_: Credential, lifetime _: Duration?, mvpd _: String?) -> Call? { nil }
    public func completeSession(_: Code, mvpd _: String, _: Credential) -> Call? { nil }
    public func authenticate(_: IssuedCode, mvpd _: String?, _: Credential) -> Call? { nil }
    public func isReturn(_: WebAddress) -> Bool { false }
    public func poll(_: IssuedCode?, _: PollTarget, _: Credential) -> Call? { nil }
    public func webLogout(_: Credential) -> Call? { nil }
    public func freePreview(mvpd _: String, _: Credential) -> Call? { nil }
    public func profileRequest(mvpd _: String, on _: PlatformDevice, _: Credential) -> Call? { nil }
    public func tokenExchange(
        _: String, mvpd _: String, on _: PlatformDevice, _: Credential
    ) -> Call? { nil }

    public func logoutHop(_ address: WebAddress, referer: WebAddress?) -> Call {
        hop(.get, address, form: [], referer: referer)
    }

    /// A browser's request for a page is a part of the login.
    public func hop(
        _ method: Method, _ address: WebAddress, form: [(String, String)], referer: WebAddress?
    ) -> Call {
        var headers: Headers = ["Accept": "text/html,*/*;q=0.8"]
        if let referer { headers.append("Referer", referer.description) }
        var body: [UInt8] = []
        if method == .post {
            headers.append("Content-Type", "application/x-www-form-urlencoded")
            body = FormEncoding.body(form)
        }
        return Call(.mvpdLogin, method, address, headers: headers, body: body)
    }
}

/// What of an app is registered at the service, and may be refused.
public enum AppSetting: Sendable { case requestor, domain, provider, redirectURL }

/// Names in the documents of a protocol, for programs that speak it without a dialect. A place in a document
/// is a list of names: `*` is the first entry of a map or list, `#` its name.
public struct ScriptTerms: Sendable {
    /// The user, the provider, the expiry and the code in a document.
    public var user, provider, expires, code: [String]
    /// Statuses that say "not there (yet)".
    public var absent: [Int]
    /// A map that is empty where nobody is signed in; empty: the status says it.
    public var map: [String]
    /// A flag that is false where a decision is a denial; empty: the status says it.
    public var permit: [String]
    /// The field by which a form brings the provider's word to the service.
    public var assertion: String
    /// Where the configuration lists providers, and what a list in a map is called.
    public var providers: [String]
    public var providerItem: String

    public init(
        user: [String], provider: [String], expires: [String], code: [String], absent: [Int],
        map: [String] = [], permit: [String] = [], assertion: String, providers: [String],
        providerItem: String = ""
    ) {
        self.user = user
        self.provider = provider
        self.expires = expires
        self.code = code
        self.absent = absent
        self.map = map
        self.permit = permit
        self.assertion = assertion
        self.providers = providers
        self.providerItem = providerItem
    }
}

/// What a request is about; the device that asks, where nothing else is named.
public struct Subject: Sendable {
    public var code: Code?
    public var resources: [String]

    public init(code: Code? = nil, resources: [String] = []) {
        self.code = code
        self.resources = resources
    }
}

/// The requests by their steps, named as in V1: a dialect answers to these names with its own requests,
/// or with nil.
extension Dialect {
    /// Whether somebody is signed in on the device. Nil: the device remembers that itself.
    public func checkAuthentication(_ credential: Credential) -> Call? {
        call(.checkAuthentication, about: Subject(), credential)
    }

    /// The providers on offer. Nil: nobody chooses one, unless the rig or its accounts name some.
    public func configuration(_ credential: Credential) -> Call? {
        call(.configuration, about: Subject(), credential)
    }

    public func record(of code: Code, _ credential: Credential) -> Call? {
        call(.registrationRecord, about: Subject(code: code), credential)
    }

    public func delete(_ code: Code, _ credential: Credential) -> Call? {
        call(.deleteRegistration, about: Subject(code: code), credential)
    }

    /// Whether the login with this code was recorded, asked by whoever made it. Nil: the login's own
    /// end tells.
    public func checkCode(_ code: Code, _ credential: Credential) -> Call? {
        call(.checkCode, about: Subject(code: code), credential)
    }

    /// Nil: whoever is signed in may watch.
    public func authorize(_ resource: String, _ credential: Credential) -> Call? {
        call(.authorize, about: Subject(resources: [resource]), credential)
    }

    public func mediaToken(_ resource: String, _ credential: Credential) -> Call? {
        call(.mediaToken, about: Subject(resources: [resource]), credential)
    }

    /// Nil: the device forgets what it has.
    public func logout(_ credential: Credential) -> Call? {
        call(.logout, about: Subject(), credential)
    }
}

/// Who asks: the device, and what it holds, each nil where the protocol or the rig goes without.
public struct Credential: Sendable {
    public var device: DeviceIdentity
    public var bearer: Secret?
    /// What the sign-in gave the device to show.
    public var session: Secret?
    /// What renews it.
    public var refresh: Secret?
    /// Where the service takes its requests, in protocols in which it tells.
    @Rare public var endpoints: ServerEndpoints?
    /// The provider with which it is signed in, or means to sign in; kept across launches.
    public var mvpd: String?
    /// What else it shows with a request, in protocols that ask for it.
    @Rare public var tokens: IdentityTokens?
    /// Its requests are of another app, to which none of this was issued.
    public var isOfOtherClient = false

    public init(
        device: DeviceIdentity, bearer: Secret?, session: Secret? = nil, mvpd: String? = nil,
        tokens: IdentityTokens? = nil
    ) {
        self.device = device
        self.bearer = bearer
        self.session = session
        self.mvpd = mvpd
        self.tokens = tokens
    }
}

/// Who a device's user is to others than the service: shown with each request, and changing over time
/// (rest-v2.md § 3.2).
public struct IdentityTokens: Hashable, Sendable {
    /// The platform's own word: `Adobe-Subject-Token` (Fire OS), or what a Roku adds by itself.
    public var platform: PlatformIdentity?
    /// `AD-Service-Token`: the word of an identity service of the programmer's.
    public var service: Secret?
    /// Of a promotional TempPass: whom it is for, in clear.
    public var pass: String?
    /// What the platform's account framework says; nil: it was not asked.
    public var partner: PartnerStatus?
    /// `partner` names the account of which the service has made a profile, and is in force.
    public var isVouched = false
    /// One word for whom the tokens name, for the judge: equal for equal users, no secret.
    public var subject: String?

    public enum PlatformIdentity: Hashable, Sendable {
        case fire(Secret)
        case roku(Secret)
    }

    public init(
        platform: PlatformIdentity? = nil, service: Secret? = nil, pass: String? = nil,
        partner: PartnerStatus? = nil, subject: String? = nil
    ) {
        self.platform = platform
        self.service = service
        self.pass = pass
        self.partner = partner
        self.subject = subject
    }
}

/// What a platform's account framework told an app (`AP-Partner-Framework-Status`, rest-v2.md § 3.2).
public struct PartnerStatus: Hashable, Sendable {
    public enum Access: String, Sendable { case granted, denied, restricted, notDetermined }

    public var access: Access
    /// The provider as the platform calls it; nil: none is signed in.
    public var provider: String?
    /// In epoch milliseconds.
    public var expires: Int64?

    public init(access: Access, provider: String? = nil, expires: Int64? = nil) {
        self.access = access
        self.provider = provider
        self.expires = expires
    }
}

/// What a first screen polls for, in protocols that have both (rest-v1.md § 15); others have one.
public enum PollTarget: String, Sendable, CaseIterable {
    /// The token itself.
    case token = "authn"
    /// Whether there is one.
    case check = "checkauthn"
    /// The token, by the code that is to lead to it (observed.md).
    case code
}
