internal import Dialects

/// The script of a virtual Video Subscriber Account framework (apple-sso.md § 3.1): what the device
/// knows, and what its viewer will do.
public struct PlatformSignOn: Sendable, Hashable {
    /// May the app ask the framework?
    public enum Access: String, Sendable, CaseIterable {
        case granted, denied, undetermined, restricted
    }

    /// What the viewer answers when the system asks whether the app may.
    public enum Prompt: String, Sendable, CaseIterable {
        case allow, deny, ignore
    }

    /// The device's TV provider account.
    public enum PlatformAccount: String, Sendable, CaseIterable {
        case fresh, expired, none
    }

    /// What the viewer does with the platform's picker.
    public enum Picker: Sendable, Hashable {
        /// The provider with this id at the service; nil: the household's own, by the weights.
        case choose(String?)
        /// "Other TV provider".
        case other
        case cancel
    }

    /// When the viewer takes the permission back, in the settings (§ 6).
    public enum Withdrawal: String, Sendable, CaseIterable {
        case never
        case beforeStep4 = "step 4"
        case beforeStep7 = "step 7"
    }

    /// Where the framework answers with `error`.
    public enum ErrorPlace: String, Sendable, CaseIterable {
        case any
        case step2 = "step 2"
        case step4 = "step 4"
        case step7 = "step 7"
        /// Wherever it may occur, once the app was closed and opened again.
        case relaunch
    }

    /// When the app asks for the permission (§ 6).
    public enum Asking: String, Sendable, CaseIterable {
        /// Where step 2, 4 or 7 needs it.
        case whenNeeded = "when-needed"
        /// As soon as it enters the foreground.
        case foreground
    }

    /// What the viewer changes in the settings while the app is closed (§ 6, `relaunch`).
    public enum SettingsChange: String, Sendable, CaseIterable {
        case none
        case grant
        case withdraw
        case signOut = "sign-out"
    }

    /// Who signs the platform's answer to a profile request.
    public enum Signer: Sendable, Hashable {
        /// The built-in platform, with the demo key that the stand-in trusts.
        case demo
        /// The built-in platform, with the private key in this file.
        case key(String)
        /// A program of the user's, which may take so long.
        case command(String, within: Duration)
    }

    public var access: Access
    public var prompt: Prompt
    public var account: PlatformAccount
    public var picker: Picker
    public var withdrawal: Withdrawal
    /// The framework answers with this error code (§ 2) at `errorPlace`; nil: with none.
    public var error: Int?
    public var errorPlace: ErrorPlace
    public var asking: Asking
    public var settingsChange: SettingsChange
    /// Ids of the providers that the app lets the picker offer, in this order; nil: all.
    public var filter: [String]?
    /// Ids of the providers that the picker is to show first.
    public var featured: [String]
    /// `includeAccountProviderIdentifier` and `includeAuthenticationExpirationDate` (§ 3.3).
    public var includesProvider: Bool
    public var includesExpiry: Bool
    public var signer: Signer

    public init(
        access: Access = .granted, prompt: Prompt = .allow, account: PlatformAccount = .fresh,
        picker: Picker = .choose(nil), withdrawal: Withdrawal = .never, error: Int? = nil,
        errorPlace: ErrorPlace = .any, asking: Asking = .whenNeeded,
        settingsChange: SettingsChange = .none, filter: [String]? = nil, featured: [String] = [],
        includesProvider: Bool = true, includesExpiry: Bool = true, signer: Signer = .demo
    ) {
        self.access = access
        self.prompt = prompt
        self.account = account
        self.picker = picker
        self.withdrawal = withdrawal
        self.error = error
        self.errorPlace = errorPlace
        self.asking = asking
        self.settingsChange = settingsChange
        self.filter = filter
        self.featured = featured
        self.includesProvider = includesProvider
        self.includesExpiry = includesExpiry
        self.signer = signer
    }

    /// Error codes of the framework (apple-sso.md § 2).
    public static let errorCodes = 0...7
}

/// What stands under `error`.
struct PlatformError: Sendable {
    var code: Int?
}

extension Scalar {
    /// `choose`, `choose(DemoCable)`, `other`, `cancel`.
    static let picker = Scalar(
        wanted: "choose, choose(PROVIDER), other or cancel",
        pattern: "choose(\\([^()]+\\))?|other|cancel"
    ) { text throws(Refusal) in
        switch text {
        case "choose": return PlatformSignOn.Picker.choose(nil)
        case "other": return PlatformSignOn.Picker.other
        case "cancel": return PlatformSignOn.Picker.cancel
        default:
            let id = text.dropFirst("choose(".count).dropLast().trimmingSpaces()
            guard text.hasPrefix("choose("), text.hasSuffix(")"), !id.isEmpty,
                !id.contains("("), !id.contains(")")
            else { throw Refusal(remark: nil) }
            return PlatformSignOn.Picker.choose(id)
        }
    }

    /// `none`, or an error code of the platform's framework.
    static let platformError = Scalar(
        wanted: "none, or an error code of the framework, 0 to 7", pattern: "none|[0-7]",
        types: ["integer"]
    ) { text throws(Refusal) in
        if text == "none" { return PlatformError(code: nil) }
        guard text.utf8.count == 1, let code = Int(text),
            PlatformSignOn.errorCodes.contains(code)
        else { throw Refusal(remark: nil) }
        return PlatformError(code: code)
    }

    /// `timer`, or `continue(fixed 20s)`: how long the viewer waits before the button is pressed.
    static let pollMode = Scalar(
        wanted: "timer, or continue(TIME) with the time before the button is pressed, such as "
            + "continue(fixed 20s)",
        pattern: "timer|continue\\(.+\\)"
    ) { text throws(Refusal) in
        if text == "timer" { return Rig.Polling.Mode.timer }
        guard text.hasPrefix("continue("), text.hasSuffix(")") else { throw Refusal(remark: nil) }
        let inside = String(text.dropFirst("continue(".count).dropLast()).trimmingSpaces()
        return Rig.Polling.Mode.button(try spread(inside))
    }
}
