internal import Formats
internal import Foundation
public import Journal
internal import Rendering
internal import Vocabulary

/// What the run of a night found besides its numbers: a promise that was checked, a threshold, errors of one cause, an event.
public struct NightFact: Sendable, Hashable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Every promise that was checked, `count` violations of it, also such as fail no run.
        case promise
        /// A promise whose violations the rig knows (`known`), `count` of them.
        case known
        /// Every line of `thresholds`, and every line of `shows`.
        case threshold, shows
        /// The most frequent errors, `count` of each.
        case error
        /// What happened to the service while the run went on, `count` violations within.
        case event
        /// The service answered none of the run's requests, `count` of them.
        case service

        /// Of what a night without it says nothing.
        var isAside: Bool { [.known, .error, .event, .service].contains(self) }
    }

    public var kind: Kind
    public var name: String
    /// It kept the run from passing.
    public var fails: Bool
    public var count: Int
    /// What was found, in words.
    public var text: String

    public init(kind: Kind, name: String, fails: Bool, count: Int, text: String) {
        self.kind = kind
        self.name = Sanitizer.line(name, limit: 120)
        self.fails = fails
        self.count = count
        self.text = Sanitizer.line(text, limit: 400)
    }

    /// Rules of the protocol that responses deviated from, as `text` has them.
    var rules: Set<String> {
        let parts = text.split(separator: Self.rulesLead, maxSplits: 1)
        guard name == Invariant.conforms.name, parts.count > 1 else { return [] }
        return Set(parts[1].components(separatedBy: "; "))
    }

    /// Whether it may be of the same cause as another of its name: deviations from other rules are something else.
    func isSame(as other: NightFact) -> Bool {
        rules.isEmpty || other.rules.isEmpty || !rules.isDisjoint(with: other.rules)
    }

    fileprivate static let rulesLead = ", such as "
}

/// What summary.json of a run directory says: the run's verdict, with its promises and thresholds.
public struct StoredRun: Sendable {
    public var outcome: String
    public var headline: String
    public var facts: [NightFact]

    public init(outcome: String, headline: String, facts: [NightFact] = []) {
        self.outcome = outcome
        self.headline = headline
        self.facts = facts
    }

    /// Nil where there is none, or where it cannot be read.
    public init?(_ directory: RunDirectory) {
        guard let data = FileManager.default.contents(atPath: directory.file("summary.json")),
            let json = JSONReader.read(Array(data)), let outcome = json["outcome"]?.text,
            let headline = json["headline"]?.text
        else { return nil }
        self.init(
            outcome: Sanitizer.line(outcome), headline: Sanitizer.line(headline, limit: 600),
            facts: Self.promises(json) + Self.limits(json) + Self.errors(json) + Self.events(json))
    }

    /// What to do if it cannot be read: a run without it would pass as one without violations.
    public static func remedy(_ directory: RunDirectory) -> String {
        let path = directory.path
        let file = directory.file("summary.json")
        let what = FileManager.default.fileExists(atPath: file) ? "cannot be read" : "is missing"
        return "\(file), which has the run's verdict and what became of its promises, \(what); "
            + "'screenrig report \(path)' writes it again"
    }

    private static func list(_ json: JSON, _ name: String) -> [JSON] { json[name]?.items("") ?? [] }

    private static func count(_ json: JSON, _ name: String) -> Int {
        json[name]?.integer.flatMap { Int(exactly: $0) } ?? 0
    }

    private static func promises(_ json: JSON) -> [NightFact] {
        list(json, "invariants").flatMap { row -> [NightFact] in
            guard let name = row["name"]?.text, count(row, "checked") > 0 else { return [] }
            let violations = count(row, "violations")
            let promise = Invariant(name: name).map { " (\($0.line))" } ?? ""
            func fact(_ kind: NightFact.Kind, _ seen: Int) -> NightFact {
                NightFact(
                    kind: kind, name: name, fails: kind == .promise && violations > 0, count: seen,
                    text: "\(name)\(promise): \(Figures.counted(seen, "violation")) in "
                        + Figures.counted(count(row, "checked"), "check")
                        + (seen > 0 ? rules(of: row) : ""))
            }
            let known = count(row, "known")
            return [fact(.promise, violations + count(row, "observed"))]
                + (known > 0 ? [fact(.known, known)] : [])
        }
    }

