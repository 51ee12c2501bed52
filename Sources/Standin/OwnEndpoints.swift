internal import Dialects
internal import Journal
internal import Signing

/// A sign-in without a browser: hops 1 to 5 at once (rest-v1.md § 8, "Generator shortcut").
struct Approval: Hashable, Sendable {
    enum ApprovalOutcome: String, Sendable {
        case success, fail, cancel
    }

    var code: CodeKey
    var mvpd: String
    var user: String
    var outcome: ApprovalOutcome
}

/// The stand-in's own endpoints under `/_standin/`: not throttled, not counted, not part of any
/// protocol.
extension Service {
    mutating func answerOwn(_ request: ServiceRequest, at moment: Moment) -> [Effect] {
        let path = request.target.prefix { $0 != "?" }
        var effects: [Effect] = []
        let reply: Reply
        switch (path, request.method) {
        case ("/_standin/counters", .get?):
            reply = Reply(
                status: 200, headers: ["Content-Type": "application/json;charset=utf-8"],
                body: counted().json())
        case ("/_standin/access-key", .get?):
            reply = Reply(
                status: 200, headers: ["Content-Type": "application/x-pem-file"],
                body: Array(AccessTokenKey.demo.publicPEM.utf8))
        case ("/_standin/approve", .post?) where settings.fidelity == .lenient:
            reply = Reply(status: approval(request, at: moment, &effects))
        case ("/_standin/counters", _), ("/_standin/access-key", _),
            ("/_standin/approve", _) where settings.fidelity == .lenient:
            reply = Reply(status: 405)
        case (_, .post?) where settings.fidelity == .lenient:
            reply = control(String(path), JSONValue(request.body), at: moment)
        default: reply = Reply(status: 404)
        }
        effects.insert(.reply(reply, to: request.id, after: .zero), at: 0)
        return effects
    }

    /// 204 done, 202 will be done, 400 unreadable, 404 no such code, 409 not in this state.
    private mutating func approval(
        _ request: ServiceRequest, at moment: Moment, _ effects: inout [Effect]
    ) -> Int {
        guard let body = JSONValue(request.body), let code = body["code"]?.string,
            let mvpd = body["mvpd"]?.string,
            let outcome = Approval.ApprovalOutcome(rawValue: body["outcome"]?.string ?? "success")
        else { return 400 }
        guard let key = CodeKey(code) else { return 404 }
        let approval = Approval(
            code: key, mvpd: mvpd, user: body["user"]?.string ?? "standin-user", outcome: outcome)
        let delay = body["delayMs"]?.number ?? 0
        guard delay >= 0, delay <= 86_400_000 else { return 400 }
        guard codes.live(key, at: moment.milliseconds) != nil else { return 404 }
        guard delay > 0 else { return approve(approval, at: moment) ? 204 : 409 }
        let due = moment.now + .milliseconds(Int64(delay))
        effects.append(.again(Deed(act: .approve(approval)), at: due))
        return 202
    }

    /// False when the code is spent or over, or the provider is none of its requestor's.
    mutating func approve(_ approval: Approval, at moment: Moment) -> Bool {
        guard let record = codes.live(approval.code, at: moment.milliseconds),
            let requestor = settings.requestor(record.device.requestor),
            settings.provider(approval.mvpd, of: requestor) != nil
        else { return false }
        if case .bound = record.state, settings.policies.codeReuse == .single { return false }
        guard accepts(record, mvpd: approval.mvpd, at: moment) else { return false }
        switch approval.outcome {
        case .success: signIn(record, mvpd: approval.mvpd, user: approval.user, at: moment)
        case .fail, .cancel: codes.use(record.key, login: "")
        }
        return true
    }

    /// Whether a sign-in may take effect on a device where somebody may be signed in.
    func accepts(_ record: CodeRecord, mvpd: String, at moment: Moment) -> Bool {
        guard settings.policies.secondSignIn == .reject else { return true }
        let key = record.session == nil ? record.device : record.device.with(mvpd: mvpd)
        if case .live = tokens.find(key, at: moment.milliseconds) { return false }
        return true
    }

    /// A login of this code has succeeded: the one place where sign-ins by code come about.
    mutating func signIn(_ record: CodeRecord, mvpd: String, user: String, at moment: Moment) {
        let provider = settings.provider(mvpd)
        let ttl = (provider?.authenticationTTL ?? settings.authenticationTTL).wholeMilliseconds
        var record = record
        // The session's provider is the one whose login finished (rest-v2.md, B44).
        if record.session != nil { record.device.mvpd = mvpd }
        let serial = tokens.signIn(
            record.device, mvpd: mvpd, user: userID(of: user, at: mvpd), code: record.key,
            at: moment.milliseconds, ttl: ttl)
        let isKept = settings.policies.codeAfterExpiry == .profile
        codes.bind(record, serial: serial, keptUntil: isKept ? moment.milliseconds + ttl : 0)
        if let identity = record.session?.identity, provider?.sharesIdentity ?? true {
            identities.bind(identity, to: record.device, serial: serial, at: moment.milliseconds)
        }
        counters.signIns += 1
    }

    /// What tokens call a user.
    func userID(of login: String, at mvpd: String) -> String {
        guard settings.hasOpaqueUsers else { return login }
        let digits = SHA256.digest("\(mvpd)\n\(login)").prefix(7).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "u-" + digits.joined()
    }
}
