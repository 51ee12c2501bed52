extension Explanation {
    /// A server's team finds a request in its logs by these.
    private static let exchange =
        "operation, status, UTC time and request id of a few exchanges (report.html and "
        + "history.sqlite list them), and the X-Screenrig header of each request"

    private static func operation(
        _ name: String, _ line: String, _ meaning: String, harmless: String, send: String = exchange
    ) -> Explanation {
        Explanation(.operation, name, line, meaning, harmless: harmless, send: send)
    }

    static let operations: [Explanation] = [
        operation(
            "register-client", "the application registers and gets a client id",
            "A device sends its software statement and gets client_id and client_secret.",
            harmless: "400 invalid_software_statement: the statement is of another environment, or "
                + "the rig gives none (target.software-statement)."),
        operation(
            "access-token", "a registered client gets a bearer token",
            "client_id and client_secret become an access token for all later calls.",
            harmless:
                "400 invalid_client: the service has cleared its registrations; the device registers again "
                + "automatically."),
        operation(
            "check-authentication", "the TV asks whether it is signed in",
            "200 means yes, 403 means no. The TV asks before it requests a code.",
            harmless:
                "403 is the normal response for a TV that is not signed in; it counts as pending."
        ),
        operation(
            "configuration", "the phone asks for the list of providers",
            "The list of providers that the viewer chooses from.",
            harmless: "404: this environment does not know target.requestor."),
        operation(
            "registration-code", "the TV asks for a code to show",
            "A short code that the viewer types in, with its expiry.",
            harmless: "429: many TVs share one address; see forwarded-for."),
        operation(
            "registration-record", "the phone looks the code up",
            "Returns the device that the code belongs to, before the login begins.",
            harmless: "404: the viewer mistyped the code, or it has expired."),
        operation(
            "delete-registration", "the TV deletes its code",
            "The code no longer works afterwards. Sent with code.delete-after and at clean-up.",
            harmless: "404: the code had expired already."),
        operation(
            "authenticate", "the browser begins the login",
            "The first redirects, from the code to the provider's page. Each redirect is a "
                + "request of its own.",
            harmless: "400: the domain, the redirect address or the provider is not registered for "
                + "this requestor."),
        operation(
            "mvpd-login", "pages and forms of the provider",
            "The requests to the provider: its login page and the submitted form.",
            harmless: "The provider is slow; it is not the service under test.",
            send: "nothing to the service's team; to the provider: address, UTC time and status"),
        operation(
            "assertion", "the provider's SAML response reaches the service",
            "The browser posts the SAML response, which completes the sign-in. A redirect means that "
                + "the service accepted the request, not that the sign-in succeeded: see check-code.",
            harmless: "error=access_denied in the redirect: the account may not watch this channel."
        ),
        operation(
            "check-code", "the phone asks whether the code is signed in",
            "200 or 403 after the login. The phone repeats it a few times, 1 to 2 s apart.",
            harmless: "One 403 just after the login: replication lag; it counts as pending."),
        operation(
            "poll-token", "the TV polls for its token",
            "One poll. 404 and 410 mean \"not yet\".",
            harmless:
                "404 is the normal response until the viewer has signed in; 429 if polling.every is "
                + "below the protocol's minimum."),
        operation(
            "free-preview", "a temporary pass without an account",
            "Signs a TV in for a limited time without a provider (temp-pass).",
            harmless: "Refused if the device has used its temporary pass before."),
        operation(
            "profile-request", "the TV asks for a profile of platform sign-on",
            "Returns the request that the TV passes to the platform's account.",
            harmless: "403: the owner of the platform account has not granted access."),
        operation(
            "token-exchange", "a platform profile becomes a token",
            "The service exchanges the platform's response for a sign-in.",
            harmless: "The platform account's session has expired."),
        operation(
            "preauthorize", "the TV asks which resources it may play",
            "Yes or no for each of several resources, without a reason.",
            harmless: "no for a resource that the account's package lacks; 403 too_many_resources: "
                + "target.resources lists too many."),
        operation(
            "preauthorize-code", "the phone asks which resources a code's sign-in may play",
            "Preauthorization by code instead of by device.",
            harmless: "412: the login is not complete yet."),
        operation(
            "authorize", "the TV asks to play one resource",
            "200 with an expiry means yes, 403 means no.",
            harmless: "403: the account may not play this resource; take another from its package."),
        operation(
            "authorization-token", "the TV reads its standing authorization",
            "Returns what authorize granted before.",
            harmless: "404: nothing was authorized. 410: the authorization has expired."),
        operation(
            "media-token", "the short-lived token that a player needs",
            "A signed token for one resource, valid for minutes.",
            harmless: "403: the preceding authorize was refused."),
        operation(
            "user-metadata", "the provider's data about the user",
            "Attributes such as household id or rating, if the provider shares any.",
            harmless: "404: this provider shares no attributes."),
        operation(
            "logout", "the TV signs out",
            "204. Afterwards no token of this device works.",
            harmless: "None known: a second logout also returns 204."),
        operation(
            "connect", "opening a connection",
            "DNS, proxy and TCP, measured separately from the request.",
            harmless: "The first connection after a pause is slower: it needs a DNS lookup.",
            send: "local and remote address, UTC time"),
        operation(
            "tls", "the TLS handshake", "Measured separately from the request.",
            harmless: "Full handshakes are several times slower than resumed ones.",
            send: "remote address, UTC time, TLS version"),
    ]
}
