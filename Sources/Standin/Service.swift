internal import Dialects
internal import Formats
public import Journal
internal import Signing
public import Statistics

/// The sign-in service, as a value: what it knows, and what it does about each input. No sockets, no
/// clock, no chance of its own: time comes with each input, ids come from the seed, and what is to
/// happen is returned. `InProcess` and `Listener` drive it.
///
/// The stores know no protocol; each protocol is a codec over them (`V1/`, `V2/`, `DeviceGrant/`).
public struct Service: Sendable {
    public let settings: ServiceSettings
    /// The service's wall clock at time zero, in epoch milliseconds.
    let epoch: Int64
    var ids: IDs
    var codes = CodeTable()
    var tokens: TokenTable
    var passes = Passes()
    var profileRequests = ProfileRequests()
    var sessions = ProviderSessions()
    var spentMedia = SpentMedia()
    var clients: Clients
    var logins = Logins()
    var grants = DeviceGrants()
    var pageSessions = PageSessions()
    var identities: Identities
    var degradations: Degradations
    var throttle: Throttle?
    var counters = ServiceCounters()
    var deviceInfos = DeviceInfos()
    var statements: Statements
    let media: MediaSigner
    /// Signs profile requests.
    let platformKey: RSAKey
    /// Must have signed their answers; nil: anybody may have.
    let platformVerifier: RSAKey?
    /// What misbehaves, if anything does.
    var faults: Faults?
    /// The replicas behind its address.
    var balancer: Balancer
    /// Answers instead of the service, where it is only an identity provider's.
    private(set) var identityProvider: IdentityProvider?
    /// Whether callers reach it by TLS: of what scheme the addresses are that it gives out.
    var isSecure = false
    private var dateSecond = Int64.min
    private var dateText = ""

    /// A service that has seen nothing yet. `epochMilliseconds` is its wall clock at time zero.
    public init(
        _ settings: ServiceSettings = ServiceSettings(), faults: [Fault] = [], seed: Seed,
        epochMilliseconds: Int64
    ) {
        self.settings = settings
        self.faults = Faults(faults, seed: seed.child("faults"))
        epoch = epochMilliseconds
        ids = IDs(seed.child("ids"))
        throttle = settings.policies.throttle.map(Throttle.init)
        balancer = Balancer(nodes: settings.nodes, seed: seed.child("nodes"))
        clients = Clients(signs: settings.signsAccess)
        tokens = TokenTable(goneDecays: settings.policies.goneDecays)
        statements = Statements(
            revoked: settings.revokedSoftware, checks: settings.checksStatements)
        identities = Identities(trusts: settings.identityKeys)
        degradations = Degradations(settings.degradations, epoch: epochMilliseconds)
        media = MediaSigner(signs: settings.signsMedia)
        let own = settings.platformKey?.key ?? DemoKeys.saml()
        platformKey = own.isPrivate ? own : DemoKeys.saml()
        platformVerifier = settings.trustsAnyPlatform ? nil : own
    }

    /// An identity provider and nothing else, for a `Listener` to serve.
    public init(_ provider: IdentityProvider, epochMilliseconds: Int64) {
        self.init(seed: Seed(0), epochMilliseconds: epochMilliseconds)
        identityProvider = provider
    }

    /// `isSecure`: its callers come by TLS.
    consuming func reached(bySecure isSecure: Bool) -> Service {
        self.isSecure = isSecure
        identityProvider?.isSecure = isSecure
        return self
    }

    /// One request; what it leads to. Instants must not go back.
    public mutating func on(_ request: ServiceRequest, at now: Instant) -> [Effect] {
        var question: (any ProtocolQuestion)?
        return on(request, asking: &question, at: now)
    }

    /// `question`: the request as its protocol reads it, known from an equal request, or nil. Set where the
    /// protocol itself answers. Of a kept one only target, headers, method and peer may be read: its id and draw
    /// key are those of the request that it was read from.
    mutating func on(
        _ request: ServiceRequest, asking question: inout (any ProtocolQuestion)?, at now: Instant
    ) -> [Effect] {
        let moment = moment(at: now)
        if identityProvider != nil, var provider = identityProvider.take() {
            defer { identityProvider = provider }
            return provider.on(request, at: moment)
        }
        sweep(at: moment)
        ids.begin(request.drawKey)
        balancer.receive(request)
        let effects =
            request.method == .options
            ? [.reply(preflight(at: moment), to: request.id, after: .zero)]
            : answer(request, asking: &question, at: moment)
        return Self.dressed(Self.keyed(effects, by: ids.key), for: request, by: balancer)
    }

