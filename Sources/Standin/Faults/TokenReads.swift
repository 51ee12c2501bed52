internal import Dialects
internal import Journal

// Faults of what a first screen hears of its sign-in, while the sign-in itself is as it should be.

extension FaultKind {
    static let ofTokenReads = [PrematureToken.kind, TokenFlap.kind, DeviceBlindCache.kind]
}

/// A poll before any sign-in is answered with a default account (R01).
struct PrematureToken: FaultInjector {
    static let kind = FaultKind(
        1, "premature-token", "a poll before the sign-in returns a default account",
        violates: ["no-token-before-sign-in"], [.window("from the first such poll on")],
        // A TV that has its token asks for it no more: that of the sign-in never comes.
        detection: .init(inGrant: ["sign-in-visible"]), injector: Self.self)

    var chance: Chance
    private let window: Duration
    /// The devices whose code it acts on, with the instant until which it goes on once begun.
    private var premature: [DeviceKey: Instant?] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard request.isPoll, let device = request.device, let end = premature[device],
            service.tokens[device] == nil
        else { return }
        let now = request.moment.now
        if let end, now >= end { return }
        if end == nil {
            premature[device] = now + window
            let activation = context.activate(request)
            context.show(activation, request)
        }
        let signIn = SignIn(
            mvpd: device.mvpd.isEmpty ? service.settings.providers.first?.id ?? "" : device.mvpd,
            user: "standin-user",
            started: request.moment.milliseconds,
            expires: request.moment.milliseconds
                + service.settings.authenticationTTL.wholeMilliseconds,
            serial: 0, code: request.code, updated: request.moment.milliseconds)
        context.pretend(signIn, of: device, in: &service)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if let device = context.signedIn { premature[device] = nil }
        guard context.issued != nil, request.isGranted(reply), let device = request.device else {
            return
        }
        if chance.draw() { premature[device] = .some(nil) }
    }
}

/// After the first token, polls see none for a while (R02).
struct TokenFlap: FaultInjector {
    static let kind = FaultKind(
        2, "token-flap", "after the first token, polls return none for a while",
        violates: ["token-monotonic"],
        [
            .init("after", .duration, "0ms", "from the first token on"),
            .window("for how long there is none"),
        ],
        races: [
            .init(
                "window=30ms", plan: "poll-poll", low: 0, high: 30, least: 4, isSymmetric: true)
        ],
        protocols: FaultKind.ofAdobePass, injector: Self.self)

    var chance: Chance
    private let after: Duration
    private let window: Duration

    private struct Flap {
        var serial: Int
        var from: Instant
        var to: Instant
        var activation = LazyActivation()
    }
    private var flaps: [DeviceKey: Flap] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        after = fault["after"].duration
        window = fault["window"].duration
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard request.isPoll, let device = request.device, var flap = flaps[device],
            service.tokens[device]?.serial == flap.serial
        else { return }
        let now = request.moment.now
        guard now >= flap.from, now < flap.to else { return }
        context.pretend(nil, of: device, in: &service)
        flap.activation.act(
            request, isVisible: (now - flap.from) + after >= TokenExposure.margin,
            &context)
        flaps[device] = flap
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard request.isPoll, request.isGranted(reply), let device = request.device,
            let serial = service.tokens[device]?.serial, flaps[device]?.serial != serial
        else { return }
        // Decided once for each sign-in; one that is spared has a flap of no length.
        let from = request.moment.now + after
        flaps[device] = Flap(
            serial: serial, from: from, to: chance.draw() ? from + window : from)
    }
}

/// A token answer is cached for all devices of the requestor (R06, R22).
struct DeviceBlindCache: FaultInjector {
    static let kind = FaultKind(
        6, "device-blind-cache", "a token response is cached for all devices of the requestor",
        violates: ["token-isolation"],
        [
            .init("ttl", .duration, "30ms", "life of a cached answer"),
            .init("key", .word(["requestor"]), "requestor", "what the cache looks at"),
        ],
        // The code of the device that is answered so is not used up.
        detection: .init(inGrant: ["device-code-once", "decision-final"]),
        races: [.init("ttl=30ms", plan: "poll-poll", low: 0, high: 30, least: 5)],
        meetsOthers: true, injector: Self.self)

    var chance: Chance
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
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard request.isPoll, let device = request.device, let entry = cached[device.requestor],
            request.moment.now < entry.end, entry.session.device != device
        else { return }
        context.reply = entry.reply
        let other = entry.session.household
        let activation = context.activate(request, other: other)
        context.show(activation, request, other: other)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard request.isPoll, request.isGranted(reply), let device = request.device,
            service.tokens[device] != nil,
            cached[device.requestor].map({ request.moment.now >= $0.end }) ?? true,
            chance.draw()
        else { return }
        cached[device.requestor] = Cached(
            reply: reply, end: request.moment.now + life, session: request.session)
    }
}
