internal import Devices
internal import Dialects
internal import Lanes

/// After the race: what has come of it, as everybody sees it. Evidence like everything else: device, code
/// and account are the trial's own.
extension TrialRun {
    /// Nothing for a while, then what everybody sees: `Schedule.finalReads`, and TVs poll.
    func settle() async {
        guard await rest(schedule.settle.quiet), schedule.settle.reads > 0 else { return }
        for reading in 0..<schedule.settle.reads {
            if reading > 0 { guard await rest(schedule.settle.every) else { return } }
            if let turns { await turns.value.take() }
            for (number, room) in outline.readers.enumerated() {
                // Two that read at once would be a race of their own.
                if number > 0 { _ = await rest(Self.apart) }
                if reading == 0 {
                    for read in outline.finalReads where read.household == room {
                        await ask(read)
                    }
                }
                if outline.polling.contains(room) {
                    await poll(room, isLast: reading + 1 == schedule.settle.reads)
                }
            }
            if let turns { turns.value.pass() }
        }
    }

    /// Of a last poll that came too early. What the polls before it have added to the interval is known, so that one is
    /// nearly always enough.
    private static let mostRepeats = 3

    /// Between the reads of two living rooms, as between trials of which one is not to show in another.
    private static let apart: Duration = .milliseconds(60)

    private func ask(_ asked: Schedule.FinalRead) async {
        if let position = asked.op, asked.step == .refreshToken || asked.step == .userinfo {
            guard let session = shown[position] else { return }
            return await show(session, to: asked.step, in: asked.household)
        }
        if let resource = asked.resource {
            guard ground.terms.resources.indices.contains(resource) else { return }
            let name = ground.terms.resources[resource]
            await read(asked.household, .first(0)) {
                $0.call(.authorizationToken, about: Subject(resources: [name]), $1)
            }
            return
        }
        guard let code = code(named: asked.code, of: asked.household)?.code else { return }
        let screen =
            asked.op.map { cast.doubles[$0]?.source ?? cast.screens[$0] }
            ?? DrivenHousehold.Screen.first(0)
        await read(asked.household, screen) { dialect, credential in
            guard asked.step == .registrationRecord else {
                return dialect.checkCode(code, credential)
            }
            // A code that has done its work has no session any more, and still leads to its profile
            // (rest-v2.md § 5.5).
            return dialect.call(.profilesByCode, about: Subject(code: code), credential)
                ?? dialect.record(of: code, credential)
        }
    }

    /// Whose token it is, or whether it still works.
    private func show(_ session: DeviceSession, to step: Step, in room: Int) async {
        guard let operation = step.operation else { return }
        await read(room, .first(0)) { dialect, credential in
            var credential = credential
            credential.session = session.access
            credential.refresh = session.refresh
            return dialect.call(operation, about: Subject(), credential)
        }
    }

    /// The last poll is repeated where the server says that it came too early, for that tells nothing of a decision
    /// (RFC 8628, 3.5).
    private func poll(_ room: Int, isLast: Bool) async {
        let issued = codes[room].last?.issued
        let target = ground.terms.polling.target
        var polled = await read(room, .first(0)) { $0.poll(issued, target, $1) }
        for _ in 0..<Self.mostRepeats where isLast && sessions[room].isEmpty {
            guard case .slower? = polled?.answer else { break }
            guard await rest((issued?.pollInterval ?? .zero) + slowed[room]) else { return }
            polled = await read(room, .first(0)) { $0.poll(issued, target, $1) }
        }
        // Of tokens that were given back, and of those beside them, it is not asked whose they are.
        if let held = sessions[room].last, !schedule.ops.contains(where: { $0.step == .revocation })
        {
            return await show(held, to: .userinfo, in: room)
        }
        // Where a poll is about its code, the TV may know more without one (rest-v2.md § 6).
        guard issued != nil else { return }
        await read(room, .first(0)) { dialect, credential in
            let ofCode = dialect.poll(issued, target, credential)?.operation
            let ofDevice = dialect.poll(nil, target, credential)
            return ofDevice?.operation == ofCode ? nil : ofDevice
        }
    }

    @discardableResult
    private func read(
        _ room: Int, _ screen: DrivenHousehold.Screen,
        _ make: (any Dialect, Credential) -> Call?
    ) async -> Answered? {
        do throws(DrivenHousehold.Refusal) {
            let credential = try await credential(of: screen, in: room)
            guard let call = make(rooms[room].dialect, credential) else { return nil }
            let answered = try await rooms[room].ask(screen, call)
            if case .signedIn(_, let session?) = answered.answer {
                keep(session, renewing: nil, in: room)
            }
            noteSlowing(answered, in: room)
            return answered
        } catch {
            // What nobody could read tells nothing.
            if case .stopped = error { give(up: .stopped) }
            return nil
        }
    }
}
