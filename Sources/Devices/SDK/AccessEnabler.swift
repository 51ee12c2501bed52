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
    enum Origin: Hashable, Sendable { case platform, regular, pass }

    /// What is told to it.
    enum Input {
        case call(SDKCall)
        case configured([Provider])
        case notConfigured(SDKStatus)
        /// What the platform's framework says; `hasAccount`: somebody is signed in on the device.
        case platform(AccountAccess, MetadataResult, hasAccount: Bool, at: Instant)
        case pickerOpened, pickerClosed
        case exchanged
        /// The platform did not vouch: the exchange never began.
        case notVouched
        case exchangeFailed
        case codeIssued, codeRefused
        case tokenFetched
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
    enum Work: Hashable, Sendable {
        case configure
        case askPlatform(isInteractive: Bool, supported: [String])
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

    enum Effect: Hashable, Sendable {
        case callback(SDKCallback)
        case work(Work)
    }

    /// The web view of an iPhone, or the second screen of a TV.
    let hasWebView: Bool
    /// Whether there is a platform framework to ask.
    let hasPlatform: Bool
    private(set) var state = State.new
    private(set) var origin: Origin?
    private(set) var selected: String?
    var providers: [Provider] = []
    var purpose = Purpose.start
    /// Calls made while it was being configured (§ 3, queue rule).
    private var queued: [SDKCall] = []
    private var filter: [String]?
    private var resource = ""
    private var metadataKey = ""

    init(hasWebView: Bool, hasPlatform: Bool) {
        self.hasWebView = hasWebView
        self.hasPlatform = hasPlatform
    }

    var isAuthenticated: Bool { origin != nil }

    mutating func on(_ input: Input) -> [Effect] {
        switch input {
        case .call(let call): return on(call)
        case .configured(let providers):
            self.providers = providers
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
        case .exchanged: return signedIn(by: .platform)
        case .notVouched: return purpose == .start ? complete() : fallBack(.platformFailed)
        case .exchangeFailed: return purpose == .start ? complete() : failed(.generic)
        case .codeIssued: return onCode()
        case .codeRefused:
            return [.callback(.status(.noRegistrationCode))] + failed(.generic)
        case .tokenFetched: return signedIn(by: .regular)
        case .tokenMissing(let status):
            return (status.map { [.callback(.status($0))] } ?? []) + failed(.generic)
        case .passStarted:
            return [.callback(.status(.tempPassUsed))] + signedIn(by: .pass)
        case .passRefused: return [.callback(.status(.tempPassExpired))] + failed(.generic)
        case .authorized:
            return [
                .callback(.sendTrackingData(.authorization)), .callback(.setToken(resource)),
            ]
        case .notAuthorized(let status, let words):
            return [.callback(.status(status))] + refused(.notAuthorized, words)
        case .sessionLost:
            origin = nil
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
    private mutating func on(_ call: SDKCall) -> [Effect] {
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
            guard hasPlatform, state == .ready else { return checked() }
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

    private mutating func checked() -> [Effect] {
        [
            .callback(.sendTrackingData(.authentication)),
            .callback(
                .setAuthenticationStatus(
                    isAuthenticated, isAuthenticated ? .none : .notAuthenticated)),
        ]
    }

    private mutating func authenticate(for purpose: Purpose) -> [Effect] {
        self.purpose = purpose
        if isAuthenticated { return end(true, .none) }
        guard hasPlatform, !providers.supportedOnPlatform.isEmpty else {
            // The picker is skipped where a provider was set before.
            return selected.map { beginLogin($0) } ?? showPicker()
        }
        state = .platform
        return [.work(.askPlatform(isInteractive: true, supported: offered))]
    }

    /// Platform ids in the platform's picker, narrowed by the app's filter.
    private var offered: [String] {
        let supported = providers.supportedOnPlatform
        guard let filter else { return supported.compactMap { $0.platform?.mappingID } }
        return filter.compactMap { id in supported.first { $0.id == id }?.platform?.mappingID }
    }

    private mutating func select(_ id: String?) -> [Effect] {
        guard let id else {
            selected = nil
            return [.callback(.status(.pickerCancelled))] + failed(.providerNotSelected)
        }
        selected = id
        if state == .ready { purpose = .authentication }
        let tracking = Effect.callback(.sendTrackingData(.mvpdSelection))
        if providers.first(where: { $0.id == id })?.isTempPass == true {
            state = .fetching
            return [tracking, .work(.startPass(id))]
        }
        return [tracking] + beginLogin(id)
    }

    private mutating func onReturn() -> [Effect] {
        switch state {
        case .login where hasWebView:
            state = .fetching
            return [.work(.fetchToken)]
        case .loggingOut: return on(.loggedOut)
        default: return []
        }
    }

    private mutating func logOut() -> [Effect] {
        let wasPlatform = origin == .platform
        origin = nil
        selected = nil
        state = .loggingOut
        let status: [Effect] = wasPlatform ? [.callback(.status(.platformLogout))] : []
        return status + [hasWebView ? .callback(.navigateToUrl(.logout)) : .work(.logOut)]
    }
}

// MARK: What follows

extension AccessEnabler {
    private mutating func onPlatform(_ report: PlatformReport) -> [Effect] {
        switch purpose {
        case .start:
            if let status = report.statusAtStart {
                return [.callback(.status(status))] + complete()
            }
            guard let provider = report.capableProvider(of: providers) else { return complete() }
            return [.work(.exchange(provider))]
        case .check:
            let status = report.statusAtCheck
            // A token of the platform's goes with its permission (§ 4, step 3).
            if origin == .platform, report.access != .granted { origin = nil }
            return (status.map { [.callback(.status($0))] } ?? []) + checked()
        case .authentication, .authorization:
            switch report.decision(providers) {
            case .exchange(let provider):
                state = .exchanging
                return [.work(.exchange(provider))]
            case .selects(let mvpd): return select(mvpd)
            case .fallsBack(let status): return fallBack(status)
            }
        }
    }

    /// The requestor is set; what was asked meanwhile is done now, in order.
    private mutating func complete() -> [Effect] {
        state = .ready
        let waiting = queued
        queued = []
        return [.callback(.setRequestorComplete(true))] + waiting.flatMap { on(.call($0)) }
    }

    /// Exactly one advanced code accompanies a fallback to the app's picker (§ 4).
    private mutating func fallBack(_ status: SDKStatus) -> [Effect] {
        [.callback(.status(status))] + showPicker()
    }

    private mutating func showPicker() -> [Effect] {
        state = .picker
        return [.callback(.displayProviderDialog(providers.map(\.id)))]
    }

    private mutating func beginLogin(_ mvpd: String) -> [Effect] {
        state = .login
        return [.work(.registerCode(mvpd: mvpd))]
    }

    private mutating func onCode() -> [Effect] {
        guard !hasWebView else { return [.callback(.navigateToUrl(.login))] }
        state = .fetching
        return [.callback(.status(.registrationCode)), .work(.pollToken)]
    }

    private mutating func signedIn(by origin: Origin) -> [Effect] {
        self.origin = origin
        return purpose == .start ? complete() : end(true, .none)
    }

    private mutating func failed(_ code: SDKErrorCode) -> [Effect] { end(false, code) }

    /// The one `setAuthenticationStatus` that every login ends in, and what it was wanted for.
    private mutating func end(_ isSignedIn: Bool, _ code: SDKErrorCode) -> [Effect] {
        state = .ready
        let told: [Effect] = [
            .callback(.sendTrackingData(.authentication)),
            .callback(.setAuthenticationStatus(isSignedIn, code)),
        ]
        guard case .authorization(let resource) = purpose else { return told }
        return told + (isSignedIn ? [.work(.authorize(resource))] : refused(.notAuthenticated, ""))
    }

    private func refused(_ code: SDKErrorCode, _ words: String) -> [Effect] {
        [
            .callback(.sendTrackingData(.authorization)),
            .callback(.tokenRequestFailed(resource, code, words)),
        ]
    }
}
