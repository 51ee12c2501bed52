internal import Formats
internal import Rendering

/// How often each latency occurred over time: the darker, the more answers.
struct HeatChart {
    static let shades = 6

    var heat: HeatMap
    /// The length of the run in seconds.
    var seconds: Double
    var title: String
    var id: String
    var height = 230.0

    var html: HTML {
        var plot = Plot(
            x: .time(through: max(seconds, 1)),
            y: .milliseconds(from: heat.low, to: heat.high))
        plot.height = height
        plot.isOverTime = true
        return plot.drawing(
            title: title,
            description:
                "From \(Axis.time(heat.low)) to \(Axis.time(heat.high)); the busiest field has "
                + "\(Figures.counted(heat.most, "response")). Each column covers "
                + "\(Figures.span(seconds: Double(heat.width))).",
            id: id, marks: shades(plot))
    }

    /// One path for each shade: thousands of fields, few elements.
    private func shades(_ plot: Plot) -> [HTML] {
        let rows = (0...heat.rows).map { plot.down(heat.edge($0)) }
        var paths = [String](repeating: "", count: Self.shades)
        for (column, counts) in heat.counts.enumerated() {
            let from = plot.across(Double(column * heat.width))
            let through = plot.across(min(seconds, Double((column + 1) * heat.width)))
            guard through > from else { continue }
            let (x, wide) = (DecimalText.trimmed(from, 1), DecimalText.trimmed(through - from, 1))
            for (row, count) in counts.enumerated() where count > 0 {
                let y = DecimalText.trimmed(rows[row + 1], 1)
                let high = DecimalText.trimmed(rows[row] - rows[row + 1], 1)
                paths[shade(count)] += "M\(x),\(y)h\(wide)v\(high)h-\(wide)z"
            }
        }
        return paths.enumerated().filter { !$0.element.isEmpty }.map { shade, path in
            "<path class=\"heat h\(shade)\" d=\"\(path)\"/>"
        }
    }

    /// By the root, so that a slow minority is seen beside the many.
    private func shade(_ count: Int) -> Int {
        let share = (Double(count) / Double(max(1, heat.most))).squareRoot()
        return min(Self.shades - 1, Int(share * Double(Self.shades)))
    }

    static var legend: HTML {
        let fields = (0..<shades).map { "<i class=\"field h\($0)\"></i>" as HTML }
        return "<span class=\"legend\">fewer \(fields) more responses</span>"
    }
}
