internal import Dialects
internal import Journal

/// Whether the app may ask for the device's TV provider account; the numbers are the framework's
/// (apple-sso.md § 3.1).
enum AccountAccess: Int, Sendable {
    case notDetermined = 0
    case restricted = 1
    case denied = 2
    case granted = 3
}

/// How a provider is known on the platform.
enum PlatformProviderID: Hashable, Sendable {
    /// By the platform's own name for it.
    case named(String)
    /// It is the one that the service calls so: a rig names providers by that, and what the platform
    /// calls them is in the configuration.
    case ofProvider(String)
    /// The household's own, by a draw over those that sign in on the platform.
    case drawn(Double)
}

/// What an app asks the framework for (apple-sso.md § 3.3).
struct MetadataRequest: Hashable, Sendable {
    /// "A SAML issuer despite its name": the same in each request.
    static let channelIdentifier = "https://saml.sp.auth.adobe.com"

    /// May the framework show itself? Only where a delegate is set as well.
    var isInterruptionAllowed: Bool
    /// Platform ids of providers to offer; empty: all that the platform has.
    var supportedProviders: [String] = []
    /// Platform ids of those that the picker is to show first, one and all supported.
    var featuredProviders: [String] = []
    /// Without these the framework keeps provider and expiry to itself.
    var includesProvider = true
    var includesExpiry = true
    var attributeNames: [String] = []
    var verification: VerificationToken?

    /// The body of a profile request, and when it came.
    struct VerificationToken: Hashable, Sendable {
        var bytes: [UInt8]
        /// What the platform is to vouch for: by the service's response, else by its configuration.
        var attributes: [String]
        var received: Instant
    }

    /// Step 2: is somebody signed in?
    static let silent = MetadataRequest(isInterruptionAllowed: false)

    /// Step 4, with the picker.
    static func interactive(
        supported: [String], featured: [String] = []
    ) -> MetadataRequest {
        MetadataRequest(
            isInterruptionAllowed: true, supportedProviders: supported,
            featuredProviders: featured)
    }

    /// Step 7: the platform is to vouch for its viewer.
    static func vouching(_ token: VerificationToken) -> MetadataRequest {
        MetadataRequest(
            isInterruptionAllowed: false, attributeNames: token.attributes, verification: token)
    }
}

/// What the framework tells.
struct AccountMetadata: Hashable, Sendable {
    var providerID: PlatformProviderID?
    /// Nil counts as never (G4).
    var expires: Instant?
    /// XML text.
    var attributeResponse: String?

    /// The provider, if its sign-in is good: "success needs now strictly before" (G3).
    func provider(at now: Instant) -> PlatformProviderID? {
        guard let expires else { return providerID }
        return now < expires ? providerID : nil
    }
}

/// An error of the framework; the codes are those of apple-sso.md § 2.
struct AccountError: Error, Hashable, Sendable {
    enum Code: Int, Sendable, CaseIterable {
        case accessNotGranted, unsupportedProvider, userCancelled, serviceTemporarilyUnavailable
        case providerRejected, invalidVerificationToken, rejected, unsupported
    }

    /// What stands under `VSErrorInfoKeyUnsupportedProviderIdentifier`.
    enum Identifier: Hashable, Sendable {
        case text(String)
        /// Anything that is no text counts as none.
        case other
    }

    var code: Code
    var unsupportedProvider: Identifier?
    /// What the platform says about it, in words; empty where the code says it all.
    var why: String

    init(_ code: Code, unsupportedProvider: Identifier? = nil, why: String = "") {
        self.code = code
        self.unsupportedProvider = unsupportedProvider
        self.why = why
    }
}

/// What came of a request: metadata and error as the framework hands them over, and what the viewer
/// saw and did meanwhile.
struct MetadataResult: Hashable, Sendable {
    var metadata: AccountMetadata?
    var error: AccountError?
    /// The framework showed its picker, and took it away again.
    var hasShownPicker = false
    /// The viewer typed credentials into it.
    var hasLoggedIn = false
    /// What the platform has yet to sign before there is a result.
    var query: AttributeQuery?

    /// With what the platform made of the query.
    func signed(_ answer: PlatformAnswer) -> MetadataResult {
        var result = self
        result.query = nil
        switch answer {
        case .document(let text): result.metadata?.attributeResponse = text
        case .refused(let code, let why):
            result.metadata = nil
            result.error = AccountError(
                AccountError.Code(rawValue: code) ?? .serviceTemporarilyUnavailable, why: why)
        }
        return result
    }
}

extension Provider {
    /// What a platform is to vouch for: the attributes that a response names, else those of the configuration.
    func vouched(_ named: [String]) -> [String] {
        named.isEmpty ? platform?.requiredMetadata ?? [] : named
    }
}
