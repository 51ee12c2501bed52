internal import Formats
internal import Journal
internal import Rendering

/// `households/N.html`: one household as a page of its own. One file, no network; complete without its
/// script, which adds a pane beside the list, keys and zoom.
enum TracePage {
    /// Rows of the list; a household that lives for days has more.
    private static let rowLimit = 2_000

    /// `nonce`: what no text in the page can know.
    static func text(_ trace: Trace, nonce: String) -> String {
        let steps = trace.steps
        let head = PageHead(
            title:
                "household \(trace.household): \(Sanitizer.line(trace.header.rigName)) · screenrig",
            version: Sanitizer.line(trace.header.version), scripts: .marked(nonce: nonce),
            sheet: sheet)
        let page: HTML = """
            \(head.html)
            <body class="trace">
            <a class="skip" href="#steps">Skip to the list</a>
            <header>
            <p class="over">screenrig · \(run(trace))</p>
            <h1>Household \(trace.household)</h1>
            <div class="verdict \(trace.tone)" role="status"><p>\(trace.verdict)</p></div>
            <p class="story">\(trace.story.joined(separator: " "))</p>
            \(facts(trace))
            </header>
            <main>
            \(HTML.section("timeline", "Timeline", TraceTimeline(trace, steps).html))
            \(HTML.section("exchanges", "What happened, step by step", list(trace, steps)))
            </main>
            <footer>Made by screenrig \(Sanitizer.line(trace.header.version)) from history.sqlite of the run. \
            Times count from the first moment on this page, \
            \(DecimalText.fixed(trace.origin.milliseconds / 1000, 3)) s after the run began \
            (\(Export.timestamp(trace.origin, trace.header))). Secrets are replaced by fingerprints: equal \
            secrets have equal fingerprints within this run.</footer>
            <script nonce="\(nonce)">
            //<![CDATA[
            \(HTML(stringLiteral: script))//]]>
            </script>
            </body>
            </html>

            """
        return page.text
    }

    private static let sheet = String(decoding: PackageResources.trace_css, as: UTF8.self)
    private static let script = String(decoding: PackageResources.trace_js, as: UTF8.self)

    /// Its name, which leads to the report that the page lies beside, and against what it was.
    private static func run(_ trace: Trace) -> HTML {
        let name = Sanitizer.line(trace.header.run)
        let link: HTML = trace.isAlone ? "\(name)" : "<a href=\"../report.html\">\(name)</a>"
        let target =
            trace.header.isVirtual
            ? "simulated in virtual time, against the stand-in"
            : "against \(Sanitizer.line(trace.header.target))"
        return "\(link) · \(target)"
    }

    private static func facts(_ trace: Trace) -> HTML {
        func fact(_ name: String, _ value: String, _ aside: String = "") -> HTML {
            "<div><dt>\(name)</dt><dd>\(value) <small>\(aside)</small></dd></div>"
        }
        func time(_ duration: Duration?) -> String {
            duration.map { Figures.time(milliseconds: $0.milliseconds) } ?? "–"
        }
        let record = trace.record
        let exchanges = trace.exchanges.filter {
            $0.exchange.device.household == trace.household
        }
        let errors = exchanges.count { $0.exchange.isError }
        let viewer = record.signIn == nil ? "" : "viewer \(time(record.viewerTime))"
        return """
            <dl class="facts">
            \(fact("Kind", Sanitizer.line(record.kind, limit: 60), Sanitizer.line(record.mvpd ?? "", limit: 60)))
            \(fact("Sign-in", time(record.signIn), viewer))
            \(fact("Token visible after", time(record.tokenVisibility)))
            \(fact("Polls", Figures.count(record.polls)))
            \(fact("Requests", Figures.count(exchanges.count), Figures.counted(errors, "error")))
            \(fact("Lifetime", time(trace.through - trace.origin)))
            </dl>
            """
    }

    // MARK: The list

