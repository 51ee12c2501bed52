internal import Dialects
internal import Journal
internal import Rigs

/// A virtual Video Subscriber Account framework (apple-sso.md § 3): the state of one device, and the
/// viewer in front of it, who follows a script. A pure value: time is handed in, and what is to be
/// signed is handed out (`MetadataResult.query`).
struct SubscriberAccounts {
    struct Account: Hashable, Sendable {
        var provider: PlatformProviderID
        var expires: Instant
    }

    private let script: PlatformSignOn
    /// Whom the provider knows the viewer as.
    var subject: String
    /// The viewer's own provider.
    private let own: PlatformProviderID
    /// The viewer turns back when asked for credentials.
    private let cancelsLogin: Bool
    private(set) var access: AccountAccess
    private(set) var account: Account?
    /// Providers as the last configuration told of them: the platform knows its own all along, a rig
    /// only from there.
    private var known: [Provider] = []
    private var hasRelaunched = false

    /// Life of a sign-in on the platform (own).
    private static let life: Duration = .seconds(30 * 86_400)
    /// "Verification token invalid / older than 5 min" (§ 3.4, own).
    private static let tokenLife: Duration = .seconds(300)

    init(
        _ script: PlatformSignOn, own: PlatformProviderID, subject: String,
        cancelsLogin: Bool = false, at now: Instant
    ) {
        self.script = script
        self.own = own
        self.subject = subject
        self.cancelsLogin = cancelsLogin
        access =
            switch script.access {
            case .granted: .granted
            case .denied: .denied
            case .undetermined: .notDetermined
            case .restricted: .restricted
            }
        switch script.account {
        case .fresh: account = Account(provider: own, expires: now + Self.life)
        case .expired: account = Account(provider: own, expires: now)
        case .none: account = nil
        }
    }

    /// Whether the app may ask, and whether the system had to ask the viewer first (§ 3.2). Only what
    /// is undetermined prompts, and an answer stays.
    mutating func checkAccessStatus(prompts: Bool) -> (access: AccountAccess, hasPrompted: Bool) {
        guard access == .notDetermined, prompts else { return (access, false) }
        switch script.prompt {
        case .allow: access = .granted
        case .deny: access = .denied
        case .ignore: break
        }
        return (access, true)
    }

    /// The viewer takes the permission back in the settings (§ 6).
    mutating func withdrawPermission() {
        if access == .granted { access = .denied }
    }

    /// The app was closed and is opened again; meanwhile the viewer was in the settings (§ 6). What
    /// parents or a profile restrict, nobody grants there.
    mutating func relaunch() {
        hasRelaunched = true
        switch script.settingsChange {
        case .none: break
        case .grant: if access != .restricted { access = .granted }
        case .withdraw: withdrawPermission()
        case .signOut: account = nil
        }
    }

    /// What the platform calls a provider; nil where a rig cannot know it yet.
    func name(of id: PlatformProviderID) -> String? {
        if case .named(let name) = id { return name }
        return known.provider(onPlatform: id)?.platform?.mappingID
    }

    /// Learns what the platform calls the service's providers.
    mutating func learn(_ providers: [Provider]) {
        known = providers
    }

    /// What the framework answers; the rows of § 3.4, the first that fits.
    mutating func enqueue(_ request: MetadataRequest, at now: Instant) -> MetadataResult {
        guard access == .granted else {
            return MetadataResult(error: AccountError(.accessNotGranted))
        }
        if let code = script.error.flatMap(AccountError.Code.init(rawValue:)),
            mayFail(request, with: code)
        {
            return MetadataResult(
                error: AccountError(code), hasShownPicker: request.isInterruptionAllowed)
        }
        if let account, now < account.expires || !request.isInterruptionAllowed {
            return describe(account, request, at: now)
        }
        guard request.isInterruptionAllowed else {
            return MetadataResult(error: AccountError(.providerRejected))
        }
        return showPicker(request, at: now)
    }

