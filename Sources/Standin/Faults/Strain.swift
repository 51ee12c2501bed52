internal import Dialects
internal import Journal
internal import Statistics
internal import Vocabulary

// Faults of load, and the controls.

/// 429 against the contract (R19).
struct ThrottleWedge: FaultInjector {
    private var chance: Chance
    private let mode: String
    private var wedged: [String: (strike: Int, isShown: Bool)] = [:]
    /// A 429 against the contract, unless something else of that identity was on its way already.
    private var candidates: [String: (strike: Int, at: Instant)] = [:]
    /// What each identity has asked, to tell a 429 against the contract from one that may be right.
    private var asked: [String: (count: Int, last: Instant)] = [:]
    /// Of the visit under way: even the strictest reading of the contract lets it pass.
    private var isWithinBudget = false

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        mode = fault["mode"].text
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        // Which requests count is not for those outside to know: all do.
        let identity = Service.identity(of: visit.question.request)
        count(identity, at: visit.moment.now, service.settings.policies.throttle)
        guard visit.endpoint.isThrottled else { return }
        switch mode {
        case "never-recovers":
            guard let entry = wedged[identity] else { return }
            course.reply = service.tooManyRequests(at: visit.moment)
            if let candidate = candidates.removeValue(forKey: identity),
                visit.moment.now - candidate.at >= TokenExposure.margin
            {
                wedged[identity]?.isShown = true
                course.show(candidate.strike, chance.name, visit.session, at: visit)
            } else if !entry.isShown, isWithinBudget {
                candidates[identity] = (entry.strike, visit.moment.now)
            }
        case "in-budget":
            guard visit.isPoll, chance.strikes() else { return }
            course.reply = service.tooManyRequests(at: visit.moment)
            let strike = course.strike(chance.name, visit.session, at: visit)
            if isWithinBudget { course.show(strike, chance.name, visit.session, at: visit) }
        default: return
        }
    }

    /// Among the first of a burst, or after a whole period without a request: even one that was turned
    /// away counts (rest-v1.md § 14, A18).
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
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard reply.status == 429, visit.endpoint.isThrottled else { return }
        let identity = Service.identity(of: visit.question.request)
        switch mode {
        case "never-recovers":
            guard wedged[identity] == nil, chance.strikes() else { return }
            wedged[identity] = (course.strike(chance.name, visit.session, at: visit), false)
        case "applies":
            guard !visit.readsToken, chance.strikes() else { return }
            let throttle = service.throttle
            service.throttle = nil
            let made = service.tokens.made
            let done = service.answerV1(visit.question, at: course.moment)
            service.throttle = throttle
            if service.tokens.made > made { course.signedIn = visit.device }
            if done.status < 400 { course.strike(chance.name, visit.session, at: visit) }
        default: return
        }
    }
}

/// Polls that come together are slow, or answered 503 (R20).
struct HerdCollapse: FaultInjector {
    private var chance: Chance
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
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        guard visit.isPoll else { return }
        let now = visit.moment.now.nanoseconds / 100_000_000
        if now != tenth { (tenth, polls) = (now, 0) }
        polls += 1
        guard Double(polls) > rate / 10, chance.strikes() else { return }
        let strike = course.strike(chance.name, visit.session, at: visit)
        course.show(strike, chance.name, visit.session, at: visit)
        course.delay = extra
        if chance.dice.chance(errors) {
            course.reply = service.reply(
                ClassicError(503, "Service Unavailable"), visit.question, at: visit.moment)
        }
    }
}

/// Control: every answer takes its time.
struct Slow: FaultInjector {
    private var chance: Chance
    private let delay: Duration
    private let jitter: Double

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        delay = fault["delay"].duration
        jitter = fault["jitter"].value
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        let share = 1 + jitter * (2 * chance.dice.unit() - 1)
        let nanoseconds = delay / .nanoseconds(1) * share
        course.delay += .nanoseconds(Int64(nanoseconds))
    }
}

/// Control: all that a service may do without breaking a promise.
struct Noisy: FaultInjector {
    private var chance: Chance
    /// The letters of deleted codes, to be issued once more.
    private var freed: [String] = []

    init(_ chance: Chance) {
        self.chance = chance
    }

    /// XML, whatever was asked for.
    mutating func rewrite(_ request: inout ServiceRequest) {
        guard chance.strikes(), request.headers["Accept"]?.contains("json") ?? false else { return }
        request.headers = Headers(
            request.headers.fields.map {
                $0.name.equalsIgnoringCase("Accept")
                    ? Headers.Field($0.name, "application/xml") : $0
            })
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        if visit.endpoint == .registrationCode, let text = freed.popLast() {
            service.ids.nextCode = text
        }
        // Nothing has been done, and nothing is said of it.
        if chance.strikes() {
            course.reply = Reply(
                status: 503, headers: ["Content-Type": "application/json;charset=utf-8"],
                body: Array(#"{"status":503,"message":"Service Unavailable"}"#.utf8))
        } else if chance.strikes() {
            course.isReset = true
        }
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        let isDelete =
            visit.endpoint == .registrationRecord && visit.question.request.method == .delete
        if isDelete, reply.status == 204, let record = visit.record, freed.count < 64 {
            freed.append(record.text)
        }
        if visit.isPoll, reply.status == 404, chance.strikes() {
            reply = service.reply(.gone, visit.question, at: visit.moment)
        }
        let isJSON = reply.headers["Content-Type"]?.hasPrefix("application/json") ?? false
        if isJSON, reply.status < 300, reply.body.last == UInt8(ascii: "}"), reply.body.count > 2,
            chance.strikes()
        {
            reply.body.removeLast()
            reply.body += Array(#","x-standin":{"more":[1,2,3]}}"#.utf8)
        }
    }
}
