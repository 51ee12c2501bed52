package import Checker
internal import Foundation
package import Journal
internal import Races
package import Reports
package import Rigs
internal import Trends

/// From a finished history to the files of its directory.
package enum RunReports {
    /// Writes every report into `directory`, or into `other`. Without findings, or where the judge
    /// did not hear everything, the history is judged again, if it can be.
    /// `complain` is told what else could not be written.
    package static func write(
        _ directory: RunDirectory, thresholds: [Threshold], findings: Findings? = nil,
        into other: String? = nil, complain: (String) -> Void
    ) throws(RunError) -> Summary {
        let written: Report.Written
        do {
            let history = try History(path: directory.history)
            var judged = findings
            if findings.map({ $0.unjudgedFrom != nil }) ?? true {
                judged =
                    try Findings(rejudging: history) ?? findings ?? Findings(kept: history)
            }
            let findings = judged
            let cases = try cases(of: findings, history)
            let comparison = comparison(directory, findings)
            written = try Report.write(
                history, thresholds: thresholds, findings: findings,
                activations: activations(directory), changes: comparison?.section,
                earlier: comparison?.earlier,
                cases: names(of: cases), to: other ?? directory.path)
            let folder = CaseFolder(in: other ?? directory.path)
            for made in cases {
                // A case that cannot be written is no reason to lose the report.
                do { try folder.write(made) } catch { complain("\(error)") }
            }
        } catch {
            throw .couldNotRun("\(error)")
        }
        for error in written.errors { complain("\(error)") }
        return written.summary
    }

    /// The page of one household; `isAlone`: not for the run directory. A run whose history is complete is judged again for it.
    package static func page(
        of record: HouseholdRecord, _ history: History, isAlone: Bool
    ) throws -> String {
        let findings = try Findings(rejudging: history)
        let cases = names(of: try cases(of: findings, history))
        return try TraceFolder(history, findings: findings, cases: cases)
            .page(of: record, isAlone: isAlone)
    }

    /// A run that cannot be compared is no worse a run: the report says that there is none.
    private static func comparison(_ directory: RunDirectory, _ findings: Findings?) -> Comparison?
    {
        try? Comparison.sinceLastComparable(directory, findings: findings)
    }

    /// What the stand-in's faults did; nil where it had none.
    private static func activations(_ directory: RunDirectory) -> FaultActivations? {
        let file = URL(filePath: directory.file("truth.jsonl"))
        return (try? String(contentsOf: file, encoding: .utf8)).map { FaultActivations(lines: $0) }
    }

    /// What a violation looked like from outside, as a schedule that can be replayed: one for each
    /// signature, for `cases/`.
    private static func cases(of findings: Findings?, _ history: History) throws -> [Case] {
        guard let findings, !findings.violations.isEmpty else { return [] }
        // What a person did on a server's pages is in no history: races find those cases
        // (docs/device-grant.md).
        guard !findings.verdicts.contains(where: \.invariant.isOfDeviceGrant) else { return [] }
        return try Extraction(from: history, version: Release.version).cases(of: findings)
    }

    /// By the signature of their violation.
    private static func names(of cases: [Case]) -> [String: String] {
        Dictionary(
            cases.map { ($0.expected.signature, $0.name) }, uniquingKeysWith: { first, _ in first })
    }
}
