public import Dialects
public import Vocabulary

/// The service under test, as a rig describes it.
public struct Target: Sendable, Hashable {
    public enum Base: Sendable, Hashable {
        /// The stand-in, started for this run.
        case embedded
        /// Origin, and a path prefix without trailing slash (often empty).
        case remote(Origin, prefix: String)
    }

    /// A provider to sign in with, and its share of the households.
    public struct WeightedProvider: Sendable, Hashable {
        public var id: String
        public var weight: Int

        public init(id: String, weight: Int) {
            self.id = id
            self.weight = weight
        }
    }

    public enum ClientRegistration: Sendable, Hashable {
        case perDevice, shared
        case given(ClientCredentials)
    }

    public var base: Base
    public var protocolName: ProtocolName = .usual
    public var requestor: String = "DEMOTV"
    public var domain: String = "demo.test"
    /// What matters to `oauth-device-grant` alone.
    public var deviceGrant = DeviceGrantTerms()
    public var redirectURL: String = "https://demo.test/done"
    /// The page where a login ends is asked for as well.
    public var fetchesRedirect: Bool = false
    /// Empty: what the configuration offers, with equal weights.
    public var mvpds: [WeightedProvider] = []
    public var resources: [String] = ["demo-1"]
    /// Nil: one signed with the demo key of the stand-in.
    public var softwareStatement: Secret?
    public var clients: ClientRegistration = .perDevice
    public var usesBearer: Bool = true
    /// Host names, lower case, that hops may reach beside loopback.
    public var allow: [String] = []
    public var courtesy: TargetLimits = TargetLimits()
    /// In the order of the file.
    public var pinned: [PinnedHost] = []
    public var headers: Headers = [:]
    public var http: TransportOptions.HTTP = .http1
    public var engine: TransportOptions.Engine = .auto
    public var format: FormatRequest = FormatRequest()
    public var timeout: Duration = .seconds(10)
    /// Bytes of a response's body.
    public var responseLimit: Int = 1_000_000
    public var maxHops: Int = 20
    public var proxy: TransportOptions.Proxy = .none
    public var tls: TransportOptions.TLS = .init()
    public var correlates: Bool = true
    /// Whether a preflight finds out what the service throttles by; nil: off loopback only.
    public var probes: Bool?
    /// When access is degraded, of the providers of which that is known. The embedded target's own are
    /// `StandinTerms.degradations`.
    public var degradations: [Rig.StandinTerms.Degradation] = []
    /// As whom households ask, unless their kind says otherwise.
    public var application: Application {
        Application(
            protocolName: protocolName, requestor: requestor, softwareStatement: softwareStatement)
    }

    /// Whether a run begins with a preflight. The embedded target says itself what it throttles by.
    public func probes(isNear: Bool) -> Bool {
        if case .embedded = base { return false }
        return probes ?? !isNear
    }

    /// The limit of requests over all lanes (`max-rate`), or the default one off loopback; nil: unlimited.
    public var ceiling: Rate? { courtesy.ceiling(onLoopback: isNear) }

    /// Whether it is on loopback by the name of its host, because its addresses are not known before a run.
    var isNear: Bool {
        if case .remote(let origin, _) = base {
            TargetNeeds.isThisMachine(origin.host)
        } else {
            true
        }
    }
}

