internal import Rendering
internal import Reports

/// All nights of one rig, judged: what a page, a table and a message show.
public struct NightsView: Sendable, Hashable {
    public var rig: String
    /// The oldest first.
    public var nights: [Night]
    /// What the rig follows, in its order.
    public var series: [NightSeries]
    /// Nights from which on the load or the target was another one: 0, and those that changed.
    public var restarts: [Int]
    /// Lasting changes for the worse that are neither gone nor accepted.
    public var regressions: [Regression]
    /// What is unusual about the newest night.
    public var jumps: [Jump]
    /// Regressions of this rig that somebody has accepted.
    var accepted: [Acceptance]

    /// What the newest night says, the worst of it.
    public enum NightVerdict: String, Sendable {
        /// Exit code 1: it got worse, it is still worse, a single night is an alarm, or the service did not answer.
        case worse
        /// A single night is far beyond its level: the next ones decide.
        case unusual
        /// It has no values.
        case gap
        case quiet
    }

    /// A change for the worse, told on one night.
    public struct Alarm: Sendable, Hashable {
        public var series: NightSeries
        public var change: NightSeries.Change
    }

    /// A lasting change for the worse that is neither gone nor accepted.
    public struct Regression: Sendable, Hashable {
        public var series: NightSeries
        public var regression: NightSeries.Regression
    }

    /// A value of the newest night that is far beyond its level.
    public struct Jump: Sendable, Hashable {
        public var series: NightSeries
        public var unusual: NightSeries.Unusual
    }

    /// The nights of one rig, in their order. What is followed is what the newest of them says; of
    /// `accepted`, what is about this rig.
    public init(_ nights: [Night], rig: String, accepted: [Acceptance] = []) {
        self.rig = rig
        var (nights, restarts) = Self.stretches(nights)
        for index in nights.indices { nights[index].naming = .day }
        for (shared, longer) in zip(Night.Naming.allCases, Night.Naming.allCases.dropFirst()) {
            let starts = Dictionary(
                nights.map { ($0.started.prefix(shared.rawValue), 1) }, uniquingKeysWith: +)
            for index in nights.indices
            where starts[nights[index].started.prefix(shared.rawValue), default: 1] > 1 {
                nights[index].naming = longer
            }
        }
        self.nights = nights
        self.restarts = restarts
        let names = nights.last?.series ?? []
        let accepted = accepted.filter { $0.rig == rig }
        self.accepted = accepted
        series = names.map { name in
            NightSeries(
                name, values: nights.map { $0.isGap ? nil : $0.values[name] }, restarts: restarts,
                wholes: nights.map { $0.values[Night.whole(of: name)] },
                counts: nights.map { $0.values[Night.count(of: name)] },
                intervals: nights.map { $0.values[Night.pollInterval] },
                isAccepted: { change in
                    accepted.first {
                        $0.series == name && nights[change.noticed].started <= $0.through
                    }?.note
                })
        }
        let regressions = series.compactMap { series in
            series.regression(since: restarts.last ?? 0).map {
                Regression(series: series, regression: $0)
            }
        }
        self.regressions = Self.causesFirst(regressions) {
            ($0.series.unit, $0.regression.change.first)
        }
        let jumps = series.compactMap { series in
            series.unusual(since: restarts.last ?? 0, alarm: nights.last?.alarm).map {
                Jump(series: series, unusual: $0)
            }
        }
        self.jumps = Self.causesFirst(jumps) { ($0.series.unit, $0.unusual.first) }
    }

    /// Errors that began no later than all else are told first: they are mostly why the rest got worse.
    private static func causesFirst<Found>(
        _ found: [Found], _ key: (Found) -> (unit: NightSeries.Unit, first: Int)
    ) -> [Found] {
        let earliest = found.map { key($0).first }.min()
        func leads(_ one: Found) -> Bool {
            key(one).unit == .share && key(one).first == earliest
        }
        return found.filter(leads) + found.filter { !leads($0) }
    }

