internal import Formats
public import Vocabulary

/// The OAuth 2.0 Device Authorization Grant as devices and browsers speak it (RFC 8628; § stands for a
/// section of it).
public struct DeviceGrant: Dialect {
    /// Origin of all paths.
    public let origin: Origin
    /// Before every path; the path of the issuer, usually empty.
    public let prefix: String
    public let terms: DeviceGrantTerms
    /// What the terms give; nil where they leave it to discovery.
    let given: ServerEndpoints?

    public init(origin: Origin, prefix: String = "", terms: DeviceGrantTerms = DeviceGrantTerms()) {
        self.origin = origin
        self.prefix = prefix
        self.terms = terms
        let base = WebAddress(origin: origin, target: prefix + "/")
        func address(_ text: String?) -> WebAddress? {
            text.flatMap { $0.hasPrefix("/") ? base.resolving(prefix + $0) : WebAddress($0) }
        }
        if let codes = address(terms.deviceAuthorization), let token = address(terms.token) {
            given = ServerEndpoints(
                deviceAuthorization: codes, token: token, revocation: address(terms.revocation),
                userinfo: address(terms.userinfo))
        } else {
            given = nil
        }
    }

    public var name: String { "oauth-device-grant" }
    public var pages: GrantPages? {
        GrantPages(approveButton: terms.approveButton, refuseButton: terms.refuseButton)
    }

    /// RFC 8414, 3.1 puts the well-known part between host and path of the issuer; OpenID Connect
    /// Discovery, 4 behind both.
    public func discover(as device: DeviceIdentity) -> [Call] {
        let targets = terms.metadata(hasAddresses: given != nil).map {
            $0 == .oauth
                ? "/.well-known/oauth-authorization-server" + prefix
                : prefix + "/.well-known/openid-configuration"
        }
        return targets.enumerated().map { position, target in
            var call = Call(
                .serverMetadata, .get, WebAddress(origin: origin, target: target),
                headers: ["Accept": "application/json"])
            // Where there is another one to ask, this one may be missing.
            call.provoked = position + 1 < targets.count
            return call
        }
    }

    /// § 3.1. How long a code lives is for the server to say.
    public func issueCode(_ credential: Credential, lifetime _: Duration?, mvpd _: String?) -> Call?
    {
        guard let endpoints = endpoints(credential) else { return nil }
        let scope = terms.scope.isEmpty ? [] : [("scope", terms.scope)]
        return post(.deviceAuthorization, endpoints.deviceAuthorization, scope, credential)
    }

    /// § 3.3: the page that came with the code.
    public func authenticate(_ issued: IssuedCode, mvpd _: String?, _: Credential) -> Call? {
        let complete = terms.opens == .complete ? issued.completePage : nil
        guard terms.phone.isEmpty, let page = complete ?? issued.page else { return nil }
        var call = Call(
            .verificationPage, .get, page, headers: ["Accept": BrowserHops.accept])
        call.code = issued.code
        return call
    }

    public func phoneCalls(
        _ issued: IssuedCode, as account: Account, refuses: Bool
    ) -> [PhoneRequest] {
        let left: DeviceGrantTerms.PhoneCall.Purpose = refuses ? .approve : .refuse
        return terms.phone.filter { $0.purpose != left }.map { step in
            phoneCall(step, issued, account)
        }
    }

