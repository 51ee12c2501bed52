internal import Dialects
internal import Journal
internal import Lanes
internal import Statistics

/// A device in use: what it holds besides its identity. Owned by its household.
final class Screen {
    let device: Device
    var client: ClientCredentials?
    var token: AccessToken?
    /// What its sign-in gave it to show, in protocols that give it anything.
    var session: DeviceSession?
    /// Where the service takes its requests, once it has been told.
    var endpoints: ServerEndpoints?
    /// When the token is to be renewed, before it runs out.
    var renewAt: Instant = .start
    /// For jitter of its waits.
    var dice: Dice

    init(device: Device, seed: Seed) {
        self.device = device
        dice = seed.generator()
    }
}

extension Household {
    /// How often a step is tried again after a 429: at one to two seconds each, a minute and a half. Homes behind one address
    /// share its limit, and wait for each other.
    private static let patience = 60

    /// Asks until there is an answer that means something (`insist`); 401 renews the token once, an
    /// unknown client registers once more, and the call is replayed (rest-v1.md § 15). Where clients have
    /// sessions, 401 after that registers once more as well (rest-v2.md § 12.3).
    func ask(
        _ screen: Screen, isProvoked: Bool = false, _ make: (Credential) -> Call?
    ) async throws(StopReason) -> Answered {
        var hasRenewed = false
        var hasRegistered = false
        while true {
            let credential = try await credential(of: screen)
            guard var call = make(credential) else { throw .unknownStep }
            call.provoked = call.provoked || isProvoked
            let answered = try await insist(call, screen)
            switch answered.answer {
            case .staleToken where !hasRenewed && signs(screen):
                hasRenewed = true
                screen.token = nil
            case .staleToken where !hasRegistered && signs(screen) && mayRegisterAnew:
                hasRegistered = true
                forget(screen)
            case .staleClient where !hasRegistered && signs(screen):
                hasRegistered = true
                forget(screen)
            default: return answered
            }
        }
    }

    /// The same for a step that the protocol may lack: nil then.
    @inline(never)
    func askIfKnown(
        _ screen: Screen, isProvoked: Bool = false, _ make: (Credential) -> Call?
    ) async throws(StopReason) -> Answered? {
        do throws(StopReason) {
            return try await ask(screen, isProvoked: isProvoked, make)
        } catch .unknownStep {
            return nil
        }
    }

    /// Sends one call until it is answered: 429 waits, 5xx and lost answers back off, at most
    /// `patience` and `retries` times. Each attempt is an exchange of its own.
    func insist(_ call: Call, _ screen: Screen) async throws(StopReason) -> Answered {
        var failures = 0
        var throttled = 0
        while true {
            if call.operation == .pollToken { record.polls += 1 }
            let answered = await lane.send(call, from: screen.device)
            switch answered.answer {
            case .slow(let pause) where throttled < Self.patience:
                throttled += 1
                try await wait(asBy: answered, pause, on: screen)
            // One decision of an answer, marked for another try (rest-v2.md § 7).
            case .fault
            where answered.exchange.delivery.status == 200 && hasSessions
                && answered.exchange.outcome == .rejected:
                guard failures < min(3, terms.retries) else { throw .refused(answered) }
                failures += 1
                try await nap(
                    Backoff.afterThrottle(
                        Backoff.afterFailure(failures), using: &screen.dice))
            case .unavailable(let pause):
                guard Self.isWorthAnotherTry(answered), failures < terms.retries else {
                    throw .refused(answered)
                }
                failures += 1
                let atLeast = Backoff.afterFailure(failures)
                try await wait(asBy: answered, pause, atLeast: atLeast, on: screen)
            case .fault, .unanswered:
                guard Self.isWorthAnotherTry(answered), failures < terms.retries else {
                    throw .refused(answered)
                }
                failures += 1
                try await nap(Backoff.afterFailure(failures))
            case .slow: throw .throttled(answered, times: throttled + 1)
            default: return answered
            }
        }
    }

    /// Waits as an answer asks, with full jitter on top.
    func wait(
        asBy answered: Answered, _ pause: Duration, atLeast: Duration = .zero, on screen: Screen
    ) async throws(StopReason) {
        try check(pause, askedBy: answered)
        try await nap(Backoff.afterThrottle(max(pause, atLeast), using: &screen.dice))
    }

    /// A household that is asked to stay away beyond its end has nothing to wait for: it ends at once, and says
    /// why. The usual second is always waited. `codeEnds`: of one that polls for a code.
    @inline(never)
    func check(
        _ pause: Duration, askedBy answered: Answered, codeEnds: Instant? = nil
    ) throws(StopReason) {
        guard pause > .seconds(1) else { return }
        let then = lane.now + pause
        if let codeEnds, then >= codeEnds {
            throw .asked(toWait: pause, longerThan: "the code", answered)
        }
        guard then > shift.expectedEnd else { return }
        shift.delayReplacement(of: plan.index)
        throw .asked(toWait: pause, longerThan: "the run", answered)
    }

    /// Sleeps; a stopped lane ends the story.
    func nap(_ duration: Duration) async throws(StopReason) {
        do { try await lane.sleep(for: duration) } catch { throw .stopped }
    }

