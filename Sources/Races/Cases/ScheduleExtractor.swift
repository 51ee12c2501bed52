internal import Checker
internal import Dialects
internal import Journal
internal import Vocabulary

/// What happened around one violation, and the schedule that says so.
///
/// ```text
///   history   code   ...logins...   assertion      check-code   poll  poll  poll
///   kept       x                        x              x                      x
///   schedule  code                  authenticate   check-code <-- 15 ms -->  poll
/// ```
struct ScheduleExtractor {
    struct Scene {
        var exchange: Exchange
        var step: Step
        /// 0: where it broke, 1: the other living room.
        var household: Int
        var isConflict: Bool
        /// Part of the conflict, or so near before a sign-in that it may have caused it.
        var isRaced: Bool
        /// Of those that the rig names: 1 for a login that is to be with another one.
        var provider: Int?
        var id = ""

        /// The provider that its login was at, or that its request names.
        var mvpd: String? {
            step.signsIn ? exchange.observation.tag?.mvpd : exchange.mvpd
        }
    }

    private(set) var scenes: [Scene] = []
    let violation: Violation
    let life: [Exchange]

    init(_ life: [Exchange], _ violation: Violation) {
        self.violation = violation
        self.life = life.filter { $0.delivery.status != nil || $0.delivery.error?.kind != .stopped }
            .sorted { ($0.sent, $0.sequence) < ($1.sent, $1.sequence) }
        let conflict = Set(violation.exchanges)
        let hits = self.life.filter { conflict.contains($0.sequence) }
        guard let first = hits.first, let last = hits.last else { return }
        // Each login of the conflict needs its code, a device with several profiles one for each, and so does what is asked
        // about a code.
        let from =
            hits.filter {
                $0.sequence == first.sequence || $0.operation == .assertion || $0.code != nil
            }
            .map { Self.start(of: self.life, before: $0) }.min() ?? first.sent
        let suspects = Self.suspects(self.life, violation.invariant)
        let confirmations = Self.confirmations(self.life, violation.invariant)
        scenes = self.life.compactMap { exchange -> Scene? in
            let isHit = conflict.contains(exchange.sequence)
            let isSuspect = suspects.contains(exchange.sequence)
            guard isHit || exchange.sent >= from && exchange.sent <= last.sent,
                let step = Self.step(exchange, isHit: isHit, in: self.life),
                isHit || isSuspect || confirmations.contains(exchange.sequence)
                    || !step.isRead && Self.counts(exchange)
            else { return nil }
            return Scene(
                exchange: exchange, step: step, household: 0, isConflict: isHit,
                isRaced: isHit || isSuspect)
        }
        dropLastReads()
        name()
    }

    /// The living room whose token was seen: its code, its sign-in, and the last read before.
    mutating func add(other life: [Exchange]) {
        guard let last = scenes.last(where: \.isConflict)?.exchange else { return }
        let before = life.filter { $0.sent < last.sent }
            .sorted { ($0.sent, $0.sequence) < ($1.sent, $1.sequence) }
        let read = before.last {
            $0.isPoll && $0.observation.result == .success
        }
        guard let signIn = before.last(where: { $0.operation == .assertion }) else { return }
        let code = Self.code(of: signIn, in: before)
        // Of a device with several profiles: with its own it would be asked for no other login (rest-v2.md § 5.2).
        if speaksOfSessions { scenes.removeAll { $0.step.signsIn && !$0.isConflict } }
        add([code, signIn, read], of: life) { $0.isPoll }
    }

    /// The living room that was given the same media token before, by `given`: its code, its sign-in and its authorization.
    mutating func add(given: Exchange, of life: [Exchange]) {
        let before = life.filter { $0.sent < given.sent }.sorted { $0.sent < $1.sent }
        let signIn = before.last {
            [.assertion, .tokenExchange, .ssoProfile].contains($0.operation)
        }
        guard let signIn else { return }
        let code = signIn.operation == .assertion ? Self.code(of: signIn, in: before) : nil
        let authorization = before.last { $0.operation == .authorize && $0.sent > signIn.sent }
        add([code, signIn, authorization, given], of: life) { $0.sequence == given.sequence }
    }

