internal import Dialects
internal import Journal
internal import Statistics
internal import Vocabulary

// Faults of load, and the controls.

extension FaultKind {
    static let ofLoad = [
        ThrottleWedge.kind, HerdCollapse.kind, NoFault.kind, Slow.kind, Noisy.kind, Capacity.kind,
    ]
}

/// 429 against the contract (R19).
struct ThrottleWedge: FaultInjector {
    static let kind = FaultKind(
        19, "throttle-wedge", "429 responses that violate the documented limits",
        violates: ["throttle-contract", "polling-ends"],
        [
            .init(
                "mode", .word(["never-recovers", "in-budget", "applies"]), "never-recovers",
                "which part of the contract")
        ],
        // The contract is one request a second: polls of true TVs, and a burst that exceeds it. By
        // what a service throttles is known of the embedded one alone.
        detection: .init(
            sets: [("standin.throttle", "contract"), ("polling.every", "500ms")],
            foreignSets: [("target.probe", "on")]),
        protocols: FaultKind.ofAdobePass, injector: Self.self)

    var chance: Chance
    private let mode: String
    /// By identity, the households that it hit: the apps of one device have one.
    private var wedged: [String: [Int?: (activation: Int, isShown: Bool)]] = [:]
    /// A 429 against the contract, unless something else of that identity was on its way already.
    private var candidates: [String: (activation: Int, household: Int?, at: Instant)] = [:]
    /// What each identity has asked, to tell a 429 against the contract from one that may be right.
    private var asked: [String: (count: Int, last: Instant)] = [:]
    /// Of the request under way: even the strictest reading of the contract lets it pass.
    private var isWithinBudget = false

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        mode = fault["mode"].text
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        // Which requests count is not for those outside to know: all do.
        let identity = request.message.throttleIdentity
        count(identity, at: request.moment.now, service.settings.policies.throttle)
        guard request.isThrottled else { return }
        switch mode {
        case "never-recovers":
            guard let entries = wedged[identity] else { return }
            context.reply = request.reply(.throttled, by: &service)
            let household = request.household
            let entry = entries[household] ?? (context.activate(request), false)
            wedged[identity]?[household] = entry
            if let candidate = candidates.removeValue(forKey: identity),
                request.moment.now - candidate.at >= TokenExposure.margin
            {
                wedged[identity]?[candidate.household]?.isShown = true
                var session = request.session
                session.household = candidate.household
                context.show(candidate.activation, request, for: session)
            } else if !entry.isShown, isWithinBudget {
                candidates[identity] = (entry.activation, household, request.moment.now)
            }
        case "in-budget":
            guard request.isPoll, chance.draw() else { return }
            context.reply = request.reply(.throttled, by: &service)
            let activation = context.activate(request)
            if isWithinBudget { context.show(activation, request) }
        default: return
        }
    }

    /// Among the first of a burst, or after a whole period without a request: even one that was turned
    /// away counts.
    private mutating func count(
        _ identity: String, at now: Instant, _ rule: Policies.Throttle?
    ) {
        let rule = rule ?? .init()
        let former = asked[identity] ?? (0, .start)
        isWithinBudget =
            former.count < rule.burst || now - former.last >= rule.every + TokenExposure.margin
        asked[identity] = (former.count + 1, now)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard request.question.meaning(of: reply) == .throttled, request.isThrottled else { return }
        let identity = request.message.throttleIdentity
        switch mode {
        case "never-recovers":
            guard wedged[identity] == nil, chance.draw() else { return }
            wedged[identity] = [request.household: (context.activate(request), false)]
        case "applies":
            guard !request.readsToken, chance.draw() else { return }
            let throttle = service.throttle
            service.throttle = nil
            let made = service.tokens.made
            let done = request.question.answer(by: &service, at: context.moment)
            service.throttle = throttle
            if service.tokens.made > made { context.signedIn = request.device }
            if request.isGranted(done) { context.activate(request) }
        default: return
        }
    }
}

/// Polls that come together are slow, or answered 503 (R20).
struct HerdCollapse: FaultInjector {
    static let kind = FaultKind(
        20, "herd-collapse", "simultaneous polls are slow or answered 503",
        violates: ["polling-ends"],
        [
            .init("rate", .rate, "200/s", "rate of polls that it can handle"),
            .init("extra", .duration, "500ms", "added to polls beyond that rate"),
            .init("error", .share, "50%", "share of those polls that are answered 503"),
        ],
        detection: .init(
            parameters: "rate=100/s",
            sets: [("polling.phase", "aligned"), ("polling.every", "100ms")],
            isStatistical: true),
        // Who is told an interval does not poll with the others.
        protocols: FaultKind.ofAdobePass, meetsOthers: true, injector: Self.self)

