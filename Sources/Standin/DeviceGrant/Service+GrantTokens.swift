internal import Dialects
internal import Formats
internal import Journal

/// What devices ask for: codes, tokens, whose they are, and their end.
extension Service {
    /// RFC 8628, 3.1 and 3.2.
    mutating func issueCodes(
        _ question: GrantQuestion, at moment: Moment
    ) throws(GrantError) -> Reply {
        let client = try client(question)
        let life = settings.codeTTL.wholeMilliseconds
        let registrant = Registrant(
            deviceInfo: "", userAgent: question.request.headers["User-Agent"] ?? "",
            registrationURL: nil, deviceType: "", appVersion: "", software: nil)
        let device = nextDevice(of: client)
        let record = codes.issue(
            for: device, mvpd: nil, at: moment.milliseconds, ttl: life, registrant: registrant,
            supersedes: false, spelling: .user, ids: &ids)
        let code = grants.issue(
            DeviceGrant(
                client: client, device: device, code: record.key, record: record.id,
                expires: record.expires, interval: settings.grants.interval, lastPoll: moment.now),
            ids: &ids)
        counters.codesIssued += 1
        let page = origin(of: question) + GrantEndpoint.entry.rawValue
        let interval = settings.grants.interval.components.seconds
        return told(at: moment) {
            $0.text("device_code", code)
            $0.text("user_code", record.text)
            $0.text("verification_uri", page)
            $0.text("verification_uri_complete", "\(page)?user_code=\(record.text)")
            $0.number("expires_in", life / 1000)
            $0.number("interval", interval)
        }
    }

    /// The device that the next code stands for: each is one of its own.
    func nextDevice(of client: String) -> DeviceKey {
        guard let key = ids.key else {
            return DeviceKey(requestor: client, device: "grant-\(codes.issued + 1)")
        }
        return DeviceKey(requestor: client, device: "grant-\(key.household)-\(key.request)")
    }

    /// RFC 8628, 3.4, and RFC 6749, 6.
    mutating func exchange(
        _ question: GrantQuestion, at moment: Moment
    ) throws(GrantError) -> Reply {
        let client = try client(question)
        switch question.field("grant_type") {
        case Self.deviceGrantType: return try poll(question, of: client, at: moment)
        case "refresh_token": return try renew(question, of: client, at: moment)
        case nil: throw .invalidRequest
        default: throw .unsupportedGrantType
        }
    }

    private mutating func poll(
        _ question: GrantQuestion, of client: String, at moment: Moment
    ) throws(GrantError) -> Reply {
        guard let code = question.field("device_code") else { throw .invalidRequest }
        guard var grant = grants[code], grant.client == client, !grant.isRedeemed else {
            throw .invalidGrant
        }
        // Before everything else: a code that is over leads to nothing, whatever was decided.
        guard moment.milliseconds < grant.expires else { throw .expiredToken }
        if let record = codes[grant.code], record.id == grant.record, record.state == .refused {
            throw .accessDenied
        }
        guard case .live(let signIn) = tokens.find(grant.device, at: moment.milliseconds) else {
            let isTooSoon = isTooSoon(grant, at: moment)
            grant.lastPoll = moment.now
            // "MUST be increased by 5 seconds for this and all subsequent requests."
            if isTooSoon { grant.interval += .seconds(5) }
            grants[code] = grant
            throw isTooSoon ? .slowDown : .authorizationPending
        }
        // From here on nothing fails: the code is used up with the answer.
        grant.isRedeemed = true
        grants[code] = grant
        return answer(to: grant.device, signIn, of: client, at: moment)
    }

    /// Half a second is forgiven (rfc8628.md § 6, own).
    private func isTooSoon(_ grant: DeviceGrant, at moment: Moment) -> Bool {
        grant.interval > .zero && moment.now - grant.lastPoll < grant.interval - .milliseconds(500)
    }

    /// The refresh token that was shown is replaced (RFC 6749, 6; RFC 9700, 4.14.2).
    private mutating func renew(
        _ question: GrantQuestion, of client: String, at moment: Moment
    ) throws(GrantError) -> Reply {
        guard let text = question.field("refresh_token") else { throw .invalidRequest }
        guard let token = grants.token(text), token.kind == .refresh, token.client == client,
            let signIn = signIn(of: token, at: moment)
        else { throw .invalidGrant }
        grants.forget(text)
        return answer(to: token.device, signIn, of: client, at: moment)
    }

    /// RFC 6749, 5.1: a pair of tokens.
    private mutating func answer(
        to device: DeviceKey, _ signIn: SignIn, of client: String, at moment: Moment
    ) -> Reply {
        let end = min(
            moment.milliseconds + settings.accessTTL.wholeMilliseconds, signIn.expires)
        let access = grants.issue(
            GrantToken(
                kind: .access, client: client, device: device, serial: signIn.serial, expires: end),
            ids: &ids)
        let refresh = grants.issue(
            GrantToken(
                kind: .refresh, client: client, device: device, serial: signIn.serial,
                expires: signIn.expires), ids: &ids)
        counters.tokensIssued += 1
        return told(at: moment) {
            $0.text("access_token", access)
            $0.text("token_type", "Bearer")
            $0.number("expires_in", (end - moment.milliseconds) / 1000)
            $0.text("refresh_token", refresh)
        }
    }

    /// The sign-in that a token stands for; nil once it has ended.
    private func signIn(of token: GrantToken, at moment: Moment) -> SignIn? {
        guard moment.milliseconds < token.expires else { return nil }
        return tokens.live(token.device, serial: token.serial, at: moment.milliseconds)
    }

    /// RFC 7009: with either token everything of the grant ends. "Invalid tokens do not cause an error."
    mutating func revoke(
        _ question: GrantQuestion, at moment: Moment
    ) throws(GrantError) -> Reply {
        let client = try client(question)
        guard let text = question.field("token") else { throw .invalidRequest }
        if let token = grants.token(text), token.client == client,
            signIn(of: token, at: moment) != nil
        {
            tokens.signOut(token.device)
        }
        return Reply(
            status: 200, headers: ["Date": date(at: moment), "Cache-Control": "no-store"])
    }

    /// OpenID Connect Core, 5.3.
    mutating func userinfo(
        _ question: GrantQuestion, at moment: Moment
    ) throws(GrantError) -> Reply {
        guard let text = question.request.bearer, let token = grants.token(text),
            token.kind == .access, let signIn = signIn(of: token, at: moment)
        else { throw .invalidToken }
        return told(at: moment) { $0.text("sub", signIn.user) }
    }
}
