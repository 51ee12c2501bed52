public import Dialects
internal import Journal
public import Lanes
public import Rigs
public import Vocabulary

/// A living room in which nothing happens by itself: somebody else decides, step by step, what its
/// screens do (a race, a replay). It comes with what every household has: clients and tokens on
/// demand, retries, and a browser that can walk a login page.
///
/// All of it is on its lane, whose flows alone may use it.
public struct DrivenHousehold: Sendable {
    /// A connection of one of its screens; each has cookies of its own.
    public enum Screen: Sendable, Hashable {
        case first(Int)
        case second(Int)
    }

    /// Why a step did not come about.
    public enum Refusal: Error, Sendable {
        /// In words: `registration-code answered 503`.
        case failed(String)
        /// A login went through without the request that it was to stop before, and has shown by that where the next one is to
        /// stop; in words.
        case rehearsed(String)
        case throttled
        case stopped
    }

    private let household: Household
    private let ground: DrivenGround

    /// `plan` gives identities; it needs as many second screens as there are to be connections of
    /// phones.
    public init(_ plan: HouseholdPlan, firstScreens: Int, on ground: DrivenGround) {
        var terms = ground.terms
        terms.polling.pollers = max(1, firstScreens)
        household = Household(plan, terms: terms, lane: ground.lane, shift: ground.shift)
        self.ground = ground
    }

    private var lane: Lane { ground.lane }
    /// What its kind speaks.
    public var dialect: any Dialect { household.dialect }

    /// The screen as its lane knows it.
    public func device(_ screen: Screen) -> OnLane<Device> {
        OnLane(own(screen).value.device, lane)
    }

    private func own(_ screen: Screen) -> OnLane<Devices.Screen> {
        household.assumeIsolated { household in
            let found =
                switch screen {
                case .first(0): household.tv
                case .first(let number): household.morePollers[number - 1]
                case .second(let number): household.phones[number]
                }
            return OnLane(found, household.lane)
        }
    }

    /// Has a screen use the client, token and, if it `keepsCookies`, the cookies of another: the same
    /// app over another connection.
    public func share(from source: Screen, to target: Screen, keepsCookies: Bool) {
        let (source, target) = (own(source).value, own(target).value)
        App(of: source).install(on: target)
        target.endpoints = source.endpoints
        if keepsCookies { target.device.cookies = source.device.cookies }
    }

    /// What a request of that screen is signed with; registers first where need be.
    public func credential(of screen: Screen) async throws(Refusal) -> Credential {
        // The other connections of a TV are of the app that the first is of: a service may tell profiles apart by
        // the client (rest-v2.md § 4).
        if case .first(1...) = screen, own(screen).value.client == nil {
            _ = try await credential(of: .first(0))
            share(from: .first(0), to: screen, keepsCookies: false)
        }
        let screen = own(screen)
        let shared = ground.shared.value
        if ground.sharesApp, screen.value.client == nil { shared.app?.install(on: screen.value) }
        do throws(Refusal) {
            let credential = try await step { () async throws(StopReason) in
                try await household.credential(driven: screen)
            }
            if ground.sharesApp { shared.app = App(of: screen.value) }
            return credential
        } catch {
            // Whoever comes next registers anew.
            shared.app = nil
            throw error
        }
    }

    /// Sends a call until it is answered.
    public func ask(_ screen: Screen, _ call: Call) async throws(Refusal) -> Answered {
        let screen = own(screen)
        return try await step { () async throws(StopReason) in
            try await household.insist(driven: call, screen)
        }
    }

    /// What a phone is offered to sign in with, asked for once for all households; nil where the
    /// protocol offers nothing.
    public func providers(asking screen: Screen) async throws(Refusal) -> [Provider]? {
        if let known = ground.shared.value.providers { return known }
        let screen = own(screen)
        let offered = try await step { () async throws(StopReason) in
            try await household.configuration(driven: screen)
        }
        ground.shared.value.providers = offered
        return offered
    }

