internal import Formats
internal import Rendering
public import Statistics

/// One value over all nights of a rig, with what changed lastingly.
public struct NightSeries: Sendable, Hashable {
    public enum Unit: Sendable { case milliseconds, share, rate }

    /// As the rig names it.
    public var name: String
    public var unit: Unit
    /// For each night, nil at gaps and where it was not measured.
    public var values: [Double?]
    /// Of how many requests, households or checks each is a share; nil where unknown, and for series that are not shares.
    private var wholes: [Double?]
    /// Of how many values each is a percentile; nil where unknown, and for series that are none.
    private var counts: [Double?]
    /// In the order of the nights; positions count nights.
    public var changes: [Change]

    /// A lasting change.
    public struct Change: Sendable, Hashable {
        /// The first night of the new level.
        public var first: Int
        /// The night on which it was told.
        public var noticed: Int
        public var before: Double
        public var after: Double
        /// `after / before`, with 95 % confidence; of shares with half a point added to both.
        public var ratio: Interval
        public var isWorse: Bool
        /// Somebody has taken it as the new normal; with their note.
        public var acceptance: String?
    }

    /// A level that became worse and has not come back: from its first change for the worse on.
    public struct Regression: Sendable, Hashable {
        public var change: Change
        /// The level now; other changes may have come since.
        public var now: Double
    }

    /// The newest night, so far from its level that chance does not explain it.
    public struct Unusual: Sendable, Hashable {
        public var value: Double
        public var level: Double
        /// How many times worse than its level, above 1.
        public var times: Double
        /// How many nights in a row, this one included: at most two, or all since the unusual one (`isNotBack`).
        public var nights: Int
        /// The first of them, as a position among all nights.
        public var first: Int
        /// Each of them is so far away that two are enough.
        public var isLarge: Bool
        /// The rig's `nightly.alarm`, where the night is beyond it.
        public var alarm: Double?
        /// By itself it may be chance, but it follows an unusual night and is not near the level again.
        public var isNotBack = false

        /// No more nights are waited for.
        public var isAlarm: Bool { alarm != nil || nightsLeft == 0 }

        /// How many more nights it takes to tell a lasting change from an odd night.
        public var nightsLeft: Int { max(isNotBack ? 1 : 0, (isLarge ? 2 : 3) - nights) }

        /// `one more night decides`.
        var rest: String {
            nights > 2
                ? "the next nights decide"
                : nightsLeft == 1 ? "one more night decides" : "\(nightsLeft) more nights decide"
        }
    }

    /// Ends of the names of series that are shares.
    private static let shares = [
        "errors", "throttled", "failed", "abandoned", "not-entitled", "diverted",
    ]

    /// `restarts`: nights from which on the rig was another one; a level never reaches across those.
    /// `intervals`: between polls, in milliseconds, where a night tells.
    init(
        _ name: String, values: [Double?], restarts: [Int], wholes: [Double?] = [],
        counts: [Double?] = [], intervals: [Double?] = [],
        isAccepted: (Change) -> String? = { _ in nil }
    ) {
        self.name = name
        unit =
            Self.shares.contains(where: name.hasSuffix)
            ? .share : name == "rate" || name.hasSuffix(" rate") ? .rate : .milliseconds
        self.values = values
        self.wholes = wholes.isEmpty ? values.map { _ in nil } : wholes
        self.counts = counts.isEmpty ? values.map { _ in nil } : counts
        changes = []
        level = nil
        isOnGrid = false
        let isAboutPolls = name.contains(PollGrid.subject)
        for (from, to) in zip(restarts, restarts.dropFirst() + [values.count]) {
            let present = (from..<to).filter { values[$0] != nil }
            let found = found(on: present)
            let grid = intervals.dropFirst(from).prefix(to - from).compactMap(\.self).min()
                .map(PollGrid.init)
            changes += found.compactMap { point in
                if isAboutPolls, let grid, grid.decides(point.before), grid.decides(point.after) {
                    return nil
                }
                var change = Change(
                    first: present[point.first], noticed: present[point.noticed],
                    before: point.before, after: point.after, ratio: point.ratio,
                    isWorse: unit == .rate ? !point.isRise : point.isRise)
                if change.isWorse { change.acceptance = isAccepted(change) }
                return change
            }
            let start = changes.last?.first ?? 0
            var recent = present.drop { $0 < start }
            if recent.count > 1, recent.last == values.count - 1 { recent.removeLast() }
            level =
                recent.isEmpty
                ? nil : ChangePointDetector.median(recent.compactMap { values[$0] })
            isOnGrid =
                isAboutPolls
                && [level, present.last.flatMap { values[$0] }].allSatisfy { value in
                    value.flatMap { grid?.decides($0) } ?? false
                }
        }
    }

