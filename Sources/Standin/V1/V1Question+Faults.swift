internal import Dialects
internal import Vocabulary

/// V1 in the neutral terms of the stand-in's faults.
extension V1Question: ProtocolQuestion {
    func answer(by service: inout Service, at moment: Moment) -> Reply {
        service.answerV1(self, at: moment)
    }

    /// The hops of a logout belong to the protocol that it was made in; V2's name the device
    /// (rest-v2.md § 9).
    var operation: OperationName? {
        switch route.endpoint {
        case .logoutHop, .providerLogout: self["pt_device_id"] == nil ? .logout : .mvpdLogout
        default: route.endpoint.operation(request.method)
        }
    }

    func context(in service: Service, at moment: Moment) -> RequestContext {
        RequestContext(
            self, request, for: purpose, operation: operation,
            isThrottled: route.endpoint.isThrottled, device: device,
            code: CodeKey(route.code) ?? self["reg_code"].flatMap { CodeKey($0) },
            login: self["RelayState"].flatMap { service.logins[$0] }, resource: self["resource"],
            in: service, at: moment)
    }

    private var device: DeviceKey? {
        guard let requestor = self.requestor ?? (route.name.isEmpty ? nil : route.name),
            let device = self["deviceId"]
        else { return nil }
        return DeviceKey(
            requestor: requestor, device: device, user: self["deviceUser"] ?? "",
            app: self["appId"] ?? "")
    }

    private var purpose: RequestContext.Purpose {
        switch route.endpoint {
        case .registrationCode: .issueCode
        case .registrationRecord: request.method == .delete ? .deleteCode : .readCode
        case .authenticate: .beginLogin
        case .assertion: .finishLogin
        case .checkCode: .checkCode
        case .pollToken: request.method == .get ? .poll : .other
        case .tokenOfCode: .poll
        case .checkAuthentication: .checkSignIn
        case .preauthorize: .preauthorize
        case .authorize: .authorize
        case .authorizationToken: .readAuthorization
        case .mediaToken: .mediaToken
        case .userMetadata: .userMetadata
        case .logout: .logout
        case .logoutHop, .providerLogout: .logoutHop
        default: .other
        }
    }

    // MARK: Answers

    func meaning(of reply: Reply) -> AnswerMeaning {
        switch reply.status {
        case 200..<400: .granted
        case 404 where purpose == .poll: .absent
        case 429: .throttled
        default: .refused
        }
    }

    func reply(_ answer: InjectedAnswer, by service: inout Service, at moment: Moment) -> Reply {
        switch answer {
        case .badRequest: service.reply(ClassicError(400, "Bad Request"), self, at: moment)
        case .serverError:
            service.reply(ClassicError(500, "Internal Server Error"), self, at: moment)
        case .unavailable:
            service.reply(ClassicError(503, "Service Unavailable"), self, at: moment)
        case .throttled: service.tooManyRequests(at: moment)
        case .expired: service.reply(.gone, self, at: moment)
        }
    }

    func text(of field: AnswerField, in reply: Reply) -> String? {
        let (head, tail) = Self.marks(of: field, in: reply)
        return reply.body[...].between(head, tail).map { String(decoding: $0, as: UTF8.self) }
    }

    func set(_ field: AnswerField, to text: String, in reply: inout Reply) {
        let (head, tail) = Self.marks(of: field, in: reply)
        guard let former = reply.body[...].between(head, tail) else { return }
        reply.body.replaceSubrange(former.startIndex..<former.endIndex, with: text.utf8)
    }

    /// What stands before and behind the text of a member, in JSON or XML.
    private static func marks(of field: AnswerField, in reply: Reply) -> (String, String) {
        let name =
            switch field {
            case .resource: "resource"
            case .mediaToken: "serializedToken"
            case .mediaExpiry: "expires"
            }
        let isXML = reply.headers["Content-Type"]?.contains("xml") ?? false
        return isXML ? ("<\(name)>", "</\(name)>") : ("\"\(name)\":\"", "\"")
    }
}
