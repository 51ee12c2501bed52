internal import Devices
internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// One schedule being executed, by living rooms that nothing has used before. An actor on its lane.
///
/// ```text
///   plain ops, one after another     cluster: prepare, hold, release by time     settle, read
///   |create|->|...|                  |hold a|hold b| ...... |a|..d..|b|          ......|poll|
/// ```
actor TrialRun {
    nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

    let schedule: Schedule
    let lane: Lane
    let ground: DrivenGround
    let cast: ActorBinding
    let rooms: [DrivenHousehold]
    let households: [Int]
    /// Where trials go one at a time.
    private let trialSerializer: OnLane<TrialSerializer>?
    /// Where what one reads is not to show in what another does.
    let turns: OnLane<Turns>?
    /// How long all but the last bytes are given to arrive.
    private let ripening: Duration
    /// How long nothing happens before.
    private let idleBefore: Duration

    /// What became of each op so far.
    struct State {
        var call: Call?
        var held: HeldCall?
        var released: Instant?
        /// What was held had ended by then.
        var wasOver = false
        var answered: Answered?
        /// When its event is or was, where nobody sends anything.
        var instant: Instant?
        /// It will not be sent: what it was to follow was never answered.
        var isDropped = false
        /// Woken when it is over.
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }
    var states: [State]
    /// Codes of each living room, the newest last.
    var codes: [[(op: String, issued: IssuedCode, ends: Instant)]]
    private var discard: TrialResult.Discard?

    init(
        _ schedule: Schedule, plans: [HouseholdPlan], on ground: DrivenGround,
        ripening: Duration, rest: Duration = .zero, trialSerializer: OnLane<TrialSerializer>? = nil,
        turns: OnLane<Turns>? = nil
    ) {
        self.schedule = schedule
        self.ground = ground
        self.ripening = ripening
        idleBefore = rest
        self.trialSerializer = trialSerializer
        self.turns = turns
        lane = ground.lane
        let cast = ActorBinding(schedule)
        self.cast = cast
        households = plans.map(\.index)
        rooms = plans.enumerated().map { room, plan in
            DrivenHousehold(
                cast.plan(plan, room: room), firstScreens: cast.firstScreens[room], on: ground)
        }
        states = schedule.ops.map { _ in State() }
        codes = plans.map { _ in [] }
    }

    /// Plays it to its end; the exchanges are collected elsewhere.
    func play() async -> TrialResult {
        var hasEntered = false
        if idleBefore > .zero { _ = await rest(idleBefore) }
        for cluster in schedule.clusters where discard == nil {
            if cluster.isRaced(in: schedule) {
                await race(cluster, hasEntered: &hasEntered)
            } else {
                await plain(cluster.head)
            }
        }
        if let trialSerializer {
            hasEntered ? await trialSerializer.value.leave() : trialSerializer.value.drop()
        }
        if discard == nil { await settle() }
        for room in rooms { room.retire() }
        return TrialResult(
            schedule: schedule, households: households, releases: releases, discarded: discard)
    }

    // MARK: Ops

    func room(_ position: Int) -> Int {
        schedule[actor: schedule.ops[position].actor]?.household ?? 0
    }

    /// An op that is not timed.
    private func plain(_ position: Int) async {
        let op = schedule.ops[position]
        guard await prepare(position), let call = states[position].call else { return }
        let room = rooms[room(position)]
        do throws(DrivenHousehold.Refusal) {
            // A sign-in is tried once: what it did is not known.
            if op.step == .authenticate {
                let device = room.device(cast.screens[position]).value
                take(await lane.send(call, from: device), of: position)
            } else {
                take(try await room.ask(cast.screens[position], call), of: position)
            }
        } catch {
            fail(position, error)
            return
        }
        checkSetup(position)
    }

    /// An op of the setup must have done what it is for: without a code there is nothing to race.
    private func checkSetup(_ position: Int) {
        let op = schedule.ops[position]
        guard let answered = states[position].answered, discard == nil else { return }
        if op.step == .registrationCode, codes[room(position)].last?.op != op.id {
            discard = .setupFailed(op: op.id, Self.words(answered))
        } else if op.step == .authenticate || op.step == .tokenExchange,
            answered.exchange.isError || answered.exchange.delivery.error != nil
        {
            discard = .setupFailed(op: op.id, Self.words(answered))
        }
    }

    static func words(_ answered: Answered) -> String {
        switch answered.exchange.delivery {
        case .answered(let status): "\(answered.exchange.operation) answered \(status)"
        case .refused(let error), .unknown(let error): error.detail
        }
    }

    /// Everything that must come before the op's decisive request. False where it did not come about.
    func prepare(_ position: Int) async -> Bool {
        guard states[position].call == nil else { return true }
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
            states[position].call = try await call(position, room)
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
                return states[other].call
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

    /// The account that an op signs in with: one of its living room's own, or of the rig's file.
    private func account(_ op: Schedule.Op, _ position: Int) -> Account {
        let number = Int(op[arg: "account"] ?? "1") ?? 1
        return ground.account(number, of: households[room(position)])
    }

    func code(for op: Schedule.Op, _ position: Int) -> IssuedCode? {
        code(named: op[arg: "code"], of: room(position))
    }

    /// The one that an op made, or the newest of a living room.
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

    // MARK: What became of it

    func take(_ answered: Answered, of position: Int) {
        states[position].answered = answered
        let op = schedule.ops[position]
        if case .code(let issued) = answered.answer, op.step == .registrationCode {
            // The service's own span from its making to its end, from the middle of our wait on.
            let exchange = answered.exchange
            let made = exchange.sent + ((exchange.firstByte ?? exchange.ended) - exchange.sent) / 2
            codes[room(position)].append((op.id, issued, made + issued.lifetime))
        }
        wakeWaiters(of: position)
    }

    func drop(_ position: Int) {
        states[position].isDropped = true
        wakeWaiters(of: position)
    }

    func give(up reason: TrialResult.Discard) {
        if discard == nil { discard = reason }
        for position in states.indices { wakeWaiters(of: position) }
    }

    func wakeWaiters(of position: Int) {
        for waiter in states[position].waiters { waiter.resume() }
        states[position].waiters = []
    }

    var isDiscarded: Bool { discard != nil }

    func fail(_ position: Int, _ refusal: DrivenHousehold.Refusal) {
        let op = schedule.ops[position].id
        switch refusal {
        case .failed(let words): give(up: .setupFailed(op: op, words))
        case .throttled: give(up: .throttled(op: op))
        case .stopped: give(up: .stopped)
        }
    }

    private var releases: [TrialResult.ReleaseTime] {
        schedule.ops.enumerated().compactMap { position, op in
            guard let exchange = states[position].answered?.exchange else { return nil }
            var offset: Duration?
            if let anchor = op.anchor,
                let other = schedule.ops.firstIndex(where: { $0.id == anchor.op }),
                let event = moment(of: anchor.event, other)
            {
                offset = exchange.sent - event
            }
            return TrialResult.ReleaseTime(
                op: op.id, sent: exchange.sent, firstByte: exchange.firstByte,
                sequence: exchange.sequence, offset: offset)
        }
    }

    /// When an event of an op was.
    private func moment(of event: Schedule.Anchor.Event, _ position: Int) -> Instant? {
        if let instant = states[position].instant { return instant }
        let exchange = states[position].answered?.exchange
        switch event {
        case .lastByteSent: return exchange?.sent
        case .firstReplyByte: return exchange?.firstByte
        case .absolute: return ends(ofCodeOf: schedule.ops[position].id)
        }
    }

    // MARK: Phases

    private func race(_ cluster: Schedule.Cluster, hasEntered: inout Bool) async {
        for position in cluster.members where !isEarly(position) {
            guard await prepare(position) else { return }
        }
        for position in cluster.members
        where schedule.ops[position].gate != .none && states[position].call != nil {
            await hold(position)
        }
        if let trialSerializer, !hasEntered {
            hasEntered = true
            await trialSerializer.value.enter()
        }
        await release(cluster, after: ripening)
    }

    private func hold(_ position: Int) async {
        guard let call = states[position].call else { return }
        let device = rooms[room(position)].device(cast.screens[position]).value
        states[position].held = await lane.hold(call, from: device)
    }

    /// Sends an op's request whole, now.
    func send(_ position: Int) async {
        guard let call = states[position].call else { return }
        let device = rooms[room(position)].device(cast.screens[position]).value
        take(await lane.send(call, from: device), of: position)
    }

    func rest(_ duration: Duration) async -> Bool {
        do {
            try await lane.sleep(for: duration)
            return true
        } catch {
            give(up: .stopped)
            return false
        }
    }
}
