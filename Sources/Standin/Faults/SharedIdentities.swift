internal import Dialects
internal import Journal

// Faults of sign-ins that are shared by an identity (rest-v2.md §§ 8, 15).

extension FaultKind {
    static let ofIdentities = [
        ForeignServiceToken.kind, PlatformIdentityLeak.kind, PartialSingleLogout.kind,
    ]
}

/// Sign-ins of one identity shown to another: what two faults have in common.
private struct ForeignIdentity {
    private let kind: Identity.Kind
    private var chance: Chance
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

/// The service token of one user is honoured as another's.
struct ForeignServiceToken: FaultInjector {
    static let kind = FaultKind(
        31, "foreign-service-token", "a service token shows the sign-in of another user",
        violates: ["identity-isolation"], protocols: [.adobePassV2], injector: Self.self)

    private var foreign: ForeignIdentity

    init(_ fault: Fault, _ chance: Chance) { foreign = ForeignIdentity(.service, chance) }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        guard let token = request.message.headers["AD-Service-Token"],
            let own = service.identities.service(
                token, requestor: request.device?.requestor ?? "",
                at: request.moment.milliseconds)
        else {
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
        violates: ["identity-isolation"], protocols: [.adobePassV2], injector: Self.self)

    private var foreign: ForeignIdentity

    init(_ fault: Fault, _ chance: Chance) { foreign = ForeignIdentity(.platform, chance) }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        let headers = request.message.headers
        let requestor = request.device?.requestor ?? ""
        let own =
            headers["X-Roku-Reserved-Roku-Connect-Token"].flatMap {
                Identities.roku($0, requestor: requestor)
            }
            ?? headers["Adobe-Subject-Token"].flatMap {
                service.identities.platform(
                    $0, requestor: requestor, at: request.moment.milliseconds)
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

/// A logout under an identity ends the profile of its own device only.
struct PartialSingleLogout: FaultInjector {
    static let kind = FaultKind(
        41, "partial-single-logout",
        "a logout under an identity leaves its other devices signed in",
        violates: ["single-logout", "logout-final"], protocols: [.adobePassV2], injector: Self.self)

    private var chance: Chance
    /// What the sign-ins of the channel were before a logout under an identity.
    private var leaving: [DeviceKey: SignIn] = [:]
    private var kept: [DeviceKey: Int] = [:]

    init(_ fault: Fault, _ chance: Chance) { self.chance = chance }

    private static func hasIdentity(_ request: RequestContext) -> Bool {
        ["AD-Service-Token", "Adobe-Subject-Token", "X-Roku-Reserved-Roku-Connect-Token"]
            .contains { request.message.headers[$0] != nil }
    }

    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {
        leaving = [:]
        guard request.purpose == .logout, Self.hasIdentity(request), let key = request.profile
        else { return }
        for shared in service.identities.all.values {
            for one in shared[key.mvpd] ?? [] where one.key != key {
                leaving[one.key] = service.tokens[one.key]
            }
        }
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
            kept[gone.key] = context.activate(request)
        }
        leaving = [:]
        guard request.purpose != .logout, request.readsToken, request.isGranted(reply),
            let key = request.device
        else { return }
        // Its own device still has it, or one that sees it by the identity does.
        let seen = kept.keys.filter { kept in
            kept == key
                || Self.hasIdentity(request) && kept.requestor == key.requestor
                    && service.identities.all.values.contains {
                        $0[kept.mvpd]?.contains { $0.key == kept } ?? false
                    }
        }
        for one in seen.sorted(by: { kept[$0] ?? 0 < kept[$1] ?? 0 }) {
            if let activation = kept.removeValue(forKey: one) { context.show(activation, request) }
        }
    }
}
