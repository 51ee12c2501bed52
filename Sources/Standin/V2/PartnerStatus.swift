internal import Formats

/// `AP-Partner-Framework-Status`: what the platform lets the app know (rest-v2.md § 3.2).
enum PartnerStatus: Hashable, Sendable {
    /// No header, not decodable, or without an access status.
    case missing
    case notDetermined
    /// Denied or restricted.
    case notGranted
    /// Granted, and no provider is named.
    case noProvider
    /// Granted, for the provider of that platform mapping id; not any longer, or still.
    case expired(String)
    case granted(String)

    /// `time` in epoch milliseconds.
    init(_ header: String?, at time: Int64) {
        guard let header, let bytes = Base64.decode(header), let value = JSONValue(bytes),
            let access = value["frameworkPermissionInfo"]?["accessStatus"]?.string
        else {
            self = .missing
            return
        }
        switch access {
        case "granted": break
        case "notDetermined":
            self = .notDetermined
            return
        case "denied", "restricted":
            self = .notGranted
            return
        default:
            self = .missing
            return
        }
        let provider = value["frameworkProviderInfo"]
        guard let id = provider?["id"]?.spelled, !id.isEmpty else {
            self = .noProvider
            return
        }
        // A string of milliseconds; none is no proof that it lasts.
        let end = provider?["expirationDate"]?.spelled.flatMap { Int64($0) } ?? 0
        self = time < end ? .granted(id) : .expired(id)
    }

    /// The platform's id of the provider, while it may be used.
    var mappingID: String? {
        if case .granted(let id) = self { id } else { nil }
    }
}
