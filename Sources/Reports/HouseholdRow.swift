internal import Journal
internal import Rendering

/// A row of households.csv.
struct HouseholdRow {
    var household: HouseholdRecord
    /// Those in it that fail the run.
    var violations: Int

    static let columns: [Column<HouseholdRow>] = [
        Column("household", about: "its number") { .count($0.household.household) },
        Column("kind", about: "its kind in the rig") { .text(Sanitizer.line($0.household.kind)) },
        Column("outcome", about: "signed-in, pre-signed-in, failed, abandoned or running") {
            .text($0.household.fate.name)
        },
        Column(
            "stopped_at",
            about:
                "furthest stage of a household that did not finish: arrived, registered, code-shown, "
                + "code-typed, signed-in, playing, logged-out"
        ) {
            switch $0.household.fate {
            case .failed, .abandoned, .running: .text($0.household.stage.name)
            default: .text("")
            }
        },
        Column("cause", about: "why the household stopped") {
            .text(Sanitizer.line($0.household.cause))
        },
        Column("arrived_s", about: "seconds since the run began") {
            .number($0.household.arrived.milliseconds / 1000)
        },
        Column("code_to_token_ms", about: "code shown on the TV → token seen by the TV") {
            .number($0.household.signIn?.milliseconds)
        },
        Column(
            "viewer_ms",
            about:
                "the part of it that the viewer took, and waits for a rate limit of this run (`max-rate`) or for a rig that was late"
        ) {
            .number($0.household.viewerTime.milliseconds)
        },
        Column("polls", about: "polls sent") { .count($0.household.polls) },
        Column("violations", about: "violations in it that fail the run") { .count($0.violations) },
        Column(
            "not_entitled",
            about: "responses that the account may not watch this; the household is still signed in"
        ) { .count($0.household.denials) },
        Column(
            "path",
            about:
                "the path of each sign-in, separated by spaces: code, web-view, platform, temp-pass, "
                + "no-login"
        ) { .text($0.household.signOn.paths.map(\.name).joined(separator: " ")) },
        Column("asked_path", about: "the path that its kind asks for: platform, or empty") {
            .text($0.household.signOn.asked?.name ?? "")
        },
        Column(
            "steps",
            about: "steps of the platform's decision graph that its first sign-in walked: "
                + "`1-2-6-7-8-9-11`"
        ) { .text(Sanitizer.line($0.household.signOn.steps)) },
        Column(
            "sign_in_ms",
            about:
                "duration of the first sign-in: from the code shown, or on the platform from the "
                + "first question"
        ) { .number($0.household.signInByPath?.milliseconds) },
        Column("prompts", about: "permission prompts of the system") {
            .count($0.household.signOn.prompts)
        },
        Column("pickers", about: "times that the platform's picker was shown") {
            .count($0.household.signOn.pickers)
        },
        Column(
            "codes",
            about:
                "advanced codes of the SDK (`VSA403`) and errors of the platform (`VSError-2`), in "
                + "their order"
        ) { .text(Sanitizer.line($0.household.signOn.codes.joined(separator: " "))) },
        Column(
            "silent_relogins", about: "sign-ins by the account that was still on the device"
        ) { .count($0.household.signOn.silentRelogins) },
        Column(
            "diversion",
            about: "why it signed in by another path than its kind asks for; otherwise empty"
        ) {
            .text(
                $0.household.divertedTo == nil
                    ? "" : Sanitizer.line($0.household.signOn.diversion, limit: 400))
        },
        Column(
            "abandoned_by",
            about: "for an abandoned household: viewer, service or run (below); otherwise empty"
        ) { .text($0.household.abandonedBy?.name ?? "") },
        Column(
            "mvpd",
            about: "provider (MVPD) of its login, or as its token says; empty where it came to none"
        ) { .text(Sanitizer.line($0.household.mvpd ?? "")) },
        Column("throttled", about: "requests of all its screens answered 429, each try counted") {
            .number($0.household.throttled.map { Double($0.total) })
        },
        Column("throttled_sign_in", about: "those before the TV saw its token") {
            .number($0.household.throttled.map { Double($0.beforeSignIn) })
        },
    ]
}
