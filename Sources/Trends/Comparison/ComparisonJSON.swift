internal import Formats

/// A comparison for a program, schema `screenrig/comparison/1`: keys may be added, none removed or
/// renamed.
public enum ComparisonJSON {
    public static func text(_ comparison: Comparison) -> String {
        JSON.members([
            ("schema", .string("screenrig/comparison/1")),
            ("verdict", .string(comparison.verdict.rawValue)),
            ("headline", .string(comparison.headline)),
            ("comparable", .bool(comparison.warnings.isEmpty)),
            ("warnings", .array(comparison.warnings.map(JSON.string))),
            ("reservation", comparison.reservation.map(JSON.string) ?? .null),
            ("base", side(comparison.base)),
            ("run", side(comparison.run)),
            (
                "floor",
                .members([
                    ("relative", .decimal(comparison.floor.relative)),
                    ("ms", .decimal(comparison.floor.milliseconds)),
                    ("share", .decimal(comparison.floor.share, 6)),
                ])
            ),
            ("values", .array(comparison.rows.map(row))),
            ("newErrors", .array(comparison.newErrors.map(kind))),
            ("goneErrors", .array(comparison.goneErrors.map(kind))),
            ("promises", comparison.promises.map { .array($0.map(promise)) } ?? .null),
            ("protocols", comparison.protocols.map { move($0, comparison.moveLines) } ?? .null),
        ]).text(.page) + "\n"
    }

    /// Two protocols: the sentences, and the requests per sign-in by step.
    private static func move(_ protocols: ProtocolComparison, _ lines: [String]) -> JSON {
        .members([
            ("base", .string(protocols.base)), ("run", .string(protocols.run)),
            ("changes", .array(lines.map(JSON.string))),
            ("notes", .array(protocols.notes.map(JSON.string))),
            ("baseSignIns", .integer(protocols.baseSignIns)),
            ("runSignIns", .integer(protocols.runSignIns)),
            (
                "requestsPerSignIn",
                .array(
                    protocols.steps.map { step in
                        .members([
                            ("step", .string(step.name)),
                            ("upToSignIn", .bool(step.isSignIn)),
                            ("baseOperations", .array(step.baseOperations.map(JSON.string))),
                            ("runOperations", .array(step.runOperations.map(JSON.string))),
                            ("base", .decimal(step.base, 3)), ("run", .decimal(step.run, 3)),
                        ])
                    })
            ),
        ])
    }

    private static func side(_ side: Comparison.Side) -> JSON {
        .members([
            ("id", .string(side.id)), ("rig", .string(side.rig)),
            ("started", .string(side.started)),
            ("seconds", .decimal(side.seconds)), ("target", .string(side.target)),
            ("load", .string(side.load)), ("version", .string(side.version)),
            ("answers", .integer(side.answers)), ("households", .integer(side.households)),
        ])
    }

    private static func row(_ row: Comparison.Row) -> JSON {
        let decimals = row.unit == .milliseconds ? 3 : 6
        func number(_ value: Double) -> JSON { .decimal(value, decimals) }
        return .members([
            ("subject", .string(row.subject)), ("statistic", .string(row.statistic)),
            ("unit", .string(row.unit == .milliseconds ? "ms" : "share")),
            ("base", number(row.base)), ("run", number(row.run)),
            ("difference", number(row.difference)), ("low", number(row.low)),
            ("high", number(row.high)),
            ("relative", row.relative.map { .decimal($0, 4) } ?? .null),
            ("baseCount", .integer(row.baseCount)), ("runCount", .integer(row.runCount)),
            (
                "sure",
                row.verdict == .tooFew || row.isOnGrid ? .null : .decimal(row.sure, 6)
            ),
            ("belowFloor", .bool(row.isSmall)), ("withinPollInterval", .bool(row.isOnGrid)),
            ("verdict", .string(row.verdict.rawValue)),
        ])
    }

    private static func kind(_ kind: Comparison.ErrorKind) -> JSON {
        .members([
            ("operation", .string(kind.operation)), ("what", .string(kind.what)),
            ("count", .integer(kind.count)), ("total", .integer(kind.total)),
            ("sure", .bool(kind.isSure)),
        ])
    }

    private static func promise(_ promise: Comparison.Promise) -> JSON {
        .members([
            ("name", .string(promise.name)), ("base", .integer(promise.base.failing)),
            ("run", .integer(promise.run.failing)), ("baseAll", .integer(promise.base.all)),
            ("runAll", .integer(promise.run.all)),
        ])
    }
}
