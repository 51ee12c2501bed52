internal import Rigs
internal import Vocabulary

/// What a service is held to, and how well it kept to it: words that come from lists in code.
extension Explanation {
    /// One for each key under `policies:` of a rig.
    static let policies: [Explanation] = Policies.words.map { name, text, fallback in
        Explanation(
            .policy, name, "expected behaviour where the protocol leaves it open",
            "\(text) Default: \(fallback). Set it under policies: in a rig. Every report lists it.",
            harmless: "", send: "")
    }

    /// Consistency, the weakest first.
    static let levels: [Explanation] = ConsistencyLevel.allCases.map { level in
        Explanation(
            .level, level.name, level.promise,
            "Consistency level \(level.rawValue) of \(ConsistencyLevel.allCases.count), weakest first. A "
                + "report names the strongest level that held: it and all weaker ones held in every "
                + "household. For each level it counts the households in which it was violated.",
            harmless: "", send: "")
    }

    /// What `promises:` of a rig may say.
    static let promiseLevels: [Explanation] = Promises.Level.allCases.map { level in
        let (line, meaning) =
            switch level {
            case .strict:
                (
                    "every violation fails the run",
                    "This includes promises that the protocol does not document. Default against the "
                        + "embedded stand-in."
                )
            case .documented:
                (
                    "only violations of documented promises fail the run",
                    "Other violations are reported as observed. Default against any other target."
                )
            case .observe:
                ("no violation fails the run", "All violations are reported as observed.")
            }
        return Explanation(
            .promiseLevel, level.rawValue, line, "promises: \(level.rawValue) in a rig. \(meaning)",
            harmless: "", send: "")
    }
}
