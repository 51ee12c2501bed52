internal import Dialects
internal import Journal

/// An AccessEnabler as the state machine of access-enabler-sdk.md § 3: a value that is told what
/// happened and answers what to tell the app and what to do next. It asks nobody and knows no lane.
///
/// ```text
/// new -setRequestor-> configuring -> ready <-----------------------------------------+
///                                     | getAuthentication                            |
///                                     +-> platform -> exchanging --------------------+
///                                     |      | no                                    |
///                                     +-> picker -setSelectedProvider-> login -> fetching
/// ```
struct AccessEnabler {
    enum State: Hashable, Sendable {
        case new, configuring, ready
        /// Waits for the platform's framework (S4).
        case platform
        /// Waits for the silent exchange.
        case exchanging
        /// Waits for `setSelectedProvider` (S5).
        case picker
        /// A code is being asked for, or a login is under way (S6).
        case login
        /// Waits for the token of a login (S7).
        case fetching
        case loggingOut
    }

    /// Why a token is wanted.
    enum Purpose: Hashable, Sendable {
        case start, check, authentication
        case authorization(String)
    }

    /// Where a token came from.
    enum TokenOrigin: Hashable, Sendable { case platform, regular, pass }

    /// What is in its storage, which outlives the app.
    struct Token: Hashable, Sendable {
        var origin: TokenOrigin
        var mvpd: String
        /// Nil: not known.
        var expires: Instant?
    }

    /// What is told to it.
    enum SDKInput {
        case call(SDKCall)
        case configured([Provider])
        case notConfigured(SDKStatus)
        /// What the platform's framework says; `hasAccount`: somebody is signed in on the device.
        case platform(AccountAccess, MetadataResult, hasAccount: Bool, at: Instant)
        case pickerOpened, pickerClosed
        case exchanged(until: Instant? = nil)
        /// The platform did not vouch: the exchange never began.
        case notVouched(AccountAccess, AccountError?)
        case exchangeFailed
        case codeIssued, codeRefused
        case tokenFetched(until: Instant? = nil)
        case tokenMissing(SDKStatus?)
        case passStarted
        case passRefused
        case authorized
        case notAuthorized(SDKStatus, String)
        /// The service knows of no sign-in any more.
        case sessionLost
        case decided([String])
        case notDecided
        case userMetadata(String?)
        case loggedOut
    }

    /// What it wants done; one at a time.
    enum SDKWork: Hashable, Sendable {
        case configure
        case askPlatform(isInteractive: Bool, supported: [String], featured: [String] = [])
        case exchange(Provider)
        case registerCode(mvpd: String)
        /// Polls while a second screen signs in.
        case pollToken
        /// Asks once, after a web view came back.
        case fetchToken
        case startPass(String)
        case authorize(String)
        case preauthorize([String])
        case fetchUserMetadata
        case logOut
    }

    enum SDKEffect: Hashable, Sendable {
        case callback(SDKCallback)
        case work(SDKWork)
    }

    /// The web view of an iPhone, or the second screen of a TV.
    let hasWebView: Bool
    /// Whether there is a platform framework to ask.
    let hasPlatform: Bool
    private(set) var state = State.new
    private(set) var token: Token?
    private(set) var selected: String?
    /// The time of what it is told next.
    var now = Instant.start
    var providers: [Provider] = []
    var purpose = Purpose.start
    /// Calls made while it was being configured (§ 3, queue rule).
    private var queued: [SDKCall] = []
    private var filter: ProviderFilter?
    /// Whom the exchange under way is with.
    private var exchanging = ""
    private var resource = ""
    private var metadataKey = ""

    init(hasWebView: Bool, hasPlatform: Bool) {
        self.hasWebView = hasWebView
        self.hasPlatform = hasPlatform
    }

    /// The app was closed and opened again: of the SDK its storage is left.
    init(after before: AccessEnabler) {
        self.init(hasWebView: before.hasWebView, hasPlatform: before.hasPlatform)
        token = before.token
        selected = before.selected
    }

    var isAuthenticated: Bool { token != nil }
    var origin: TokenOrigin? { token?.origin }

