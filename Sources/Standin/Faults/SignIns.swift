internal import Dialects
internal import Journal

// Faults of how sign-ins come about.

/// Two sign-ins of one code both pass the check, wait, and then both act (R08).
struct DoubleConsume: FaultInjector {
    private var chance: Chance
    private let window: Duration

    private struct Waiting {
        var request: ServiceRequest
        var login: BrowserLogin
        var session: Session
        var told: TokenExposure.Shown?
    }
    private var waiting: [Int: Waiting] = [:]
    private var tickets = 0
    /// Second sign-ins, until a poll shows them.
    private var struck: [DeviceKey: (serial: Int, strike: Int)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        guard visit.endpoint == .assertion, let login = visit.login, !login.isOver,
            let record = visit.record, record.isLive(at: visit.moment.milliseconds),
            record.id == login.record, chance.strikes()
        else { return }
        // The check: nobody has bound it yet.
        if case .bound = record.state { return }
        tickets += 1
        waiting[tickets] = Waiting(
            request: visit.question.request, login: login, session: visit.session,
            told: course.told)
        course.isHeld = true
        course.putOff(tickets, by: window)
    }

    mutating func act(_ ticket: Int, _ service: inout Service, _ course: inout FaultContext) {
        guard let entry = waiting.removeValue(forKey: ticket) else { return }
        var isSecond = false
        if let record = service.codes[entry.login.code], record.id == entry.login.record {
            if case .bound = record.state { isSecond = true }
            service.codes[entry.login.code]?.state = .used(login: entry.login.id)
        }
        let made = service.tokens.made
        let reply = service.answerV1(V1Question(entry.request), at: course.moment)
        course.effects.append(.reply(reply, to: entry.request.id, after: .zero))
        guard service.tokens.made > made, let device = entry.session.device else { return }
        let wasPolled = course.exposure[device]?.toPoll != nil
        course.signedIn = device
        guard isSecond else { return }
        let strike = course.strike(chance.name, entry.session, at: nil)
        // Only who saw the first one can tell that there are two.
        if wasPolled { struck[device] = (service.tokens.made, strike) }
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard visit.isPoll, reply.status == 200, let device = visit.device,
            let entry = struck[device], service.tokens[device]?.serial == entry.serial
        else { return }
        struck[device] = nil
        course.show(entry.strike, chance.name, visit.session, at: visit)
    }
}

/// Each early poll mints a token with an expiry of its own (R09).
struct PollDoubleMint: FaultInjector {
    private var chance: Chance
    private let window: Duration
    private var minting: [DeviceKey: (end: Instant, count: Int64)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        guard visit.isPoll, let device = visit.device, let mint = minting[device],
            visit.moment.now < mint.end, var signIn = service.tokens[device]
        else { return }
        minting[device]?.count += 1
        signIn.expires += mint.count * 1000
        course.pretend(signIn, of: device, in: &service)
        guard mint.count == 1 else { return }
        let strike = course.strike(chance.name, visit.session, at: visit)
        course.show(strike, chance.name, visit.session, at: visit)
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard let device = course.signedIn else { return }
        minting[device] = chance.strikes() ? (visit.moment.now + window, 0) : nil
    }
}

/// Two logins at once: the provider of one, the user of the other (R15).
struct MvpdTorn: FaultInjector {
    private var chance: Chance
    private let window: Duration
    /// The login that began last, of all and of each code.
    private var last: (at: Instant, login: String, mvpd: String)?
    private var lastOf: [String: (at: Instant, login: String, mvpd: String)] = [:]
    private var struck: [DeviceKey: (serial: Int, strike: Int)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        let now = visit.moment.now
        if visit.endpoint == .authenticate, reply.status == 302, let record = visit.record,
            let mvpd = visit.question["mso_id"],
            case .used(let login)? = service.codes[record.key]?.state
        {
            last = (now, login, mvpd)
            lastOf[record.id] = (now, login, mvpd)
        }
        if visit.isPoll, reply.status == 200, let device = visit.device,
            let entry = struck[device], service.tokens[device]?.serial == entry.serial
        {
            struck[device] = nil
            course.show(entry.strike, chance.name, visit.session, at: visit)
        }
        guard let device = course.signedIn, let login = visit.login else { return }
        let others = [lastOf[login.record], last].compactMap { $0 }
        let other = others.first {
            $0.login != login.id && $0.mvpd != login.mvpd && now - $0.at < window
        }
        guard let other, chance.strikes(), let serial = service.tokens[device]?.serial else {
            return
        }
        service.tokens[device]?.mvpd = other.mvpd
        struck[device] = (serial, course.strike(chance.name, visit.session, at: visit))
    }
}

