extension Explanation {
    /// The request itself is what a server's team can find.
    private static let exchange =
        "operation, status, UTC time and request id of a few exchanges (report.html and "
        + "history.sqlite have them), and the X-Screenrig header that each carried"

    private static func operation(
        _ name: String, _ line: String, _ meaning: String, harmless: String, send: String = exchange
    ) -> Explanation {
        Explanation(.operation, name, line, meaning, harmless: harmless, send: send)
    }

    static let operations: [Explanation] = [
        operation(
            "register-client", "the application registers and gets a client id",
            "A device shows its software statement and gets client_id and client_secret.",
            harmless: "400 invalid_software_statement: the statement is of another environment, or "
                + "the rig gives none (target.software-statement)."),
        operation(
            "access-token", "a registered client gets a bearer token",
            "client_id and client_secret become an access token for all later calls.",
            harmless:
                "400 invalid_client: registrations were cleared; the device registers again by "
                + "itself."),
        operation(
            "check-authentication", "the TV asks whether it is signed in",
            "Yes or no by 200 or 403, before a code is asked for.",
            harmless: "403 is the usual answer of a TV that is not signed in: it counts as pending."
        ),
        operation(
            "configuration", "the phone asks which providers there are",
            "The list of providers that the viewer picks from.",
            harmless: "404: target.requestor is not the id of this environment."),
        operation(
            "registration-code", "the TV asks for a code to show",
            "A short code that the viewer types in, with its life.",
            harmless: "429: many TVs behind one address; see forwarded-for."),
        operation(
            "registration-record", "the phone looks the code up",
            "What the code belongs to, before the login begins.",
            harmless: "404: the viewer mistyped, or the code ran out meanwhile."),
        operation(
            "delete-registration", "the TV takes its code back",
            "The code is dead from then on; sent with code.delete-after and at clean-up.",
            harmless: "404: the code had run out."),
        operation(
            "authenticate", "the browser begins the login",
            "The first hops, from the code to the provider's page. Each redirect is an "
                + "exchange of its own.",
            harmless: "400: the domain, the redirect address or the provider is not registered for "
                + "this requestor."),
        operation(
            "mvpd-login", "pages and forms of the provider",
            "The provider's own hops: its login page, and the form that is sent back.",
            harmless: "The provider is not the service under test: its slowness is its own.",
            send: "nothing to the service's team; to the provider: address, UTC time and status"),
        operation(
            "assertion", "the provider's word reaches the service",
            "The browser brings the SAML response; from here on the sign-in counts. A redirect "
                + "says that it was taken in, not that it succeeded: check-code tells.",
            harmless: "error=access_denied in the way back: the account may not watch this channel."
        ),
        operation(
            "check-code", "the phone asks whether the code is signed in",
            "200 or 403 after the login; asked again a few times, 1 to 2 s apart.",
            harmless: "One 403 just after the login: replicas; it counts as pending."),
        operation(
            "poll-token", "the TV asks whether somebody signed in",
            "The poll, whatever its target. 404 and 410 mean not yet.",
            harmless:
                "404 is the usual answer while the viewer is still looking for the phone; 429 when "
                + "polling.every is below what the protocol asks."),
        operation(
            "free-preview", "a temporary pass without an account",
            "Signs a TV in for a while without a provider (temp-pass).",
            harmless: "Refused when the device had one before."),
        operation(
            "profile-request", "the TV asks for a profile of platform sign-on",
            "The request that the platform's own account is asked with.",
            harmless: "403: the user of the platform account has not given access."),
        operation(
            "token-exchange", "a platform profile becomes a token",
            "The platform's answer is traded for a sign-in.",
            harmless: "The platform's account has run out."),
        operation(
            "preauthorize", "which resources may be played, without saying why",
            "A list of yes and no for several resources at once.",
            harmless: "no for a resource that the account's package lacks; 403 too_many_resources: "
                + "target.resources lists too many."),
        operation(
            "preauthorize-code", "the same, asked by the phone for a code",
            "Which resources the sign-in of a code may play.",
            harmless: "412 before the login has ended."),
        operation(
            "authorize", "the TV asks to play one resource",
            "200 with an expiry, or 403.",
            harmless: "403: the account may not play this resource; take another from its package."),
        operation(
            "authorization-token", "the TV reads its standing authorization",
            "What authorize has granted before.",
            harmless: "404 when nothing was authorized, 410 when it ran out."),
        operation(
            "media-token", "the short-lived token that a player needs",
            "A signed token for one resource, good for minutes.",
            harmless: "403 when the authorization before it was refused."),
        operation(
            "user-metadata", "what the provider tells of its user",
            "Attributes such as household id or rating, if any.",
            harmless: "404: this provider tells nothing."),
        operation(
            "logout", "the TV signs out",
            "204; after it no token of this device answers.",
            harmless: "None known: a second logout also answers 204."),
        operation(
            "connect", "making a connection", "Name, proxy and TCP, measured by themselves.",
            harmless: "A first connection after a pause is slower: names are looked up again.",
            send: "local and remote address, UTC time"),
        operation(
            "tls", "securing a connection", "The handshake, measured by itself.",
            harmless: "Full handshakes are several times slower than resumed ones.",
            send: "remote address, UTC time, TLS version"),
    ]
}
