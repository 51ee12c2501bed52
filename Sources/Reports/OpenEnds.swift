internal import Journal
internal import Rendering

/// Logins of a run that ended on a page instead of the redirect URL or did not look at the password, and decisions on a
/// device whose last page did not confirm them: how many there were, and the first of each.
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
    ]
    static let names = sorts.map(\.name)

    private var found: [String: (count: Int, first: String)] = [:]

    mutating func add(_ event: DeviceEvent) {
        if found[event.name] == nil {
            found[event.name] = (0, Sanitizer.line(event.detail, limit: 300))
        }
        found[event.name]?.count += 1
    }

    var notes: [String] {
        Self.sorts.compactMap { sort in
            found[sort.name].map {
                "\(Figures.counted($0.count, sort.noun)) \(sort.happened) (the first: \($0.first)). \(sort.remedy)"
            }
        }
    }
}
