internal import Dialects
internal import Journal
internal import Rigs

/// What a platform is asked to vouch for, as the framework gathers it.
public struct AttributeQuery: Sendable, Hashable {
    /// The profile request, unchanged.
    public var verificationToken: [UInt8]
    /// The provider, as the platform calls it.
    public var provider: String
    /// Whom the provider knows.
    public var subject: String
    /// The attributes that the app asks for.
    public var attributes: [String]

    public init(
        verificationToken: [UInt8], provider: String, subject: String, attributes: [String]
    ) {
        self.verificationToken = verificationToken
        self.provider = provider
        self.subject = subject
        self.attributes = attributes
    }
}

/// A virtual Video Subscriber Account framework (apple-sso.md § 3): the state of one device, and the
/// viewer in front of it, who follows a script. A pure value: time is handed in, and the documents
/// that it vouches with are made by a function that the executable brings.
struct SubscriberAccounts {
    /// Signs the answer to an attribute query; nil when the query is none of a service that the
    /// platform knows.
    typealias Vouching = @Sendable (AttributeQuery) -> String?

    struct Account: Hashable, Sendable {
        var provider: PlatformProviderID
        var expires: Instant
    }

    private let script: PlatformSignOn
    private let subject: String
    /// The viewer's own provider.
    private let own: PlatformProviderID
    /// The viewer turns back when asked for credentials.
    private let cancelsLogin: Bool
    private(set) var access: AccountAccess
    private(set) var account: Account?
    /// Providers as the last configuration told of them: the platform knows its own all along, a rig
    /// only from there.
    private var known: [Provider] = []

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

    /// Learns what the platform calls the service's providers.
    mutating func learn(_ providers: [Provider]) {
        known = providers
    }

    /// What the framework answers; the rows of § 3.4, the first that fits.
    mutating func enqueue(
        _ request: MetadataRequest, at now: Instant, vouching: Vouching?
    ) -> MetadataResult {
        guard access == .granted else {
            return MetadataResult(error: AccountError(.accessNotGranted))
        }
        if let code = script.error.flatMap(AccountError.Code.init(rawValue:)),
            Self.mayFail(request, with: code)
        {
            return MetadataResult(
                error: AccountError(code), hasShownPicker: request.isInterruptionAllowed)
        }
        if let account, now < account.expires || !request.isInterruptionAllowed {
            return describe(account, request, at: now, vouching)
        }
        guard request.isInterruptionAllowed else {
            return MetadataResult(error: AccountError(.providerRejected))
        }
        return showPicker(request, at: now)
    }

    /// Where a scripted error may occur: 1 and 2 come out of the picker, 5 is about a token.
    private static func mayFail(_ request: MetadataRequest, with code: AccountError.Code) -> Bool {
        switch code {
        case .unsupportedProvider, .userCancelled: request.isInterruptionAllowed
        case .invalidVerificationToken: request.verification != nil
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
        guard request.supportedProviders.isEmpty || request.supportedProviders.contains(name) else {
            // It is not among those offered: the viewer takes "other".
            result.error = AccountError(.unsupportedProvider)
            return result
        }
        guard provider?.platform?.boarding == .supported else {
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
        result.metadata = AccountMetadata(providerID: account.provider, expires: account.expires)
        return result
    }

    private func describe(
        _ account: Account, _ request: MetadataRequest, at now: Instant, _ vouching: Vouching?
    ) -> MetadataResult {
        var metadata = AccountMetadata(providerID: account.provider, expires: account.expires)
        guard let token = request.verification else { return MetadataResult(metadata: metadata) }
        guard let vouching else { return MetadataResult(error: AccountError(.unsupported)) }
        let name = known.provider(onPlatform: account.provider)?.platform?.mappingID
        guard now - token.received <= Self.tokenLife,
            let document = vouching(
                AttributeQuery(
                    verificationToken: token.bytes, provider: name ?? account.provider.name,
                    subject: subject, attributes: request.attributeNames))
        else { return MetadataResult(error: AccountError(.invalidVerificationToken)) }
        metadata.attributeResponse = document
        return MetadataResult(metadata: metadata)
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
