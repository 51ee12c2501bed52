internal import Dialects
internal import Journal

// Faults of how sign-ins come about.

extension FaultKind {
    static let ofSignIns = [
        DoubleConsume.kind, PollDoubleMint.kind, MvpdTorn.kind, ErrorButApplied.kind,
        RetryAppliesTwice.kind, SSOVersusLogin.kind,
    ]
}

/// Two sign-ins of one code both pass the check, wait, and then both act (R08).
struct DoubleConsume: FaultInjector {
    static let kind = FaultKind(
        8, "double-consume", "two sign-ins of one code both pass the check, then both act",
        violates: ["one-owner"], [.window("between check and act")],
        // Two viewers who sign in at once do so within some tenths of a second.
        detection: .init(parameters: "window=200ms", inGrant: ["one-decision"]),
        races: [
            .init(
                "window=30ms", plan: "authenticate-authenticate", low: 0, high: 30, least: 3,
                isSymmetric: true),
            .init(
                "window=30ms", plan: "approve-approve", low: 0, high: 30, least: 3,
                isSymmetric: true, in: FaultKind.grants),
        ],
        injector: Self.self)

    var chance: Chance
    private let window: Duration

    private struct Waiting {
        var request: RequestContext
        var login: BrowserLogin
    }
    private var waiting: [Int: Waiting] = [:]
    private var tickets = 0
    /// Second sign-ins, until a poll shows them.
    private var awaited = AwaitedPolls()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard request.purpose == .finishLogin, let login = request.login, !login.isOver,
            let record = request.record, record.isLive(at: request.moment.milliseconds),
            record.id == login.record, chance.draw()
        else { return }
        // The check: nobody has bound it yet.
        if case .bound = record.state { return }
        tickets += 1
        waiting[tickets] = Waiting(request: request, login: login)
        context.isHeld = true
        context.schedule(tickets, in: window)
    }

    mutating func run(ticket: Int, _ service: inout Service, _ context: inout FaultContext) {
        guard let entry = waiting.removeValue(forKey: ticket) else { return }
        var isSecond = false
        if let record = service.codes[entry.login.code], record.id == entry.login.record {
            switch record.state {
            case .bound, .refused: isSecond = true
            case .created, .used: break
            }
            service.codes[entry.login.code]?.state = .used(login: entry.login.id)
        }
        let made = service.tokens.made
        let reply = entry.request.question.answer(by: &service, at: context.moment)
        context.effects.append(.reply(reply, to: entry.request.message.id, after: .zero))
        guard service.tokens.made > made, let device = entry.request.session.device else { return }
        let wasPolled = context.exposure[device]?.toPoll != nil
        context.signedIn = device
        guard isSecond else { return }
        let activation = context.activate(entry.request.session)
        // An approval's own page tells its person.
        if entry.request.operation == .approval {
            context.show(activation, entry.request)
        } else if wasPolled {
            // Only who saw the first one can tell that there are two.
            awaited.add(activation, of: device, serial: service.tokens.made)
        }
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        awaited.show(request, reply, service, &context)
    }
}

/// Each early poll mints a token with an expiry of its own (R09).
struct PollDoubleMint: FaultInjector {
    static let kind = FaultKind(
        9, "poll-double-mint", "each early poll mints a token with an expiry of its own",
        violates: ["one-token"], [.window("from the sign-in on")],
        detection: .init(inV2: ["profile-not-prolonged", "profile-views-agree"]),
        races: [.init("window=30ms", plan: "poll-authenticate", low: 0, high: 30, least: 4)],
        protocols: FaultKind.ofAdobePass, injector: Self.self)

    var chance: Chance
    private let window: Duration
    private var minting: [DeviceKey: (end: Instant, count: Int64)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard request.isPoll, let device = request.device, let mint = minting[device],
            request.moment.now < mint.end, var signIn = service.tokens[device]
        else { return }
        minting[device]?.count += 1
        signIn.expires += mint.count * 1000
        context.pretend(signIn, of: device, in: &service)
        guard mint.count == 1 else { return }
        let activation = context.activate(request)
        context.show(activation, request)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let device = context.signedIn else { return }
        minting[device] = chance.draw() ? (request.moment.now + window, 0) : nil
    }
}

