internal import Journal
internal import Rendering

/// Logins of a run that ended on a page instead of the redirect URL or did not look at the password, decisions on a
/// device whose last page did not confirm them, polls that were slowed down although they came as asked, and renewals without a refresh
/// token: how many there were, and the first of each.
struct OpenEnds {
    private struct Sort {
        /// The name of its events in the history.
        var name: String
        var noun: String
        var happened: String
        var remedy: String
    }

    private static let sorts = [
        Sort(
            name: "login ended on a page", noun: "login",
            happened:
                "ended on a page without reaching the redirect URL; the phone asked the service whether it was "
                + "signed in",
            remedy:
                "If the app on the phone waits for the redirect, have the page lead to it. If that page turns a "
                + "password down, write words of it as login.failed-when, so that it counts as a refusal at once"
        ),
        Sort(
            name: "decision not confirmed", noun: "decision",
            happened:
                "ended on a page without the rig's words for it; the TV's polls decided, and none counts as "
                + "confirmed",
            remedy:
                "If they were taken, write words of that page as approved-when or refused-when of "
                + "target.device-grant"),
        Sort(
            name: "wrong password accepted", noun: "login",
            happened:
                "with a mistyped password (wrong-password) went through without asking for it again",
            remedy:
                "The run did not test how the service treats a wrong password; have the login check passwords, or "
                + "take wrong-password out of the rig"),
        Sort(
            name: "slowed down though the interval was kept", noun: "poll",
            happened:
                "came no sooner than the server had asked for, and got slow_down, which makes each wait after it longer",
            remedy:
                "Ask the server's team by what it counts polls: such as by client or address instead of by device code"
        ),
        Sort(
            name: "no refresh token to renew with", noun: "renewal",
            happened:
                "by refresh-token could not be sent, for the server had given no refresh token",
            remedy:
                "Have it give one (often by target.device-grant.scope, such as offline_access), or take refresh-token "
                + "out of after-sign-in"),
    ]
    static let names = sorts.map(\.name)

    private var found: [String: (count: Int, first: String)] = [:]

    mutating func add(_ event: DeviceEvent) {
        if found[event.name] == nil {
            found[event.name] = (0, Sanitizer.line(event.detail, limit: 300))
        }
        found[event.name]?.count += 1
    }

    /// `titles`: of pages that answered requests to the service itself, and so are nobody's login.
    func notes(pagesInFront titles: Set<String>) -> [String] {
        Self.sorts.compactMap { sort in
            found[sort.name].map { found in
                let title = titles.first { !$0.isEmpty && found.first.contains("('\($0)')") }
                let remedy =
                    title.map {
                        "A page '\($0)' also answered requests to the service: something in front of it (firewall, CDN) "
                            + "may have answered the login, too"
                    } ?? sort.remedy
                return
                    "\(Figures.counted(found.count, sort.noun)) \(sort.happened) (the first: \(found.first)). \(remedy)"
            }
        }
    }
}
