internal import Formats
internal import Foundation
internal import Rigs
internal import Vocabulary

/// What an earlier race of the same service found: somebody knows of it, and it fails no later race.
public struct RaceBaseline: Sendable, Hashable {
    /// A promise broken in a plan.
    struct Known: Sendable, Hashable {
        var plan: String
        var invariant: String
        /// Whose promise it was; nil, any: in a file that does not say.
        var source: PromiseSource?

        /// Whether a baseline with this entry covers that violation.
        func covers(_ other: Known) -> Bool {
            guard plan == other.plan, invariant == other.invariant else { return false }
            guard let source, let violated = other.source else { return source == nil }
            return source.covers(violated)
        }
    }

    /// The file, as the user named it.
    let file: String
    let known: Set<Known>

    init(file: String, known: Set<Known>) { (self.file, self.known) = (file, known) }

    /// `path`: the directory of a race, or its `summary.json` (schema `screenrig/race/1`). Of the file only
    /// `schema` and the plan and promise of each finding count, and whose promise it is, where that stands there, so that
    /// one may be written by hand.
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
                let source = row["source"]?.text.flatMap(PromiseSource.init)
                guard source != nil || row["source"] == nil else {
                    let all = PromiseSource.allCases.map(\.rawValue).joined(separator: ", ")
                    throw .notBaseline(
                        file: file,
                        reason: "source of \(list)[\(number)] must be one of \(all)")
                }
                known.insert(Known(plan: plan, invariant: invariant, source: source))
            }
        }
        self.init(file: path, known: known)
    }

    private static func rows(_ value: JSON?) -> [JSON] {
        guard case .array(let rows)? = value else { return [] }
        return rows
    }

    func knows(_ other: Known) -> Bool { known.contains { $0.covers(other) } }
}

extension RaceBaseline.Known {
    init(_ plan: String, _ promise: Promise) {
        self.init(plan: plan, invariant: promise.invariant.name, source: promise.source)
    }
}

extension RaceOutcome {
    /// Everything that was found, each once.
    var found: Set<RaceBaseline.Known> {
        let pairs =
            findings.map { ($0.plan, $0.promise) } + alsoIn.map { ($0.plan, $0.promise) }
            + comparisons.filter(\.isBroken).map { ($0.plan.name, $0.plan.promise) }
        return Set(pairs.map(RaceBaseline.Known.init))
    }

    /// Whether a baseline has it.
    public func isKnown(_ promise: Promise, in plan: String) -> Bool {
        baseline?.knows(RaceBaseline.Known(plan, promise)) ?? false
    }

    /// Whether a promise was found broken in either way, beyond what is known.
    public var isAccusing: Bool { !new.isEmpty }

    /// What was found and no baseline has.
    var new: Set<RaceBaseline.Known> { found.filter { baseline?.knows($0) != true } }

    /// What of the baseline was looked for and not found, in the order of names. Its plans were swept whole.
    var gone: [RaceBaseline.Known] {
        guard let baseline else { return [] }
        let playable = sweeps.filter(\.obstacle.isEmpty)
        let swept = Set(playable.map(\.plan)).subtracting(
            playable.filter { !$0.isWhole }.map(\.plan)
        )
        .union(comparisons.filter { !$0.isPartial }.map(\.plan.name))
        return baseline.known.filter { known in
            swept.contains(known.plan)
                && !found.union(seen).contains {
                    $0.plan == known.plan && $0.invariant == known.invariant
                        && (known.source == nil || known.source == $0.source)
                }
        }
        .sorted { ($0.plan, $0.invariant) < ($1.plan, $1.invariant) }
    }

    /// Why "nothing found" is no answer; nil where it is one: each variant that can be played here was swept whole,
    /// and most trials told something.
    public var whyNothingIsNoAnswer: String? {
        if let reason = whyNothingCameAbout { return reason }
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
        return nil
    }
}
