internal import Dialects
internal import Journal
internal import Rigs
internal import Vocabulary

/// The facts that a checklist and its remedy are made of.
struct TrialReading {
    typealias Step = Checklist.Step
    typealias State = Checklist.State

    /// Those that the steps are judged by: without what was asked about a sign-in after its end, and without
    /// rejections that the rig meant to get. Polls stay: the one that returned the sign-in is found among them; and so
    /// do requests without an answer, which no rig means to get.
    let exchanges: [RecordedExchange]
    /// What was asked about the sign-in after its end.
    private let askedTooLate: Set<SignInStep>
    let household: HouseholdRecord?
    let rig: Rig
    let surroundings: Checklist.Surroundings

    /// `all`: what the trial sent, in the order in which it was answered.
    init(
        _ all: [RecordedExchange], household: HouseholdRecord?, rig: Rig,
        surroundings: Checklist.Surroundings
    ) {
        let end =
            all.firstIndex { $0.step == .logout && $0.exchange.outcome == .ok } ?? all.endIndex
        let late = all[end...].filter { Self.aboutSignIn.contains($0.step) }
        exchanges =
            (all[..<end] + all[end...].filter { !Self.aboutSignIn.contains($0.step) })
            .filter {
                !$0.exchange.provoked || !$0.exchange.outcome.isError || $0.step == .poll
                    || $0.reply == nil
            }
        askedTooLate = Set(late.map(\.step))
        self.household = household
        self.rig = rig
        self.surroundings = surroundings
    }

    /// Steps whose answers follow from the sign-in that a logout ends.
    private static let aboutSignIn: Set<SignInStep> = [
        .checkSignIn, .lookUpCode, .poll, .confirm, .preauthorize, .authorize, .readAuthorization,
        .mediaToken, .metadata, .renew, .otherClient,
    ]

    var kind: HouseholdKind? { rig.kinds.first }
    /// What the household speaks.
    private var protocolName: ProtocolName {
        (kind?.application ?? rig.target.application).protocolName
    }
    var protocolType: any Dialect.Type { protocolName.type }
    var isDeviceGrant: Bool { protocolName == .oauthDeviceGrant }

    /// The steps that a household of this kind may take.
    var steps: [Step] {
        let isGrant = isDeviceGrant
        return Step.allCases.filter { step in
            switch step {
            case .approval: isGrant
            // A device grant has none of these.
            case .register, .token, .assertion, .check, .authorize, .media: !isGrant
            case .pass: kind?.hasTempPass == true
            case .platform: kind?.platform != nil
            default: true
            }
        }
    }

    func state(of step: Step) -> State {
        if let state = refused(step) { return state }
        return switch step {
        case .name, .tcp, .tls: connection(step)
        case .register, .token, .pass, .code, .configuration: service(step)
        case .platform: platform
        case .loginPage: loginPage
        case .form: form
        case .assertion: assertion
        case .user: UserReading.state(self)
        case .approval, .check, .poll, .authorize, .media, .logout: service(step)
        }
    }

    /// For a kind whose viewers all refuse the TV: the TV must learn of the refusal and get no token.
    private func refused(_ step: Step) -> State? {
        guard isDeviceGrant, kind?.viewer.refuses == 1,
            let last = exchanges.last(where: { $0.step == .refuse })
        else { return nil }
        switch step {
        case .approval: return failure(last).map(State.failed) ?? .passed
        case .poll:
            let polls = exchanges.filter { $0.step == .poll }
            if let token = polls.first(where: { $0.exchange.outcome == .ok }) {
                return .failed("\(token.sentence) although the viewer had refused")
            }
            return polls.last?.exchange.outcome == .notEntitled ? .passed : nil
        case .user, .logout: return .notNeeded("the viewer refused the TV")
        default: return nil
        }
    }

    // MARK: The way to the target

    /// An IPv4 address, or an IPv6 one: no name to be looked up.
    private var hasPlainAddress: Bool {
        let host = surroundings.origin.host
        return host.contains(":")
            || host.wholeMatch(of: /\d{1,3}(\.\d{1,3}){3}/) != nil
    }

    /// What was sent to the target itself, not to a provider's host.
    var toTarget: [RecordedExchange] {
        exchanges.filter { $0.call.address.origin == surroundings.origin }
    }

