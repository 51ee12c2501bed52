internal import Dialects
internal import Formats
internal import Journal

// Faults of profiles and decisions, of which a device has several (rest-v2.md § 15).

extension FaultKind {
    static let ofProfiles = [
        WrongProviderProfile.kind, StaleDecision.kind, LogoutAllProviders.kind,
        ProfileProlonged.kind, MediaTokenRepeat.kind, ViewsDiffer.kind, PreauthorizeToken.kind,
    ]
}

extension RequestContext {
    /// The profile that it is about: device, client and provider; nil where a device has one sign-in at
    /// most.
    var profile: DeviceKey? {
        guard let device, !device.client.isEmpty, !device.mvpd.isEmpty else { return nil }
        return device
    }
}

/// The profile of one provider is returned as that of another.
struct WrongProviderProfile: FaultInjector {
    static let kind = FaultKind(
        29, "wrong-provider-profile", "a profile of one provider is returned as another's",
        violates: ["profile-consistent", "provider-independence", "no-token-before-sign-in"],
        protocols: [.adobePassV2], injector: Self.self)

    var chance: Chance
    /// By the sign-in that it is decided of: the provider that is shown in its place, if any.
    private var decided: [Int: String?] = [:]
    private var activations: [Int: LazyActivation] = [:]
    /// Of the request under way.
    private var serial: Int?

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        serial = nil
        guard request.asksForToken || request.purpose == .checkCode, let key = request.profile,
            var signIn = service.tokens[key]
        else { return }
        if decided[signIn.serial] == nil {
            let other = service.settings.providers.first { $0.id != key.mvpd && !$0.isTempPass }
            decided[signIn.serial] = .some(chance.draw() ? other?.id : nil)
        }
        guard let other = decided[signIn.serial] ?? nil else { return }
        serial = signIn.serial
        signIn.mvpd = other
        context.pretend(signIn, of: key, in: &service)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let serial, request.isGranted(reply) else { return }
        activations[serial, default: LazyActivation()].act(request, isVisible: true, &context)
    }
}

/// A decision rests on a profile that was logged out.
struct StaleDecision: FaultInjector {
    static let kind = FaultKind(
        30, "stale-decision", "after a logout decisions are still permitted for a while",
        violates: ["logout-final", "authorization-gates"],
        [.init("window", .duration, "30s", "from the logout on")],
        races: [.init("window=30ms", plan: "logout-media", low: 0, high: 30, least: 4)],
        protocols: [.adobePassV2], injector: Self.self)

    var chance: Chance
    private let window: Duration
    private var leaving: SignIn?
    private var kept: [DeviceKey: (signIn: SignIn, end: Instant, activation: Int, isShown: Bool)] =
        [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        window = fault["window"].duration
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        leaving = nil
        guard let key = request.profile else { return }
        switch request.purpose {
        case .logout: leaving = service.tokens[key]
        case .authorize, .preauthorize:
            guard let entry = kept[key], service.tokens[key] == nil,
                request.moment.now < entry.end
            else { return }
            context.pretend(entry.signIn, of: key, in: &service)
        default: return
        }
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if let key = context.signedIn { kept[key] = nil }
        guard let key = request.profile else { return }
        if let signIn = leaving, service.tokens[key] == nil, chance.draw() {
            kept[key] = (
                signIn, request.moment.now + window, context.activate(request), false
            )
        }
        guard request.purpose == .authorize || request.purpose == .preauthorize,
            request.isGranted(reply), let entry = kept[key], !entry.isShown,
            service.tokens[key] == nil
        else { return }
        kept[key]?.isShown = true
        context.show(entry.activation, request)
    }
}

/// A logout at one provider ends the profiles of all.
struct LogoutAllProviders: FaultInjector {
    static let kind = FaultKind(
        35, "logout-all-providers", "a logout at one provider ends the profiles of the others",
        violates: ["provider-independence", "token-monotonic"],
        races: [.init("", plan: "logout-authenticate", high: 0, least: 4)],
        protocols: [.adobePassV2], injector: Self.self)

    var chance: Chance
    private var ended: [DeviceKey: Int] = [:]

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if let key = context.signedIn { ended[key] = nil }
        guard let key = request.profile else { return }
        if request.purpose == .logout, request.isGranted(reply) {
            let others = service.tokens.providers(of: key.owner).map { key.owner.with(mvpd: $0) }
                .filter { other in
                    other != key
                        && service.liveSignIn(other, at: request.moment) != nil
                }
            guard !others.isEmpty, chance.draw() else { return }
            let activation = context.activate(request)
            for other in others {
                service.tokens[other] = nil
                ended[other] = activation
            }
        } else if request.readsToken, !request.isGranted(reply),
            let activation = ended.removeValue(forKey: key)
        {
            ended = ended.filter { $0.value != activation }
            context.show(activation, request)
        }
    }
}

