internal import ArgumentParser
internal import Foundation
internal import Rigs
internal import Signing
internal import Standin
internal import Statistics

/// `serve --provider`: an identity provider for services under test.
struct ProviderOptions: ParsableArguments {
    @Flag(
        name: .customLong("provider"),
        help:
            "Serve an identity provider (SAML 2.0, OpenID Connect) instead of the sign-in service.")
    var isProvider = false

    @Option(
        name: .customLong("users"),
        help: ArgumentHelp(
            "Users by rule, such as 'viewer-{n}:password=pw-{n},locked=1%'; repeatable, the "
                + "first that fits decides. Keys: password, from, to, latency, errors, locked, denied, "
                + "lockout, lockout-for. Default: viewer-{n}:password=pw-{n}.",
            valueName: "NAME[:k=v,…]"))
    var users: [String] = []

    @Option(
        name: .customLong("sp"),
        help: ArgumentHelp(
            "A service provider of SAML and the address of its assertion consumer; repeatable. "
                + "Without any, every service provider is answered.", valueName: "ENTITY=URL"))
    var serviceProviders: [String] = []

    @Option(
        name: .customLong("client"),
        help: ArgumentHelp(
            "A client of OpenID Connect with its redirect URI; repeatable, also for one client. "
                + "Without a secret it must use PKCE.", valueName: "ID[:SECRET]=URL"))
    var clients: [String] = []

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp(
            "The address under which browsers and services reach it, if that is not the one "
                + "they ask for (Host).", valueName: "URL"))
    var publicURL: String?

    @Option(
        name: .customLong("signing-key"),
        help: ArgumentHelp(
            "A PEM file with the RSA key to sign with, and its certificate if it has one. "
                + "Default: both are made for this run.", valueName: "FILE"),
        completion: .file())
    var signingKey: String?

    func validate() throws {
        let given = [
            ("--users", !users.isEmpty), ("--sp", !serviceProviders.isEmpty),
            ("--client", !clients.isEmpty), ("--public-url", publicURL != nil),
            ("--signing-key", signingKey != nil),
        ]
        if !isProvider, let (name, _) = given.first(where: \.1) {
            throw ValidationError("\(name) is for an identity provider; add --provider")
        }
    }

    /// The provider that the options describe.
    func provider(seed: UInt64) throws -> IdentityProvider {
        var settings = ProviderSettings(signer: try signer())
        if let publicURL {
            var url = publicURL[...]
            while url.hasSuffix("/") { url.removeLast() }
            guard url.hasPrefix("http://") || url.hasPrefix("https://"), !url.contains(" ") else {
                throw CommandFailure.badInput(
                    "--public-url is '\(publicURL)'; it must begin with http:// or https://")
            }
            settings.publicURL = String(url)
        }
        if !users.isEmpty { settings.users = try users.map(UserRule.init(parsing:)) }
        settings.serviceProviders = try serviceProviders.map { text in
            let (entity, url) = try Self.address(
                text, "--sp", "urn:my:service=https://my.service/acs")
            return .init(entity: entity, consumer: url)
        }
        settings.clients = try clients.map { text in
            let (name, url) = try Self.address(
                text, "--client", "my-client:my-secret=https://my.service/callback")
            let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
            guard let id = parts.first, parts.count < 2 || !parts[1].isEmpty else {
                throw CommandFailure.badInput("--client '\(text)' has no id")
            }
            return .init(id: id, secret: parts.dropFirst().first, redirect: url)
        }
        do {
            return try IdentityProvider(settings, seed: Seed(seed))
        } catch {
            throw CommandFailure.couldNotRun("cannot make the provider's keys: \(error)")
        }
    }

    private func signer() throws -> SigningPair {
        do {
            guard let signingKey else { return try SigningPair.make() }
            let text = try String(contentsOfFile: signingKey, encoding: .utf8)
            return try SigningPair.read(text)
        } catch let error as SigningError {
            throw CommandFailure.badInput("--signing-key \(signingKey ?? ""): \(error)")
        } catch {
            throw CommandFailure.badInput("--signing-key: cannot read \(signingKey ?? "")")
        }
    }

    /// `NAME=URL`; an entity id may have `=` in it, and so may an address after its host.
    private static func address(
        _ text: String, _ option: String, _ example: String
    ) throws -> (name: String, url: String) {
        let joint = ["=http://", "=https://"].compactMap { text.ranges(of: $0).last }
            .max { $0.lowerBound < $1.lowerBound }
        guard let joint, joint.lowerBound > text.startIndex else {
            throw CommandFailure.badInput(
                "\(option) '\(text)' has no address; write \(option) \(example)")
        }
        return (
            String(text[..<joint.lowerBound]),
            String(text[text.index(after: joint.lowerBound)...])
        )
    }

    /// What is said once it listens: where everything is, and the metadata.
    func introduction(_ provider: IdentityProvider, url: String) -> String {
        let base = publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? url
        return """
            SAML metadata: \(base)/saml/metadata
            OpenID configuration: \(base)/.well-known/openid-configuration
            counters: \(url)/counters
            \(provider.metadata(base: base))
            """
    }
}

extension UserRule {
    /// `viewer-{n}:password=pw-{n},to=1000,latency=uniform(10ms, 50ms),locked=1%`.
    init(parsing text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard let name = parts.first, !name.isEmpty else {
            throw CommandFailure.badInput(
                "--users is empty; write for example --users 'viewer-{n}:password=pw-{n}'")
        }
        self.init(name: name, password: name.contains("{n}") ? "pw-{n}" : "pw")
        var (from, to) = (0, Int.max)
        for setting in Self.settings(parts.dropFirst().first ?? "") {
            let pair = setting.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else {
                throw CommandFailure.badInput(
                    "--users '\(text)': '\(setting)' has no value; write for example locked=1%")
            }
            func no(_ wanted: String) -> CommandFailure {
                .badInput("--users '\(text)': \(pair[0]) is '\(pair[1])'; it must be \(wanted)")
            }
            do {
                switch pair[0] {
                case "password": password = pair[1]
                case "from", "to", "lockout":
                    guard let number = Int(pair[1]), number >= (pair[0] == "lockout" ? 1 : 0) else {
                        throw no("a whole number")
                    }
                    if pair[0] == "from" { from = number }
                    if pair[0] == "to" { to = number }
                    if pair[0] == "lockout" { lockout = number }
                case "latency": latency = try OptionText.distribution(pair[1])
                case "errors": errors = try OptionText.share(pair[1])
                case "locked": locked = try OptionText.share(pair[1])
                case "denied": denied = try OptionText.share(pair[1])
                case "lockout-for": lockoutLasts = try OptionText.duration(pair[1])
                default:
                    throw CommandFailure.badInput(
                        "--users '\(text)': unknown key '\(pair[0])'; the keys are password, from, to, "
                            + "latency, errors, locked, denied, lockout and lockout-for")
                }
            } catch let error as OptionText.Wanted {
                throw no(error.description)
            }
        }
        guard from <= to else {
            throw CommandFailure.badInput("--users '\(text)': from is above to")
        }
        numbers = from...to
    }

    /// At commas outside brackets.
    private static func settings(_ text: String) -> [String] {
        var parts: [String] = [""]
        var depth = 0
        for character in text {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ",", depth == 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.filter { !$0.isEmpty }
    }
}
