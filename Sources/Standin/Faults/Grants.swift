internal import Dialects
internal import Journal

// Faults of the OAuth device grant: what only a person's decision, a device code and its tokens can suffer
// (RFC 8628, 3.3, 3.5 and 5.4).

extension FaultKind {
    static let ofGrants = [
        RefusalLost.kind, DecisionOverwritten.kind, DeviceCodeReuse.kind, LoginMixUp.kind,
        CodeBurnt.kind, DeniedByPoll.kind, ApprovalGap.kind, EarlyExpiry.kind, ClientBlind.kind,
    ]
}

extension RequestContext {
    /// The device code of a poll, used up or not.
    fileprivate var deviceCode: String? {
        operation == .deviceToken ? (question as? GrantQuestion)?.field("device_code") : nil
    }

    /// What the service holds of that code; nil where it is another client's, or none.
    fileprivate func grant(in service: Service) -> DeviceGrant? {
        deviceCode.flatMap { service.grants[$0] }
    }
}

/// A decision that is stored otherwise than it was answered, until a poll tells.
private struct AwaitedAnswers: Sendable {
    private var awaited: [DeviceKey: (activation: Int, at: Instant)] = [:]

    mutating func add(_ activation: Int, of device: DeviceKey, at now: Instant) {
        awaited[device] = (activation, now)
    }

    mutating func forget(_ device: DeviceKey) { awaited[device] = nil }

    /// `isTelling`: the answer is one that betrays it. A poll that was under way before shows nothing.
    mutating func show(
        _ request: RequestContext, isTelling: Bool, _ context: inout FaultContext
    ) {
        guard request.isPoll, isTelling, let device = request.device, let entry = awaited[device],
            request.moment.now - entry.at >= TokenExposure.margin
        else { return }
        awaited[device] = nil
        context.show(entry.activation, request)
    }
}

/// The person's refusal is confirmed, and never reaches the device (RFC 8628, 3.3; seen in Hydra).
struct RefusalLost: FaultInjector {
    static let kind = FaultKind(
        43, "refusal-lost", "a refusal is confirmed, but polls are still told to wait",
        violates: ["refusal-delivered"],
        // Another viewer can approve what one has refused.
        detection: .init(inGrant: ["one-decision", "decision-final"]),
        protocols: FaultKind.grants, injector: Self.self)

    var chance: Chance
    private var awaited = AwaitedAnswers()

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        awaited.show(
            request, isTelling: request.question.meaning(of: reply) == .absent, &context)
        // Who approves it all the same is right to be heard.
        if let device = context.signedIn { awaited.forget(device) }
        guard request.purpose == .refuse, request.isGranted(reply), let record = request.record,
            chance.draw()
        else { return }
        service.codes[record.key]?.state = .created
        awaited.add(context.activate(request), of: record.device, at: request.moment.now)
    }
}

/// A later decision takes the place of the first one, which was confirmed (RFC 8628, 3.3; seen in
/// Keycloak: refuse, go back, approve).
struct DecisionOverwritten: FaultInjector {
    static let kind = FaultKind(
        44, "decision-overwritten", "a later decision replaces the one that was confirmed",
        violates: ["decision-final", "one-decision"],
        races: [
            .init("", plan: "approve-refuse", least: 3, isSymmetric: true, in: FaultKind.grants)
        ],
        protocols: FaultKind.grants, injector: Self.self)

    var chance: Chance
    /// The state in which the decision under way found the code.
    private var found: CodeRecord.State?
    private var awaited = AwaitedAnswers()
    private var isApproval: [DeviceKey: Bool] = [:]

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        found = nil
        guard request.purpose == .finishLogin || request.purpose == .refuse,
            let record = request.record, request.login?.record == record.id,
            request.login?.isOver == false
        else { return }
        let isApproval = request.purpose == .finishLogin
        switch record.state {
        case .refused where isApproval, .bound where !isApproval: break
        default: return
        }
        guard chance.draw() else { return }
        found = record.state
        service.codes[record.key]?.state = .created
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if let device = request.device, let isApproval = isApproval[device] {
            let meaning = request.question.meaning(of: reply)
            awaited.show(
                request, isTelling: meaning == (isApproval ? .granted : .refused), &context)
        }
        guard let state = found, let record = request.record else { return }
        found = nil
        guard request.isGranted(reply) else {
            service.codes[record.key]?.state = state
            return
        }
        let activation = context.activate(request)
        isApproval[record.device] = request.purpose == .finishLogin
        awaited.add(activation, of: record.device, at: request.moment.now)
    }
}

