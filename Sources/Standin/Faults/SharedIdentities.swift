internal import Dialects
internal import Journal

// Faults of sign-ins that are shared by an identity (rest-v2.md §§ 8, 15).

extension FaultKind {
    static let ofIdentities = [
        ForeignServiceToken.kind, PlatformIdentityLeak.kind, PartialSingleLogout.kind,
    ]
}

extension RequestContext {
    /// Whom a good service token names.
    fileprivate func serviceIdentity(_ service: inout Service) -> Identity? {
        message.headers["AD-Service-Token"].flatMap {
            service.identities.service(
                $0, requestor: device?.requestor ?? "", at: moment.milliseconds)
        }
    }

    /// Whom a good token of a platform names.
    fileprivate func platformIdentity(_ service: inout Service) -> Identity? {
        let requestor = device?.requestor ?? ""
        return message.headers["X-Roku-Reserved-Roku-Connect-Token"].flatMap {
            Identities.roku($0, requestor: requestor)
        }
            ?? message.headers["Adobe-Subject-Token"].flatMap {
                service.identities.platform(
                    $0, requestor: requestor, at: moment.milliseconds)
            }
    }
}

/// Sign-ins of one identity shown to another: what two faults have in common.
private struct ForeignIdentity {
    private let kind: Identity.Kind
    var chance: Chance
    /// Whom each device is shown, if anybody: decided at its first request.
    private var decided: [DeviceKey: Identity?] = [:]
    private var isAtWork = false
    private var activations: [DeviceKey: LazyActivation] = [:]

    init(_ kind: Identity.Kind, _ chance: Chance) {
        self.kind = kind
        self.chance = chance
    }

    mutating func before(
        _ request: RequestContext, own: Identity?, _ service: inout Service
    ) {
        rest(&service)
        switch request.purpose {
        case .checkSignIn, .authorize, .preauthorize, .issueCode: break
        default: return
        }
        guard let owner = request.device?.owner, !owner.client.isEmpty else { return }
        // Who is signed in already sees nothing of it.
        let hasOwn = service.tokens.providers(of: owner).contains {
            service.liveSignIn(owner.with(mvpd: $0), at: request.moment) != nil
        }
        guard !hasOwn, own.map({ service.identities.sharing(of: $0).isEmpty }) ?? true else {
            return
        }
        if decided[owner] == nil {
            guard let other = newest(except: own, of: owner, service, at: request.moment) else {
                return
            }
            decided[owner] = .some(chance.draw() ? other : nil)
        }
        guard let other = decided[owner] ?? nil else { return }
        service.identities.alias = other
        isAtWork = true
    }

    /// The request under way is not for it.
    mutating func rest(_ service: inout Service) {
        service.identities.alias = nil
        isAtWork = false
    }

    /// The identity that signed in last, on another device.
    private func newest(
        except own: Identity?, of owner: DeviceKey, _ service: Service, at moment: Moment
    ) -> Identity? {
        var best: (serial: Int, identity: Identity)?
        for (identity, shared) in service.identities.all
        where identity.kind == kind && identity != own && identity.requestor == owner.requestor {
            for one in shared.values.joined()
            where one.key.device != owner.device
                && service.tokens.live(
                    one.key, serial: one.serial, at: moment.milliseconds) != nil
            {
                // Of two names of one sign-in either will do, and the same in each run.
                let (serial, subject) = best.map { ($0.serial, $0.identity.subject) } ?? (0, "")
                if (one.serial, identity.subject) > (serial, subject) {
                    best = (one.serial, identity)
                }
            }
        }
        return best?.identity
    }

    mutating func after(
        _ request: RequestContext, _ reply: Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        service.identities.alias = nil
        guard isAtWork, request.isGranted(reply), context.issued == nil,
            let owner = request.device?.owner
        else { return }
        activations[owner, default: LazyActivation()].act(
            request, isVisible: request.purpose != .issueCode, &context)
    }
}

/// Sign-ins that are not as they should be, as other devices of their identities see them: each of these is
/// struck as well.
struct SharedViews: Sendable {
    private var wrong: [Int: DeviceKey] = [:]
    private var activations: [DeviceKey: LazyActivation] = [:]

    mutating func add(_ signIn: SignIn, of device: DeviceKey) { wrong[signIn.serial] = device }

    /// `isVisible`: it can be told from outside that the sign-in is wrong.
    mutating func show(
        _ request: RequestContext, _ reply: Reply, _ service: Service, isVisible: Bool,
        _ context: inout FaultContext
    ) {
        guard !wrong.isEmpty, request.purpose == .checkSignIn, request.isGranted(reply),
            let asker = request.device
        else { return }
        let isSeen = wrong.contains { serial, device in
            let own = asker.owner.with(mvpd: device.mvpd)
            return device.owner != asker.owner
                && (request.operation == .profiles || asker.mvpd == device.mvpd)
                && service.tokens[device]?.serial == serial && service.tokens[own] == nil
                && service.identities.hasShown(serial, on: own)
        }
        guard isSeen else { return }
        activations[asker.owner, default: LazyActivation()].act(
            request, isVisible: isVisible, &context)
    }
}

