internal import Formats

/// The frame of a chart: a box with two axes, their grid and labels, and marks within.
package struct Plot {
    package var x: Axis
    package var y: Axis
    package var width = 1040.0
    package var height = 200.0
    package var left = 64.0
    package var right = 16.0
    package var top = 12.0
    package var bottom = 28.0
    /// The horizontal axis is the time of the run: the brush that these charts share zooms them.
    package var isOverTime = false
    /// Names of the series of the page's data that the chart shows, for its tooltip.
    package var series = ""

    package init(x: Axis, y: Axis) {
        self.x = x
        self.y = y
    }

    package func across(_ value: Double) -> Double {
        left + x.share(value) * (width - left - right)
    }
    package func down(_ value: Double) -> Double {
        height - bottom - y.share(value) * (height - top - bottom)
    }

    /// The drawing: grid first, then `marks` over it, then `labels`, which no zoom stretches. `title`
    /// and `description` speak to those who cannot see it.
    package func drawing(
        title: String, description: String, id: String, marks: [HTML], labels: [HTML] = []
    ) -> HTML {
        let kind: HTML =
            isOverTime
            ? " class=\"time\" data-end=\"\(px: x.high)\" data-left=\"\(px: left)\" data-right=\"\(px: right)\""
            : " data-end=\"\(DecimalText.trimmed(x.high, 7))\" data-left=\"\(px: left)\" data-right=\"\(px: right)\""
        let data: HTML = series.isEmpty ? .none : " data-series=\"\(series)\""
        return """
            <svg viewBox="0 0 \(px: width) \(px: height)" role="img"\(kind)\(data) \
            aria-labelledby="\(id)-t \(id)-d"><title id="\(id)-t">\(title)</title>\
            <desc id="\(id)-d">\(description)</desc>
            \(grid)\(window(marks))\(labels)
            </svg>
            """
    }

    /// Marks over time stand in a window of their own, of which the brush shows a part.
    private func window(_ marks: [HTML]) -> HTML {
        guard isOverTime else { return "\(marks)" }
        let wide = width - left - right
        return """
            <svg class="win" x="\(px: left)" y="0" width="\(px: wide)" height="\(px: height)" \
            viewBox="\(px: left) 0 \(px: wide) \(px: height)" preserveAspectRatio="none">\(marks)</svg>
            """
    }

    private var grid: HTML {
        let rows = y.ticks.map { tick -> HTML in
            let at = down(tick.value)
            return """
                <line class="grid" x1="\(px: left)" x2="\(px: width - right)" y1="\(px: at)" \
                y2="\(px: at)"/><text class="tick" x="\(px: left - 10)" y="\(px: at + 4)" \
                text-anchor="end">\(tick.label)</text>
                """
        }
        let floor = height - bottom
        let columns = x.ticks.map { tick -> HTML in
            let at = across(tick.value)
            return """
                <line class="mark" x1="\(px: at)" x2="\(px: at)" y1="\(px: floor)" \
                y2="\(px: floor + 5)"/><text class="tick" x="\(px: at)" y="\(px: floor + 19)" \
                text-anchor="middle">\(tick.label)</text>
                """
        }
        return "\(rows)<g class=\"xs\">\(columns)</g>"
    }
}

extension Plot {
    /// Shows the numbers of these charts under the pointer and the arrow keys, wherever scripts run.
    package static let script = String(decoding: PackageResources.charts_js, as: UTF8.self)

    /// A line through the points; a nil breaks it. A point between two gaps becomes a dot.
    package func line(_ points: [(Double, Double?)], class style: String, title: String = "")
        -> HTML
    {
        var path = ""
        var dots: [HTML] = []
        for run in Self.runs(points) {
            if run.count == 1 {
                let (at, value) = run[0]
                dots.append(
                    "<circle class=\"dot \(style)\" cx=\"\(px: across(at))\" cy=\"\(px: down(value))\" r=\"2.2\"/>"
                )
            } else {
                path += Self.path(run.map { (across($0.0), down($0.1)) })
            }
        }
        let name: HTML = title.isEmpty ? .none : "<title>\(title)</title>"
        let line: HTML =
            path.isEmpty ? .none : "<path class=\"line \(style)\" d=\"\(path)\">\(name)</path>"
        return "\(line)\(dots)"
    }

    /// The area between the points and the floor.
    package func area(_ points: [(Double, Double?)], class style: String) -> HTML {
        let path = Self.runs(points).filter { $0.count > 1 }.map { run in
            let floor = height - bottom
            let (from, to) = (across(run[0].0), across(run[run.count - 1].0))
            return Self.path(run.map { (across($0.0), down($0.1)) })
                + "L\(DecimalText.trimmed(to, 1) as String),\(DecimalText.trimmed(floor, 1) as String)"
                + "L\(DecimalText.trimmed(from, 1) as String),\(DecimalText.trimmed(floor, 1) as String)Z"
        }.joined()
        return path.isEmpty ? .none : "<path class=\"area \(style)\" d=\"\(path)\"/>"
    }

    private static func path(_ points: [(Double, Double)]) -> String {
        points.enumerated().map { index, point in
            "\(index == 0 ? "M" : "L")\(DecimalText.trimmed(point.0, 1)),\(DecimalText.trimmed(point.1, 1))"
        }.joined()
    }

    private static func runs(_ points: [(Double, Double?)]) -> [[(Double, Double)]] {
        var runs: [[(Double, Double)]] = []
        var run: [(Double, Double)] = []
        for (at, value) in points {
            if let value {
                run.append((at, value))
            } else if !run.isEmpty {
                runs.append(run)
                run = []
            }
        }
        return run.isEmpty ? runs : runs + [run]
    }

    /// Moves labels that would overlap apart, keeping their order, within the height of the plot.
    package static func spread(_ wanted: [Double], gap: Double, within range: ClosedRange<Double>)
        -> [Double]
    {
        let order = wanted.indices.sorted { wanted[$0] < wanted[$1] }
        var places = wanted
        var floor = range.lowerBound
        for index in order {
            places[index] = max(wanted[index], floor)
            floor = places[index] + gap
        }
        var ceiling = range.upperBound
        for index in order.reversed() {
            places[index] = min(places[index], ceiling)
            ceiling = places[index] - gap
        }
        return places
    }
}
