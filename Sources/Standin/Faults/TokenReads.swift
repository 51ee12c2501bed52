internal import Dialects
internal import Journal

// Faults of what a first screen is told of its sign-in, while the sign-in itself is as it should be.

/// A poll before any sign-in is answered with a default account (R01).
struct PrematureToken: Mischief {
    private var chance: Chance
    private let window: Duration
    /// The codes that it strikes at, with the instant until which it goes on once begun.
    private var struck: [DeviceKey: Instant?] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(_ visit: Visit, _ service: inout Service, _ course: inout Course) {
        guard visit.isPoll, let device = visit.device, let end = struck[device],
            service.tokens[device] == nil
        else { return }
        let now = visit.moment.now
        if let end, now >= end { return }
        if end == nil {
            struck[device] = now + window
            let strike = course.strike(chance.name, visit.session, at: visit)
            course.show(strike, chance.name, visit.session, at: visit)
        }
        let signIn = SignIn(
            mvpd: service.settings.providers.first?.id ?? "", user: "standin-user",
            started: visit.moment.milliseconds,
            expires: visit.moment.milliseconds
                + service.settings.authenticationTTL.wholeMilliseconds,
            serial: 0, updated: visit.moment.milliseconds)
        course.pretend(signIn, of: device, in: &service)
    }

    mutating func after(
        _ visit: Visit, _ reply: inout Reply, _ service: inout Service, _ course: inout Course
    ) {
        if let device = course.signedIn { struck[device] = nil }
        guard visit.endpoint == .registrationCode, reply.status == 201, let device = visit.device
        else { return }
        if chance.strikes() { struck[device] = .some(nil) }
    }
}

/// After the first token, polls see none for a while (R02).
struct TokenFlap: Mischief {
    private var chance: Chance
    private let after: Duration
    private let window: Duration

    private struct Flap {
        var serial: Int
        var from: Instant
        var to: Instant
        var strike: Int?
        var isShown = false
    }
    private var flaps: [DeviceKey: Flap] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        after = fault["after"].duration
        window = fault["window"].duration
    }

    mutating func before(_ visit: Visit, _ service: inout Service, _ course: inout Course) {
        guard visit.isPoll, let device = visit.device, var flap = flaps[device],
            service.tokens[device]?.serial == flap.serial
        else { return }
        let now = visit.moment.now
        guard now >= flap.from, now < flap.to else { return }
        course.pretend(nil, of: device, in: &service)
        let strike = flap.strike ?? course.strike(chance.name, visit.session, at: visit)
        flap.strike = strike
        if !flap.isShown, (now - flap.from) + after >= Sightings.margin {
            flap.isShown = true
            course.show(strike, chance.name, visit.session, at: visit)
        }
        flaps[device] = flap
    }

    mutating func after(
        _ visit: Visit, _ reply: inout Reply, _ service: inout Service, _ course: inout Course
    ) {
        guard visit.isPoll, reply.status == 200, let device = visit.device,
            let serial = service.tokens[device]?.serial, flaps[device]?.serial != serial
        else { return }
        // Decided once for each sign-in; one that is spared has a flap of no length.
        let from = visit.moment.now + after
        flaps[device] = Flap(
            serial: serial, from: from, to: chance.strikes() ? from + window : from)
    }
}

/// Sign-ins that the first screen's side does not know (yet, or any more): what several faults have
/// in common.
struct HiddenSignIns: Sendable {
    struct Hidden: Sendable {
        var serial: Int
        var from: Instant
        /// Nil: for ever.
        var to: Instant?
        var strike: Int
        var isShown = false
    }

    private var hidden: [DeviceKey: Hidden] = [:]

    mutating func hide(
        _ device: DeviceKey, _ service: Service, from: Instant, to: Instant?, strike: Int
    ) {
        guard let serial = service.tokens[device]?.serial else { return }
        hidden[device] = Hidden(serial: serial, from: from, to: to, strike: strike)
    }

