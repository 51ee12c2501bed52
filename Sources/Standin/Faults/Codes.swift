internal import Dialects
internal import Journal

// Faults of registration codes and their dates.

extension FaultKind {
    static let ofCodes = [
        DuplicateLiveCode.kind, ExpirySkew.kind, AuthenticateAfterExpiry.kind, DeleteLoses.kind,
        NodeClockSkew.kind,
    ]
}

/// Codes come from a tiny space, without a look at live ones (R07).
struct DuplicateLiveCode: FaultInjector {
    static let kind = FaultKind(
        7, "duplicate-live-code", "codes come from a tiny space, without a check for codes in use",
        violates: ["code-unique"],
        [.init("space", .count(1...1_000_000), "50", "how many codes there are")],
        detection: .init(
            inV2: ["code-binds-device"],
            // Who types the letters decides on the newer of the two.
            inGrant: ["code-kept", "refusal-delivered", "decision-final"]), meetsOthers: true,
        injector: Self.self)

    var chance: Chance
    private let space: Int

    /// A code as its own screen knows it: good until it expires, or that screen ends it. That another
    /// one has deleted the record, or taken its place, the screen cannot know.
    private struct Given {
        var device: DeviceKey
        var household: Int?
        var expires: Int64
        var mayBeGone = false
    }
    private var given: [String: [Given]] = [:]
    /// Activations that nobody can notice yet: the older one may be ending its code just now.
    private var pending: [(activation: Int, session: Session, other: Int?, at: Instant)] = []
    /// Whose each record is, and the letters that each household was given last.
    private var households: [String: Int] = [:]
    private var letters: [Int: String] = [:]
    private var harmed: Set<String> = []

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        space = fault["space"].count
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        noteHarm(request, &context)
        showPending(request, &context)
        guard request.purpose == .issueCode, chance.draw() else { return }
        service.ids.codeSpace = space
        service.codes.allowsTwins = true
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if request.purpose == .deleteCode, let record = request.record {
            given[record.text]?.removeAll { $0.household == request.household }
            // Who deletes its letters may have deleted every record of them: whether a twin was alive
            // afterwards nobody can tell from outside.
            for position in given[record.text, default: []].indices {
                given[record.text]?[position].mayBeGone = true
            }
            pending.removeAll { $0.session.code == record.text && $0.other == request.household }
        }
        guard request.purpose == .issueCode else { return }
        service.ids.codeSpace = nil
        service.codes.allowsTwins = false
        guard request.isGranted(reply), let device = request.device, let record = context.issued
        else { return }
        let text = record.text
        // Its former code was to be superseded: that is no twin.
        for former in given.keys { given[former]?.removeAll { $0.device.device == device.device } }
        let now = request.moment.milliseconds
        given[text]?.removeAll { $0.expires <= now }
        let session = Session(household: request.household, device: device, code: text)
        for twin in given[text] ?? [] {
            note(twin, session, request, &context)
        }
        given[text, default: []].append(
            Given(device: device, household: request.household, expires: record.expires))
        if let household = request.household {
            households[record.id] = household
            letters[household] = text
        }
    }

    private mutating func note(
        _ twin: Given, _ session: Session, _ request: RequestContext, _ context: inout FaultContext
    ) {
        let activation = context.activate(request, for: session, other: twin.household)
        let remaining = twin.expires - request.moment.milliseconds
        if remaining > TokenExposure.margin.wholeMilliseconds * 2, !twin.mayBeGone {
            pending.append((activation, session, twin.household, request.moment.now))
        }
    }

    private mutating func showPending(_ request: RequestContext, _ context: inout FaultContext) {
        let due = request.moment.now
        while let first = pending.first, due - first.at >= TokenExposure.margin {
            context.show(first.activation, request, for: first.session, other: first.other)
            pending.removeFirst()
        }
    }

    /// A household comes with its own letters and meets the record of a third, which never was its
    /// twin: that one is harmed as well.
    private mutating func noteHarm(_ request: RequestContext, _ context: inout FaultContext) {
        guard let record = request.record, let household = request.household,
            letters[household] == record.text, let owner = households[record.id],
            owner != household, harmed.insert("\(household) \(record.id)").inserted
        else { return }
        let session = Session(household: owner, device: record.device, code: record.text)
        context.activate(request, for: session, other: household)
    }
}

