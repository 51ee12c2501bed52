internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// What an app over the AccessEnabler remembers between callbacks.
struct SDKAppState {
    var lastStatus: SDKStatus?
    /// The code of the sign-in under way.
    var issued: IssuedCode?
    var hasCancelled = false
    /// The silent exchange of the last call failed.
    var hasLoginFailed = false
    /// The last answer that the SDK was throttled with. Its app only gets a status code; a load test waits as
    /// long as the server asked all the same.
    var throttling: Answered?
    /// Ends the sign-in once the SDK has told the app.
    var halt: StopReason?

    enum Authorization {
        case none
        case granted
        case throttled
        /// The service says that nobody is signed in any more, in these words.
        case sessionLost(String)
    }
    /// The outcome of the last one; `denied` has those that the service refused.
    var authorization = Authorization.none
}

/// An app over the AccessEnabler: what it calls, and how it answers callbacks
/// (access-enabler-sdk.md §§ 3, 4, 7, 9).
extension Household {
    /// How often an app asks again that was throttled.
    private static let appPatience = 5

    @inline(never)
    func sdkLife() async throws(StopReason) {
        try await enterForeground(isAgain: false)
        try await configureSDK()
        reach(.registered)
        try await callSDK(.checkAuthentication)
        if sdk.isAuthenticated {
            // The platform signed in while the requestor was set.
            expect(aViewer: false)
        } else {
            try await sdkSignIn()
        }
        for activity in plan.activities { try await performSignedIn(activity) }
    }

    private func configureSDK() async throws(StopReason) {
        for attempt in 1... {
            try await callSDK(.setRequestor)
            if sdk.state == .ready { return }
            guard sdkApp.lastStatus == .configurationThrottled, attempt < Self.appPatience else {
                break
            }
            try await waitAsThrottled()
        }
        throw .failed(
            "the SDK could not set its requestor: \(sdkApp.lastStatus?.rawValue ?? "no answer")")
    }

    private func waitAsThrottled() async throws(StopReason) {
        guard let answered = sdkApp.throttling, case .slow(let pause) = answered.answer else {
            return try await nap(.seconds(1))
        }
        try await wait(asBy: answered, pause, on: tv)
    }

    /// `getAuthentication` until somebody is signed in: a viewer who cancelled begins again.
    @inline(never)
    func sdkSignIn() async throws(StopReason) {
        expect(aViewer: true)
        sdkApp.hasCancelled = false
        let filter = plan.kind.platform?.filter(on: plan.kind.device)
        for _ in 1...2 {
            beginSignIn()
            sdkApp.hasLoginFailed = false
            try await callSDK(.getAuthentication(filter: filter))
            if sdkApp.hasLoginFailed {
                // The silent exchange failed, and will fail again: the app signs in regularly.
                try await human(plan.viewer.noticesCode)
                if plan.viewer.givesUp { throw .gaveUp }
                try await callSDK(.setSelectedProvider(try choice(among: sdk.providers)))
            }
            if let halt = sdkApp.halt {
                sdkApp.halt = nil
                throw halt
            }
            if sdk.isAuthenticated { return reach(.signedIn) }
            guard sdkApp.hasCancelled else { break }
        }
        throw .failed(
            "the SDK did not sign in: \(sdkApp.lastStatus?.rawValue ?? "no reason given")")
    }

    @inline(never)
    func performInSDK(_ activity: PlannedActivity) async throws(StopReason) {
        switch activity {
        case .ask(.userMetadata): try await callSDK(.getUserMetadata("tokenSource"))
        case .ask(.preauthorize): try await callSDK(.checkPreauthorizedResources(terms.resources))
        case .ask(.authorize): try await authorizeInSDK()
        case .ask(.mediaToken):
            // Part of each authorization (§ 11).
            if !plan.activities.contains(.ask(.authorize)) { try await authorizeInSDK() }
            if !isDenied { reach(.playing) }
        // The SDK keeps authorizations itself (§ 11), and asks for nothing else.
        case .ask: break
        case .watch where isDenied: break
        // The SDK keeps authorizations, and each brings a media token (§ 11).
        case .program:
            try await authorizeInSDK()
            if !isDenied { reach(.playing) }
        // An SDK does one thing at a time.
        case .playAtOnce:
            try await authorizeInSDK()
            if !isDenied { reach(.playing) }
        case .watch(let duration): try await nap(duration)
        case .logout: try await logOutOfSDK()
        case .again:
            if sdk.isAuthenticated { try await logOutOfSDK() }
            try await sdkSignIn()
        case .relaunch: try await relaunchOverSDK()
        case .comeBack(let time):
            try await stayAway(for: time)
            try await relaunchOverSDK()
        // Its protocol has one sign-in of a device (`Rig.checkProtocols`).
        case .secondProvider: break
        }
    }