    /// The logout that ended the sign-in of an identity: where it was another living room's, with that one's sign-in, if it had
    /// one, and what it was shown before.
    mutating func add(ending logout: Exchange, of life: [Exchange]) {
        guard logout.device.household != violation.household else {
            scenes.removeAll { $0.household == 0 && $0.exchange.sequence == logout.sequence }
            return add([logout], of: life, in: 0) { _ in true }
        }
        let before = life.filter { $0.sent < logout.sent }.sorted { $0.sent < $1.sent }
        let signIn = before.last { $0.operation == .assertion }
        let code = signIn.flatMap { Self.code(of: $0, in: before) }
        let shown = before.last {
            [.profiles, .profilesByMVPD].contains($0.operation) && $0.observation.result == .success
        }
        add([code, signIn, shown, logout], of: life) { $0.sequence == logout.sequence }
    }

    /// The code that it was made for.
    private static func code(of signIn: Exchange, in before: [Exchange]) -> Exchange? {
        before.last { $0.operation.issuesCode && $0.sent < signIn.sent }
    }

    private mutating func add(
        _ exchanges: [Exchange?], of life: [Exchange], in household: Int = 1,
        isConflict: (Exchange) -> Bool
    ) {
        for exchange in exchanges.compactMap(\.self) {
            guard let step = Self.step(exchange, isHit: true, in: life) else { continue }
            scenes.append(
                Scene(
                    exchange: exchange, step: step, household: household,
                    isConflict: isConflict(exchange), isRaced: isConflict(exchange)))
        }
        scenes.sort { ($0.exchange.sent, $0.household) < ($1.exchange.sent, $1.household) }
        name()
    }

    /// The living room that was shown this one's sign-in: its code, the last before this one's session was completed.
    mutating func add(codeOf other: [Exchange]) {
        let completed = life.last {
            $0.operation == .resumeSession && $0.observation.result == .success
        }
        guard let completed,
            let code = other.last(where: {
                $0.operation.issuesCode && $0.observation.result == .success
                    && $0.sent < completed.sent
            }), let step = Self.step(code, isHit: true, in: other)
        else { return }
        scenes.append(
            Scene(
                exchange: code, step: step, household: 1, isConflict: false, isRaced: false))
        scenes.sort { ($0.exchange.sent, $0.household) < ($1.exchange.sent, $1.household) }
        name()
    }

    /// A login that only began, whose provider became that of this living room's token: with its code,
    /// if that is another living room's.
    mutating func add(start: Exchange, of life: [Exchange]) {
        let isOwn = start.device.household == violation.household
        let code = life.last { $0.operation.issuesCode && $0.sent < start.sent }
        var others = [
            Scene(
                exchange: start, step: .loginStart, household: isOwn ? 0 : 1, isConflict: false,
                isRaced: true, provider: 1)
        ]
        if !isOwn, let code, let create = Step(rawValue: code.operation.name) {
            others.append(
                Scene(
                    exchange: code, step: create, household: 1, isConflict: false,
                    isRaced: false))
        }
        let user = strangeTag?.user
        for position in scenes.indices
        where scenes[position].step == .authenticate
            && scenes[position].exchange.observation.tag?.user == user
        {
            scenes[position].isRaced = true
        }
        scenes += others
        scenes.sort { ($0.exchange.sent, $0.household) < ($1.exchange.sent, $1.household) }
        name()
    }

    /// This living room's own sign-in of that user.
    func signIn(of user: String) -> Exchange? {
        scenes.last {
            $0.step == .authenticate && $0.household == 0
                && $0.exchange.observation.tag?.user == user
        }?.exchange
    }

    /// A token that nobody of this living room signed in for.
    var strangeTag: Tag? {
        let read = scenes.last { $0.isConflict && ($0.exchange.isPoll || $0.step.readsProfiles) }
        guard let tag = read?.exchange.observation.tag else { return nil }
        return ownTags.contains(tag) ? nil : tag
    }

    /// Whom this living room signed in as, in all its life. What a service calls its user, a phone is told by the code
    /// that it signed in with.
    var ownTags: [Tag] {
        life.reduce(into: []) { tags, exchange in
            let isOwn =
                exchange.signsIn
                || exchange.operation == .profilesByCode && exchange.device.role == .secondScreen
            guard isOwn, let tag = exchange.observation.tag, !tags.contains(tag) else { return }
            tags.append(tag)
        }
    }

