internal import Formats
internal import Foundation
internal import Rigs
public import Vocabulary

/// What an earlier race of the same service found: somebody knows of it, and it fails no later race.
public struct RaceBaseline: Sendable, Hashable {
    /// A promise broken in a plan.
    struct Known: Sendable, Hashable {
        var plan: String
        var invariant: String
    }

    /// The file, as the user named it.
    let file: String
    let known: Set<Known>

    init(file: String, known: Set<Known>) { (self.file, self.known) = (file, known) }

    /// `path`: the directory of a race, or its `summary.json` (schema `screenrig/race/1`). Of the file only
    /// `schema` and the plan and promise of each finding count, so that one may be written by hand.
    public init(contentsOf path: String) throws(CaseError) {
        var isDirectory: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        let file =
            isThere && isDirectory.boolValue
            ? (path as NSString).appendingPathComponent("summary.json") : path
        guard let text = Disk.contents(file) else {
            let reason =
                FileManager.default.fileExists(atPath: file)
                ? "it is not a text file of at most 32 MB"
                : isThere
                    ? "there is no summary.json in it; name the directory of a race"
                    : "no such file"
            throw .unreadable(file: path, reason: reason)
        }
        guard let tree = JSONReader.read(Array(text.utf8), nodesAtMost: 10 * JSON.maximumNodes)
        else {
            throw .notBaseline(file: file, reason: "it is not valid JSON")
        }
        guard tree["schema"]?.text == RaceText.schema else {
            let found = tree["schema"]?.text.map { "its schema is '\($0)'" } ?? "it has no schema"
            throw .notBaseline(file: file, reason: found)
        }
        var known: Set<Known> = []
        for list in ["findings", "comparisons", "alsoIn"] {
            for (number, row) in Self.rows(tree[list]).enumerated() {
                // Two arms that did not differ are in the file as well.
                if list == "comparisons", row["broken"]?.isTrue != true { continue }
                guard let plan = row["plan"]?.text, let invariant = row["invariant"]?.text else {
                    throw .notBaseline(
                        file: file, reason: "\(list)[\(number)] lacks its plan or its invariant")
                }
                known.insert(Known(plan: plan, invariant: invariant))
            }
        }
        self.init(file: path, known: known)
    }

    private static func rows(_ value: JSON?) -> [JSON] {
        guard case .array(let rows)? = value else { return [] }
        return rows
    }

    func knows(_ invariant: Invariant, in plan: String) -> Bool {
        known.contains(Known(plan: plan, invariant: invariant.name))
    }
}

extension RaceOutcome {
    /// Everything that was found, each once.
    var found: Set<RaceBaseline.Known> {
        let pairs =
            findings.map { ($0.plan, $0.invariant) } + alsoIn.map { ($0.plan, $0.invariant) }
            + comparisons.filter(\.isBroken).map { ($0.plan.name, $0.plan.invariant) }
        return Set(pairs.map { RaceBaseline.Known(plan: $0.0, invariant: $0.1.name) })
    }

    /// Whether a baseline has it.
    public func isKnown(_ invariant: Invariant, in plan: String) -> Bool {
        baseline?.knows(invariant, in: plan) ?? false
    }

    /// Whether a promise was found broken in either way, beyond what is known.
    public var isAccusing: Bool { !found.isSubset(of: baseline?.known ?? []) }

    /// What of the baseline was looked for and not found, in the order of names. Its plans were swept whole.
    var gone: [RaceBaseline.Known] {
        guard let baseline else { return [] }
        let playable = sweeps.filter(\.obstacle.isEmpty)
        let swept = Set(playable.map(\.plan)).subtracting(
            playable.filter { !$0.isWhole }.map(\.plan)
        )
        .union(comparisons.filter { !$0.isPartial }.map(\.plan.name))
        return baseline.known.subtracting(found).filter { swept.contains($0.plan) }
            .sorted { ($0.plan, $0.invariant) < ($1.plan, $1.invariant) }
    }

    /// Why "nothing found" is no answer; nil where it is one: each variant that can be played here was swept whole,
    /// and most trials told something.
    public var whyNothingIsNoAnswer: String? {
        if let unfollowed {
            return
                "\(unfollowed) broke in a trial, and the limit came before it was looked into; give it more time or trials"
        }
        if let reason = whyNothingCameAbout { return "no trial could be completed: \(reason)" }
        let playable = sweeps.filter(\.obstacle.isEmpty)
        let unswept = playable.filter { !$0.isWhole }
        if !unswept.isEmpty {
            return
                "\(unswept.count) of \(playable.count) sweeps are not complete; give it more time or trials"
        }
        if let partial = comparisons.first(where: \.isPartial) {
            return "\(partial.plan.name) is undecided: too few trials"
        }
        if playable.isEmpty, comparisons.isEmpty {
            return "none of the plans can be played on this target"
        }
        // Trials of what cannot be played here say nothing about the rest.
        let aside = sweeps.filter { !$0.obstacle.isEmpty }
        let told = trials - aside.reduce(0) { $0 + $1.trials }
        let blind = discards - aside.reduce(0) { $0 + $1.discarded }
        guard blind * 2 <= told else {
            return "\(blind) of \(told) trials were inconclusive"
                + (discarded.first.map { ": \($0.reason)" } ?? "")
        }
        return nil
    }
}
