internal import Rendering

/// The page of one case, for somebody who has not heard of screenrig: what cannot be, the picture of
/// it, how often it happens and when, how to see it oneself, and what else it might be.
enum CasePage {
    static func text(_ picture: CasePicture) -> String {
        let head = PageHead(
            title: "\(picture.invariant): \(picture.name) · screenrig", version: picture.version,
            scripts: .none, sheet: sheet)
        let page: HTML = """
            \(head.html)
            <body>
            <header>
            <p class="over">screenrig case · \(Sanitizer.line(picture.made.replacing("T", with: " ").replacing("Z", with: " UTC"))) · \(Sanitizer.line(picture.target))</p>
            <h1>\(Sanitizer.line(picture.name))</h1>
            <div class="verdict fail" role="status"><p>\(Sanitizer.line(picture.sentence, limit: 600))</p></div>
            \(facts(picture))
            </header>
            <main>
            \(sections(picture))</main>
            <footer>Made by screenrig \(picture.version). Times are of one monotonic clock, and in UTC \
            beside the server's own; accounts, devices and codes are new in every trial, and no secret is \
            in this file.</footer>
            </body>
            </html>

            """
        return page.text
    }

    /// What the report's sheet lacks.
    static let sheet = String(decoding: PackageResources.case_css, as: UTF8.self)

    private static func facts(_ picture: CasePicture) -> HTML {
        func fact(_ name: String, _ value: String, _ aside: String = "") -> HTML {
            "<div><dt>\(name)</dt><dd>\(value) <small>\(aside)</small></dd></div>"
        }
        let hits = picture.hits
        let range = hits.map {
            "\(Figures.percent($0.low)) to \(Figures.percent($0.high)) (Clopper-Pearson, 95 %)"
                .replacing(" %", with: "\u{a0}%")
        }
        let offset = picture.best.map { signed(($0 * 100).rounded() / 100) } ?? "–"
        let window = picture.windowText.replacing("window ", with: "")
            .replacing(" ms", with: "\u{a0}ms").replacing(" us", with: "\u{a0}us")
        return """
            <dl class="facts four">
            \(fact("Reproduces", hits?.text ?? "not replayed yet", range ?? ""))
            \(fact("When", window))
            \(fact("Aimed at", offset, picture.swept.isEmpty ? "" : "offset of \(picture.swept)"))
            \(fact("Promise", picture.invariant))
            </dl>
            """
    }

    static func signed(_ milliseconds: Double) -> String {
        (milliseconds > 0 ? "+" : "") + Axis.time(milliseconds)
    }

    private static func sections(_ picture: CasePicture) -> HTML {
        let timeline = CaseTimeline(picture)
        let curve = CaseCurve(picture)
        return """
            \(section("see", "Replay", replaying(picture)))
            \(section("conflict", "The contradiction", timeline.html))
            \(section("curve", "Hit rate by offset", curve.html))
            \(section("prefixes", "Deciding request", CasePrefixes(picture).html))
            \(section("schedule", "Schedule", schedule(picture)))
            \(section("controls", "Controls", controls(picture)))
            \(section("alternatives", "Objections", alternatives(picture)))
            \(section("exchanges", "Requests and responses", exchanges(picture)))
            \(section("facts", "Environment", pairs(picture)))
            """
    }

    private static func section(_ id: String, _ title: String, _ body: HTML) -> HTML {
        guard !body.text.isEmpty else { return .none }
        return """
            <section id="\(id)" aria-labelledby="\(id)-h">
            <h2 id="\(id)-h">\(title)</h2>
            \(body)
            </section>

            """
    }

    private static func replaying(_ picture: CasePicture) -> HTML {
        """
        <p class="lead">Replay it with screenrig, or with Python only. Both print k of n hits.</p>
        <pre class="command">\(picture.command) --times 50</pre>
        <pre class="command">\(picture.command.replacing(" --virtual", with: "")) --emit python &gt; race.py &amp;&amp; python3 race.py</pre>
        """
    }

