/// All nights of one rig, judged: what a page, a table and a message show.
public struct NightsView: Sendable, Hashable {
    public var rig: String
    /// The oldest first.
    public var nights: [Night]
    /// What the rig follows, in its order.
    public var series: [NightSeries]
    /// Nights from which on the load or the target was another one: 0, and those that changed.
    public var restarts: [Int]

    /// A change for the worse, told on one night.
    public struct Alarm: Sendable, Hashable {
        public var series: NightSeries
        public var change: NightSeries.Change
    }

    /// The nights of one rig, in their order. What is followed is what the newest of them says.
    public init(_ nights: [Night], rig: String) {
        self.rig = rig
        self.nights = nights
        var restarts = [0]
        var last: Night?
        for (index, night) in nights.enumerated() where !night.isGap {
            if let last, !night.isAlike(last) { restarts.append(index) }
            last = night
        }
        self.restarts = restarts
        let names = nights.last?.series ?? []
        series = names.map { name in
            NightSeries(
                name, values: nights.map { $0.isGap ? nil : $0.values[name] }, restarts: restarts,
                intervals: nights.map { $0.values[Night.pollInterval] })
        }
    }

    /// One view for each rig, the one with the newest night first.
    public static func all(_ nights: [Night]) -> [NightsView] {
        var order: [String] = []
        var byRig: [String: [Night]] = [:]
        for night in nights.reversed() where byRig[night.rig] == nil {
            order.append(night.rig)
            byRig[night.rig] = nights.filter { $0.rig == night.rig }
        }
        return order.map { NightsView(byRig[$0] ?? [], rig: $0) }
    }

    /// What got worse, as told on that night.
    public func alarms(on night: Int) -> [Alarm] {
        series.flatMap { series in
            series.alarms(on: night).map { Alarm(series: series, change: $0) }
        }
    }

    /// What the newest night tells for the first time.
    public var newAlarms: [Alarm] { nights.isEmpty ? [] : alarms(on: nights.count - 1) }

    /// Changes for the worse that still stand: nothing since has made up for them.
    public var standing: [Alarm] {
        series.compactMap { series in
            series.changes.last.flatMap { $0.isWorse ? Alarm(series: series, change: $0) : nil }
        }
    }

    public var gaps: Int { nights.filter(\.isGap).count }

    /// The newest night in a sentence.
    public var headline: String {
        guard let last = nights.last else { return "No night yet." }
        let alarms = newAlarms
        if let first = alarms.first {
            let rest = alarms.count - 1
            return "It got worse: \(sentence(first))"
                + (rest > 0 ? "; and \(Figures.counted(rest, "more value"))." : ".")
        }
        if last.isGap { return "No values from the night of \(last.day): \(last.gap)" }
        if counted < ChangePointJudgement.firstNight {
            let anew = restartWords.map { "\($0), so the series begins anew: " } ?? ""
            return "Nothing to tell yet: \(anew)\(Figures.counted(counted, "night")) of the "
                + "\(ChangePointJudgement.firstNight) that a level and a change take."
        }
        let standing = standing
        guard let first = standing.first else {
            return "Nothing got worse: no lasting change beyond chance."
        }
        let rest = standing.count - 1
        return "Nothing new. Still standing: \(sentence(first))"
            + (rest > 0 ? "; and \(Figures.counted(rest, "more value"))." : ".")
    }

    /// `this night itself: Failed: ...`: what became of the newest night's own thresholds and promises, and
    /// of its service; nil where it passed, and of gaps, which are told as such.
    public var newestFailure: String? {
        guard let last = nights.last, !last.isGap, last.outcome == RunOutcome.fail.rawValue,
            !last.headline.isEmpty
        else { return nil }
        return "this night itself: \(last.headline)"
    }

    /// Nights with values since the rig was another one: levels are not compared across that.
    public var counted: Int { nights[(restarts.last ?? 0)...].count { !$0.isGap } }

    /// `night 4 had another rig than night 3 (faults)`: where the present stretch begins; nil where the rig
    /// was the same all the time.
    var restartWords: String? {
        guard let first = restarts.last, first > 0,
            let before = nights[..<first].lastIndex(where: { !$0.isGap })
        else { return nil }
        let differences = nights[first].differences(from: nights[before])
        return "night \(first + 1) had another rig than night \(before + 1)"
            + (differences.isEmpty ? "" : " (\(differences.joined(separator: ", ")))")
    }

    /// `poll-token p99 went from 18.1 ms to 24.2 ms, +34 % (+29 % to +38 %), with the night of ...`.
    func sentence(_ alarm: Alarm) -> String {
        let (series, change) = (alarm.series, alarm.change)
        return "\(series.name) went from \(series.text(change.before)) to "
            + "\(series.text(change.after)), \(series.sizeText(change)), with the night of "
            + nights[change.first].day
    }
}

/// When there can be a word on a change at all.
enum ChangePointJudgement {
    /// Five nights of a level and three of another.
    static let firstNight = 8
}
