internal import Dialects
internal import Journal
internal import Rigs

/// What the configuration says about the platform: pure readings of it (apple-sso.md § 3.5).
extension [Provider] {
    /// Offered in the platform's picker, in the order of the configuration.
    var supportedOnPlatform: [Provider] {
        filter {
            guard let terms = $0.platform else { return false }
            return terms.isEnabled && terms.isListed && !terms.mappingID.isEmpty
        }
    }

    /// What the app hands to the platform's picker, as the platform calls them: all that it supports,
    /// or those of its filter, in the filter's order; ids that do not sign on there are ignored.
    func offered(_ filter: ProviderFilter?) -> (supported: [String], featured: [String]) {
        let supported = supportedOnPlatform
        func mapped(_ ids: [String]) -> [String] {
            ids.compactMap { id in supported.first { $0.id == id }?.platform?.mappingID }
        }
        let all = supported.compactMap { $0.platform?.mappingID }
        let shown = filter?.providers.map(mapped) ?? all
        return (shown, mapped(filter?.featured ?? []).filter(shown.contains))
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

/// Which providers the platform's picker is to offer, and which to show first: ids of the service
/// (access-enabler-sdk.md § 1, `TV_PROVIDERS` and `FEATURED_TV_PROVIDERS`).
struct ProviderFilter: Hashable, Sendable {
    /// Nil: all.
    var providers: [String]?
    var featured: [String] = []

    /// In words, for a history: `DemoSat,DemoCable; featured DemoCable`.
    var description: String {
        let offered = providers?.joined(separator: ",") ?? ""
        let first = featured.isEmpty ? "" : "featured \(featured.joined(separator: ","))"
        return [offered, first].filter { !$0.isEmpty }.joined(separator: "; ")
    }
}

extension PlatformSignOn {
    /// What the app of this rig asks for; nil where it asks for all. Systems before version 11 know
    /// nothing of featured providers (apple-sso.md § 3.3).
    func filter(on device: DeviceInfo) -> ProviderFilter? {
        let major = device.osVersion.split(separator: ".").first.flatMap { Int($0) } ?? 0
        let featured = major >= 11 ? featured : []
        guard filter != nil || !featured.isEmpty else { return nil }
        return ProviderFilter(providers: filter, featured: featured)
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
