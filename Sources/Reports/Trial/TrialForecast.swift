internal import Checker
internal import Rendering

/// What a run of the same rig would judge of what a trial has seen: the breaches that would fail it,
/// those that would only be reported, what it would note of rig and accounts, and the thresholds that this
/// household missed. A run in which every household meets the same cannot pass, so it is not recommended.
public struct TrialForecast: Sendable {
    private let failing: [String]
    private let observed: [String]
    private let rigNotes: [String]

    /// `summary`: of the trial, with the thresholds that one household can miss.
    public init(_ summary: Summary) {
        let violations = summary.findings?.violations ?? []
        func sentences(_ fails: Bool) -> [String] {
            var told: Set<String> = []
            return violations.filter { ($0.standing == .fails) == fails }
                .map { "\($0.invariant.name): \(Sanitizer.sentence($0.sentence))" }
                .filter { told.insert($0).inserted }
        }
        let missed = summary.thresholds.filter { !$0.met && !$0.isAboutPromises }
        failing = sentences(true) + missed.map { "threshold \($0.sentence)" }
        observed = sentences(false)
        rigNotes = summary.rigNotes
    }

    /// Whether a run would break on it.
    public var wouldFail: Bool { !failing.isEmpty }

    /// The block below the checklist; nil where there is nothing to say.
    public func text(width: Int) -> String? {
        guard !failing.isEmpty || !observed.isEmpty || !rigNotes.isEmpty else { return nil }
        var lines: [String] = []
        func list(_ head: String, _ sentences: [String]) {
            guard !sentences.isEmpty else { return }
            lines.append(head)
            for sentence in sentences.prefix(Self.limit) {
                lines += Wrapping.lines(
                    "  " + sentence, width: max(60, width), hanging: 4)
            }
            if sentences.count > Self.limit {
                lines.append("  and \(sentences.count - Self.limit) more, in report.html")
            }
        }
        list("a run of this rig would fail because of", failing)
        list("a run of this rig would report without failing", observed)
        list("a run of this rig would note", rigNotes)
        return lines.joined(separator: "\n")
    }

    private static let limit = 12
}
