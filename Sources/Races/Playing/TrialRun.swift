internal import Devices
internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// One schedule being executed, by households that nothing has used before. An actor on its lane.
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
    let outline: TrialOutline
    let plans: [HouseholdPlan]
    let rooms: [DrivenHousehold]
    /// Where trials go one at a time.
    private let trialSerializer: OnLane<TrialSerializer>?
    /// For trials whose reads must not disturb one another.
    let turns: OnLane<Turns>?
    /// How long all but the last bytes have to arrive.
    private let ripening: Duration
    /// For how long a request may stand at the gate.
    let patience: Duration
    /// How long nothing happens before the trial.
    private let idleBefore: Duration
    /// How long the service may take to show a change (`policies.visibility`): nothing follows one in setup sooner.
    private let visibility: Duration

    /// One op, and how far it has come.
    struct OpRun {
        /// Its request, once it is known. Another op may repeat it.
        var call: Call?
        var progress = OperationProgress.waiting
        /// Woken when `progress` changes.
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    enum OperationProgress {
        /// For its turn. To `held`, `released` or `passed`; to `answered` where it is not timed; to
        /// `dropped`.
        case waiting
        /// At the gate: all but its last byte has been sent. To `released` or `dropped`.
        case held(HeldCall)
        /// Since then it may be sent. To `answered` or `dropped`.
        case released(Instant, HeldCall?)
        /// The end. `released` is nil where it was not timed.
        case answered(Answered, released: Instant?)
        /// The end of an op that sends nothing, at its event.
        case passed(Instant)
        /// The end of an op that is not sent: what it was to follow was never answered.
        case dropped
    }
    var ops: [OpRun]
    /// Codes of each household, the newest last.
    var codes: [[(op: String, issued: IssuedCode, ends: Instant)]]
    /// The provider that each living room signs in with, where requests name it.
    var providers: [Int: String] = [:]
    /// What the TV of each living room was given to show, the newest last.
    var sessions: [[DeviceSession]]
    /// What the op of that position shows.
    var shown: [Int: DeviceSession] = [:]
    /// By how much the polls of each living room have lengthened its interval (RFC 8628, 3.5).
    private(set) var slowed: [Duration]
    private var discard: TrialResult.Discard?
    /// It has entered the serializer, which it leaves at the end.
    private var hasEntered = false
    private var hasRaced = false
    /// Another trial takes its place if it is a rehearsal.
    private let mayRehearse: Bool
    /// It went through a login that was to stop before its end, and has shown where that is.
    private(set) var isRehearsal = false

    init(
        _ schedule: Schedule, _ outline: TrialOutline, plans: [HouseholdPlan],
        on ground: DrivenGround,
        ripening: Duration, patience: Duration, rest: Duration = .zero,
        visibility: Duration = .zero,
        trialSerializer: OnLane<TrialSerializer>? = nil,
        turns: OnLane<Turns>? = nil, mayRehearse: Bool
    ) {
        self.schedule = schedule
        self.ground = ground
        self.ripening = ripening
        self.patience = patience
        idleBefore = rest
        self.visibility = visibility
        self.trialSerializer = trialSerializer
        self.turns = turns
        self.mayRehearse = mayRehearse
        lane = ground.lane
        self.outline = outline
        self.plans = plans
        let cast = outline.cast
        rooms = plans.enumerated().map { room, plan in
            DrivenHousehold(
                cast.plan(plan, room: room), firstScreens: cast.firstScreens[room], on: ground)
        }
        ops = schedule.ops.map { _ in OpRun() }
        codes = plans.map { _ in [] }
        sessions = plans.map { _ in [] }
        slowed = plans.map { _ in .zero }
    }

    /// Plays it to its end; the exchanges are collected elsewhere.
    func play() async -> TrialResult {
        if idleBefore > .zero { _ = await rest(idleBefore) }
        for (cluster, isRaced) in outline.clusters where discard == nil {
            if isRaced {
                await race(cluster)
            } else {
                await plain(cluster.head)
            }
        }
        if let trialSerializer, !isRehearsal {
            hasEntered ? await trialSerializer.value.leave() : trialSerializer.value.drop()
        }
        if discard == nil { await settle() }
        for room in rooms { room.retire() }
        return TrialResult(
            schedule: schedule, households: plans.map(\.index), releases: releases,
            discarded: discard)
    }

    // MARK: Ops

    var cast: ActorBinding { outline.cast }

    func room(_ position: Int) -> Int { outline.rooms[position] }

    /// An op that is not timed.
    private func plain(_ position: Int) async {
        let op = schedule.ops[position]
        guard await prepare(position), let call = ops[position].call else { return }
        let room = rooms[room(position)]
        do throws(DrivenHousehold.Refusal) {
            // A sign-in is tried once: what it did is not known.
            if op.step.isWalked {
                let device = room.device(cast.screens[position]).value
                take(await lane.send(call, from: device), of: position)
                if let last = await followDecision(position),
                    last.exchange.observation.result == .denied
                {
                    give(up: .setupFailed(op: op.id, Self.words(last)))
                }
            } else {
                take(try await room.ask(cast.screens[position], call), of: position)
            }
        } catch {
            fail(position, error)
            return
        }
        checkSetup(position)
        let changes = op.step.signsIn || op.step.endsSignIn || op.step == .authorize
        if changes, visibility > .zero, !hasRaced, discard == nil {
            _ = await rest(visibility)
        }
    }

    /// An op of the setup must have done what it is for: without a code there is nothing to race.
    private func checkSetup(_ position: Int) {
        let op = schedule.ops[position]
        guard let answered = ops[position].progress.answered, discard == nil else { return }
        // A session may answer that no code is needed (rest-v2.md § 5.2).
        if case .signedIn = answered.answer, op.step == .createSession { return }
        if op.step.issuesCode, codes[room(position)].last?.op != op.id {
            give(up: .setupFailed(op: op.id, Self.words(answered)))
        } else if op.step.signsIn,
            answered.exchange.isError || answered.exchange.delivery.error != nil
                || answered.exchange.observation.result == .denied
        {
            give(up: .setupFailed(op: op.id, Self.words(answered)))
        } else if op.step == .deviceToken, sessions[room(position)].isEmpty {
            give(up: .setupFailed(op: op.id, Self.words(answered)))
        }
    }

    static func words(_ answered: Answered) -> String {
        switch answered.exchange.delivery {
        case .answered(let status): "\(answered.exchange.operation) answered \(status)"
        case .refused(let error), .unknown(let error): error.detail
        }
    }

    // MARK: Progress

    func take(_ answered: Answered, of position: Int) {
        ops[position].progress = .answered(answered, released: ops[position].progress.released)
        let op = schedule.ops[position]
        if case .code(let issued) = answered.answer, op.step.issuesCode {
            // The service's own span from its making to its end, from the middle of our wait on.
            let exchange = answered.exchange
            let made = exchange.sent + ((exchange.firstByte ?? exchange.ended) - exchange.sent) / 2
            codes[room(position)].append((op.id, issued, made + issued.lifetime))
        }
        // What another app got is none of the TV's.
        if !op.step.isOfOtherClient, case .signedIn(_, let session?) = answered.answer {
            keep(session, renewing: shown[position], in: room(position))
        }
        noteSlowing(answered, in: room(position))
        wakeWaiters(of: position)
    }

    func noteSlowing(_ answered: Answered, in room: Int) {
        if case .slower(let by) = answered.answer { slowed[room] += by }
    }

    /// Without a new refresh token the old one goes on (RFC 6749, 6).
    func keep(_ session: DeviceSession, renewing old: DeviceSession?, in room: Int) {
        sessions[room].append(
            DeviceSession(access: session.access, refresh: session.refresh ?? old?.refresh))
    }

    func drop(_ position: Int) {
        ops[position].progress = .dropped
        wakeWaiters(of: position)
    }

    func give(up reason: TrialResult.Discard) {
        if discard == nil { discard = reason }
        for position in ops.indices { wakeWaiters(of: position) }
    }

    func wakeWaiters(of position: Int) {
        for waiter in ops[position].waiters { waiter.resume() }
        ops[position].waiters = []
    }

    var isDiscarded: Bool { discard != nil }

    func fail(_ position: Int, _ refusal: DrivenHousehold.Refusal) {
        let op = schedule.ops[position].id
        switch refusal {
        case .failed(let words): give(up: .setupFailed(op: op, words))
        case .rehearsed(let words):
            isRehearsal = mayRehearse && !hasEntered
            give(up: .setupFailed(op: op, words))
        case .throttled: give(up: .throttled(op: op))
        case .stopped: give(up: .stopped)
        }
    }

    private var releases: [TrialResult.ReleaseTime] {
        schedule.ops.enumerated().compactMap { position, op in
            guard let exchange = ops[position].progress.answered?.exchange else { return nil }
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
        if case .passed(let instant) = ops[position].progress { return instant }
        let exchange = ops[position].progress.answered?.exchange
        switch event {
        case .lastByteSent: return exchange?.sent
        case .firstReplyByte: return exchange?.firstByte
        case .absolute: return ends(ofCodeOf: schedule.ops[position].id)
        }
    }

    // MARK: Phases

    private func race(_ cluster: Schedule.Cluster) async {
        hasRaced = true
        for position in cluster.members where !isEarly(position) {
            guard await prepare(position) else { return }
        }
        // What is held while others have their turn ends with a time-out, of the service's or of ours.
        if let trialSerializer, !hasEntered {
            hasEntered = true
            await trialSerializer.value.enter()
        }
        for position in cluster.members
        where schedule.ops[position].gate != .none && ops[position].call != nil {
            await hold(position)
        }
        await release(cluster, after: ripening)
    }

    private func hold(_ position: Int) async {
        guard let call = ops[position].call else { return }
        let device = rooms[room(position)].device(cast.screens[position]).value
        ops[position].progress = .held(await lane.hold(call, from: device))
    }

    /// Sends an op's request whole, now.
    func send(_ position: Int) async {
        guard let call = ops[position].call else { return }
        let device = rooms[room(position)].device(cast.screens[position]).value
        take(await lane.send(call, from: device), of: position)
    }

    /// Follows the redirects of a decision as a browser does, until a page shows its result: the service may apply the
    /// decision on the way (307 and 308). Returns the last response, if there was a redirect.
    @discardableResult
    func followDecision(_ position: Int) async -> Answered? {
        guard var sent = ops[position].call, var answered = ops[position].progress.answered
        else { return nil }
        var last: Answered?
        let room = rooms[room(position)]
        let device = room.device(cast.screens[position]).value
        for _ in 0..<ground.terms.maxHops {
            guard let next = room.dialect.next(ofDecision: sent, after: answered) else { break }
            sent = next
            answered = await lane.send(sent, from: device)
            last = answered
        }
        return last
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

extension TrialRun.OperationProgress {
    var held: HeldCall? {
        switch self {
        case .held(let held): held
        case .released(_, let held): held
        case .waiting, .answered, .passed, .dropped: nil
        }
    }

    /// When its time had come.
    var released: Instant? {
        switch self {
        case .released(let instant, _), .passed(let instant): instant
        case .answered(_, let released): released
        case .waiting, .held, .dropped: nil
        }
    }

    var answered: Answered? {
        if case .answered(let answered, _) = self { answered } else { nil }
    }

    /// It may still be released.
    var isBeforeRelease: Bool {
        switch self {
        case .waiting, .held: true
        case .released, .answered, .passed, .dropped: false
        }
    }

    /// It changes no more.
    var isOver: Bool {
        switch self {
        case .waiting, .held, .released: false
        case .answered, .passed, .dropped: true
        }
    }
}
