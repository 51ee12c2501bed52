internal import Formats
public import Vocabulary

/// How the requests of rest-v2.md § 2 are written.
extension V2 {
    /// What needs no more than the thing it is about: by V1's name of the step, or by its own.
    public func call(
        _ operation: OperationName, about subject: Subject, _ credential: Credential
    ) -> Call? {
        switch operation {
        // A device that has kept its provider asks for that alone (§ 6).
        case .checkAuthentication: oneProfile(credential) ?? allProfiles(credential)
        case .profiles: allProfiles(credential)
        case .profilesByMVPD: oneProfile(credential)
        case .checkCode, .profilesByCode:
            subject.code.map { profiles(of: $0, credential) }
        case .pollToken:
            subject.code.map { profiles(of: $0, credential) } ?? allProfiles(credential)
        case .configuration: call(.configuration, paths.configuration, credential)
        case .registrationRecord, .sessionByCode:
            subject.code.map { session(of: $0, credential) }
        case .registrationCode, .createSession:
            issueCode(credential, lifetime: nil, mvpd: credential.mvpd)
        case .resumeSession: resumedSession(subject, credential)
        case .preauthorize:
            decide(.preauthorize, paths.preauthorize, subject.resources, credential)
        case .authorize: authorization(of: subject, credential)
        case .logout: logout(credential)
        case .partnerRequest: partnerRequest(credential.mvpd, credential)
        default: nil
        }
    }

    private func resumedSession(_ subject: Subject, _ credential: Credential) -> Call? {
        guard let code = subject.code, let mvpd = credential.mvpd else { return nil }
        return completeSession(code, mvpd: mvpd, credential)
    }

    /// P1.
    func allProfiles(_ credential: Credential) -> Call {
        call(.profiles, paths.profiles, credential, shows: [.identity, .partner])
    }

    /// P2.
    private func oneProfile(_ credential: Credential) -> Call? {
        guard let mvpd = credential.mvpd else { return nil }
        return call(
            .profilesByMVPD, String(joining: paths.profiles, "/", FormEncoding.encode(mvpd)),
            credential, shows: [.identity, .partner, .pass], mvpd: mvpd)
    }

    /// P3: the same request on both screens.
    func profiles(of code: Code, _ credential: Credential) -> Call {
        call(
            .profilesByCode,
            String(joining: paths.profilesByCode, FormEncoding.encode(code.text)), credential,
            shows: .pass, code: code)
    }

    /// S3.
    private func session(of code: Code, _ credential: Credential) -> Call {
        call(
            .sessionByCode, String(joining: paths.sessions, "/", FormEncoding.encode(code.text)),
            credential, code: code)
    }

    /// Z2: one resource, for that is what services allow (§ 7).
    private func authorization(of subject: Subject, _ credential: Credential) -> Call? {
        guard let resource = subject.resources.first else { return nil }
        return decide(.authorize, paths.authorize, [resource], credential, about: resource)
    }

    /// Z1 and Z2.
    private func decide(
        _ operation: OperationName, _ path: String, _ resources: [String],
        _ credential: Credential, about resource: String? = nil
    ) -> Call? {
        guard let mvpd = credential.mvpd else { return nil }
        var body: [UInt8] = []
        body.reserveCapacity(resources.reduce(16) { $0 + $1.utf8.count + 3 })
        body.append(contentsOf: "{\"resources\":[".utf8)
        for position in resources.indices {
            if position > 0 { body.append(UInt8(ascii: ",")) }
            JSONText.appendQuoted(resources[position], to: &body)
        }
        body.append(contentsOf: "]}".utf8)
        return call(
            operation, String(joining: path, FormEncoding.encode(mvpd)), credential,
            shows: [.identity, .partner, .pass], sends: Content(type: "application/json", body),
            mvpd: mvpd, resource: resource)
    }

    /// L.
    func logout(_ credential: Credential) -> Call? {
        guard let mvpd = credential.mvpd else { return nil }
        return call(
            .logout, String(joining: paths.logout, FormEncoding.encode(mvpd), paths.logoutQuery),
            credential, shows: .identity, mvpd: mvpd)
    }

    /// X1. It names no provider: that follows from what the platform says (§ 8.3).
    func partnerRequest(_ mvpd: String?, _ credential: Credential) -> Call {
        call(
            .partnerRequest, paths.partnerSessions, credential, shows: .partner,
            sends: .form(returnForm(nil)), mvpd: mvpd)
    }