    private static func schedule(_ picture: CasePicture) -> HTML {
        let lead =
            picture.isMinimal
            ? "Minimal: without any one of these requests the violation does not occur."
            : "Not known to be minimal."
        let almost = Dictionary(
            picture.almost.map { ($0.without, $0) }, uniquingKeysWith: { first, _ in first })
        return """
            <p class="lead">\(lead)</p>
            \(Table(
                caption: "Schedule",
                columns: [
                    .text("Op"), .text("Screen"), .text("Request"), .text("When"),
                    .text("Sent via"), .text("Without it"),
                ],
                rows: picture.ops.map { row in
                    let left = almost[row.id]
                    let without =
                        left.map { $0.note.isEmpty ? $0.rate : "not possible: \($0.note)" } ?? "–"
                    return [
                        "<span class=\"name\">\(row.id)</span>", "\(row.actor)", "<code>\(row.step)</code>", "\(row.when)",
                        "\(row.how)", "\(without)",
                    ]
                }
            ).html)
            """
    }

    private static func controls(_ picture: CasePicture) -> HTML {
        guard !picture.controls.isEmpty else { return .none }
        return Table(
            caption: "Controls",
            columns: [.text("Control"), .number("Hits"), .number("Fisher's p")],
            rows: picture.controls.map { ["\($0.name)", "\($0.rate)", "\($0.fisher)"] }
        ).html
    }

    private static func alternatives(_ picture: CasePicture) -> HTML {
        guard !picture.alternatives.isEmpty else { return .none }
        return Table(
            caption: "Objections", columns: [.text("Objection"), .text("Ruled out by")],
            rows: picture.alternatives.map {
                [
                    "\(Sanitizer.line($0.explanation))",
                    "\(Sanitizer.line($0.ruledOutBy, limit: 400))",
                ]
            }
        ).html
    }

    private static func exchanges(_ picture: CasePicture) -> HTML {
        guard !picture.entries.isEmpty else { return .none }
        let table = Table(
            caption: "Requests and responses",
            columns: [
                .text("Request"), .text("Screen"), .text("Sent (UTC)"), .number("Took"),
                .number("Status"), .text("Answer"), .text("Server's clock"), .text("Request id"),
            ],
            rows: picture.entries.map { entry in
                let took = Figures.time(milliseconds: Double(entry.firstByte - entry.sent) / 1e6)
                let mark: HTML = entry.isConflict ? "<span class=\"bad\">▸</span> " : .none
                return [
                    "\(mark)\(entry.name)", "\(entry.lane)",
                    "<span class=\"name\">\(entry.sentUTC.dropFirst(11).replacing("Z", with: ""))</span>",
                    "\(entry.isOpen ? "–" : took)", "\(entry.status.map(String.init) ?? "–")",
                    "\(entry.answer)", "\(Sanitizer.line(clock(entry.serverDate)))",
                    "\(Sanitizer.line(entry.requestID, limit: 60))",
                ]
            }
        ).html
        let day = picture.entries.first?.sentUTC.prefix(10) ?? ""
        return
            "<p class=\"lead\">On \(String(day)). The contradicting requests are marked.</p>\(table)"
    }

    /// `Sat, 21 Nov 2026 07:00:00 GMT` is `07:00:00`.
    private static func clock(_ date: String) -> String {
        let parts = date.split(separator: " ")
        return parts.count == 6 ? String(parts[4]) : date
    }

    private static func pairs(_ picture: CasePicture) -> HTML {
        let rows = picture.facts.map { fact -> HTML in
            "<dt>\(fact.name)</dt><dd>\(Sanitizer.line(fact.value, limit: 800))</dd>"
        }
        return "<dl class=\"pairs\">\(rows)</dl>"
    }
}

extension HTML.StringInterpolation {
    fileprivate mutating func appendInterpolation(_ text: Substring) {
        appendInterpolation(String(text))
    }
}