    var chance: Chance
    private let rate: Double
    private let extra: Duration
    private let errors: Double
    /// Polls of the present tenth of a second.
    private var tenth = Int64.min
    private var polls = 0

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        rate = fault["rate"].value
        extra = fault["extra"].duration
        errors = fault["error"].value
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard request.isPoll else { return }
        let now = request.moment.now.nanoseconds / 100_000_000
        if now != tenth { (tenth, polls) = (now, 0) }
        polls += 1
        guard Double(polls) > rate / 10, chance.draw() else { return }
        let activation = context.activate(request)
        context.show(activation, request)
        context.delay = extra
        if chance.dice.chance(errors) {
            context.reply = request.reply(.unavailable, by: &service)
        }
    }
}

/// Control: nothing.
struct NoFault: FaultInjector {
    static let kind = FaultKind(
        101, "none", "control: no fault", violates: [], probability: nil, injector: Self.self)

    var chance: Chance

    init?(_ fault: Fault, _ chance: Chance) { nil }
}

/// Control: every answer takes its time.
struct Slow: FaultInjector {
    static let kind = FaultKind(
        102, "slow", "control: every response is slow", violates: [], probability: nil,
        [
            .init("delay", .duration, "200ms", "added to each response"),
            .init("jitter", .share, "50%", "variation of the delay in both directions"),
        ],
        injector: Self.self)

    var chance: Chance
    private let delay: Duration
    private let jitter: Double

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        delay = fault["delay"].duration
        jitter = fault["jitter"].value
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        let share = 1 + jitter * (2 * chance.dice.unit() - 1)
        let nanoseconds = delay / .nanoseconds(1) * share
        context.delay += .nanoseconds(Int64(nanoseconds))
    }
}

/// Control: requests are served one after the other, each for the same time; those that come meanwhile wait.
///
/// With arrivals at random that is the queue M/D/1, whose waits are known (Erlang, 1909): at a share r of its rate the
/// mean wait is r / (2 (1 - r)) of a service time. So the limit of such a service is known before `find-limit` looks
/// for it (rigs/limit.yaml).
struct Capacity: FaultInjector {
    static let kind = FaultKind(
        104, "capacity", "control: one request at a time is served, others wait in a queue",
        violates: [], probability: nil,
        [
            .init("rate", .rate, "100/s", "requests that it serves each second"),
            .init(
                "queue", .count(0...1_000_000), "1000",
                "requests that may wait; further ones are answered 503"),
        ],
        meetsOthers: true, injector: Self.self)

    var chance: Chance
    private let serviceTime: Duration
    private let places: Double
    /// When it will have served all that it has taken.
    private var free = Instant.start

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        serviceTime = .nanoseconds(Int64((1e9 / max(fault["rate"].value, 1e-6)).rounded()))
        places = fault["queue"].value
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        let begins = max(request.moment.now, free)
        let waiting = (begins - request.moment.now) / serviceTime
        guard waiting <= places else {
            context.reply = request.reply(.unavailable, by: &service)
            return
        }
        free = begins + serviceTime
        context.delay += free - request.moment.now
    }
}

/// Control: all that a service may do without breaking a promise.
struct Noisy: FaultInjector {
    static let kind = FaultKind(
        103, "noisy",
        "control: everything that the protocol allows, such as 5xx without effect, resets, XML, 410",
        violates: [], probability: "2%",
        meetsOthers: true, injector: Self.self)

    var chance: Chance
    /// The letters of deleted codes, to be issued once more.
    private var freed: [String] = []

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
    }

    /// XML, whatever was asked for.
    mutating func rewrite(_ request: inout ServiceRequest) {
        guard chance.draw(), request.headers["Accept"]?.contains("json") ?? false else { return }
        request.headers = Headers(
            request.headers.fields.map {
                $0.name.equalsIgnoringCase("Accept")
                    ? Headers.Field($0.name, "application/xml") : $0
            })
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        if request.purpose == .issueCode, let text = freed.popLast() {
            service.ids.nextCode = text
        }
        // Nothing has been done, and nothing is said of it.
        if chance.draw() {
            context.reply = Reply(
                status: 503, headers: ["Content-Type": "application/json;charset=utf-8"],
                body: Array(#"{"status":503,"message":"Service Unavailable"}"#.utf8))
        } else if chance.draw() {
            context.isReset = true
        }
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if request.purpose == .deleteCode, request.isGranted(reply), let record = request.record,
            freed.count < 64
        {
            freed.append(record.text)
        }
        if request.question.meaning(of: reply) == .absent, chance.draw() {
            reply = request.reply(.expired, by: &service)
        }
        let isJSON = reply.headers["Content-Type"]?.hasPrefix("application/json") ?? false
        if isJSON, reply.status < 300, reply.body.last == UInt8(ascii: "}"), reply.body.count > 2,
            chance.draw()
        {
            reply.body.removeLast()
            reply.body += Array(#","x-standin":{"more":[1,2,3]}}"#.utf8)
        }
    }
}
