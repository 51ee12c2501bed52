public import Dialects

/// The rig that `screenrig init` writes: for a staging server of the user's own, with blanks.
public enum RigTemplate {
    /// What stands where something is to be filled in; the reader points at each one that is left.
    static let blank = "???"

    /// By key, what belongs into its blank: the comment above it, and what the reader says of one that
    /// is left.
    static let remedies = [
        "base":
            "Scheme, host, port and path before /o/client/register and /api/v1 or /api/v2 (of an "
            + "OAuth server: its issuer), as in https://auth.staging.example",
        "requestor": "Id of your channel in this environment.",
        "domain": "A domain that is registered for the requestor.",
        "redirect-url": "Address at which the login ends. It is recognised, not fetched.",
        "resources": "Resources that the test accounts may play.",
        "allow":
            "Every host that a request may go to: the service, and the providers' login pages. "
            + "No request goes to another host; 'try' names a host that is missing here. A "
            + "service on this machine (127.0.0.1, "
            + "screenrig serve) needs none: remove 'allow' and its item.",
    ]

    /// The remedy as lines of a comment, indented as the keys of `target`.
    private static func comment(_ key: String, _ name: ProtocolName) -> String {
        var lines = ["  #"]
        let remedy = (remedies[key] ?? "").replacing("/api/v1 or /api/v2", with: paths(name))
        for word in remedy.split(separator: " ") {
            if lines[lines.count - 1].count + word.count + 1 > 104 { lines.append("  #") }
            lines[lines.count - 1] += " \(word)"
        }
        return lines.joined(separator: "\n")
    }

    private static func paths(_ name: ProtocolName) -> String {
        switch name {
        case .adobePassV1: "/api/v1"
        case .adobePassV2: "/api/v2"
        case .oauthDeviceGrant: "/oauth"
        }
    }

    /// The lines about the protocol: none for the usual one.
    private static func protocolLines(_ name: ProtocolName) -> String {
        guard name != .usual else { return "" }
        return """
              # Protocol of the service. A software statement of the older protocol does not register for it.
              protocol: \(name.rawValue)

            """
    }

    /// What tests a logout: the comment above `polling`.
    static let polledOn = """
        # Real TVs send nothing after a logout, so no response shows whether it ended the sign-in. To test that
        # (logout-final), let TVs poll on; these polls are load that real TVs do not make:
        # polling: {every: 5s, after-success: 12s}
        """

    private static func activities(_ name: ProtocolName) -> String {
        switch name {
        case .adobePassV1: "[user-metadata, preauthorize, authorize, media-token, {logout: 100%}]"
        case .adobePassV2: "[preauthorize, authorize, {logout: 100%}]"
        case .oauthDeviceGrant: "[userinfo, {logout: 100%}]"
        }
    }

    /// The comment at its top.
    static func head(_ title: String, _ path: String) -> String {
        """
        # \(title). Fill in each ???, then run
        #
        #   screenrig validate \(path)     lists the blanks that are left; does not use the network
        #   screenrig try \(path)          one household, step by step, with a remedy for the first failure
        #   screenrig run \(path)          the load below, and a report
        #
        # With the output of 'screenrig schema > rig.schema.json' next to this file, the following line
        # lets editors complete and explain keys; rigs/reference.yaml shows all keys.
        # yaml-language-server: $schema=rig.schema.json
        """
    }

    /// `path` is the file's own, for the commands in its comments.
    public static func text(for path: String, protocolName name: ProtocolName = .usual) -> String {
        if name == .oauthDeviceGrant { return deviceGrant(for: path) }
        func comment(_ key: String) -> String { Self.comment(key, name) }
        return """
            \(head("A rig for a staging server", path))

            rig: staging
            target:
            \(comment("base"))
              base: ???
            \(protocolLines(name))\
            \(comment("requestor"))
              requestor: ???
            \(comment("domain"))
              domain: ???
            \(comment("redirect-url"))
              redirect-url: ???
              # Proves that the application may register: ask the server's team for one of this environment. The
              # stand-in (screenrig serve) needs none: remove the line.
              #   export SOFTWARE_STATEMENT=...      or write ${file:secrets/statement.txt}
              software-statement: ${SOFTWARE_STATEMENT}
            \(comment("resources"))
              resources:
                - ???
            \(comment("allow"))
              allow:
                - ???
              # Providers to sign in with. Default: all that the service's configuration offers, evenly.
              # mvpds: [{id: DemoCable, weight: 80}, {id: DemoSat, weight: 20}]
              # Behind a corporate proxy, with a CA of its own:
              # proxy: environment
              # tls: {ca: corporate-ca.pem}          # next to this file; added to the system's

            load:
              # 0.2 households per second for a minute: twelve households. Raise it when 'try' passes.
              arrivals: [{ramp-to: 0.2/s, over: 0s}, {hold: 1m}]
              settle: 15s

            kinds:
              - name: living room
                viewer: {notices-code: 3s, signs-in: 5s, gives-up: 0%}

            \(polledOn)
            polling: {every: 5s}
            after-sign-in: \(activities(name))

            # Accounts that viewers sign in with. Default: generated names, which only a stand-in accepts. List test
            # accounts in a file next to this one, first line mvpd,user,password, and run: chmod 600 accounts.csv
            # accounts: {file: accounts.csv}

            # Which broken promises fail a run. Default: 'documented', what the protocol's documentation
            # promises, plus safety (no household sees the sign-in of another). 'strict' adds what users expect
            # without a documented promise, such as a TV that sees its sign-in at once; 'observe' fails nothing.
            # The headline shows violations that do not fail the run.
            # promises: strict

            thresholds:
              - sign-in-service p95 < 8s
              - errors < 1%

            # For 'screenrig nightly': which values to follow from night to night, and how much worse than its
            # level a single night must be to raise an alarm at once.
            # nightly: {alarm: 3x}

            """
    }
}
