internal import Checker
internal import Formats
internal import Rendering
internal import Statistics

/// summary.json, schema `screenrig/summary/1` (docs/reports.md): keys may be added, none removed or
/// renamed. Where nothing was measured the value of a time is null; its key is still there.
enum SummaryJSON {
    static func text(_ summary: Summary) -> String {
        JSON.members([
            ("schema", .string("screenrig/summary/1")),
            ("run", run(summary.run)),
            ("outcome", .string(summary.outcome.rawValue)),
            ("headline", .string(summary.headline)),
            ("verdict", verdict(summary)),
            ("households", households(summary.households)),
            ("exchanges", exchanges(summary.exchanges)),
            ("operations", .array(summary.operations.map(operation))),
            ("rigHealth", health(summary.rigHealth)),
            ("signInMs", spread(summary.signIn)),
            ("signInServiceMs", spread(summary.signInService)),
            ("tokenVisibilityMs", spread(summary.tokenVisibility)),
            ("signOns", signOns(summary.signOns)),
            (
                "invariants",
                .array(
                    summary.findings.map { found in found.verdicts.map { verdict($0, found) } }
                        ?? [])
            ),
            ("levels", .array(summary.findings?.levels.map(level) ?? [])),
            (
                "unjudgedFromSeconds",
                summary.findings?.unjudgedFrom.map { .decimal(Double($0.nanoseconds) / 1e9) }
                    ?? .null
            ),
            ("staleness", summary.findings.map { staleness($0.staleness) } ?? .null),
            ("thresholds", .array(summary.thresholds.map(threshold))),
            ("shows", .array(summary.shows.map(check))),
            ("funnels", .array(summary.funnels.map(funnel))),
            ("losses", .array(summary.losses.map(loss))),
            ("errors", .array(summary.errors.map(error))),
            ("firstFailure", summary.firstFailure.map(JSON.string) ?? .null),
            ("notes", .array(summary.notes.map(JSON.string))),
        ]).text(.page) + "\n"
    }

    private static func signOns(_ signOns: SignOns) -> JSON {
        .members([
            (
                "paths",
                .array(
                    signOns.paths.map { path in
                        .members([
                            ("name", .string(path.name)), ("households", .integer(path.households)),
                            ("signIns", .integer(path.signIns)), ("signInMs", spread(path.time)),
                            ("signInServiceMs", spread(path.service)),
                        ])
                    })
            ),
            ("askedForPlatform", .integer(signOns.asked)),
            ("diverted", .integer(signOns.diverted)),
            (
                "diversions",
                .array(
                    signOns.diversions.map { diversion in
                        .members([
                            ("reason", .string(diversion.reason)),
                            ("signedIn", .string(diversion.phrase)),
                            ("households", .integer(diversion.households)),
                            ("example", .integer(diversion.example)),
                        ])
                    })
            ),
            ("steps", .members(signOns.walks.map { ($0.steps, .integer($0.households)) })),
            (
                "codes",
                .array(
                    signOns.codes.map { code in
                        .members([
                            ("code", .string(code.name)), ("meaning", .string(code.meaning)),
                            ("times", .integer(code.times)),
                            ("households", .integer(code.households)),
                            ("example", .integer(code.example)),
                        ])
                    })
            ),
            ("prompts", .integer(signOns.prompts)), ("pickers", .integer(signOns.pickers)),
            ("silentRelogins", .integer(signOns.silentRelogins)),
        ])
    }

    /// What fails no run has a list of its own: a pass with observations is exit code 0.
    static func verdict(_ summary: Summary) -> JSON {
        .members([
            ("outcome", .string(summary.outcome.rawValue)),
            (
                "promises",
                summary.findings.map { .string($0.rules.promises.level.rawValue) } ?? .null
            ),
            (
                "observations",
                .array(
                    summary.observations.map { observation in
                        .members([
                            ("invariant", .string(observation.invariant.name)),
                            ("households", .integer(observation.households)),
                            ("judged", .integer(observation.judged)),
                            ("breaches", .integer(observation.breaches)),
                            ("sentence", .string(observation.sentence)),
                            ("example", .string(observation.example)),
                        ])
                    })
            ),
        ])
    }

