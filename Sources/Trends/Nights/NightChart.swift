internal import Rendering

/// One series over its nights: a dot for each, the levels between lasting changes, and the changes.
struct NightChart {
    var view: NightsView
    var series: NightSeries
    var id: String
    /// Where a night's report is, as the page would link to it; nil where it is gone.
    var link: (Night) -> String?

    var html: HTML {
        let present = series.values.compactMap(\.self)
        guard !present.isEmpty else {
            return "<p class=\"empty\">Not measured on any of these nights.</p>"
        }
        let plot = plot(present)
        return plot.drawing(
            title: "\(series.name) by night", description: description, id: id,
            marks: [restarts(plot), levels(plot), dots(plot), gaps(plot)] + changes(plot))
    }

    private func plot(_ present: [Double]) -> Plot {
        let (low, high) = (present.min() ?? 0, present.max() ?? 1)
        // A quiet series fills the middle third: noise is not to look like news.
        let middle = (low + high) / 2
        let half = max((high - low) * 0.65, middle * 0.12, series.unit == .share ? 0.001 : 1e-6)
        let bottom = max(0, middle - half)
        var plot = Plot(
            x: nightAxis,
            y: .between(bottom, middle + half, wanted: 4) { series.tick($0) })
        (plot.height, plot.top, plot.left) = (220, 44, 76)
        return plot
    }

    private var nightAxis: Axis {
        let count = view.nights.count
        let labels = view.nights.map { String($0.day.dropFirst(5)) }
        // Nine dates fit, and fewer of nights that are named with their time.
        let fitting = max(2, 63 / ((labels.map(\.count).max() ?? 5) + 2))
        let step = max(1, Int((Double(count) / Double(fitting)).rounded(.up)))
        let ticks = stride(from: 0, to: count, by: step).map {
            Axis.Tick(value: Double($0), label: labels[$0])
        }
        return Axis(shape: .linear, low: -0.7, high: Double(count) - 0.3, ticks: ticks)
    }

    private var description: String {
        guard !series.changes.isEmpty else { return "No lasting change." }
        return series.changes.map { change in
            "\(change.isWorse ? "Worse" : "Better") since \(view.nights[change.first].day): "
                + "\(series.text(change.before)) to \(series.text(change.after)), detected "
                + "\(view.nights[change.noticed].day)."
        }.joined(separator: " ")
    }

    private func dots(_ plot: Plot) -> HTML {
        let noticed = Set(series.changes.filter(\.isWorse).map(\.noticed))
        let dots = series.values.enumerated().compactMap { index, value -> HTML? in
            guard let value else { return nil }
            let night = view.nights[index]
            let (x, y) = (plot.across(Double(index)), plot.down(value))
            let words = night.outcome == "pass" ? "" : ", \(night.outcome)"
            let ring: HTML =
                noticed.contains(index)
                ? "<circle class=\"told\" cx=\"\(px: x)\" cy=\"\(px: y)\" r=\"7\"/>" : .none
            let dot: HTML = """
                \(ring)<circle class="dot \(night.outcome == "pass" ? "s1" : "bad")" cx="\(px: x)" \
                cy="\(px: y)" r="3.2"><title>\(night.name): \(series.text(value))\(words)</title></circle>
                """
            guard let link = link(night) else { return dot }
            return
                "<a href=\"\(link)\" aria-label=\"\(night.day), \(series.text(value))\">\(dot)</a>"
        }
        return "\(dots)"
    }

    private func levels(_ plot: Plot) -> HTML {
        var parts: [HTML] = []
        for (from, to) in zip(view.restarts, view.restarts.dropFirst() + [view.nights.count]) {
            let inside = series.changes.filter { $0.first >= from && $0.first < to }
            let bounds = [from] + inside.map(\.first) + [to]
            for (index, pair) in zip(bounds, bounds.dropFirst()).enumerated() where pair.0 < pair.1
            {
                let level: Double? =
                    inside.isEmpty
                    ? mean(from: pair.0, to: pair.1)
                    : index == 0 ? inside[0].before : inside[index - 1].after
                guard let level else { continue }
                let y = plot.down(level)
                parts.append(
                    """
                    <line class="level" x1="\(px: plot.across(Double(pair.0) - 0.4))" \
                    x2="\(px: plot.across(Double(pair.1) - 0.6))" y1="\(px: y)" y2="\(px: y)"/>
                    """)
            }
        }
        return "\(parts)"
    }

    private func mean(from: Int, to: Int) -> Double? {
        let values = series.values[from..<to].compactMap(\.self)
        return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }

    private func gaps(_ plot: Plot) -> HTML {
        let marks = view.nights.enumerated().filter { $0.element.isGap }.map {
            index, night -> HTML in
            let x = plot.across(Double(index))
            let y = plot.height - plot.bottom - 8
            return """
                <path class="gap" d="M\(px: x - 4),\(px: y - 4)L\(px: x + 4),\(px: y + 4)\
                M\(px: x - 4),\(px: y + 4)L\(px: x + 4),\(px: y - 4)"><title>\(night.day): no values; \
                \(night.gap)</title></path>
                """
        }
        return "\(marks)"
    }

    private func restarts(_ plot: Plot) -> HTML {
        let marks = view.restarts.dropFirst().map { index -> HTML in
            let x = plot.across(Double(index) - 0.5)
            return """
                <line class="pin other" x1="\(px: x)" x2="\(px: x)" y1="\(px: plot.top - 6)" \
                y2="\(px: plot.height - plot.bottom)"><title>The rig or its target was another one \
                from \(view.nights[index].day) on; levels are not compared across.</title></line>
                """
        }
        return "\(marks)"
    }

    /// Labels stand in two rows in turn, so that neighbours stay apart.
    private func changes(_ plot: Plot) -> [HTML] {
        series.changes.enumerated().map { position, change in
            let x = plot.across(Double(change.first) - 0.5)
            let anchor = x > plot.width - 220 ? "end" : "start"
            let style = change.isWorse ? "bad" : "good"
            let row = position.isMultiple(of: 2) ? 16.0 : 33.0
            return """
                <line class="change \(style)" x1="\(px: x)" x2="\(px: x)" y1="\(px: row - 10)" \
                y2="\(px: plot.height - plot.bottom)"/><text class="told-text \(style)" \
                x="\(px: anchor == "end" ? x - 6 : x + 6)" y="\(px: row)" text-anchor="\(anchor)">\
                \(change.isWorse ? "▲" : "▼") \(series.shortSize(change)) from \
                \(String(view.nights[change.first].day.dropFirst(5)))</text>
                """
        }
    }
}
