internal import Formats

/// What the newest night of a rig has to tell, schema `screenrig/night/1`: for `--notify` and
/// `--json`. Keys may be added, none removed or renamed.
enum NightJSON {
    /// One line. `report` and `page` are paths.
    static func text(
        _ view: NightsView, exitCode: Int32, report: String?, page: String, digest: JSON
    ) -> String {
        let night = view.nights.last
        let alarms = view.newAlarms
        let headline = view.headline + (view.newestFailure.map { " \($0)" } ?? "")
        return JSON.members([
            ("schema", .string("screenrig/night/1")),
            ("type", .string("night")),
            ("alarm", .bool(view.verdict == .worse)),
            ("verdict", .string(view.verdict.rawValue)),
            ("headline", .string(headline)),
            ("rig", .string(view.rig)),
            ("night", .string(night?.started ?? "")),
            ("mark", .string(night?.mark ?? "")),
            ("run", .string(night?.run ?? "")),
            ("outcome", .string(night?.outcome ?? "")),
            ("gap", night.flatMap { $0.isGap ? .string($0.gap) : nil } ?? .null),
            ("exitCode", .integer(Int(exitCode))),
            ("changes", .array(alarms.map { change($0, in: view, isWhole: true) })),
            (
                "standing",
                .array(
                    view.standing.map {
                        var alarm = NightsView.Alarm(
                            series: $0.series, change: $0.regression.change)
                        let isWhole = $0.regression.now == alarm.change.after
                        alarm.change.after = $0.regression.now
                        return change(alarm, in: view, isWhole: isWhole)
                    })
            ),
            ("unusual", .array(view.jumps.map(jump))),
            ("nights", .integer(view.nights.count)),
            ("report", report.map(JSON.string) ?? .null),
            ("page", .string(page)),
            ("digest", digest),
        ]).text(.compact)
    }

    private static func jump(_ jump: NightsView.Jump) -> JSON {
        .members([
            ("series", .string(jump.series.name)), ("unit", unit(jump.series)),
            ("value", .decimal(jump.unusual.value, 6)),
            ("level", .decimal(jump.unusual.level, 6)),
            ("times", .decimal(jump.unusual.times, 4)),
            ("nights", .integer(jump.unusual.nights)),
            ("alarm", .bool(jump.unusual.isAlarm)),
        ])
    }

    private static func unit(_ series: NightSeries) -> JSON {
        switch series.unit {
        case .milliseconds: .string("ms")
        case .share: .string("share")
        case .rate: .string("per second")
        }
    }

    /// `isWhole`: no later change has moved the level, so that the interval is that of the change.
    private static func change(
        _ alarm: NightsView.Alarm, in view: NightsView, isWhole: Bool
    ) -> JSON {
        let series = alarm.series
        let rise = view.rise(of: series)
        let change = rise?.change ?? alarm.change
        // A rise has no interval: it is drawn through all of its nights.
        func bound(_ ratio: Double) -> JSON {
            rise == nil && isWhole ? .decimal(ratio - 1, 4) : .null
        }
        return .members([
            ("series", .string(series.name)),
            ("unit", unit(series)),
            ("gradual", .bool(rise != nil)),
            ("before", .decimal(change.before, 6)),
            ("after", .decimal(change.after, 6)),
            ("change", .decimal(series.ratio(change) - 1, 4)),
            ("low", bound(change.ratio.low)),
            ("high", bound(change.ratio.high)),
            ("firstNight", .string(view.nights[change.first].started)),
            ("toldOn", .string(view.nights[alarm.change.noticed].started)),
        ])
    }
}
