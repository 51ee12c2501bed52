internal import Dialects

/// The rows about load and households.
extension RigFormat {
    static let load: [Key] = [
        Key(
            "arrivals", .list(.map(stage)),
            example: "[{ramp-to: 20/s, over: 1m}, {hold: 5m}, {ramp-to: 0/s, over: 30s}]",
            "Open load: households arrive whatever the service does. Stages, from a rate of 0/s."),
        Key(
            "spacing", .words("even", "poisson"), default: "even",
            "even: at equal distances. poisson: at random, as strangers do."),
        Key(
            "settle", .scalar(.duration), default: "15s",
            "After the last viewer: polls go on this long, then final reads."),
        Key(
            "closed", .map(closed), example: "{households: 500, for: 10m}", alternative: true,
            "Closed load, instead of arrivals: so many at a time."),
    ]

    static let stage: [Key] = [
        Key("ramp-to", .scalar(.rate), example: "20/s", "To this rate in a straight line,"),
        Key("over", .scalar(.duration), example: "1m", "in this time; 0s: at once."),
        Key("hold", .scalar(.duration), example: "5m", "Stay at the rate for this time."),
    ]

    private static let closed: [Key] = [
        Key(
            "households", .scalar(.count(1...1_000_000)), required: true, example: "500",
            "How many live at a time."),
        Key(
            "for", .scalar(.duration), example: "10m",
            "Each is followed by another for this time; without it, each lives once."),
    ]

    static let kind: [Key] = [
        Key(
            "name", .scalar(.shownText), default: "household", "The name in reports and thresholds."
        ),
        Key("weight", .scalar(.count(1...100)), default: "1", "Its share of all households."),
        Key(
            "first-screen",
            .words("tvos", "ios", "ipados", "sdk-tvos", "sdk-ios"), default: "tvos",
            "tvos: shows a code, and polls at once. ios, ipados: a web view on the device itself, "
                + "and polls once it closes. sdk-tvos, sdk-ios: the same two behind the "
                + "AccessEnabler SDK."),
        Key(
            "second-screens", .scalar(.count(1...10)), default: "1",
            "Phones in the household; each new try of a viewer is on the next."),
        Key(
            "second-viewer", .scalar(.share), default: "0%",
            "Share of households in which two sign in at once, as two users: both with the code, the "
                + "second on the last phone; with platform-sign-on one through the platform, while "
                + "the other types the code."),
        Key(
            "device", .map(device), default: "{}",
            "What the first screen says it is (X-Device-Info); by default what fits first-screen, "
                + "for tvos as shown here."),
        Key("viewer", .map(viewer), default: "{}", "The human."),
        Key(
            "platform-sign-on", .map(platform), alternative: true,
            "Asks the platform for its TV provider account before anything else; what the device "
                + "knows, and what its viewer does."),
        Key(
            "temp-pass", .scalar(.flag), default: "false",
            "Plays on a TempPass of the first such provider that the configuration offers, without "
                + "a sign-in."),
    ]

    private static let platform: [Key] = [
        Key(
            "access", .words("granted", "denied", "undetermined", "restricted"),
            default: "granted", "Whether the app may ask."),
        Key(
            "prompt", .words("allow", "deny", "ignore"), default: "allow",
            "The viewer's answer where that is undetermined."),
        Key(
            "account", .words("fresh", "expired", "none"), default: "fresh",
            "The TV provider account of the device."),
        Key(
            "picker", .scalar(.picker), default: "choose", example: "choose(DemoCable)",
            "What the viewer does with the platform's picker; choose: the household's own provider."
        ),
        Key(
            "withdrawn-before", .words("never", "step 4", "step 7"), default: "never",
            "The viewer takes the permission back before this step."),
        Key(
            "error", .scalar(.platformError), default: "none", example: "3",
            "The error code that the framework answers with: 1 and 2 where it shows its picker, 5 "
                + "where it is handed a profile request, others everywhere."),
        Key(
            "error-at", .words("any", "step 2", "step 4", "step 7", "relaunch"), default: "any",
            "Where that is. step 2: the silent question. step 4: the picker. step 7: the profile "
                + "request. relaunch: everywhere, once the app was opened again."),
        Key(
            "asks", .words("when-needed", "foreground"), default: "when-needed",
            "When the app asks for the permission. foreground: as soon as it is opened."),
        Key(
            "settings-change", .words("none", "grant", "withdraw", "sign-out"), default: "none",
            "What the viewer changes in the settings before a relaunch (after-sign-in): grants or "
                + "withdraws the permission, or signs out of the TV provider."),
        Key(
            "filter", .list(.scalar(.shownText)), example: "[DemoCable]",
            "Providers that the app lets the picker offer, in this order; the rest are not shown. "
                + "The SDK's getAuthentication(filter:) takes them, too."),
        Key(
            "featured", .list(.scalar(.shownText)), default: "[]", example: "[DemoCable]",
            "Providers that the picker shows first; each must be one of filter. Systems before "
                + "version 11 do not get them."),
        Key(
            "include-provider", .scalar(.flag), default: "true",
            "The app asks for the account's provider (includeAccountProviderIdentifier)."),
        Key(
            "include-expiry", .scalar(.flag), default: "true",
            "The app asks when the account expires (includeAuthenticationExpirationDate)."),
        Key(
            "key", .scalar(.text), example: "platform-demo.pem",
            "A file beside the rig with the RSA private key by which the built-in platform signs; "
                + "by default the demo key, which the stand-in trusts."),
        Key(
            "command", .scalar(.text), example: "./platform.py", alternative: true,
            "A program beside the rig that is the platform: it gets the profile request and the "
                + "account as JSON, and answers the signed SAML response."),
        Key(
            "timeout", .scalar(.duration), default: "60s", alternative: true,
            "How long the program may take for one response."),
    ]

