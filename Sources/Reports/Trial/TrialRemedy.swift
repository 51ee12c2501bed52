internal import Dialects
internal import Journal
internal import Rigs
internal import Vocabulary

/// What to change after the first failure of a trial: the key of the rig, or what to ask for.
struct TrialRemedy {
    let text: String

    init(_ reading: TrialReading, step: Checklist.Step) {
        let words =
            switch step {
            case _ where reading.isDeviceGrant && GrantRemedy.text(reading, step) != nil:
                GrantRemedy.text(reading, step) ?? ""
            case .name, .tcp, .tls: Self.connection(reading, step)
            case .platform: Self.platform(reading)
            case .register, .token, .pass, .code, .configuration, .approval, .check, .poll,
                .authorize,
                .media, .logout:
                Self.service(reading, step)
            case .user: UserReading.remedy(reading.rig.protocols.map(\.rawValue))
            case .loginPage, .form, .assertion: LoginRemedy.text(reading, step)
            }
        // Hosts, paths and headers of whoever answered.
        text = reading.exchanges.last?.gate.text(Untrusted(words)) ?? words
    }

    // MARK: Connection

    private static func connection(_ reading: TrialReading, _ step: Checklist.Step) -> String {
        let origin = reading.surroundings.origin
        let place = "\(origin.host):\(origin.port)"
        let error = reading.disconnection?.recorded.error
        switch (step, error?.kind) {
        case (.name, .hostNotAllowed):
            return notAllowed(origin.host, error, reading.rig.target)
        case (_, .proxy) where error?.detail.contains("(407)") == true:
            return
                "the proxy wants credentials: write 'proxy: \"${NAME}\"' under target, and set NAME to "
                + "http://USER:PASSWORD@HOST:PORT in the environment"
        case (_, .proxy):
            return
                "target.proxy (\(shown(reading.rig.target.proxy))) does not reach it: correct it, or "
                + "write 'proxy: none' under target if \(origin.host) is reached directly"
        case (.tls, _): return secured(reading, place)
        case (_, _) where reading.surroundings.unusedProxy != nil:
            let proxy = reading.surroundings.unusedProxy ?? ""
            return
                "the environment names a proxy for \(origin.host) (\(proxy)), and the rig does not use "
                + "it: write 'proxy: environment' under target; if \(origin.host) needs no proxy, "
                + "correct target.base and add it to no_proxy"
        case (.name, _):
            return
                "correct the host in target.base; if it is known in your network only, join that network "
                + "(VPN), pin its address under target.resolve, or give the way out under target.proxy"
        case (_, .connectionRefused):
            if let pinned = error?.detail, pinned.contains("target.resolve") { return pinned }
            return
                "start the service, or correct the host and port in target.base: nothing listens on "
                + place
        case (_, .localLimit): return error?.detail ?? ""
        default:
            return
                "nothing at \(place) responds: ask for a way through the firewall (VPN), give the way out under "
                + "target.proxy, or correct the host and port in target.base"
        }
    }

    /// The line to paste has the hosts that are listed already.
    static func notAllowed(_ host: String, _ error: TransportError?, _ target: Target) -> String {
        if error?.detail.contains("production") == true { return error?.detail ?? "" }
        let hosts = (target.allow + [host]).joined(separator: ", ")
        return "if you may send requests to it, write 'allow: [\(hosts)]' under target, or pass "
            + "--allow \(host)"
    }

    private static func shown(_ proxy: TransportOptions.Proxy) -> String {
        switch proxy {
        case .none: "none"
        case .environment: "environment"
        case .url: "a URL"
        }
    }