/// It is done, and answered with an error (R16).
struct ErrorButApplied: FaultInjector {
    private var chance: Chance
    private let operation: String
    private let status: String
    /// Effects that polls will show: that sign-in, or, without a number, that there is none.
    private var struck: [DeviceKey: (serial: Int?, strike: Int)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        operation = fault["op"].text
        status = fault["status"].text
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        if visit.isPoll, let device = visit.device, let entry = struck[device],
            reply.status == (entry.serial == nil ? 404 : 200),
            service.tokens[device]?.serial == entry.serial
        {
            struck[device] = nil
            course.show(entry.strike, chance.name, visit.session, at: visit)
        }
        guard visit.operation?.name == operation, (200..<400).contains(reply.status),
            operation != "assertion" || course.signedIn != nil, chance.strikes()
        else { return }
        let strike = course.strike(chance.name, visit.session, at: visit)
        if let device = visit.device, status == "400" {
            switch operation {
            case "assertion": struck[device] = (service.tokens[device]?.serial, strike)
            case "logout": struck[device] = (nil, strike)
            default: break
            }
        }
        switch status {
        case "reset": course.isReset = true
        case "500":
            reply = service.reply(
                ClassicError(500, "Internal Server Error"), visit.question, at: visit.moment)
        default:
            reply = service.reply(
                ClassicError(400, "Bad Request"), visit.question, at: visit.moment)
        }
    }
}

/// An assertion that seemed to fail is applied again: two effects, the second with another expiry
/// (R17).
struct RetryAppliesTwice: FaultInjector {
    private var chance: Chance
    private let window: Duration
    private var again: [Int: (signIn: SignIn, session: Session)] = [:]
    private var tickets = 0
    private var struck: [DeviceKey: (serial: Int, strike: Int)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        if visit.isPoll, reply.status == 200, let device = visit.device,
            let entry = struck[device], service.tokens[device]?.serial == entry.serial
        {
            struck[device] = nil
            course.show(entry.strike, chance.name, visit.session, at: visit)
        }
        guard visit.endpoint == .assertion, let device = course.signedIn,
            let signIn = service.tokens[device], chance.strikes()
        else { return }
        tickets += 1
        again[tickets] = (signIn, visit.session)
        course.putOff(tickets, by: window)
        reply = service.reply(
            ClassicError(503, "Service Unavailable"), visit.question, at: visit.moment)
    }

    mutating func act(_ ticket: Int, _ service: inout Service, _ course: inout FaultContext) {
        guard let (signIn, session) = again.removeValue(forKey: ticket),
            let device = session.device, service.tokens[device]?.serial == signIn.serial
        else { return }
        // The retry has waited for a second: long enough to tell the two dates apart.
        let serial = service.tokens.signIn(
            device, mvpd: signIn.mvpd, user: signIn.user, code: signIn.code,
            at: course.moment.milliseconds,
            ttl: signIn.expires - signIn.started + 1000)
        if let code = signIn.code, let record = service.codes[code] {
            service.codes.bind(record, serial: serial)
        }
        let strike = course.strike(chance.name, session, at: nil)
        if course.exposure[device]?.toPoll != nil { struck[device] = (serial, strike) }
        course.signedIn = device
    }
}

/// Platform sign-on and login at once: fields of both in one token (R25).
struct SSOVersusLogin: FaultInjector {
    private var chance: Chance
    private let window: Duration
    private var last: [DeviceKey: (at: Instant, signIn: SignIn)] = [:]
    private var struck: [DeviceKey: (serial: Int, strike: Int)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        if visit.isPoll, reply.status == 200, let device = visit.device,
            let entry = struck[device], service.tokens[device]?.serial == entry.serial
        {
            struck[device] = nil
            course.show(entry.strike, chance.name, visit.session, at: visit)
        }
        guard let device = course.signedIn, let signIn = service.tokens[device] else { return }
        let now = visit.moment.now
        // Of one user, or at one provider, there is nothing to mix up.
        if let former = last[device], former.signIn.origin != signIn.origin,
            former.signIn.mvpd != signIn.mvpd, former.signIn.user != signIn.user,
            now - former.at < window, chance.strikes()
        {
            service.tokens[device]?.mvpd = former.signIn.mvpd
            struck[device] = (
                signIn.serial, course.strike(chance.name, visit.session, at: visit)
            )
        }
        last[device] = (now, signIn)
    }
}
