internal import Dialects
internal import Journal

// Faults of what a device has: a sign-in, an authorization, the resource that it asked for. Polls go
// on as if nothing were wrong; calls that need what is lost say so.

extension FaultKind {
    static let ofLosses = [LostSession.kind, LostAuthorization.kind, ResourceSwap.kind]
}

/// A sign-in is lost some time after it was made (R02, for good).
struct LostSession: FaultInjector {
    static let kind = FaultKind(
        26, "lost-session",
        "a sign-in is lost after a while: polls still return it, other calls do not",
        violates: ["token-monotonic", "sign-in-visible"],
        [
            .init("after", .duration, "100ms", "from the sign-in to its loss"),
            .init(
                "seen-by", .word(["gated", "all"]), "gated",
                "calls that say so: those that need a sign-in, or polls and checks too"),
        ],
        detection: .init(inV2: ["action-true", "code-binds-device"]), injector: Self.self)

    var chance: Chance
    private let after: Duration
    private let isSeenByPolls: Bool

    private struct LossRecord {
        var serial: Int
        var from: Instant
        var activation = LazyActivation()
    }
    private var losses: [DeviceKey: LossRecord] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        after = fault["after"].duration
        isSeenByPolls = fault["seen-by"].text == "all"
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard request.readsToken, isSeenByPolls || !request.asksForToken,
            let device = request.device, var loss = losses[device],
            service.tokens[device]?.serial == loss.serial
        else { return }
        let now = request.moment.now
        guard now >= loss.from else { return }
        context.pretend(nil, of: device, in: &service)
        loss.activation.act(
            request, isVisible: context.shownAt?.isSurelyBefore(now) ?? false, &context)
        losses[device] = loss
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let device = context.signedIn, let serial = service.tokens[device]?.serial,
            chance.draw()
        else { return }
        losses[device] = LossRecord(serial: serial, from: request.moment.now + after)
    }
}

/// An authorization is lost some time after it was granted.
struct LostAuthorization: FaultInjector {
    static let kind = FaultKind(
        27, "lost-authorization", "an authorization disappears without a cause",
        violates: ["authorization-gates"],
        [.init("after", .duration, "0ms", "from the authorization to its loss")],
        protocols: [.adobePassV1], injector: Self.self)

    var chance: Chance
    private let after: Duration

    private struct LossRecord {
        var serial: Int
        var granted: Instant
        var activation = LazyActivation()
    }
    private var losses: [DeviceKey: [String: LossRecord]] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        after = fault["after"].duration
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard request.purpose == .readAuthorization || request.purpose == .mediaToken,
            let device = request.device, let resource = request.resource,
            var loss = losses[device]?[resource], var signIn = service.tokens[device],
            signIn.serial == loss.serial
        else { return }
        let since = request.moment.now - loss.granted
        guard since >= after else { return }
        signIn.authorizations[resource] = nil
        context.pretend(signIn, of: device, in: &service)
        loss.activation.act(request, isVisible: since >= TokenExposure.margin, &context)
        losses[device]?[resource] = loss
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard request.purpose == .authorize, request.isGranted(reply), let device = request.device,
            let resource = request.resource, let serial = service.tokens[device]?.serial
        else { return }
        losses[device, default: [:]][resource] =
            chance.draw() ? LossRecord(serial: serial, granted: request.moment.now) : nil
    }
}

/// An answer about one resource bears the id of another.
struct ResourceSwap: FaultInjector {
    static let kind = FaultKind(
        28, "resource-swap", "a response about one resource names another",
        violates: ["conforms"], protocols: FaultKind.ofAdobePass, meetsOthers: true,
        injector: Self.self)

    var chance: Chance
    /// What was asked for last.
    private var latest = ""

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        switch request.purpose {
        case .authorize, .readAuthorization, .mediaToken: break
        default: return
        }
        guard request.isGranted(reply), let asked = request.resource,
            let shown = request.question.text(of: .resource, in: reply)
        else { return }
        defer { latest = asked }
        guard chance.draw() else { return }
        let other = latest.isEmpty || latest == asked ? shown + "-other" : latest
        request.question.set(.resource, to: other, in: &reply)
        let activation = context.activate(request)
        context.show(activation, request)
    }
}