    /// Walks a login up to the request that brings the assertion back, or to another that it comes to
    /// (the entry of the code, the decision), which is returned and not sent. Where a provider's logins are known to end
    /// with a form and no assertion, it is that form. The browser has no cookies but those of this login.
    /// `account` counts the household's own, from 1. Throws `Refusal.rehearsed` at the first of such logins.
    public func login(
        _ issued: IssuedCode, provider: String?, account: Int,
        until operation: OperationName = .assertion, on screen: Screen
    ) async throws(Refusal) -> Call {
        let screen = own(screen)
        let request =
            operation == .assertion ? ground.shared.value.lastForms[provider ?? ""] : nil
        let walked = try await step { () async throws(StopReason) in
            try await household.walk(
                driven: issued, provider: provider, account: account, until: operation,
                orAt: request, on: screen)
        }
        switch walked {
        case .stopped(let call): return call
        case .ended(let form):
            let words = "the login ended without \(operation.name)"
            guard operation == .assertion else { throw .failed(words) }
            guard let form else {
                throw .failed(words + ", and which of its requests signs in is not known")
            }
            ground.shared.value.lastForms[provider ?? ""] = form
            throw .rehearsed(words)
        }
    }

    /// Has the platform vouch for an account, counted as in `login`, and gives the request that brings its word to the
    /// service, not sent. Nil where the protocol or the platform has no such thing.
    public func exchange(
        provider: Provider, account: Int, on screen: Screen
    ) async throws(Refusal) -> Call? {
        let screen = own(screen)
        return try await step { () async throws(StopReason) in
            try await household.exchange(driven: provider, account: account, on: screen)
        }
    }

    /// The request by which a screen's app would register once more, not sent.
    public func registration(of screen: Screen) async throws(Refusal) -> Call? {
        _ = try await credential(of: screen)
        let identity = own(screen).value.device.identity
        return dialect.registerClient(household.statement, as: identity)
    }

    /// The request by which its app would take a new access token, not sent.
    public func tokenRequest(of screen: Screen) async throws(Refusal) -> Call? {
        _ = try await credential(of: screen)
        let screen = own(screen).value
        guard let client = screen.client else { throw .failed("this app uses no access tokens") }
        return dialect.accessToken(client, as: screen.device.identity)
    }

    /// The request for what the platform is asked with to vouch, not sent.
    public func profileRequest(
        provider: Provider, _ credential: Credential
    ) async throws(Refusal) -> Call? {
        await household.profileRequest(driven: provider, credential)
    }

    /// Nothing more will come of it.
    public func retire() {
        household.assumeIsolated { household in
            household.giveBackDrivenAccounts()
            for screen in [household.tv] + household.morePollers + household.players
                + household.phones
            {
                household.lane.retire(screen.device)
            }
        }
    }

    private func shown(_ words: Untrusted) -> String {
        household.assumeIsolated { $0.shown(words) }
    }

    private func step<T: Sendable>(
        _ work: () async throws(StopReason) -> T
    ) async throws(Refusal) -> T {
        do throws(StopReason) {
            return try await work()
        } catch {
            switch error {
            case .failed(let words), .abandoned(let words, _), .signedOut(let words):
                throw .failed(shown(words))
            case .unknownStep: throw .failed("the protocol has no such operation")
            case .stopped: throw .stopped
            }
        }
    }
}

/// What driven households of one lane have in common. Shared and not copied: a plan and terms are large.
public final class DrivenGround: Sendable {
    public let lane: Lane
    public let terms: RunConfiguration
    let shift: LaneScheduler
    let sharesApp: Bool
    let shared: OnLane<Shared>

    /// What one household has learned, and all others need not ask for.
    final class Shared {
        var providers: [Provider]?
        var app: App?
        /// Of providers whose logins end with a form and no assertion: which of a login's requests that is, from 1.
        var lastForms: [String: Int] = [:]
    }

    /// `plan` is the one that households come from. With `sharesApp` all their devices are
    /// one installation of the app, as if their storage had been copied: it registers once and renews
    /// its token when that is due, which spares each device two requests.
    public init(_ plan: Plan, terms: RunConfiguration, lane: Lane, sharesApp: Bool = false) {
        self.lane = lane
        self.terms = terms
        self.sharesApp = sharesApp
        shift = LaneScheduler(
            lane: lane, plan: plan, terms: terms, quiet: Quiet(lanes: 1), number: 0)
        shared = OnLane(Shared(), lane)
    }
}

