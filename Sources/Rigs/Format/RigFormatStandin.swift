/// The rows about what the protocol leaves open, and about the embedded stand-in.
extension RigFormat {
    /// What a service does where the protocol is silent.
    private static let behaviour: [Key] = [
        Key(
            "code-reuse", .words("single", "until-expiry"), default: "single",
            "single: a code works for one sign-in. until-expiry: it works again until it expires."),
        Key(
            "new-code", .words("replace", "keep"), default: "replace",
            "replace: a new code of a device invalidates its former one. keep: both work."),
        Key(
            "second-sign-in", .words("replace", "reject"), default: "replace",
            "replace: the newest sign-in of a device counts. reject: the first stays."),
        Key(
            "media-reuse", .words("never", "until-expiry"), default: "never",
            "never: each media request has a token of its own. until-expiry: the same one again."),
        Key(
            "gone-decays", .scalar(.flag), default: "true",
            "Whether the response for an expired code may change from 410 to 404 later."),
    ]

    static let policies: [Key] =
        behaviour + [
            Key(
                "visibility", .scalar(.duration), default: "0ms",
                "How long after a completed sign-in a poll may still miss it."),
            Key(
                "sweep-lag", .scalar(.duration), default: "0ms",
                "How long something may still exist after its expiry."),
            Key(
                "clock-tolerance", .scalar(.duration), default: "0ms",
                "How far the service's clocks may differ."),
            Key(
                "unknown-deadline", .scalar(.duration), default: "60s",
                "How long an unanswered request may still take effect."),
            Key(
                "throttle", .either([.words("none"), .map(throttle)]),
                default: "{rate: 1/s, burst: 10}",
                "Rate limit per device; none: unlimited."),
        ]

    private static let throttle: [Key] = [
        Key("rate", .scalar(.rate), default: "1/s", "Sustained rate."),
        Key(
            "burst", .scalar(.count(0...100_000)), default: "10",
            "Requests allowed in a burst "
                + "beyond the rate."),
    ]

    static let standin: [Key] = [
        Key(
            "throttle", .either([.words("contract", "off"), .map(throttle)]), default: "contract",
            "contract: policies.throttle for each forwarded address. {rate: 2/s, burst: 5}: "
                + "another limit."),
        Key(
            "fidelity", .words("lenient", "strict"), default: "lenient",
            "strict: reject requests that the protocol forbids, although real services accept "
                + "them."),
        Key(
            "enhanced-errors", .scalar(.flag), default: "false",
            "Error bodies with action, code, help and trace."),
        Key(
            "not-entitled", .scalar(.share), default: "0%",
            "Share of users who may not play anything: authorize answers 403."),
        .notYet("nodes", accepting: ["1"], example: "2", "Replicas behind one address."),
        Key("authn-ttl", .scalar(.duration), default: "6h", "Lifetime of a sign-in."),
        Key("authz-ttl", .scalar(.duration), default: "24h", "Lifetime of an authorization."),
        Key("media-ttl", .scalar(.duration), default: "7m", "Lifetime of a media token."),
        Key("access-ttl", .scalar(.duration), default: "6h", "Lifetime of an access token."),
        Key(
            "delete-on-first-retrieve", .scalar(.flag), default: "false",
            "A code is deleted when its token is fetched."),
        Key(
            "sign-media", .scalar(.flag), default: "false",
            "Sign media tokens with RSA, so that they can be verified; costs 0.24 ms each."),
        Key(
            "verify-statements", .scalar(.flag), default: "true",
            "Accept only software statements signed with the demo key."),
        Key(
            "platform-key", .scalar(.text), example: "platform-demo.pem",
            "File next to the rig with the RSA private key of the trusted platform. Default: the "
                + "demo key."),
        Key(
            "user-ids", .words("login", "opaque"), default: "login",
            "User ids in tokens. login: the name that the viewer typed. opaque: an id chosen by "
                + "the service, as with real services."),
        Key(
            "providers-remember", .scalar(.flag), default: "false",
            "A provider remembers a browser and skips its login page until a logout."),
        Key(
            "providers", .list(.map(provider)), default: "[]",
            example: "[{id: DemoCable, encrypted-zip: true}, {id: DemoSat, platform: picker, "
                + "metadata: true}, {id: DemoNet, platform-for: 20s, platform-refuses: "
                + "token-exchange, integrated-for: 1h}, {id: TempPass, temp-pass: 10m}]",
            "The stand-in's providers. Default: those of target.mvpds, all on the platform, or "
                + "else DemoCable and DemoSat (picker); in both cases also TempPass."),
        Key(
            "policies", .map(differing), default: "{}", example: "{code-reuse: until-expiry}",
            "Policies in which the stand-in differs from the rig's, to test the checker."),
        Key(
            "network", .map(network), default: "{}",
            "The network between device and service in virtual time."),
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
                + "none: unknown there. Default: supported, except for a TempPass."),
        Key(
            "platform-for", .scalar(.duration), example: "20s",
            "Its platform sign-on is switched off this long after the service has started."),
        Key(
            "platform-refuses", .words("none", "profile-request", "token-exchange"),
            default: "none",
            "Reject this request of the platform sign-on, although the configuration offers it."),
        Key(
            "integrated-for", .scalar(.duration), example: "20s",
            "It is removed from the configuration this long after the service has started."),
        Key(
            "temp-pass", .scalar(.duration), example: "10m",
            "A TempPass that lasts this long from its first authorization."),
        Key("authn-ttl", .scalar(.duration), example: "1h", "Lifetime of its sign-ins."),
        Key("metadata", .scalar(.flag), default: "true", "Returns user metadata."),
        Key(
            "encrypted-zip", .scalar(.flag), default: "false",
            "Encrypts the postal code for the programmer."),
        Key("proxy", .scalar(.shownText), example: "DemoHub", "The aggregator in front of it."),
    ]

    private static let network: [Key] = [
        Key(
            "latency", .scalar(.distribution), default: "lognormal(median 2ms, p95 8ms)",
            "One-way latency."),
        Key("loss", .scalar(.share), default: "0%", "Share of lost requests."),
    ]
}
