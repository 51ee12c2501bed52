/// The rows under `target:`.
extension RigFormat {
    static let target: [Key] =
        [
            Key(
                "from", .scalar(.text), example: "targets/staging.yaml", alternative: true,
                "A file with keys of this section, relative to the rig; keys given here take "
                    + "precedence. --target FILE.yaml does the same."),
            Key(
                "base", .scalar(.base), default: "embedded",
                "Address of the service. embedded: the stand-in, started for this run."),
            Key(
                "protocol",
                .choice([
                    Shape.Choice("adobe-pass-v1"), .notYet("adobe-pass-v2"),
                    .notYet("oauth-device-grant"),
                ]), default: "adobe-pass-v1", "Protocol of the service."),
            Key(
                "requestor", .scalar(.shownText), default: "DEMOTV",
                "Id of the programmer "
                    + "(requestor)."),
            Key(
                "domain", .scalar(.shownText), default: "demo.test", "domain_name of authenticate."),
            Key(
                "redirect-url", .scalar(.url), default: "https://demo.test/done",
                "Address at which the login ends; recognised, not fetched."),
            Key(
                "fetch-redirect", .scalar(.flag), default: "false",
                "Fetch the page at which the login ends once, as a browser would; allow must "
                    + "then list its host."),
            Key(
                "mvpds", .list(.map(mvpd)), default: "[]",
                example: "[{id: DemoCable, weight: 80}, {id: DemoSat, weight: 20}]",
                "Providers to sign in with. Default: all of the service's configuration, evenly."),
            Key(
                "resources", .list(.scalar(.shownText)), default: "[demo-1]",
                "Resources that the TV requests to play."),
            Key(
                "software-statement", .scalar(.secret), example: "${SOFTWARE_STATEMENT}",
                alternative: true,
                "Software statement for registration. Default: one signed with the stand-in's "
                    + "demo key."),
            Key(
                "clients", .either([.words("per-device", "shared"), .map(client)]),
                default: "per-device",
                "Client registration: per-device, shared (one for all), or no registration: {id: "
                    + "\"${ID}\", secret: "
                    + "\"${SECRET}\"}."),
            Key(
                "auth", .words("bearer", "none"), default: "bearer",
                "Whether requests carry an access token."),
        ] + permission + transport

    private static let permission: [Key] = [
        Key(
            "allow", .list(.either([.scalar(.host), .map(allowed)])), default: "[]",
            example: "[auth.staging.example, {host: idp.mvpd.example, max-rate: 2/s}]",
            "Every host, except loopback, that a request may go to, by name; optionally with its "
                + "own rate limit."),
        Key(
            "max-rate", .scalar(.ceiling), example: "20/s", alternative: true,
            "Hard limit of requests over all lanes; requests beyond it wait. Default: 20/s off "
                + "loopback, none on loopback."),
        Key(
            "breaker", .either([.words("none"), .map(breaker)]),
            example: "{errors: 50%, for: 10s}", alternative: true,
            "Stop a run that does harm: the share of errors stayed above the limit for the given "
                + "time. Default: on off loopback, none on loopback."),
    ]

    private static let breaker: [Key] = [
        Key(
            "errors", .scalar(.share), default: "50%",
            "Limit of the share of errors among "
                + "completed requests."),
        Key(
            "for", .scalar(.duration), default: "10s",
            "How long the share must stay above the "
                + "limit."),
    ]

    private static let transport: [Key] = [
        Key(
            "headers", .named(.scalar(.text)), default: "{}",
            example: "{X-Environment: staging}",
            "Headers added to each request."),
        Key(
            "resolve",
            .named(.either([.list(.scalar(.address)), .map(pinned)])),
            example: "{auth.staging.example: [203.0.113.7, 203.0.113.8]}", alternative: true,
            "Pinned addresses of hosts, used instead of DNS. Households take turns; {addresses: "
                + "[203.0.113.7, 203.0.113.8], spread: screen} changes that."),
        Key("http", .words("1.1", "2"), default: "\"1.1\"", "Version of HTTP."),
        Key(
            "engine",
            .words("auto", "direct", "multi"), default: "auto",
            "HTTP implementation. direct: screenrig's own HTTP/1.1 over libcurl's connections. "
                + "multi: libcurl only. auto: direct for HTTP/1.1, multi for HTTP/2."),
        Key("format", .words("json", "xml"), default: "json", "Requested response format."),
        Key(
            "timeout", .scalar(.duration), default: "10s",
            "Timeout of an exchange."),
        Key(
            "response-limit", .scalar(.size), default: "1MB",
            "A longer body is cut, and the response counts as malformed."),
        Key(
            "max-hops", .scalar(.count(1...100)), default: "20",
            "Limit of redirects and forms in a login."),
        Key("proxy", .scalar(.proxy), default: "none", "Proxy for all requests."),
        Key(
            "tls", .map(tls), default: "{}", alternative: true,
            "TLS settings; need an https base."),
        Key(
            "correlate", .scalar(.flag), default: "true",
            "Send traceparent and X-Screenrig: RUN-ID/HOUSEHOLD/SEQUENCE with each request, for "
                + "the server's logs."),
        Key(
            "probe", .words("on", "off"), example: "on", alternative: true,
            "Before the run, 12 polls with two forwarded addresses find out how the service "
                + "identifies devices when it throttles. Default: on off loopback, off on "
                + "loopback."),
    ]

    private static let mvpd: [Key] = [
        Key("id", .scalar(.shownText), required: true, example: "DemoCable", "The provider's id."),
        Key(
            "weight", .scalar(.count(1...100)), default: "1",
            "Weight of its share of the "
                + "households."),
    ]

    private static let client: [Key] = [
        Key(
            // No secret (RFC 6749, 2.2).
            "id", .scalar(.shownText), required: true, example: "\"${CLIENT_ID}\"",
            "client_id of a registered client."),
        Key(
            "secret", .scalar(.secret), required: true, example: "\"${CLIENT_SECRET}\"",
            "Its client_secret."),
    ]

    private static let allowed: [Key] = [
        Key("host", .scalar(.host), required: true, example: "idp.mvpd.example", "The host."),
        Key("max-rate", .scalar(.rate), example: "2/s", "Hard limit of requests to it."),
    ]

    private static let pinned: [Key] = [
        Key(
            "addresses", .list(.scalar(.address)), required: true,
            example: "[203.0.113.7, 203.0.113.8]", "Literal addresses."),
        Key(
            "spread", .words("household", "screen", "request"), default: "household",
            "household: all screens of a household use one address. screen: each screen uses the "
                + "next. request: each request uses the next (needs connections: fresh)."),
    ]

    private static let tls: [Key] = [
        Key("verify", .scalar(.flag), default: "true", "Verify certificate and name."),
        Key(
            "ca", .scalar(.text), example: "staging-ca.pem", alternative: true,
            "PEM file of CA certificates, added to the system's; relative to this file."),
        Key(
            "ca-only", .scalar(.flag), default: "false", "Trust only the CA certificates of `ca`."),
        Key(
            "certificate", .scalar(.text), example: "client.pem", alternative: true,
            "PEM file of the client's certificate."),
        Key(
            "key", .scalar(.text), example: "client-key.pem", alternative: true,
            "PEM file of the client certificate's key."),
        Key("minimum", .words("1.2", "1.3"), default: "\"1.2\"", "Lowest accepted version of TLS."),
    ]
}