    /// All lasting changes of these nights. How large the last one is, nights say nothing of that are as before it and of which
    /// nobody knows yet whether the next ones are, too: {2 2 2 1} is a rise to 2, and one night besides.
    private func found(on nights: [Int]) -> [ChangePoint] {
        func changes(_ nights: ArraySlice<Int>) -> [ChangePoint] {
            detector.changes(
                in: nights.compactMap { values[$0] }, wholes: nights.map { wholes[$0] },
                counts: nights.map { counts[$0] })
        }
        let found = changes(nights[...])
        guard let last = found.last, last.isRise == (unit != .rate) else { return found }
        let isBack: (Int) -> Bool = { night in
            isGone(from: last.before, to: last.after, at: values[night] ?? 0)
        }
        let back = nights[(last.noticed + 1)...].reversed().prefix(while: isBack).count
        guard back > 0, let without = changes(nights.dropLast(back)).last,
            without.noticed == last.noticed
        else { return found }
        return found.dropLast() + [without]
    }

    /// A share may be zero: it counts from half a percent on, and changes by a tenth point or more.
    private var detector: ChangePointDetector {
        unit == .share
            ? ChangePointDetector(offset: 0.005, smallest: 0.2)
            : ChangePointDetector(needed: needed)
    }

    /// Of how many values it must be to be judged: `PercentileNeed` of `p99` at the end of its name; 0 of what is no percentile.
    private var needed: Int {
        guard let word = name.split(separator: " ").last, word.first == "p",
            let percent = Double(word.dropFirst())
        else { return 0 }
        return PercentileNeed.values(atShare: percent / 100)
    }

    /// `76; it takes 500`: why the newest night is not judged by itself; nil where it is.
    var fewValues: (count: Int, needed: Int)? {
        guard let last = values.indices.last, values[last] != nil, let count = counts[last],
            count < Double(needed)
        else { return nil }
        return (Int(count), needed)
    }

    /// Why it is judged less than others, or not at all; nil where it is not.
    var note: String? {
        if isOnGrid { return Self.gridNote }
        return fewValues.map { few in
            "single nights are not judged: it is of \(Figures.counted(few.count, "value")), and takes "
                + Figures.count(few.needed)
        }
    }

    /// How much worse `value` is than `level`, as a logarithm.
    private func worsening(_ value: Double, than level: Double) -> Double {
        let difference = Elementary.logarithm(
            (value + detector.offset + 1e-12) / (level + detector.offset + 1e-12))
        return unit == .rate ? -difference : difference
    }

    /// Standard errors, as a normal deviate: nearer to their level are 98 of 100 nights.
    private static let usual = 2.0

    /// Of a rise so much may be left where it counts as gone: levels are known no better.
    private static let remainder = 0.2

    /// What became worse since the night `restart`, and has neither gone nor been accepted.
    func regression(since restart: Int) -> Regression? {
        var open: Change?
        for change in changes where change.first >= restart {
            if change.acceptance != nil {
                open = nil
            } else if let first = open {
                if isGone(first, at: change.after) { open = nil }
            } else if change.isWorse {
                open = change
            }
        }
        // Not the median of the nights since: one change has one size wherever it is told.
        guard let open, let last = changes.last else { return nil }
        return Regression(change: open, now: last.after)
    }

    /// Whether a value is as good as before a change for the worse, or nearly so.
    func isGone(_ change: Change, at value: Double) -> Bool {
        isGone(from: change.before, to: change.after, at: value)
    }

    private func isGone(from before: Double, to after: Double, at value: Double) -> Bool {
        let rise = worsening(after, than: before)
        let floor = max(Elementary.logarithm(1 + detector.smallest), rise * Self.remainder)
        return worsening(value, than: before) <= floor
    }

    /// `after / before`, as the interval of the ratio is: of shares with half a point added to both.
    func ratio(_ change: Change) -> Double {
        (change.after + detector.offset) / max(change.before + detector.offset, 1e-9)
    }

    /// How far the newest night is beyond its level, for the worse; nil where that is nothing unusual and
    /// below `alarm`, where there is no level yet, and where the night has made a lasting change known.
    /// `restart`: the night since which the rig is the same.
    func unusual(since restart: Int, alarm: Double?) -> Unusual? {
        let present = values.indices.suffix(from: max(restart, changes.last?.first ?? 0))
            .filter { values[$0] != nil }
        guard let last = present.last, let value = values[last], last == values.count - 1,
            changes.last?.noticed != last, !isOnGrid
        else { return nil }
        // The night before may have been the first one: then the level is that of the nights before it.
        let earlier = present.dropLast(2)
        let before = present.dropLast().last.flatMap { excess(of: $0, over: earlier) }
            .flatMap { $0.isUnusual ? $0 : nil }
        guard let tonight = excess(of: last, over: before == nil ? present.dropLast() : earlier)
        else { return nil }
        let isBeyond = alarm.map { tonight.times >= $0 } ?? false
        guard tonight.isUnusual || isBeyond else { return notBack(present, alarm: alarm) }
        let isSecond = before != nil && tonight.isUnusual
        return Unusual(
            value: value, level: tonight.level, times: tonight.times, nights: isSecond ? 2 : 1,
            first: isSecond ? present[present.count - 2] : last,
            isLarge: min(before?.times ?? .infinity, tonight.times)
                >= ChangePointDetector.Departure.large, alarm: isBeyond ? alarm : nil)
    }