extension Target: RigSection {
    static let blank = Target(base: .embedded)
    static let keys: [Key<Target>] = [
        Key(
            "from", .scalar(.text), set: { _, _ in }, example: "targets/staging.yaml",
            alternative: true,
            "A file with keys of this section, relative to the rig; keys given here take "
                + "precedence. --target FILE.yaml does the same."),
        Key(
            "base", .scalar(.base), into: \.base, default: "embedded",
            "Address of the service. embedded: the stand-in, started for this run."),
        Key("protocol", .words(), into: \.protocolName, "Protocol of the service."),
        Key(
            "device-grant", section: \.deviceGrant, alternative: true,
            "Settings of an authorization server, with protocol: oauth-device-grant only."),
        Key(
            "requestor", .scalar(.shownText), into: \.requestor,
            "Id of the programmer (requestor)."),
        Key(
            "domain", .scalar(.shownText), into: \.domain, "domain_name of authenticate."),
        Key(
            "redirect-url", .scalar(.url), into: \.redirectURL,
            "Address at which the login ends; recognised, not fetched."),
        Key(
            "fetch-redirect", .scalar(.flag), into: \.fetchesRedirect,
            "Fetch the page at which the login ends once, as a browser would; allow must "
                + "then list its host."),
        Key(
            "mvpds", .list(.section), into: \.mvpds,
            example: "[{id: DemoCable, weight: 80}, {id: DemoSat, weight: 20}]",
            "Providers to sign in with. Default: all of the service's configuration, evenly."),
        Key(
            "resources", .list(.scalar(.shownText)), into: \.resources,
            "Resources that the TV requests to play."),
        Key(
            "software-statement", .scalar(.secret), ifGiven: \.softwareStatement,
            example: "${SOFTWARE_STATEMENT}", alternative: true,
            "Software statement for registration. Default: one signed with the stand-in's demo key."
        ),
        Key(
            "clients",
            .either(
                .words(("per-device", .perDevice), ("shared", .shared)),
                .from(.section) { (client: ClientCredentials) in .given(client) }), into: \.clients,
            "Client registration: per-device, shared (one for all), or no registration: {id: "
                + "\"${ID}\", secret: \"${SECRET}\"}."),
        Key(
            "auth", .words(("bearer", true), ("none", false)), into: \.usesBearer,
            "Whether requests carry an access token."),
        Key(
            "allow", .list(.either(.from(.scalar(.host)) { AllowedHost(host: $0) }, .section)),
            set: { target, hosts in
                target.allow = hosts.map(\.host)
                target.courtesy.hostRates = hosts.compactMap(\.limit)
            }, default: "[]",
            example: "[auth.staging.example, {host: idp.mvpd.example, max-rate: 2/s}]",
            "Every host, except loopback, that a request may go to, by name; optionally with its "
                + "own rate limit."),
        Key(
            "max-rate", .scalar(.ceiling), set: { $0.courtesy.maxRate = $1 }, example: "20/s",
            alternative: true,
            "Hard limit of requests over all lanes; requests beyond it wait. Default: 20/s off "
                + "loopback, none on loopback."),
        Key(
            "breaker", .either(.words(("none", .none)), .from(.section) { .at($0) }),
            set: { $0.courtesy.breaker = $1 }, example: "{errors: 50%, for: 10s}",
            alternative: true,
            "Stop a run that does harm: the share of errors stayed above the limit for the given "
                + "time. Default: on off loopback, none on loopback."),
        Key(
            "headers", .headers, into: \.headers, default: "{}",
            example: "{X-Environment: staging}",
            "Headers added to each request."),
        Key(
            "resolve", .pinnedHosts, set: { $0.pinned = $1 },
            example: "{auth.staging.example: [203.0.113.7, 203.0.113.8]}", alternative: true,
            "Pinned addresses of hosts, used instead of DNS. Households take turns; {addresses: "
                + "[203.0.113.7, 203.0.113.8], spread: screen} changes that."),
        Key(
            "http", .words(), into: \.http, "Version of HTTP."),
        Key(
            "engine", .words(), into: \.engine,
            "HTTP implementation. direct: screenrig's own HTTP/1.1 over libcurl's connections. "
                + "multi: libcurl only. auto: direct for HTTP/1.1, multi for HTTP/2."),
        Key(
            "format", .formatRequest, into: \.format,
            "Requested response format, json or xml, by Accept; or how JSON is requested: accept, "
                + "parameter (format=json), suffix (.json), none (not at all, so that answers are "
                + "XML); or both: {as: xml, by: suffix}."),
        Key(
            "timeout", .scalar(.duration), into: \.timeout, "Timeout of an exchange."),
        Key(
            "response-limit", .scalar(.size), into: \.responseLimit,
            "A longer body is cut, and the response counts as malformed."),
        Key(
            "max-hops", .scalar(.count(1...100)), into: \.maxHops,
            "Limit of redirects and forms in a login."),
        Key(
            "proxy", .scalar(.proxy), into: \.proxy, default: "none", "Proxy for all requests."),
        Key(
            "tls", section: \.tls, alternative: true, "TLS settings; need an https base."),
        Key(
            "correlate", .scalar(.flag), into: \.correlates,
            "Send traceparent and X-Screenrig: RUN-ID/HOUSEHOLD/SEQUENCE with each request, for "
                + "the server's logs."),
        Key(
            "probe", .words(("on", true), ("off", false)), ifGiven: \.probes, example: "on",
            alternative: true,
            "Before the run, 12 polls with two forwarded addresses find out how the service "
                + "identifies devices when it throttles. Default: on off loopback, off on loopback."
        ),
        Key(
            "degrade", .list(.section), into: \.degradations, default: "[]",
            example: "[{mvpd: DemoCable, rule: AuthNAll, from: 20s, until: 40s}]",
            alternative: true,
            "REST V2: degradation rules that you switch on at the service for part of the run. "
                + "Degraded access at these providers at any other time violates "
                + "degradation-bounded. The embedded target has standin.degrade."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        if engine == .direct, http == .http2 {
            reader.refuse(
                marks["engine"].place,
                "engine 'direct' supports HTTP/1.1 only; write engine: multi, or http: \"1.1\"")
        }
        if case .url = proxy, !pinned.isEmpty {
            reader.refuse(
                marks["resolve"].place,
                "'resolve' has no effect with a proxy, which resolves names itself; remove "
                    + "'resolve' or 'proxy'")
        }
        if marks.isWhole { checkTLS(marks["tls"], &reader) }
    }

    private func checkTLS(_ marks: Marks, _ reader: inout ValueReader) {
        guard let first = marks.given.first else { return }
        var isSecure = false
        if case .remote(let origin, _) = base { isSecure = origin.scheme == .https }
        if !isSecure {
            reader.refuse(
                marks[first].place,
                "tls needs an https address in target.base; write base: https://..., or remove tls")
        }
        if (tls.certificate == nil) != (tls.key == nil) {
            reader.refuse(
                marks[tls.key == nil ? "certificate" : "key"].place,
                "a client certificate needs two files; give both 'certificate' and 'key'")
        }
        if tls.caOnly, tls.ca == nil {
            reader.refuse(
                marks["ca-only"].place,
                "'ca-only' without 'ca' trusts no certificate; add 'ca: FILE'")
        }
    }
}

extension Target.WeightedProvider: RigSection {
    static let blank = Target.WeightedProvider(id: "", weight: 1)
    static let keys: [Key<Target.WeightedProvider>] = [
        Key(
            "id", .scalar(.shownText), into: \.id, required: true, example: "DemoCable",
            "The provider's id."),
        Key(
            "weight", .scalar(.count(1...100)), into: \.weight,
            "Weight of its share of the households."),
    ]
}

extension ClientCredentials: RigSection {
    static let blank = ClientCredentials(id: "", secret: Secret(""))
    static let keys: [Key<ClientCredentials>] = [
        Key(
            // No secret (RFC 6749, 2.2).
            "id", .scalar(.shownText), into: \.id, required: true, example: "\"${CLIENT_ID}\"",
            "client_id of a registered client."),
        Key(
            "secret", .scalar(.secret), into: \.secret, required: true,
            example: "\"${CLIENT_SECRET}\"", "Its client_secret."),
    ]
}

extension TransportOptions.TLS: RigSection {
    static let blank = TransportOptions.TLS()
    static let keys: [Key<TransportOptions.TLS>] = [
        Key(
            "verify", .scalar(.flag), into: \.verifies, "Verify certificate and name."),
        Key(
            "ca", .path, ifGiven: \.ca, example: "staging-ca.pem", alternative: true,
            "PEM file of CA certificates, added to the system's; relative to this file."),
        Key(
            "ca-only", .scalar(.flag), into: \.caOnly, "Trust only the CA certificates of `ca`."),
        Key(
            "certificate", .path, ifGiven: \.certificate, example: "client.pem", alternative: true,
            "PEM file of the client's certificate."),
        Key(
            "key", .path, ifGiven: \.key, example: "client-key.pem", alternative: true,
            "PEM file of the client certificate's key."),
        Key(
            "minimum", .words(), into: \.minimum, "Lowest accepted version of TLS."),
    ]
}