    /// The request whose media token may be another living room's.
    var media: Exchange? {
        guard [.authorizationGates, .decisionTrue].contains(violation.invariant),
            violation.exchanges.count == 1
        else { return nil }
        return scenes.last { $0.isConflict && $0.exchange.fingerprint != nil }?.exchange
    }

    /// Whether another living room has its part already.
    var hasOther: Bool { scenes.contains { $0.household == 1 } }

    /// What was shown after a logout under the same identity.
    var shownAfterLogout: Exchange? {
        guard violation.invariant == .singleLogout else { return nil }
        return scenes.last { $0.isConflict && $0.exchange.subject != nil }?.exchange
    }

    /// Its code, where it was shown a profile or a decision on one, and nobody had signed in (rest-v2.md § 6).
    var codeOfNobody: Exchange? {
        guard violation.invariant == .noTokenBeforeSignIn, ownTags.isEmpty,
            scenes.contains(where: { $0.isConflict && $0.exchange.code == nil })
        else { return nil }
        return scenes.first { $0.step == .createSession }?.exchange
    }

    /// A device whose access is a temporary pass asks for no session.
    private var speaksOfSessions: Bool {
        let own: Set<OperationName> = [
            .createSession, .profiles, .profilesByMVPD, .profilesByCode, .ssoProfile,
        ]
        return life.contains { own.contains($0.operation) }
    }

    // MARK: What is kept

    /// Where a sign-in got lost or came late: the poll that was sent last before it, a tenth of a
    /// second at most, and those that were under way with it. One of them may have written back what
    /// it had read.
    private static func suspects(_ life: [Exchange], _ invariant: Invariant) -> Set<Int> {
        guard
            [.signInDelivered, .signInVisible, .linearizable, .tokenMonotonic].contains(invariant)
        else { return [] }
        var suspects: Set<Int> = []
        for signIn in life where signIn.operation == .assertion {
            let polls = life.filter { $0.isPoll && $0.sent < signIn.ended }
            if let last = polls.last(where: { $0.sent < signIn.sent }),
                signIn.sent - last.sent < .milliseconds(100)
            {
                suspects.insert(last.sequence)
            }
            for poll in polls where poll.ended > signIn.sent && poll.sent > signIn.sent {
                suspects.insert(poll.sequence)
            }
            if !suspects.isEmpty { suspects.insert(signIn.sequence) }
        }
        return suspects
    }

    /// With several logins, each phone's confirmation of its own: without it either may have had no effect.
    private static func confirmations(_ life: [Exchange], _ invariant: Invariant) -> Set<Int> {
        guard invariant == .linearizable, life.count(where: { $0.operation == .assertion }) > 1
        else { return [] }
        return Set(
            life.filter {
                $0.device.role == .secondScreen && $0.observation.result == .success
                    && ($0.operation == .checkCode || $0.operation == .profilesByCode)
            }.map(\.sequence))
    }

    /// A token that never came is seen by the reads after the race: the poll that was last of many
    /// needs no place of its own.
    private mutating func dropLastReads() {
        guard violation.invariant == .signInDelivered, scenes.count > 1,
            let last = scenes.last, last.exchange.isPoll
        else { return }
        scenes.removeLast()
    }

    /// From the code on that the first of the conflict is about, or that was made last before it.
    private static func start(of life: [Exchange], before first: Exchange) -> Instant {
        let made = life.filter {
            $0.operation.issuesCode && $0.sent <= first.sent
                && $0.observation.result == .success
        }
        let code = first.code ?? first.observation.code
        let own = code.flatMap { code in made.last { $0.observation.code == code } }
        return (own ?? made.last)?.sent ?? first.sent
    }

