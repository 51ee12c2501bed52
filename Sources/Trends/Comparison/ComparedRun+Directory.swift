public import Checker
internal import Foundation
public import Journal
internal import Reports

extension ComparedRun {
    /// Reads a recorded run. What became of its promises is taken from `findings`, else from the
    /// summary that lies beside its history.
    public init(_ directory: RunDirectory, findings: Findings? = nil) throws {
        try self.init(
            History(path: directory.history),
            breaches: findings.map(Self.breaches) ?? Self.breaches(in: directory))
    }

    /// How often each promise was broken.
    static func breaches(_ findings: Findings) -> [String: Comparison.Breaches] {
        Dictionary(
            findings.verdicts.map {
                (
                    $0.invariant.name,
                    Comparison.Breaches(
                        failing: $0.violations, others: $0.observed + $0.known)
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The same, as summary.json has it; nil where there is none, or nothing was judged.
    static func breaches(in directory: RunDirectory) -> [String: Comparison.Breaches]? {
        struct Stored: Decodable {
            struct Verdict: Decodable {
                var name: String
                var violations: Int
                var observed: Int?
                var known: Int?
            }
            var invariants: [Verdict]
        }
        let file = URL(filePath: directory.file("summary.json"))
        guard let data = try? Data(contentsOf: file),
            let stored = try? JSONDecoder().decode(Stored.self, from: data),
            !stored.invariants.isEmpty
        else { return nil }
        return Dictionary(
            stored.invariants.map {
                (
                    $0.name,
                    Comparison.Breaches(
                        failing: $0.violations,
                        others: ($0.observed ?? 0) + ($0.known ?? 0))
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Goes on where it was read to tell whether it is comparable.
    init(_ read: ReadRun) throws {
        try self.init(
            read.history, read.fold, read.summary,
            breaches: Self.breaches(in: read.directory))
    }
}

/// A run as far as tells whether it is comparable: cheap beside the whole.
struct ReadRun {
    let directory: RunDirectory
    let history: History
    let fold: RunFold
    let summary: Summary

    init(_ directory: RunDirectory) throws {
        self.directory = directory
        history = try History(path: directory.history)
        fold = try RunFold(history)
        summary = Summary(fold, thresholds: [])
    }

    var comparability: Comparability { Comparability(summary, history.header) }
}