    /// Hides it from a read of the token. Observable when somebody had been told of it before.
    mutating func apply(
        _ name: FaultName, _ visit: Visit, _ service: inout Service, _ course: inout Course
    ) {
        guard visit.readsToken, let device = visit.device, let entry = hidden[device],
            service.tokens[device]?.serial == entry.serial, visit.moment.now >= entry.from,
            entry.to.map({ visit.moment.now < $0 }) ?? true
        else { return }
        course.pretend(nil, of: device, in: &service)
        guard !entry.isShown, visit.isPoll, let told = course.told,
            told.isSurelyBefore(visit.moment.now)
        else { return }
        hidden[device]?.isShown = true
        course.show(entry.strike, name, visit.session, at: visit)
    }
}

/// The phone is told yes, and no poll ever sees it (R03).
struct LostAuthentication: Mischief {
    private var chance: Chance
    private var hidden = HiddenSignIns()

    init(_ chance: Chance) {
        self.chance = chance
    }

    mutating func before(_ visit: Visit, _ service: inout Service, _ course: inout Course) {
        hidden.apply(chance.name, visit, &service, &course)
    }

    mutating func after(
        _ visit: Visit, _ reply: inout Reply, _ service: inout Service, _ course: inout Course
    ) {
        guard let device = course.signedIn, chance.strikes() else { return }
        let strike = course.strike(chance.name, visit.session, at: visit)
        hidden.hide(device, service, from: visit.moment.now, to: nil, strike: strike)
    }
}

/// The phone is told yes, and the TV's side knows a while later (R04).
struct AckBeforeApply: Mischief {
    private var chance: Chance
    private let window: Duration
    private var hidden = HiddenSignIns()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(_ visit: Visit, _ service: inout Service, _ course: inout Course) {
        hidden.apply(chance.name, visit, &service, &course)
    }

    mutating func after(
        _ visit: Visit, _ reply: inout Reply, _ service: inout Service, _ course: inout Course
    ) {
        guard let device = course.signedIn, chance.strikes() else { return }
        let strike = course.strike(chance.name, visit.session, at: visit)
        let now = visit.moment.now
        hidden.hide(device, service, from: now, to: now + window, strike: strike)
    }
}

/// Some polls are answered by a node that lags behind (R05).
struct StaleReplica: Mischief {
    private var chance: Chance
    private let lag: Duration
    private let share: Double

    /// What the lagging node knows until `end`.
    private struct Past {
        var signIn: SignIn?
        var end: Instant
        var strike: Int?
        var isShown = false
    }
    private var pasts: [DeviceKey: Past] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        lag = fault["lag"].duration
        share = fault["read-share"].value
    }

    mutating func before(_ visit: Visit, _ service: inout Service, _ course: inout Course) {
        guard let device = visit.device else { return }
        let now = visit.moment.now
        if visit.isLogout, let signIn = service.tokens[device], chance.strikes() {
            pasts[device] = Past(signIn: signIn, end: now + lag)
        }
        guard visit.isPoll, var past = pasts[device], now < past.end else { return }
        guard chance.dice.chance(share) else { return }
        course.pretend(past.signIn, of: device, in: &service)
        let strike = past.strike ?? course.strike(chance.name, visit.session, at: visit)
        past.strike = strike
        let isLater =
            past.signIn == nil
            ? course.told?.isSurelyBefore(now) ?? false
            : (now - past.end) + lag >= Sightings.margin
        if isLater, !past.isShown {
            past.isShown = true
            course.show(strike, chance.name, visit.session, at: visit)
        }
        pasts[device] = past
    }

    mutating func after(
        _ visit: Visit, _ reply: inout Reply, _ service: inout Service, _ course: inout Course
    ) {
        guard let device = course.signedIn, chance.strikes() else { return }
        pasts[device] = Past(signIn: nil, end: visit.moment.now + lag)
    }
}

/// A token answer is cached for all devices of the requestor (R06, R22).
struct DeviceBlindCache: Mischief {
    private var chance: Chance
    private let life: Duration