    func nap(until instant: Instant) async throws(StopReason) {
        do { try await lane.sleep(until: instant) } catch { throw .stopped }
    }

    private static func isWorthAnotherTry(_ answered: Answered) -> Bool {
        // A service that breaks its protocol is not down; asking again would hide it for 15 s.
        if answered.exchange.outcome == .malformed { return false }
        // The platform's document serves once, and "anything else" than a token leads to the regular way (apple-sso.md § 1,
        // step 9; rest-v2.md § 8.3).
        if answered.exchange.operation.step(onFirstScreen: true) == .platformExchange {
            return false
        }
        guard case .unanswered(let error, _) = answered.answer else { return true }
        switch error.kind {
        case .stopped, .hostNotAllowed, .tls: return false
        default: return true
        }
    }

    /// Whether requests of this screen show an access token.
    private func signs(_ screen: Screen) -> Bool {
        terms.usesBearer && screen.device.identity.style.signs
    }

    /// Whether a new client is worth a try where a fresh token was turned down.
    var mayRegisterAnew: Bool {
        guard hasSessions, terms.usesBearer else { return false }
        if case .given = terms.clients { return false }
        return true
    }

    /// The client is no longer known to the service.
    func forget(_ screen: Screen) {
        let application = plan.kind.application
        // Another may have registered a new one since.
        if case .shared = terms.clients, shift.sharedClients[application] == screen.client {
            shift.sharedClients[application] = nil
        }
        screen.client = nil
        screen.token = nil
    }

    /// What a request of this screen is signed with: registers and fetches a token first where that
    /// is due.
    @inline(never)
    func credential(of screen: Screen) async throws(StopReason) -> Credential {
        func credential(_ bearer: Secret?) -> Credential {
            var credential = Credential(
                device: screen.device.identity, bearer: bearer, session: screen.session?.access)
            credential.refresh = screen.session?.refresh
            credential.endpoints = screen.endpoints
            if screen.device.id.role == .firstScreen { complete(&credential) }
            return credential
        }
        if screen.endpoints == nil, screen.device.id.role == .firstScreen {
            try await discover(screen)
        }
        guard signs(screen) else { return credential(nil) }
        if let token = screen.token, lane.now < screen.renewAt { return credential(token.bearer) }
        let isKept = screen.client != nil
        guard var answered = try await askForToken(screen) else { return credential(nil) }
        if case .staleClient = answered.answer {
            forget(screen)
            // Credentials that the device has kept may be forgotten by the service: it registers anew.
            if isKept, mayRegisterAnew, let another = try await askForToken(screen) {
                answered = another
            }
        }
        guard case .accessToken(let token) = answered.answer else { throw .refused(answered) }
        screen.token = token
        // A minute early, or at nine tenths of a short life.
        let margin: Duration = min(.seconds(60), .nanoseconds(token.lifetime.nanoseconds / 10))
        screen.renewAt = lane.now + (token.lifetime - margin)
        return credential(token.bearer)
    }

    /// D2, after D1 where that is due; nil where the protocol has neither.
    @inline(never)
    private func askForToken(_ screen: Screen) async throws(StopReason) -> Answered? {
        guard let client = try await client(of: screen),
            let call = dialect.accessToken(client, as: screen.device.identity)
        else { return nil }
        return try await insist(call, screen)
    }

    /// Asks where the service takes its requests, in protocols in which it tells: the first that knows
    /// counts (RFC 8414, 3; OpenID Connect Discovery, 4).
    @inline(never)
    private func discover(_ screen: Screen) async throws(StopReason) {
        /// That there is nothing at an address says less than any other response.
        var refusal: Answered?
        for call in dialect.discover(as: screen.device.identity) {
            let answered = try await insist(call, screen)
            if case .endpoints(let found) = answered.answer {
                screen.endpoints = found
                return
            }
            if refusal?.exchange.delivery.status ?? 404 == 404 { refusal = answered }
        }
        if let refusal { throw .refused(refusal) }
    }

    /// How often a device looks whether another has registered the client of all.
    private static let pause: Duration = .milliseconds(50)

    /// Nil where the protocol registers no clients, and the rig gives none.
    private func client(of screen: Screen) async throws(StopReason) -> ClientCredentials? {
        if let client = screen.client { return client }
        let client: ClientCredentials?
        switch terms.clients {
        case .given(let given): client = given
        case .perDevice: client = try await register(screen)
        case .shared:
            let application = plan.kind.application
            if shift.sharedClients[application] == nil,
                shift.registering.insert(application).inserted
            {
                defer { shift.registering.remove(application) }
                shift.sharedClients[application] = try await register(screen)
            }
            while shift.registering.contains(application) { try await nap(Self.pause) }
            // Where that failed each registers by itself, and fails with its own reason.
            if let known = shift.sharedClients[application] {
                client = known
            } else {
                client = try await register(screen)
                shift.sharedClients[application] = client
            }
        }
        screen.client = client
        return client
    }

    private func register(_ screen: Screen) async throws(StopReason) -> ClientCredentials? {
        guard let call = dialect.registerClient(statement, as: screen.device.identity) else {
            return nil
        }
        let answered = try await insist(call, screen)
        guard case .client(let client) = answered.answer else { throw .refused(answered) }
        return client
    }
}
