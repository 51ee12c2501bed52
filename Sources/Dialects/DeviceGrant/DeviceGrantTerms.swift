internal import Formats

/// What servers of RFC 8628 do differently: the device's registration there, the addresses of its
/// requests, and how a person's pages are read (`target.device-grant`).
public struct DeviceGrantTerms: Hashable, Sendable {
    /// How a confidential client shows its secret (RFC 6749, 2.3.1).
    public enum Authentication: String, CaseIterable, Sendable {
        /// `client_id` and `client_secret` in the body.
        case body
        /// `Authorization: Basic`.
        case basic
    }

    /// Where a device learns the addresses of its requests.
    public enum Discovery: String, CaseIterable, Sendable {
        /// Not at all where the addresses of codes and tokens are given; else `oauth`, then `openid`.
        case auto
        /// RFC 8414: `/.well-known/oauth-authorization-server` before the path of the issuer.
        case oauth
        /// OpenID Connect Discovery: `/.well-known/openid-configuration` behind the path of the issuer.
        case openid
        case none
    }

    /// What tells whose token a device got.
    public enum UserSource: String, CaseIterable, Sendable {
        /// Nothing does.
        case none
        /// The claims of the `id_token` (OpenID Connect Core, 2).
        case idToken = "id-token"
        /// The claims of an access token that is a JWT (RFC 9068, 2.2).
        case accessToken = "access-token"
        /// The answer of the userinfo endpoint alone.
        case userinfo
    }

    /// Where a phone begins.
    public enum Opens: String, CaseIterable, Sendable {
        /// `verification_uri`: the person types the code in.
        case typed
        /// `verification_uri_complete`, as from a QR code; where there is none, as `typed`.
        case complete
    }

    /// `client_id`.
    public var client = "tv"
    /// Nil: a public client.
    public var secret: Secret?
    public var authentication = Authentication.body
    /// Another app of the server, as which races show what was issued to this one; nil: they do not.
    public var otherClient: String?
    /// Of a confidential one.
    public var otherSecret: Secret?
    /// Space-delimited; empty: the request has none.
    public var scope = ""
    public var discovery = Discovery.auto
    /// Paths behind the base, or whole URLs.
    public var deviceAuthorization: String?
    public var token: String?
    public var revocation: String?
    public var userinfo: String?
    public var userSource = UserSource.none
    /// The claim that names the user.
    public var claim = "sub"
    public var opens = Opens.typed
    /// Buttons of the page that asks the person, as `name=value`; nil: found by their names.
    public var approveButton: String?
    public var refuseButton: String?
    /// Words of the answer to an approval, its page or the target of its redirect, of which one must be
    /// there for it to count; empty: what that answer says is taken for nothing, and the next polls decide.
    public var approvedWhen: [String] = []
    public var refusedWhen: [String] = []
    /// What a phone sends in the place of walking pages; empty: it walks pages.
    public var phone: [PhoneCall] = []

    public init() {}

    /// Where a device looks for the server's endpoints, in that order; empty where the rig names them. `hasAddresses`: it
    /// gives those of codes and of tokens.
    public func metadata(hasAddresses: Bool) -> [Discovery] {
        switch discovery {
        case .none: []
        case .auto: hasAddresses ? [] : [.oauth, .openid]
        case .oauth, .openid: [discovery]
        }
    }

    /// The same app at the stand-in, whose addresses and pages are known.
    public var ofStandin: DeviceGrantTerms {
        var terms = DeviceGrantTerms()
        (terms.client, terms.secret, terms.authentication) = (client, secret, authentication)
        (terms.otherClient, terms.otherSecret) = (otherClient, otherSecret)
        (terms.scope, terms.opens) = (scope, opens)
        terms.userSource = .userinfo
        terms.approvedWhen = ["Device connected"]
        terms.refusedWhen = ["Device turned down"]
        return terms
    }

    /// Whether a person can turn a device down.
    public var canRefuse: Bool { phone.isEmpty || phone.contains { $0.purpose == .refuse } }