    private struct Cached {
        var reply: Reply
        var end: Instant
        var session: Session
    }
    private var cached: [String: Cached] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        life = fault["ttl"].duration
    }

    mutating func before(_ visit: Visit, _ service: inout Service, _ course: inout Course) {
        guard visit.isPoll, let device = visit.device, let entry = cached[device.requestor],
            visit.moment.now < entry.end, entry.session.device != device
        else { return }
        course.reply = entry.reply
        let other = entry.session.household
        let strike = course.strike(chance.name, visit.session, at: visit, other: other)
        course.show(strike, chance.name, visit.session, at: visit, other: other)
    }

    mutating func after(
        _ visit: Visit, _ reply: inout Reply, _ service: inout Service, _ course: inout Course
    ) {
        guard visit.isPoll, reply.status == 200, let device = visit.device,
            service.tokens[device] != nil,
            cached[device.requestor].map({ visit.moment.now >= $0.end }) ?? true,
            chance.strikes()
        else { return }
        cached[device.requestor] = Cached(
            reply: reply, end: visit.moment.now + life, session: visit.session)
    }
}

/// A sign-in is known only to the node that it was made on (R21). Which node a screen reaches hangs
/// on a cookie, as with load balancers; whoever has none gets one.
struct StickyOnly: Mischief {
    private var chance: Chance
    private let nodes: Int
    private static let cookie = "STANDIN_NODE"
    private var madeOn: [DeviceKey: (serial: Int, node: Int, strike: Int?, isShown: Bool)] = [:]
    /// Of the visit under way.
    private var node = 0
    private var isNew = false

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        nodes = fault["nodes"].count
    }

    mutating func before(_ visit: Visit, _ service: inout Service, _ course: inout Course) {
        let known = visit.question.cookie(Self.cookie).flatMap(Int.init)
        isNew = known == nil
        node = known ?? chance.dice.below(nodes)
        guard visit.readsToken, let device = visit.device, var made = madeOn[device],
            service.tokens[device]?.serial == made.serial, made.node != node
        else { return }
        course.pretend(nil, of: device, in: &service)
        guard visit.isPoll else { return }
        let strike = made.strike ?? course.strike(chance.name, visit.session, at: visit)
        made.strike = strike
        if !made.isShown, course.told?.isSurelyBefore(visit.moment.now) ?? false {
            made.isShown = true
            course.show(strike, chance.name, visit.session, at: visit)
        }
        madeOn[device] = made
    }

    mutating func after(
        _ visit: Visit, _ reply: inout Reply, _ service: inout Service, _ course: inout Course
    ) {
        if isNew, reply.status != 429 {
            reply.headers.append("Set-Cookie", "\(Self.cookie)=\(node); Path=/")
        }
        guard let device = course.signedIn, let signIn = service.tokens[device],
            chance.strikes()
        else { return }
        madeOn[device] = (signIn.serial, node, nil, false)
    }
}

/// A poll writes back what it read, over a sign-in that came in between (R23).
struct PollErasesApproval: Mischief {
    private var chance: Chance
    private let window: Duration
    /// When polls read "none", of late.
    private var readAt: [DeviceKey: [Instant]] = [:]
    private var hidden = HiddenSignIns()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(_ visit: Visit, _ service: inout Service, _ course: inout Course) {
        if visit.isPoll, let device = visit.device, service.tokens[device] == nil {
            let now = visit.moment.now
            readAt[device, default: []].removeAll { now >= $0 + window }
            readAt[device, default: []].append(now)
        }
        hidden.apply(chance.name, visit, &service, &course)
    }

    mutating func after(
        _ visit: Visit, _ reply: inout Reply, _ service: inout Service, _ course: inout Course
    ) {
        guard let device = course.signedIn else { return }
        // The one that writes back first.
        let first = readAt.removeValue(forKey: device)?.first { visit.moment.now < $0 + window }
        guard let read = first, chance.strikes() else { return }
        let strike = course.strike(chance.name, visit.session, at: visit)
        hidden.hide(device, service, from: read + window, to: nil, strike: strike)
    }
}
