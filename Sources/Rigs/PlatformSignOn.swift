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

    /// A device without an account, on which the app may not ask.
    public static let withheld = PlatformSignOn(access: .denied, account: .none)

    public var access: Access = .granted
    public var prompt: Prompt = .allow
    public var account: PlatformAccount = .fresh
    public var picker: Picker = .choose(nil)
    public var withdrawal: Withdrawal = .never
    /// The framework answers with this error code (§ 2) at `errorPlace`; nil: with none.
    public var error: Int?
    public var errorPlace: ErrorPlace = .any
    public var asking: Asking = .whenNeeded
    public var settingsChange: SettingsChange = .none
    /// Ids of the providers that the app lets the picker offer, in this order; nil: all.
    public var filter: [String]?
    /// Ids of the providers that the picker is to show first.
    public var featured: [String] = []
    /// `includeAccountProviderIdentifier` and `includeAuthenticationExpirationDate` (§ 3.3).
    public var includesProvider: Bool = true
    public var includesExpiry: Bool = true
    public var signer: Signer = .demo
    /// Error codes of the framework (apple-sso.md § 2).
    public static let errorCodes = 0...7
}

extension Scalar<PlatformSignOn.Picker> {
    /// `choose`, `choose(DemoCable)`, `other`, `cancel`.
    static var picker: Scalar<PlatformSignOn.Picker> {
        Scalar(
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
    }
}

extension Scalar<Int?> {
    /// `none`, or an error code of the platform's framework.
    static var platformError: Scalar<Int?> {
        Scalar(
            wanted: "none, or an error code of the framework, 0 to 7", pattern: "none|[0-7]",
            types: ["integer"]
        ) { text throws(Refusal) in
            if text == "none" { return nil }
            guard text.utf8.count == 1, let code = Int(text),
                PlatformSignOn.errorCodes.contains(code)
            else { throw Refusal(remark: nil) }
            return code
        }
    }
}

extension Scalar<Rig.Polling.Mode> {
    /// `timer`, or `continue(fixed 20s)`: how long the viewer waits before the button is pressed.
    static var pollMode: Scalar<Rig.Polling.Mode> {
        Scalar(
            wanted: "timer, or continue(TIME) with the time before the button is pressed, such as "
                + "continue(fixed 20s)",
            pattern: "timer|continue\\(.+\\)"
        ) { text throws(Refusal) in
            if text == "timer" { return Rig.Polling.Mode.timer }
            guard text.hasPrefix("continue("), text.hasSuffix(")") else {
                throw Refusal(remark: nil)
            }
            let inside = String(text.dropFirst("continue(".count).dropLast()).trimmingSpaces()
            return Rig.Polling.Mode.button(try Spelling.spread(inside))
        }
    }
}

extension PlatformSignOn: RigSection {
    static let blank = PlatformSignOn()
    static let keys: [Key<PlatformSignOn>] = [
        Key(
            "access", .words(), into: \.access,
            "The app's permission to use the TV provider account."),
        Key(
            "prompt", .words(), into: \.prompt,
            "The viewer's answer if the permission is undetermined."),
        Key(
            "account", .words(), into: \.account, "The TV provider account of the device."),
        Key(
            "picker", .scalar(.picker), into: \.picker, default: "choose",
            example: "choose(DemoCable)",
            "What the viewer does in the platform's picker. choose: the household's own provider."),
        Key(
            "withdrawn-before", .words(), into: \.withdrawal,
            "The viewer withdraws the permission before this step."),
        Key(
            "error", .scalar(.platformError), into: \.error, default: "none", example: "3",
            "Error code that the framework returns: 1 and 2 when it shows its picker, 5 when it "
                + "gets a profile request, others everywhere."),
        Key(
            "error-at", .words(), into: \.errorPlace,
            "Where the error occurs. step 2: the silent request. step 4: the picker. step 7: the "
                + "profile request. relaunch: everywhere after the app is opened again."),
        Key(
            "asks", .words(), into: \.asking,
            "When the app asks for the permission. foreground: when it is opened."),
        Key(
            "settings-change", .words(), into: \.settingsChange,
            "What the viewer changes in the settings before a relaunch (after-sign-in): grants "
                + "or withdraws the permission, or signs out of the TV provider."),
        Key(
            "filter", .list(.scalar(.shownText)), ifGiven: \.filter, example: "[DemoCable]",
            "Providers that the picker offers, in this order; others are not shown. Also passed "
                + "to the SDK's getAuthentication(filter:)."),
        Key(
            "featured", .list(.scalar(.shownText)), into: \.featured, example: "[DemoCable]",
            "Providers that the picker shows first; each must be in filter. Not passed to "
                + "systems before version 11."),
        Key(
            "include-provider", .scalar(.flag), into: \.includesProvider,
            "The app asks for the account's provider (includeAccountProviderIdentifier)."),
        Key(
            "include-expiry", .scalar(.flag), into: \.includesExpiry,
            "The app asks when the account expires (includeAuthenticationExpirationDate)."),
        Key(
            "key", .path, set: { $0.signer = .key($1) }, example: "platform-demo.pem",
            "File next to the rig with the RSA private key of the built-in platform. Default: "
                + "the demo key, which the stand-in trusts."),
        Key(
            "command", .program, set: { $0.signer = .command($1, within: .seconds(60)) },
            example: "./platform.py", alternative: true,
            "Program next to the rig that acts as the platform: it gets the profile request and "
                + "the account as JSON, and returns the signed SAML response."),
        Key(
            "timeout", .scalar(.duration),
            set: { platform, limit in
                guard case .command(let program, _) = platform.signer else { return }
                platform.signer = .command(program, within: limit)
            }, default: "60s", alternative: true, "Timeout of the program for one response."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard marks.isWhole else { return }
        if marks.gives("timeout"), !marks.gives("command") {
            reader.refuse(
                marks["timeout"].place,
                "timeout is the time limit of a program; add 'command: PROGRAM', or remove it")
        }
        if marks.gives("key"), marks.gives("command") {
            reader.refuse(
                marks["key"].place,
                "'key' has no effect with 'command', whose program signs; remove one of them")
        }
        if marks.gives("error-at"), error == nil {
            reader.refuse(
                marks["error-at"].place,
                "error-at has no effect without an error; add 'error: 3', or remove it")
        }
        for (id, marks) in zip(featured, marks["featured"].items) {
            guard let filter, !filter.contains(id) else { continue }
            reader.refuse(
                marks.place, "featured provider '\(id)' is not in filter; add it there")
        }
    }
}
