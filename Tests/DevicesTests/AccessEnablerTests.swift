import Dialects
import Journal
import Testing

@testable import Devices

private let now = Instant(nanoseconds: 1_000_000_000_000)
private let cable = Provider(
    id: "DemoCable", displayName: "", platform: .init(mappingID: "m-cable"))
private let sat = Provider(
    id: "DemoSat", displayName: "", platform: .init(boarding: .picker, mappingID: "m-sat"))
private let pass = Provider(id: "Pass", displayName: "", isTempPass: true)

/// access-enabler-sdk.md §§ 3, 4.
@Suite("The AccessEnabler is the state machine of its page")
struct AccessEnablerTests {
    /// A machine whose requestor is set, over providers that sign on by the platform.
    private func ready(hasWebView: Bool = false, hasPlatform: Bool = true) -> AccessEnabler {
        var sdk = AccessEnabler(hasWebView: hasWebView, hasPlatform: hasPlatform)
        _ = sdk.on(.call(.setRequestor))
        _ = sdk.on(.configured([cable, sat, pass]))
        if hasPlatform { _ = sdk.on(report(error: .providerRejected)) }
        return sdk
    }

    private func report(
        _ access: AccountAccess = .granted, provider: String? = nil, expires: Instant? = nil,
        error: AccountError.Code? = nil, unsupported: AccountError.Identifier? = nil,
        hasAccount: Bool = false
    ) -> AccessEnabler.SDKInput {
        let metadata = provider.map {
            AccountMetadata(providerID: .named($0), expires: expires ?? now + .seconds(60))
        }
        let failure = error.map { AccountError($0, unsupportedProvider: unsupported) }
        return .platform(
            access, MetadataResult(metadata: metadata, error: failure), hasAccount: hasAccount,
            at: now)
    }

    private func callbacks(_ effects: [AccessEnabler.SDKEffect]) -> [SDKCallback] {
        effects.compactMap { if case .callback(let callback) = $0 { callback } else { nil } }
            .filter { if case .sendTrackingData = $0 { false } else { true } }
    }

    private func work(_ effects: [AccessEnabler.SDKEffect]) -> [AccessEnabler.SDKWork] {
        effects.compactMap { if case .work(let work) = $0 { work } else { nil } }
    }

