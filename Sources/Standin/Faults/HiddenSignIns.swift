internal import Dialects
internal import Journal

// Faults of sign-ins that took effect, and that the first screen's side does not know.

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
        _ name: FaultName, _ visit: RequestContext, _ service: inout Service,
        _ course: inout FaultContext
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
struct LostAuthentication: FaultInjector {
    private var chance: Chance
    private var hidden = HiddenSignIns()

    init(_ chance: Chance) {
        self.chance = chance
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        hidden.apply(chance.name, visit, &service, &course)
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard let device = course.signedIn, chance.strikes() else { return }
        let strike = course.strike(chance.name, visit.session, at: visit)
        hidden.hide(device, service, from: visit.moment.now, to: nil, strike: strike)
    }
}

/// The phone is told yes, and the TV's side knows a while later (R04).
struct AckBeforeApply: FaultInjector {
    private var chance: Chance
    private let window: Duration
    private var hidden = HiddenSignIns()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        hidden.apply(chance.name, visit, &service, &course)
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard let device = course.signedIn, chance.strikes() else { return }
        let strike = course.strike(chance.name, visit.session, at: visit)
        let now = visit.moment.now
        hidden.hide(device, service, from: now, to: now + window, strike: strike)
    }
}

/// A poll writes back what it read, over a sign-in that came in between (R23).
struct PollErasesApproval: FaultInjector {
    private var chance: Chance
    private let window: Duration
    /// When polls read "none", of late.
    private var readAt: [DeviceKey: [Instant]] = [:]
    private var hidden = HiddenSignIns()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        if visit.isPoll, let device = visit.device, service.tokens[device] == nil {
            let now = visit.moment.now
            readAt[device, default: []].removeAll { now >= $0 + window }
            readAt[device, default: []].append(now)
        }
        hidden.apply(chance.name, visit, &service, &course)
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard let device = course.signedIn else { return }
        // The one that writes back first.
        let first = readAt.removeValue(forKey: device)?.first { visit.moment.now < $0 + window }
        guard let read = first, chance.strikes() else { return }
        let strike = course.strike(chance.name, visit.session, at: visit)
        hidden.hide(device, service, from: read + window, to: nil, strike: strike)
    }
}
