internal import Checker
internal import Formats
internal import Journal
internal import Rendering

/// The tables of a run directory.
extension CSV {
    static func latencies(_ summary: Summary) -> String {
        let columns =
            ["operation", "count", "errors", "rate_per_s"]
            + Spread.names.map { "\($0.replacing(".", with: "_"))_ms" }
            + ["completed", "not_entitled"]
        return table(
            columns,
            summary.operations.map { row in
                [
                    row.name, String(row.count), String(row.errors),
                    DecimalText.trimmed(row.perSecond),
                ]
                    + spread(row.latency) + [String(row.completed), String(row.notEntitled)]
            })
    }

    static func timeline(_ rows: [TimelineRow], waiting: [Int]) -> String {
        var text = line([
            "second", "operation", "sent", "completed", "errors", "p50_ms", "p99_ms", "max_ms",
            "in_flight", "households_waiting",
        ])
        for row in rows {
            text += line([
                String(row.second), row.operation.name, String(row.sent), String(row.completed),
                String(row.errors), number(row.p50), number(row.p99), number(row.max),
                String(row.inFlight),
                String(waiting.indices.contains(row.second) ? waiting[row.second] : 0),
            ])
        }
        return text
    }

    static let householdColumns = [
        "household", "kind", "outcome", "stopped_at", "cause", "arrived_s", "code_to_token_ms",
        "viewer_ms", "polls", "violations", "not_entitled", "path", "asked_path", "steps",
        "sign_in_ms", "prompts", "pickers", "codes", "silent_relogins", "diversion",
        "abandoned_by",
    ]

    static func line(_ household: HouseholdRecord, violations: Int) -> String {
        let isLost = household.fate == .failed || household.fate == .abandoned
        return line([
            String(household.household), Sanitizer.line(household.kind), household.fate.name,
            isLost || household.fate == .running ? household.stage.name : "",
            Sanitizer.line(household.cause),
            DecimalText.trimmed(household.arrived.milliseconds / 1000),
            number(household.signIn?.milliseconds), number(household.viewerTime.milliseconds),
            String(household.polls), String(violations), String(household.denials),
            household.signOn.paths.map(\.name).joined(separator: " "),
            household.signOn.asked?.name ?? "", Sanitizer.line(household.signOn.steps),
            number(household.signInByPath?.milliseconds), String(household.signOn.prompts),
            String(household.signOn.pickers),
            Sanitizer.line(household.signOn.codes.joined(separator: " ")),
            String(household.signOn.silentRelogins),
            household.divertedTo == nil
                ? "" : Sanitizer.line(household.signOn.diversion, limit: 400),
            household.abandonedBy?.name ?? "",
        ])
    }

    /// Columns of docs/reports.md, and what the violation means for the run.
    static let violationColumns = [
        "signature", "invariant", "certainty", "source", "gap_ms", "household", "exchange_ids",
        "request_ids", "remote_addresses", "sentence", "standing", "companions", "times",
        "near_change",
    ]

    static func violations(_ summary: Summary) -> String {
        table(
            violationColumns,
            (summary.findings?.violations ?? []).enumerated().map { position, violation in
                let row = position < summary.violations.count ? summary.violations[position] : nil
                let certainty =
                    switch violation.certainty {
                    case .certain: "certain"
                    case .given(let bound): "given: \(bound)"
                    case .suspicion(let reason): "suspicion: \(reason)"
                    }
                return [
                    violation.signature, violation.invariant.name, Sanitizer.line(certainty),
                    violation.source.rawValue,
                    number(violation.gap.map { Double($0) / 1e6 }), String(violation.household),
                    violation.exchanges.map { "\(violation.household)/\($0)" }
                        .joined(separator: " "),
                    row?.requestIDs.joined(separator: " ") ?? "",
                    row?.remotes.joined(separator: " ") ?? "", Sanitizer.line(violation.sentence),
                    standing(violation.standing),
                    violation.companions.map(\.name).joined(separator: " "),
                    String(violation.times), Sanitizer.line(violation.nearChange ?? ""),
                ]
            })
    }

    private static func standing(_ standing: Standing) -> String {
        if case .known(let ticket) = standing { return "known: \(Sanitizer.line(ticket))" }
        return standing.name
    }

    private static func spread(_ spread: Spread?) -> [String] {
        spread?.values.map { DecimalText.trimmed($0) } ?? Spread.names.map { _ in "" }
    }

}
