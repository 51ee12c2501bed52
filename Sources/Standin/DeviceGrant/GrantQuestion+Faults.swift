internal import Dialects
internal import Formats
internal import Vocabulary

/// The device grant in the neutral terms of the stand-in's faults.
extension GrantQuestion: ProtocolQuestion {
    /// What a person's button says.
    enum Decision: String { case approve, refuse }

    var decision: Decision? { field("decision").flatMap(Decision.init) }

    private var renews: Bool { field("grant_type") == "refresh_token" }

    var operation: OperationName {
        switch endpoint {
        case .metadata: .serverMetadata
        case .deviceAuthorization: .deviceAuthorization
        case .token: renews ? .refreshToken : .deviceToken
        case .revocation: .revocation
        case .userinfo: .userinfo
        case .entry: .verificationPage
        case .login: .mvpdLogin
        case .decision: decision == .refuse ? .refusal : .approval
        }
    }

    func answer(by service: inout Service, at moment: Moment) -> Reply {
        service.answerGrant(self, at: moment)
    }

    func context(in service: Service, at moment: Moment) -> RequestContext {
        // A poll names the code of its device alone: that the user code may be another's by now is none of
        // its business.
        let code = endpoint == .entry ? userCode.flatMap { CodeKey(userCode: $0) } : nil
        let login = endpoint == .decision ? field("login").flatMap { service.logins[$0] } : nil
        return RequestContext(
            self, request, for: purpose(in: service, at: moment), operation: operation,
            isThrottled: false,
            device: device(in: service), code: code, login: login, resource: nil, in: service,
            at: moment)
    }

    private func device(in service: Service) -> DeviceKey? {
        switch endpoint {
        case .deviceAuthorization: service.nextDevice(of: service.settings.grants.client)
        case .token where !renews: field("device_code").flatMap { service.grants[$0]?.device }
        case .token: field("refresh_token").flatMap { service.grants.token($0)?.device }
        case .revocation: field("token").flatMap { service.grants.token($0)?.device }
        case .userinfo: request.bearer.flatMap { service.grants.token($0)?.device }
        default: nil
        }
    }

    private func purpose(in service: Service, at moment: Moment) -> RequestContext.Purpose {
        switch endpoint {
        case .deviceAuthorization: .issueCode
        case .token where renews: .checkSignIn
        // Of a code that is used up or over no sign-in is read any more.
        case .token: isOver(in: service, at: moment) ? .other : .poll
        case .userinfo: .userMetadata
        case .revocation: .logout
        case .entry: userCode == nil ? .other : .beginLogin
        case .decision: decision == .refuse ? .refuse : .finishLogin
        case .metadata, .login: .other
        }
    }

    private func isOver(in service: Service, at moment: Moment) -> Bool {
        guard let grant = field("device_code").flatMap({ service.grants[$0] }) else { return false }
        return grant.isRedeemed || moment.milliseconds >= grant.expires
    }

    // MARK: Answers

    /// A page of 200 that asks for the code again is no grant of anything.
    func meaning(of reply: Reply) -> AnswerMeaning {
        switch reply.status {
        case 200..<400: return .granted
        case 429: return .throttled
        default: break
        }
        guard operation == .deviceToken, let error = error(of: reply) else { return .refused }
        return error == .authorizationPending || error == .slowDown ? .absent : .refused
    }

    private func error(of reply: Reply) -> GrantError? {
        reply.body[...].between(#""error":""#, "\"").flatMap {
            GrantError(rawValue: String(decoding: $0, as: UTF8.self))
        }
    }

    func reply(_ answer: InjectedAnswer, by service: inout Service, at moment: Moment) -> Reply {
        switch answer {
        case .badRequest: service.refused(.invalidRequest, at: moment)
        case .serverError: service.refused(.serverError, at: moment)
        case .unavailable:
            Reply(status: 503, headers: ["Retry-After": "1", "Content-Type": "text/plain"])
        case .throttled: service.tooManyRequests(at: moment)
        // A sign-in's end is none of a poll's answers (RFC 8628, 3.5): it is told that there is none.
        case .expired: service.refused(.authorizationPending, at: moment)
        }
    }

    func text(of field: AnswerField, in reply: Reply) -> String? { nil }

    func set(_ field: AnswerField, to text: String, in reply: inout Reply) {}
}
