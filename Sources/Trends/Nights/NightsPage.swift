internal import Formats
internal import Rendering

/// nights.html: each series of each rig with its lasting changes. One file, no network, no script.
public enum NightsPage {
    /// Nights that charts and tables show; the judgement is of all.
    static let shown = 120

    /// `link` gives the address of a night's report from the page, nil where it is gone.
    public static func text(_ views: [NightsView], link: @escaping (Night) -> String?) -> String {
        let verdicts = views.map(\.verdict)
        let lead =
            verdicts.contains(.worse)
            ? "worse: " : verdicts.contains(.unusual) ? "unusual: " : ""
        let title = views.count == 1 ? views[0].rig : "Nights"
        let head = PageHead(
            title: "\(lead)\(title) · screenrig nights", scripts: .none,
            sheet: sheet)
        let page: HTML = """
            \(head.html)
            <body>
            <a class="skip" href="#series-1">Skip to the series</a>
            <header>
            <p class="over">screenrig · night history\(newest(views))</p>
            <h1>\(title)</h1>
            \(views.isEmpty ? "<p class=\"empty\">No night yet.</p>" as HTML : .none)
            \(views.map { verdict($0, isNamed: views.count > 1) })
            </header>
            <main>
            \(views.enumerated().map { rig($1, number: $0 + 1, isNamed: views.count > 1, link) })
            \(howItIsJudged)
            </main>
            <footer>Made by screenrig. Everything on this page is computed from the night history \
            (nights.sqlite) in the same directory.</footer>
            </body>
            </html>

            """
        return page.text
    }

    /// What report.html has no need of.
    private static let sheet = String(decoding: PackageResources.nights_css, as: UTF8.self)

    private static func newest(_ views: [NightsView]) -> HTML {
        guard let night = views.compactMap(\.nights.last).max(by: { $0.started < $1.started })
        else { return .none }
        return " · newest night \(Moments.minute(night.started))"
    }

    private static func verdict(_ view: NightsView, isNamed: Bool) -> HTML {
        let look =
            switch view.verdict {
            case .worse: "fail"
            case .unusual, .gap, .quiet:
                view.newestFailure != nil
                    ? "fail" : view.verdict == .quiet ? "pass" : "invalid"
            }
        let name: HTML = isNamed ? "\(view.rig): " : .none
        let failure: HTML = view.newestFailure.map { "<li>\($0)</li>" as HTML } ?? .none
        let counts =
            "\(Figures.counted(view.nights.count, "night"))"
            + (view.gaps == 0 ? "" : ", \(Figures.count(view.gaps)) of them without values")
        return """
            <div class="verdict \(look)" role="status"><p>\(name)\(view.headline)</p>\
            <ul><li>\(counts)</li>\(failure)</ul></div>
            """
    }

    private static func rig(
        _ view: NightsView, number: Int, isNamed: Bool, _ link: @escaping (Night) -> String?
    ) -> HTML {
        let aside: HTML = isNamed ? " <span class=\"soft\">\(view.rig)</span>" : .none
        let recent = view.recent(shown)
        return """
            \(HTML.section("changes-\(number)", "Changes\(aside)", changes(view, link)))
            \(HTML.section("series-\(number)", "Series\(aside)", charts(recent, number, link)))
            \(HTML.section("nights-\(number)", "Nights\(aside)", nights(recent, of: view, link)))
            """
    }

    private static func changes(_ view: NightsView, _ link: @escaping (Night) -> String?) -> HTML {
        let all = view.series.flatMap { series in series.changes.map { (series, $0) } }
            .sorted { ($0.1.noticed, $1.0.name) > ($1.1.noticed, $0.0.name) }
        guard !all.isEmpty else {
            return "<p class=\"empty\">No lasting change in any series.</p>"
        }
        return Table(
            caption: "Lasting changes, newest first",
            columns: [
                .text("Series"), .text("First night"), .text("Detected"), .number("Before"),
                .number("After"), .number("Size (95 %)"), .verdict("Verdict"),
            ],
            rows: all.map { series, change in
                [
                    "<span class=\"name\">\(series.name)</span>",
                    day(view.nights[change.first], link), day(view.nights[change.noticed], link),
                    "\(series.text(change.before))", "\(series.text(change.after))",
                    "\(series.sizeText(change))",
                    verdict(change),
                ]
            }, isCards: true
        ).html
    }

    private static func verdict(_ change: NightSeries.Change) -> HTML {
        guard change.isWorse else { return "<span class=\"good\">▼ better</span>" }
        guard let note = change.acceptance else { return "<span class=\"bad\">▲ worse</span>" }
        let words = note.isEmpty ? "accepted" : "accepted: \(note)"
        return "▲ worse <span class=\"soft wrap\">\(words)</span>"
    }

    private static func charts(
        _ view: NightsView, _ number: Int, _ link: @escaping (Night) -> String?
    ) -> HTML {
        guard !view.series.isEmpty else {
            return "<p class=\"empty\">The rig lists no series (nightly.series is empty).</p>"
        }
        let figures = view.series.enumerated().map { index, series -> HTML in
            var words: [String] = []
            if case let last?? = series.values.last {
                words.append("last night \(series.text(last))")
            }
            // On a phone the axis is out of sight.
            let present = series.values.compactMap(\.self)
            if let low = present.min(), let high = present.max(), low < high {
                words.append("\(series.text(low)) to \(series.text(high))")
            }
            let aside: HTML =
                words.isEmpty
                ? .none : "<span class=\"legend\">\(words.joined(separator: "; "))</span>"
            let note: HTML =
                series.note.map { " <span class=\"legend\">\($0)</span>" } ?? .none
            let chart = NightChart(
                view: view, series: series, id: "chart-\(number)-\(index + 1)", link: link)
            return """
                <figure><figcaption>\(series.name)\(aside)\(note)</figcaption><div class="scroll newest-first" \
                role="region" tabindex="0" aria-label="\(series.name) by night">
                \(chart.html)
                </div></figure>
                """
        }
        let restarts: HTML =
            view.restarts.count > 1
            ? " A dotted grey line marks a change of the rig or its target." : .none
        return """
            <p class="lead">Each dot is a night and links to its report; red nights missed a threshold \
            or violated a promise. Horizontal lines are the levels between lasting changes. A ring marks \
            the night on which a regression was detected, a cross a night without values.\(restarts)</p>
            \(figures)
            """
    }

