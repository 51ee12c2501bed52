internal import Checker
internal import Dialects
internal import Rendering
internal import Statistics

/// A case as JSON: the same case is the same text.
extension Case {
    /// The file's text, with a line end.
    public var json: String { document.rendered() + "\n" }

    private var document: JSON {
        .object([
            ("schema", .text(Self.schema)), ("name", .text(name)), ("made", .text(made)),
            ("version", .text(version)), ("seed", .text(String(seed))),
            (
                "target",
                .object([
                    ("name", .text(target.name)), ("protocol", .text(target.protocolName)),
                    ("date", .text(target.date)), ("server", .text(target.server)),
                    ("cookies", .array(target.cookies.map(JSON.text))),
                ])
            ),
            ("throttle", .text(throttle)), ("policies", .array(policies.map(JSON.text))),
            ("expected", expectation), ("plan", .text(schedule.plan)),
            ("actors", .array(schedule.actors.map(Self.actor))),
            ("ops", .array(schedule.ops.map(Self.op))),
            (
                "settle",
                .object([
                    ("quietUs", .integer(schedule.settle.quiet.inMicroseconds)),
                    ("reads", .integer(schedule.settle.reads)),
                    ("everyUs", .integer(schedule.settle.every.inMicroseconds)),
                ])
            ),
            (
                "codeLifetimeUs",
                schedule.codeLifetime.map { .integer($0.inMicroseconds) } ?? .null
            ),
            ("company", .text(company.rawValue)), ("swept", swept.map(JSON.text) ?? .null),
            ("evidence", evidenceObject), ("prefixes", .array(prefixes.map(Self.prefix))),
            ("minimal", .flag(isMinimal)), ("removedOps", .array(removed.map(JSON.text))),
            ("almost", .array(almost.map(Self.almost))), ("controls", controlsObject),
            (
                "alternatives",
                .array(
                    alternatives.map {
                        .object([
                            ("explanation", .text($0.explanation)),
                            ("ruledOutBy", .text($0.ruledOutBy)),
                        ])
                    })
            ),
            ("path", pathObject), ("historyHash", .text(historyHash)), ("trial", trialObject),
            (
                "rig", .object([("name", .text(rig.name)), ("source", .text(rig.source))])
            ),
        ])
    }

    private var expectation: JSON {
        .object([
            ("invariant", .text(expected.invariant.name)),
            ("ops", .array(expected.ops.map(JSON.text))),
            ("minGapUs", expected.gap.map { .integer($0.inMicroseconds) } ?? .null),
            ("signature", .text(expected.signature)), ("sentence", .text(expected.sentence)),
        ])
    }

    private static func actor(_ actor: Schedule.Actor) -> JSON {
        .object([
            ("name", .text(actor.name)), ("screen", .text(actor.screen.rawValue)),
            ("household", .integer(actor.household)),
        ])
    }

    private static func op(_ op: Schedule.Op) -> JSON {
        var members: [(String, JSON)] = [
            ("id", .text(op.id)), ("actor", .text(op.actor)), ("op", .text(op.step.rawValue)),
            ("args", .object(op.args.map { ($0.name, .text($0.value)) })),
            ("tag", op.tag.map(JSON.text) ?? .null),
        ]
        if let anchor = op.anchor {
            members.append(
                (
                    "anchor",
                    .object([
                        ("op", .text(anchor.op)), ("event", .text(anchor.event.rawValue)),
                    ])
                ))
        } else {
            members.append(("anchor", .null))
        }
        members += [
            ("offsetUs", .integer(op.offset.inMicroseconds)), ("gate", .text(op.gate.rawValue)),
            ("connection", .text(op.connection.text)), ("cookies", .text(op.cookies.rawValue)),
        ]
        return .object(members)
    }

    private static func prefix(_ prefix: Prefix) -> JSON {
        .object([
            ("op", .text(prefix.op)), ("k", .integer(prefix.rate.hits)),
            ("n", .integer(prefix.rate.trials)),
        ])
    }

    private static func almost(_ almost: Almost) -> JSON {
        .object([
            ("without", .text(almost.without)), ("k", .integer(almost.rate.hits)),
            ("n", .integer(almost.rate.trials)), ("note", .text(almost.note)),
        ])
    }

    private static func spread(_ spread: RaceFinding.Quantiles?) -> JSON {
        guard let spread else { return .null }
        return .object([
            ("p10", .integer(spread.p10.inMicroseconds)),
            ("p50", .integer(spread.p50.inMicroseconds)),
            ("p90", .integer(spread.p90.inMicroseconds)),
        ])
    }

