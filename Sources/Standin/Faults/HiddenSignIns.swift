internal import Dialects
internal import Journal

// Faults of sign-ins that took effect, and that the first screen's side does not know.

extension FaultKind {
    static let ofHiddenSignIns = [
        LostAuthentication.kind, AckBeforeApply.kind, PollErasesApproval.kind,
    ]
}

/// Sign-ins that the first screen's side does not know (yet, or any more): what several faults have
/// in common.
struct HiddenSignIns: Sendable {
    struct Hidden: Sendable {
        var serial: Int
        var from: Instant
        /// Nil: for ever.
        var to: Instant?
        var activation: Int
        var isShown = false
    }

    private var hidden: [DeviceKey: Hidden] = [:]

    mutating func hide(
        _ device: DeviceKey, _ service: Service, from: Instant, to: Instant?, activation: Int
    ) {
        guard let serial = service.tokens[device]?.serial else { return }
        hidden[device] = Hidden(serial: serial, from: from, to: to, activation: activation)
    }

    /// Hides it from a read of the token. Visible where it had been shown to somebody before.
    mutating func apply(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard request.readsToken, let device = request.device, let entry = hidden[device],
            service.tokens[device]?.serial == entry.serial, request.moment.now >= entry.from,
            entry.to.map({ request.moment.now < $0 }) ?? true
        else { return }
        context.pretend(nil, of: device, in: &service)
        guard !entry.isShown, request.isPoll, let shownAt = context.shownAt,
            shownAt.isSurelyBefore(request.moment.now)
        else { return }
        hidden[device]?.isShown = true
        context.show(entry.activation, request)
    }
}

/// The phone's sign-in is confirmed, and no poll ever sees it (R03).
struct LostAuthentication: FaultInjector {
    static let kind = FaultKind(
        3, "lost-authentication",
        "the phone's sign-in is confirmed, but no poll ever returns the token",
        // Late rather than lost, where the TV stops asking soon.
        violates: ["sign-in-delivered", "sign-in-visible"], injector: Self.self)

    var chance: Chance
    private var hidden = HiddenSignIns()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        hidden.apply(request, &service, &context)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let device = context.signedIn, chance.draw() else { return }
        let activation = context.activate(request)
        hidden.hide(device, service, from: request.moment.now, to: nil, activation: activation)
    }
}

/// The phone's sign-in is confirmed, and the TV's side knows a while later (R04).
struct AckBeforeApply: FaultInjector {
    static let kind = FaultKind(
        4, "ack-before-apply", "the phone's sign-in is confirmed before polls return the token",
        violates: ["sign-in-visible"], [.window("from the answer to the act")],
        races: [
            .init("window=30ms", plan: "poll-authenticate", low: 0, high: 30, least: 3),
            .init(
                "window=30ms", plan: "approve-poll", low: 0, high: 30, least: 3,
                in: FaultKind.grants),
        ],
        injector: Self.self)

    var chance: Chance
    private let window: Duration
    private var hidden = HiddenSignIns()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        hidden.apply(request, &service, &context)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let device = context.signedIn, chance.draw() else { return }
        let activation = context.activate(request)
        let now = request.moment.now
        hidden.hide(device, service, from: now, to: now + window, activation: activation)
    }
}

/// A poll writes back what it read, over a sign-in that came in between (R23).
struct PollErasesApproval: FaultInjector {
    static let kind = FaultKind(
        23, "poll-erases-approval",
        "a poll overwrites a concurrent sign-in with what it read before",
        violates: ["sign-in-delivered", "token-monotonic", "sign-in-visible", "poll-is-pure"],
        [.window("from reading to writing back")],
        detection: .init(inV2: ["action-true"]),
        races: [
            .init("window=30ms", plan: "poll-authenticate", low: -30, high: 0, least: 4),
            .init(
                "window=30ms", plan: "approve-poll", low: -30, high: 0, least: 4,
                in: FaultKind.grants),
        ],
        injector: Self.self)

    var chance: Chance
    private let window: Duration
    /// When polls read "none", of late.
    private var readAt: [DeviceKey: [Instant]] = [:]
    private var hidden = HiddenSignIns()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        if request.isPoll, let device = request.device, service.tokens[device] == nil {
            let now = request.moment.now
            readAt[device, default: []].removeAll { now >= $0 + window }
            readAt[device, default: []].append(now)
        }
        hidden.apply(request, &service, &context)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let device = context.signedIn else { return }
        // The one that writes back first.
        let first = readAt.removeValue(forKey: device)?.first { request.moment.now < $0 + window }
        guard let read = first, chance.draw() else { return }
        let activation = context.activate(request)
        hidden.hide(device, service, from: read + window, to: nil, activation: activation)
    }
}