    private static func nights(
        _ recent: NightsView, of all: NightsView, _ link: @escaping (Night) -> String?
    ) -> HTML {
        let left = all.nights.count - recent.nights.count
        let more: HTML =
            left > 0
            ? "<p class=\"empty\">\(Figures.counted(left, "older night")) not shown, but included in the analysis.</p>"
            : .none
        return """
            \(Table(
                caption: "Nights, newest first",
                columns: [.text("Night"), .verdict("Verdict")]
                    + recent.series.map { .number("\($0.name)") },
                rows: recent.nights.indices.reversed().map { index in
                    [day(recent.nights[index], link), outcome(recent, index, of: all)]
                        + recent.series.map { series in
                            series.values[index].map { value -> HTML in
                                """
                                <data value="\(DecimalText.trimmed(value, 6) as String)">\(series.text(value))</data>
                                """
                            } ?? "–"
                        }
                }, isCards: true
            ).html)\(more)
            """
    }

    /// The night's own outcome, and what the series say of it. Beside these a pass is no tick: it only
    /// means that the night met its own thresholds.
    private static func outcome(_ view: NightsView, _ index: Int, of all: NightsView) -> HTML {
        let night = view.nights[index]
        if night.isGap { return "<span class=\"soft wrap\">no values: \(night.gap)</span>" }
        let marks =
            [
                (look: "bad", word: "worse", series: view.alarms(on: index).map(\.series.name))
            ] + (index == view.nights.count - 1 ? newestMarks(all) : [])
        let found = marks.filter { !$0.series.isEmpty }.map { mark -> HTML in
            """
             <span class="\(mark.look)">▲ \(mark.word): \(mark.series.joined(separator: ", "))</span>
            """
        }
        let word: HTML
        switch (night.outcome, found.isEmpty) {
        case ("pass", true): word = "<span class=\"good\">✓ pass</span>"
        case ("pass", false): word = "<span class=\"soft\">met its own thresholds</span>"
        default: word = "<span class=\"bad\">✗ \(night.outcome)</span>"
        }
        return "\(word)\(found)"
    }

    /// What is known of the newest night alone.
    private static func newestMarks(_ view: NightsView) -> [(
        look: String, word: String, series: [String]
    )] {
        func names(_ jumps: [NightsView.Jump]) -> [String] { jumps.map(\.series.name) }
        return [
            ("bad", "far worse", names(view.jumps.filter(\.unusual.isAlarm))),
            ("bad", "still worse", view.standing.map(\.series.name)),
            (
                "warn", "unusual",
                names(view.jumps.filter { !$0.unusual.isAlarm && !$0.unusual.isNotBack })
            ),
            ("warn", "not back", names(view.jumps.filter(\.unusual.isNotBack))),
        ]
    }

    private static func day(_ night: Night, _ link: @escaping (Night) -> String?) -> HTML {
        let day: HTML =
            "<span class=\"name\">\(Moments.minute(night.started).replacing(" UTC", with: ""))</span>"
        let mark: HTML =
            night.mark.isEmpty ? .none : " <span class=\"soft wrap\">\(night.mark)</span>"
        return link(night).map { "<a href=\"\($0)\">\(day)</a>\(mark)" } ?? "\(day)\(mark)"
    }

    private static let howItIsJudged: HTML = """
        <section id="how" aria-labelledby="how-h">
        <h2 id="how-h">Method</h2>
        <p>Every night, each series is split at every possible change point since its last change, and the \
        logarithms of both parts are compared by Student’s t (the change-point model of Hawkins, Qiu and Kang, \
        2003). A lasting change needs three nights and a difference of 3 %. Without a change, about one series \
        in 40 raises a false alarm within 60 nights; a 10 % shift in 4 % noise is detected within five nights \
        in 94 % of series. A regression stays red until it is gone or accepted (screenrig nights accept).</p>
        <p>A single night is unusual if it is at least 10 % worse than its level and 3.2 standard errors away: \
        without a change, fewer than one night in a thousand. Two such nights in a row at 1.5 times their level \
        raise an alarm; the rig key nightly.alarm sets a factor beyond which one night does.</p>
        </section>

        """
}

extension NightsView {
    /// The newest nights only, with changes of the whole.
    func recent(_ count: Int) -> NightsView {
        let skipped = max(0, nights.count - count)
        guard skipped > 0 else { return self }
        var view = self
        view.nights = Array(nights.dropFirst(skipped))
        view.restarts = [0] + restarts.map { $0 - skipped }.filter { $0 > 0 }
        view.series = series.map { series in
            var series = series
            series.values = Array(series.values.dropFirst(skipped))
            series.changes = series.changes.compactMap { change in
                guard change.first >= skipped else { return nil }
                var change = change
                change.first -= skipped
                change.noticed -= skipped
                return change
            }
            return series
        }
        return view
    }
}