/// What a login that somebody else goes on with came to.
private enum DrivenWalk: Sendable {
    /// The request that it stopped before.
    case stopped(Call)
    /// It went through. `form`: the number of its last request, where that posted a form.
    case ended(form: Int?)
}

/// A registered app with its token, as it lies on a device.
struct App {
    private let client: ClientCredentials?
    private let token: AccessToken?
    private let renewAt: Instant

    init(of screen: Screen) {
        client = screen.client
        token = screen.token
        renewAt = screen.renewAt
    }

    func install(on screen: Screen) {
        screen.client = client
        screen.token = token
        screen.renewAt = renewAt
    }
}

extension Household {
    fileprivate func credential(
        driven screen: OnLane<Screen>
    ) async throws(StopReason) -> Credential {
        try await credential(of: screen.value)
    }

    fileprivate func insist(
        driven call: Call, _ screen: OnLane<Screen>
    ) async throws(StopReason) -> Answered {
        try await insist(call, screen.value)
    }

    fileprivate func configuration(
        driven screen: OnLane<Screen>
    ) async throws(StopReason) -> [Provider]? {
        try await configuration(screen.value)
    }

    fileprivate func walk(
        driven issued: IssuedCode, provider: String?, account number: Int,
        until operation: OperationName, orAt request: Int?, on screen: OnLane<Screen>
    ) async throws(StopReason) -> DrivenWalk {
        let account = try await takeAccount(number, at: provider)
        defer { endDrivenLogin() }
        let person = Person(
            browser: screen.value, account: account, signsIn: .zero, mistypesPassword: false,
            isSecond: false)
        let stop = LoginStop(operation, number: request)
        let call = try await walkLogin(issued, provider: provider, as: person, stopsAt: stop)
        guard let call else { return .ended(form: stop.hasPosted ? stop.sent : nil) }
        // The provider has taken the password; the page for the code may come before it.
        if operation != .verificationPage { endLogin { $0.noteSuccess(of: $1) } }
        return .stopped(call)
    }

    fileprivate func profileRequest(driven provider: Provider, _ credential: Credential) -> Call? {
        var credential = credential
        show(provider, in: &credential)
        return dialect.profileRequest(mvpd: provider.id, on: platformDevice, credential)
    }

    /// The platform's account is signed in with `provider`, and may be asked (rest-v2.md § 8.3).
    private func show(_ provider: Provider, in credential: inout Credential) {
        guard hasSessions else { return }
        var tokens = credential.tokens ?? IdentityTokens()
        tokens.partner = PartnerStatus(
            access: .granted, provider: provider.platform?.mappingID ?? provider.id,
            expires: epochMilliseconds(lane.now + .seconds(86_400)))
        credential.tokens = tokens
    }

    fileprivate func exchange(
        driven provider: Provider, account number: Int, on screen: OnLane<Screen>
    ) async throws(StopReason) -> Call? {
        let account = try await takeAccount(number, at: provider.id)
        defer { endDrivenLogin() }
        let asked = try await ask(screen.value) { profileRequest(driven: provider, $0) }
        guard case .profileRequest(let bytes, let attributes) = asked.answer else {
            throw .refused(asked)
        }
        let query = AttributeQuery(
            verificationToken: bytes, provider: provider.platform?.mappingID ?? provider.id,
            subject: account.user, attributes: provider.vouched(attributes))
        let document: String
        switch try await platformAnswer(to: query, for: provider.id) {
        case .document(let text): document = text
        case .refused(_, let why): throw .failed("the platform confirmed no account: \(why)")
        }
        var credential = try await credential(of: screen.value)
        show(provider, in: &credential)
        var call = dialect.tokenExchange(
            SAMLText.base64(document), mvpd: provider.id, on: platformDevice, credential)
        call?.signsIn(account, at: provider.id)
        return call
    }
}
