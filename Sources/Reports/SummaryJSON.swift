internal import Checker
internal import Formats
internal import Journal
internal import Rendering
internal import Statistics
internal import Vocabulary

/// summary.json, schema `screenrig/summary/1` (docs/reports.md): keys may be added, none removed or
/// renamed. Where nothing was measured the value of a time is null; its key is still there.
enum SummaryJSON {
    static func text(_ summary: Summary) -> String {
        JSON.members(
            members(summary) + merged(summary) + [
                ("notes", .array(summary.notes.map(JSON.string)))
            ]
        ).text(.page) + "\n"
    }

    /// What a merged run has besides.
    private static func merged(_ summary: Summary) -> [(String, JSON)] {
        guard !summary.shards.isEmpty else { return [] }
        return [
            ("shards", .array(summary.shards.map { MergedShard.columns.json($0) })),
            ("startSkewMs", summary.startSkew.map(\.json) ?? .null),
            ("gaps", .array(summary.mergeGaps.map(JSON.string))),
        ]
    }

    private static func members(_ summary: Summary) -> [(String, JSON)] {
        [
            ("schema", .string("screenrig/summary/1")),
            ("run", run(summary.run)),
            ("outcome", .string(summary.outcome.rawValue)),
            ("headline", .string(summary.headline)),
            ("verdict", verdict(summary)),
            ("households", households(summary.households)),
            ("exchanges", exchanges(summary.exchanges)),
            ("operations", .array(summary.operations.map { OperationRow.columns.json($0) })),
            ("rigHealth", health(summary.rigHealth)),
            ("signInMs", Spread.json(summary.signIn)),
            ("signInServiceMs", Spread.json(summary.signInService)),
            ("tokenVisibilityMs", Spread.json(summary.tokenVisibility)),
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
            ("kinds", .array(summary.kinds.map { KindRow.columns.json($0) })),
            ("providers", .array(summary.providers.map { ProviderRow.columns.json($0) })),
            ("events", .array(summary.events.map(\.json))),
            ("throttling", summary.throttling.map(\.json) ?? .null),
            ("serviceLoad", summary.serviceLoad.map(\.json) ?? .null),
            ("preparation", summary.preparation.map(\.json) ?? .null),
            ("errors", .array(summary.errors.map { ErrorRow.columns.json($0) })),
            ("firstFailure", summary.firstFailure.map(JSON.string) ?? .null),
        ]
    }

    private static func signOns(_ signOns: SignOns) -> JSON {
        .members([
            ("paths", .array(signOns.paths.map { SignOns.Path.columns.json($0) })),
            ("askedForPlatform", .integer(signOns.asked)),
            ("diverted", .integer(signOns.diverted)),
            (
                "diversions",
                .array(signOns.diversions.map { SignOns.DiversionCount.columns.json($0) })
            ),
            ("steps", .members(signOns.walks.map { ($0.steps, .integer($0.households)) })),
            ("codes", .array(signOns.codes.map { SignOns.SignOnCode.columns.json($0) })),
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
        let worth = findings.worth(of: verdict)
        return .members([
            ("name", .string(verdict.invariant.name)),
            ("result", .string(findings.result(of: verdict.invariant).code)),
            ("checked", .integer(verdict.checked)),
            ("households", .integer(verdict.households)),
            ("share", worth.map(share) ?? .null),
            ("window", worth?.window.map { window($0.words, $0.exposure) } ?? .null),
            ("violations", .integer(verdict.violations)),
            ("undecided", .integer(verdict.undecided)),
            ("observed", .integer(verdict.observed)),
            ("known", .integer(verdict.known)),
            ("suspected", .integer(verdict.suspected)),
            ("note", .string(verdict.note)),
            ("examples", .array(verdict.examples.map { .string(Sanitizer.line($0)) })),
        ])
    }

    /// The share of households that violate it, with 95 %.
    private static func share(_ worth: PassWorth) -> JSON {
        .members([("low", .decimal(worth.share.low, 6)), ("high", .decimal(worth.share.high, 6))])
    }

    /// Which windows the run would have seen, with which probability, in every event and in some of them.
    private static func window(_ words: PromiseWindow, _ exposure: WindowExposure) -> JSON {
        func milliseconds(_ nanoseconds: Int64?) -> JSON {
            nanoseconds.map { .decimal(Double($0) / 1e6) } ?? .null
        }
        let delays = exposure.delays
        return .members([
            ("event", .string(words.event)), ("opens", .string(words.opens)),
            ("look", .string(words.look)), ("events", .integer(exposure.events)),
            ("lookedAt", .integer(delays.count)),
            ("shortestDelayMs", delays.count == 0 ? .null : milliseconds(delays.smallest)),
            ("seenWith95PercentMs", milliseconds(exposure.shortestWindow())),
            (
                "windows",
                .array(
                    PassWorth.windows.map { window in
                        .members([
                            ("ms", milliseconds(window)),
                            ("hits", .integer(exposure.hits(within: window))),
                            (
                                "seen",
                                .array(
                                    PassWorth.shares.map { share in
                                        let seen = exposure.probability(
                                            ofSeeing: window, inShare: share)
                                        return .members([
                                            ("share", .decimal(share)),
                                            ("probability", .decimal(seen, 6)),
                                        ])
                                    })
                            ),
                        ])
                    })
            ),
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
            ("protocols", .array(run.protocols.map(JSON.string))),
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
        if let shard = run.shard { members.append(("shard", shard.json)) }
        return .members(members)
    }

    /// All 64 bits: a JSON number may be any; readers that know only doubles lose the last digits
    /// of seeds beyond 2^53, which nobody types.
    private static func seed(_ seed: UInt64) -> JSON {
        Int(exactly: seed).map(JSON.integer) ?? .string(String(seed))
    }

    static func households(_ households: Summary.Households) -> JSON {
        .members([
            ("planned", households.planned.map(JSON.integer) ?? .null),
            ("started", .integer(households.started)),
            ("signedIn", .integer(households.signedIn)),
            ("preSignedIn", .integer(households.preSignedIn)),
            ("failed", .integer(households.failed)),
            ("abandoned", .integer(households.abandoned)),
            ("abandonedByService", .integer(households.abandonedByService)),
            ("running", .integer(households.running)),
            ("runningSignedIn", .integer(households.runningSignedIn)),
            ("failedLater", .integer(households.failedLater)),
            ("notEntitled", .integer(households.notEntitled)),
        ])
    }

    static func exchanges(_ exchanges: Summary.Exchanges) -> JSON {
        .members([
            ("sent", .integer(exchanges.sent)),
            ("completed", .integer(exchanges.completed)),
            ("errors", .integer(exchanges.errors)),
            ("perSecond", .decimal(exchanges.perSecond)),
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

    static func threshold(_ result: ThresholdResult) -> JSON {
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
}