    /// The newest of `present` where it follows an unusual night and none since was near the level from before that:
    /// not to be called unusual again is not to be well again. Nil where one was.
    ///
    /// ```text
    /// 16 18 16 18 17 17 17 15 | 23 23        the second one is 37 % up, and alone might be chance
    /// ```
    private func notBack(_ present: [Int], alarm: Double?) -> Unusual? {
        for (index, start) in present.enumerated().dropLast() {
            let level = present[..<index]
            guard let first = excess(of: start, over: level),
                first.isUnusual || alarm.map({ first.times >= $0 }) ?? false
            else { continue }
            let since = present[(index + 1)...].compactMap { excess(of: $0, over: level) }
            guard let tonight = since.last, let value = values[present[present.count - 1]],
                !since.contains(where: \.isNear)
            else { continue }
            return Unusual(
                value: value, level: tonight.level, times: tonight.times, nights: since.count + 1,
                first: start, isLarge: false, alarm: nil, isNotBack: true)
        }
        return nil
    }

    /// How much worse a night is than the nights of a level; nil where these are too few. Near it is less than 10 % worse,
    /// or no farther away than 98 of 100 nights of that level are.
    private func excess(
        of night: Int, over level: ArraySlice<Int>
    ) -> (level: Double, times: Double, isUnusual: Bool, isNear: Bool)? {
        let nights = level + [night]
        guard
            let found = detector.departure(
                of: nights.compactMap { values[$0] }, wholes: nights.map { wholes[$0] },
                counts: nights.map { counts[$0] })
        else { return nil }
        let isRate = unit == .rate
        let times = isRate ? 1 / found.ratio : found.ratio
        let deviate = isRate ? -found.deviate : found.deviate
        let isSmall = times < ChangePointDetector.Departure.smallest
        return (
            found.level, times, deviate >= ChangePointDetector.Departure.limit && !isSmall,
            isSmall || deviate < Self.usual
        )
    }

    /// What became worse, as told on that night.
    public func alarms(on night: Int) -> [Change] {
        changes.filter { $0.noticed == night && $0.isWorse }
    }

    /// The level of the newest nights: the median since the last change, or since the rig was another one. The newest
    /// night, which is shown beside it, is not in it where there are others.
    public var level: Double?

    /// That level and the newest night lie within one interval of polls, which decides both: they are not compared.
    public var isOnGrid: Bool

    static let gridNote =
        "not compared: dominated by the poll interval"

    /// `28 times`, `35 % above`, `20 % below`; of shares the difference.
    func excessText(_ unusual: Unusual) -> String {
        let level = text(unusual.level)
        switch unit {
        case .share:
            return
                "\(Comparison.Row.points(unusual.value - unusual.level)) from its level of \(level)"
        case .rate:
            return "\(Figures.percent(1 - 1 / unusual.times)) below its level of \(level)"
        case .milliseconds where unusual.times >= 2:
            let times =
                unusual.times >= 10
                ? Figures.count(Int(unusual.times.rounded())) : DecimalText.fixed(unusual.times, 1)
            return "\(times) times its level of \(level)"
        case .milliseconds:
            return "\(Figures.percent(unusual.times - 1)) above its level of \(level)"
        }
    }

    /// The value of the newest night, and the level, in words.
    var newestText: String { values.last.flatMap { $0 }.map { text($0) } ?? "–" }
    var levelText: String { level.map { text($0) } ?? "–" }

    func text(_ value: Double) -> String {
        switch unit {
        case .milliseconds: Figures.time(milliseconds: value)
        // A level of nothing is known but to rounding.
        case .share: Figures.percent(value < 1e-9 ? 0 : value)
        case .rate: Figures.rate(value)
        }
    }

    /// The same of a round number, without digits that say nothing.
    func tick(_ value: Double) -> String {
        unit == .milliseconds ? Axis.time(value) : text(value)
    }

    /// `+10.4 % (+6.1 % to +14.9 %)`; of a share in points.
    func sizeText(_ change: Change) -> String {
        switch unit {
        case .share: Comparison.Row.points(change.after - change.before)
        case .milliseconds, .rate:
            Comparison.Row.signed(change.after / max(change.before, 1e-9) - 1)
                + " (\(Comparison.Row.signed(change.ratio.low - 1)) to "
                + "\(Comparison.Row.signed(change.ratio.high - 1)))"
        }
    }

    /// The same without its interval.
    func shortSize(_ change: Change) -> String {
        switch unit {
        case .share: Comparison.Row.points(change.after - change.before)
        case .milliseconds, .rate:
            Comparison.Row.signed(change.after / max(change.before, 1e-9) - 1)
        }
    }
}