    /// What it is in a schedule; nil for what belongs to the setup of others.
    private static func step(_ exchange: Exchange, isHit: Bool, in life: [Exchange]) -> Step? {
        switch exchange.operation {
        case .assertion:
            // What it leads on to is the same login (`Observation.Result.ledOn`).
            let next = life.first {
                $0.device == exchange.device && $0.sent > exchange.sent
                    && ($0.operation == .assertion || $0.operation == .authenticate)
            }
            let goesOn = exchange.observation.result == .ledOn && next?.operation == .assertion
            return goesOn ? nil : .authenticate
        case .authenticate:
            // The first hop of a login that goes on is part of its sign-in.
            let goesOn = life.contains {
                $0.operation == .assertion && $0.device == exchange.device
                    && $0.sent > exchange.sent
            }
            return isHit && !goesOn ? .loginStart : nil
        default:
            // Setup is done anew for each execution.
            return Step(rawValue: exchange.operation.name).flatMap { step in
                // The phone's part of a session is done with its sign-in.
                step.isSetup || exchange.operation == .resumeSession ? nil : step
            }
        }
    }

    /// What was turned down or never arrived changed nothing.
    private static func counts(_ exchange: Exchange) -> Bool {
        switch exchange.outcome {
        case .throttled, .rejected, .notSent, .blocked: false
        default: true
        }
    }

    private mutating func name() {
        var counts: [Step: Int] = [:]
        for position in scenes.indices {
            let step = scenes[position].step
            counts[step, default: 0] += 1
            let number = counts[step] ?? 1
            scenes[position].id = number == 1 ? step.rawValue : "\(step.rawValue)-\(number)"
        }
    }

    // MARK: The schedule

    /// Nil where nothing of the conflict can be said as ops.
    var schedule: Schedule? {
        guard scenes.contains(where: \.isConflict) else { return nil }
        var actors: [Schedule.Actor] = []
        var ops: [Schedule.Op] = []
        let expired = codeEnd.flatMap { end in scenes.indices.first { hangs($0, on: end) } }
        for (position, scene) in scenes.enumerated() {
            let actor = Self.actor(of: scene)
            if !actors.contains(actor) { actors.append(actor) }
            if position == expired, let end = codeEnd {
                let code = scenes[end.position]
                ops.append(
                    Schedule.Op(
                        Self.expiry, Self.actor(of: code).name, .expire,
                        anchor: .init(.absolute, of: code.id)))
            }
            var op = Schedule.Op(
                scene.id, actor.name, scene.step, args: args(of: scene), tag: tag(of: scene),
                gate: scene.isRaced && !scene.step.issuesCode ? .lastByte : .none,
                connection: .fresh)
            if let (anchor, offset) = anchor(of: position) {
                (op.anchor, op.offset) = (anchor, offset)
            }
            ops.append(op)
        }
        // The reads after the race are what tells lost from late.
        return Schedule(plan: "run", actors: actors, ops: ops)
    }

    var conflictIDs: [String] { scenes.filter(\.isConflict).map(\.id) }

    /// The last of the conflict, if it hangs on another.
    var swept: String? {
        guard let position = scenes.lastIndex(where: \.isRaced), anchor(of: position) != nil
        else { return nil }
        return scenes[position].id
    }

    static func actor(of scene: Scene) -> Schedule.Actor {
        let device = scene.exchange.device
        let isTV = device.role == .firstScreen
        let name = isTV && device.index > 0 ? "tv-\(device.index + 1)" : device.name
        return Schedule.Actor(
            name: scene.household == 0 ? name : "other-\(name)", screen: isTV ? .first : .second,
            household: scene.household)
    }

    /// Those that race, and what overlaps another, hang on what was last before them; the rest takes
    /// its turn. Nothing hangs on the making of a code: what comes after needs the code.
    private func anchor(of position: Int) -> (Schedule.Anchor, Duration)? {
        let scene = scenes[position]
        let before = scenes[..<position]
        guard let last = before.last, !scene.step.issuesCode else { return nil }
        let sent = scene.exchange.sent
        if let end = codeEnd, hangs(position, on: end) {
            return (.init(.lastByteSent, of: Self.expiry), sent - end.at)
        }
        guard scene.isRaced || isUnderWayWithLast(position) else { return nil }
        // What hangs on another is made ready with it: nothing that takes its turn may stand between.
        let raced = before.lastIndex { $0.isRaced }
        let isNext = raced.map { before[($0 + 1)...].indices.allSatisfy(isUnderWayWithLast) }
        let near = raced.flatMap { isNext == true ? scenes[$0] : nil } ?? last
        guard !near.step.issuesCode else { return nil }
        if let answered = near.exchange.firstByte, answered <= sent {
            return (.init(.firstReplyByte, of: near.id), sent - answered)
        }
        return (.init(.lastByteSent, of: near.id), sent - near.exchange.sent)
    }

