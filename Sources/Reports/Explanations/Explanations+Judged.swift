internal import Checker
internal import Rigs

/// What a service is held to, and how well it kept to it: words that come from lists in code.
extension Explanation {
    /// One for each key under `policies:` of a rig.
    static let policies: [Explanation] = Policies.words.map { name, text, fallback in
        Explanation(
            .policy, name, "what the service is held to where its protocol leaves it open",
            "\(text) Default: \(fallback). Set under policies: in a rig, and told in each report.",
            harmless: "", send: "")
    }

    /// Consistency, the weakest first.
    static let levels: [Explanation] = ConsistencyLevel.allCases.map { level in
        Explanation(
            .level, level.name, level.promise,
            "Level \(level.rawValue) of \(ConsistencyLevel.allCases.count) of consistency, the weakest "
                + "first. A report names the strongest up to which all of them held in every household, "
                + "and for each the households in which it did not.",
            harmless: "", send: "")
    }

    /// What `promises:` of a rig may say.
    static let promiseLevels: [Explanation] = Rig.Promises.Level.allCases.map { level in
        let (line, meaning) =
            switch level {
            case .strict:
                (
                    "every breach fails the run",
                    "Also of what no page of the protocol promises. The default against the embedded "
                        + "stand-in."
                )
            case .documented:
                (
                    "only breaches of what the protocol's pages promise fail the run",
                    "Others are told as observed. The default against any other target."
                )
            case .observe:
                ("no breach fails the run", "All are told as observed.")
            }
        return Explanation(
            .promiseLevel, level.rawValue, line, "promises: \(level.rawValue) in a rig. \(meaning)",
            harmless: "", send: "")
    }
}