    /// How the connection fails: the last exchange with the target tells, when none was answered.
    var disconnection: (step: Step, recorded: RecordedExchange)? {
        guard !toTarget.contains(where: { $0.reply != nil }) else { return plainAtTLS }
        guard let last = toTarget.last(where: { $0.error?.kind != .stopped }),
            let error = last.error
        else { return nil }
        switch error.kind {
        case .nameNotResolved, .hostNotAllowed: return (.name, last)
        case .proxy where error.detail.contains("has no address"): return (.name, last)
        case .connectionRefused, .connectFailed, .proxy, .localLimit: return (.tcp, last)
        case .timeout:
            if case .refused = last.exchange.delivery {
                if error.detail.contains("TLS handshake") { return (.tls, last) }
                return (error.detail.contains("address of") ? .name : .tcp, last)
            }
            return nil
        case .tls: return (.tls, last)
        // A port that speaks TLS answers plain HTTP with an alert, or closes; what has begun to answer,
        // or has answered in frames of HTTP/2, speaks HTTP.
        case .notHTTP, .connectionLost:
            let speaksHTTP =
                last.exchange.firstByte != nil || error.detail.contains("HTTP/2 stream")
            return surroundings.origin.scheme == .http && !speaksHTTP ? (.tls, last) : nil
        case .staleConnection, .tooLarge, .stopped: return nil
        }
    }

    /// nginx and others answer plain HTTP at a TLS port with a page that says so.
    private var plainAtTLS: (step: Step, recorded: RecordedExchange)? {
        guard surroundings.origin.scheme == .http else { return nil }
        let words = ["plain http request was sent to https", "http request to an https server"]
        return toTarget.first { recorded in
            guard let reply = recorded.reply, reply.status == 400 else { return false }
            let text = reply.text.lowercased()
            return words.contains { text.contains($0) }
        }.map { (.tls, $0) }
    }

    private func connection(_ step: Step) -> State {
        guard !toTarget.isEmpty else { return .notReached }
        guard let (failed, recorded) = disconnection else {
            let isPlain = surroundings.origin.scheme == .http
            if step == .tls, isPlain { return .notNeeded("the target is http") }
            return passed(step)
        }
        if step == failed { return .failed(recorded.sentence) }
        return step < failed ? passed(step) : .notReached
    }

    /// An address has no name that could be looked up.
    private func passed(_ step: Step) -> State {
        step == .name && hasPlainAddress
            ? .notNeeded("\(surroundings.origin.host) is an address") : .passed
    }

    // MARK: Calls to the service

    /// What a step consists of in every protocol, the part that it is about first.
    static func parts(of step: Step) -> [SignInStep] {
        switch step {
        case .name, .tcp, .tls, .user: []
        case .register: [.registerClient]
        case .token: [.accessToken]
        case .pass: [.startPass]
        case .platform: [.platformExchange, .platformRequest]
        case .code: [.issueCode, .checkSignIn, .lookUpCode]
        case .configuration: [.configuration]
        case .loginPage, .form: [.login]
        case .assertion: [.finishLogin]
        case .approval: [.finishLogin, .refuse]
        case .check: [.confirm]
        case .poll: [.poll, .deleteCode]
        case .authorize: [.authorize, .metadata, .preauthorize]
        case .media: [.mediaToken]
        case .logout: [.logout, .logoutHop]
        }
    }

    private func service(_ step: Step) -> State {
        if let reason = notNeeded(step) { return .notNeeded(reason) }
        guard disconnection == nil else { return .notReached }
        let parts = Self.parts(of: step)
        for part in parts.reversed() {
            guard let answered = conclusive(part) else { continue }
            if let sentence = failure(answered) { return .failed(sentence) }
            if answered.exchange.outcome == .notEntitled {
                return .notEntitled(answered.sentence)
            }
        }
        if step == .code, let early = codeEnding { return .failed(early) }
        if step == .media,
            exchanges.last(where: { $0.step == .authorize })?.exchange.outcome == .notEntitled
        {
            return .notNeeded("the account is not entitled to the resource")
        }
        let isReached = parts.prefix(1).contains { main in
            exchanges.contains { $0.step == main && $0.exchange.outcome == .ok }
        }
        if !isReached, step == .authorize {
            // The rig may ask for decisions only.
            let asked = exchanges.contains { parts.contains($0.step) }
            return asked && !rig.afterSignIn.contains(.ask(.authorize)) ? .passed : .notReached
        }
        if !isReached, parts.prefix(1).contains(where: askedTooLate.contains) {
            return .notTested("the TV had logged out before this request")
        }
        return isReached ? .passed : .notReached
    }

