internal import Rendering

/// How often it happens at which offset, each point with its interval, and the window.
struct HitRateCurve {
    private let points: [RaceFinding.CurvePoint]
    private let window: RaceFinding.Window?
    private let windowText: String
    /// Nil where nothing was swept.
    private let best: Duration?
    private let swept: String
    private let isMeasured: Bool
    /// Of the drawing, unique within its page.
    private let id: String

    init(_ found: Case) {
        points = found.evidence?.curve ?? []
        window = found.evidence?.window
        windowText = found.evidence?.rangeText ?? found.windowText
        best = found.sweptOffset
        swept = found.swept ?? ""
        isMeasured = found.evidence != nil
        id = "hits"
    }

    init(_ finding: RaceFinding, id: String) {
        points = finding.curve
        window = finding.window
        windowText = finding.window.map(RaceText.text) ?? RaceText.whenText(finding)
        best = finding.isUnrefined ? nil : finding.best
        swept = finding.swept
        isMeasured = true
        self.id = id
    }

    var html: HTML {
        let points = points.filter { $0.rate.trials > 0 }
        guard points.count > 1 else {
            return isMeasured
                ? .none : "<p class=\"empty\">Seen once in a run; no offsets were swept.</p>"
        }
        let (low, high) = range(points)
        let near = points.filter { (low...high).contains($0.offset.milliseconds) }
        let far = points.filter { !(low...high).contains($0.offset.milliseconds) }
        var plot = Plot(
            x: .between(low, high, wanted: 9) { CasePage.signed($0) },
            y: Axis(
                shape: .linear, low: 0, high: 1,
                ticks: [0, 0.25, 0.5, 0.75, 1].map {
                    Axis.Tick(value: $0, label: "\(Int($0 * 100)) %")
                }))
        (plot.height, plot.top) = (280, 30)
        let hits = far.reduce(0) { $0 + $1.rate.hits }
        let trials = far.reduce(0) { $0 + $1.rate.trials }
        let beyond = far.isEmpty ? "" : " Further away: \(hits) of \(trials)."
        return """
            <p class="lead">Share of trials that violate the promise, by the achieved offset\
            \(swept.isEmpty ? "" : " by \(swept)"); bars are the 95 % intervals.\(beyond)</p>
            <figure><div class="scroll">\(plot.drawing(
                title: "Hit rate over offset", description: windowText, id: id,
                marks: [band(plot), bars(near, plot), line(near, plot), aim(plot)]))</div></figure>
            """
    }

    /// The window with as much on either side: what lies far off would squeeze it.
    private func range(_ points: [RaceFinding.CurvePoint]) -> (Double, Double) {
        let all = points.map(\.offset.milliseconds)
        let (least, most) = (all.min() ?? 0, all.max() ?? 1)
        guard let window else { return (least, max(most, least + 0.1)) }
        let margin = max(window.width.milliseconds, 0.2) * 0.9
        let low = max(least, window.low.milliseconds - margin)
        return (low, max(min(most, window.high.milliseconds + margin), low + 0.1))
    }

    private func band(_ plot: Plot) -> HTML {
        guard let window else { return .none }
        let (from, to) = (
            plot.across(window.low.milliseconds), plot.across(window.high.milliseconds)
        )
        let floor = plot.height - plot.bottom
        let edges = [from, to].map { at -> HTML in
            "<line class=\"edge\" x1=\"\(px: at)\" x2=\"\(px: at)\" y1=\"\(px: plot.top)\" y2=\"\(px: floor)\"/>"
        }
        return """
            <rect class="band" x="\(px: from)" y="\(px: plot.top)" width="\(px: max(1, to - from))" \
            height="\(px: floor - plot.top)"/>\(edges)<text class="gaptext" x="\(px: (from + to) / 2)" \
            y="\(px: plot.top - 10)" text-anchor="middle">\(windowText)</text>
            """
    }

    private func bars(_ points: [RaceFinding.CurvePoint], _ plot: Plot) -> HTML {
        let marks = points.map { point -> HTML in
            let at = plot.across(point.offset.milliseconds)
            let title = "\(CasePage.signed(point.offset.milliseconds)): \(point.rate.counted)"
            return """
                <line class="reach" x1="\(px: at)" x2="\(px: at)" y1="\(px: plot.down(point.rate.interval.low))" \
                y2="\(px: plot.down(point.rate.interval.high))"/><circle class="hit-dot" cx="\(px: at)" \
                cy="\(px: plot.down(point.rate.share))" r="4"><title>\(title)</title></circle>
                """
        }
        return "\(marks)"
    }

    private func line(_ points: [RaceFinding.CurvePoint], _ plot: Plot) -> HTML {
        plot.line(points.map { ($0.offset.milliseconds, $0.rate.share) }, class: "s1")
    }

    private func aim(_ plot: Plot) -> HTML {
        guard let best = best?.milliseconds else { return .none }
        let at = plot.across(best)
        let floor = plot.height - plot.bottom
        return """
            <line class="aim" x1="\(px: at)" x2="\(px: at)" y1="\(px: floor - 34)" y2="\(px: floor)"/>\
            <text class="aim-text" x="\(px: at + 7)" y="\(px: floor - 22)">aimed at \(CasePage.signed((best * 100).rounded() / 100))</text>
            """
    }
}
