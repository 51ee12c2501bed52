internal import Formats
internal import Foundation
internal import Journal
internal import Vocabulary

/// What a race leaves in its directory beside its cases: report.html, summary.json, junit.xml and tables.
public struct RaceReport: Sendable {
    /// What is known of a race besides its outcome.
    public struct About: Sendable {
        public var rig: String
        public var target: String
        public var version: String
        public var seed: UInt64
        /// Microseconds since 1970.
        public var startedMicroseconds: Int64
        /// What was deployed, by the user's own command; nil where nobody said.
        public var deployed: String?

        public init(
            rig: String, target: String, version: String, seed: UInt64, startedMicroseconds: Int64,
            deployed: String? = nil
        ) {
            self.rig = rig
            self.target = target
            self.version = version
            self.seed = seed
            self.startedMicroseconds = startedMicroseconds
            self.deployed = deployed
        }
    }

    let outcome: RaceOutcome
    /// Paths from the directory on, in the order of the findings.
    let cases: [String?]
    let about: About
    let isInterrupted: Bool
    /// A case that is kept beside the rig still reproduces.
    public var stillReproduces = false

    public init(
        _ outcome: RaceOutcome, cases: [String?], about: About, isInterrupted: Bool = false
    ) {
        self.outcome = outcome
        self.cases = cases
        self.about = about
        self.isInterrupted = isInterrupted
    }

    /// One sentence: what is broken, or that nothing was found.
    public var headline: String {
        let found: [(plan: String, promise: Promise)] =
            outcome.findings.map { (plan: $0.plan, promise: $0.promise) }
            + outcome.comparisons.filter(\.isBroken).map { ($0.plan.name, $0.plan.promise) }
        func names(known: Bool) -> String {
            found.filter { outcome.isKnown($0.promise, in: $0.plan) == known }
                .map { "\($0.promise) in \($0.plan)" }.joined(separator: ", ")
        }
        // A known finding may show in a plan in which nobody knew it.
        let elsewhere = outcome.alsoIn.filter {
            outcome.baseline != nil && !outcome.isKnown($0.promise, in: $0.plan)
        }.map { "\($0.promise) in \($0.plan)" }
        let new = ([names(known: false)] + elsewhere).filter { !$0.isEmpty }
            .joined(separator: ", ")
        let old = names(known: true)
        var told =
            switch (new.isEmpty, old.isEmpty) {
            case (true, true): "No violation found in \(outcome.trials) trials."
            case (false, true): "Found: \(new) violated."
            case (true, false): "Nothing new: \(old) violated, as in the baseline."
            case (false, false): "Found: \(new) violated; known from the baseline: \(old)."
            }
        if let reason = outcome.whyNothingCameAbout {
            told = reason.prefix(1).uppercased() + reason.dropFirst() + "."
        }
        if stillReproduces { told = "A case stored next to the rig still reproduces. " + told }
        return (isInterrupted ? "Interrupted. " : "") + told
    }

    package enum Verdict: String, Sendable { case pass, fail, aborted }

    /// The same in one word.
    package var verdict: Verdict {
        if isInterrupted { return .aborted }
        // A case that still reproduces is a result, even if the search is inconclusive.
        if stillReproduces { return .fail }
        if outcome.whyNothingCameAbout != nil { return .aborted }
        return outcome.isAccusing ? .fail : .pass
    }

    /// Writes them; what is there is replaced.
    public func write(to directory: String) throws(CaseError) {
        for (name, text) in files {
            let file = (directory as NSString).appendingPathComponent(name)
            do {
                try PrivateFile.write(Data(text.utf8), to: file)
            } catch {
                throw .unwritable(file: file, reason: error.localizedDescription)
            }
        }
    }

    /// Names and texts.
    public var files: [(name: String, text: String)] {
        [("summary.json", RaceText.json(outcome, cases: cases, about: about) + "\n")]
            + pages
    }

    /// A finding and the path of its case from the report on; nil: none was written.
    typealias Found = (finding: RaceFinding, file: String?, name: String)

    var findings: [Found] {
        outcome.findings.enumerated().map { number, finding in
            let file = cases.indices.contains(number) ? cases[number] : nil
            let name = file.map {
                (($0 as NSString).lastPathComponent as NSString).deletingPathExtension
            }
            return (finding, file, name ?? finding.plan)
        }
    }

    /// UTC.
    var started: String { UTCTime(microseconds: about.startedMicroseconds).rfc3339 }

    var facts: [(name: String, value: String)] {
        RaceText.basis(outcome) + (about.deployed.map { [("Deployed", $0)] } ?? [])
            + [("Seed", "\(about.seed)"), ("screenrig", about.version)]
    }

    /// How two arms compare.
    func sentence(_ comparison: ArmComparison) -> String {
        RaceText.lines(comparison, outcome).dropFirst().map { $0.drop { $0 == " " } }
            .joined(separator: "; ")
    }

    /// Promises that broke in a plan.
    func broken(_ sweep: RaceOutcome.Sweep) -> [String] {
        let own = outcome.findings.filter { $0.plan == sweep.plan }.map(\.invariant.name)
        let also = outcome.alsoIn.filter { $0.plan == sweep.plan }.map(\.promise.invariant.name)
        return own + also.filter { !own.contains($0) }
    }
}