    private static func list(_ trace: Trace, _ steps: [TraceStep]) -> HTML {
        let detail = TraceDetail(trace)
        // What the household is on the page for is on it, however late it came.
        let shown =
            steps.prefix(rowLimit) + steps.dropFirst(rowLimit).filter { isTelling($0, trace) }
        let rows = shown.map { row($0, trace, detail) }
        let rest = steps.count - rows.count
        let more: HTML =
            rest > 0
            ? """
            <p class="empty">and \(Figures.counted(rest, "more row")): \
            <code>screenrig export RUN --household \(trace.household)</code></p>
            """ : .none
        return """
            <p class="lead">Press a row for headers, bodies and the state that the judge derived. \
            <span class="screen-only keys"><kbd>↑</kbd> <kbd>↓</kbd> move, <kbd>→</kbd> opens, \
            <kbd>←</kbd> closes, <kbd>+</kbd> <kbd>−</kbd> zoom the timeline, <kbd>0</kbd> shows all of \
            it.</span> “Paused” is the time since the previous response to the same device.</p>
            \(notes(trace))
            <div class="panes"><ol id="steps" class="steps" aria-label="Steps">
            <li class="heads" aria-hidden="true"><span>At</span><span>Device</span><span>Request</span>\
            <span>Response</span><span class="n">Took</span><span class="n">Paused</span>\
            <span>State of the TV</span></li>
            \(rows)</ol><div id="pane" class="pane" hidden="hidden" role="region" tabindex="0" \
            aria-label="Details of the selected row"></div></div>\(more)
            """
    }

    /// A violation, or evidence of one.
    private static func isTelling(_ step: TraceStep, _ trace: Trace) -> Bool {
        switch step {
        case .violation: true
        case .exchange(let position): !trace.exchanges[position].violations.isEmpty
        case .repeated(let positions):
            positions.contains { !trace.exchanges[$0].violations.isEmpty }
        case .event, .moment: false
        }
    }

