public import Statistics

/// One value over all nights of a rig, with what changed lastingly.
public struct NightSeries: Sendable, Hashable {
    public enum Unit: Sendable { case milliseconds, share, rate }

    /// As the rig names it.
    public var name: String
    public var unit: Unit
    /// For each night, nil at gaps and where it was not measured.
    public var values: [Double?]
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
        /// `after / before`, with 95 % confidence; of shares it says nothing.
        public var ratio: Interval
        public var isWorse: Bool
    }

    /// `restarts`: nights from which on the rig was another one; a level never reaches across those.
    /// `intervals`: between polls, in milliseconds, where a night tells.
    init(_ name: String, values: [Double?], restarts: [Int], intervals: [Double?] = []) {
        self.name = name
        unit =
            name.hasSuffix("errors") || name.hasSuffix("throttled") || name.hasSuffix("failed")
                || name.hasSuffix("abandoned")
            ? .share : name == "rate" ? .rate : .milliseconds
        self.values = values
        changes = []
        level = nil
        isOnGrid = false
        let isAboutPolls = name.contains(PollGrid.subject)
        // A share may be zero: it counts from half a percent on, and changes by a tenth point or more.
        let detector =
            unit == .share
            ? ChangePointDetector(offset: 0.005, smallest: 0.2) : ChangePointDetector()
        for (from, to) in zip(restarts, restarts.dropFirst() + [values.count]) {
            let present = (from..<to).filter { values[$0] != nil }
            let found = detector.changes(in: present.compactMap { values[$0] })
            let grid = intervals.dropFirst(from).prefix(to - from).compactMap(\.self).min()
                .map(PollGrid.init)
            changes += found.compactMap { point in
                if isAboutPolls, let grid, grid.decides(point.before), grid.decides(point.after) {
                    return nil
                }
                return Change(
                    first: present[point.first], noticed: present[point.noticed],
                    before: point.before, after: point.after, ratio: point.ratio,
                    isWorse: unit == .rate ? !point.isRise : point.isRise)
            }
            level = found.last?.after ?? Self.mean(present.compactMap { values[$0] })
            isOnGrid = isAboutPolls && (level.flatMap { grid?.decides($0) } ?? false)
        }
    }

    /// What became worse, as told on that night.
    public func alarms(on night: Int) -> [Change] {
        changes.filter { $0.noticed == night && $0.isWorse }
    }

    /// The level of the newest nights: since the last change, or since the rig was another one.
    public var level: Double?

    /// That level lies within one interval of polls, which decides it: changes below it are not judged.
    public var isOnGrid: Bool

    static let gridNote =
        "within one interval of polls it is not judged: when the next poll was due decides it"

    private static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }

    func text(_ value: Double) -> String {
        switch unit {
        case .milliseconds: Figures.time(milliseconds: value)
        case .share: Figures.percent(value)
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