    @Test(
        "a session that the service has forgotten ends in both callbacks, and nobody is signed in")
    func sessionLost() {
        var sdk = ready(hasPlatform: false)
        _ = sdk.on(.call(.getAuthentication(filter: nil)))
        _ = sdk.on(.call(.setSelectedProvider("DemoCable")))
        _ = sdk.on(.codeIssued)
        _ = sdk.on(.tokenFetched())
        #expect(sdk.isAuthenticated)
        #expect(work(sdk.on(.call(.checkAuthorization("r")))) == [.authorize("r")])
        #expect(
            callbacks(sdk.on(.sessionLost)) == [
                .status(.notAuthenticated), .tokenRequestFailed("r", .notAuthenticated, ""),
            ])
        #expect(!sdk.isAuthenticated)
    }

    @Test("setRequestor asks for the configuration, and completes once")
    func start() {
        var sdk = AccessEnabler(hasWebView: false, hasPlatform: false)
        #expect(work(sdk.on(.call(.setRequestor))) == [.configure])
        #expect(callbacks(sdk.on(.configured([cable]))) == [.setRequestorComplete(true)])
        #expect(sdk.state == .ready)
    }

    @Test(
        "a failed configuration tells its code and that it failed",
        arguments: [
            SDKStatus.configurationThrottled, .configurationNotFound, .notRegistered,
        ])
    func failedStart(status: SDKStatus) {
        var sdk = AccessEnabler(hasWebView: false, hasPlatform: true)
        _ = sdk.on(.call(.setRequestor))
        #expect(
            callbacks(sdk.on(.notConfigured(status))) == [
                .status(status), .setRequestorComplete(false),
            ])
        #expect(sdk.state == .new)
    }

    @Test("calls made meanwhile wait, and are done in order afterwards")
    func queue() {
        var sdk = AccessEnabler(hasWebView: false, hasPlatform: false)
        _ = sdk.on(.call(.setRequestor))
        #expect(sdk.on(.call(.checkAuthentication)).isEmpty)
        #expect(sdk.on(.call(.checkAuthorization("r"))).isEmpty)
        #expect(
            callbacks(sdk.on(.configured([cable]))) == [
                .setRequestorComplete(true), .setAuthenticationStatus(false, .notAuthenticated),
                .status(.notAuthenticated), .tokenRequestFailed("r", .notAuthenticated, ""),
            ])
    }

    @Test("step 2: a code, or the silent exchange, or nothing; only setRequestorComplete follows")
    func stepTwo() {
        let rows: [(AccessEnabler.SDKInput, [SDKCallback], [AccessEnabler.SDKWork])] = [
            (report(.denied), [.status(.permissionDenied), .setRequestorComplete(true)], []),
            (report(.restricted), [.status(.permissionDenied), .setRequestorComplete(true)], []),
            (
                report(.notDetermined),
                [.status(.permissionUndetermined), .setRequestorComplete(true)], []
            ),
            (
                report(error: .rejected),
                [.status(.platformErrorAtStart), .setRequestorComplete(true)], []
            ),
            (report(error: .providerRejected), [.setRequestorComplete(true)], []),
            (report(provider: "m-sat"), [.setRequestorComplete(true)], []),
            (report(provider: "unknown"), [.setRequestorComplete(true)], []),
            (report(provider: "m-cable", expires: now), [.setRequestorComplete(true)], []),
            (report(provider: "m-cable"), [], [.exchange(cable)]),
        ]
        for (input, expected, wanted) in rows {
            var sdk = AccessEnabler(hasWebView: false, hasPlatform: true)
            _ = sdk.on(.call(.setRequestor))
            #expect(
                work(sdk.on(.configured([cable, sat]))) == [
                    .askPlatform(isInteractive: false, supported: [])
                ])
            let effects = sdk.on(input)
            #expect(callbacks(effects) == expected && work(effects) == wanted)
            guard !wanted.isEmpty else { continue }
            #expect(callbacks(sdk.on(.exchanged())) == [.setRequestorComplete(true)])
            #expect(sdk.isAuthenticated && sdk.origin == .platform)
        }
    }

    @Test("step 3: one status always, and a code only where somebody is signed in on the device")
    func stepThree() {
        let rows: [(AccessEnabler.SDKInput, [SDKCallback])] = [
            (report(.denied, hasAccount: true), [.status(.permissionDenied)]),
            (report(.denied, hasAccount: false), []),
            (report(.notDetermined, hasAccount: true), [.status(.permissionUndetermined)]),
            (report(error: .rejected, hasAccount: true), [.status(.platformErrorAtCheck)]),
            (report(error: .rejected), []), (report(provider: "m-cable", hasAccount: true), []),
        ]
        for (input, codes) in rows {
            var sdk = ready()
            let asked = work(sdk.on(.call(.checkAuthentication)))
            #expect(asked == [.askPlatform(isInteractive: false, supported: [])])
            #expect(
                callbacks(sdk.on(input)) == codes + [
                    .setAuthenticationStatus(false, .notAuthenticated)
                ])
        }
    }

    /// access-enabler-sdk.md § 4, step 3: the seven conditions under which the status is 0, for a token
    /// of the platform's and one of a regular login.
    struct Condition: CustomTestStringConvertible {
        var name: String
        /// What the platform says; nil: as before.
        var platform: AccessEnabler.SDKInput?
        var providers = [cable, sat, pass]
        var seconds: Int64 = 0
        /// The status that a token of the platform's and a regular one get.
        var ofPlatform: Bool
        var ofRegular: Bool
        var codes: [SDKStatus] = []
        var testDescription: String { name }
    }

    private static func told(
        _ access: AccountAccess = .granted, error: AccountError.Code? = nil
    ) -> AccessEnabler.SDKInput {
        let fresh = AccountMetadata(providerID: .named("m-cable"), expires: nil)
        let isTold = access == .granted && error == nil
        return .platform(
            access,
            MetadataResult(
                metadata: isTold ? fresh : nil, error: error.map { AccountError($0) }),
            hasAccount: true, at: now)
    }

    private static let switchedOff = Provider(
        id: "DemoCable", displayName: "", platform: .init(isEnabled: false, mappingID: "m-cable"))

    static let conditions: [Condition] = [
        Condition(name: "nothing has changed", ofPlatform: true, ofRegular: true),
        Condition(name: "a second before its end", seconds: 59, ofPlatform: true, ofRegular: true),
        Condition(
            name: "the token's time has passed", seconds: 60, ofPlatform: false, ofRegular: false),
        Condition(
            name: "integration disabled", providers: [sat, pass], ofPlatform: false,
            ofRegular: false),
        Condition(
            name: "sign-on disabled", providers: [switchedOff, sat, pass], ofPlatform: false,
            ofRegular: true),
        Condition(
            name: "permission denied", platform: told(.denied), ofPlatform: false, ofRegular: true,
            codes: [.permissionDenied]),
        Condition(
            name: "permission undetermined", platform: told(.notDetermined), ofPlatform: false,
            ofRegular: true, codes: [.permissionUndetermined]),
        Condition(
            name: "platform error", platform: told(error: .rejected), ofPlatform: false,
            ofRegular: true, codes: [.platformErrorAtCheck]),
    ]

    @Test("step 3: each of the seven conditions makes the status 0", arguments: conditions)
    func stepThreeConditions(condition: Condition) {
        for byPlatform in [true, false] {
            var sdk = ready(hasWebView: true)
            _ = sdk.on(.call(.getAuthentication(filter: nil)))
            if byPlatform {
                _ = sdk.on(report(provider: "m-cable"))
                _ = sdk.on(.exchanged(until: now + .seconds(60)))
            } else {
                _ = sdk.on(report(error: .userCancelled))
                _ = sdk.on(.call(.setSelectedProvider("DemoCable")))
                _ = sdk.on(.codeIssued)
                _ = sdk.on(.call(.handleExternalURL))
                _ = sdk.on(.tokenFetched(until: now + .seconds(60)))
            }
            sdk.providers = condition.providers
            sdk.now = now + .seconds(condition.seconds)
            _ = sdk.on(.call(.checkAuthentication))
            let isSignedIn = byPlatform ? condition.ofPlatform : condition.ofRegular
            #expect(
                callbacks(sdk.on(condition.platform ?? Self.told()))
                    == condition.codes.map { .status($0) } + [
                        .setAuthenticationStatus(isSignedIn, isSignedIn ? .none : .notAuthenticated)
                    ], "by platform: \(byPlatform)")
            #expect(sdk.isAuthenticated == isSignedIn)
        }
    }

    @Test("an app that is opened again has its token; one that is over goes with the configuration")
    func relaunch() {
        for (seconds, isKept) in [(Int64(59), true), (60, false)] {
            var sdk = ready()
            _ = sdk.on(.call(.getAuthentication(filter: nil)))
            _ = sdk.on(report(provider: "m-cable"))
            _ = sdk.on(.exchanged(until: now + .seconds(60)))
            var again = AccessEnabler(after: sdk)
            #expect(again.state == .new && again.isAuthenticated)
            again.now = now + .seconds(seconds)
            _ = again.on(.call(.setRequestor))
            let effects = again.on(.configured([cable, sat, pass]))
            #expect(again.isAuthenticated == isKept)
            // Without one the silent exchange is tried (apple-sso.md § 3.6).
            #expect(work(effects).isEmpty == isKept)
        }
    }

    @Test(
        "a platform that does not vouch at the start has its code, and the requestor is set",
        arguments: [
            (AccountAccess.granted, AccountError.Code.rejected, [SDKStatus.platformErrorAtStart]),
            (.denied, .accessNotGranted, [.permissionDenied]),
            (.granted, .providerRejected, []),
        ])
    func notVouchedAtStart(
        access: AccountAccess, code: AccountError.Code, statuses: [SDKStatus]
    ) {
        var sdk = AccessEnabler(hasWebView: false, hasPlatform: true)
        _ = sdk.on(.call(.setRequestor))
        _ = sdk.on(.configured([cable, sat]))
        #expect(work(sdk.on(report(provider: "m-cable"))) == [.exchange(cable)])
        #expect(
            callbacks(sdk.on(.notVouched(access, AccountError(code))))
                == statuses.map { .status($0) } + [.setRequestorComplete(true)])
    }

    @Test("step 4: exactly one code with a fallback to the app's picker")
    func stepFour() {
        let rows: [(AccessEnabler.SDKInput, SDKStatus)] = [
            (report(.denied), .permissionDenied), (report(.restricted), .permissionDenied),
            (report(.notDetermined), .permissionUndetermined),
            (report(error: .serviceTemporarilyUnavailable), .platformFailed),
            (report(error: .unsupportedProvider), .otherProvider),
            (report(error: .unsupportedProvider, unsupported: .other), .otherProvider),
            (
                report(error: .unsupportedProvider, unsupported: .text("nowhere")),
                .unsupportedProvider
            ),
            (report(provider: "nowhere"), .unsupportedProvider),
            (report(error: .userCancelled), .pickerCancelled),
        ]
        for (input, status) in rows {
            var sdk = ready()
            _ = sdk.on(.call(.getAuthentication(filter: nil)))
            #expect(
                callbacks(sdk.on(input)) == [
                    .status(status), .displayProviderDialog(["DemoCable", "DemoSat", "Pass"]),
                ])
            #expect(sdk.state == .picker)
        }
    }

    @Test("a provider that is only listed is selected by the SDK itself, without a code")
    func listed() {
        for hasWebView in [true, false] {
            var sdk = ready(hasWebView: hasWebView)
            _ = sdk.on(.call(.getAuthentication(filter: nil)))
            let effects = sdk.on(report(error: .unsupportedProvider, unsupported: .text("m-sat")))
            #expect(callbacks(effects).isEmpty)
            #expect(work(effects) == [.registerCode(mvpd: "DemoSat")] && sdk.selected == "DemoSat")
        }
    }

    @Test("the silent exchange ends in one status, either way")
    func exchange() {
        let rows: [(AccessEnabler.SDKInput, [SDKCallback])] = [
            (.exchanged(), [.setAuthenticationStatus(true, .none)]),
            (.exchangeFailed, [.setAuthenticationStatus(false, .generic)]),
            (
                .notVouched(.denied, AccountError(.accessNotGranted)),
                [
                    .status(.permissionDenied),
                    .displayProviderDialog(["DemoCable", "DemoSat", "Pass"]),
                ]
            ),
            (
                .notVouched(.granted, AccountError(.invalidVerificationToken)),
                [
                    .status(.platformFailed),
                    .displayProviderDialog(["DemoCable", "DemoSat", "Pass"]),
                ]
            ),
        ]
        for (input, expected) in rows {
            var sdk = ready()
            _ = sdk.on(.call(.getAuthentication(filter: nil)))
            #expect(work(sdk.on(report(provider: "m-cable"))) == [.exchange(cable)])
            #expect(callbacks(sdk.on(input)) == expected)
        }
    }

    @Test("a filter narrows and orders the platform's picker, and ignores whom it does not know")
    func filter() {
        var sdk = ready()
        let effects = sdk.on(
            .call(
                .getAuthentication(
                    filter: ProviderFilter(
                        providers: ["DemoSat", "Pass", "DemoCable"],
                        featured: ["DemoCable", "Pass"]))))
        #expect(
            work(effects) == [
                .askPlatform(
                    isInteractive: true, supported: ["m-sat", "m-cable"], featured: ["m-cable"])
            ])
    }

    @Test(
        "a login on a TV shows its code, and ends in one status",
        arguments: [
            (true, [SDKCallback.setAuthenticationStatus(true, .none)]),
            (false, [.setAuthenticationStatus(false, .generic)]),
        ])
    func television(isSignedIn: Bool, expected: [SDKCallback]) {
        var sdk = ready(hasPlatform: false)
        #expect(
            callbacks(sdk.on(.call(.getAuthentication(filter: nil)))) == [
                .displayProviderDialog(["DemoCable", "DemoSat", "Pass"])
            ])
        let selected = sdk.on(.call(.setSelectedProvider("DemoCable")))
        #expect(selected.first == .callback(.sendTrackingData(.mvpdSelection)))
        #expect(work(selected) == [.registerCode(mvpd: "DemoCable")])
        let coded = sdk.on(.codeIssued)
        #expect(callbacks(coded) == [.status(.registrationCode)] && work(coded) == [.pollToken])
        #expect(callbacks(sdk.on(isSignedIn ? .tokenFetched() : .tokenMissing(nil))) == expected)
        #expect(sdk.isAuthenticated == isSignedIn)
    }

    @Test("a login on a phone navigates, and fetches once the web view is back")
    func phone() {
        var sdk = ready(hasWebView: true, hasPlatform: false)
        _ = sdk.on(.call(.getAuthentication(filter: nil)))
        _ = sdk.on(.call(.setSelectedProvider("DemoCable")))
        let coded = sdk.on(.codeIssued)
        #expect(callbacks(coded) == [.navigateToUrl(.login)] && work(coded).isEmpty)
        #expect(work(sdk.on(.call(.handleExternalURL))) == [.fetchToken])
        #expect(
            callbacks(sdk.on(.tokenMissing(.tokenNotFound))) == [
                .status(.tokenNotFound), .setAuthenticationStatus(false, .generic),
            ])
        // A provider that was chosen before is not asked for again.
        let again = sdk.on(.call(.getAuthentication(filter: nil)))
        #expect(work(again) == [.registerCode(mvpd: "DemoCable")])
    }

    @Test("no code, no login")
    func noCode() {
        var sdk = ready(hasPlatform: false)
        _ = sdk.on(.call(.getAuthentication(filter: nil)))
        _ = sdk.on(.call(.setSelectedProvider("DemoCable")))
        #expect(
            callbacks(sdk.on(.codeRefused)) == [
                .status(.noRegistrationCode), .setAuthenticationStatus(false, .generic),
            ])
    }

    @Test("null cancels, and forgets the provider")
    func null() {
        var sdk = ready(hasPlatform: false)
        _ = sdk.on(.call(.getAuthentication(filter: nil)))
        #expect(
            callbacks(sdk.on(.call(.setSelectedProvider(nil)))) == [
                .status(.pickerCancelled), .setAuthenticationStatus(false, .providerNotSelected),
            ])
        #expect(sdk.selected == nil && sdk.state == .ready)
    }

    @Test("a TempPass signs in at once, without getAuthentication")
    func tempPass() {
        var sdk = ready(hasPlatform: false)
        #expect(work(sdk.on(.call(.setSelectedProvider("Pass")))) == [.startPass("Pass")])
        #expect(
            callbacks(sdk.on(.passStarted)) == [
                .status(.tempPassUsed), .setAuthenticationStatus(true, .none),
            ])
        #expect(sdk.origin == .pass)
    }

    @Test("getAuthorization runs the whole login first")
    func authorization() {
        var sdk = ready(hasPlatform: false)
        #expect(
            callbacks(sdk.on(.call(.getAuthorization("r")))) == [
                .displayProviderDialog(["DemoCable", "DemoSat", "Pass"])
            ])
        _ = sdk.on(.call(.setSelectedProvider("DemoCable")))
        _ = sdk.on(.codeIssued)
        let signedIn = sdk.on(.tokenFetched())
        #expect(callbacks(signedIn) == [.setAuthenticationStatus(true, .none)])
        #expect(work(signedIn) == [.authorize("r")])
        #expect(callbacks(sdk.on(.authorized)) == [.setToken("r")])
        #expect(
            callbacks(sdk.on(.notAuthorized(.notAuthorized, "not in your package"))) == [
                .status(.notAuthorized),
                .tokenRequestFailed("r", .notAuthorized, "not in your package"),
            ])
    }

    @Test("what is not signed in has nothing to tell, and asks nobody")
    func signedOut() {
        var sdk = ready(hasPlatform: false)
        #expect(
            callbacks(sdk.on(.call(.checkPreauthorizedResources(["r"])))) == [
                .preauthorizedResources([])
            ])
        #expect(
            callbacks(sdk.on(.call(.getUserMetadata("zip")))) == [.setMetadataStatus("zip", nil)])
        #expect(callbacks(sdk.on(.call(.getSelectedProvider))) == [.selectedProvider(nil)])
    }

    @Test("throttled calls have the codes of § 5")
    func throttled() {
        var sdk = ready(hasPlatform: false)
        #expect(
            callbacks(sdk.on(.notDecided)) == [
                .status(.preauthorizationFailed), .preauthorizedResources([]),
            ])
        #expect(callbacks(sdk.on(.userMetadata(nil))) == [.setMetadataStatus("", nil)])
    }

    @Test("logout: by the way of the device, and VSA203 for a token of the platform only")
    func logout() {
        for (hasWebView, byPlatform) in [
            (true, true), (true, false), (false, true), (false, false),
        ] {
            var sdk = ready(hasWebView: hasWebView)
            _ = sdk.on(.call(.getAuthentication(filter: nil)))
            if byPlatform {
                _ = sdk.on(report(provider: "m-cable"))
                _ = sdk.on(.exchanged())
            } else {
                _ = sdk.on(report(error: .userCancelled))
                _ = sdk.on(.call(.setSelectedProvider("DemoCable")))
                _ = sdk.on(.codeIssued)
                _ = sdk.on(.tokenFetched())
            }
            #expect(sdk.isAuthenticated)
            let effects = sdk.on(.call(.logout))
            let code: [SDKCallback] = byPlatform ? [.status(.platformLogout)] : []
            #expect(callbacks(effects) == code + (hasWebView ? [.navigateToUrl(.logout)] : []))
            #expect(work(effects) == (hasWebView ? [] : [.logOut]))
            let ended = sdk.on(hasWebView ? .call(.handleExternalURL) : .loggedOut)
            #expect(callbacks(ended) == [.setAuthenticationStatus(false, .notAuthenticated)])
            #expect(!sdk.isAuthenticated && sdk.state == .ready)
        }
    }
}
