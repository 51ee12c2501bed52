internal import Dialects

/// The rows about load and households.
extension RigFormat {
    static let load: [Key] = [
        Key(
            "arrivals", .list(.map(stage)),
            example: "[{ramp-to: 20/s, over: 1m}, {hold: 5m}, {ramp-to: 0/s, over: 30s}]",
            "Open load: households arrive at this rate, however slow the service is. A list of "
                + "stages; the rate starts at 0/s."),
        Key(
            "spacing", .words("even", "poisson"), default: "even",
            "even: equal intervals. poisson: random, independent arrivals."),
        Key(
            "settle", .scalar(.duration), default: "15s",
            "How long polls continue after the last viewer is done, before the final reads."),
        Key(
            "closed", .map(closed), example: "{households: 500, for: 10m}", alternative: true,
            "Closed load instead of arrivals: a fixed number of households at a time."),
    ]

    static let stage: [Key] = [
        Key("ramp-to", .scalar(.rate), example: "20/s", "Change the rate linearly to this value"),
        Key("over", .scalar(.duration), example: "1m", "over this time; 0s: at once."),
        Key("hold", .scalar(.duration), example: "5m", "Keep the rate for this time."),
    ]

    private static let closed: [Key] = [
        Key(
            "households", .scalar(.count(1...1_000_000)), required: true, example: "500",
            "Number of concurrent households."),
        Key(
            "for", .scalar(.duration), example: "10m",
            "Replace each household that ends by a new one for this time. Default: each runs "
                + "once."),
    ]

    static let kind: [Key] = [
        Key(
            "name", .scalar(.shownText), default: "household", "The name in reports and thresholds."
        ),
        Key("weight", .scalar(.count(1...100)), default: "1", "Its share of all households."),
        Key(
            "first-screen",
            .words("tvos", "ios", "ipados", "sdk-tvos", "sdk-ios"), default: "tvos",
            "tvos: shows a code and polls at once. ios, ipados: signs in with a web view on the "
                + "device and polls when it closes. sdk-tvos, sdk-ios: the same with the "
                + "AccessEnabler SDK."),
        Key(
            "second-screens", .scalar(.count(1...10)), default: "1",
            "Number of phones; each new attempt of the viewer uses the next one."),
        Key(
            "second-viewer", .scalar(.share), default: "0%",
            "Share of households in which two users sign in concurrently: both with the code, "
                + "the second one on the last phone; with platform-sign-on, one through the "
                + "platform while the other types the code."),
        Key(
            "device", .map(device), default: "{}",
            "What the first screen sends as X-Device-Info. Default: values that fit "
                + "first-screen; for tvos as shown here."),
        Key("viewer", .map(viewer), default: "{}", "The viewer's behaviour."),
        Key(
            "platform-sign-on", .map(platform), alternative: true,
            "Try the platform's TV provider account first: the device's state and the viewer's "
                + "answers."),
        Key(
            "temp-pass", .scalar(.flag), default: "false",
            "Play with a TempPass, without a sign-in; uses the first TempPass provider of the "
                + "service's configuration."),
    ]

    private static let platform: [Key] = [
        Key(
            "access", .words("granted", "denied", "undetermined", "restricted"),
            default: "granted", "The app's permission to use the TV provider account."),
        Key(
            "prompt", .words("allow", "deny", "ignore"), default: "allow",
            "The viewer's answer if the permission is undetermined."),
        Key(
            "account", .words("fresh", "expired", "none"), default: "fresh",
            "The TV provider account of the device."),
        Key(
            "picker", .scalar(.picker), default: "choose", example: "choose(DemoCable)",
            "What the viewer does in the platform's picker. choose: the household's own provider."
        ),
        Key(
            "withdrawn-before", .words("never", "step 4", "step 7"), default: "never",
            "The viewer withdraws the permission before this step."),
        Key(
            "error", .scalar(.platformError), default: "none", example: "3",
            "Error code that the framework returns: 1 and 2 when it shows its picker, 5 when it "
                + "gets a profile request, others everywhere."),
        Key(
            "error-at", .words("any", "step 2", "step 4", "step 7", "relaunch"), default: "any",
            "Where the error occurs. step 2: the silent request. step 4: the picker. step 7: the "
                + "profile request. relaunch: everywhere after the app is opened again."),
        Key(
            "asks", .words("when-needed", "foreground"), default: "when-needed",
            "When the app asks for the permission. foreground: when it is opened."),
        Key(
            "settings-change", .words("none", "grant", "withdraw", "sign-out"), default: "none",
            "What the viewer changes in the settings before a relaunch (after-sign-in): grants "
                + "or withdraws the permission, or signs out of the TV provider."),
        Key(
            "filter", .list(.scalar(.shownText)), example: "[DemoCable]",
            "Providers that the picker offers, in this order; others are not shown. Also passed "
                + "to the SDK's getAuthentication(filter:)."),
        Key(
            "featured", .list(.scalar(.shownText)), default: "[]", example: "[DemoCable]",
            "Providers that the picker shows first; each must be in filter. Not passed to "
                + "systems before version 11."),
        Key(
            "include-provider", .scalar(.flag), default: "true",
            "The app asks for the account's provider (includeAccountProviderIdentifier)."),
        Key(
            "include-expiry", .scalar(.flag), default: "true",
            "The app asks when the account expires (includeAuthenticationExpirationDate)."),
        Key(
            "key", .scalar(.text), example: "platform-demo.pem",
            "File next to the rig with the RSA private key of the built-in platform. Default: "
                + "the demo key, which the stand-in trusts."),
        Key(
            "command", .scalar(.text), example: "./platform.py", alternative: true,
            "Program next to the rig that acts as the platform: it gets the profile request and "
                + "the account as JSON, and returns the signed SAML response."),
        Key(
            "timeout", .scalar(.duration), default: "60s", alternative: true,
            "Timeout of the program for one response."),
    ]