/// Two logins at once: the provider of one, the user of the other (R15).
struct MvpdTorn: FaultInjector {
    static let kind = FaultKind(
        15, "mvpd-torn",
        "two concurrent logins are mixed: provider of one, user of the other",
        violates: ["one-token", "token-isolation"], [.window("in which the other login began")],
        detection: .init(
            parameters: "window=1s",
            inV2: [
                "provider-independence", "code-binds-device", "profile-views-agree",
                "profile-consistent",
            ]),
        races: [
            .init("window=30ms", plan: "authenticate-authenticate", low: -30, high: 0, least: 4)
        ],
        protocols: FaultKind.ofAdobePass, meetsOthers: true, injector: Self.self)

    var chance: Chance
    private let window: Duration
    /// The login that began last, of all and of each code.
    private var last: (at: Instant, login: String, mvpd: String)?
    private var lastOf: [String: (at: Instant, login: String, mvpd: String)] = [:]
    private var awaited = AwaitedPolls()

    /// A mixed sign-in, which devices of the same identity are shown as well.
    private struct Torn {
        var device: DeviceKey
        var started: Int64
        var households: Set<Int>
    }
    private var torn: [Torn] = []

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        let now = request.moment.now
        if request.purpose == .beginLogin, request.isGranted(reply), let record = request.record,
            case .used(let login)? = service.codes[record.key]?.state,
            let mvpd = service.logins[login]?.mvpd
        {
            last = (now, login, mvpd)
            lastOf[record.id] = (now, login, mvpd)
        }
        awaited.show(request, reply, service, &context)
        noteViews(request, reply, &context)
        guard let device = context.signedIn, let login = request.login else { return }
        let others = [lastOf[login.record], last].compactMap { $0 }
        let other = others.first {
            $0.login != login.id && $0.mvpd != login.mvpd && now - $0.at < window
        }
        guard let other, chance.draw(), let serial = service.tokens[device]?.serial else {
            return
        }
        service.tokens[device]?.mvpd = other.mvpd
        awaited.add(context.activate(request), of: device, serial: serial)
        guard !device.client.isEmpty, let started = service.tokens[device]?.started else { return }
        torn.append(
            Torn(
                device: device.owner, started: started,
                households: Set([request.household].compactMap(\.self))))
    }

    /// Who is shown a mixed sign-in by single sign-on is harmed by it, too.
    private mutating func noteViews(
        _ request: RequestContext, _ reply: Reply, _ context: inout FaultContext
    ) {
        guard request.purpose == .checkSignIn, !torn.isEmpty, request.isGranted(reply),
            let household = request.household
        else { return }
        for position in torn.indices
        where !torn[position].households.contains(household)
            && torn[position].device != request.device?.owner
        {
            let began = #""notBefore":\#(torn[position].started),"#
            guard reply.body[...].firstRange(of: began) != nil else { continue }
            torn[position].households.insert(household)
            context.activate(request)
        }
    }
}

/// It is done, and answered with an error (R16).
struct ErrorButApplied: FaultInjector {
    static let kind = FaultKind(
        16, "error-but-applied", "a request takes effect, but is answered with an error",
        violates: ["errors-have-no-effect"],
        [
            .init("op", .word(operations.map(\.name)), "assertion", "what is answered so"),
            .init("status", .word(["400", "500", "reset"]), "400", "how"),
        ],
        injector: Self.self)

    private static let operations: [(name: String, purposes: [RequestContext.Purpose])] = [
        ("assertion", [.finishLogin]), ("logout", [.logout, .logoutHop]),
        ("delete-registration", [.deleteCode]), ("registration-code", [.issueCode]),
    ]

