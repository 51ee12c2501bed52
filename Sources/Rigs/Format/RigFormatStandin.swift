/// The rows about what the protocol leaves open, and about the embedded stand-in.
extension RigFormat {
    /// What a service does where the protocol is silent.
    private static let behaviour: [Key] = [
        Key(
            "code-reuse", .words("single", "until-expiry"), default: "single",
            "single: a code is spent by the sign-in that used it. until-expiry: it serves again."),
        Key(
            "new-code", .words("replace", "keep"), default: "replace",
            "replace: a device's next code ends its former one. keep: both are good."),
        Key(
            "second-sign-in", .words("replace", "reject"), default: "replace",
            "replace: the newest sign-in of a device counts. reject: the first stays."),
        Key(
            "media-reuse", .words("never", "until-expiry"), default: "never",
            "never: each media request has a token of its own. until-expiry: the same one again."),
        Key(
            "gone-decays", .scalar(.flag), default: "true",
            "Whether \"expired\" (410) may turn into \"none\" (404) later."),
    ]

    static let policies: [Key] =
        behaviour + [
            Key(
                "visibility", .scalar(.duration), default: "0ms",
                "How long after a completed sign-in a poll may still miss it."),
            Key(
                "sweep-lag", .scalar(.duration), default: "0ms",
                "How long after its expiry something may still be there."),
            Key(
                "clock-tolerance", .scalar(.duration), default: "0ms",
                "How far the service's clocks may be apart."),
            Key(
                "unknown-deadline", .scalar(.duration), default: "60s",
                "After this an unanswered request takes effect no more."),
            Key(
                "throttle", .either([.words("none"), .map(throttle)]),
                default: "{rate: 1/s, burst: 10}",
                "What a device may send; none: as much as it likes."),
        ]

    private static let throttle: [Key] = [
        Key("rate", .scalar(.rate), default: "1/s", "For ever."),
        Key("burst", .scalar(.count(0...100_000)), default: "10", "At first contact, beyond it."),
    ]

    static let standin: [Key] = [
        Key(
            "throttle", .either([.words("contract", "off"), .map(throttle)]), default: "contract",
            "contract: as policies.throttle says, for each forwarded address. {rate: 2/s, burst: 5} "
                + "differs from it."),
        Key(
            "fidelity", .words("lenient", "strict"), default: "lenient",
            "strict refuses what the protocol page forbids though services let it pass."),
        Key(
            "enhanced-errors", .scalar(.flag), default: "false",
            "Errors with action, code, help and trace."),
        Key(
            "not-entitled", .scalar(.share), default: "0%",
            "Users whose package includes no channel: authorize answers 403."),
        .notYet("nodes", accepting: ["1"], example: "2", "Replicas behind one address."),
        Key("authn-ttl", .scalar(.duration), default: "6h", "Life of a sign-in."),
        Key("authz-ttl", .scalar(.duration), default: "24h", "Life of an authorization."),
        Key("media-ttl", .scalar(.duration), default: "7m", "Life of a media token."),
        Key("access-ttl", .scalar(.duration), default: "6h", "Life of an access token."),
        Key(
            "delete-on-first-retrieve", .scalar(.flag), default: "false",
            "A code is gone once its token was fetched."),
        Key(
            "sign-media", .scalar(.flag), default: "false",
            "Media tokens bear an RSA signature that can be verified, at 0.24 ms each."),
        Key(
            "verify-statements", .scalar(.flag), default: "true",
            "Software statements must bear the demo key's signature."),
        Key(
            "platform-key", .scalar(.text), example: "platform-demo.pem",
            "A file beside the rig with the RSA private key of the platform that it trusts; by "
                + "default the demo key."),
        Key(
            "user-ids", .words("login", "opaque"), default: "login",
            "What tokens call a user. login: as the viewer typed it. opaque: an id of the service's own, "
                + "as real services have."),
        Key(
            "providers-remember", .scalar(.flag), default: "false",
            "A provider knows a browser again, and asks for nothing, until a logout through it."),
        Key(
            "providers", .list(.map(provider)), default: "[]",
            example: "[{id: DemoCable, encrypted-zip: true}, {id: DemoSat, platform: picker, "
                + "metadata: true}, {id: DemoNet, platform-for: 20s, platform-refuses: "
                + "token-exchange, integrated-for: 1h}, {id: TempPass, temp-pass: 10m}]",
            "The providers it knows; none: those of target.mvpds, all on the platform, or else "
                + "DemoCable and DemoSat (picker). Both with TempPass."),
        Key(
            "policies", .map(differing), default: "{}", example: "{code-reuse: until-expiry}",
            "Where it differs from the rig's policies, for a test of the tests."),
        Key(
            "network", .map(network), default: "{}",
            "The way between device and service in virtual time."),
    ]

    /// The same keys without a default: what is not said is as in `policies`.
    private static let differing: [Key] = behaviour.map { key in
        var key = key
        key.fallback = nil
        return key
    }

    private static let provider: [Key] = [
        Key("id", .scalar(.shownText), required: true, example: "DemoCable", "The provider's id."),
        Key(
            "platform", .words("supported", "picker", "hidden", "disabled", "none"),
            example: "picker",
            "supported: signs in on the platform. picker: only listed there. hidden: not listed. "
                + "disabled: known and listed, but switched off (enablePlatformServices: false). "
                + "none: unknown there. supported, unless it is a trial."),
        Key(
            "platform-for", .scalar(.duration), example: "20s",
            "Its platform sign-on is switched off so long after the service has started."),
        Key(
            "platform-refuses", .words("none", "profile-request", "token-exchange"),
            default: "none",
            "Turns this request of the platform sign-on down, though the configuration offers it."),
        Key(
            "integrated-for", .scalar(.duration), example: "20s",
            "It leaves the configuration so long after the service has started."),
        Key(
            "temp-pass", .scalar(.duration), example: "10m",
            "A trial that lasts so long from its first authorization."),
        Key("authn-ttl", .scalar(.duration), example: "1h", "Life of its sign-ins."),
        Key("metadata", .scalar(.flag), default: "true", "Tells of its users."),
        Key(
            "encrypted-zip", .scalar(.flag), default: "false",
            "Tells the postal code to the programmer only."),
        Key("proxy", .scalar(.shownText), example: "DemoHub", "The aggregator it stands behind."),
    ]

    private static let network: [Key] = [
        Key(
            "latency", .scalar(.distribution), default: "lognormal(median 2ms, p95 8ms)",
            "One way."),
        Key("loss", .scalar(.share), default: "0%", "Share of requests that get lost."),
    ]
}
