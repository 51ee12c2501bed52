internal import Dialects
internal import Vocabulary

/// On what a decision rests (rest-v2.md § 7, the order of the server's look-up).
private enum DecisionGround {
    /// A rule of degraded access; `until` nil: no times of the decision (AuthZAll).
    case rule(Degradations.Order, until: Int64?)
    case denied(Degradations.Order)
    case trial(ServiceSettings.Provider)
    case profile(ProfileView)

    var source: String {
        switch self {
        case .rule, .denied: "degradation"
        case .trial: "temppass"
        case .profile: "mvpd"
        }
    }
}

/// One resource, permitted or not.
private struct V2Decision {
    var resource: String
    /// Code, action, status, message, details, trace; nil: permitted.
    var error: DecisionError?
    var token: SignIn.MediaToken?
    var tokenStart: Int64 = 0
    var start: Int64?
    var end: Int64?

    struct DecisionError {
        var code: String
        var action: String
        var status: Int
        var message: String
        var details: String?
        var trace: String
    }

    func write(
        _ requestor: String, _ mvpd: String, _ source: String, to document: inout DocumentWriter
    ) {
        document.text("resource", resource)
        document.text("serviceProvider", requestor)
        document.text("mvpd", mvpd)
        document.text("source", source)
        document.flag("authorized", error == nil)
        if let token {
            document.object("token") {
                $0.number("notBefore", tokenStart)
                $0.number("notAfter", token.expires)
                $0.text("serializedToken", token.text)
            }
        }
        if let start { document.number("notBefore", start) }
        if let end { document.number("notAfter", end) }
        guard let error else { return }
        document.object("error") {
            EnhancedError.write(
                error.code, action: error.action, status: error.status, message: error.message,
                details: error.details, trace: error.trace, to: &$0)
        }
    }
}

/// Z1 and Z2 (rest-v2.md § 7).
extension Service {
    /// Z1: informative; it changes nothing.
    mutating func preauthorizeV2(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, _ asker: V2Asker,
        at moment: Moment
    ) throws(V2Error) -> Reply {
        let (resources, mvpd, ground) = try asked(
            question, requestor, asker, limit: settings.preauthorizeLimit, at: moment)
        let decisions = resources.map { resource in
            switch ground {
            case .rule: V2Decision(resource: resource)
            case .denied(let order): denied(resource, order)
            case .trial(let provider):
                V2Decision(
                    resource: resource,
                    error: trialProblem(asker, provider, at: moment).map { item($0) })
            case .profile(let view): judged(resource, view, isPreauthorization: true)
            }
        }
        return show(decisions, requestor.id, mvpd, ground.source, at: moment)
    }

    /// Z2: with each permit a media token of its own.
    mutating func authorizeV2(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, _ asker: V2Asker,
        at moment: Moment
    ) throws(V2Error) -> Reply {
        let (resources, mvpd, ground) = try asked(
            question, requestor, asker, limit: settings.authorizeLimit, at: moment)
        let decisions = resources.map { resource in
            switch ground {
            case .rule(_, let until):
                permitted(
                    resource, asker.device.with(mvpd: mvpd), standIn(mvpd, at: moment),
                    from: until == nil ? nil : moment.milliseconds, until: until, at: moment)
            case .denied(let order): denied(resource, order)
            case .trial(let provider): tried(resource, asker, provider, at: moment)
            case .profile(let view): authorized(resource, asker, view, at: moment)
            }
        }
        return show(decisions, requestor.id, mvpd, ground.source, at: moment)
    }

    /// What is asked for, at which provider, and by what it is decided.
    private mutating func asked(
        _ question: V2Question, _ requestor: ServiceSettings.Requestor, _ asker: V2Asker,
        limit: Int, at moment: Moment
    ) throws(V2Error) -> (resources: [String], mvpd: String, ground: DecisionGround) {
        let resources = try resources(question)
        let mvpd = try provider(question.route.name, of: requestor, at: moment).id
        let ground = try ground(asker, mvpd, resources, limit: limit, at: moment)
        return (resources, mvpd, ground)
    }

    private func resources(_ question: V2Question) throws(V2Error) -> [String] {
        guard let resources = question.resources(),
            resources.allSatisfy({ ResourceText($0).isWellFormed })
        else { throw V2Error(.resources, "'resources' must be a list of resource ids") }
        return resources
    }

    private mutating func ground(
        _ asker: V2Asker, _ mvpd: String, _ resources: [String], limit: Int, at moment: Moment
    ) throws(V2Error) -> DecisionGround {
        // Too many first, whoever asks (B50).
        guard resources.count <= limit else {
            throw V2Error(.tooManyResources, "At most \(limit) resources at once")
        }
        let channel = asker.device.requestor
        // Where two rules meet, the denial wins (§ 10, own).
        if let order = rule(.authZNone, channel, mvpd, at: moment) { return .denied(order) }
        if let order = rule(.authNAll, channel, mvpd, at: moment) {
            return .rule(order, until: max(order.until, moment.milliseconds + 1))
        }
        if let order = rule(.authZAll, channel, mvpd, at: moment) {
            return .rule(order, until: nil)
        }
        if let provider = settings.provider(mvpd), provider.isTempPass { return .trial(provider) }
        if let view = anyProfile(asker, mvpd: mvpd, at: moment) { return .profile(view) }
        throw noProfile(asker.device.with(mvpd: mvpd), at: moment)
    }