    var chance: Chance
    private let operation: String
    private let purposes: [RequestContext.Purpose]
    private let status: String
    /// Effects that polls will show: that sign-in, or, without a number, that there is none.
    private var awaited = AwaitedPolls()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        let operation = fault["op"].text
        self.operation = operation
        purposes = Self.operations.first { $0.name == operation }?.purposes ?? []
        status = fault["status"].text
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        awaited.show(request, reply, service, &context)
        guard purposes.contains(request.purpose), request.isGranted(reply),
            operation != "assertion" || context.signedIn != nil, chance.draw()
        else { return }
        let activation = context.activate(request)
        if let device = request.device, status == "400" {
            switch operation {
            case "assertion":
                awaited.add(activation, of: device, serial: service.tokens[device]?.serial)
            case "logout": awaited.add(activation, of: device, serial: nil)
            default: break
            }
        }
        switch status {
        case "reset": context.isReset = true
        case "500": reply = request.reply(.serverError, by: &service)
        default: reply = request.reply(.badRequest, by: &service)
        }
    }
}

/// An assertion that seemed to fail is applied again: two effects, the second with another expiry
/// (R17).
struct RetryAppliesTwice: FaultInjector {
    static let kind = FaultKind(
        17, "retry-applies-twice", "an assertion that seemed to fail is applied again",
        violates: ["retry-once", "one-token"], [.window("from the first time to the second")],
        detection: .init(
            parameters: "window=200ms", inV2: ["profile-not-prolonged", "profile-views-agree"]),
        protocols: FaultKind.ofAdobePass, injector: Self.self)

    var chance: Chance
    private let window: Duration
    private var again: [Int: (signIn: SignIn, session: Session)] = [:]
    private var tickets = 0
    private var awaited = AwaitedPolls()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        awaited.show(request, reply, service, &context)
        guard request.purpose == .finishLogin, let device = context.signedIn,
            let signIn = service.tokens[device], chance.draw()
        else { return }
        tickets += 1
        again[tickets] = (signIn, request.session)
        context.schedule(tickets, in: window)
        reply = request.reply(.unavailable, by: &service)
    }

    mutating func run(ticket: Int, _ service: inout Service, _ context: inout FaultContext) {
        guard let (signIn, session) = again.removeValue(forKey: ticket),
            let device = session.device, service.tokens[device]?.serial == signIn.serial
        else { return }
        // The retry has waited for a second: long enough to tell the two dates apart.
        let serial = service.tokens.signIn(
            device, mvpd: signIn.mvpd, user: signIn.user, code: signIn.code,
            at: context.moment.milliseconds,
            ttl: signIn.expires - signIn.started + 1000)
        if let code = signIn.code, let record = service.codes[code] {
            service.codes.bind(record, serial: serial)
        }
        let activation = context.activate(session)
        if context.exposure[device]?.toPoll != nil {
            awaited.add(activation, of: device, serial: serial)
        }
        context.signedIn = device
    }
}

/// Platform sign-on and login at once: fields of both in one token (R25).
struct SSOVersusLogin: FaultInjector {
    static let kind = FaultKind(
        25, "sso-vs-login",
        "concurrent platform sign-on and login: one token with fields of both",
        violates: ["one-token", "token-isolation"], [.window("in which both come")],
        detection: .init(parameters: "window=1s"),
        races: [
            .init("window=30ms", plan: "sso-authenticate", low: -30, high: 30, least: 4)
        ],
        protocols: [.adobePassV1], injector: Self.self)

    var chance: Chance
    private let window: Duration
    private var last: [DeviceKey: (at: Instant, signIn: SignIn)] = [:]
    private var awaited = AwaitedPolls()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        awaited.show(request, reply, service, &context)
        guard let device = context.signedIn, let signIn = service.tokens[device] else { return }
        let now = request.moment.now
        // Of one user, or at one provider, there is nothing to mix up.
        if let former = last[device], former.signIn.origin != signIn.origin,
            former.signIn.mvpd != signIn.mvpd, former.signIn.user != signIn.user,
            now - former.at < window, chance.draw()
        {
            service.tokens[device]?.mvpd = former.signIn.mvpd
            awaited.add(context.activate(request), of: device, serial: signIn.serial)
        }
        last[device] = (now, signIn)
    }
}