    private static func verdict(_ verdict: Verdict, _ findings: Findings) -> JSON {
        .members([
            ("name", .string(verdict.invariant.name)),
            ("result", .string(findings.result(of: verdict.invariant).code)),
            ("checked", .integer(verdict.checked)),
            ("violations", .integer(verdict.violations)),
            ("undecided", .integer(verdict.undecided)),
            ("observed", .integer(verdict.observed)),
            ("known", .integer(verdict.known)),
            ("suspected", .integer(verdict.suspected)),
            ("note", .string(verdict.note)),
            ("examples", .array(verdict.examples.map { .string(Sanitizer.line($0)) })),
        ])
    }

    private static func level(_ level: LevelVerdict) -> JSON {
        .members([
            ("name", .string(level.level.name)), ("holds", .bool(level.holds)),
            ("broken", .integer(level.broken)), ("households", .integer(level.households)),
            ("undecided", .integer(level.undecided)),
        ])
    }

    /// Between the last "not yet" and the first token of a sign-in lies the truth.
    private static func staleness(_ staleness: Staleness) -> JSON {
        func times(_ histogram: Histogram) -> JSON {
            .members(
                [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1)].map { name, share in
                    (
                        name,
                        histogram.value(atShare: share).map { .decimal(Double($0) / 1e6) } ?? .null
                    )
                })
        }
        return .members([
            ("signIns", .integer(staleness.count)), ("provenStale", .integer(staleness.proven)),
            ("atLeastMs", times(staleness.atLeast)), ("atMostMs", times(staleness.atMost)),
            ("deltaMs", .decimal(Double(staleness.delta) / 1e6)),
            ("estimateMs", estimate(staleness.estimate)),
        ])
    }

    /// Turnbull's: each quantile from where to where it may lie.
    private static func estimate(_ estimate: Turnbull) -> JSON {
        .members(
            [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1)].map { name, rank in
                let range = estimate.quantile(rank)
                let ends = range.map { [$0.low, $0.high].map { JSON.decimal($0 / 1e6) } }
                return (name, ends.map(JSON.array) ?? .null)
            })
    }

    private static func run(_ run: Summary.Run) -> JSON {
        var members: [(String, JSON)] = [
            ("id", .string(run.id)),
            ("runId", .string(run.runID)),
            ("rig", .string(run.rig)),
            ("seed", seed(run.seed)),
            ("started", .string(run.started)),
            ("seconds", .decimal(run.seconds)),
            ("target", .string(run.target)),
            ("protocol", .string(run.protocolName)),
            ("interrupted", .bool(run.interrupted)),
            ("cutShort", .bool(run.cutShort)),
            ("virtual", .bool(run.isVirtual)),
            ("lanes", .integer(run.lanes)),
            ("load", .string(run.load)),
            ("version", .string(run.version)),
            ("historyHash", .string(run.historyHash)),
        ]
        if !run.policies.isEmpty {
            members.append(("policies", .array(run.policies.map(JSON.string))))
        }
        return .members(members)
    }

    /// All 64 bits: a JSON number may be any; readers that know only doubles lose the last digits
    /// of seeds beyond 2^53, which nobody types.
    private static func seed(_ seed: UInt64) -> JSON {
        Int(exactly: seed).map(JSON.integer) ?? .string(String(seed))
    }

    private static func households(_ households: Summary.Households) -> JSON {
        .members([
            ("planned", households.planned.map(JSON.integer) ?? .null),
            ("started", .integer(households.started)),
            ("signedIn", .integer(households.signedIn)),
            ("preSignedIn", .integer(households.preSignedIn)),
            ("failed", .integer(households.failed)),
            ("abandoned", .integer(households.abandoned)),
            ("abandonedByService", .integer(households.abandonedByService)),
            ("running", .integer(households.running)),
            ("failedLater", .integer(households.failedLater)),
            ("notEntitled", .integer(households.notEntitled)),
        ])
    }

    private static func exchanges(_ exchanges: Summary.Exchanges) -> JSON {
        .members([
            ("sent", .integer(exchanges.sent)),
            ("completed", .integer(exchanges.completed)),
            ("errors", .integer(exchanges.errors)),
            ("perSecond", .decimal(exchanges.perSecond)),
        ])
    }

    private static func operation(_ row: OperationRow) -> JSON {
        .members([
            ("name", .string(row.name)),
            ("count", .integer(row.count)),
            ("sent", .integer(row.sent)),
            ("completed", .integer(row.completed)),
            ("errors", .integer(row.errors)),
            ("perSecond", .decimal(row.perSecond)),
            ("outcomes", .members(row.outcomes.map { ($0.name, .integer($0.count)) })),
            ("statuses", .members(row.statuses.map { ($0.name, .integer($0.count)) })),
            ("latencyMs", spread(row.latency)),
            ("serviceMs", spread(row.service)),
            ("latenessMs", spread(row.lateness)),
        ])
    }

    private static func health(_ health: RigHealth) -> JSON {
        .members([
            ("cpuPercent", .decimal(health.cpuPercent, 1)),
            ("latenessP99Ms", (health.lateness?.p99).map { .decimal($0) } ?? .null),
            (
                "busiestLanePercent",
                health.busiestLane.map { .decimal($0 * 100, 1) } ?? .null
            ),
            ("longestTurnMs", health.longestTurnMs.map { .decimal($0) } ?? .null),
            ("valid", .bool(health.valid)),
            ("reasons", .array(health.reasons.map(JSON.string))),
        ])
    }

    private static func spread(_ spread: Spread?) -> JSON {
        let values = spread?.values.map { JSON.decimal($0) } ?? Spread.names.map { _ in .null }
        return .members([("count", .integer(spread?.count ?? 0))] + zip(Spread.names, values))
    }

    private static func threshold(_ result: ThresholdResult) -> JSON {
        .members([
            ("expression", .string(result.expression)),
            ("actual", .string(result.actual)),
            ("met", .bool(result.met)),
        ])
    }

    static func check(_ result: HistoryCheckResult) -> JSON {
        .members([
            ("expression", .string(result.expression)),
            ("count", result.count.map(JSON.integer) ?? .null),
            ("held", .bool(result.held)),
        ])
    }

    private static func funnel(_ funnel: Funnel) -> JSON {
        .members([
            ("kind", funnel.kind.isEmpty ? .null : .string(funnel.kind)),
            ("steps", .members(funnel.steps.map { ($0.name, .integer($0.households)) })),
            ("failed", .integer(funnel.failed)),
            ("abandoned", .integer(funnel.abandoned)),
            ("running", .integer(funnel.running)),
        ])
    }

    private static func loss(_ loss: Loss) -> JSON {
        .members([
            ("kind", .string(loss.kind)),
            ("fate", .string(loss.fate)),
            ("stage", .string(loss.stage)),
            ("cause", .string(loss.cause)),
            ("households", .integer(loss.households)),
            ("example", .integer(loss.example)),
        ])
    }

    private static func error(_ row: ErrorRow) -> JSON {
        .members([
            ("operation", .string(row.operation)),
            ("outcome", .string(row.outcome)),
            ("status", row.status.map(JSON.integer) ?? .null),
            ("reason", .string(row.reason)),
            ("count", .integer(row.count)),
            ("firstSecond", .decimal(row.first)),
            ("lastSecond", .decimal(row.last)),
            ("exampleHousehold", (row.example?.household).map(JSON.integer) ?? .null),
        ])
    }
}
