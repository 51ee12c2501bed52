internal import Dialects
internal import Journal

// Faults of registration codes and their dates.

/// Codes come from a tiny space, without a look at live ones (R07).
struct DuplicateLiveCode: FaultInjector {
    private var chance: Chance
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
    /// Strikes that nobody can tell yet: the older one may be ending its code just now.
    private var pending: [(strike: Int, session: Session, other: Int?, at: Instant)] = []
    /// Whose each record is, and the letters that each household was given last.
    private var households: [String: Int] = [:]
    private var letters: [Int: String] = [:]
    private var harmed: Set<String> = []

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        space = fault["space"].count
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        noteHarm(visit, &course)
        showPending(visit, &course)
        guard visit.endpoint == .registrationCode, chance.strikes() else { return }
        service.ids.codeSpace = space
        service.codes.allowsTwins = true
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        if visit.endpoint == .registrationRecord, visit.question.request.method == .delete,
            let record = visit.record
        {
            given[record.text]?.removeAll { $0.household == visit.household }
            // Who deletes its letters may have deleted every record of them: whether a twin was alive
            // afterwards nobody can tell from outside.
            for position in given[record.text, default: []].indices {
                given[record.text]?[position].mayBeGone = true
            }
            pending.removeAll { $0.session.code == record.text && $0.other == visit.household }
        }
        guard visit.endpoint == .registrationCode else { return }
        service.ids.codeSpace = nil
        service.codes.allowsTwins = false
        guard reply.status == 201, let device = visit.device, let text = reply.member("code"),
            let record = service.codes.latest
        else { return }
        // Its former code was to be superseded: that is no twin.
        for former in given.keys { given[former]?.removeAll { $0.device.device == device.device } }
        let now = visit.moment.milliseconds
        given[text]?.removeAll { $0.expires <= now }
        let session = Session(household: visit.household, device: device, code: text)
        for twin in given[text] ?? [] {
            note(twin, session, visit, &course)
        }
        let expires = CodeKey(text).flatMap { service.codes[$0]?.expires } ?? now
        given[text, default: []].append(
            Given(device: device, household: visit.household, expires: expires))
        if let household = visit.household {
            households[record] = household
            letters[household] = text
        }
    }

    private mutating func note(
        _ twin: Given, _ session: Session, _ visit: RequestContext, _ course: inout FaultContext
    ) {
        let strike = course.strike(chance.name, session, at: visit, other: twin.household)
        let remaining = twin.expires - visit.moment.milliseconds
        if remaining > TokenExposure.margin.wholeMilliseconds * 2, !twin.mayBeGone {
            pending.append((strike, session, twin.household, visit.moment.now))
        }
    }

    private mutating func showPending(_ visit: RequestContext, _ course: inout FaultContext) {
        let due = visit.moment.now
        while let first = pending.first, due - first.at >= TokenExposure.margin {
            course.show(first.strike, chance.name, first.session, at: visit, other: first.other)
            pending.removeFirst()
        }
    }

    /// A household comes with its own letters and meets the record of a third, which never was its
    /// twin: that one is harmed as well.
    private mutating func noteHarm(_ visit: RequestContext, _ course: inout FaultContext) {
        guard let record = visit.record, let household = visit.household,
            letters[household] == record.text, let owner = households[record.id],
            owner != household, harmed.insert("\(household) \(record.id)").inserted
        else { return }
        let session = Session(household: owner, device: record.device, code: record.text)
        course.strike(chance.name, session, at: visit, other: household)
    }
}

/// One endpoint lets codes and tokens die early, or late (R10).
struct ExpirySkew: FaultInjector {
    private var chance: Chance
    private let skew: Int64
    private let endpoint: String
    private var decided: [DeviceKey: Bool] = [:]
    /// Whether the visit under way is one where it makes a difference.
    private var strike: Int?

    var retention: Int64 { max(0, skew) + 1000 }

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        skew = fault["skew"].milliseconds
        endpoint = fault["endpoint"].text
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        strike = nil
        guard visit.operation?.name == endpoint, let device = visit.device else { return }
        if decided[device] == nil { decided[device] = chance.strikes() }
        guard decided[device] == true else { return }
        let now = visit.moment.milliseconds
        course.moment = Moment(now: visit.moment.now, milliseconds: now - skew)
        let expires = visit.isPoll ? service.tokens[device]?.expires : visit.record?.expires
        guard let expires, (now < expires) != (now - skew < expires) else { return }
        strike = course.strike(chance.name, visit.session, at: visit)
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        // A deletion that comes too late is answered yes, and does no harm.
        let isHarmless = visit.operation == .deleteRegistration && skew > 0
        guard let strike, !isHarmless, let device = visit.device else { return }
        let expires = visit.isPoll ? service.tokens[device]?.expires : visit.record?.expires
        guard let expires, abs(visit.moment.milliseconds - expires) > 15 else { return }
        course.show(strike, chance.name, visit.session, at: visit)
    }
}