    /// Whether it was sent before the response to the one before it.
    private func isUnderWayWithLast(_ position: Int) -> Bool {
        let answered = scenes[position - 1].exchange.firstByte
        return !scenes[position].step.issuesCode
            && answered.map { $0 > scenes[position].exchange.sent } ?? true
    }

    /// The account, where there are several; the code, where it is not the newest of its living room.
    private func args(of scene: Scene) -> [Schedule.Arg] {
        var args: [Schedule.Arg] = []
        if let provider = scene.provider { args.append(.init("provider", "\(provider)")) }
        args += providerArgs(of: scene)
        if let subject = scene.exchange.subject,
            let number = subjects.firstIndex(of: subject)
        {
            args.append(.init("identity", "\(number + 1)"))
        }
        if let number = account(of: scene), number > 1 {
            args.append(.init("account", "\(number)"))
        }
        return args + codeArgs(of: scene)
    }

    /// Of a device with several profiles: the provider that its request names, where there are several, or where it is not
    /// that of the sign-in before it. Of others that of a login, where there are several: it may identify the user.
    private func providerArgs(of scene: Scene) -> [Schedule.Arg] {
        guard let mvpd = scene.mvpd else { return [] }
        if passes.contains(mvpd) {
            return [.init("pass", "\(passes.firstIndex(of: mvpd) ?? 0)")]
        }
        let named = scenes.reduce(into: [String]()) { names, other in
            guard let name = other.mvpd, !names.contains(name), !passes.contains(name) else {
                return
            }
            names.append(name)
        }
        guard speaksOfSessions else {
            let number = named.firstIndex(of: mvpd) ?? 0
            let isLogin = scene.step.signsIn && scene.provider == nil
            return isLogin && number > 0 ? [.init("provider", "\(number)")] : []
        }
        let isOwn = scenes.contains {
            $0.step.signsIn && $0.household == scene.household
                && $0.exchange.sent <= scene.exchange.sent
        }
        guard scene.step == .createSession || named.count > 1 || !isOwn,
            let number = named.firstIndex(of: mvpd)
        else { return [] }
        return [.init("provider", "\(number)")]
    }

    /// Providers of temporary passes, as answers told (rest-v2.md § 11).
    private var passes: [String] {
        life.reduce(into: []) { names, exchange in
            guard let mvpd = exchange.mvpd, !names.contains(mvpd),
                exchange.observation.record == "temppass"
                    || exchange.observation.record == "authorize temporary"
                    || exchange.observation.profiles.contains(where: { $0.kind == .temporary })
            else { return }
            names.append(mvpd)
        }
    }

    /// Users of an identity service, as its tokens named them.
    private var subjects: [String] {
        scenes.reduce(into: []) { subjects, scene in
            guard let subject = scene.exchange.subject, !subjects.contains(subject) else { return }
            subjects.append(subject)
        }
    }

    private func codeArgs(of scene: Scene) -> [Schedule.Arg] {
        guard let code = scene.exchange.code, !scene.step.issuesCode else { return [] }
        let made = scenes.filter {
            $0.step.issuesCode && $0.household == scene.household
                && $0.exchange.sent < scene.exchange.sent
        }
        guard let own = made.last(where: { $0.exchange.observation.code == code }),
            own.id != made.last?.id
        else { return [] }
        return [Schedule.Arg("code", own.id)]
    }

    /// Sign-ins are told apart by number: `account-1`.
    private func tag(of scene: Scene) -> String? { account(of: scene).map { "account-\($0)" } }

    /// Counts the users of a living room from 1, whichever way they sign in; one who is not known is the first. Nil for what
    /// is no sign-in.
    private func account(of scene: Scene) -> Int? {
        guard scene.step.signsIn else { return nil }
        var known: [String] = []
        for other in scenes where other.step.signsIn && other.household == scene.household {
            guard let user = other.exchange.observation.tag?.user, !known.contains(user) else {
                continue
            }
            known.append(user)
        }
        let user = scene.exchange.observation.tag?.user
        return (user.flatMap(known.firstIndex(of:)) ?? 0) + 1
    }
}