    private static func notes(_ trace: Trace) -> HTML {
        var notes: [HTML] = []
        let own = trace.exchanges.filter { $0.exchange.device.household == trace.household }
        let kept = own.count { $0.message != nil }
        if kept < own.count {
            notes.append(
                """
                Requests and responses were recorded for \(Figures.count(kept)) of \
                \(Figures.counted(own.count, "exchange")) of this household. They are recorded \
                for households with a violation, for the first error of each type and for the first household \
                of each kind.
                """)
        }
        if !trace.isJudged {
            notes.append(
                """
                Violations are not on this page: the history does not hold every exchange, so that it cannot be \
                checked again. The run's report.html has those that were found during the run.
                """)
        }
        if let missing = trace.unbelieved {
            notes.append("The state of the TV is not shown: \(missing).")
        }
        if let other = trace.other {
            notes.append(
                """
                Household \(other) shares the home, and an identity, with this one. Its steps are on this \
                page; its violations are on its own: <code>screenrig show RUN --household \(other)</code>
                """)
        }
        return "\(notes.map { "<p class=\"empty\">\($0)</p>" as HTML })"
    }

    private static func row(_ step: TraceStep, _ trace: Trace, _ detail: TraceDetail) -> HTML {
        switch step {
        case .exchange(let position):
            let entry = trace.exchanges[position]
            return """
                <li id="\(trace.anchor(position))" class="step\(style(entry, trace))"><details><summary>\
                \(summary(entry, trace))</summary>\(detail.html(position))</details></li>

                """
        case .repeated(let positions): return repeated(positions, trace, detail)
        case .event(let position):
            let event = trace.events[position]
            let text =
                event.detail.isEmpty ? event.name : "\(event.name): \(event.detail)"
            return """
                <li class="note"><span class="at">\(trace.clock(event.at))</span>\
                <span class="who">\(trace.name(of: event.device))</span>\
                <span class="text">\(Sanitizer.line(text, limit: 400))</span></li>

                """
        case .moment(let moment):
            return """
                <li class="note moment"><span class="at">\(trace.clock(moment.at))</span>\
                <span class="who"></span><span class="text">\(Sanitizer.line(moment.text, limit: 400))\
                </span></li>

                """
        case .violation(let position): return detail.violation(position)
        }
    }

    private static func style(_ entry: Trace.TraceExchange, _ trace: Trace) -> String {
        (entry.exchange.isError ? " error-row" : "") + (entry.violations.isEmpty ? "" : " proof")
            + (entry.exchange.device.role == .firstScreen ? " tv" : " phone")
            + (entry.exchange.device.household == trace.household ? "" : " neighbour")
    }

    private static func summary(_ entry: Trace.TraceExchange, _ trace: Trace) -> HTML {
        let exchange = entry.exchange
        let took = Figures.time(milliseconds: (exchange.ended - exchange.sent).milliseconds)
        return """
            <span class="at">\(trace.clock(exchange.sent))</span>\
            <span class="who">\(trace.name(of: exchange.device))</span>\
            <span class="call">\(exchange.operation.name)</span>\
            <span class="answer\(TraceDetail.tone(exchange))">\(TraceDetail.answer(exchange))</span>\
            <span class="n took">\(took)</span><span class="n pause">\(pause(entry.pause))</span>\
            <span class="belief-cell">\(belief(entry))</span>
            """
    }

    /// Where it changed, what is possible now.
    private static func belief(_ entry: Trace.TraceExchange) -> HTML {
        guard entry.changesBelief, let after = entry.after else { return .none }
        return "<span class=\"chip \(BeliefText.style(after))\">\(BeliefText.brief(after))</span>"
    }

    private static func pause(_ pause: Duration?) -> String {
        guard let pause else { return "" }
        if pause < .zero { return "overlaps" }
        return "+\(Figures.time(milliseconds: pause.milliseconds))"
    }

    private static func repeated(
        _ positions: [Int], _ trace: Trace, _ detail: TraceDetail
    ) -> HTML {
        let entries = positions.map { trace.exchanges[$0] }
        guard let first = entries.first?.exchange, let last = entries.last?.exchange else {
            return .none
        }
        let took = entries.map { ($0.exchange.ended - $0.exchange.sent).milliseconds }.sorted()
        let apart = zip(entries.dropFirst(), entries).map {
            ($0.exchange.sent - $1.exchange.sent).milliseconds
        }
        let every = apart.isEmpty ? 0 : apart.reduce(0, +) / Double(apart.count)
        return """
            <li id="\(trace.anchor(positions[0]))" class="step many\(style(entries[0], trace))"><details>\
            <summary><span class="at">\(trace.clock(first.sent))</span>\
            <span class="who">\(trace.name(of: first.device))</span>\
            <span class="call"><b>\(Self.title(entries))</b>\
            <span class="until">until \(trace.clock(last.sent)), every \(Figures.time(milliseconds: every))</span></span>\
            <span class="answer\(TraceDetail.tone(first))">\(TraceDetail.answer(first))</span>\
            <span class="n took">\(Figures.time(milliseconds: took[took.count / 2]))<span class="until">median</span></span>\
            <span class="n pause"></span><span class="belief-cell"></span></summary>\
            \(detail.many(positions))</details></li>

            """
    }

    /// `312 pending polls`, `4 × user-metadata`.
    static func title(_ entries: [Trace.TraceExchange]) -> String {
        guard let first = entries.first?.exchange else { return "" }
        if first.signInStep == .poll, first.outcome == .pending {
            return Figures.counted(entries.count, "pending poll")
        }
        return "\(Figures.count(entries.count)) × \(first.operation.name)"
    }
}

extension Trace {
    /// Id of the row of an exchange: `e12`, of the other household of a home `e18-12`.
    func anchor(_ position: Int) -> String {
        let exchange = exchanges[position].exchange
        let isOwn = exchange.device.household == household
        return isOwn
            ? "e\(exchange.sequence)" : "e\(exchange.device.household)-\(exchange.sequence)"
    }
}