/// A device code is not used up by the token that it led to (RFC 8628, 3.5).
struct DeviceCodeReuse: FaultInjector {
    static let kind = FaultKind(
        45, "device-code-reuse", "each further poll with a device code gets another token",
        violates: ["device-code-once"],
        races: [.init("", plan: "poll-poll", least: 4, isSymmetric: true, in: FaultKind.grants)],
        protocols: FaultKind.grants, injector: Self.self)

    var chance: Chance
    private var decided: [DeviceKey: Bool] = [:]
    private var activations: [DeviceKey: LazyActivation] = [:]
    private var isAgain = false

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        isAgain = false
        guard let code = request.deviceCode, let grant = service.grants[code], grant.isRedeemed
        else { return }
        if decided[grant.device] == nil { decided[grant.device] = chance.draw() }
        guard decided[grant.device] == true else { return }
        service.grants[code]?.isRedeemed = false
        isAgain = true
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard isAgain, let code = request.deviceCode, let device = request.device else { return }
        isAgain = false
        service.grants[code]?.isRedeemed = true
        guard request.isGranted(reply) else { return }
        var activation = activations[device] ?? LazyActivation()
        activation.act(request, isVisible: true, &context)
        activations[device] = activation
    }
}

/// The token belongs to whoever logged in last, not to who approved (RFC 8628, 5.4; seen in better-auth).
struct LoginMixUp: FaultInjector {
    static let kind = FaultKind(
        46, "login-mix-up",
        "a token names who logged in last on the server's pages, not who approved",
        violates: ["token-isolation"], [.window("in which the other one has logged in")],
        detection: .init(parameters: "window=1s"), protocols: FaultKind.grants,
        meetsOthers: true, injector: Self.self)

    var chance: Chance
    private let window: Duration
    private var last: (user: String, household: Int?, at: Instant)?
    private var mixed: [DeviceKey: (activation: Int, other: Int?)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        let now = request.moment.now
        if request.operation == .mvpdLogin, reply.status == 302,
            let user = (request.question as? GrantQuestion)?.field("username")
        {
            last = (user, request.household, now)
        }
        if let device = context.signedIn, let signIn = service.tokens[device], let last,
            service.userID(of: last.user, at: "") != signIn.user, now - last.at < window,
            last.household != request.household, chance.draw()
        {
            let user = service.userID(of: last.user, at: "")
            service.tokens[device]?.user = user
            mixed[device] = (context.activate(request, other: last.household), last.household)
        }
        guard request.purpose == .userMetadata, request.isGranted(reply),
            let device = request.device, let entry = mixed.removeValue(forKey: device)
        else { return }
        context.show(entry.activation, request, other: entry.other)
    }
}

/// The poll that redeems the code is told to wait, and the code is gone (RFC 8628, 3.5; seen in better-auth
/// and pipeshub: the code is consumed before the token exists).
struct CodeBurnt: FaultInjector {
    static let kind = FaultKind(
        47, "code-burnt", "a poll uses the device code up, and is told to wait",
        violates: ["code-kept", "sign-in-visible"], protocols: FaultKind.grants,
        injector: Self.self)

    var chance: Chance
    private var burnt: [DeviceKey: LazyActivation] = [:]

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard request.deviceCode != nil, let device = request.device else { return }
        if var activation = burnt[device] {
            activation.act(request, isVisible: true, &context)
            burnt[device] = activation
        } else if request.isGranted(reply), chance.draw() {
            var activation = LazyActivation()
            activation.act(request, isVisible: false, &context)
            burnt[device] = activation
            reply = service.refused(.authorizationPending, at: request.moment)
        }
    }
}

