internal import Rendering

/// A series by night as a small picture, for a digest: levels, dots, and a line where it got worse or better.
struct DigestPicture {
    static let width = 260
    static let height = 44
    /// More nights than these stand too close.
    private static let shown = 40

    private let view: NightsView
    private let series: NightSeries

    /// `view` is of the newest nights only.
    init(_ series: NightSeries, in view: NightsView) {
        let recent = view.recent(Self.shown)
        self.view = recent
        self.series = recent.series.first { $0.name == series.name } ?? series
    }

    /// What it shows, in words.
    var description: String {
        let last = series.changes.last.map { change in
            ", \(change.isWorse ? "worse" : "better") since \(view.nights[change.first].day)"
        }
        return "\(series.name), \(view.nights.count) nights\(last ?? "")"
    }

    /// Nil where there is nothing to draw.
    var png: [UInt8]? {
        let present = series.values.compactMap(\.self)
        guard let low = present.min(), let high = present.max() else { return nil }
        let middle = (low + high) / 2
        // A quiet series fills the middle third: noise is not to look like news.
        let half = max((high - low) * 0.6, middle * 0.12, series.unit == .share ? 0.002 : 1e-6)
        let (width, height) = (Double(Self.width), Double(Self.height))
        let step = (width - 16) / Double(max(1, view.nights.count - 1))
        func across(_ night: Double) -> Double { 8 + night * step }
        func down(_ value: Double) -> Double {
            6 + (height - 12) * (1 - min(1, max(0, (value - middle + half) / (2 * half))))
        }
        var raster = Raster(width: Self.width, height: Self.height)
        for (from, to, level) in stretches {
            raster.line(
                across(Double(from) - 0.4), down(level), across(Double(to) - 0.6), down(level),
                thickness: 1.2, .quiet)
        }
        for change in series.changes {
            let x = across(Double(change.first) - 0.5)
            for y in stride(from: 2.0, to: height - 4, by: 6) {
                raster.line(x, y, x, y + 3, thickness: 1.2, change.isWorse ? .bad : .good)
            }
        }
        for (night, value) in series.values.enumerated() {
            let isLast = night == series.values.count - 1
            guard let value else {
                // A cross at the bottom, as on nights.html.
                let x = across(Double(night))
                raster.line(x - 2, height - 6, x + 2, height - 2, thickness: 1.2, .quiet)
                raster.line(x - 2, height - 2, x + 2, height - 6, thickness: 1.2, .quiet)
                continue
            }
            raster.dot(
                across(Double(night)), down(value), radius: isLast ? 3.5 : 2,
                isLast && isBad ? .bad : .series)
        }
        return raster.png
    }

    private var isBad: Bool {
        view.jumps.contains { $0.series.name == series.name }
            || view.regressions.contains { $0.series.name == series.name }
    }

    /// From each change of level, or of the rig, to the next: the mean of its nights.
    private var stretches: [(from: Int, to: Int, level: Double)] {
        let starts = Set(view.restarts + series.changes.map(\.first)).sorted()
        return zip(starts, starts.dropFirst() + [series.values.count]).compactMap { from, to in
            let values = series.values[from..<max(from, to)].compactMap(\.self)
            guard !values.isEmpty else { return nil }
            return (from, to, values.reduce(0, +) / Double(values.count))
        }
    }
}
