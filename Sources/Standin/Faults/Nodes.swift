internal import Dialects
internal import Journal

// Faults of nodes that know different things of a sign-in.

/// Some polls are answered by a node that lags behind (R05).
struct StaleReplica: FaultInjector {
    private var chance: Chance
    private let lag: Duration
    private let share: Double

    /// What the lagging node knows until `end`.
    private struct Past {
        var signIn: SignIn?
        var end: Instant
        var strike = LazyStrike()
    }
    private var pasts: [DeviceKey: Past] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        lag = fault["lag"].duration
        share = fault["read-share"].value
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        guard let device = visit.device else { return }
        let now = visit.moment.now
        if visit.isLogout, let signIn = service.tokens[device], chance.strikes() {
            pasts[device] = Past(signIn: signIn, end: now + lag)
        }
        guard visit.isPoll, var past = pasts[device], now < past.end else { return }
        guard chance.dice.chance(share) else { return }
        course.pretend(past.signIn, of: device, in: &service)
        let isLater =
            past.signIn == nil
            ? course.told?.isSurelyBefore(now) ?? false
            : (now - past.end) + lag >= TokenExposure.margin
        past.strike.act(chance.name, at: visit, isVisible: isLater, &course)
        pasts[device] = past
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard let device = course.signedIn, chance.strikes() else { return }
        pasts[device] = Past(signIn: nil, end: visit.moment.now + lag)
    }
}

/// A sign-in is known only to the node that it was made on (R21). Which node a screen reaches hangs
/// on a cookie, as with load balancers; whoever has none gets one.
struct StickyOnly: FaultInjector {
    private var chance: Chance
    private let nodes: Int
    private static let cookie = "STANDIN_NODE"
    private var madeOn: [DeviceKey: (serial: Int, node: Int, strike: LazyStrike)] = [:]
    /// Of the visit under way.
    private var node = 0
    private var isNew = false

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        nodes = fault["nodes"].count
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        let known = visit.question.cookie(Self.cookie).flatMap(Int.init)
        isNew = known == nil
        node = known ?? chance.dice.below(nodes)
        guard visit.readsToken, let device = visit.device, var made = madeOn[device],
            service.tokens[device]?.serial == made.serial, made.node != node
        else { return }
        course.pretend(nil, of: device, in: &service)
        guard visit.isPoll else { return }
        let isLater = course.told?.isSurelyBefore(visit.moment.now) ?? false
        made.strike.act(chance.name, at: visit, isVisible: isLater, &course)
        madeOn[device] = made
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        if isNew, reply.status != 429 {
            reply.headers.append("Set-Cookie", "\(Self.cookie)=\(node); Path=/")
        }
        guard let device = course.signedIn, let signIn = service.tokens[device],
            chance.strikes()
        else { return }
        madeOn[device] = (signIn.serial, node, LazyStrike())
    }
}
