internal import Checker
internal import Rendering

/// A row of violations.csv.
struct ViolationLine {
    var violation: Violation
    /// Of the first violations only.
    var row: ViolationRow?
    /// Events of the run that it fell into.
    var events: [String] = []

    static func all(_ summary: Summary) -> [ViolationLine] {
        (summary.findings?.violations ?? []).enumerated().map { position, violation in
            let rows = summary.violations
            return ViolationLine(
                violation: violation, row: rows.indices.contains(position) ? rows[position] : nil,
                events: summary.events(at: Double(violation.at) / 1e9))
        }
    }

    static let columns: [Column<ViolationLine>] = [
        Column(
            "signature", about: "equal for similar violations: 4,000 rows may be three findings"
        ) { .text($0.violation.signature) },
        Column("invariant", about: "the promise: `screenrig explain NAME`") {
            .text($0.violation.invariant.name)
        },
        Column(
            "certainty",
            about: "certain, given a bound, or suspicion with the other explanation"
        ) {
            switch $0.violation.certainty {
            case .certain: .text("certain")
            case .given(let bound): .text(Sanitizer.line("given: \(bound)"))
            case .suspicion(let reason): .text(Sanitizer.line("suspicion: \(reason)"))
            }
        },
        Column(
            "source",
            about: "source of the promise: documented (the protocol), policy (the rig) or ours "
                + "(screenrig's own expectation)"
        ) { .text($0.violation.source.rawValue) },
        Column("gap_ms", about: "time between the two responses that cannot both be right") {
            .number($0.violation.gap.map { Double($0) / 1e6 })
        },
        Column("household", about: "number of the household") { .count($0.violation.household) },
        Column(
            "exchange_ids",
            about:
                "`household/number` of each request that proves it; the last one is the one that "
                + "cannot be explained"
        ) { line in
            .text(
                line.violation.exchanges.map { "\(line.violation.household)/\($0)" }
                    .joined(separator: " "))
        },
        Column(
            "request_ids", about: "by which the server's team finds the requests in its logs"
        ) { .text($0.row?.requestIDs.joined(separator: " ") ?? "") },
        Column(
            "remote_addresses", about: "by which the server's team finds the requests in its logs"
        ) { .text($0.row?.remotes.joined(separator: " ") ?? "") },
        Column("sentence", about: "description") {
            .text(Sanitizer.sentence($0.violation.sentence))
        },
        Column("standing", about: "fails, observed, known (with its ticket) or suspected") {
            if case .known(let ticket) = $0.violation.standing {
                return .text("known: \(Sanitizer.line(ticket))")
            }
            return .text($0.violation.standing.name)
        },
        Column("companions", about: "promises that were violated with it") {
            .text($0.violation.companions.map(\.name).joined(separator: " "))
        },
        Column(
            "times",
            about:
                "contradictions found in that household; one wrong response may contradict several others"
        ) {
            .count($0.violation.times)
        },
        Column("near_change", about: "a change of the service close to it") {
            .text(Sanitizer.line($0.violation.nearChange ?? ""))
        },
        Column(
            "events",
            about:
                "events of the run that it fell into (rig, mark), until the service had recovered"
        ) { .text($0.events.joined(separator: " ")) },
    ]
}