    mutating func on(_ input: SDKInput) -> [SDKEffect] {
        switch input {
        case .call(let call): return on(call)
        case .configured(let providers):
            self.providers = providers
            if let token, !stands(token) { self.token = nil }
            guard hasPlatform, !providers.supportedOnPlatform.isEmpty, !isAuthenticated else {
                return complete()
            }
            purpose = .start
            return [.work(.askPlatform(isInteractive: false, supported: []))]
        case .notConfigured(let status):
            state = .new
            return [.callback(.status(status)), .callback(.setRequestorComplete(false))]
        case .platform(let access, let result, let hasAccount, let now):
            return onPlatform(PlatformReport(access, result, hasAccount: hasAccount, at: now))
        case .pickerOpened: return [.callback(.presentTVProviderDialog)]
        case .pickerClosed: return [.callback(.dismissTVProviderDialog)]
        case .exchanged(let until):
            return signedIn(Token(origin: .platform, mvpd: exchanging, expires: until))
        case .notVouched(let access, let error): return onRefusal(access, error)
        case .exchangeFailed: return purpose == .start ? complete() : failed(.generic)
        case .codeIssued: return onCode()
        case .codeRefused:
            return [.callback(.status(.noRegistrationCode))] + failed(.generic)
        case .tokenFetched(let until):
            return signedIn(Token(origin: .regular, mvpd: selected ?? "", expires: until))
        case .tokenMissing(let status):
            return (status.map { [.callback(.status($0))] } ?? []) + failed(.generic)
        case .passStarted:
            return [.callback(.status(.tempPassUsed))]
                + signedIn(Token(origin: .pass, mvpd: selected ?? ""))
        case .passRefused: return [.callback(.status(.tempPassExpired))] + failed(.generic)
        case .authorized:
            return [
                .callback(.sendTrackingData(.authorization)), .callback(.setToken(resource)),
            ]
        case .notAuthorized(let status, let words):
            return [.callback(.status(status))] + refused(.notAuthorized, words)
        case .sessionLost:
            token = nil
            return [.callback(.status(.notAuthenticated))] + refused(.notAuthenticated, "")
        case .decided(let resources): return [.callback(.preauthorizedResources(resources))]
        case .notDecided:
            return [
                .callback(.status(.preauthorizationFailed)), .callback(.preauthorizedResources([])),
            ]
        case .userMetadata(let value):
            return [.callback(.setMetadataStatus(metadataKey, value))]
        case .loggedOut:
            state = .ready
            return [.callback(.setAuthenticationStatus(false, .notAuthenticated))]
        }
    }
}

// MARK: Calls

extension AccessEnabler {
    private mutating func on(_ call: SDKCall) -> [SDKEffect] {
        if state == .configuring, call != .setRequestor {
            queued.append(call)
            return []
        }
        switch call {
        case .setRequestor:
            state = .configuring
            return [.work(.configure)]
        case .checkAuthentication:
            // "Local cache only"; it may ask the platform, which is no network either (G5).
            guard hasPlatform, state == .ready else { return checked(nil) }
            purpose = .check
            return [.work(.askPlatform(isInteractive: false, supported: []))]
        case .getAuthentication(let filter):
            self.filter = filter
            return authenticate(for: .authentication)
        case .setSelectedProvider(let id): return select(id)
        case .handleExternalURL: return onReturn()
        case .checkAuthorization(let resource):
            self.resource = resource
            guard isAuthenticated else {
                return [.callback(.status(.notAuthenticated))] + refused(.notAuthenticated, "")
            }
            return [.work(.authorize(resource))]
        case .getAuthorization(let resource):
            self.resource = resource
            guard isAuthenticated else { return authenticate(for: .authorization(resource)) }
            return [.work(.authorize(resource))]
        case .checkPreauthorizedResources(let resources):
            guard isAuthenticated else { return [.callback(.preauthorizedResources([]))] }
            return [.work(.preauthorize(resources))]
        case .getUserMetadata(let key):
            metadataKey = key
            guard isAuthenticated else { return [.callback(.setMetadataStatus(key, nil))] }
            return [.work(.fetchUserMetadata)]
        case .getSelectedProvider:
            return [
                .callback(.sendTrackingData(.selectedProvider)),
                .callback(.selectedProvider(selected)),
            ]
        case .logout: return logOut()
        }
    }

    /// Step 3 of § 4: a token that does not count any more goes, and what is left is told.
    private mutating func checked(_ report: PlatformReport?) -> [SDKEffect] {
        if let token, !stands(token) || !(report?.backs(token) ?? true) { self.token = nil }
        return [
            .callback(.sendTrackingData(.authentication)),
            .callback(
                .setAuthenticationStatus(
                    isAuthenticated, isAuthenticated ? .none : .notAuthenticated)),
        ]
    }

    /// Neither out of date, nor of an integration, or a platform sign-on, that is switched off.
    private func stands(_ token: Token) -> Bool {
        if let expires = token.expires, now >= expires { return false }
        guard let provider = providers.first(where: { $0.id == token.mvpd }) else { return false }
        return token.origin != .platform || provider.platform?.isEnabled == true
    }

    private mutating func authenticate(for purpose: Purpose) -> [SDKEffect] {
        self.purpose = purpose
        if isAuthenticated { return end(true, .none) }
        guard hasPlatform, !providers.supportedOnPlatform.isEmpty else {
            // The picker is skipped where a provider was set before.
            return selected.map { beginLogin($0) } ?? showPicker()
        }
        state = .platform
        let lists = providers.offered(filter)
        return [
            .work(
                .askPlatform(
                    isInteractive: true, supported: lists.supported, featured: lists.featured))
        ]
    }

