internal import Dialects
internal import Vocabulary

/// A text with places for values: `__CASE__` in a file that a Python parser accepts as it stands.
struct Template {
    private let text: String

    init(_ file: [UInt8]) {
        text = String(decoding: file, as: UTF8.self)
    }

    /// The text with each place filled. What a value contains is never taken for a place.
    func filled(_ values: [String: String]) -> String {
        text.replacing(/__([A-Z]+)__/) { place in
            guard let value = values[String(place.1)] else {
                preconditionFailure("no value for \(place.0)")
            }
            return value
        }
    }
}

/// The emitted script, from the files in `Script/`.
enum Script {
    /// Promises that the script can check. The first of several that a trial violated is likelier to be
    /// the cause of the others.
    static func promises(in spoken: ProtocolName) -> [Invariant] {
        spoken.speaksOfSessions ? ofProfiles + ofSignIns : ofSignIns
    }

    /// Those that the same defect may break, as a script sees it, which knows less than the judge.
    static func promises(akinTo own: Invariant, in spoken: ProtocolName) -> [Invariant] {
        promises(in: spoken).filter {
            $0 != own
                && ($0 == .linearizable || own == .linearizable || own.companions.contains($0)
                    || $0.companions.contains(own))
        }
    }

    private static let ofSignIns: [Invariant] = [
        .noTokenBeforeSignIn, .tokenIsolation, .signInVisible, .signInDelivered, .tokenMonotonic,
        .oneOwner, .providerIndependence, .profileNotProlonged, .oneToken, .codeUnique,
        .logoutFinal, .deleteFinal, .errorsHaveNoEffect,
        .retryOnce, .authorizationGates, .linearizable,
    ]

    /// Those that only REST V2 has, but `protocols-apart`, which takes two protocols.
    private static let ofProfiles: [Invariant] = [
        .identityIsolation, .singleLogout, .profileConsistent, .profileViewsAgree, .codeBindsDevice,
        .actionTrue, .decisionTrue, .preauthorizeInert, .tempPassBudget, .degradationBounded,
        .sessionSuperseded,
    ]

    /// That of an OAuth device grant.
    static func grant(_ values: [String: String]) -> String {
        let wire = String(Template(PackageResources.wire_py).filled([:]).dropLast())
        return Template(PackageResources.grant_py).filled(
            values.merging(["WIRE": wire]) { own, _ in own })
    }

    /// The frame with its four parts; the values that a case gives are still to come.
    static func text(
        _ spoken: ProtocolName, hasIdentities: Bool, _ values: [String: String]
    ) -> String {
        func part(_ file: [UInt8], _ values: [String: String] = [:]) -> String {
            // The end of its last line is the frame's.
            String(Template(file).filled(values).dropLast())
        }
        let parts = [
            // HTTP/1.1 over sockets, so that the last byte of a request can be held back, and what is read of pages.
            "WIRE": part(PackageResources.wire_py),
            // How screens register and how a browser walks a login (rest-v1.md §§ 5 to 13).
            "SCREENS": part(PackageResources.screens_py),
            // Plays a schedule: several trials are set up and read together, their races go one after
            // another, as in a replay.
            "TRIAL": part(PackageResources.trial_py),
            // The word of an identity service, which a trial's users have tokens of (rest-v2.md § 8.2).
            "IDENTITY": hasIdentities
                ? part(PackageResources.identity_py)
                : "# No request of this case shows an identity.",
            // The promises that only REST V2 has.
            "RULES": spoken.speaksOfSessions ? part(PackageResources.profiles_py) : "RULES = {}",
            "MORE": more(spoken, hasIdentities: hasIdentities),
            // Whether a trial broke the promise. Shorter than the judge, and independent of it: only
            // what the two of a conflict prove by themselves, with the judge's closed intervals (an op
            // acts after its last byte was sent and before the first byte of its answer came).
            "VERDICT": part(
                PackageResources.verdict_py,
                [
                    "PROMISES": promises(in: spoken).map { "\"\($0.name)\"" }.joined(
                        separator: ",\n            ")
                ]),
        ]
        return Template(PackageResources.script_py).filled(parts.merging(values) { own, _ in own })
    }

    /// What else such a script reads from its environment, as lines of its head.
    private static func more(_ spoken: ProtocolName, hasIdentities: Bool) -> String {
        var lines: [String] = []
        if hasIdentities {
            lines += [
                "#   SCREENRIG_IDENTITY_KEY, SCREENRIG_IDENTITY_KID: the identity service's key, a PEM file, and its id"
            ]
        }
        if spoken.speaksOfSessions {
            lines += [
                "#   SCREENRIG_DEGRADED   providers with an active degradation rule, with commas (default: none)"
            ]
        }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension ProtocolName {
    /// Codes are sessions, and a device has several profiles (rest-v2.md § 5).
    var speaksOfSessions: Bool { operations.contains(.createSession) }
}
