internal import Dialects
internal import Journal

// Faults of what a device has: a sign-in, an authorization, the resource that it asked for. Polls go
// on as if nothing were wrong; calls that need what is lost say so.

/// A sign-in is lost some time after it was made (R02, for good).
struct LostSession: FaultInjector {
    private var chance: Chance
    private let after: Duration
    private let isSeenByPolls: Bool

    private struct LossRecord {
        var serial: Int
        var from: Instant
        var strike = LazyStrike()
    }
    private var losses: [DeviceKey: LossRecord] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        after = fault["after"].duration
        isSeenByPolls = fault["seen-by"].text == "all"
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        guard visit.readsToken, isSeenByPolls || !visit.asksForToken, let device = visit.device,
            var loss = losses[device], service.tokens[device]?.serial == loss.serial
        else { return }
        let now = visit.moment.now
        guard now >= loss.from else { return }
        course.pretend(nil, of: device, in: &service)
        loss.strike.act(
            chance.name, at: visit, isVisible: course.told?.isSurelyBefore(now) ?? false, &course)
        losses[device] = loss
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard let device = course.signedIn, let serial = service.tokens[device]?.serial,
            chance.strikes()
        else { return }
        losses[device] = LossRecord(serial: serial, from: visit.moment.now + after)
    }
}

/// An authorization is lost some time after it was granted.
struct LostAuthorization: FaultInjector {
    private var chance: Chance
    private let after: Duration

    private struct LossRecord {
        var serial: Int
        var granted: Instant
        var strike = LazyStrike()
    }
    private var losses: [DeviceKey: [String: LossRecord]] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        after = fault["after"].duration
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        guard visit.endpoint == .authorizationToken || visit.endpoint == .mediaToken,
            let device = visit.device, let resource = visit.question["resource"],
            var loss = losses[device]?[resource], var signIn = service.tokens[device],
            signIn.serial == loss.serial
        else { return }
        let since = visit.moment.now - loss.granted
        guard since >= after else { return }
        signIn.authorizations[resource] = nil
        course.pretend(signIn, of: device, in: &service)
        loss.strike.act(chance.name, at: visit, isVisible: since >= TokenExposure.margin, &course)
        losses[device]?[resource] = loss
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard visit.endpoint == .authorize, reply.status == 200, let device = visit.device,
            let resource = visit.question["resource"],
            let serial = service.tokens[device]?.serial
        else { return }
        losses[device, default: [:]][resource] =
            chance.strikes() ? LossRecord(serial: serial, granted: visit.moment.now) : nil
    }
}

/// An answer about one resource bears the id of another.
struct ResourceSwap: FaultInjector {
    private var chance: Chance
    /// What was asked for last.
    private var latest = ""

    init(_ chance: Chance) { self.chance = chance }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        switch visit.endpoint {
        case .authorize, .authorizationToken, .mediaToken: break
        default: return
        }
        guard reply.status == 200, let asked = visit.question["resource"],
            let shown = reply.member("resource")
        else { return }
        defer { latest = asked }
        guard chance.strikes() else { return }
        let other = latest.isEmpty || latest == asked ? shown + "-other" : latest
        let isXML = reply.headers["Content-Type"]?.contains("xml") ?? false
        reply.replaceMember("resource", shown, with: other, isXML: isXML)
        let strike = course.strike(chance.name, visit.session, at: visit)
        course.show(strike, chance.name, visit.session, at: visit)
    }
}
