internal import Rendering
internal import Statistics

/// Values that are much worse since a mark changed, and no change is proved so far; or last night, where there are too
/// few nights to rule out chance: shown as they are, and nothing is claimed.
///
/// ```text
/// the rig changed ¦ v2  v2  v2  v3  v3          3 and 2 nights: nothing can be detected before the eighth
///                   81  82  81 106 107 ms       still worth a line
/// ```
struct UnjudgedRise {
    var series: NightSeries
    /// Medians of the nights before, of the present level, and since.
    var before: Double
    var now: Double

    /// So many times as high, or, of a rate, as low.
    private static let large = 1.2
    /// A smaller rise of a share is not worth a line.
    private static let points = 0.01
    /// More series than these are in the table.
    private static let shown = 3

    /// Nil where nothing rose so much, or where the nights since then are enough to be judged alone.
    static func text(of view: NightsView, mayBeJudged: Bool) -> String? {
        let nights = view.nights
        let alike = nights.indices.suffix(from: view.restarts.last ?? 0).filter {
            !nights[$0].isGap
        }
        guard let newest = alike.last else { return nil }
        let row = alike.reversed().prefix { nights[$0].mark == nights[newest].mark }.count
        let isSinceMark = row < alike.count
        let since = isSinceMark ? row : 1
        let before = alike.dropLast(since)
        guard !before.isEmpty, since < ChangePointJudgement.firstNight,
            !mayBeJudged || isSinceMark
        else { return nil }
        let rises = view.series.compactMap { series in
            UnjudgedRise(series, Array(before), Array(alike.suffix(since)))
        }.filter { rise in
            // What is reported as a finding needs no second line.
            !view.jumps.contains { $0.series.name == rise.series.name }
                && !view.regressions.contains { $0.series.name == rise.series.name }
        }
        guard !rises.isEmpty else { return nil }
        let more = rises.count > shown ? "; and \(rises.count - shown) more" : ""
        let old = nights[before[before.endIndex - 1]].mark
        let span =
            isSinceMark
            ? "since the mark changed from \(old.isEmpty ? "none" : old) to \(nights[newest].mark) "
                + "(\(Figures.counted(before.count, "night")) before, \(Figures.count(since)) since)"
            : "last night (\(Figures.counted(before.count, "night")) before)"
        let why =
            mayBeJudged && before.count >= ChangePointJudgement.levelNights
            ? "not proved to be more than chance so far"
            : "not judged because there are too few nights"
        return "Higher, and \(why), \(span): "
            + rises.prefix(shown).map(\.text).joined(separator: "; ") + "\(more)."
    }

    /// Nil where it is no large rise.
    private init?(_ series: NightSeries, _ before: [Int], _ since: [Int]) {
        func level(_ nights: [Int]) -> Double? {
            let values = nights.compactMap { series.values[$0] }
            return values.isEmpty ? nil : ChangePointDetector.median(values)
        }
        // What was mended before is no level to be held against, and a change since then was told, or accepted.
        let start = series.changes.last?.first ?? 0
        guard !series.isOnGrid, let old = level(before.filter { $0 >= start }),
            let new = level(since),
            let newest = since.last.flatMap({ series.values[$0] })
        else { return nil }
        // The newest night, too: a series that is back is not higher.
        let isLarge = [new, newest].allSatisfy { value in
            switch series.unit {
            case .share: value - old >= Self.points
            case .rate: value * Self.large <= old
            case .milliseconds: value >= old * Self.large
            }
        }
        guard isLarge else { return nil }
        (self.series, self.before, now) = (series, old, new)
    }

    /// `authorize p50 from 81.2 ms to 106 ms, +30 %`.
    private var text: String {
        let size =
            series.unit == .share || before <= 0
            ? Comparison.Row.points(now - before) : Comparison.Row.signed(now / before - 1)
        return "\(series.name) from \(series.text(before)) to \(series.text(now)), \(size)"
    }
}