    /// Whether there never was one, or it is over (since 3.5.0), or the provider has ended it.
    private func noProfile(_ key: DeviceKey, at moment: Moment) -> V2Error {
        switch tokens.find(key, at: moment.milliseconds) {
        case .live:
            V2Error(
                .profileInvalidated, "The provider has ended the session",
                details: "\(key.mvpd) has ended the session.")
        case .expired: V2Error(.profileExpired, "The profile has expired")
        case .none: V2Error(.profileMissing, "There is no profile of '\(key.mvpd)'")
        }
    }

    // MARK: One resource

    private mutating func denied(
        _ resource: String, _ order: Degradations.Order
    ) -> V2Decision {
        V2Decision(
            resource: resource,
            error: item(
                V2Error(.deniedByRule, "Not authorized", details: order.message)))
    }

    private mutating func item(_ error: V2Error) -> V2Decision.DecisionError {
        .init(
            code: error.code.rawValue, action: error.code.action, status: error.status,
            message: error.message, details: error.details, trace: ids.response())
    }

    /// What the provider says of it.
    private mutating func judged(
        _ resource: String, _ view: ProfileView, isPreauthorization: Bool
    ) -> V2Decision {
        let verdict =
            settings.entitles(view.signIn.user)
            ? ResourceVerdict(ResourceText(resource), mvpd: view.signIn.mvpd)
            : .notEntitled(mvpd: view.signIn.mvpd)
        let code = isPreauthorization ? verdict.preauthorizationCode : verdict.code
        return V2Decision(
            resource: resource,
            error: code.map {
                .init(
                    code: $0.rawValue, action: $0.action, status: 403, message: "Not authorized",
                    details: verdict.details, trace: ids.response())
            })
    }

    /// A decision that the provider has made is kept, as long as a media token's life of it is left.
    private mutating func authorized(
        _ resource: String, _ asker: V2Asker, _ view: ProfileView, at moment: Moment
    ) -> V2Decision {
        let judged = judged(resource, view, isPreauthorization: false)
        guard judged.error == nil else { return judged }
        let life = settings.provider(view.signIn.mvpd)?.authorizationTTL
        let ttl = (life ?? settings.authorizationTTL).wholeMilliseconds
        let end = tokens.authorize(
            view.key, resource, at: moment.milliseconds, ttl: ttl,
            leaving: min(settings.mediaTTL.wholeMilliseconds, ttl - 1))
        var key = asker.device.with(mvpd: view.key.mvpd)
        key.isPartner = view.key.isPartner
        return permitted(
            resource, key, view.signIn, from: end - ttl, until: end, at: moment)
    }

    private mutating func tried(
        _ resource: String, _ asker: V2Asker, _ provider: ServiceSettings.Provider,
        at moment: Moment
    ) -> V2Decision {
        do throws(V2Error) {
            let end = try begin(resource, asker, provider, at: moment)
            return permitted(
                resource, asker.device.with(mvpd: provider.id), standIn(provider.id, at: moment),
                from: moment.milliseconds, until: end, at: moment)
        } catch {
            return V2Decision(resource: resource, error: item(error))
        }
    }

    /// With a media token within the decision.
    private mutating func permitted(
        _ resource: String, _ key: DeviceKey, _ signIn: SignIn, from start: Int64?,
        until end: Int64?, at moment: Moment
    ) -> V2Decision {
        let now = moment.milliseconds
        let isReused = settings.policies.mediaReuse == .untilExpiry
        if isReused, let former = tokens[key]?.media[resource], now < former.expires {
            return V2Decision(
                resource: resource, token: former,
                tokenStart: former.expires - settings.mediaTTL.wholeMilliseconds, start: start,
                end: end)
        }
        let ttl = min(settings.mediaTTL.wholeMilliseconds, (end ?? .max) - now)
        let text = media.token(
            session: ids.record(), device: key, signIn: signIn,
            proxy: settings.provider(signIn.mvpd)?.proxy ?? "", resource: resource, issued: now,
            ttl: ttl)
        counters.mediaTokens += 1
        let token = SignIn.MediaToken(text: text, expires: now + ttl)
        if isReused { tokens.keep(token, for: resource, of: key) }
        return V2Decision(
            resource: resource, token: token, tokenStart: now, start: start, end: end)
    }

    /// For a media token where nobody is signed in.
    private func standIn(_ mvpd: String, at moment: Moment) -> SignIn {
        SignIn(
            mvpd: mvpd, user: "", started: moment.milliseconds, expires: moment.milliseconds,
            serial: 0, updated: moment.milliseconds)
    }

    private mutating func show(
        _ decisions: [V2Decision], _ requestor: String, _ mvpd: String, _ source: String,
        at moment: Moment
    ) -> Reply {
        answer(at: moment) {
            $0.list("decisions", of: decisions, as: "decision") {
                $1.write(requestor, mvpd, source, to: &$0)
            }
        }
    }
}
