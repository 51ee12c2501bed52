internal import Dialects
internal import Journal

// Faults of nodes that know different things of a sign-in.

extension FaultKind {
    static let ofNodes = [StaleReplica.kind, StickyOnly.kind]
}

/// Some polls are answered by a node that lags behind (R05).
struct StaleReplica: FaultInjector {
    static let kind = FaultKind(
        5, "stale-replica", "some polls go to a replica that lags",
        violates: ["sign-in-visible", "token-monotonic", "logout-final"],
        [
            .init("nodes", .count(2...16), "2", "of which one lags; standin.nodes has precedence"),
            .init("lag", .duration, "100ms", "how far behind it is"),
            .init(
                "read-share", .share, "50%",
                "of the polls that it answers, where standin.nodes does not say which"),
        ],
        detection: .init(inV2: ["code-binds-device"]),
        races: [
            .init(
                "lag=30ms,read-share=100%", plan: "poll-authenticate", low: 0, high: 30, least: 3),
            .init("lag=30ms", plan: "poll-authenticate", low: 0, high: 30, least: 3),
            .init(
                "lag=30ms,read-share=100%", plan: "approve-poll", low: 0, high: 30, least: 3,
                in: FaultKind.grants),
        ],
        injector: Self.self)

    var chance: Chance
    private let lag: Duration
    private let share: Double

    /// What the lagging node knows until `end`.
    private struct Past {
        var signIn: SignIn?
        var end: Instant
        var activation = LazyActivation()
    }
    private var pasts: [DeviceKey: Past] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        lag = fault["lag"].duration
        share = fault["read-share"].value
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard let device = request.device else { return }
        let now = request.moment.now
        if request.purpose == .logout, let signIn = service.tokens[device], chance.draw() {
            pasts[device] = Past(signIn: signIn, end: now + lag)
        }
        guard request.isPoll, var past = pasts[device], now < past.end else { return }
        guard service.balancer.isLast ?? chance.dice.chance(share) else { return }
        context.pretend(past.signIn, of: device, in: &service)
        let isLater =
            past.signIn == nil
            ? context.shownAt?.isSurelyBefore(now) ?? false
            : (now - past.end) + lag >= TokenExposure.margin
        past.activation.act(request, isVisible: isLater, &context)
        pasts[device] = past
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let device = context.signedIn, chance.draw() else { return }
        pasts[device] = Past(signIn: nil, end: request.moment.now + lag)
    }
}

/// A sign-in is known only to the node that it was made on (R21). Which node a screen reaches hangs
/// on a cookie, as with load balancers; whoever has none gets one.
struct StickyOnly: FaultInjector {
    static let kind = FaultKind(
        21, "sticky-only", "only the node that handled a sign-in knows it",
        // Where two sign in, one is there for a while.
        violates: [
            "path-independence", "sign-in-delivered", "sign-in-visible", "token-monotonic",
        ],
        [
            .init(
                "nodes", .count(2...16), "2",
                "that share nothing of a sign-in; standin.nodes has precedence")
        ],
        // The poll loops of a TV are one screen to a load balancer.
        detection: .init(
            sets: [("polling.pollers", "1")], inV2: ["action-true", "code-binds-device"]),
        injector: Self.self)

    var chance: Chance
    private let nodes: Int
    private static let cookie = "STANDIN_NODE"
    private var madeOn: [DeviceKey: (serial: Int, node: Int, activation: LazyActivation)] = [:]
    /// Of the request under way.
    private var node = 0
    private var isNew = false
    /// The device whose sign-in its node does not know.
    private var unknowing: DeviceKey?

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        nodes = fault["nodes"].count
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        let known =
            service.balancer.node ?? request.message.cookie(Self.cookie).flatMap(Int.init)
        isNew = known == nil
        node = known ?? chance.dice.below(nodes)
        unknowing = nil
        guard request.readsToken, let device = request.device, let made = madeOn[device],
            service.tokens[device]?.serial == made.serial, made.node != node
        else { return }
        context.pretend(nil, of: device, in: &service)
        unknowing = device
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if isNew, request.question.meaning(of: reply) != .throttled {
            reply.headers.append("Set-Cookie", "\(Self.cookie)=\(node); Path=/")
        }
        if let device = unknowing, var made = madeOn[device] {
            // Another device's sign-in may have answered in its place.
            let isVisible =
                context.shownAt?.isSurelyBefore(request.moment.now) ?? false
                && !request.isGranted(reply)
            made.activation.act(request, isVisible: isVisible, &context)
            madeOn[device] = made
        }
        guard let device = context.signedIn, let signIn = service.tokens[device],
            chance.draw()
        else { return }
        madeOn[device] = (signIn.serial, node, LazyActivation())
    }
}