    private mutating func select(_ id: String?) -> [SDKEffect] {
        guard let id else {
            selected = nil
            return [.callback(.status(.pickerCancelled))] + failed(.providerNotSelected)
        }
        selected = id
        if state == .ready { purpose = .authentication }
        let tracking = SDKEffect.callback(.sendTrackingData(.mvpdSelection))
        if providers.first(where: { $0.id == id })?.isTempPass == true {
            state = .fetching
            return [tracking, .work(.startPass(id))]
        }
        return [tracking] + beginLogin(id)
    }

    private mutating func onReturn() -> [SDKEffect] {
        switch state {
        case .login where hasWebView:
            state = .fetching
            return [.work(.fetchToken)]
        case .loggingOut: return on(.loggedOut)
        default: return []
        }
    }

    private mutating func logOut() -> [SDKEffect] {
        let wasPlatform = origin == .platform
        token = nil
        selected = nil
        state = .loggingOut
        let status: [SDKEffect] = wasPlatform ? [.callback(.status(.platformLogout))] : []
        return status + [hasWebView ? .callback(.navigateToUrl(.logout)) : .work(.logOut)]
    }
}

// MARK: What follows

extension AccessEnabler {
    private mutating func onPlatform(_ report: PlatformReport) -> [SDKEffect] {
        switch purpose {
        case .start:
            if let status = report.statusAtStart {
                return [.callback(.status(status))] + complete()
            }
            guard let provider = report.capableProvider(of: providers) else { return complete() }
            return exchange(with: provider)
        case .check:
            let status = report.statusAtCheck
            return (status.map { [.callback(.status($0))] } ?? []) + checked(report)
        case .authentication, .authorization:
            switch report.decision(providers) {
            case .exchange(let provider):
                state = .exchanging
                return exchange(with: provider)
            case .selects(let mvpd): return select(mvpd)
            case .fallsBack(let status): return fallBack(status)
            }
        }
    }

    private mutating func exchange(with provider: Provider) -> [SDKEffect] {
        exchanging = provider.id
        return [.work(.exchange(provider))]
    }

    /// The platform did not vouch in the end: E does not hold, for a reason that has its code.
    private mutating func onRefusal(_ access: AccountAccess, _ error: AccountError?) -> [SDKEffect]
    {
        let report = PlatformReport(
            access, MetadataResult(error: error), hasAccount: true, at: now)
        guard purpose == .start else { return fallBack(report.statusOfRefusal) }
        return (report.statusAtStart.map { [.callback(.status($0))] } ?? []) + complete()
    }

    /// The requestor is set; what was asked meanwhile is done now, in order.
    private mutating func complete() -> [SDKEffect] {
        state = .ready
        let waiting = queued
        queued = []
        return [.callback(.setRequestorComplete(true))] + waiting.flatMap { on(.call($0)) }
    }

    /// Exactly one advanced code accompanies a fallback to the app's picker (§ 4).
    private mutating func fallBack(_ status: SDKStatus) -> [SDKEffect] {
        [.callback(.status(status))] + showPicker()
    }

    private mutating func showPicker() -> [SDKEffect] {
        state = .picker
        return [.callback(.displayProviderDialog(providers.map(\.id)))]
    }

    private mutating func beginLogin(_ mvpd: String) -> [SDKEffect] {
        state = .login
        return [.work(.registerCode(mvpd: mvpd))]
    }

    private mutating func onCode() -> [SDKEffect] {
        guard !hasWebView else { return [.callback(.navigateToUrl(.login))] }
        state = .fetching
        return [.callback(.status(.registrationCode)), .work(.pollToken)]
    }

    private mutating func signedIn(_ token: Token) -> [SDKEffect] {
        self.token = token
        return purpose == .start ? complete() : end(true, .none)
    }

    private mutating func failed(_ code: SDKErrorCode) -> [SDKEffect] { end(false, code) }

    /// The one `setAuthenticationStatus` that every login ends in, and what it was wanted for.
    private mutating func end(_ isSignedIn: Bool, _ code: SDKErrorCode) -> [SDKEffect] {
        state = .ready
        let told: [SDKEffect] = [
            .callback(.sendTrackingData(.authentication)),
            .callback(.setAuthenticationStatus(isSignedIn, code)),
        ]
        guard case .authorization(let resource) = purpose else { return told }
        return told + (isSignedIn ? [.work(.authorize(resource))] : refused(.notAuthenticated, ""))
    }

    private func refused(_ code: SDKErrorCode, _ words: String) -> [SDKEffect] {
        [
            .callback(.sendTrackingData(.authorization)),
            .callback(.tokenRequestFailed(resource, code, words)),
        ]
    }
}