/// One endpoint lets codes and tokens die early, or late (R10).
struct ExpirySkew: FaultInjector {
    static let kind = FaultKind(
        10, "expiry-skew", "one endpoint treats codes and tokens as expired too early or too late",
        violates: ["expiry-respected"],
        [
            .init("skew", .signedDuration, "-2s", "how late (or early, with a minus)"),
            .init("endpoint", .word(endpoints.map(\.name)), "registration-record", "which one"),
        ],
        // Codes live 6 s on the bench: R2 and N1 come when half a second of them is gone.
        detection: .init(parameters: "skew=-5500ms"), protocols: FaultKind.ofAdobePass,
        injector: Self.self)

    private static let endpoints: [(name: String, purpose: RequestContext.Purpose)] = [
        ("registration-record", .readCode), ("delete-registration", .deleteCode),
        ("authenticate", .beginLogin), ("check-code", .checkCode), ("poll-token", .poll),
        ("authorize", .authorize),
    ]

    var chance: Chance
    private let skew: Int64
    private let purpose: RequestContext.Purpose?
    private var decided: [DeviceKey: Bool] = [:]
    /// Whether the request under way is one where it makes a difference.
    private var activation: Int?

    var retention: Int64 { max(0, skew) + 1000 }

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        skew = fault["skew"].milliseconds
        let endpoint = fault["endpoint"].text
        purpose = Self.endpoints.first { $0.name == endpoint }?.purpose
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        activation = nil
        guard request.purpose == purpose, let device = request.device else { return }
        if decided[device] == nil { decided[device] = chance.draw() }
        guard decided[device] == true else { return }
        let now = request.moment.milliseconds
        let expires = expiry(request, device, service)
        // Where it makes no difference, not even the response's `Date` is to tell of it.
        guard let expires, (now < expires) != (now - skew < expires) else { return }
        context.moment = Moment(now: request.moment.now, milliseconds: now - skew)
        activation = context.activate(request)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        // A deletion that comes too late is answered yes, and does no harm.
        let isHarmless = request.purpose == .deleteCode && skew > 0
        guard let activation, !isHarmless, let device = request.device else { return }
        let expires = expiry(request, device, service)
        guard let expires, abs(request.moment.milliseconds - expires) > 15 else { return }
        context.show(activation, request)
    }

    /// The end that decides: of the sign-in or of the code.
    private func expiry(_ request: RequestContext, _ device: DeviceKey, _ service: Service)
        -> Int64?
    {
        request.isPoll || request.purpose == .authorize
            ? service.tokens[device]?.expires : request.record?.expires
    }
}

/// A code that has run out is still accepted for sign-ins (R11).
struct AuthenticateAfterExpiry: FaultInjector {
    static let kind = FaultKind(
        11, "authenticate-after-expiry", "an expired code is still accepted for sign-ins",
        violates: ["expiry-respected"],
        [.init("grace", .duration, "30s", "for how long after the expiry")],
        injector: Self.self)

    var chance: Chance
    private let grace: Int64
    private var decided: [String: Bool] = [:]
    private var accepted: [DeviceKey: (activation: Int, isShown: Bool)] = [:]

