internal import Dialects
internal import Journal

/// What the platform's framework said, as the AccessEnabler reads it (access-enabler-sdk.md §§ 2, 4).
struct PlatformReport {
    let access: AccountAccess
    let result: MetadataResult
    let hasAccount: Bool
    let now: Instant

    init(_ access: AccountAccess, _ result: MetadataResult, hasAccount: Bool, at now: Instant) {
        self.access = access
        self.result = result
        self.hasAccount = hasAccount
        self.now = now
    }

    enum Decision {
        /// The predicate E holds so far: the silent exchange may begin.
        case exchange(Provider)
        /// Listed in the platform's picker, and signed in regularly: no code, no picker of the app's.
        case selects(String)
        case fallsBack(SDKStatus)
    }

    /// Step 2 of § 4: VSA403, VSA404 or APPL. That nobody is signed in (4) is no error here.
    var statusAtStart: SDKStatus? { permission ?? (isPlatformError ? .platformErrorAtStart : nil) }

    /// Step 3: "each only when the user IS signed in at system level".
    var statusAtCheck: SDKStatus? {
        guard hasAccount else { return nil }
        return permission ?? (isPlatformError ? .platformErrorAtCheck : nil)
    }

    /// Step 4, where the platform did not vouch in the end.
    var statusOfRefusal: SDKStatus { permission ?? .platformFailed }

    /// Step 3: a token of the platform's goes with its permission, and where the platform fails.
    func backs(_ token: AccessEnabler.Token) -> Bool {
        token.origin != .platform || access == .granted && !isPlatformError
    }

    /// The provider that the exchange would be with: integrated, enabled, boarded.
    func capableProvider(of providers: [Provider]) -> Provider? {
        guard let id = result.metadata?.provider(at: now) else { return nil }
        let provider = providers.provider(onPlatform: id)
        return provider?.platform?.isEnabled == true && provider?.platform?.boarding == .supported
            ? provider : nil
    }

    /// Step 4: the rows of the page.
    func decision(_ providers: [Provider]) -> Decision {
        if let permission { return .fallsBack(permission) }
        if let metadata = result.metadata {
            guard metadata.provider(at: now) != nil else { return .fallsBack(.platformFailed) }
            return capableProvider(of: providers).map(Decision.exchange)
                ?? .fallsBack(.unsupportedProvider)
        }
        switch result.error?.code {
        case .unsupportedProvider:
            guard case .text(let name)? = result.error?.unsupportedProvider else {
                return .fallsBack(.otherProvider)
            }
            guard let provider = providers.provider(onPlatform: .named(name)),
                provider.platform?.isEnabled == true
            else { return .fallsBack(.unsupportedProvider) }
            return .selects(provider.id)
        case .userCancelled: return .fallsBack(.pickerCancelled)
        default: return .fallsBack(.platformFailed)
        }
    }

    private var permission: SDKStatus? {
        switch access {
        case .granted: nil
        case .notDetermined: .permissionUndetermined
        case .denied, .restricted: .permissionDenied
        }
    }

    private var isPlatformError: Bool {
        guard let code = result.error?.code else { return false }
        return code != .accessNotGranted && code != .providerRejected
    }
}
