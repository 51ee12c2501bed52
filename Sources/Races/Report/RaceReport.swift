internal import Checker
internal import Formats
internal import Foundation
internal import Journal
internal import Rendering
internal import Statistics

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

        public init(
            rig: String, target: String, version: String, seed: UInt64, startedMicroseconds: Int64
        ) {
            self.rig = rig
            self.target = target
            self.version = version
            self.seed = seed
            self.startedMicroseconds = startedMicroseconds
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
        let names =
            outcome.findings.map { "\($0.invariant) in \($0.plan)" }
            + outcome.comparisons.filter(\.isBroken).map {
                "\($0.plan.invariant) in \($0.plan.name)"
            }
        var told =
            names.isEmpty
            ? "No violation found in \(outcome.trials) trials."
            : "Found: \(names.joined(separator: ", ")) violated."
        if let reason = outcome.whyNothingCameAbout {
            told =
                "No trial could be completed: "
                + "\(reason)."
        }
        if stillReproduces { told = "A case stored next to the rig still reproduces. " + told }
        return (isInterrupted ? "Interrupted. " : "") + told
    }

    /// The same in one word.
    package var verdict: RacePicture.Verdict {
        if isInterrupted || outcome.whyNothingCameAbout != nil { return .aborted }
        return outcome.isAccusing || stillReproduces ? .fail : .pass
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
            + picture.files
    }

    private var picture: RacePicture {
        RacePicture(
            rig: about.rig, target: about.target, version: about.version,
            started: UTCTime(microseconds: about.startedMicroseconds).rfc3339,
            seconds: outcome.elapsed / .seconds(1),
            verdict: verdict,
            headline: headline, findings: outcome.findings.enumerated().map(finding),
            arms: outcome.comparisons.map { comparison in
                let lines = RaceText.lines(comparison, outcome.promises)
                return RacePicture.Arms(
                    plan: comparison.plan.name, isBroken: comparison.isBroken,
                    isDecided: !comparison.isPartial,
                    sentence: lines.dropFirst().map { $0.drop { $0 == " " } }
                        .joined(separator: "; "))
            }, sweeps: outcome.sweeps.map(sweep),
            facts: RaceText.basis(outcome)
                + [("Seed", "\(about.seed)"), ("screenrig", about.version)])
    }

    private func finding(_ number: Int, _ finding: RaceFinding) -> RacePicture.Finding {
        let file = cases.indices.contains(number) ? cases[number] : nil
        let rate = finding.isRare ? finding.total : finding.rate
        let interval = Interval.exactShare(of: rate.hits, in: rate.trials)
        let picture = CasePicture(
            name: file.map {
                (($0 as NSString).lastPathComponent as NSString).deletingPathExtension
            }
                ?? finding.plan, made: "", version: about.version, target: about.target,
            invariant: finding.invariant.name, sentence: finding.sentence,
            command: file.map { "screenrig replay \($0)" } ?? "",
            hits: .init(
                hits: rate.hits, trials: rate.trials, low: interval.low, high: interval.high),
            window: finding.window.map {
                CasePicture.Window(low: $0.low.milliseconds, high: $0.high.milliseconds)
            }, windowText: finding.window.map(RaceText.text) ?? RaceText.whenText(finding),
            best: finding.best.milliseconds, swept: finding.swept, isMinimal: false,
            curve: finding.curve.map { point in
                let share = Interval.exactShare(of: point.rate.hits, in: point.rate.trials)
                return CasePicture.Point(
                    offset: point.offset.milliseconds,
                    share: .init(
                        hits: point.rate.hits, trials: point.rate.trials, low: share.low,
                        high: share.high))
            }, ops: [], entries: [], startedMicroseconds: 0, almost: [], controls: [],
            alternatives: [], facts: [])
        return RacePicture.Finding(
            plan: finding.plan, picture: picture, when: RaceText.whenText(finding),
            rate: finding.isRare
                ? RaceText.text(finding.total)
                : "at \(Offsets.text(finding.best)) \(RaceText.text(finding.rate))",
            method: finding.method, file: file)
    }

    private func sweep(_ sweep: RaceOutcome.Sweep) -> RacePicture.Sweep {
        let own = outcome.findings.filter { $0.plan == sweep.plan }.map(\.invariant.name)
        let also = outcome.alsoIn.filter { $0.plan == sweep.plan }.map(\.invariant.name)
        return RacePicture.Sweep(
            plan: sweep.plan, title: sweep.title, rounds: sweep.rounds, trials: sweep.trials,
            discarded: sweep.discarded, broken: own + also.filter { !own.contains($0) },
            obstacle: sweep.obstacle)
    }
}
