internal import Devices
internal import Dialects
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
            if let double = cast.doubles[position], op.step != .authenticate {
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
        case .authenticate:
            if let former = op[arg: "repeats"] {
                guard let other = schedule.ops.firstIndex(where: { $0.id == former }) else {
                    throw .failed("no op '\(former)' in this schedule")
                }
                return ops[other].call
            }
            let lead = cast.doubles[position]?.source ?? cast.screens[position]
            _ = try await room.credential(of: lead)
            let providers = try await room.providers(asking: lead)
            let call = try await room.login(
                try script.issuedCode(), provider: try script.login(by: providers)?.id,
                as: account(op, position), on: lead)
            // The browser's cookies go with it, whatever connection it takes.
            if let double = cast.doubles[position] {
                room.share(from: double.source, to: cast.screens[position], keepsCookies: true)
            }
            return call
        case .loginStart:
            let credential = try await room.credential(of: cast.screens[position])
            let providers = try await room.providers(asking: cast.screens[position])
            return try script.loginStart(providers, credential)
        case .freePreview:
            let credential = try await room.credential(of: cast.screens[position])
            let providers = try await room.providers(asking: cast.screens[position])
            guard let pass = providers?.first(where: \.isTempPass) else {
                throw .failed("the service's configuration offers no TempPass provider")
            }
            return room.dialect.freePreview(mvpd: pass.id, credential)
        case .registerClient: return try await room.registration(of: cast.screens[position])
        case .accessToken: return try await room.tokenRequest(of: cast.screens[position])
        case .profileRequest:
            let credential = try await room.credential(of: cast.screens[position])
            let providers = try await room.providers(asking: cast.screens[position])
            let onPlatform = (providers ?? []).filter { $0.platform?.isEnabled ?? false }
            return try await room.profileRequest(
                provider: try script.provider(of: onPlatform), credential)
        case .tokenExchange:
            _ = try await room.credential(of: cast.screens[position])
            let providers = try await room.providers(asking: cast.screens[position])
            let onPlatform = (providers ?? []).filter { $0.platform?.isEnabled ?? false }
            return try await room.exchange(
                provider: try script.provider(of: onPlatform), as: account(op, position),
                on: cast.screens[position])
        default:
            return try script.call(
                try await room.credential(of: cast.screens[position]),
                lifetime: schedule.codeLifetime)
        }
    }

    /// The account that an op signs in with: one of its household's own, or of the rig's file.
    private func account(_ op: Schedule.Op, _ position: Int) -> Account {
        let number = Int(op[arg: "account"] ?? "1") ?? 1
        return ground.account(number, of: plans[room(position)])
    }

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
