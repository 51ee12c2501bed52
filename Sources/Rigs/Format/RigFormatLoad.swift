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
        Key("name", .scalar(.text), default: "household", "The name in reports and thresholds."),
        Key("weight", .scalar(.count(1...100)), default: "1", "Its share of all households."),
        Key(
            "first-screen",
            .choice([
                Shape.Choice("tvos"), .notYet("ios"), .notYet("ipados"), .notYet("sdk-tvos"),
                .notYet("sdk-ios"),
            ]), default: "tvos", "What shows the code."),
        Key(
            "second-screens", .scalar(.count(1...10)), default: "1",
            "Phones in the household."),
        Key(
            "device", .map(device), default: "{}",
            "What the first screen says it is (X-Device-Info)."),
        Key("viewer", .map(viewer), default: "{}", "The human."),
        .notYet("platform-sign-on", example: "{access: granted}", "Sign-on by the platform."),
        .notYet("temp-pass", accepting: ["false"], example: "true", "A trial without sign-in."),
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
        .notYet("wrong-code", accepting: ["0%"], example: "2%", "Types a wrong code first."),
        .notYet("types-twice", accepting: ["0%"], example: "2%", "Types the code in twice."),
        Key(
            "wrong-password", .scalar(.share), default: "0%",
            "Share of viewers who mistype the password first."),
        .notYet("cancels", accepting: ["0%"], example: "2%", "Cancels the login."),
        .notYet("too-late", accepting: ["0%"], example: "2%", "Comes after the code ran out."),
    ]

    static let polling: [Key] = [
        Key("every", .scalar(.duration), default: "5s", "From poll to poll."),
        Key(
            "jitter", .scalar(.share), default: "10%",
            "By which an interval varies both ways."),
        Key(
            "target", .words("authn", "checkauthn"), default: "authn",
            "authn: the token itself. checkauthn: only whether there is one."),
        .notYet(
            "mode", accepting: ["timer"], example: "continue(fixed 20s)",
            "timer, or a Continue button."),
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
        .words("user-metadata", "preauthorize", "authorize", "media-token"),
        .one(of: [
            Key("watch", .scalar(.distribution), example: "30s", "Play for this long."),
            Key("logout", .scalar(.share), example: "20%", "Share of TVs that log out here."),
            Key(
                "again", .scalar(.share), example: "10%",
                "Share of households that sign in once more."),
        ]),
    ])

    static let threshold: Shape = .scalar(.threshold)
}
