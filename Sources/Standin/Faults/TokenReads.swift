internal import Dialects
internal import Journal

// Faults of what a first screen is told of its sign-in, while the sign-in itself is as it should be.

/// A poll before any sign-in is answered with a default account (R01).
struct PrematureToken: FaultInjector {
    private var chance: Chance
    private let window: Duration
    /// The codes that it strikes at, with the instant until which it goes on once begun.
    private var struck: [DeviceKey: Instant?] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
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
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        if let device = course.signedIn { struck[device] = nil }
        guard visit.endpoint == .registrationCode, reply.status == 201, let device = visit.device
        else { return }
        if chance.strikes() { struck[device] = .some(nil) }
    }
}

/// After the first token, polls see none for a while (R02).
struct TokenFlap: FaultInjector {
    private var chance: Chance
    private let after: Duration
    private let window: Duration

    private struct Flap {
        var serial: Int
        var from: Instant
        var to: Instant
        var strike = LazyStrike()
    }
    private var flaps: [DeviceKey: Flap] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        after = fault["after"].duration
        window = fault["window"].duration
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        guard visit.isPoll, let device = visit.device, var flap = flaps[device],
            service.tokens[device]?.serial == flap.serial
        else { return }
        let now = visit.moment.now
        guard now >= flap.from, now < flap.to else { return }
        course.pretend(nil, of: device, in: &service)
        flap.strike.act(
            chance.name, at: visit, isVisible: (now - flap.from) + after >= TokenExposure.margin,
            &course)
        flaps[device] = flap
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
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

/// A token answer is cached for all devices of the requestor (R06, R22).
struct DeviceBlindCache: FaultInjector {
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

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        guard visit.isPoll, let device = visit.device, let entry = cached[device.requestor],
            visit.moment.now < entry.end, entry.session.device != device
        else { return }
        course.reply = entry.reply
        let other = entry.session.household
        let strike = course.strike(chance.name, visit.session, at: visit, other: other)
        course.show(strike, chance.name, visit.session, at: visit, other: other)
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
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