    private static func secured(_ reading: TrialReading, _ place: String) -> String {
        let detail = reading.disconnection?.recorded.error?.detail ?? ""
        let origin = reading.surroundings.origin
        let isCertain = reading.disconnection?.recorded.reply != nil
        if origin.scheme == .http, !isCertain { return TransportError.remedyForNoHTTP(at: place) }
        if origin.scheme == .http {
            return
                "\(place) expects TLS and got plain HTTP: write https:// instead of http:// in "
                + "target.base"
        }
        let remedies: [(String, String)] = [
            (
                "did not answer the TLS handshake",
                "does \(place) speak plain HTTP? Then write http:// instead of https:// in target.base, or give "
                    + "the port that speaks TLS; if it does speak TLS, ask the server's team why it does not answer"
            ),
            (
                "does not speak TLS",
                "\(place) speaks plain HTTP: write http:// instead of https:// in target.base, or give the port "
                    + "that speaks TLS"
            ),
            (
                "none in the file of tls.ca has signed it",
                "the file under target.tls.ca is not of the authority that signed the server's certificate: ask the "
                    + "server's team for the right one"
            ),
            (
                "unknown CA",
                "name the PEM file of the authority that signed the server's certificate under target.tls.ca "
                    + "(ask the server's team for it); it is added to the system's roots"
            ),
            (
                "expired",
                "ask the server's team to renew its certificate, which has expired (compare this machine's clock "
                    + "too); to go on meanwhile write 'tls: {verify: false}' under target"
            ),
            (
                "certificate of the future",
                "set this machine's clock: the server's certificate is not valid yet"
            ),
            (
                "another name",
                "write the name that the certificate is for into target.base; an address needs "
                    + "target.resolve for that name"
            ),
            (
                "client certificate",
                "ask for a client certificate and name its files under target.tls.certificate and target.tls.key"
            ),
            (
                "do not fit together",
                "target.tls.certificate and target.tls.key are not a pair: name the key of that certificate"
            ),
            ("older TLS", "write 'minimum: \"1.2\"' under target.tls, or ask for a newer server"),
        ]
        return remedies.first { detail.contains($0.0) }?.1
            ?? "ask the server's team what their TLS requires of clients, and compare with target.tls"
    }

    // MARK: The platform

    private static func platform(_ reading: TrialReading) -> String {
        let asked = reading.exchanges.contains {
            TrialReading.parts(of: .platform).contains($0.step)
        }
        let isBrought = reading.exchanges.contains { $0.step == .platformExchange }
        let hasRequest = reading.exchanges.contains {
            if case .profileRequest = $0.answer { true } else { false }
        }
        if hasRequest, !isBrought { return refused(by: reading.kind?.platform?.signer) }
        if asked { return service(reading, .platform) }
        return
            "the configuration must offer the provider of the device's account for the platform "
            + "(enablePlatformServices, boardingStatus SUPPORTED, platformMappingId); ask the server's team to "
            + "enable it for '\(reading.rig.target.requestor)', or try a kind without platform-sign-on (--kind)"
    }

    /// The platform of the rig refused what the service asked of it.
    private static func refused(by signer: PlatformSignOn.Signer?) -> String {
        guard case .command(let program, _)? = signer else {
            return
                "the platform in screenrig, not the service, refused: it answers SAML attribute queries that are signed with "
                + "the demo key, or with 'key' of platform-sign-on (docs/stand-in.md); let a program answer what your "
                + "service asks: platform-sign-on: {command: PROGRAM}"
        }
        return "correct the program '\(program)' of platform-sign-on"
    }

    // MARK: Service

    private static func service(_ reading: TrialReading, _ step: Checklist.Step) -> String {
        guard let last = failing(reading, step) else {
            return "see report.html of this run"
        }
        if let error = last.error {
            if error.kind == .hostNotAllowed {
                return notAllowed(last.call.address.origin.host, error, reading.rig.target)
            }
            return error.kind == .timeout
                ? "raise target.timeout, or ask the server's team why it is slow"
                : "ask the server's team about it: \(error.detail)"
        }
        if let elsewhere = ServiceRemedy.wrongBase(reading, last) { return elsewhere }
        return ServiceRemedy.refusal(reading, step, last)
    }

    /// The exchange that a failed step is about.
    private static func failing(_ reading: TrialReading, _ step: Checklist.Step)
        -> RecordedExchange?
    {
        let sentence: String
        switch reading.state(of: step) {
        case .failed(let words), .notEntitled(let words): sentence = words
        default: return nil
        }
        return reading.exchanges.last { sentence.hasPrefix($0.sentence) }
            ?? reading.exchanges.last { TrialReading.parts(of: step).contains($0.step) }
    }
}