    /// The exchange that a part of a step is judged by: the last, for what failed may have been tried again. Of
    /// polls the first that returned the sign-in: whether later ones agree is for the promises.
    private func conclusive(_ part: SignInStep) -> RecordedExchange? {
        let tried = exchanges.filter { $0.step == part }
        return part == .poll ? tried.first { $0.exchange.outcome == .ok } ?? tried.last : tried.last
    }

    /// How the last exchange of an operation failed; nil when it did not.
    private func failure(_ last: RecordedExchange) -> String? {
        let operation = last.exchange.operation
        // The page came as every page does; its words are not those that the rig lists for a decision.
        if isDeviceGrant, last.call.isDecision, household?.phoneDone == nil,
            household?.tokenSeen == nil, GrantRemedy.isUnconfirmed(last, in: exchanges)
        {
            return ending ?? "\(last.sentence) without the words that would confirm it"
        }
        switch last.exchange.outcome {
        case .ok, .notEntitled: return nil
        case .pending where last.step == .checkSignIn: return nil
        // The phone had signed in, and the TV was told "not yet" to the end.
        case .pending where last.step == .poll:
            return household?.phoneDone == nil ? nil : ending ?? last.sentence
        case .pending where last.exchange.observation.result == .unauthenticated:
            return last.sentence + HouseholdRecord.signInExpired
        case .pending: return last.sentence + " although the login had ended"
        case .throttled:
            // Where the server asked for a longer wait than the trial takes, the household says so.
            if let ending, ending.hasPrefix("\(operation.name) answered 429: ") { return ending }
            return "\(operation.name) was throttled on every attempt"
        case .notSent where last.error?.kind == .stopped, .cutOff: return nil
        default: return last.sentence
        }
    }

    /// Why the step has no place in this rig, if so.
    private func notNeeded(_ step: Step) -> String? {
        let isPreSigned = household?.fate == .preSignedIn
        let afterwards = rig.afterSignIn
        switch step {
        case .register, .token:
            if !rig.target.usesBearer { return "target.auth is none" }
            if step == .register, case .given = rig.target.clients {
                return "target.clients gives one"
            }
            return nil
        case .code, .configuration, .loginPage, .form, .assertion, .approval, .check, .poll:
            if isPreSigned { return "the TV was signed in already" }
            if step == .configuration {
                let isAsked = exchanges.contains { $0.step == .configuration }
                return protocolName == .oauthDeviceGrant && !isAsked
                    ? "target.device-grant gives the addresses" : nil
            }
            if kind?.hasTempPass == true { return "a TempPass needs no sign-in" }
            if hasPlatformToken, !hasLogin { return "the platform's account signed in" }
            if step != .code, household?.signOn.paths.first == .noLogin {
                return "the service asks for no login"
            }
            if kind?.firstScreen.hasWebView == true, step == .check {
                return "the device signs in by itself"
            }
            return nil
        case .pass:
            if isPreSigned { return "the TV was signed in already" }
            return protocolName == .adobePassV2 ? "the first authorize starts it" : nil
        case .authorize:
            let wanted = [OperationName.authorize, .preauthorize, .userMetadata].filter(
                protocolName.operations.contains)
            return wanted.contains { afterwards.contains(.ask($0)) }
                ? nil : "after-sign-in does not ask for it"
        case .media:
            guard protocolName.operations.contains(.mediaToken) else {
                return "authorize brings the media token"
            }
            return afterwards.contains(.ask(.mediaToken))
                ? nil : "after-sign-in does not ask for it"
        case .logout:
            // A trial gives back what it was given wherever it knows how: a server without an address for
            // that is in order (RFC 8414, 2: revocation_endpoint is optional).
            let isAsked = exchanges.contains { $0.step == .logout }
            return isDeviceGrant && !isAsked && household?.fate == .signedIn
                ? "neither target.device-grant nor the server's metadata has a revocation endpoint"
                : nil
        default: return nil
        }
    }

    // MARK: The platform

    /// Whether the platform's account has led to a token.
    private var hasPlatformToken: Bool {
        exchanges.contains {
            $0.step == .platformExchange && $0.exchange.outcome == .ok
        }
    }