    /// Where stretches of nights that may be held against each other begin. Nights of another rig between those of a
    /// stretch are set aside: one night with half of the load does not cost all nights before it, and of two rigs in turn
    /// each has its own past.
    private static func stretches(_ nights: [Night]) -> (nights: [Night], restarts: [Int]) {
        var marked = nights
        var restarts: [Int] = []
        var end = nights.count
        while let newest = nights[..<end].lastIndex(where: { !$0.isGap }) {
            var first = newest
            var others: [Int] = []
            for index in nights[..<newest].indices.reversed() where !nights[index].isGap {
                // Terms of another format are compared with adjacent nights only: they say too little.
                if nights[index].isAlike(nights[first]),
                    others.isEmpty || nights[index].hasFormat(of: nights[first])
                {
                    for other in others {
                        marked[other].gap = gap(nights[other], amid: nights[first])
                    }
                    (first, others) = (index, [])
                } else {
                    others.append(index)
                }
            }
            restarts.insert(first, at: 0)
            end = first
        }
        return (marked, [0] + restarts.dropFirst())
    }

    private static func gap(_ night: Night, amid others: Night) -> String {
        let differences = night.differences(from: others)
        return "not compared: its rig was another one"
            + (differences.isEmpty ? "" : " (\(differences.joined(separator: ", ")))")
    }

    /// One view for each rig, the one with the newest night first.
    public static func all(_ nights: [Night], accepted: [Acceptance] = []) -> [NightsView] {
        var order: [String] = []
        var byRig: [String: [Night]] = [:]
        for night in nights.reversed() where byRig[night.rig] == nil {
            order.append(night.rig)
            byRig[night.rig] = nights.filter { $0.rig == night.rig }
        }
        return order.map { NightsView(byRig[$0] ?? [], rig: $0, accepted: accepted) }
    }

    /// What got worse, as told on that night.
    public func alarms(on night: Int) -> [Alarm] {
        let alarms = series.flatMap { series in
            series.alarms(on: night).map { Alarm(series: series, change: $0) }
        }
        return Self.causesFirst(alarms) { ($0.series.unit, $0.change.first) }
    }

    /// What the newest night tells for the first time, and nobody has accepted.
    public var newAlarms: [Alarm] {
        nights.isEmpty
            ? [] : alarms(on: nights.count - 1).filter { $0.change.acceptance == nil }
    }

    /// Lasting changes for the worse that earlier nights made known.
    public var standing: [Regression] {
        regressions.filter { $0.regression.change.noticed < nights.count - 1 }
    }

    public var verdict: NightVerdict {
        if !newAlarms.isEmpty || !regressions.isEmpty || jumps.contains(where: \.unusual.isAlarm)
            || nights.last?.isUnanswered ?? false
        {
            return .worse
        }
        return nights.last?.isGap ?? true ? .gap : jumps.isEmpty ? .quiet : .unusual
    }

    public var gaps: Int { nights.filter(\.isGap).count }

    /// The newest night in a sentence or more, the worst first.
    public var headline: String {
        guard let last = nights.last else { return "No night yet." }
        var sentences: [String] = []
        let dead = last.facts.first { $0.kind == .service }
        if let dead {
            sentences.append(
                "The service did not answer on the night of \(last.day): \(dead.text).")
        }
        let alarms = newAlarms
        if let first = alarms.first {
            sentences.append("It got worse: \(sentence(first))\(Self.more(alarms.count)).")
        }
        let loud = jumps.filter(\.unusual.isAlarm)
        if let first = loud.first {
            let lead =
                first.unusual.alarm == nil
                ? "Much worse for two nights" : "Alarm: far worse than its level tonight"
            sentences.append("\(lead): \(sentence(first))\(Self.more(loud.count)).")
        }
        let standing = standing
        if let first = standing.first {
            let lead =
                rise(of: first.series) == nil
                ? "Still worse since \(nights[first.regression.change.first].name)"
                : "Still getting worse"
            sentences.append("\(lead): \(sentence(first))\(Self.more(standing.count)).")
        }
        if last.isGap, dead == nil {
            sentences.append("No values for the night of \(last.day): \(last.gap)")
        }
        for (lead, isNotBack) in [("Unusual tonight", false), ("Not back at its level", true)] {
            let quiet = jumps.filter {
                !$0.unusual.isAlarm && $0.unusual.isNotBack == isNotBack
            }
            if let first = quiet.first {
                sentences.append(
                    "\(lead): \(sentence(first))\(Self.more(quiet.count)); \(first.unusual.rest).")
            }
        }
        if !sentences.isEmpty { return sentences.joined(separator: " ") }
        if hasNoResult {
            let anew = restartWords.map { "\($0), so the series starts again: " } ?? ""
            return "No result yet: \(anew)\(countedText) needed to detect a change."
        }
        // Of those that are over, that were accepted, or for the better, the table tells.
        let hasChanged = series.contains { !$0.changes.isEmpty }
        return
            "No lasting change \(hasChanged ? "for the worse" : "so far"), and nothing unusual tonight."
    }

