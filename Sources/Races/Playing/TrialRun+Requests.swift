internal import Devices
internal import Dialects
internal import Formats
internal import Journal
internal import Lanes

/// The request of an op, and what must be there before it: credentials, providers, codes.
extension TrialRun {
    /// Everything that must come before the op's decisive request. False if that failed.
    func prepare(_ position: Int) async -> Bool {
        guard ops[position].call == nil else { return true }
        let op = schedule.ops[position]
        guard op.step != .expire else { return true }
        let room = rooms[room(position)]
        do throws(DrivenHousehold.Refusal) {
            if let double = cast.doubles[position], !op.step.isWalked {
                _ = try await room.credential(of: double.source)
                room.share(
                    from: double.source, to: cast.screens[position],
                    keepsCookies: double.keepsCookies)
            }
            ops[position].call = try await call(position, room)
        } catch {
            fail(position, error)
            return false
        }
        return true
    }

    private func call(
        _ position: Int, _ room: DrivenHousehold
    ) async throws(DrivenHousehold.Refusal) -> Call? {
        let op = schedule.ops[position]
        let script = RequestScript(
            op: op, terms: ground.terms, dialect: room.dialect, code: code(for: op, position))
        switch op.step {
        case .authenticate, .approval, .refusal, .verificationPage:
            if let former = op[arg: "repeats"] {
                guard let other = schedule.ops.firstIndex(where: { $0.id == former }) else {
                    throw .failed("no op '\(former)' in this schedule")
                }
                return ops[other].call
            }
            let lead = cast.doubles[position]?.source ?? cast.screens[position]
            _ = try await room.credential(of: lead)
            let isGrant = op.step != .authenticate
            let offered = isGrant ? nil : try await room.providers(asking: lead)
            let provider = try script.login(by: offered)?.id
            let issued = try script.issuedCode()
            try await complete(issued, provider: provider, of: op, on: lead, room)
            let call = try await room.login(
                issued, provider: provider, account: account(op),
                until: op.step.operation ?? .assertion, on: lead)
            providers[self.room(position)] = provider
            // The browser's cookies go with it, whatever connection it takes.
            if let double = cast.doubles[position] {
                room.share(from: double.source, to: cast.screens[position], keepsCookies: true)
            }
            return call
        case .loginStart:
            let screen = cast.screens[position]
            let credential = try await room.credential(of: screen)
            let offered = try await room.providers(asking: screen)
            try await complete(
                try script.issuedCode(), provider: try script.login(by: offered)?.id, of: op,
                on: screen, room)
            return try script.loginStart(offered, credential)
        case .freePreview:
            let credential = try await room.credential(of: cast.screens[position])
            let offered = try await room.providers(asking: cast.screens[position])
            guard let pass = offered?.first(where: \.isTempPass) else {
                throw .failed("the service's configuration offers no TempPass provider")
            }
            return room.dialect.freePreview(mvpd: pass.id, credential)
        case .registerClient: return try await room.registration(of: cast.screens[position])
        case .accessToken: return try await room.tokenRequest(of: cast.screens[position])
        case .profileRequest, .partnerRequest:
            let credential = try await room.credential(of: cast.screens[position])
            let offered = try await room.providers(asking: cast.screens[position])
            let onPlatform = (offered ?? []).filter { $0.platform?.isEnabled ?? false }
            return try await room.profileRequest(
                provider: try script.provider(of: onPlatform), credential)
        case .tokenExchange, .ssoProfile:
            _ = try await room.credential(of: cast.screens[position])
            let offered = try await room.providers(asking: cast.screens[position])
            let onPlatform = (offered ?? []).filter { $0.platform?.isEnabled ?? false }
            let provider = try script.provider(of: onPlatform)
            let call = try await room.exchange(
                provider: provider, account: account(op), on: cast.screens[position])
            self.providers[self.room(position)] = provider.id
            return call
        default:
            let screen = cast.screens[position]
            var credential = try await credential(of: screen, in: self.room(position))
            if let held = sessions[self.room(position)].last {
                shown[position] = held
                credential.session = held.access
                credential.refresh = held.refresh
            }
            if op.namesProvider {
                let offered = try await room.providers(asking: screen)
                credential.mvpd = try script.named(of: offered)?.id ?? credential.mvpd
            }
            if let number = op[arg: "identity"] { credential.tokens = try identity(number) }
            if let call = try script.call(credential, lifetime: schedule.codeLifetime) {
                return call
            }
            // Nobody has signed in, and the request names a provider all the same.
            let offered = try await room.providers(asking: screen)
            credential.mvpd = try script.login(by: offered)?.id
            guard let call = try script.call(credential, lifetime: schedule.codeLifetime) else {
                throw script.lack
            }
            return call
        }
    }

    /// What a request of a living room's screen shows: the provider that it has signed in with, too.
    func credential(
        of screen: DrivenHousehold.Screen, in number: Int
    ) async throws(DrivenHousehold.Refusal) -> Credential {
        var credential = try await rooms[number].credential(of: screen)
        credential.mvpd = providers[number] ?? credential.mvpd
        return credential
    }

    /// A token of an identity service, for a user of this trial's own (rest-v2.md § 8.2).
    private func identity(_ number: String) throws(DrivenHousehold.Refusal) -> IdentityTokens {
        guard let source = ground.terms.identities else {
            throw .failed("no identity service is known here")
        }
        let subject = "\(plans[0].account.user)-identity-\(number)"
        let now = source.startedMilliseconds / 1000 + lane.now.nanoseconds / 1_000_000_000
        let claims =
            "{\"iss\":\"identity.demo.test\",\"sub\":\(JSONText.quoted(subject)),"
            + "\"aud\":\"Adobe\",\"iat\":\(now),\"exp\":\(now + 3600)}"
        return IdentityTokens(service: source.serviceToken(claims), subject: subject)
    }

    /// Names the provider to the code's session, in protocols whose login does not
    /// (`Dialect.completeSession`): a part of the setup.
    private func complete(
        _ issued: IssuedCode, provider: String?, of op: Schedule.Op,
        on screen: DrivenHousehold.Screen, _ room: DrivenHousehold
    ) async throws(DrivenHousehold.Refusal) {
        let credential = try await room.credential(of: screen)
        guard let provider,
            let call = room.dialect.completeSession(issued.code, mvpd: provider, credential)
        else { return }
        let answered = try await room.ask(screen, call)
        switch answered.answer {
        case .code(let known) where !known.lacksProvider: return
        case .signedIn:
            throw .failed(
                "its TV is signed in with \(provider) already, so that '\(op.id)' finds no login; "
                    + "name another provider under target.mvpds")
        default: throw .failed(Self.words(answered))
        }
    }

    /// The account that an op signs in with, as its household counts them.
    private func account(_ op: Schedule.Op) -> Int { Int(op[arg: "account"] ?? "1") ?? 1 }

    func code(for op: Schedule.Op, _ position: Int) -> IssuedCode? {
        code(named: op[arg: "code"], of: room(position))
    }

    /// The one that an op made, or the newest of a household.
    func code(named op: String?, of room: Int) -> IssuedCode? {
        guard let op else { return codes[room].last?.issued }
        return codes.joined().first { $0.op == op }?.issued
    }

    /// Whether an op is about a code that is not there yet.
    func isEarly(_ position: Int) -> Bool {
        guard let named = schedule.ops[position][arg: "code"] else { return false }
        return !codes.joined().contains { $0.op == named }
    }

    func ends(ofCodeOf op: String) -> Instant? { codes.joined().first { $0.op == op }?.ends }
}
