internal import Dialects
internal import Signing

/// TempPass: N5, and what it means for an authorization.
extension Service {
    /// N5.
    mutating func freePreview(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let requestor = try requestor(try question.required("requestor_id"))
        let device = try question.required("deviceId")
        let mvpd = try question.required("mso_id")
        let domain = try question.required("domain_name")
        _ = try deviceInfo(question)
        guard let provider = settings.provider(mvpd, of: requestor) else {
            throw .unknownIntegration(mvpd)
        }
        guard let time = provider.passTime else {
            throw ClassicError(400, "'\(mvpd)' is no TempPass provider")
        }
        try checkDomain(domain, of: requestor)
        let scope = try GenericData.scope(question["generic_data"])
        let pass = PassKey(requestor: requestor.id, mvpd: mvpd, device: device, scope: scope)
        if let end = passes.end(of: pass, lasting: time.wholeMilliseconds),
            moment.milliseconds >= end
        {
            throw ClassicError(400, "The TempPass of this device is used up")
        }
        let ttl = provider.authenticationTTL ?? settings.authenticationTTL
        let key = DeviceKey(
            requestor: requestor.id, device: device, user: question["deviceUser"] ?? "",
            app: question["appId"] ?? "")
        _ = tokens.signIn(
            key, mvpd: mvpd, user: "temp-\(device)", code: nil, at: moment.milliseconds,
            ttl: ttl.wholeMilliseconds, origin: .pass(pass))
        counters.signIns += 1
        return empty(204, at: moment)
    }

    /// The end of a trial that an authorization stands under, which begins with the first; nil for
    /// a sign-in that is none.
    mutating func passEnd(of signIn: SignIn, at moment: Moment) -> Int64? {
        guard case .pass(let key) = signIn.origin,
            let time = settings.provider(signIn.mvpd)?.passTime
        else { return nil }
        passes.begin(key, at: moment.milliseconds)
        return passes.end(of: key, lasting: time.wholeMilliseconds)
    }
}

/// `generic_data`: a JSON object, or, as the page's own sample has it, one in parentheses (A13).
enum GenericData {
    static func scope(_ text: String?) throws(ClassicError) -> String {
        guard let text else { return "" }
        var bytes = Array(text.utf8)
        if bytes.first == UInt8(ascii: "("), bytes.last == UInt8(ascii: ")") {
            bytes[0] = UInt8(ascii: "{")
            bytes[bytes.count - 1] = UInt8(ascii: "}")
        }
        guard case .object(let members)? = JSONValue(bytes) else {
            throw ClassicError(400, "Invalid 'generic_data': it must be a JSON object")
        }
        return members.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value.spelled ?? "")" }.joined(separator: "&")
    }
}