    // MARK: Building blocks

    /// Which of a credential's tokens a call lists (§ 3.1).
    struct Shown: OptionSet {
        let rawValue: UInt8
        /// Of the platform and of the programmer's identity service.
        static let identity = Shown(rawValue: 1)
        /// What the platform's account framework says.
        static let partner = Shown(rawValue: 2)
        /// Whom a promotional TempPass is for.
        static let pass = Shown(rawValue: 4)
    }

    func address(_ target: String) -> WebAddress {
        WebAddress(origin: origin, target: target)
    }

    /// `mvpd`, `domainName`, `redirectUrl`, in that order.
    func returnForm(_ mvpd: String?) -> [UInt8] {
        guard let mvpd else { return Array(returnFields.dropFirst()) }
        let width = 5 + PercentEncoding.width(of: mvpd) + returnFields.count
        return [UInt8](capacity: width) { form in
            form.append("mvpd=".utf8Span.span)
            PercentEncoding.append(mvpd, to: &form)
            form.append(returnFields.span)
        }
    }

    /// The body of a POST.
    struct Content {
        let type: String
        let body: [UInt8]

        init(type: String, _ body: [UInt8]) {
            self.type = type
            self.body = body
        }

        static func form(_ body: [UInt8]) -> Content {
            Content(type: "application/x-www-form-urlencoded", body)
        }
    }

    /// A GET, or a POST of `content`, with the headers of both screens (B1) and the tokens that it lists. The
    /// service reads device headers only where § 3.1 has them. A call is made in one go: to change one that was
    /// returned copies it.
    func call(
        _ operation: OperationName, _ target: String, _ credential: Credential,
        shows tokens: Shown = [], sends content: Content? = nil, code: Code? = nil,
        mvpd: String? = nil, resource: String? = nil
    ) -> Call {
        var headers = Self.applicationHeaders(credential.device)
        if let bearer = credential.bearer {
            headers.append("Authorization", "Bearer " + bearer.reveal())
        }
        headers.append("AP-Device-Identifier", credential.device.fingerprint)
        let held = credential.tokens
        held?.show(tokens, in: &headers)
        if let content { headers.append("Content-Type", content.type) }
        return Call(
            operation, content == nil ? .get : .post, address(target), headers: headers,
            body: content?.body ?? [], code: code, resource: resource, mvpd: mvpd,
            subject: held?.subject,
            isVouched: tokens.contains(.partner) && held?.isVouched == true)
    }

    /// Of every request that an app makes by itself. The device's information is Base64 alone (§ 3.2).
    static func applicationHeaders(_ device: DeviceIdentity) -> Headers {
        var headers = Headers()
        headers.reserve(usualHeaders)
        headers.append("Accept", "application/json")
        headers.append("X-Device-Info", device.info.plainHeader)
        return headers
    }

    /// Ours; the lane, which copies a call before it adds its own, makes room for those.
    private static let usualHeaders = 6
}

extension IdentityTokens {
    /// Fire OS has its token on all calls of the first screen (B38); the others where a call lists them.
    fileprivate func show(_ shown: V2.Shown, in headers: inout Headers) {
        switch platform {
        case .fire(let token): headers.append("Adobe-Subject-Token", token.reveal())
        case .roku(let token) where shown.contains(.identity):
            headers.append("X-Roku-Reserved-Roku-Connect-Token", token.reveal())
        default: break
        }
        if let service, shown.contains(.identity) {
            headers.append("AD-Service-Token", service.reveal())
        }
        if let partner, shown.contains(.partner) {
            headers.append("AP-Partner-Framework-Status", partner.header)
        }
        if let pass, shown.contains(.pass) {
            headers.append("AP-TempPass-Identity", Base64.encode(pass.utf8))
        }
    }
}

extension PartnerStatus {
    /// § 3.2: Base64 of its JSON, both objects there; times are strings.
    fileprivate var header: String {
        var fields: [String] = []
        if let provider { fields.append("\"id\":\(JSONText.quoted(provider))") }
        if let expires { fields.append("\"expirationDate\":\"\(expires)\"") }
        let json =
            "{\"frameworkPermissionInfo\":{\"accessStatus\":\"\(access.rawValue)\"},"
            + "\"frameworkProviderInfo\":{\(fields.joined(separator: ","))}}"
        return Base64.encode(json.utf8)
    }
}