    private static func more(_ count: Int) -> String {
        count > 1 ? "; and \(Figures.counted(count - 1, "more value"))" : ""
    }

    /// `this night's run: Failed: ...`: the verdict of the newest night's own thresholds and promises; nil if
    /// it passed, or could not run.
    public var newestFailure: String? {
        guard let last = nights.last, last.outcome == RunOutcome.fail.rawValue,
            !last.headline.isEmpty
        else { return nil }
        return "this night's run: \(last.headline)"
    }

    /// Nights with values since the rig was another one: levels are not compared across that.
    public var counted: Int { nights[(restarts.last ?? 0)...].count { !$0.isGap } }

    /// So few nights are alike that none of them could have made a lasting change known.
    var hasNoResult: Bool { counted < ChangePointJudgement.firstNight }

    /// `5 of the 8 nights`: of those that it takes until a lasting change can be detected.
    var countedText: String {
        "\(Figures.count(counted)) of the \(ChangePointJudgement.firstNight) nights"
    }

    /// The level of a series as it is shown: without a newest night that is held against it.
    func levelText(of series: NightSeries) -> String {
        jumps.first { $0.series.name == series.name }.map { series.text($0.unusual.level) }
            ?? series.levelText
    }

    /// `the rig changed between night 3 and night 4 (faults)`: where the present stretch begins; nil where the rig
    /// was the same all the time.
    var restartWords: String? {
        guard let first = restarts.last, first > 0,
            let before = nights[..<first].lastIndex(where: { !$0.isGap })
        else { return nil }
        let differences = nights[first].differences(from: nights[before])
        return "the rig changed between night \(before + 1) and night \(first + 1)"
            + (differences.isEmpty ? "" : " (\(differences.joined(separator: ", ")))")
    }

    /// How a series crept up, where that is what it did: a step, and the deploy before it, would be accused wrongly.
    /// Nights before an accepted change are of another level.
    func rise(of series: NightSeries) -> GradualRise? {
        let accepted = series.changes.last { $0.acceptance != nil }?.first ?? 0
        return GradualRise(series, from: max(restarts.last ?? 0, accepted))
    }

    /// `poll-token p99 went from 18.1 ms to 24.2 ms, +34 % (+29 % to +38 %), since ...`; of what crept up, that.
    func sentence(_ alarm: Alarm) -> String {
        let (series, change) = (alarm.series, alarm.change)
        if let rise = rise(of: series) {
            return rise.sentence(series) + ", since about \(nights[rise.first].day)"
        }
        return "\(series.name) went from \(series.text(change.before)) to "
            + "\(series.text(change.after)), \(series.sizeText(change)), since "
            + nights[change.first].name
    }

    /// `poll-token p99 went from 18.1 ms to 24.2 ms, +34 %`: from the level before to the one now.
    public func sentence(_ standing: Regression) -> String {
        let (series, regression) = (standing.series, standing.regression)
        if let rise = rise(of: series) { return rise.sentence(series) }
        var change = regression.change
        change.after = regression.now
        return "\(series.name) went from \(series.text(change.before)) to "
            + "\(series.text(change.after)), \(series.shortSize(change))"
    }

    /// `poll-token p99 was 505 ms, 28 times its level of 18.1 ms`.
    func sentence(_ jump: Jump) -> String {
        "\(jump.series.name) was \(jump.series.text(jump.unusual.value)), "
            + jump.series.excessText(jump.unusual)
    }
}

/// When there can be a word on a change at all.
enum ChangePointJudgement {
    /// Five nights of a level and three of another.
    static let levelNights = 5
    static let otherNights = 3
    static let firstNight = levelNights + otherNights
}
