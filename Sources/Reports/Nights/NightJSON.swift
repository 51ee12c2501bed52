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
            ("alarm", .flag(!alarms.isEmpty)),
            ("headline", .text(headline)),
            ("rig", .text(view.rig)),
            ("night", .text(night?.started ?? "")),
            ("run", .text(night?.run ?? "")),
            ("outcome", .text(night?.outcome ?? "")),
            ("gap", night.flatMap { $0.isGap ? .text($0.gap) : nil } ?? .null),
            ("exitCode", .integer(Int(exitCode))),
            ("changes", .array(alarms.map { change($0, in: view) })),
            ("standing", .array(view.standing.map { change($0, in: view) })),
            ("nights", .integer(view.nights.count)),
            ("report", report.map(JSON.text) ?? .null),
            ("page", .text(page)),
        ]).line()
    }

    private static func change(_ alarm: NightsView.Alarm, in view: NightsView) -> JSON {
        let (series, change) = (alarm.series, alarm.change)
        let isTime = series.unit == .milliseconds
        return .object([
            ("series", .text(series.name)),
            ("unit", .text(isTime ? "ms" : series.unit == .share ? "share" : "per second")),
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