    private static let device: [Key] = {
        let tv = DeviceInfo.appleTV
        return [
            Key("model", .scalar(.text), default: "\"\(tv.model)\"", "The model."),
            Key("version", .scalar(.text), default: "\"\(tv.version)\"", "The app's version."),
            Key("manufacturer", .scalar(.text), default: tv.manufacturer, "The maker."),
            Key("osName", .scalar(.text), default: tv.osName, "The system."),
            Key("osVersion", .scalar(.text), default: "\"\(tv.osVersion)\"", "Its version."),
            Key(
                "primaryHardwareType", .scalar(.text), default: tv.primaryHardwareType,
                "The sort of device."),
            Key("connectionType", .scalar(.text), default: tv.connectionType, "Its network."),
            Key("applicationId", .scalar(.text), default: tv.applicationId, "The app."),
        ]
    }()

    private static let viewer: [Key] = [
        Key(
            "notices-code", .scalar(.distribution), default: "\"lognormal(median 8s, p95 30s)\"",
            "Code shown, to phone in hand and the code typed."),
        Key(
            "signs-in", .scalar(.distribution), default: "\"lognormal(median 20s, p95 90s)\"",
            "Login page shown, to credentials sent."),
        Key(
            "gives-up", .scalar(.share), default: "3%",
            "Share of viewers who leave instead of signing in."),
        Key(
            "wrong-code", .scalar(.share), default: "0%",
            "Share of viewers who type a wrong code first."),
        Key(
            "types-twice", .scalar(.share), default: "0%",
            "Share of viewers who type the code in once more after it has served."),
        Key(
            "wrong-password", .scalar(.share), default: "0%",
            "Share of viewers who mistype the password first."),
        Key(
            "cancels", .scalar(.share), default: "0%",
            "Share of viewers who cancel the login at the provider, and begin again."),
        Key(
            "too-late", .scalar(.share), default: "0%",
            "Share of viewers who type the code once it has run out."),
    ]

    static let polling: [Key] = [
        Key("every", .scalar(.duration), default: "5s", "From poll to poll."),
        Key(
            "jitter", .scalar(.share), default: "10%",
            "By which an interval varies both ways."),
        Key(
            "target", .words("authn", "checkauthn"), default: "authn",
            "authn: the token itself. checkauthn: only whether there is one."),
        Key(
            "mode", .scalar(.pollMode), default: "timer",
            "timer, or continue(fixed 20s): no timer, but a Continue button that the viewer presses "
                + "after so long, and again, until it works."),
        Key(
            "pollers", .scalar(.count(1...10)), default: "1",
            "Poll loops of one TV, evenly apart; more than one is for test benches."),
        Key(
            "after-success", .scalar(.duration), default: "0s",
            "Go on polling for this long after each success and each logout, for test benches."),
        Key(
            "phase", .words("spread", "aligned"), default: "spread",
            "spread: each TV on its own beat. aligned: all on one, for test benches."),
    ]

    static let code: [Key] = [
        Key(
            "ttl", .scalar(.duration), example: "30m",
            "Life to ask for; by default the service decides (30m)."),
        Key(
            "delete-after", .scalar(.flag), default: "false",
            "The TV deletes its code once it has its token."),
        Key(
            "new-code", .scalar(.share), default: "0%",
            "Share of households that ask for a new code and use that."),
    ]

    static let activity: Shape = .either([
        .words(
            "user-metadata", "preauthorize", "preauthorize-code", "authorize",
            "authorization-token", "media-token", "play-at-once"),
        .one(of: [
            Key("watch", .scalar(.distribution), example: "30s", "Play for this long."),
            Key("logout", .scalar(.share), example: "20%", "Share of TVs that log out here."),
            Key(
                "again", .scalar(.share), example: "10%",
                "Share of households that sign in once more."),
            Key(
                "relaunch", .scalar(.share), example: "10%",
                "Share of TVs whose app is closed and opened again here; who is not signed in then "
                    + "signs in."),
        ]),
    ])

    static let threshold: Shape = .scalar(.threshold)
}