    private static let device: [Key] = {
        let tv = DeviceInfo.appleTV
        return [
            Key("model", .scalar(.text), default: "\"\(tv.model)\"", "Model of the device."),
            Key("version", .scalar(.text), default: "\"\(tv.version)\"", "Version of the app."),
            Key(
                "manufacturer", .scalar(.text), default: tv.manufacturer,
                "Manufacturer of the "
                    + "device."),
            Key("osName", .scalar(.text), default: tv.osName, "Operating system."),
            Key(
                "osVersion", .scalar(.text), default: "\"\(tv.osVersion)\"",
                "Version of the "
                    + "operating system."),
            Key(
                "primaryHardwareType", .scalar(.text), default: tv.primaryHardwareType,
                "Type of hardware."),
            Key(
                "connectionType", .scalar(.text), default: tv.connectionType,
                "Type of network "
                    + "connection."),
            Key("applicationId", .scalar(.text), default: tv.applicationId, "Id of the app."),
        ]
    }()

    private static let viewer: [Key] = [
        Key(
            "notices-code", .scalar(.distribution), default: "\"lognormal(median 8s, p95 30s)\"",
            "Time from the code on the TV to the code typed on the phone."),
        Key(
            "signs-in", .scalar(.distribution), default: "\"lognormal(median 20s, p95 90s)\"",
            "Time from the login page to the credentials sent."),
        Key(
            "gives-up", .scalar(.share), default: "3%",
            "Share of viewers who leave without signing in."),
        Key(
            "wrong-code", .scalar(.share), default: "0%",
            "Share of viewers who first type a wrong code."),
        Key(
            "types-twice", .scalar(.share), default: "0%",
            "Share of viewers who type the code again after the sign-in."),
        Key(
            "wrong-password", .scalar(.share), default: "0%",
            "Share of viewers who first type a wrong password."),
        Key(
            "cancels", .scalar(.share), default: "0%",
            "Share of viewers who cancel the login at the provider and start again."),
        Key(
            "too-late", .scalar(.share), default: "0%",
            "Share of viewers who type the code after it has expired."),
    ]

    static let polling: [Key] = [
        Key("every", .scalar(.duration), default: "5s", "Interval between polls."),
        Key(
            "jitter", .scalar(.share), default: "10%",
            "Random variation of the interval, plus or minus."),
        Key(
            "target", .words("authn", "checkauthn"), default: "authn",
            "authn: request the token. checkauthn: request only whether a token exists."),
        Key(
            "mode", .scalar(.pollMode), default: "timer",
            "timer, or continue(fixed 20s): instead of a timer, the viewer presses a Continue "
                + "button after this time, repeatedly until it succeeds."),
        Key(
            "pollers", .scalar(.count(1...10)), default: "1",
            "Poll loops per TV, evenly spaced; more than one only for test benches."),
        Key(
            "after-success", .scalar(.duration), default: "0s",
            "How long polls continue after each success and each logout; only for test benches."),
        Key(
            "phase", .words("spread", "aligned"), default: "spread",
            "spread: each TV has its own phase. aligned: all TVs poll at the same instants; only "
                + "for test benches."),
    ]

    static let code: [Key] = [
        Key(
            "ttl", .scalar(.duration), example: "30m",
            "Requested lifetime. Default: the service decides (30m)."),
        Key(
            "delete-after", .scalar(.flag), default: "false",
            "The TV deletes its code when it has its token."),
        Key(
            "new-code", .scalar(.share), default: "0%",
            "Share of households that request a second code and use it."),
    ]

    static let activity: Shape = .either([
        .choice(
            (OperationName.activities.map(\.name) + ["play-at-once"]).map { Shape.Choice($0) }),
        .one(of: [
            Key("watch", .scalar(.distribution), example: "30s", "Play for this long."),
            Key("logout", .scalar(.share), example: "20%", "Share of TVs that log out here."),
            Key(
                "again", .scalar(.share), example: "10%",
                "Share of households that sign in again."),
            Key(
                "relaunch", .scalar(.share), example: "10%",
                "Share of TVs whose app is closed and opened again here; a TV that is not signed "
                    + "in then signs in."),
        ]),
    ])

    static let threshold: Shape = .scalar(.threshold)
}