    /// Where the scripted error occurs. Unless the rig names the place: 1 and 2 come out of the
    /// picker, 5 is about a token.
    private func mayFail(_ request: MetadataRequest, with code: AccountError.Code) -> Bool {
        let isAboutToken = request.verification != nil
        switch script.errorPlace {
        case .step2: return !request.isInterruptionAllowed && !isAboutToken
        case .step4: return request.isInterruptionAllowed
        case .step7: return isAboutToken
        case .relaunch where !hasRelaunched: return false
        case .any, .relaunch: break
        }
        return switch code {
        case .unsupportedProvider, .userCancelled: request.isInterruptionAllowed
        case .invalidVerificationToken: isAboutToken
        default: true
        }
    }

    /// The picker, and what the viewer does with it.
    private mutating func showPicker(_ request: MetadataRequest, at now: Instant) -> MetadataResult
    {
        var result = MetadataResult(hasShownPicker: true)
        var wanted = own
        switch script.picker {
        case .cancel:
            result.error = AccountError(.userCancelled)
            return result
        case .other:
            result.error = AccountError(.unsupportedProvider)
            return result
        case .choose(nil): break
        case .choose(let id?): wanted = .ofProvider(id)
        }
        let provider = known.provider(onPlatform: wanted)
        let name = provider?.platform?.mappingID ?? wanted.name
        let isOffered =
            request.supportedProviders.isEmpty || request.supportedProviders.contains(name)
        guard isOffered || lists(provider, wanted) else {
            // It is not among those shown: the viewer takes "other".
            result.error = AccountError(.unsupportedProvider)
            return result
        }
        guard isOffered, provider?.platform?.boarding == .supported else {
            result.error = AccountError(.unsupportedProvider, unsupportedProvider: .text(name))
            return result
        }
        result.hasLoggedIn = true
        if cancelsLogin {
            result.error = AccountError(.userCancelled)
            return result
        }
        let account = Account(provider: .named(name), expires: now + Self.life)
        self.account = account
        result.metadata = AccountMetadata(account, for: request)
        return result
    }

    /// Shown by the platform's picker though the app does not support it: a provider of the platform's
    /// that the service is not integrated with (only a rig names such a one), or one whose sign-on is
    /// switched off. Choosing it is error 1 with its id (§ 2).
    private func lists(_ provider: Provider?, _ wanted: PlatformProviderID) -> Bool {
        guard let provider else {
            if case .drawn = wanted { return false }
            return true
        }
        guard let terms = provider.platform else { return false }
        return !terms.isEnabled && terms.isListed && !terms.mappingID.isEmpty
    }

    private func describe(
        _ account: Account, _ request: MetadataRequest, at now: Instant
    ) -> MetadataResult {
        var result = MetadataResult(metadata: AccountMetadata(account, for: request))
        // An account that ran out vouches for nobody.
        guard let token = request.verification, now < account.expires else { return result }
        guard now - token.received <= Self.tokenLife else {
            return MetadataResult(
                error: AccountError(
                    .invalidVerificationToken, why: "the profile request is older than 5 minutes"))
        }
        let name = known.provider(onPlatform: account.provider)?.platform?.mappingID
        result.query = AttributeQuery(
            verificationToken: token.bytes, provider: name ?? account.provider.name,
            subject: subject, attributes: request.attributeNames)
        return result
    }
}

extension AccountMetadata {
    /// As much as the request asks for (§ 3.3).
    fileprivate init(_ account: SubscriberAccounts.Account, for request: MetadataRequest) {
        self.init(
            providerID: request.includesProvider ? account.provider : nil,
            expires: request.includesExpiry ? account.expires : nil)
    }
}

extension PlatformProviderID {
    /// What stands where only a text can.
    var name: String {
        switch self {
        case .named(let name), .ofProvider(let name): name
        case .drawn: "(unknown)"
        }
    }
}