/// The service token of one user is honoured as another's.
struct ForeignServiceToken: FaultInjector {
    static let kind = FaultKind(
        31, "foreign-service-token", "a service token shows the sign-in of another user",
        violates: ["identity-isolation"],
        // Most homes with such a token: of forty households as they come there are four.
        detection: .init(foreignSets: [("kinds.5.weight", "100")]),
        protocols: [.adobePassV2], meetsOthers: true, injector: Self.self)

    private var foreign: ForeignIdentity
    var chance: Chance {
        get { foreign.chance }
        set { foreign.chance = newValue }
    }

    init(_ fault: Fault, _ chance: Chance) { foreign = ForeignIdentity(.service, chance) }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard let own = request.serviceIdentity(&service) else {
            foreign.rest(&service)
            return
        }
        foreign.before(request, own: own, &service)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        foreign.after(request, reply, &service, &context)
    }
}

/// A sign-in by a platform's identity shows in another home.
struct PlatformIdentityLeak: FaultInjector {
    static let kind = FaultKind(
        32, "platform-identity-leak", "a sign-in of a platform's identity shows in another home",
        violates: ["identity-isolation"], protocols: [.adobePassV2], meetsOthers: true,
        injector: Self.self)

    private var foreign: ForeignIdentity
    var chance: Chance {
        get { foreign.chance }
        set { foreign.chance = newValue }
    }

    init(_ fault: Fault, _ chance: Chance) { foreign = ForeignIdentity(.platform, chance) }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        // What a device shares by another identity it is shown by that.
        let own = request.platformIdentity(&service) ?? request.serviceIdentity(&service)
        foreign.before(request, own: own, &service)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        foreign.after(request, reply, &service, &context)
    }
}

/// A logout under an identity ends the profile of its own device only.
struct PartialSingleLogout: FaultInjector {
    static let kind = FaultKind(
        41, "partial-single-logout",
        "a logout under an identity leaves its other devices signed in",
        violates: ["single-logout", "logout-final"],
        detection: .init(foreignSets: [("kinds.5.weight", "100")]),
        protocols: [.adobePassV2], injector: Self.self)

    var chance: Chance
    /// What the sign-ins of the channel were before a logout under an identity.
    private var leaving: [DeviceKey: SignIn] = [:]
    /// Whether who logs out has signed in there as well: then nobody says which of the two ends (B48).
    private var hasOwn = false
    private struct Kept {
        var activation: Int
        var hasOther: Bool
        var at: Instant
    }
    private var kept: [DeviceKey: Kept] = [:]

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        (leaving, hasOwn) = ([:], false)
        guard request.purpose == .logout, let key = request.profile,
            let own = Self.identity(of: request, &service)
        else { return }
        for one in service.identities.all[own]?[key.mvpd] ?? [] where one.key != key {
            leaving[one.key] = service.tokens[one.key]
        }
        hasOwn = service.tokens[key] != nil
    }

    private static func identity(
        of request: RequestContext, _ service: inout Service
    ) -> Identity? {
        request.serviceIdentity(&service) ?? request.platformIdentity(&service)
    }

    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {
        if let key = context.signedIn { kept[key] = nil }
        let gone = leaving.filter { service.tokens[$0.key] == nil }
            .min { $0.value.serial < $1.value.serial }
        if let gone, chance.draw() {
            service.tokens[gone.key] = gone.value
            kept[gone.key] = Kept(
                activation: context.activate(request, other: context.household(of: gone.key)),
                hasOther: hasOwn || leaving.count > 1, at: request.moment.now)
        }
        leaving = [:]
        // A decision does not tell whose profile it rests on.
        guard request.purpose == .checkSignIn, request.isGranted(reply), let key = request.device,
            let own = Self.identity(of: request, &service)
        else { return }
        // Its own device still has it, or one that sees it by the identity does.
        let seen = kept.filter { one, entry in
            guard request.operation == .profiles || one.mvpd == key.mvpd,
                request.moment.now - entry.at >= TokenExposure.margin
            else { return false }
            if one.owner == key.owner { return !entry.hasOther }
            return service.identities.all[own]?[one.mvpd]?.contains { $0.key == one } == true
                && service.tokens[key.owner.with(mvpd: one.mvpd)] == nil
        }
        for (one, entry) in seen.sorted(by: { $0.value.activation < $1.value.activation }) {
            kept[one] = nil
            context.show(entry.activation, request)
        }
    }
}
