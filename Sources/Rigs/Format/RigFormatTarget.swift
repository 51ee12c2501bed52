/// The rows under `target:`.
extension RigFormat {
    static let target: [Key] =
        [
            Key(
                "from", .scalar(.text), example: "targets/staging.yaml", alternative: true,
                "A file of its own with keys of this section, relative to the rig; what stands "
                    + "here wins. --target FILE.yaml does the same."),
            Key(
                "base", .scalar(.base), default: "embedded",
                "Address of the service, or embedded: the stand-in, started for this run."),
            Key(
                "protocol",
                .choice([
                    Shape.Choice("adobe-pass-v1"), .notYet("adobe-pass-v2"),
                    .notYet("oauth-device-grant"),
                ]), default: "adobe-pass-v1", "What it speaks."),
            Key("requestor", .scalar(.shownText), default: "DEMOTV", "The programmer's id."),
            Key(
                "domain", .scalar(.shownText), default: "demo.test", "domain_name of authenticate."),
            Key(
                "redirect-url", .scalar(.url), default: "https://demo.test/done",
                "Where the login ends: recognised, not fetched."),
            Key(
                "fetch-redirect", .scalar(.flag), default: "false",
                "Fetch the page where the login ends, once, as a browser would; its host is then to "
                    + "be listed under allow."),
            Key(
                "mvpds", .list(.map(mvpd)), default: "[]",
                example: "[{id: DemoCable, weight: 80}, {id: DemoSat, weight: 20}]",
                "Providers to sign in with; none: what the configuration offers, evenly."),
            Key(
                "resources", .list(.scalar(.shownText)), default: "[demo-1]",
                "What the TV asks to play."),
            Key(
                "software-statement", .scalar(.secret), example: "${SOFTWARE_STATEMENT}",
                alternative: true,
                "Proves the application at registration; by default one signed with the demo key "
                    + "of the stand-in."),
            Key(
                "clients", .either([.words("per-device", "shared"), .map(client)]),
                default: "per-device",
                "Who registers: each device, one for all, or nobody: {id: \"${ID}\", secret: "
                    + "\"${SECRET}\"}."),
            Key(
                "auth", .words("bearer", "none"), default: "bearer",
                "Whether requests carry an access token."),
        ] + permission + transport

    private static let permission: [Key] = [
        Key(
            "allow", .list(.either([.scalar(.host), .map(allowed)])), default: "[]",
            example: "[auth.staging.example, {host: idp.mvpd.example, max-rate: 2/s}]",
            "Every host beside loopback that any hop may reach, by name; with a ceiling of "
                + "requests of its own where it needs one."),
        Key(
            "max-rate", .scalar(.ceiling), example: "20/s", alternative: true,
            "Hard ceiling of requests, over all lanes; what comes faster is held back. 20/s for a "
                + "target off loopback, none on it."),
        Key(
            "breaker", .either([.words("none"), .map(breaker)]),
            example: "{errors: 50%, for: 10s}", alternative: true,
            "Stops a run that does harm: the share of errors stayed above for so long. On for a "
                + "target off loopback, none on it."),
    ]

    private static let breaker: [Key] = [
        Key("errors", .scalar(.share), default: "50%", "Share of errors among what ended."),
        Key("for", .scalar(.duration), default: "10s", "How long it stays above."),
    ]

    private static let transport: [Key] = [
        Key(
            "headers", .named(.scalar(.text)), default: "{}",
            example: "{X-Environment: staging}",
            "Added to each request."),
        Key(
            "resolve",
            .named(.either([.list(.scalar(.address)), .map(pinned)])),
            example: "{auth.staging.example: [203.0.113.7, 203.0.113.8]}", alternative: true,
            "Addresses of hosts, pinned: the system is not asked. Households take turns with them; "
                + "{addresses: [203.0.113.7, 203.0.113.8], spread: screen} shares them otherwise."),
        Key("http", .words("1.1", "2"), default: "\"1.1\"", "Version of HTTP."),
        Key(
            "engine",
            .words("auto", "direct", "multi"), default: "auto",
            "What speaks HTTP: our own HTTP/1.1 over libcurl's connections (direct), or all of "
                + "libcurl (multi). auto is direct for HTTP/1.1, multi for HTTP/2."),
        Key("format", .words("json", "xml"), default: "json", "What answers are asked for in."),
        Key(
            "timeout", .scalar(.duration), default: "10s",
            "After this an exchange counts as timed out."),
        Key(
            "response-limit", .scalar(.size), default: "1MB",
            "A longer body is cut, and the answer malformed."),
        Key(
            "max-hops", .scalar(.count(1...100)), default: "20",
            "Redirects and forms that a login may take."),
        Key("proxy", .scalar(.proxy), default: "none", "The way out."),
        Key(
            "tls", .map(tls), default: "{}", alternative: true,
            "How connections are secured; needs https."),
        Key(
            "correlate", .scalar(.flag), default: "true",
            "traceparent and X-Screenrig: RUN-ID/HOUSEHOLD/SEQUENCE on each request, for the "
                + "server's logs."),
        Key(
            "probe", .words("on", "off"), example: "on", alternative: true,
            "Before the run, 12 polls under two forwarded addresses find out what the service throttles "
                + "by. On for a target off loopback, off on it."),
    ]

    private static let mvpd: [Key] = [
        Key("id", .scalar(.shownText), required: true, example: "DemoCable", "The provider's id."),
        Key("weight", .scalar(.count(1...100)), default: "1", "Its share of the households."),
    ]

    private static let client: [Key] = [
        Key(
            // No secret (RFC 6749, 2.2).
            "id", .scalar(.shownText), required: true, example: "\"${CLIENT_ID}\"",
            "client_id of a client registered before."),
        Key(
            "secret", .scalar(.secret), required: true, example: "\"${CLIENT_SECRET}\"",
            "Its client_secret."),
    ]

    private static let allowed: [Key] = [
        Key("host", .scalar(.host), required: true, example: "idp.mvpd.example", "The host."),
        Key("max-rate", .scalar(.rate), example: "2/s", "Hard ceiling of requests to it."),
    ]

    private static let pinned: [Key] = [
        Key(
            "addresses", .list(.scalar(.address)), required: true,
            example: "[203.0.113.7, 203.0.113.8]", "Literal addresses."),
        Key(
            "spread", .words("household", "screen", "request"), default: "household",
            "household: its screens share one. screen: each has the next. request: each goes to "
                + "the next (needs connections: fresh)."),
    ]

    private static let tls: [Key] = [
        Key("verify", .scalar(.flag), default: "true", "Check certificate and name."),
        Key(
            "ca", .scalar(.text), example: "staging-ca.pem", alternative: true,
            "PEM file of authorities, added to the system's; relative to this file."),
        Key(
            "ca-only", .scalar(.flag), default: "false", "Trust the authorities of `ca` alone."),
        Key(
            "certificate", .scalar(.text), example: "client.pem", alternative: true,
            "PEM file of the client's certificate."),
        Key(
            "key", .scalar(.text), example: "client-key.pem", alternative: true,
            "PEM file of its key."),
        Key("minimum", .words("1.2", "1.3"), default: "\"1.2\"", "Oldest version of TLS."),
    ]
}