/// Reading a profile, or a decision on it, makes it live longer.
struct ProfileProlonged: FaultInjector {
    static let kind = FaultKind(
        37, "profile-prolonged", "each read of a profile prolongs it",
        violates: ["profile-not-prolonged", "one-token"],
        [.init("by", .duration, "1h", "added to its life each time")], protocols: [.adobePassV2],
        injector: Self.self)

    var chance: Chance
    private let step: Int64
    private var decided: [Int: Bool] = [:]
    /// What was prolonged, and has not been read since.
    private var prolonged: [Int: Int] = [:]
    private var views = SharedViews()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        step = fault["by"].milliseconds
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        // Another device of the identity may have seen the former end, or not.
        views.show(request, reply, service, isVisible: false, &context)
        guard request.isGranted(reply), let key = request.profile, let signIn = service.tokens[key]
        else { return }
        let serial = signIn.serial
        let isRead = request.asksForToken || request.purpose == .checkCode
        if isRead, let activation = prolonged.removeValue(forKey: serial) {
            context.show(activation, request)
        }
        guard isRead || request.purpose == .authorize else { return }
        if decided[serial] == nil { decided[serial] = chance.draw() }
        guard decided[serial] == true else { return }
        service.tokens[key]?.expires += step
        views.add(signIn, of: key)
        if prolonged[serial] == nil { prolonged[serial] = context.activate(request) }
    }
}

/// A media token is handed out a second time, to the same device for the same resource.
struct MediaTokenRepeat: FaultInjector {
    static let kind = FaultKind(
        40, "media-token-repeat", "the media token of an earlier decision is handed out again",
        violates: ["decision-true", "authorization-gates"], protocols: [.adobePassV2],
        injector: Self.self)

    var chance: Chance
    private var given: [DeviceKey: [String: String]] = [:]

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard request.purpose == .authorize, request.isGranted(reply), let key = request.profile,
            let resource = request.resource,
            let text = request.question.text(of: .mediaToken, in: reply)
        else { return }
        guard let former = given[key]?[resource], chance.draw() else {
            given[key, default: [:]][resource] = text
            return
        }
        request.question.set(.mediaToken, to: former, in: &reply)
        let activation = context.activate(request)
        context.show(activation, request)
    }
}

/// The device's own look at its profile names another user than the look by code.
struct ViewsDiffer: FaultInjector {
    static let kind = FaultKind(
        42, "views-differ", "a profile by device names another user than the same by code",
        violates: ["profile-views-agree", "one-token"], protocols: [.adobePassV2],
        injector: Self.self)

    var chance: Chance
    private var decided: [Int: Bool] = [:]
    private var activations: [Int: LazyActivation] = [:]
    private var serial: Int?

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        serial = nil
        guard request.purpose == .checkSignIn, let key = request.profile,
            var signIn = service.tokens[key]
        else { return }
        if decided[signIn.serial] == nil { decided[signIn.serial] = chance.draw() }
        guard decided[signIn.serial] == true else { return }
        serial = signIn.serial
        signIn.user += "-other"
        context.pretend(signIn, of: key, in: &service)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let serial, request.isGranted(reply) else { return }
        // Only beside what a poll was told.
        let isVisible = context.shownAt?.toPoll != nil
        activations[serial, default: LazyActivation()].act(
            request, isVisible: isVisible, &context)
    }
}

/// What is to tell only what could be played hands out the key to it.
struct PreauthorizeToken: FaultInjector {
    static let kind = FaultKind(
        52, "preauthorize-token", "preauthorize hands out a media token with a permit",
        violates: ["preauthorize-inert", "conforms"], protocols: [.adobePassV2],
        injector: Self.self)

    var chance: Chance

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard request.purpose == .preauthorize, request.isGranted(reply),
            let place = reply.body[...].firstRange(of: #""authorized":true"#), chance.draw()
        else { return }
        let now = request.moment.milliseconds
        let end = now + service.settings.mediaTTL.wholeMilliseconds
        let text = Base64.encode("preauthorized \(service.ids.record())".utf8)
        let token =
            #","token":{"notBefore":\#(now),"notAfter":\#(end),"serializedToken":"\#(text)"}"#
        reply.body.insert(contentsOf: token.utf8, at: place.upperBound)
        let activation = context.activate(request)
        context.show(activation, request)
    }
}
