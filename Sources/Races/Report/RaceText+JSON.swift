internal import Formats
internal import Journal
internal import Statistics

/// Lines of JSON: one object each, as they happen, the last with the outcome.
extension RaceText {
    /// Of `summary.json` and of the last line.
    static let schema = "screenrig/race/1"

    /// Nil for what only matters to somebody who looks on.
    public static func json(_ news: RaceNews) -> String? {
        switch news {
        case .trials(let trials, let discarded):
            return object([
                ("event", quoted("trials")), ("trials", "\(trials)"), ("discarded", "\(discarded)"),
            ])
        case .phase(let phase):
            return object([("event", quoted("phase")), ("phase", quoted(phase))])
        case .curve(let plan, let invariant, let points, let window):
            return object(
                [
                    ("event", quoted("curve")), ("plan", quoted(plan)),
                    ("invariant", quoted(invariant.name)), ("points", list(points)),
                ] + windowFields(window))
        case .found(let finding):
            return object([("event", quoted("found"))] + fields(finding))
        case .compared(let comparison):
            return object([("event", quoted("compared"))] + fields(comparison))
        }
    }

    /// `about`: for summary.json, which stands by itself.
    public static func json(
        _ outcome: RaceOutcome, cases: [String?], about: RaceReport.About? = nil
    ) -> String {
        let findings = outcome.findings.enumerated().map { number, finding in
            let path = cases.indices.contains(number) ? cases[number] : nil
            let level = outcome.promises.meaning(
                of: finding.invariant, from: finding.source)
            return object(
                fields(finding) + [
                    ("level", quoted(level)),
                    ("known", "\(outcome.isKnown(finding.promise, in: finding.plan))"),
                ]
                    + (path.map { [("case", quoted($0))] } ?? []))
        }
        let gate = outcome.gate.map {
            "[\($0.p10.wholeMicroseconds), \($0.p50.wholeMicroseconds), \($0.p90.wholeMicroseconds)]"
        }
        let head =
            about.map { about in
                [
                    ("rig", quoted(about.rig)), ("target", quoted(about.target)),
                    ("version", quoted(about.version)), ("seed", "\(about.seed)"),
                    ("started", quoted(UTCTime(microseconds: about.startedMicroseconds).rfc3339)),
                    ("deployed", about.deployed.map(quoted) ?? "null"),
                    ("sweeps", "[" + outcome.sweeps.map(sweep).joined(separator: ", ") + "]"),
                ]
            } ?? [("event", quoted("end"))]
        return object(
            [("schema", quoted(schema))] + head + [
                ("end", quoted(outcome.end.rawValue)), ("trials", "\(outcome.trials)"),
                ("discarded", "\(outcome.discards)"),
                ("elapsedMs", "\(outcome.elapsed.wholeMicroseconds / 1000)"),
                ("schedulesPerSecond", outcome.pace.map(String.init) ?? "null"),
                ("gateErrorUs", gate ?? "null"), ("oneAtATime", "\(outcome.isAlone)"),
                ("findings", "[" + findings.joined(separator: ", ") + "]"),
                (
                    "comparisons",
                    "["
                        + outcome.comparisons.map { object(fields($0) + known($0, outcome)) }
                        .joined(separator: ", ")
                        + "]"
                ),
                (
                    "alsoIn",
                    "["
                        + outcome.alsoIn.map {
                            object([
                                ("plan", quoted($0.plan)),
                                ("invariant", quoted($0.promise.invariant.name)),
                                ("source", quoted($0.promise.source.rawValue)),
                                ("known", "\(outcome.isKnown($0.promise, in: $0.plan))"),
                            ])
                        }.joined(separator: ", ") + "]"
                ),
                ("events", "[" + outcome.events.map(event).joined(separator: ", ") + "]"),
                ("baseline", outcome.baseline.map { quoted($0.file) } ?? "null"),
                (
                    "gone",
                    "["
                        + outcome.gone.map {
                            object([
                                ("plan", quoted($0.plan)), ("invariant", quoted($0.invariant)),
                            ])
                        }.joined(separator: ", ") + "]"
                ),
            ])
    }

    private static func event(_ event: RunEvent) -> String {
        func milliseconds(_ instant: Instant) -> String {
            "\((instant - .start).wholeMicroseconds / 1000)"
        }
        return object([
            ("name", quoted(event.name)), ("origin", quoted(event.origin.rawValue)),
            ("atMs", milliseconds(event.began)),
            ("throughMs", event.ended.map(milliseconds) ?? "null"),
            ("command", quoted(event.command)), ("status", event.status.map { "\($0)" } ?? "null"),
            ("output", quoted(event.output)),
        ])
    }

    private static func known(
        _ comparison: ArmComparison, _ outcome: RaceOutcome
    ) -> [(String, String)] {
        let plan = comparison.plan
        return [("known", "\(outcome.isKnown(plan.promise, in: plan.name))")]
    }

    private static func sweep(_ sweep: RaceOutcome.Sweep) -> String {
        object([
            ("plan", quoted(sweep.plan)), ("way", quoted(sweep.title)),
            ("rounds", "\(sweep.rounds)"), ("complete", "\(sweep.isWhole)"),
            ("trials", "\(sweep.trials)"),
            ("discarded", "\(sweep.discarded)"), ("obstacle", quoted(sweep.obstacle)),
        ])
    }

    private static func fields(_ finding: RaceFinding) -> [(String, String)] {
        let interval = Interval.exactShare(of: finding.rate.hits, in: finding.rate.trials)
        return [
            ("plan", quoted(finding.plan)), ("invariant", quoted(finding.invariant.name)),
            ("source", quoted(finding.source.rawValue)),
            ("swept", quoted(finding.swept)), ("bestUs", "\(finding.best.wholeMicroseconds)"),
            ("hits", "\(finding.rate.hits)"), ("of", "\(finding.rate.trials)"),
            ("ci95", "[\(decimal(interval.low)), \(decimal(interval.high))]"),
            ("simultaneous", "\(finding.isSimultaneous)"),
            ("rare", "\(finding.isRare)"), ("method", quoted(finding.method)),
            ("firstSeenMs", "\(finding.firstSeen.wholeMicroseconds / 1000)"),
            ("sentence", quoted(finding.sentence)), ("curve", list(finding.curve)),
        ] + windowFields(finding.window)
    }

    private static func windowFields(_ window: RaceFinding.Window?) -> [(String, String)] {
        guard let window else { return [] }
        let low = window.isLowOpen ? "null" : "\(window.low.wholeMicroseconds)"
        let high = window.isHighOpen ? "null" : "\(window.high.wholeMicroseconds)"
        return [("windowUs", "[\(low), \(high)]")]
    }

    private static func list(_ points: [RaceFinding.CurvePoint]) -> String {
        let rows = points.map {
            "[\($0.offset.wholeMicroseconds), \($0.rate.hits), \($0.rate.trials)]"
        }
        return "[" + rows.joined(separator: ", ") + "]"
    }

    static func object(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\(quoted($0.0)): \($0.1)" }.joined(separator: ", ") + "}"
    }

    static func quoted(_ text: String) -> String { JSONText.quoted(text) }

    /// Three decimals.
    private static func decimal(_ share: Double) -> String {
        let thousandths = Int((share * 1000).rounded())
        let digits = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
