internal import Dialects
internal import Journal
internal import Rendering

/// Users that TVs showed, over all trials of a race or a replay. Each trial is judged alone: if the service has user ids of
/// its own, a single trial cannot identify the owner of a token. One user shown to two accounts, in different trials, is
/// visible only across trials.
///
/// ```text
/// trial 12   anna signs in    TV: acct_1
/// trial 40   otto signs in    TV: acct_1     anna's token, or anna and otto are one person
/// ```
struct ShownUsers: Sendable {
    private struct Showing: Sendable {
        var login: String
        var isShared = false
    }
    private var users: [String: Showing] = [:]
    private var logins: Set<String> = []
    /// Living rooms whose TV showed the login itself, and those whose TV showed another name.
    private var named = 0
    private var renamed = 0

    mutating func add(_ result: TrialResult) {
        for household in result.households {
            let own = result.exchanges.filter { $0.device.household == household }
            let signIns = Set(own.filter(\.signsIn).compactMap { $0.observation.tag?.user })
            // Of two accounts either may be shown.
            guard signIns.count == 1, let login = signIns.first else { continue }
            let shown = Set(own.filter(Self.shows).compactMap { $0.observation.tag?.user })
            if !shown.isEmpty { logins.insert(login) }
            for user in shown {
                if user == login { named += 1 } else { renamed += 1 }
                if let known = users[user] {
                    if known.login != login { users[user]?.isShared = true }
                } else {
                    users[user] = Showing(login: login)
                }
            }
        }
    }

    /// An account's own sign-in: neither a TempPass nor degraded access.
    private static func shows(_ exchange: Exchange) -> Bool {
        let profiles = exchange.observation.profiles
        return exchange.device.role == .firstScreen && exchange.observation.result == .success
            && (profiles.isEmpty || profiles.contains { $0.kind == .regular })
    }

    private static let remedy =
        "give each account its user-id (accounts: file), or play 'screenrig run', whose judge sees all households"

    /// Why `token-isolation` is undecided; nil if no user was shown to two accounts, or if the service has only one user id,
    /// or fewer than one for four accounts.
    var whyMixed: String? {
        let shared = users.values.count(where: \.isShared)
        guard shared > 0, users.count > 1, 4 * users.count >= logins.count else { return nil }
        return
            "of \(Figures.counted(users.count, "user")) that the service named \(Figures.count(shared)) "
            + (shared == 1 ? "was" : "were")
            + " shown to TVs of two accounts, in different trials, of which each is judged "
            + "alone: a TV got another account's token, or the accounts are one person's; \(Self.remedy)"
    }

    /// A note that no single trial could identify the owner of a token; nil if some could.
    var whyNameless: String? {
        guard renamed > 0, named == 0 else { return nil }
        return
            "whose token each TV got was tested within a trial only, for the service's names of users are not the logins: "
            + Self.remedy
    }
}