/// The second poll before the decision is told that the person has refused (RFC 8628, 3.5; seen in OpenAM).
struct DeniedByPoll: FaultInjector {
    static let kind = FaultKind(
        48, "denied-by-poll", "the second poll is told that the viewer has refused",
        violates: ["code-kept"], protocols: FaultKind.grants, injector: Self.self)

    var chance: Chance
    /// The polls of each device so far; nothing for those that are spared.
    private var polls: [DeviceKey: Int?] = [:]

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard let grant = request.grant(in: service), !grant.isRedeemed,
            request.moment.milliseconds < grant.expires, service.tokens[grant.device] == nil,
            service.codes[grant.code]?.state != .refused
        else { return }
        if polls[grant.device] == nil { polls[grant.device] = .some(chance.draw() ? 0 : nil) }
        guard let before = polls[grant.device] ?? nil else { return }
        polls[grant.device] = .some(before + 1)
        guard before >= 1 else { return }
        context.reply = service.refused(.accessDenied, at: request.moment)
        let activation = context.activate(request)
        context.show(activation, request)
    }
}

/// The approval deletes the code and makes it anew: a poll between the two finds none (seen in
/// IdentityServer4).
struct ApprovalGap: FaultInjector {
    static let kind = FaultKind(
        49, "approval-gap",
        "for a while after the approval polls are told that the code is unknown",
        violates: ["code-kept"], [.window("from the approval on")],
        races: [
            .init(
                "window=30ms", plan: "approve-poll", low: 0, high: 30, least: 3,
                in: FaultKind.grants)
        ],
        protocols: FaultKind.grants, injector: Self.self)

    var chance: Chance
    private let window: Duration
    private var gaps: [DeviceKey: Instant] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard let grant = request.grant(in: service), !grant.isRedeemed,
            let end = gaps[grant.device], request.moment.now < end
        else { return }
        context.reply = service.refused(.invalidGrant, at: request.moment)
        let activation = context.activate(request)
        context.show(activation, request)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let device = context.signedIn, chance.draw() else { return }
        gaps[device] = request.moment.now + window
    }
}

/// Codes are over before the time that was told with them (RFC 8628, 3.2 and 3.5).
struct EarlyExpiry: FaultInjector {
    static let kind = FaultKind(
        50, "early-expiry", "polls are told that a code has expired before it has",
        violates: ["expiry-respected"],
        [.init("early", .duration, "2s", "how long before the end of the code")],
        // Codes live 6 s on the bench.
        detection: .init(parameters: "early=5500ms"), protocols: FaultKind.grants,
        injector: Self.self)

    var chance: Chance
    private let early: Int64
    private var decided: [DeviceKey: Bool] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        early = fault["early"].milliseconds
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard let grant = request.grant(in: service), !grant.isRedeemed else { return }
        let left = grant.expires - request.moment.milliseconds
        guard left > 0, left <= early else { return }
        if decided[grant.device] == nil { decided[grant.device] = chance.draw() }
        guard decided[grant.device] == true else { return }
        context.reply = service.refused(.expiredToken, at: request.moment)
        let activation = context.activate(request)
        if left > 15 { context.show(activation, request) }
    }
}

/// A device code is good for every app of the server (RFC 6749, 5.2: "was issued to another client").
struct ClientBlind: FaultInjector {
    static let kind = FaultKind(
        51, "client-blind", "a device code leads to a token whichever app shows it",
        violates: ["client-bound"], detection: .init(isOfRacesOnly: true),
        races: [.init("", plan: "approve-poll", low: 0, least: 3, in: FaultKind.grants)],
        protocols: FaultKind.grants, injector: Self.self)

    var chance: Chance
    /// The app that a code was issued to, while another one's request is answered.
    private var owner: String?

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        owner = nil
        guard let code = request.deviceCode, let grant = service.grants[code],
            let client = (request.question as? GrantQuestion)?.client?.id, client != grant.client,
            !grant.isRedeemed, chance.draw()
        else { return }
        owner = grant.client
        service.grants[code]?.client = client
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let owner, let code = request.deviceCode else { return }
        self.owner = nil
        service.grants[code]?.client = owner
        guard request.isGranted(reply) else { return }
        let activation = context.activate(request)
        context.show(activation, request)
    }
}