    /// Something that it had put off until now; what it leads to.
    public mutating func on(_ deed: Deed, at now: Instant) -> [Effect] {
        let moment = moment(at: now)
        sweep(at: moment)
        ids.begin(deed.drawKey)
        return Self.keyed(perform(deed.act, at: moment), by: ids.key)
    }

    private func moment(at now: Instant) -> Moment {
        Moment(now: now, milliseconds: epoch + now.nanoseconds / 1_000_000)
    }

    /// What is put off is drawn for whom it was put off. Static, as `dressed`: a method of the service would have
    /// all of it copied first.
    private static func keyed(_ effects: [Effect], by key: DrawKey?) -> [Effect] {
        guard let key else { return effects }
        var effects = effects
        for position in effects.indices {
            guard case .again(var deed, at: let instant) = effects[position] else { continue }
            deed.drawKey = key.deed(position)
            effects[position] = .again(deed, at: instant)
        }
        return effects
    }

    private mutating func answer(
        _ request: ServiceRequest, asking question: inout (any ProtocolQuestion)?, at moment: Moment
    ) -> [Effect] {
        if request.target.utf8Span.span.holds("/_standin/".utf8Span.span, at: 0) {
            return answerOwn(request, at: moment)
        }
        if var faults = faults.take() {
            defer { self.faults = faults }
            return faults.answer(request, by: &self, at: moment)
        }
        let asked = question ?? Self.question(request)
        question = asked
        let reply = asked.answer(by: &self, at: moment)
        return [.reply(reply, to: request.id, after: .zero)]
    }

    private mutating func perform(_ act: Deed.Act, at moment: Moment) -> [Effect] {
        switch act {
        case .approve(let approval): _ = approve(approval, at: moment)
        case .fault(let deed):
            if var faults = faults.take() {
                defer { self.faults = faults }
                return faults.run(deed, on: &self, at: moment)
            }
        }
        return []
    }

    /// What the service has counted so far, and what it holds.
    public func counted() -> ServiceCounters {
        var counters = counters
        counters.held = [
            .init(what: "codes", count: codes.count), .init(what: "signIns", count: tokens.count),
            .init(what: "accessTokens", count: clients.count),
            .init(what: "deviceCodes", count: grants.count),
            .init(what: "deviceTokens", count: grants.tokenCount),
            .init(what: "clients", count: clients.registered),
            .init(what: "logins", count: logins.count),
            .init(what: "throttleBuckets", count: throttle?.count ?? 0),
        ]
        return counters
    }

    /// What its faults have done since the last call (see `TruthEvent`).
    public mutating func takeTruth() -> [TruthEvent] {
        faults?.takeTruth() ?? []
    }

    private mutating func sweep(at moment: Moment) {
        codes.sweep(at: moment.milliseconds - (faults?.retention ?? 0))
        tokens.sweep(at: moment.milliseconds)
        clients.sweep(at: moment.milliseconds)
        logins.sweep(at: moment.milliseconds)
        grants.sweep(at: moment.milliseconds)
        pageSessions.sweep(at: moment.milliseconds)
        profileRequests.sweep(at: moment.milliseconds)
        spentMedia.sweep(at: moment.milliseconds)
        identities.sweep(at: moment.milliseconds)
        throttle?.sweep(at: moment.now)
    }

    /// The `Date` header; made once a second.
    mutating func date(at moment: Moment) -> String {
        let second = moment.milliseconds / 1000
        if second != dateSecond {
            dateSecond = second
            dateText = UTCTime(milliseconds: moment.milliseconds).http
        }
        return dateText
    }
}

/// Now, on both clocks: the run's, and the service's own wall clock.
struct Moment {
    let now: Instant
    /// Epoch milliseconds.
    let milliseconds: Int64
}
