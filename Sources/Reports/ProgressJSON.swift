internal import Dialects
internal import Formats
internal import Journal
internal import Rendering

/// Progress and result as JSON lines, for machines (docs/politeness.md, `--json`): each line one object with
/// a `type`; keys may be added, none removed or renamed.
public enum ProgressJSON {
    /// `{"type":"progress",...}`.
    public static func progress(_ state: LiveState) -> String {
        object(state).text(.compact)
    }

    static func object(_ state: LiveState) -> JSON {
        let progress = state.progress
        let households = progress.households
        return JSON.members([
            ("type", .string("progress")),
            ("seconds", .decimal(Double(progress.elapsed.nanoseconds) / 1e9)),
            ("plannedSeconds", optional(state.planned) { $0 / 1000 }),
            ("waitsFor", .string(state.wait)),
            (
                "households",
                .members([
                    ("planned", state.plannedHouseholds.map(JSON.integer) ?? .null),
                    ("started", .integer(households.started)),
                    ("signedIn", .integer(households.signedIn)),
                    ("preSignedIn", .integer(households.preSignedIn)),
                    ("failed", .integer(households.failed)),
                    ("abandoned", .integer(households.abandoned)),
                    ("abandonedByService", .integer(households.abandonedByService)),
                    ("running", .integer(households.running)),
                    ("stages", .members(stages(households))),
                ])
            ),
            (
                "exchanges",
                .members([
                    ("sent", .integer(progress.sent + progress.underWay)),
                    ("completed", .integer(progress.completed)),
                    ("errors", .integer(progress.errors)),
                    ("throttled", .integer(progress.throttled)),
                    ("heldBack", .integer(progress.heldBack)),
                    ("heldNow", .integer(progress.heldNow)),
                    ("perSecond", .decimal(progress.answerRate)),
                ])
            ),
            (
                "latencyMs",
                .members([
                    ("p50", optional(progress.latencyP50) { $0 }),
                    ("p99", optional(progress.latencyP99) { $0 }),
                ])
            ),
            ("latenessMs", .members([("p99", optional(progress.latenessP99) { $0 })])),
            ("worstErrors", .array(progress.worstErrors.map(error))),
            ("violations", state.findings.map { .integer($0.failing) } ?? .null),
            ("thresholds", .array(state.thresholds.map(SummaryJSON.threshold))),
            ("undecidedThresholds", .integer(state.undecidedThresholds)),
            ("invalidity", state.invalidity.map(JSON.string) ?? .null),
        ])
    }

    /// `{"type":"result",...}` of a run that left a report in `path`.
    public static func result(_ summary: Summary, exitCode: Int32, path: String) -> String {
        JSON.members([
            ("type", .string("result")),
            ("outcome", .string(summary.outcome.rawValue)),
            ("exitCode", .integer(Int(exitCode))),
            ("headline", .string(summary.headline)),
            ("verdict", SummaryJSON.verdict(summary)),
            ("explanations", .array(summary.explanations.map(JSON.string))),
            ("notes", .array(summary.notes.map(JSON.string))),
            ("path", .string(path)),
            ("seconds", .decimal(summary.run.seconds)),
            ("historyHash", .string(summary.run.historyHash)),
            ("households", SummaryJSON.households(summary.households)),
            ("exchanges", SummaryJSON.exchanges(summary.exchanges)),
            ("thresholds", .array(summary.thresholds.map(SummaryJSON.threshold))),
            ("shows", .array(summary.shows.map(SummaryJSON.check))),
        ]).text(.compact)
    }

    /// `{"type":"result",...}` of a run that never came to a report.
    public static func failure(_ message: String, exitCode: Int32) -> String {
        JSON.members([
            ("type", .string("result")), ("outcome", .string("aborted")),
            ("exitCode", .integer(Int(exitCode))), ("headline", .string(message)),
            ("explanations", .array([])), ("path", .null),
        ]).text(.compact)
    }

    private static func stages(_ households: Progress.HouseholdCounts) -> [(String, JSON)] {
        Stage.allCases.map { ($0.name, .integer(households.runningAt[Int($0.rawValue)])) }
    }

    private static func error(_ error: Progress.WorstError) -> JSON {
        .members([
            ("operation", .string(error.operation.name)), ("outcome", .string(error.outcome.name)),
            ("status", error.status == 0 ? .null : .integer(error.status)),
            ("reason", .string(Sanitizer.line(error.reason))), ("count", .integer(error.count)),
        ])
    }

    private static func optional(_ duration: Duration?, _ unit: (Double) -> Double) -> JSON {
        duration.map { .decimal(unit(Double(Instant($0).nanoseconds) / 1e6)) } ?? .null
    }
}