    /// A request of a phone whose pages are a program over JSON calls. In `path` and `body` stand
    /// `{user}`, `{password}`, `{code}`, `{client}` and `{scope}` for what a person has typed and the rig
    /// says.
    public struct PhoneCall: Hashable, Sendable {
        /// What it is for.
        public enum Purpose: String, CaseIterable, Sendable {
            case login, code, approve, refuse
        }

        public var purpose: Purpose
        public var method: Method
        public var path: String
        /// JSON; nil: none.
        public var body: String?
        /// Words of the answer, its body or the target of its redirect, of which none may be there.
        public var failedWhen: [String]

        public init(
            _ purpose: Purpose, _ method: Method, _ path: String, body: String? = nil,
            failedWhen: [String] = []
        ) {
            self.purpose = purpose
            self.method = method
            self.path = path
            self.body = body
            self.failedWhen = failedWhen
        }
    }
}

extension DeviceGrantTerms {
    /// Servers whose settings are known (device-grant-servers.md).
    public enum Preset: String, CaseIterable, Sendable {
        case standard
        case djangoAllauth = "django-allauth"
        case djangoOAuthToolkit = "django-oauth-toolkit"
        case glewlwyd

        public var terms: DeviceGrantTerms {
            var terms = DeviceGrantTerms()
            switch self {
            case .standard: break
            case .djangoAllauth:
                terms.discovery = .openid
                terms.scope = "openid"
                terms.userSource = .idToken
                terms.approveButton = "action=confirm"
                terms.refuseButton = "action=deny"
                terms.approvedWhen = ["Device Authorized"]
                terms.refusedWhen = ["Device Denied"]
            case .djangoOAuthToolkit:
                terms.scope = "read"
                terms.deviceAuthorization = "/o/device-authorization/"
                terms.token = "/o/token/"
                terms.revocation = "/o/revoke_token/"
                terms.approveButton = "action=accept"
                terms.refuseButton = "action=deny"
                terms.approvedWhen = ["/device-grant-status/"]
                terms.refusedWhen = ["/device-grant-status/"]
            case .glewlwyd:
                terms.scope = "watch"
                terms.deviceAuthorization = "/api/tv/device_authorization/"
                terms.token = "/api/tv/token/"
                terms.userSource = .accessToken
                terms.claim = "username"
                terms.approvedWhen = ["prompt=deviceComplete"]
                terms.phone = [
                    PhoneCall(
                        .login, .post, "/api/auth/",
                        body: #"{"username":"{user}","password":"{password}"}"#),
                    PhoneCall(
                        .login, .put, "/api/auth/grant/{client}", body: #"{"scope":"{scope}"}"#),
                    PhoneCall(
                        .code, .get, "/api/tv/device?code={code}",
                        failedWhen: ["prompt=deviceCodeError"]),
                    PhoneCall(.approve, .get, "/api/tv/device?code={code}&g_continue"),
                ]
            }
            return terms
        }
    }
}

/// Where a server takes the requests of a device.
public struct ServerEndpoints: Hashable, Sendable {
    public var deviceAuthorization: WebAddress
    public var token: WebAddress
    public var revocation: WebAddress?
    public var userinfo: WebAddress?

    public init(
        deviceAuthorization: WebAddress, token: WebAddress, revocation: WebAddress? = nil,
        userinfo: WebAddress? = nil
    ) {
        self.deviceAuthorization = deviceAuthorization
        self.token = token
        self.revocation = revocation
        self.userinfo = userinfo
    }
}

/// What a device holds after a sign-in, where the service gives it something to show.
public struct DeviceSession: Hashable, Sendable {
    /// What its requests show.
    public var access: Secret
    /// What renews it; nil where it cannot be.
    public var refresh: Secret?

    public init(access: Secret, refresh: Secret? = nil) {
        self.access = access
        self.refresh = refresh
    }
}

/// How the pages of a device grant are walked, for whoever walks them.
public struct GrantPages: Hashable, Sendable {
    public var approveButton: String?
    public var refuseButton: String?

    public init(approveButton: String? = nil, refuseButton: String? = nil) {
        self.approveButton = approveButton
        self.refuseButton = refuseButton
    }
}
