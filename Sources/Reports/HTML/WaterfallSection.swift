internal import Formats
internal import Rendering

/// The slowest sign-ins, request by request.
enum WaterfallSection {
    /// So many are open from the start.
    private static let open = 2
    private static let width = 1040.0
    private static let left = 190.0
    private static let right = 16.0
    private static let top = 26.0
    private static let rowHeight = 19.0

    static func html(_ summary: Summary) -> HTML {
        guard !summary.slowest.isEmpty else { return .none }
        let each = summary.slowest.enumerated().map { position, waterfall -> HTML in
            let facts =
                "\(waterfall.kind): \(Figures.time(milliseconds: waterfall.signInMs)) from code to token, "
                + "of which \(Figures.time(milliseconds: waterfall.viewerMs)) viewer time, "
                + "\(Figures.counted(waterfall.polls, "poll"))"
            let title = "Household \(waterfall.household), \(facts)"
            let page: HTML =
                summary.traces == nil
                ? .none
                : "<p>\(summary.household(waterfall.household, capital: true)), step by step</p>"
            return """
                <details\(position < open ? " open=\"open\"" : "" as HTML)><summary>\(title)</summary>\(page)
                <div class="scroll" role="region" tabindex="0" aria-label="\(title)">
                \(drawing(waterfall, title, number: position))
                </div></details>

                """
        }
        return """
            <p class="lead">The slowest sign-ins, not counting the viewers' own time. One \
            line per screen and operation. <span class="legend"><i class="wait"></i>waiting to be \
            sent <i class="s1"></i>until the first byte <i class="rest"></i>rest of the response \
            <i class="bad"></i>error</span></p>
            \(each)
            """
    }

    private static func drawing(_ waterfall: Waterfall, _ title: String, number: Int) -> HTML {
        let axis = Axis.between(waterfall.from, waterfall.through, wanted: 9) {
            Axis.time($0 * 1000)
        }
        let height = top + Double(waterfall.rows.count) * rowHeight + 28
        let plot = frame(axis, height)
        let rows = waterfall.rows.enumerated().map { position, row in
            line(row, y: top + Double(position) * rowHeight, plot)
        }
        return """
            <svg viewBox="0 0 \(px: width) \(px: height)" role="img" class="waterfall" \
            aria-labelledby="w\(number)-t"><title id="w\(number)-t">\(title)</title>
            \(ticks(axis, plot, height))\(marks(waterfall, plot, height))\(rows)
            </svg>
            """
    }

    private static func frame(_ axis: Axis, _ height: Double) -> Plot {
        var plot = Plot(x: axis, y: axis)
        (plot.width, plot.height, plot.left, plot.right) = (width, height, left, right)
        return plot
    }

    private static func ticks(_ axis: Axis, _ plot: Plot, _ height: Double) -> [HTML] {
        axis.ticks.map { tick in
            let x = plot.across(tick.value)
            return """
                <line class="grid" x1="\(px: x)" x2="\(px: x)" y1="\(px: top - 4)" y2="\(px: height - 22)"/>\
                <text class="tick" x="\(px: x)" y="\(px: height - 6)" text-anchor="middle">\(tick.label)</text>
                """
        }
    }

    private static func marks(
        _ waterfall: Waterfall, _ plot: Plot, _ height: Double
    ) -> [HTML] {
        let places = waterfall.marks.map { plot.across($0.at) }
        return waterfall.marks.enumerated().map { position, mark in
            let x = places[position]
            // Two moments close together: the later one's name stands to the right of its line.
            let isCrowded = places.contains { $0 != x && abs($0 - x) < 90 && $0 < x }
            let anchor =
                x < left + 80 ? "start" : isCrowded && x < width - 90 ? "start" : "end"
            let at = anchor == "end" ? x - 5 : x + 5
            return """
                <line class="pin" x1="\(px: x)" x2="\(px: x)" y1="6" y2="\(px: height - 22)"/>\
                <text class="label" x="\(px: at)" y="15" text-anchor="\(anchor)">\(mark.name)</text>
                """
        }
    }

    private static func line(_ row: Waterfall.Row, y: Double, _ plot: Plot) -> HTML {
        let name = row.bars.count == 1 ? row.operation : "\(row.operation) × \(row.bars.count)"
        let bars = row.bars.map { bar($0, row, y: y + 4, plot) }
        return """
            <text class="tick" x="0" y="\(px: y + 14)"><tspan class="device">\(row.device)</tspan> \
            \(name)</text>\(bars)
            """
    }

    private static func bar(
        _ bar: Waterfall.Bar, _ row: Waterfall.Row, y: Double, _ plot: Plot
    ) -> HTML {
        let places = [bar.planned, bar.sent, bar.firstByte ?? bar.ended, bar.ended]
            .map(plot.across)
        func part(_ from: Double, _ through: Double, _ style: String, least: Double) -> HTML {
            let wide = max(through - from, least)
            guard wide > 0.05 else { return .none }
            return """
                <rect class="\(style)" x="\(px: from)" y="\(px: y)" width="\(px: wide)" height="11"/>
                """
        }
        let style = bar.isError ? "bad" : "s1"
        let took = Figures.time(milliseconds: (bar.ended - bar.planned) * 1000)
        return """
            <g><title>\(row.operation) #\(bar.sequence): \(bar.answer), \(took), due at \
            \(DecimalText.fixed(bar.planned, 3)) s</title>\(part(places[0], places[1], "wait", least: 0))\
            \(part(places[1], places[2], style, least: 1.5))\(part(places[2], places[3], "rest", least: 0))</g>
            """
    }
}
