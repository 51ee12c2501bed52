internal import Dialects
internal import Journal

// Faults of authentication sessions, trials and degraded access (rest-v2.md § 15).

extension FaultKind {
    static let ofSessions = [
        SessionHijack.kind, DegradationOutlivesRule.kind, SupersededCodeLives.kind,
        TempPassRefill.kind, PrematureAuthorize.kind,
    ]
}

/// Who completes a session moves it to another device.
struct SessionHijack: FaultInjector {
    static let kind = FaultKind(
        33, "session-hijack", "completing a session moves it to another device",
        // The other device is shown a user who never signed in there, and so are those of its identity.
        violates: [
            "code-binds-device", "token-isolation", "no-token-before-sign-in", "sign-in-delivered",
            "identity-isolation",
        ],
        protocols: [.adobePassV2], meetsOthers: true, injector: Self.self)

    var chance: Chance
    /// The devices that were given codes last, newest first.
    private var devices: [(device: DeviceKey, household: Int?)] = []
    private var moved: [String: (from: DeviceKey, other: Int?, activation: Int)] = [:]
    /// Sign-ins that came about on the wrong device, by either one.
    private var awaited: [DeviceKey: (activation: Int, isThief: Bool, other: Int?)] = [:]
    private var views = SharedViews()

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if let issued = context.issued, issued.session != nil {
            devices.insert((issued.device.owner, request.household), at: 0)
            if devices.count > 16 { devices.removeLast() }
        }
        if request.operation == .resumeSession, request.isGranted(reply),
            let record = request.record, !record.isBound, moved[record.id] == nil,
            let thief = devices.first(where: {
                $0.device.device != record.device.device
                    && $0.device.requestor == record.device.requestor
            }), chance.draw()
        {
            let mvpd = service.codes[record.key]?.device.mvpd ?? ""
            service.codes[record.key]?.device = thief.device.with(mvpd: mvpd)
            moved[record.id] = (
                record.device.owner, thief.household,
                context.activate(request, other: thief.household)
            )
        }
        if let key = context.signedIn, let record = request.record, let entry = moved[record.id] {
            awaited[key] = (entry.activation, true, context.household(of: entry.from))
            awaited[entry.from.with(mvpd: key.mvpd)] = (entry.activation, false, entry.other)
            if let signIn = service.tokens[key] { views.add(signIn, of: key) }
        }
        // It may be of the same home, whose user it is anyway.
        views.show(request, reply, service, isVisible: false, &context)
        // One finds a profile that nobody made for it, the other finds none.
        guard request.readsToken, !request.isPoll, let key = request.profile,
            let entry = awaited[key], request.isGranted(reply) == entry.isThief
        else { return }
        awaited = awaited.filter { $0.value.activation != entry.activation }
        context.show(entry.activation, request, other: entry.other)
    }
}

/// Degraded access goes on after its rule has ended.
struct DegradationOutlivesRule: FaultInjector {
    static let kind = FaultKind(
        34, "degradation-outlives-rule", "degraded access goes on after its rule has ended",
        violates: ["degradation-bounded"],
        [.init("window", .duration, "30s", "from the end of the rule on")],
        // Nobody tells a run when a rule of somebody else's service ends, but its owner.
        detection: .init(
            sets: [("standin.degrade", "[{mvpd: DemoCable, rule: AuthNAll, until: 8s}]")],
            foreignSets: [
                ("standin.degrade", "[{mvpd: DemoCable, rule: AuthNAll, until: 2s}]"),
                ("target.degrade", "[{mvpd: DemoCable, rule: AuthNAll, until: 2s}]"),
            ]),
        protocols: [.adobePassV2],
        injector: Self.self)

    var chance: Chance
    private let window: Int64
    /// A run's clock may begin up to a second after the service's.
    private static let margin: Int64 = 1_000 + TokenExposure.margin.wholeMilliseconds
    private var activations: [DeviceKey: LazyActivation] = [:]
    /// When the rule at hand ended.
    private var end: Int64 = 0

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].milliseconds
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        service.degradations.overrun = 0
        let now = request.moment.milliseconds
        guard let key = request.profile else { return }
        let over = service.degradations.orders.last {
            $0.mvpd == key.mvpd && ($0.requestor ?? key.requestor) == key.requestor
                && $0.rule != .authZNone && now >= $0.until && now < $0.until + window
        }
        guard let over, chance.draw() else { return }
        end = over.until
        service.degradations.overrun = window
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard service.degradations.overrun > 0 else { return }
        service.degradations.overrun = 0
        // As a type, a source or a reason.
        guard let owner = request.device?.owner, request.isGranted(reply),
            reply.body[...].firstRange(of: #"":"degrad"#) != nil
        else { return }
        let isLate = request.moment.milliseconds >= end + Self.margin
        activations[owner, default: LazyActivation()].act(
            request, isVisible: isLate && request.purpose != .preauthorize, &context)
    }
}