    /// Of `household 1: the TV's media-token #17: REST V1, Z5: serializedToken is present; found missing` the rule: without it
    /// `conforms` says too little, and one deviation looks like the next.
    private static func rules(of row: JSON) -> String {
        guard row["name"]?.text == Invariant.conforms.name else { return "" }
        var rules: [String] = []
        for example in list(row, "examples").compactMap(\.text) {
            guard let lead = example.firstMatch(of: #/#\d+: /#) else { continue }
            let told = example[lead.range.upperBound...]
            let rule = String(told.split(separator: "; found ", maxSplits: 1).first ?? told)
            if !rules.contains(rule), rules.count < shownRules { rules.append(rule) }
        }
        return rules.isEmpty ? "" : NightFact.rulesLead + rules.joined(separator: "; ")
    }

    /// Rules of one night that are named.
    private static let shownRules = 3

    private static func limits(_ json: JSON) -> [NightFact] {
        list(json, "thresholds").compactMap { row in
            guard let name = row["expression"]?.text else { return nil }
            let isMet = row["met"]?.isTrue ?? true
            return NightFact(
                kind: .threshold, name: name, fails: !isMet, count: isMet ? 0 : 1,
                text:
                    "threshold '\(name)' \(isMet ? "met" : "missed"): \(row["actual"]?.text ?? "?")"
            )
        }
            + list(json, "shows").compactMap { row in
                guard let name = row["expression"]?.text else { return nil }
                let isHeld = row["held"]?.isTrue ?? true
                return NightFact(
                    kind: .shows, name: name, fails: !isHeld, count: isHeld ? 0 : 1,
                    text: "line '\(name)' of shows \(isHeld ? "found" : "not found"): "
                        + Figures.count(count(row, "count")))
            }
    }

    /// More causes than these are for the report.
    private static let shownErrors = 5

    private static func errors(_ json: JSON) -> [NightFact] {
        list(json, "errors").prefix(shownErrors).compactMap { row in
            guard let operation = row["operation"]?.text else { return nil }
            let cause = ["status", "reason"].compactMap { row[$0]?.text }.filter { !$0.isEmpty }
            let words = cause.isEmpty ? row["outcome"]?.text ?? "" : cause.joined(separator: " ")
            let span = ["firstSecond", "lastSecond"].compactMap {
                row[$0]?.text.flatMap { Double($0) }.map { Figures.span(seconds: $0) }
            }
            let when = span.count == 2 ? " from \(span[0]) to \(span[1])" : ""
            return NightFact(
                kind: .error, name: "\(operation): \(words)", fails: false,
                count: count(row, "count"),
                text:
                    "\(operation): \(words), \(Figures.counted(count(row, "count"), "time"))\(when)"
            )
        }
    }

    private static func events(_ json: JSON) -> [NightFact] {
        list(json, "events").compactMap { row in
            guard let name = row["name"]?.text, row["origin"]?.text != "control" else { return nil }
            let phases = list(row, "phases")
            let errors = phases.compactMap { phase -> String? in
                let requests = count(phase, "requests")
                guard requests > 0, let name = phase["name"]?.text else { return nil }
                return "\(Figures.percent(count(phase, "errors"), of: requests)) \(name)"
            }
            let violations = phases.filter { $0["name"]?.text != "before" }
                .map { count($0, "violations") }.reduce(0, +)
            let from = row["fromSeconds"]?.text.flatMap { Double($0) }
            let start = from.map { " at \(Figures.span(seconds: $0))" } ?? ""
            let recovery = row["recovery"]?.text ?? ""
            let isDisturbed = recovery.hasPrefix("after") || recovery.hasPrefix("not within")
            return NightFact(
                kind: .event, name: name, fails: false, count: violations,
                text: "event \(name)\(start): \(isDisturbed ? "recovered " : "")\(recovery)"
                    + (errors.isEmpty ? "" : "; errors \(errors.joined(separator: ", "))")
                    + (violations == 0
                        ? "" : "; \(Figures.counted(violations, "violation")) during and after it"))
        }
    }
}
