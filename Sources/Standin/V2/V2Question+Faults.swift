internal import Dialects
internal import Formats
internal import Vocabulary

/// V2 in the neutral terms of the stand-in's faults.
extension V2Question: ProtocolQuestion {
    var operation: OperationName? { route.endpoint.operation(request.method) }

    /// All paths below `/api/v2/` (§ 13), A included.
    var isThrottled: Bool {
        switch route.endpoint {
        case .resetPass, .resetGenericPass: false
        default: true
        }
    }

    func answer(by service: inout Service, at moment: Moment) -> Reply {
        service.answerV2(self, at: moment)
    }

    func context(in service: Service, at moment: Moment) -> RequestContext {
        RequestContext(
            self, request, for: purpose(in: service), operation: operation,
            isThrottled: isThrottled,
            device: device(in: service, at: moment), code: code, login: nil, resource: resource,
            in: service, at: moment)
    }

    private var code: CodeKey? {
        switch route.endpoint {
        case .session, .authenticate, .profilesByCode: CodeKey(route.name)
        default: nil
        }
    }

    private var resource: String? {
        switch route.endpoint {
        case .preauthorize, .authorize: resources()?.first
        default: nil
        }
    }

    /// The device with the provider that the call is about: the one it names, or that of its newest
    /// sign-in.
    private func device(in service: Service, at moment: Moment) -> DeviceKey? {
        guard route.endpoint.needsDevice, let device = deviceIdentifier else { return nil }
        let client = request.bearer.flatMap { service.clients.id(of: $0) }
        var key = DeviceKey(requestor: route.requestor, device: device, client: client ?? "-")
        switch route.endpoint {
        case .sessions: key.mvpd = field("mvpd") ?? ""
        case .profiles:
            let newest = service.tokens.providers(of: key).max { left, right in
                service.serial(key.with(mvpd: left)) < service.serial(key.with(mvpd: right))
            }
            key.mvpd = newest ?? partner(in: service, at: moment) ?? ""
        case .partnerRequest: break
        case .partnerProfile:
            return key.with(mvpd: partner(in: service, at: moment) ?? "", isPartner: true)
        default: key.mvpd = route.name
        }
        // The partner's profile counts where there is no other.
        let other = key.with(mvpd: key.mvpd, isPartner: true)
        return service.tokens[key] == nil && service.tokens[other] != nil ? other : key
    }

    /// The provider that the platform names.
    private func partner(in service: Service, at moment: Moment) -> String? {
        let status = PartnerStatus(
            header("AP-Partner-Framework-Status"), at: moment.milliseconds)
        return status.mappingID.flatMap { service.partnerProvider($0)?.id }
    }

    /// P3 is the TV's poll and the phone's check: the TV is the device that the code was made for.
    private func purpose(in service: Service) -> RequestContext.Purpose {
        switch route.endpoint {
        case .sessions: .issueCode
        case .session: .readCode
        case .authenticate: .beginLogin
        case .profilesByCode: isOfFirstScreen(in: service) ? .poll : .checkCode
        case .profiles, .profilesByMVPD: .checkSignIn
        case .preauthorize: .preauthorize
        case .authorize: .authorize
        case .logout: .logout
        default: .other
        }
    }

    private func isOfFirstScreen(in service: Service) -> Bool {
        guard let deviceIdentifier else { return false }
        guard let code, let record = service.codes[code] else { return true }
        return record.device.device == deviceIdentifier
    }

    // MARK: Answers

    /// An empty map is nobody signed in, and a decision that permits nothing a refusal.
    func meaning(of reply: Reply) -> AnswerMeaning {
        switch reply.status {
        case 200..<400:
            switch route.endpoint {
            case .profiles, .profilesByMVPD, .profilesByCode:
                reply.body.span.holds(Self.nobody.utf8Span.span, at: 0) ? .absent : .granted
            case .preauthorize, .authorize:
                reply.body.span.first(Self.permit.utf8Span.span) == nil ? .refused : .granted
            default: .granted
            }
        case 429: .throttled
        default: .refused
        }
    }

    private static let nobody = #"{"profiles":{}"#
    private static let permit = #""authorized":true"#

    func reply(_ answer: InjectedAnswer, by service: inout Service, at moment: Moment) -> Reply {
        switch answer {
        case .badRequest:
            service.refused(V2Error(.internalError, "Bad Request", status: 400), at: moment)
        case .serverError:
            service.refused(V2Error(.internalError, "Internal Server Error"), at: moment)
        case .unavailable:
            service.refused(
                V2Error(.internalError, "Service Unavailable", status: 503), at: moment)
        case .throttled: service.tooManyRequests(at: moment)
        // Expired profiles vanish from the map (§ 6).
        case .expired: service.show([], at: moment)
        }
    }

    func text(of field: AnswerField, in reply: Reply) -> String? {
        place(of: field, in: reply).map { String(decoding: reply.body[$0], as: UTF8.self) }
    }

    func set(_ field: AnswerField, to text: String, in reply: inout Reply) {
        guard let place = place(of: field, in: reply) else { return }
        reply.body.replaceSubrange(place, with: text.utf8)
    }

    /// In the first decision of an answer to Z1 or Z2.
    private func place(of field: AnswerField, in reply: Reply) -> Range<Int>? {
        guard route.endpoint == .authorize || route.endpoint == .preauthorize else { return nil }
        let found =
            switch field {
            case .resource: reply.body[...].between(#""resource":""#, "\"")
            case .mediaToken: reply.body[...].between(#""serializedToken":""#, "\"")
            case .mediaExpiry:
                reply.body[...].between(#""token":{"#, "}")?.between(#""notAfter":"#, ",")
            }
        return found.map { $0.startIndex..<$0.endIndex }
    }
}