/// A code that a newer one has replaced stays usable.
struct SupersededCodeLives: FaultInjector {
    static let kind = FaultKind(
        36, "superseded-code-lives", "a code that a newer one has replaced stays usable",
        violates: ["session-superseded"],
        detection: .init(sets: [
            ("code.new-code", "50%"), ("kinds.0.viewer.wrong-code", "50%"),
        ]),
        protocols: [.adobePassV2], injector: Self.self)

    var chance: Chance
    private var former: CodeRecord?
    private var kept: [String: (activation: Int, isShown: Bool)] = [:]

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        former = nil
        guard request.purpose == .issueCode, let owner = request.device?.owner else { return }
        former = service.codes.pending(of: owner)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if let former, former.session != nil, context.issued != nil,
            former.isLive(at: request.moment.milliseconds), service.codes[former.key] == nil,
            chance.draw()
        {
            service.codes[former.key] = former
            let session = Session(
                household: request.household, device: former.device, code: former.text)
            kept[former.id] = (context.activate(request, for: session), false)
        }
        guard let record = request.record, let entry = kept[record.id], !entry.isShown,
            request.isGranted(reply),
            [.beginLogin, .readCode, .checkCode, .poll].contains(request.purpose)
        else { return }
        kept[record.id]?.isShown = true
        context.show(entry.activation, request)
    }
}

/// A trial that has begun is given back.
struct TempPassRefill: FaultInjector {
    static let kind = FaultKind(
        38, "temppass-refill", "a trial that has begun starts again",
        violates: ["temppass-budget"],
        // A pass is looked at when the app starts.
        detection: .init(sets: [
            (
                "after-sign-in",
                "[authorize, {relaunch: 100%}, {watch: 2s}, {relaunch: 100%}, {logout: 100%}]"
            )
        ]),
        protocols: [.adobePassV2], injector: Self.self)

    var chance: Chance
    /// When each trial was first used, and the end that it was first said to have since.
    private var used: [DeviceKey: (at: Instant, end: Int64?)] = [:]
    private var refilled: [DeviceKey: Int] = [:]
    private var isRefilled = false

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        isRefilled = false
        guard request.purpose == .authorize || request.purpose == .checkSignIn,
            let key = request.profile, service.settings.provider(key.mvpd)?.isTempPass ?? false,
            service.passes.hasBegun(key.requestor, key.mvpd, device: key.device), chance.draw()
        else { return }
        service.passes.reset(
            requestor: key.requestor, mvpd: key.mvpd, device: key.device, scope: nil)
        isRefilled = true
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let key = request.profile, request.isGranted(reply) else { return }
        let now = request.moment.now
        if isRefilled, refilled[key] == nil { refilled[key] = context.activate(request) }
        if request.purpose == .authorize, used[key] == nil { used[key] = (now, nil) }
        guard request.purpose == .checkSignIn, let first = used[key],
            now - first.at >= TokenExposure.margin,
            let shown = reply.body[...].between(#""notAfter":"#, ","),
            let end = Int64(String(decoding: shown, as: UTF8.self))
        else { return }
        guard let told = first.end else {
            used[key]?.end = end
            return
        }
        // Whole seconds are all that a response may tell of an end.
        guard end - told > 1_000, let activation = refilled.removeValue(forKey: key) else { return }
        context.show(activation, request)
    }
}

/// A session is answered that the device is signed in, and it is not.
struct PrematureAuthorize: FaultInjector {
    static let kind = FaultKind(
        39, "premature-authorize", "a new session is answered as if the device were signed in",
        violates: ["action-true"], protocols: [.adobePassV2], injector: Self.self)

    var chance: Chance
    private var told: [DeviceKey: Int] = [:]
    private var isPretended = false

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        isPretended = false
        guard request.purpose == .issueCode, let key = request.profile,
            service.tokens[key] == nil,
            service.settings.provider(key.mvpd)?.isTempPass == false, chance.draw()
        else { return }
        isPretended = true
        let now = request.moment.milliseconds
        context.pretend(
            SignIn(
                mvpd: key.mvpd, user: "standin-user", started: now,
                expires: now + service.settings.authenticationTTL.wholeMilliseconds, serial: 0,
                updated: now), of: key, in: &service)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if let key = context.signedIn { told[key] = nil }
        guard let key = request.profile else { return }
        if isPretended {
            isPretended = false
            guard request.isGranted(reply), context.issued == nil else { return }
            told[key] = context.activate(request)
        } else if request.readsToken, !request.isPoll, !request.isGranted(reply),
            let activation = told.removeValue(forKey: key)
        {
            context.show(activation, request)
        }
    }
}
