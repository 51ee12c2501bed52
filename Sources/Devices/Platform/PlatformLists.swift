internal import Dialects
internal import Journal

/// What the configuration says about the platform: pure readings of it (apple-sso.md § 3.5).
extension [Provider] {
    /// Offered in the platform's picker, in the order of the configuration.
    var supportedOnPlatform: [Provider] {
        filter {
            guard let terms = $0.platform else { return false }
            return terms.isEnabled && terms.isListed && !terms.mappingID.isEmpty
        }
    }

    /// Sign in on the platform.
    var signOnCapable: [Provider] {
        supportedOnPlatform.filter { $0.platform?.boarding == .supported }
    }

    /// The entry that the platform means; equality of texts, the first match in the order of the
    /// configuration (§ 2).
    func provider(onPlatform id: PlatformProviderID) -> Provider? {
        switch id {
        case .named(let name):
            return first { $0.platform?.mappingID == name && !name.isEmpty }
        case .ofProvider(let name): return first { $0.id == name && $0.platform != nil }
        case .drawn(let draw):
            let capable = signOnCapable
            let choices = capable.isEmpty ? supportedOnPlatform : capable
            guard !choices.isEmpty else { return nil }
            return choices[Swift.min(Int(draw * Double(choices.count)), choices.count - 1)]
        }
    }
}

/// What step 5 comes to (apple-sso.md § 2).
enum PickerFinding: Hashable, Sendable {
    /// Signed in on the platform: step 6.
    case signedIn(PlatformProviderID)
    /// Step 10, with that provider preselected and the app's own picker skipped.
    case preselected(String)
    /// Step 10, with the app's own picker.
    case ownPicker

    /// The rows of the table, in its order.
    init(_ result: MetadataResult, at now: Instant, providers: [Provider]) {
        if let metadata = result.metadata {
            self = metadata.provider(at: now).map(PickerFinding.signedIn) ?? .ownPicker
        } else if result.error?.code == .unsupportedProvider,
            case .text(let name)? = result.error?.unsupportedProvider,
            let match = providers.provider(onPlatform: .named(name))
        {
            self = .preselected(match.id)
        } else {
            self = .ownPicker
        }
    }
}
