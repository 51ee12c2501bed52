internal import Rendering

/// How often it happens at which offset, each point with its interval, and the window.
struct CaseCurve {
    let picture: CasePicture
    /// Of the drawing, unique within its page.
    let id: String

    init(_ picture: CasePicture, id: String = "hits") {
        self.picture = picture
        self.id = id
    }

    var html: HTML {
        let points = picture.curve.filter { $0.share.trials > 0 }
        guard points.count > 1 else {
            return picture.hits == nil
                ? "<p class=\"empty\">Seen once in a run; no offsets were swept.</p>"
                : .none
        }
        let (low, high) = range(points)
        let near = points.filter { (low...high).contains($0.offset) }
        let far = points.filter { !(low...high).contains($0.offset) }
        var plot = Plot(
            x: .between(low, high, wanted: 9) { CasePage.signed($0) },
            y: Axis(
                shape: .linear, low: 0, high: 1,
                ticks: [0, 0.25, 0.5, 0.75, 1].map {
                    Axis.Tick(value: $0, label: "\(Int($0 * 100)) %")
                }))
        (plot.height, plot.top) = (280, 30)
        let hits = far.reduce(0) { $0 + $1.share.hits }
        let trials = far.reduce(0) { $0 + $1.share.trials }
        let beyond = far.isEmpty ? "" : " Further away: \(hits) of \(trials)."
        return """
            <p class="lead">Share of trials that violate the promise, by the achieved offset\
            \(picture.swept.isEmpty ? "" : " by \(picture.swept)"); bars are the 95 % intervals.\(beyond)</p>
            <figure><div class="scroll">\(plot.drawing(
                title: "Hit rate over offset", description: picture.windowText, id: id,
                marks: [band(plot), bars(near, plot), line(near, plot), aim(plot)]))</div></figure>
            """
    }

    /// The window with as much on either side: what lies far off would squeeze it.
    private func range(_ points: [CasePicture.Point]) -> (Double, Double) {
        let all = points.map(\.offset)
        let (least, most) = (all.min() ?? 0, all.max() ?? 1)
        guard let window = picture.window else { return (least, max(most, least + 0.1)) }
        let margin = max(window.high - window.low, 0.2) * 0.9
        let low = max(least, window.low - margin)
        return (low, max(min(most, window.high + margin), low + 0.1))
    }

    private func band(_ plot: Plot) -> HTML {
        guard let window = picture.window else { return .none }
        let (from, to) = (plot.across(window.low), plot.across(window.high))
        let floor = plot.height - plot.bottom
        let edges = [from, to].map { at -> HTML in
            "<line class=\"edge\" x1=\"\(px: at)\" x2=\"\(px: at)\" y1=\"\(px: plot.top)\" y2=\"\(px: floor)\"/>"
        }
        return """
            <rect class="band" x="\(px: from)" y="\(px: plot.top)" width="\(px: max(1, to - from))" \
            height="\(px: floor - plot.top)"/>\(edges)<text class="gaptext" x="\(px: (from + to) / 2)" \
            y="\(px: plot.top - 10)" text-anchor="middle">\(picture.windowText)</text>
            """
    }

    private func bars(_ points: [CasePicture.Point], _ plot: Plot) -> HTML {
        let marks = points.map { point -> HTML in
            let at = plot.across(point.offset)
            let title = "\(CasePage.signed(point.offset)): \(point.share.text)"
            return """
                <line class="reach" x1="\(px: at)" x2="\(px: at)" y1="\(px: plot.down(point.share.low))" \
                y2="\(px: plot.down(point.share.high))"/><circle class="hit-dot" cx="\(px: at)" \
                cy="\(px: plot.down(point.share.share))" r="4"><title>\(title)</title></circle>
                """
        }
        return "\(marks)"
    }

    private func line(_ points: [CasePicture.Point], _ plot: Plot) -> HTML {
        plot.line(points.map { ($0.offset, $0.share.share) }, class: "s1")
    }

    private func aim(_ plot: Plot) -> HTML {
        guard let best = picture.best else { return .none }
        let at = plot.across(best)
        let floor = plot.height - plot.bottom
        return """
            <line class="aim" x1="\(px: at)" x2="\(px: at)" y1="\(px: floor - 34)" y2="\(px: floor)"/>\
            <text class="aim-text" x="\(px: at + 7)" y="\(px: floor - 22)">aimed at \(CasePage.signed(best))</text>
            """
    }
}
