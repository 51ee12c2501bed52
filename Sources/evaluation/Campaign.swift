internal import Dialects
internal import Standin

/// One row of the detection table: a fault with parameters that fit the test bench
/// (rigs/detection.yaml), and what of the bench has to be otherwise for it.
struct Campaign: Sendable {
    let kind: FaultKind
    let spoken: ProtocolName

    /// The invariants that name it.
    var invariants: [String] { kind.invariants(in: spoken) }
    /// As `--fault` takes it.
    var fault: String { kind.text(with: kind.detection.parameters) }
    /// `path.to.key` and value, as `--set` has them.
    var sets: [(String, String)] { kind.detection.sets }
    /// The same for somebody else's server.
    var foreignSets: [(String, String)] { kind.detection.foreignSets }
    var isStatistical: Bool { kind.detection.isStatistical }

    /// Those that have a meaning in the protocol of the bench.
    static func all(in spoken: ProtocolName) -> [Campaign] {
        FaultKind.all.filter {
            $0.protocols.contains(spoken) && !$0.detection.isOfRacesOnly
        }.map {
            Campaign(kind: $0, spoken: spoken)
        }
    }
}

/// What became of one run of a campaign.
struct DetectionRun: Sendable {
    /// Households that the fault struck at, and those of them where it showed.
    var activated = 0
    var observable = 0
    /// Of the observable, those that an expected invariant names.
    var flagged = 0
    /// Households in which an expected invariant was violated, by name.
    var expected: [String: Int] = [:]
    /// Households in which it is merely suspected that an expected one was violated.
    var suspected = 0
    /// Households in which another was, that is no companion of an expected one.
    var wrong: [String: Int] = [:]
    /// Households that are accused and that nothing struck at.
    var falseAccusations = 0
    /// Sentences of the first of each kind, to look into.
    var samples: [String] = []
    /// Sentences about what nothing had struck at, or was not to be expected.
    var doubts: [String] = []
    /// Households that were struck at, observably, and not flagged.
    var missed: [Int] = []
    /// Households that were accused of something that is not to be expected, or that nothing struck at.
    var accusedWrongly: [Int] = []
    /// What some of those households sent and were answered (`--trace`).
    var traces: [String] = []
    /// Whether the run itself failed, as a user sees it.
    var failed = false

    var isFound: Bool { !expected.isEmpty }
    var isSuspected: Bool { suspected > 0 }
}

/// All runs of a campaign.
struct DetectionRow: Sendable {
    let campaign: Campaign
    var runs: [DetectionRun] = []

    var activated: Int { runs.reduce(0) { $0 + $1.activated } }
    var observable: Int { runs.reduce(0) { $0 + $1.observable } }
    var flagged: Int { runs.reduce(0) { $0 + $1.flagged } }
    var found: Int { runs.count(where: \.isFound) }
    var suspected: Int { runs.count(where: \.isSuspected) }
    var falseAccusations: Int { runs.reduce(0) { $0 + $1.falseAccusations } }

    func merged(_ path: KeyPath<DetectionRun, [String: Int]>) -> String {
        var all: [String: Int] = [:]
        for run in runs { all.merge(run[keyPath: path]) { $0 + $1 } }
        if all.isEmpty { return "-" }
        return all.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// A row of the table; `tellsRuns`: with how many runs failed.
    func markdown(tellsRuns: Bool) -> String {
        let expected = campaign.invariants.joined(separator: ", ")
        let isControl = campaign.kind.isControl
        let share =
            observable == 0 || campaign.isStatistical
            ? "-"
            : "\(flagged)/\(observable) (\(Int((Double(flagged) / Double(observable) * 1000).rounded()) / 10) %)"
        let campaigns =
            if isControl {
                "-"
            } else if activated == 0 {
                "not exercised"
            } else if campaign.isStatistical {
                "suspicion raised in \(suspected)/\(runs.count)"
            } else {
                "\(found)/\(runs.count)"
            }
        return "| `\(campaign.fault)` | \(expected.isEmpty ? "none" : expected) | \(activated) "
            + "| \(share) | \(campaigns) | \(merged(\.wrong)) | \(falseAccusations) |"
            + (tellsRuns ? " \(runs.count(where: \.failed))/\(runs.count) |" : "")
    }

    static func head(tellsRuns: Bool) -> String {
        """
        | fault | expected | households affected | flagged of observable | campaigns found | other \
        invariants | false alarms |\(tellsRuns ? " runs that exit 1 |" : "")
        |---|---|---|---|---|---|---|\(tellsRuns ? "---|" : "")
        """
    }
}