    /// "May be repeated on foreground to resync" (§ 1): a new SDK over the old storage. Who is still
    /// signed in on the platform is signed in again while the requestor is set (§ 9).
    private func relaunchOverSDK() async throws(StopReason) {
        try await enterForeground(isAgain: true)
        sdk = AccessEnabler(after: sdk)
        try await configureSDK()
        try await callSDK(.checkAuthentication)
        if !sdk.isAuthenticated { try await sdkSignIn() }
    }

    private func authorizeInSDK() async throws(StopReason) {
        for resource in terms.resources { try await authorizeInSDK(resource) }
    }

    private func authorizeInSDK(_ resource: String) async throws(StopReason) {
        for attempt in 1... {
            sdkApp.authorization = .none
            denied.remove(resource)
            try await callSDK(.checkAuthorization(resource))
            if denied.contains(resource) { return }
            switch sdkApp.authorization {
            case .granted: return
            case .sessionLost(let words): throw .signedOut("\(words)")
            case .throttled where attempt < Self.appPatience:
                try await waitAsThrottled()
            case .throttled, .none:
                let reason = sdkApp.lastStatus?.rawValue ?? "no reason given"
                throw .failed("the SDK got no media token: \(reason)")
            }
        }
    }

    private func logOutOfSDK() async throws(StopReason) {
        try await callSDK(.logout)
        traces.signedIn = false
        isLoggedOut = true
        reach(.loggedOut)
    }

    /// Makes one call, and does all that comes of it: callbacks go to the app, work to the service,
    /// and what the app calls in answer to a callback follows.
    func callSDK(_ call: SDKCall) async throws(StopReason) {
        note(event: "call \(call.name)", "\(call.argument)")
        sdk.now = lane.now
        var effects = sdk.on(.call(call))
        while !effects.isEmpty {
            switch effects.removeFirst() {
            case .callback(let callback):
                hear(callback)
                guard let answer = try await answer(to: callback) else { continue }
                note(event: "call \(answer.name)", "\(answer.argument)")
                effects += sdk.on(.call(answer))
            case .work(let work):
                effects = try await perform(work) + effects
            }
        }
    }

    /// A callback, as the history has it.
    func hear(_ callback: SDKCallback) {
        if case .status(let status) = callback { record.signOn.codes.append(status.rawValue) }
        note(event: callback.name, "\(callback.argument)")
    }

    /// What the app calls when it hears that.
    private func answer(to callback: SDKCallback) async throws(StopReason) -> SDKCall? {
        switch callback {
        case .status(let status):
            sdkApp.lastStatus = status
            // § 9: only on this code.
            if status == .platformLogout { tellToSignOutInSettings() }
        case .setToken: sdkApp.authorization = .granted
        case .displayProviderDialog where plan.kind.hasTempPass:
            // The pass is among the providers that the app may offer; nobody signs in with it (§ 5, N011).
            guard let pass = sdk.providers.first(where: \.isTempPass) else {
                throw .failed("the configuration offers no TempPass provider")
            }
            return .setSelectedProvider(pass.id)
        case .displayProviderDialog:
            try await human(plan.viewer.noticesCode)
            if plan.viewer.givesUp {
                sdkApp.halt = .gaveUp
                return .setSelectedProvider(nil)
            }
            return .setSelectedProvider(try choice(among: sdk.providers))
        case .navigateToUrl(.login):
            try await logInForSDK()
            return .handleExternalURL
        case .navigateToUrl(.logout):
            if try await !logOutInWebView() {
                _ = try await askIfKnown(tv) { dialect.logout($0) }
            }
            return .handleExternalURL
        default: break
        }
        return nil
    }

    /// The web view, up to its closing. A first one may be cancelled.
    private func logInForSDK() async throws(StopReason) {
        guard let issued = sdkApp.issued, let provider = sdk.selected else { return }
        if plan.viewer.cancels, !sdkApp.hasCancelled {
            sdkApp.hasCancelled = true
            return try await cancelLogin(issued, provider: provider)
        }
        try await logIn(issued, provider: provider)
    }
}