    private var evidenceObject: JSON {
        guard let evidence else { return .null }
        let (k, n) = (evidence.rate.hits, evidence.rate.trials)
        let interval = Interval.exactShare(of: k, in: n)
        return .object([
            ("k", .integer(k)), ("n", .integer(n)), ("method", .text(evidence.method)),
            (
                "ci95",
                .array([
                    .number(interval.low, decimals: 4), .number(interval.high, decimals: 4),
                ])
            ),
            ("achievedOffsetUs", Self.spread(evidence.achieved)),
            (
                "peakWindowUs",
                evidence.window.map {
                    .array([
                        .integer($0.low.inMicroseconds), .integer($0.high.inMicroseconds),
                    ])
                } ?? .null
            ),
            (
                "windowOpen",
                evidence.window.map { .array([.flag($0.isLowOpen), .flag($0.isHighOpen)]) }
                    ?? .null
            ),
            ("bestOffsetUs", .integer(evidence.best.inMicroseconds)),
            ("simultaneous", .flag(evidence.isSimultaneous)),
            ("firstSeenUs", .integer(evidence.firstSeen.inMicroseconds)),
            ("durationUs", .integer(evidence.trialTime.inMicroseconds)),
            (
                "curve",
                .array(
                    evidence.curve.map {
                        .object([
                            ("offsetUs", .integer($0.offset.inMicroseconds)),
                            ("k", .integer($0.rate.hits)), ("n", .integer($0.rate.trials)),
                        ])
                    })
            ),
        ])
    }

    private static func arm(_ arm: Arm?) -> JSON {
        guard let arm else { return .null }
        return .object([
            ("offsetUs", .integer(arm.offset.inMicroseconds)), ("k", .integer(arm.rate.hits)),
            ("n", .integer(arm.rate.trials)), ("fisherP", .text(Self.exponent(arm.fisher))),
        ])
    }

    private var controlsObject: JSON {
        .object([
            ("outsideWindow", Self.arm(controls.outside)),
            ("cleanStandin", Self.arm(controls.clean)),
            (
                "cleanLatencyUs",
                controls.latency.map { .integer($0.inMicroseconds) } ?? .null
            ),
        ])
    }

    private var pathObject: JSON {
        guard let path else { return .null }
        return .object([("via", .text(path.via)), ("jitterUs", Self.spread(path.spread))])
    }

    private var trialObject: JSON {
        guard let trial else { return .null }
        return .object([
            ("startedUs", .integer(Int(trial.startedMicroseconds))),
            ("exchanges", .array(trial.exchanges.map { Self.entry($0, of: trial) })),
        ])
    }

    private static func entry(_ entry: Entry, of trial: Trial) -> JSON {
        .object(
            [
                ("op", .text(entry.op)), ("actor", .text(entry.actor)),
                ("operation", .text(entry.operation.name)),
                ("household", .integer(entry.household)),
                ("sequence", .integer(entry.sequence)), ("begunNs", .integer(Int(entry.begun))),
                ("sentNs", .integer(Int(entry.sent))),
                ("firstByteNs", .integer(Int(entry.firstByte))),
                ("endedNs", .integer(Int(entry.ended))),
                ("sentUtc", .text(trial.utc(entry.sent))),
                ("firstByteUtc", .text(trial.utc(entry.firstByte))), ("lost", .flag(entry.isOpen)),
                ("status", entry.status.map(JSON.integer) ?? .null),
                ("answer", .text(entry.answer)),
                ("belief", entry.belief.map(JSON.integer) ?? .null),
                ("conflict", .flag(entry.isConflict)), ("serverDate", .text(entry.serverDate)),
                ("requestId", .text(entry.requestID)),
            ]
                + (entry.request.map { [("method", .text($0.method)), ("url", .text($0.url))] }
                    ?? []))
    }

    /// `3.2e-09`: a number that JSON of three decimals would print as 0.
    static func exponent(_ value: Double) -> String {
        guard value > 0, value.isFinite else { return "0" }
        var (mantissa, power) = (value, 0)
        while mantissa < 1, power > -400 { (mantissa, power) = (mantissa * 10, power - 1) }
        while mantissa >= 10 { (mantissa, power) = (mantissa / 10, power + 1) }
        if power >= -3 { return Figures.trimmed(value, 4) }
        return "\(Figures.trimmed(mantissa, 1))e\(power)"
    }
}

extension Case.Trial {
    /// UTC with microseconds: `2026-11-21T07:00:00.123456Z`.
    func utc(_ nanoseconds: Int64) -> String {
        let microseconds = startedMicroseconds + nanoseconds / 1_000
        let whole = Figures.timestamp(microseconds: microseconds)
        let digits = String((microseconds % 1_000_000 + 1_000_000) % 1_000_000)
        let padded = String(repeating: "0", count: 6 - digits.count) + digits
        return whole.dropLast() + ".\(padded)Z"
    }
}

extension Duration {
    /// Rounded to the nearest.
    var inMicroseconds: Int {
        let nanoseconds = inNanoseconds
        return Int((nanoseconds + (nanoseconds < 0 ? -500 : 500)) / 1_000)
    }

    var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
