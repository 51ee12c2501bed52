internal import Formats

/// What an identity provider has counted.
public struct ProviderCounters: Hashable, Sendable {
    /// In the order in which they are told.
    public enum Name: String, CaseIterable, Sendable {
        case pages, succeeded, wrongPassword, locked, denied, cancelled, failed, lostPage
        case samlRedirect, samlPost, samlResponses, samlRefused
        case authorizations, codes, tokens, userinfo, openIDRefused

        var group: String {
            switch self {
            case .pages, .succeeded, .wrongPassword, .locked, .denied, .cancelled, .failed,
                .lostPage:
                "logins"
            case .samlRedirect, .samlPost, .samlResponses, .samlRefused: "saml"
            case .authorizations, .codes, .tokens, .userinfo, .openIDRefused: "openid"
            }
        }

        /// As the last lines of `serve` and the JSON call it.
        var label: String {
            switch self {
            case .samlRedirect: "redirect"
            case .samlPost: "post"
            case .samlResponses: "responses"
            case .samlRefused, .openIDRefused: "refused"
            default: rawValue
            }
        }
    }

    private var counts: [Name: Int] = [:]

    public subscript(name: Name) -> Int { counts[name, default: 0] }

    mutating func count(_ name: Name) { counts[name, default: 0] += 1 }

    /// The body of `GET /counters`.
    public var json: String {
        let groups = Self.groups.map { group, names in
            let members = names.map { "\"\($0.label)\": \(self[$0])" }.joined(separator: ", ")
            return "\"\(group)\": {\(members)}"
        }
        return "{\(groups.joined(separator: ", "))}\n"
    }

    /// One line for each group.
    public var lines: [String] {
        Self.groups.map { group, names in
            "\(group): "
                + names.map { "\(self[$0]) \($0.label)" }.joined(separator: ", ")
        }
    }

    private static let groups = ["logins", "saml", "openid"].map { group in
        (group, Name.allCases.filter { $0.group == group })
    }
}
