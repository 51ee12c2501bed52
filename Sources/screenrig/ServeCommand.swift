internal import ArgumentParser
internal import Formats
internal import Foundation
internal import Reports
internal import Rigs
internal import Runner
internal import Signing
internal import Standin
internal import Statistics
internal import Synchronization
internal import Vocabulary

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the stand-in sign-in service alone, until Ctrl-C.",
        discussion: """
            Example:
                screenrig serve --port 8080
                screenrig serve --provider --users 'viewer-{n}:password=pw-{n},locked=1%'
                screenrig serve --policy code-reuse=until-expiry --policy new-code=keep
                screenrig serve --fault ack-before-apply:window=3s --truth truth.jsonl

            The first line of output is its URL. --fault switches on a fault, and --truth FILE logs each \
            activation; at the end it prints how often each fault was activated. It listens on 127.0.0.1 \
            unless --host names another address: in a container, --host 0.0.0.0 with a published port. With \
            --tls it creates a certificate and prints its path: name that file under target.tls.ca.

            --provider serves an identity provider instead, for a staging service to sign test users in with: SAML \
            2.0 and OpenID Connect, users by rule. It prints its metadata; docs/provider.md has the rest.

            GET /_standin/counters returns its counters. --policy takes the keys of 'policies' and 'standin' \
            in a rig; rigs/reference.yaml explains them. --rig RIG takes them from a rig.
            """)

    @Option(
        help: ArgumentHelp(
            "Address or name to listen on; off loopback, anybody who can reach it can sign in.",
            valueName: "ADDRESS"))
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("Port to listen on; 0 chooses a free one.", valueName: "PORT"))
    var port = 8080

    @Flag(help: "Serve HTTPS with a certificate created for this run.")
    var tls = false

    @Option(help: ArgumentHelp("Seed for ids, codes and tokens.", valueName: "N"))
    var seed: UInt64 = 1

    @Flag(name: .customLong("no-throttle"), help: "Never throttle (no 429).")
    var isUnthrottled = false

    @Flag(help: "Reject requests that lack anything the protocol requires.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "A programmer that it knows (default: DEMOTV); repeatable.", valueName: "ID"))
    var requestor: [String] = []

    @Option(
        help: ArgumentHelp(
            "A domain registered for each of them (default: demo.test); repeatable.",
            valueName: "DOMAIN"))
    var domain: [String] = []

    @Option(
        help: ArgumentHelp(
            "How clients show who they are: bearer (default), any (also by the older HMAC header of REST "
                + "V1, which is not verified), none.",
            valueName: "KIND"),
        completion: .list(["bearer", "any", "none"]))
    var auth: String?

    @Option(
        help: ArgumentHelp(
            "Trust the platform that signs with this RSA key (PEM, private or public), or any.",
            valueName: "FILE|any"),
        completion: .file())
    var platformKey: String?

    @Option(
        help: ArgumentHelp(
            "Take 'standin' and 'policies' from this rig; --policy replaces single values.",
            valueName: "RIG"),
        completion: .file(extensions: ["yaml", "yml"]), transform: RigFolders.path)
    var rig: String?

    @Option(
        name: .customLong("policy"),
        help: ArgumentHelp(
            "Choose a behaviour that the protocol leaves open; repeatable.", valueName: "k=v"))
    var policies: [String] = []

    @Option(
        name: .customLong("fault"),
        help: ArgumentHelp(
            "Switch on a fault; repeatable. 'screenrig list' shows the names, 'explain' the "
                + "parameters.",
            valueName: "NAME[:key=value,…]"),
        completion: .list(FaultOptions.names))
    var faults: [String] = []

    @Option(
        help: ArgumentHelp(
            "Log each fault activation to this file, as JSON lines.", valueName: "FILE"),
        completion: .file())
    var truth: String?

    @OptionGroup(title: "Identity provider") var providerOptions: ProviderOptions

    func validate() throws {
        if !(0...65535).contains(port) {
            throw ValidationError("--port is \(port); it must be 0 to 65535")
        }
        let others = [
            ("--rig", rig != nil), ("--policy", !policies.isEmpty), ("--fault", !faults.isEmpty),
            ("--requestor", !requestor.isEmpty), ("--domain", !domain.isEmpty),
            ("--auth", auth != nil), ("--platform-key", platformKey != nil),
            ("--truth", truth != nil), ("--strict", strict), ("--no-throttle", isUnthrottled),
        ]
        if providerOptions.isProvider, let (name, _) = others.first(where: \.1) {
            throw ValidationError(
                "\(name) is for the sign-in service, and --provider serves none; leave one of them out"
            )
        }
        if host.isEmpty || host.contains(where: { $0 == "/" || $0 == " " || $0 == "," }) {
            throw ValidationError(
                "--host is '\(host)'; it must be an address or a name, such as 0.0.0.0 (the port goes to "
                    + "--port)")
        }
    }

    func run() async throws {
        let provider =
            providerOptions.isProvider ? try providerOptions.provider(seed: seed) : nil
        let settings = try settings()
        let record = try truth.map { try TruthFile($0) }
        let faults = try FaultOptions.faults(faults)
        record?.enable(faults)
        let activations = Mutex(FaultActivations(faults, []))
        let epoch = WallClock.microseconds / 1000
        let service =
            provider.map { Service($0, epochMilliseconds: epoch) }
            ?? Service(settings, faults: faults, seed: Seed(seed), epochMilliseconds: epoch)
        // Before the URL is told: whoever reads it may interrupt at once.
        let (signals, continuation) = AsyncStream.makeStream(of: Int.self)
        let interrupts = Interrupts { number in
            // A client that holds its connection must not keep the service.
            if number > 1 { _exit(ExitCode.interrupted.rawValue) }
            continuation.yield(number)
        }
        let listener: Listener
        var certificate: String?
        do {
            let pair = tls ? try CertificatePair.selfSigned(for: names) : nil
            certificate = try pair.map(Self.save)
            listener = try await Listener.start(
                service, host: host, port: port, tls: pair,
                truth: { events in
                    record?.append(events)
                    activations.withLock { $0.take(events) }
                })
        } catch {
            throw CommandFailure.couldNotRun("cannot serve on \(host):\(port): \(error)")
        }
        Terminal.print(listener.url)
        if !TargetNeeds.isThisMachine(host) {
            Terminal.complain(
                "warning: listening on \(host): anybody who can reach this machine can use it, "
                    + "and it gives sign-ins to "
                    + "anybody")
        }
        if let certificate { Terminal.print("certificate: \(certificate)") }
        if let provider {
            Terminal.print(providerOptions.introduction(provider, url: listener.url))
        }
        for await _ in signals { break }
        withExtendedLifetime(interrupts) {}
        for line in await listener.providerCounters()?.lines ?? [] { Terminal.print(line) }
        await listener.stop()
        let told = activations.withLock { $0.sentence }
        if !told.isEmpty { Terminal.complain(told) }
    }

    /// What the certificate is for: this machine, and where it listens if that is one address.
    private var names: [String] {
        let usual = ["localhost", "127.0.0.1", "::1"]
        return usual.contains(host) || ["0.0.0.0", "::"].contains(host) ? usual : usual + [host]
    }

    /// The stand-in of the given rig, else of one that says nothing but these policies, so that they are
    /// read, and refused, as in a rig.
    private func settings() throws -> ServiceSettings {
        let policies: [(path: String, value: String)] = try policies.map { text in
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw CommandFailure.badInput(
                    "--policy '\(text)' has no value; write --policy new-code=keep")
            }
            let key = text[..<equals]
            let isPolicy = Policies.words.contains { $0.name == key }
            // As in a rig, where both sections have the key.
            let isWhole = key.hasPrefix("standin.") || key.hasPrefix("policies.")
            return (
                path: isWhole ? String(key) : "\(isPolicy ? "policies" : "standin").\(key)",
                value: String(text[text.index(after: equals)...])
            )
        }
        let plain =
            "rig: serve\ntarget: {base: embedded}\nload: {closed: {households: 1}}\n"
        let surroundings = RigSurroundings(overrides: options + policies)
        do {
            let reading =
                if let rig {
                    try Rig.read(contentsOf: rig, with: surroundings)
                } else {
                    try Rig.read(plain, file: "serve", with: surroundings)
                }
            var settings = Assembly.service(reading.rig)
            settings.platformKey = try Assembly.platformKey(reading.rig)
            if strict { settings.fidelity = .strict }
            if isUnthrottled { settings.policies.throttle = nil }
            return settings
        } catch {
            throw CommandFailure.badInput(named("\(error)"))
        }
    }

    /// Options that are keys of `standin` as well.
    private var options: [(path: String, value: String)] {
        func list(_ words: [String]) -> String {
            "[\(words.map { JSON.string($0).text(.compact) }.joined(separator: ", "))]"
        }
        return [
            ("requestors", requestor.isEmpty ? nil : list(requestor)),
            ("domains", domain.isEmpty ? nil : list(domain)), ("auth", auth),
            ("platform-key", platformKey),
        ].compactMap { key, value in value.map { ("standin.\(key)", $0) } }
    }

    /// A problem with where it comes from, in this command's words.
    private func named(_ problem: String) -> String {
        var problem = problem
        for (key, option, isGiven) in [
            ("requestors", "requestor", !requestor.isEmpty), ("domains", "domain", !domain.isEmpty),
            ("auth", "auth", auth != nil), ("platform-key", "platform-key", platformKey != nil),
        ] where isGiven {
            problem = problem.replacing("--set standin.\(key)", with: "--\(option)")
        }
        return problem.replacing("--set ", with: "--policy ")
    }

    /// Beside the temporary files, for the rig to trust.
    private static func save(_ pair: CertificatePair) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "screenrig-\(getpid()).pem")
        try Data(pair.certificate.utf8).write(to: file, options: .atomic)
        return file.path
    }
}
