internal import Dialects
internal import Journal

// Faults of what comes after a sign-in: authorizations, media tokens, the end.

extension FaultKind {
    static let ofEndings = [LogoutResurrection.kind, PartialLogout.kind, MediaTokenReuse.kind]
}

/// A token that was logged out comes back (R12).
struct LogoutResurrection: FaultInjector {
    static let kind = FaultKind(
        12, "logout-resurrection", "a token that was logged out comes back",
        violates: ["logout-final"],
        [.init("delay", .duration, "30ms", "from the logout to the return")],
        detection: .init(inV2: ["single-logout"]),
        races: [
            .init("delay=30ms", plan: "poll-logout", low: 30, least: 4),
            .init("delay=30ms", plan: "refresh-revoke", least: 4, in: FaultKind.grants),
        ],
        injector: Self.self)

    var chance: Chance
    private let delay: Duration
    private var leaving: SignIn?
    private var due: [Int: (signIn: SignIn, session: Session)] = [:]
    private var tickets = 0
    private var returned: [DeviceKey: (serial: Int, activation: Int)] = [:]
    private var views = SharedViews()

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        delay = fault["delay"].duration
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        leaving = request.purpose == .logout ? request.device.flatMap { service.tokens[$0] } : nil
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if let signIn = leaving, let device = request.device, service.tokens[device] == nil,
            chance.draw()
        {
            tickets += 1
            due[tickets] = (signIn, request.session)
            context.schedule(tickets, in: delay)
        }
        views.show(request, reply, service, isVisible: true, &context)
        guard request.readsToken, request.isGranted(reply), let device = request.device,
            let entry = returned[device], service.tokens[device]?.serial == entry.serial
        else { return }
        returned[device] = nil
        context.show(entry.activation, request)
    }

    mutating func run(ticket: Int, _ service: inout Service, _ context: inout FaultContext) {
        guard let (signIn, session) = due.removeValue(forKey: ticket),
            let device = session.device, service.tokens[device] == nil
        else { return }
        service.tokens[device] = signIn
        returned[device] = (signIn.serial, context.activate(session))
        // Who shares it by an identity has it back as well.
        views.add(signIn, of: device)
    }
}

/// Logout leaves authorizations and media tokens alive (R13).
struct PartialLogout: FaultInjector {
    static let kind = FaultKind(
        13, "partial-logout", "logout leaves authorizations and media tokens valid",
        violates: ["logout-final", "authorization-gates"],
        [.init("keep", .words(["authz", "media"]), "authz+media", "what stays")],
        protocols: [.adobePassV1], injector: Self.self)

    var chance: Chance
    private let keepsAuthorizations: Bool
    private let keepsMedia: Bool
    private var leaving: SignIn?
    private var kept: [DeviceKey: (signIn: SignIn, activation: Int, isShown: Bool)] = [:]

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        keepsAuthorizations = fault["keep"].words.contains("authz")
        keepsMedia = fault["keep"].words.contains("media")
    }

    private func serves(_ purpose: RequestContext.Purpose) -> Bool {
        switch purpose {
        case .readAuthorization: keepsAuthorizations
        case .mediaToken: keepsMedia
        default: false
        }
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        leaving = request.purpose == .logout ? request.device.flatMap { service.tokens[$0] } : nil
        guard let device = request.device, let entry = kept[device],
            service.tokens[device] == nil, serves(request.purpose)
        else { return }
        context.pretend(entry.signIn, of: device, in: &service)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        guard let device = request.device else { return }
        if context.signedIn == device { kept[device] = nil }
        if let signIn = leaving, service.tokens[device] == nil, chance.draw() {
            let activation = context.activate(request)
            kept[device] = (signIn, activation, false)
        }
        guard serves(request.purpose), request.isGranted(reply), let entry = kept[device],
            !entry.isShown
        else { return }
        kept[device]?.isShown = true
        context.show(entry.activation, request)
    }
}

/// A media token is given to another, or is over already (R24).
struct MediaTokenReuse: FaultInjector {
    static let kind = FaultKind(
        24, "media-token-reuse", "a media token is issued twice, or is expired already",
        violates: ["authorization-gates"],
        [
            .init(
                "mode", .word(["device", "resource", "expired"]), "device",
                "whose token it is: another device's, another resource's, or one that is over")
        ],
        detection: .init(inV2: ["decision-true"]), protocols: FaultKind.ofAdobePass,
        meetsOthers: true, injector: Self.self)

    var chance: Chance
    private let mode: String
    /// The tokens given out last, newest first.
    private var given: [(device: DeviceKey, resource: String, text: String)] = []

    init(_ fault: Fault, _ chance: Chance) {
        self.chance = chance
        mode = fault["mode"].text
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        // A decision carries its media token, where there are decisions.
        guard request.purpose == .mediaToken || request.purpose == .authorize,
            request.isGranted(reply), let device = request.device,
            let resource = request.resource,
            let text = request.question.text(of: .mediaToken, in: reply)
        else { return }
        if mode == "expired" {
            guard request.question.text(of: .mediaExpiry, in: reply) != nil, chance.draw()
            else { return }
            let past = String(request.moment.milliseconds - 60_000)
            request.question.set(.mediaExpiry, to: past, in: &reply)
        } else {
            // What was really given, which may be another's.
            var shown = text
            defer {
                given.insert((device, resource, shown), at: 0)
                if given.count > 64 { given.removeLast() }
            }
            let other = given.first {
                mode == "device"
                    ? $0.device != device && $0.resource == resource
                    : $0.device == device && $0.resource != resource
            }
            guard let other, chance.draw() else { return }
            request.question.set(.mediaToken, to: other.text, in: &reply)
            shown = other.text
        }
        let activation = context.activate(request)
        context.show(activation, request)
    }
}
