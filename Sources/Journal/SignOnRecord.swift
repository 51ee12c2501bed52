/// How a device came by its token.
public enum SignInPath: UInt8, CaseIterable, Sendable {
    /// A code on the TV, typed into a phone.
    case code
    /// A web view on the device itself.
    case webView
    /// The platform vouched for its viewer (apple-sso.md).
    case platform
    /// A TempPass: nobody signed in.
    case pass
    /// By what others did: another device's sign-in, or degraded access (rest-v2.md § 5.2).
    case noLogin

    /// As in files: `code`, `web-view`, `platform`, `temp-pass`, `no-login`.
    public var name: String { Self.names[Int(rawValue)] }

    /// The end of "signed in ...": `by code`.
    public var phrase: String {
        switch self {
        case .code: "by code"
        case .webView: "in a web view"
        case .platform: "on the platform"
        case .pass: "with a TempPass"
        case .noLogin: "without a login"
        }
    }

    public init?(name: String) {
        guard let position = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: UInt8(position))
    }

    private static let names = ["code", "web-view", "platform", "temp-pass", "no-login"]
}

/// By which paths a household signed in, and what platform and SDK said meanwhile.
public struct SignOnRecord: Sendable, Hashable {
    /// The path that its kind asks for, where its script leads to one; nil: any will do.
    public var asked: SignInPath?
    /// The path of each sign-in, in their order.
    public var paths: [SignInPath]
    /// When the first sign-in began: before the platform was asked, or the SDK was called.
    public var began: Instant?
    /// The steps of apple-sso.md § 1 that the first sign-in walked, `1-2-6-7-8-9-11`.
    public var steps: String
    /// How often the system asked whether the app may ask the platform.
    public var prompts: Int
    /// How often the platform's picker was shown.
    public var pickers: Int
    /// Advanced codes of the SDK (`VSA403`) and errors of the platform's framework (`VSError-2`),
    /// each time they came, in their order.
    public var codes: [String]
    /// Signed in again by the account that is still on the device.
    public var silentRelogins: Int
    /// Why a sign-in left the path that its kind asks for, in words; empty where none did.
    public var diversion: String

    public init(
        asked: SignInPath? = nil, paths: [SignInPath] = [], began: Instant? = nil,
        steps: String = "", prompts: Int = 0, pickers: Int = 0, codes: [String] = [],
        silentRelogins: Int = 0, diversion: String = ""
    ) {
        self.asked = asked
        self.paths = paths
        self.began = began
        self.steps = steps
        self.prompts = prompts
        self.pickers = pickers
        self.codes = codes
        self.silentRelogins = silentRelogins
        self.diversion = diversion
    }

    /// A household without a platform or an SDK has nothing here but its path.
    var isPlain: Bool {
        asked == nil && steps.isEmpty && prompts == 0 && pickers == 0 && codes.isEmpty
            && silentRelogins == 0 && diversion.isEmpty
    }
}

extension HouseholdRecord {
    /// It signed in, and by another path than its kind asks for: the first such path.
    public var divertedTo: SignInPath? {
        guard let asked = signOn.asked, !signOn.diversion.isEmpty else { return nil }
        return signOn.paths.first { $0 != asked }
    }

    /// The first sign-in, whatever its path: by a code or in a web view from the code on, on the
    /// platform from the first question on.
    public var signInByPath: Duration? {
        guard let path = signOn.paths.first, let tokenSeen else { return nil }
        switch path {
        case .code, .webView: return signIn
        case .platform, .pass, .noLogin: return signOn.began.map { max(.zero, tokenSeen - $0) }
        }
    }

    /// The same without the rig's lateness (`punctualSignIn`).
    public var punctualSignInByPath: Duration? {
        signInByPath.map { max(.zero, $0 - rigLateness.inSignIn) }
    }

    /// `signInByPath` less the viewer's own time; never negative.
    public var signInByPathService: Duration? {
        signInByPath.map { max(.zero, $0 - viewerTime) }
    }
}