    /// § 3.4.
    public func poll(_ issued: IssuedCode?, _: PollTarget, _ credential: Credential) -> Call? {
        guard let issued, let key = issued.pollKey, let endpoints = endpoints(credential) else {
            return nil
        }
        var call = post(
            credential.isOfOtherClient ? .otherClientToken : .deviceToken, endpoints.token,
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                ("device_code", key.reveal()),
            ], credential)
        call.code = issued.code
        return call
    }

    /// What needs no more than what the device holds: nothing where it holds none, or the server has no
    /// such endpoint.
    public func call(
        _ operation: OperationName, about _: Subject, _ credential: Credential
    ) -> Call? {
        guard let endpoints = endpoints(credential) else { return nil }
        switch operation {
        case .deviceAuthorization, .registrationCode:
            return issueCode(credential, lifetime: nil, mvpd: nil)
        case .refreshToken:
            guard let refresh = credential.refresh else { return nil }
            // RFC 6749, 6.
            var call = post(
                credential.isOfOtherClient ? .otherClientRefresh : .refreshToken, endpoints.token,
                [("grant_type", "refresh_token"), ("refresh_token", refresh.reveal())], credential)
            call.token = refresh
            return call
        case .userinfo, .userMetadata, .checkAuthentication:
            guard let userinfo = endpoints.userinfo, let token = credential.session else {
                return nil
            }
            // RFC 6750, 2.1.
            var call = Call(
                .userinfo, .get, userinfo,
                headers: [
                    "Accept": "application/json", "Authorization": "Bearer " + token.reveal(),
                ])
            call.token = token
            return call
        case .revocation, .logout:
            guard let address = endpoints.revocation,
                let token = credential.refresh ?? credential.session
            else { return nil }
            // RFC 7009, 2.1: with a refresh token goes what was issued for the same grant (SHOULD).
            let hint = credential.refresh == nil ? "access_token" : "refresh_token"
            var call = post(
                credential.isOfOtherClient ? .otherClientRevocation : .revocation, address,
                [("token", token.reveal()), ("token_type_hint", hint)], credential)
            call.token = token
            return call
        default: return nil
        }
    }

    // MARK: Building blocks

    private func endpoints(_ credential: Credential) -> ServerEndpoints? {
        guard let found = credential.endpoints else { return given }
        guard let given else { return found }
        return ServerEndpoints(
            deviceAuthorization: given.deviceAuthorization, token: given.token,
            revocation: given.revocation ?? found.revocation,
            userinfo: given.userinfo ?? found.userinfo)
    }

    /// A form of the client's: RFC 6749, 2.3.1 for a confidential one, 3.2.1 for a public one.
    private func post(
        _ operation: OperationName, _ address: WebAddress, _ fields: [(String, String)],
        _ credential: Credential
    ) -> Call {
        let isOther = credential.isOfOtherClient
        let client = isOther ? terms.otherClient ?? "" : terms.client
        let secret = isOther ? terms.otherSecret : terms.secret
        var fields = fields
        var headers: Headers = [
            "Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded",
        ]
        switch (secret, terms.authentication) {
        case (let secret?, .basic):
            let pair =
                FormEncoding.encode(client) + ":" + FormEncoding.encode(secret.reveal())
            headers.append("Authorization", "Basic " + Base64.encode(pair.utf8))
        case (let secret?, .body):
            fields += [("client_id", client), ("client_secret", secret.reveal())]
        case (nil, _): fields.append(("client_id", client))
        }
        var call = Call(
            operation, .post, address, headers: headers, body: FormEncoding.body(fields))
        // It is there to be turned down.
        call.provoked = isOther
        return call
    }

    private func phoneCall(
        _ step: DeviceGrantTerms.PhoneCall, _ issued: IssuedCode, _ account: Account
    ) -> PhoneRequest {
        let values = [
            ("{user}", account.user), ("{password}", account.password.reveal()),
            ("{code}", issued.typed), ("{client}", terms.client), ("{scope}", terms.scope),
        ]
        func filled(_ text: String, _ written: (String) -> String) -> String {
            values.reduce(text) { $0.replacing($1.0, with: written($1.1)) }
        }
        let operation: OperationName =
            switch step.purpose {
            case .login: .mvpdLogin
            case .code: .verificationPage
            case .approve: .approval
            case .refuse: .refusal
            }
        let target = prefix + filled(step.path, FormEncoding.encode)
        var headers: Headers = ["Accept": "application/json, */*;q=0.8"]
        var body: [UInt8] = []
        if let text = step.body {
            headers.append("Content-Type", "application/json")
            body = Array(filled(text) { String(JSONText.quoted($0).dropFirst().dropLast()) }.utf8)
        }
        var call = Call(
            operation, step.method, WebAddress(origin: origin, target: target), headers: headers,
            body: body)
        call.code = issued.code
        return PhoneRequest(
            call: call, typesPassword: step.body?.contains("{password}") ?? false,
            failedWhen: step.failedWhen)
    }
}

/// A request that a phone sends by itself, without a page that asks for it.
public struct PhoneRequest: Sendable {
    public var call: Call
    /// The person types for it.
    public var typesPassword: Bool
    /// Words of the answer, its body or the target of its redirect, of which none may be there.
    public var failedWhen: [String]
}