/// A code that has run out is still accepted for sign-ins (R11).
struct AuthenticateAfterExpiry: FaultInjector {
    private var chance: Chance
    private let grace: Int64
    private var decided: [String: Bool] = [:]
    private var struck: [DeviceKey: (strike: Int, isShown: Bool)] = [:]

    var retention: Int64 { grace + 1000 }

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        grace = fault["grace"].milliseconds
    }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        switch visit.endpoint {
        case .authenticate, .assertion, .checkCode: break
        default: return
        }
        let now = visit.moment.milliseconds
        guard let record = visit.record, now >= record.expires, now < record.expires + grace else {
            return
        }
        if decided[record.id] == nil { decided[record.id] = chance.strikes() }
        guard decided[record.id] == true else { return }
        // For this request the code's last millisecond has not passed.
        course.moment = Moment(now: visit.moment.now, milliseconds: record.expires - 1)
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        let late = visit.moment.milliseconds - course.moment.milliseconds
        if let device = course.signedIn, late > 0 {
            // The token itself is dated right.
            service.tokens[device]?.started += late
            service.tokens[device]?.expires += late
            struck[device] = (course.strike(chance.name, visit.session, at: visit), false)
        }
        guard visit.endpoint == .checkCode, reply.status == 200, let device = visit.device,
            let entry = struck[device], !entry.isShown, late > 15
        else { return }
        struck[device]?.isShown = true
        course.show(entry.strike, chance.name, visit.session, at: visit)
    }
}

/// A deleted code stays usable for a while (R14).
struct DeleteLoses: FaultInjector {
    private var chance: Chance
    private let window: Duration
    private var kept: [Int: CodeRecord] = [:]
    private var tickets = 0
    private var struck: [String: (strike: Int, at: Instant, isShown: Bool)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {
        guard let record = visit.record else { return }
        let isDelete =
            visit.endpoint == .registrationRecord && visit.question.request.method == .delete
        if isDelete, reply.status == 204, chance.strikes() {
            tickets += 1
            kept[tickets] = record
            service.codes[record.key] = record
            struck[record.id] = (
                course.strike(chance.name, visit.session, at: visit), visit.moment.now, false
            )
            course.putOff(tickets, by: window)
        } else if let entry = struck[record.id], !entry.isShown, !isDelete,
            (200..<400).contains(reply.status),
            [.registrationRecord, .checkCode, .authenticate].contains(visit.endpoint),
            // Long enough ago for the deleter to have heard of it.
            visit.moment.now - entry.at >= .milliseconds(3)
        {
            struck[record.id]?.isShown = true
            course.show(entry.strike, chance.name, visit.session, at: visit)
        }
    }

    mutating func act(_ ticket: Int, _ service: inout Service, _ course: inout FaultContext) {
        guard let record = kept.removeValue(forKey: ticket),
            service.codes[record.key]?.id == record.id
        else { return }
        struck[record.id] = nil
        service.codes.delete(record.key)
    }
}

/// The dates of a code come from a node whose clock is off (R18).
struct NodeClockSkew: FaultInjector {
    private var chance: Chance
    private let nodes: Int
    private let skew: Int64
    private var right = 0
    private var strike: Int?

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        nodes = fault["nodes"].count
        skew = fault["skew"].milliseconds
    }

    var retention: Int64 { max(0, -skew) + 1000 }

    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {
        guard visit.endpoint == .registrationCode else { return }
        strike = nil
        guard chance.dice.below(nodes) == 1, chance.strikes() else {
            right += 1
            return
        }
        let now = visit.moment
        course.moment = Moment(now: now.now, milliseconds: now.milliseconds + skew)
        strike = course.strike(chance.name, visit.session, at: visit)
        // Two clocks show only beside each other.
        if let strike, right > 0 { course.show(strike, chance.name, visit.session, at: visit) }
    }
}
