internal import Rendering
internal import Reports

/// What the newest night of a rig has to tell, schema `screenrig/night/1`: for `--notify` and
/// `--json`. Keys may be added, none removed or renamed.
public enum NightJSON {
    /// One line. `report` and `page` are paths.
    public static func text(
        _ view: NightsView, exitCode: Int32, report: String?, page: String
    ) -> String {
        let night = view.nights.last
        let alarms = view.newAlarms
        let headline = view.headline + (view.newestFailure.map { " \($0)" } ?? "")
        return JSON.object([
            ("schema", .text("screenrig/night/1")),
            ("type", .text("night")),
            ("alarm", .flag(view.verdict == .worse)),
            ("verdict", .text(view.verdict.rawValue)),
            ("headline", .text(headline)),
            ("rig", .text(view.rig)),
            ("night", .text(night?.started ?? "")),
            ("mark", .text(night?.mark ?? "")),
            ("run", .text(night?.run ?? "")),
            ("outcome", .text(night?.outcome ?? "")),
            ("gap", night.flatMap { $0.isGap ? .text($0.gap) : nil } ?? .null),
            ("exitCode", .integer(Int(exitCode))),
            ("changes", .array(alarms.map { change($0, in: view) })),
            (
                "standing",
                .array(
                    view.standing.map {
                        var alarm = NightsView.Alarm(
                            series: $0.series, change: $0.regression.change)
                        alarm.change.after = $0.regression.now
                        return change(alarm, in: view)
                    })
            ),
            ("unusual", .array(view.jumps.map(jump))),
            ("nights", .integer(view.nights.count)),
            ("report", report.map(JSON.text) ?? .null),
            ("page", .text(page)),
        ]).line()
    }

    private static func jump(_ jump: NightsView.Jump) -> JSON {
        .object([
            ("series", .text(jump.series.name)), ("unit", unit(jump.series)),
            ("value", .number(jump.unusual.value, decimals: 6)),
            ("level", .number(jump.unusual.level, decimals: 6)),
            ("times", .number(jump.unusual.times, decimals: 4)),
            ("nights", .integer(jump.unusual.nights)),
            ("alarm", .flag(jump.unusual.isAlarm)),
        ])
    }

    private static func unit(_ series: NightSeries) -> JSON {
        switch series.unit {
        case .milliseconds: .text("ms")
        case .share: .text("share")
        case .rate: .text("per second")
        }
    }

    private static func change(_ alarm: NightsView.Alarm, in view: NightsView) -> JSON {
        let (series, change) = (alarm.series, alarm.change)
        return .object([
            ("series", .text(series.name)),
            ("unit", unit(series)),
            ("before", .number(change.before, decimals: 6)),
            ("after", .number(change.after, decimals: 6)),
            ("change", .number(change.after / max(change.before, 1e-9) - 1, decimals: 4)),
            ("low", .number(change.ratio.low - 1, decimals: 4)),
            ("high", .number(change.ratio.high - 1, decimals: 4)),
            ("firstNight", .text(view.nights[change.first].started)),
            ("toldOn", .text(view.nights[change.noticed].started)),
        ])
    }
}