    var retention: Int64 { grace + 1000 }

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        grace = fault["grace"].milliseconds
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        switch request.purpose {
        case .beginLogin, .finishLogin, .checkCode: break
        default: return
        }
        let now = request.moment.milliseconds
        guard let record = request.record, now >= record.expires, now < record.expires + grace
        else { return }
        if decided[record.id] == nil { decided[record.id] = chance.draw() }
        guard decided[record.id] == true else { return }
        // For this request the code's last millisecond has not passed.
        context.moment = Moment(now: request.moment.now, milliseconds: record.expires - 1)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        let late = request.moment.milliseconds - context.moment.milliseconds
        if let device = context.signedIn, late > 0 {
            // The token itself is dated right.
            service.tokens[device]?.started += late
            service.tokens[device]?.expires += late
            accepted[device] = (context.activate(request), false)
        }
        // An approval's own page confirms it; after an assertion the check of the code does.
        let confirms = request.purpose == .checkCode || request.operation == .approval
        guard confirms, request.isGranted(reply), let device = request.device,
            let entry = accepted[device], !entry.isShown, late > 15
        else { return }
        accepted[device]?.isShown = true
        context.show(entry.activation, request)
    }
}

/// A deleted code stays usable for a while (R14).
struct DeleteLoses: FaultInjector {
    static let kind = FaultKind(
        14, "delete-loses", "a deleted code stays usable for a while", violates: ["delete-final"],
        [.window("for which the code stays")],
        races: [.init("window=30ms", plan: "authenticate-delete", low: -30, high: 0, least: 3)],
        protocols: [.adobePassV1], injector: Self.self)

    var chance: Chance
    private let window: Duration
    private var kept: [Int: CodeRecord] = [:]
    private var tickets = 0
    private var undeleted: [String: (activation: Int, at: Instant, isShown: Bool)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let record = request.record else { return }
        let isDelete = request.purpose == .deleteCode
        if isDelete, request.isGranted(reply), chance.draw() {
            tickets += 1
            kept[tickets] = record
            service.codes[record.key] = record
            undeleted[record.id] = (context.activate(request), request.moment.now, false)
            context.schedule(tickets, in: window)
        } else if let entry = undeleted[record.id], !entry.isShown, !isDelete,
            request.isGranted(reply),
            [.readCode, .checkCode, .beginLogin].contains(request.purpose),
            // Long enough ago for the deleter to have heard of it.
            request.moment.now - entry.at >= .milliseconds(3)
        {
            undeleted[record.id]?.isShown = true
            context.show(entry.activation, request)
        }
    }

    mutating func run(ticket: Int, _ service: inout Service, _ context: inout FaultContext) {
        guard let record = kept.removeValue(forKey: ticket),
            service.codes[record.key]?.id == record.id
        else { return }
        undeleted[record.id] = nil
        service.codes.delete(record.key)
    }
}

/// The dates of a code come from a node whose clock is off (R18).
struct NodeClockSkew: FaultInjector {
    static let kind = FaultKind(
        18, "node-clock-skew", "the timestamps of a code come from a node with clock skew",
        violates: ["clock-agreement"],
        [
            .init(
                "nodes", .count(2...16), "2", "of which one is off; standin.nodes has precedence"),
            .init("skew", .signedDuration, "2s", "by how much it is ahead"),
        ],
        // Half and half, nobody could say whose clock is right.
        detection: .init(parameters: "nodes=8"), protocols: FaultKind.ofAdobePass,
        injector: Self.self)

    var chance: Chance
    private let nodes: Int
    private let skew: Int64
    private var right = 0
    private var activation: Int?

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        nodes = fault["nodes"].count
        skew = fault["skew"].milliseconds
    }

    var retention: Int64 { max(0, -skew) + 1000 }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard request.purpose == .issueCode else { return }
        activation = nil
        let node = service.balancer.node ?? chance.dice.below(nodes)
        guard node == 1, chance.draw() else {
            right += 1
            return
        }
        let now = request.moment
        context.moment = Moment(now: now.now, milliseconds: now.milliseconds + skew)
        activation = context.activate(request)
        // Two clocks show only beside each other.
        if let activation, right > 0 { context.show(activation, request) }
    }
}