    private var hasLogin: Bool {
        exchanges.contains { $0.step == .issueCode || $0.step == .login }
    }

    /// Whether this kind is to sign on without its viewer: an account that is fresh, and may be asked.
    private var isSilent: Bool {
        guard let platform = kind?.platform else { return false }
        return platform.access == .granted && platform.account == .fresh && platform.error == nil
            && platform.withdrawal == .never
    }

    private var platform: State {
        if household?.fate == .preSignedIn { return .notNeeded("the device was signed in already") }
        guard disconnection == nil else { return .notReached }
        for part in Self.parts(of: .platform) {
            guard let last = exchanges.last(where: { $0.step == part }) else { continue }
            if let sentence = failure(last) { return .failed(sentence) }
            if part == .platformExchange { return .passed }
            // The service may find that the device is signed in already (rest-v2.md § 8.3).
            if case .signedIn = last.answer { return .passed }
        }
        guard exchanges.contains(where: { $0.exchange.operation == .configuration }) else {
            return .notReached
        }
        let reason = household?.signOn.diversion ?? ""
        return isSilent
            ? .failed(
                "the device did not sign on by its account" + (reason.isEmpty ? "" : ": \(reason)"))
            : .notNeeded("this kind of household signs in by another path")
    }

    /// That the code ended before its viewer could be done with it, where the rig meant it to last.
    var codeEnding: String? {
        guard let household, household.fate == .abandoned, !household.cause.isEmpty,
            household.abandonedBy == .service
                || HouseholdRecord.isOfShortCode(household.cause)
        else { return nil }
        return household.cause
    }

    /// What ended the household's story, unless all was well.
    var ending: String? {
        guard let household, household.fate == .failed, !household.cause.isEmpty else { return nil }
        return household.cause
    }
}

// MARK: The login

extension TrialReading {
    /// Requests of the browser, in their order.
    var browser: [RecordedExchange] {
        exchanges.filter {
            [SignInStep.login, .finishLogin, .refuse].contains($0.step)
        }
    }

    /// The first form that was sent to the provider, as a position in `browser`.
    var submission: Int? {
        browser.firstIndex { $0.exchange.operation == .mvpdLogin && $0.call.method == .post }
    }

    var hasAssertion: Bool {
        browser.contains { $0.step == .finishLogin || $0.step == .refuse }
    }

    private var loginPage: State {
        if let reason = notNeeded(.loginPage) { return .notNeeded(reason) }
        guard !browser.isEmpty else { return .notReached }
        if hasAssertion || household?.phoneDone != nil { return .passed }
        let before = browser.prefix(submission ?? browser.count)
        if before.contains(where: \.isPage) { return .passed }
        guard let last = before.last else { return .passed }
        if last.exchange.outcome != .ok { return .failed(last.sentence) }
        return .failed(ending ?? "the redirects to the login page do not end")
    }

    private var form: State {
        if let reason = notNeeded(.form) { return .notNeeded(reason) }
        guard case .passed = loginPage else { return .notReached }
        if hasAssertion || household?.phoneDone != nil { return .passed }
        if let last = browser.last, last.exchange.outcome != .ok { return .failed(last.sentence) }
        return household?.fate == .failed
            ? .failed(ending ?? "the form was not accepted") : .notReached
    }

    private var assertion: State {
        if let reason = notNeeded(.assertion) { return .notNeeded(reason) }
        guard case .passed = form else { return .notReached }
        guard let last = browser.last(where: { $0.exchange.operation == .assertion }) else {
            return .notNeeded("the provider redirected straight back")
        }
        if last.exchange.outcome != .ok { return .failed(last.sentence) }
        if let denial = last.denial { return .failed("the login came back with \(denial)") }
        // The page of the app itself, where the rig fetches it.
        if let page = browser.last, rig.target.fetchesRedirect, let error = page.error,
            error.kind == .hostNotAllowed
        {
            return .failed(page.sentence)
        }
        let hasReturned = household?.phoneDone != nil
        return hasReturned ? .passed : .failed(ending ?? "the browser did not come back to the app")
    }
}

extension RecordedExchange {
    var isPage: Bool {
        if case .page = answer { exchange.outcome == .ok } else { false }
    }

    /// `error=access_denied` in the address that a hop leads to.
    var denial: String? {
        guard case .redirect(let address) = answer else { return nil }
        return address.written("error").map { gate.text(Untrusted("error=\($0)")) }
    }
}
