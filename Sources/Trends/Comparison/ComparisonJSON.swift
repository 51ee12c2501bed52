internal import Rendering
internal import Reports

/// A comparison for a program, schema `screenrig/comparison/1`: keys may be added, none removed or
/// renamed.
public enum ComparisonJSON {
    public static func text(_ comparison: Comparison) -> String {
        JSON.object([
            ("schema", .text("screenrig/comparison/1")),
            ("verdict", .text(comparison.verdict.rawValue)),
            ("headline", .text(comparison.headline)),
            ("comparable", .flag(comparison.warnings.isEmpty)),
            ("warnings", .array(comparison.warnings.map(JSON.text))),
            ("reservation", comparison.reservation.map(JSON.text) ?? .null),
            ("base", side(comparison.base)),
            ("run", side(comparison.run)),
            (
                "floor",
                .object([
                    ("relative", .number(comparison.floor.relative)),
                    ("ms", .number(comparison.floor.milliseconds)),
                    ("share", .number(comparison.floor.share, decimals: 6)),
                ])
            ),
            ("values", .array(comparison.rows.map(row))),
            ("newErrors", .array(comparison.newErrors.map(kind))),
            ("goneErrors", .array(comparison.goneErrors.map(kind))),
            ("promises", comparison.promises.map { .array($0.map(promise)) } ?? .null),
        ]).rendered() + "\n"
    }

    private static func side(_ side: Comparison.Side) -> JSON {
        .object([
            ("id", .text(side.id)), ("rig", .text(side.rig)), ("started", .text(side.started)),
            ("seconds", .number(side.seconds)), ("target", .text(side.target)),
            ("load", .text(side.load)), ("version", .text(side.version)),
            ("answers", .integer(side.answers)), ("households", .integer(side.households)),
        ])
    }

    private static func row(_ row: Comparison.Row) -> JSON {
        let decimals = row.unit == .milliseconds ? 3 : 6
        func number(_ value: Double) -> JSON { .number(value, decimals: decimals) }
        return .object([
            ("subject", .text(row.subject)), ("statistic", .text(row.statistic)),
            ("unit", .text(row.unit == .milliseconds ? "ms" : "share")),
            ("base", number(row.base)), ("run", number(row.run)),
            ("difference", number(row.difference)), ("low", number(row.low)),
            ("high", number(row.high)),
            ("relative", row.relative.map { .number($0, decimals: 4) } ?? .null),
            ("baseCount", .integer(row.baseCount)), ("runCount", .integer(row.runCount)),
            (
                "sure",
                row.verdict == .tooFew || row.isOnGrid ? .null : .number(row.sure, decimals: 6)
            ),
            ("belowFloor", .flag(row.isSmall)), ("withinPollInterval", .flag(row.isOnGrid)),
            ("verdict", .text(row.verdict.rawValue)),
        ])
    }

    private static func kind(_ kind: Comparison.ErrorKind) -> JSON {
        .object([
            ("operation", .text(kind.operation)), ("what", .text(kind.what)),
            ("count", .integer(kind.count)), ("total", .integer(kind.total)),
            ("sure", .flag(kind.isSure)),
        ])
    }

    private static func promise(_ promise: Comparison.Promise) -> JSON {
        .object([
            ("name", .text(promise.name)), ("base", .integer(promise.base)),
            ("run", .integer(promise.run)),
        ])
    }
}
