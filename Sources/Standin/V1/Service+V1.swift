internal import Dialects
internal import Journal

/// REST V1 over the stores: rest-v1.md, with the readings of its § 17.
extension Service {
    mutating func answerV1(_ question: V1Question, at moment: Moment) -> Reply {
        let reply = throttled(question, at: moment) ?? admitted(question, at: moment)
        counters.count(question.operation, status: reply.status)
        return reply
    }

    /// § 14: in front of everything else, so that not even a bad method is answered.
    private mutating func throttled(_ question: V1Question, at moment: Moment) -> Reply? {
        guard throttle != nil, question.route.endpoint.isThrottled else { return nil }
        let identity = question.request.throttleIdentity
        if throttle?.admits(identity, at: moment.now) == true { return nil }
        counters.throttled += 1
        return tooManyRequests(at: moment)
    }

    mutating func tooManyRequests(at moment: Moment) -> Reply {
        Reply(
            status: 429,
            headers: [
                "Date": date(at: moment), "Content-Type": "text/html", "Server": "openresty",
            ], body: Pages.tooManyRequests)
    }

    private mutating func admitted(_ question: V1Question, at moment: Moment) -> Reply {
        do throws(ClassicError) {
            let endpoint = question.route.endpoint
            guard endpoint != .unknown, endpoint != .listed else { throw ClassicError.noRecord }
            guard endpoint.allows(question.request.method) else {
                var reply = reply(ClassicError.methodNotAllowed, question, at: moment)
                reply.headers.append("Allow", endpoint.allowed)
                return reply
            }
            if let refusal = refusal(question, at: moment) { return refusal }
            return try dispatch(question, at: moment)
        } catch {
            return reply(error, question, at: moment)
        }
    }

    /// The answer to a client that does not show who it is; nil where it does, or need not.
    private mutating func refusal(_ question: V1Question, at moment: Moment) -> Reply? {
        let (endpoint, method) = (question.route.endpoint, question.request.method)
        guard settings.auth != .none, endpoint.needsBearer(method) else { return nil }
        if let bearer = question.bearer {
            let isGood = clients.accepts(bearer, for: .v1, at: moment.milliseconds)
            return isGood ? nil : turnedDown(bearer, at: moment)
        }
        if settings.auth == .any, let signature = question.signature {
            return settings.requestor(signature.requestor) == nil ? denied(at: moment) : nil
        }
        // What real second screens send without one (observed.md).
        if settings.fidelity == .lenient, endpoint.isAskedBare(method) { return nil }
        return denied(at: moment)
    }

    // MARK: Replies

    /// Headers of every answer but 429: `Adobe-Request-Id` everywhere (§ 3.2, own).
    mutating func headers(_ contentType: String?, at moment: Moment) -> Headers {
        var fields: [Headers.Field] = []
        fields.reserveCapacity(5)
        fields.append(.init("Date", date(at: moment)))
        fields.append(.init("Adobe-Request-Id", ids.response()))
        if let contentType { fields.append(.init("Content-Type", contentType)) }
        return Headers(fields)
    }

    mutating func reply(
        _ error: ClassicError, _ question: V1Question, at moment: Moment
    ) -> Reply {
        if let code = error.code, wantsEnhanced(question) {
            let trace = ids.response()
            return reply(error.status, root: "error", question, at: moment) {
                EnhancedError.write(
                    code, status: error.status, message: error.message, details: error.details,
                    trace: trace, to: &$0)
            }
        }
        let format = question.format
        return Reply(
            status: error.status, headers: headers(format.contentType, at: moment),
            body: format == .json ? error.json : error.xml)
    }

    mutating func reply(
        _ status: Int, root: String, _ question: V1Question, at moment: Moment,
        _ content: (inout DocumentWriter) -> Void
    ) -> Reply {
        let format = question.format
        return Reply(
            status: status, headers: headers(format.contentType, at: moment),
            body: DocumentWriter.document(format, root: root, content))
    }

    /// JSON, whatever was asked.
    mutating func json(
        _ status: Int, at moment: Moment, _ content: (inout DocumentWriter) -> Void
    ) -> Reply {
        Reply(
            status: status, headers: headers(Spelling.json.contentType, at: moment),
            body: DocumentWriter.json(content))
    }

    /// 200 without a body (N2, N3), or 204.
    mutating func empty(_ status: Int, at moment: Moment) -> Reply {
        Reply(status: status, headers: headers(nil, at: moment))
    }

    /// `{"error": …}`: registration and bearer errors are JSON, whatever was asked (§ 5).
    mutating func reply(_ status: Int, error: String, at moment: Moment) -> Reply {
        json(status, at: moment) { $0.text("error", error) }
    }

    /// Whether the requestor of this call has opted in (§ 4).
    func wantsEnhanced(_ question: V1Question) -> Bool {
        if settings.enhancedErrors { return true }
        guard settings.requestors.contains(where: \.enhancedErrors) else { return false }
        let id =
            question.requestor ?? question["requestor_id"]
            ?? (question.route.name.isEmpty ? nil : question.route.name)
        return id.flatMap(settings.requestor)?.enhancedErrors ?? false
    }

    /// A bearer that is not good: its client is gone (403, register again), or the token itself is
    /// (401, ask for another; § 5).
    private mutating func turnedDown(_ bearer: Substring, at moment: Moment) -> Reply {
        if case .orphaned = clients.standing(of: bearer, at: moment.milliseconds) {
            return reply(403, error: "invalid_client", at: moment)
        }
        return denied(at: moment)
    }

    private mutating func denied(at moment: Moment) -> Reply {
        reply(401, error: "access_denied", at: moment)
    }

    // MARK: Who asks

    /// The requestor of a call, known to us.
    func requestor(_ id: String) throws(ClassicError) -> ServiceSettings.Requestor {
        guard let requestor = settings.requestor(id) else { throw .unknownRequestor(id) }
        return requestor
    }

    /// What every first-screen call carries (§ 3.1): requestor, device id, device information.
    mutating func device(_ question: V1Question) throws(ClassicError) -> DeviceKey {
        guard let requestor = question.requestor else { throw .missing("requestor") }
        guard settings.requestor(requestor) != nil else { throw .unknownRequestor(requestor) }
        let device = try question.required("deviceId")
        _ = try deviceInfo(question)
        return DeviceKey(
            requestor: requestor, device: device, user: question["deviceUser"] ?? "",
            app: question["appId"] ?? "")
    }

    /// The normalised device information; from `User-Agent` where none was sent, in lenient mode.
    mutating func deviceInfo(_ question: V1Question) throws(ClassicError) -> String? {
        guard let text = question.request.headers["X-Device-Info"] ?? question["device_info"] else {
            guard settings.fidelity == .lenient else { throw .missing("X-Device-Info") }
            return nil
        }
        guard let normalised = deviceInfos.normalised(text) else { throw .invalidDeviceInfo }
        return normalised
    }
}
