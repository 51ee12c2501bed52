internal import Rendering
internal import Rigs
internal import Statistics

/// The page of one case, for somebody who has not heard of screenrig: what cannot be, the picture of
/// it, how often it happens and when, how to see it oneself, and what else it might be.
enum CasePage {
    /// `file`: what a reader would type after `replay`.
    static func text(_ found: Case, replaying file: String) -> String {
        let head = PageHead(
            title: "\(found.expected.invariant.name): \(found.name) · screenrig",
            version: found.version,
            scripts: .none, sheet: sheet)
        let page: HTML = """
            \(head.html)
            <body>
            <header>
            <p class="over">screenrig case · \(Sanitizer.line(found.made.replacing("T", with: " ").replacing("Z", with: " UTC"))) · \(Sanitizer.line(found.target.name))</p>
            <h1>\(Sanitizer.line(found.name))</h1>
            <div class="verdict fail" role="status"><p>\(Sanitizer.line(found.expected.sentence, limit: 600))</p></div>
            \(facts(found))
            </header>
            <main>
            \(sections(found, file))</main>
            <footer>Made by screenrig \(found.version). Times are of one monotonic clock, and in UTC \
            beside the server's own; accounts, devices and codes are new in every trial, and no secret is \
            in this file.</footer>
            </body>
            </html>

            """
        return page.text
    }

    /// What the report's sheet lacks.
    static let sheet = String(decoding: PackageResources.case_css, as: UTF8.self)

    private static func facts(_ found: Case) -> HTML {
        func fact(_ name: String, _ value: String, _ aside: String = "") -> HTML {
            "<div><dt>\(name)</dt><dd>\(value) <small>\(aside)</small></dd></div>"
        }
        let hits = found.evidence?.rate
        let range = hits.flatMap { $0.trials == 0 ? nil : $0.interval }.map {
            "\(Figures.percent($0.low)) to \(Figures.percent($0.high)) (Clopper-Pearson, 95 %)"
                .replacing(" %", with: "\u{a0}%")
        }
        let offset =
            found.sweptOffset.map { signed(($0.milliseconds * 100).rounded() / 100) } ?? "–"
        let window = found.windowText.replacing("window ", with: "")
            .replacing(" ms", with: "\u{a0}ms").replacing(" us", with: "\u{a0}us")
        return """
            <dl class="facts four">
            \(fact("Reproduces", hits?.counted ?? "not replayed yet", range ?? ""))
            \(fact("When", window))
            \(fact("Aimed at", offset, found.swept.map { "offset of \($0)" } ?? ""))
            \(fact("Promise", found.expected.invariant.name, "Source: \(found.expected.source.words)"))
            </dl>
            """
    }

    static func signed(_ milliseconds: Double) -> String {
        (milliseconds > 0 ? "+" : "") + Axis.time(milliseconds)
    }

    private static func sections(_ found: Case, _ file: String) -> HTML {
        let timeline = CaseTimeline(found)
        let curve = HitRateCurve(found)
        return """
            \(section("see", "Replay", replaying(found, file)))
            \(section("conflict", "The contradiction", timeline.html))
            \(section("curve", "Hit rate by offset", curve.html))
            \(section("prefixes", "Deciding request", CasePrefixes(found).html))
            \(section("schedule", "Schedule", schedule(found)))
            \(section("controls", "Controls", controls(found)))
            \(section("alternatives", "Objections", alternatives(found)))
            \(section("exchanges", "Requests and responses", exchanges(found)))
            \(section("facts", "Environment", pairs(found)))
            """
    }

    /// Nothing where there is nothing to say.
    private static func section(_ id: String, _ title: HTML, _ body: HTML) -> HTML {
        body.text.isEmpty ? .none : .section(id, title, body)
    }

    private static func replaying(_ found: Case, _ file: String) -> HTML {
        let command = found.replayCommand(of: file)
        let isScripted = Emission.refusal(of: found) == nil
        let lead: HTML =
            isScripted
            ? """
            Replay it with screenrig, or with Python only; both print k of n hits. The last command \
            writes a text and that script for readers without screenrig.
            """
            : "Replay it with screenrig. The last command writes a text for readers without screenrig."
        let script: HTML =
            isScripted
            ? """
            <pre class="command">\(command.replacing(" --virtual", with: "")) --emit python &gt; race.py &amp;&amp; python3 race.py</pre>

            """ : .none
        return """
            <p class="lead">\(lead)</p>
            <pre class="command">\(command) --times 50</pre>
            \(script)<pre class="command">screenrig explain-finding \(file) --out finding</pre>
            """
    }

    private static func schedule(_ found: Case) -> HTML {
        let lead =
            found.isMinimal
            ? "Minimal: without any one of these requests the violation does not occur."
            : "Not known to be minimal."
        let almost = Dictionary(
            found.almost.map { ($0.without, $0) }, uniquingKeysWith: { first, _ in first })
        return """
            <p class="lead">\(lead)</p>
            \(Table(
                caption: "Schedule",
                columns: [
                    .text("Op"), .text("Screen"), .text("Request"), .text("When"),
                    .text("Sent via"), .text("Without it"),
                ],
                rows: found.schedule.ops.map { op in
                    let left = almost[op.id]
                    let without =
                        left.map { $0.note.isEmpty ? $0.rate.counted : "not possible: \($0.note)" }
                        ?? "–"
                    return [
                        "<span class=\"name\">\(op.id)</span>", "\(op.actor)",
                        "<code>\(step(op))</code>", "\(Case.when(op))", "\(how(op))",
                        "\(without)",
                    ]
                }, isCards: true
            ).html)
            """
    }

    private static func step(_ op: Schedule.Op) -> String {
        let args = op.args.map { "\($0.name) \($0.value)" } + (op.tag.map { [$0] } ?? [])
        return ([op.step.rawValue] + args).joined(separator: ", ")
    }

    private static func how(_ op: Schedule.Op) -> String {
        let how =
            switch op.gate {
            case .none: "as a whole"
            case .lastByte: "last byte held back"
            case .group: "sent in one write with the others"
            }
        return "\(how), \(op.connection == .fresh ? "new connection" : "kept connection")"
    }

    private static func controls(_ found: Case) -> HTML {
        let rows = controlRows(found)
        guard !rows.isEmpty else { return .none }
        return Table(
            caption: "Controls",
            columns: [.text("Control"), .number("Hits"), .number("Fisher's p")],
            rows: rows
        ).html
    }

    private static func controlRows(_ found: Case) -> [[HTML]] {
        let controls = found.controls
        func row(_ name: String, _ arm: Case.Arm?) -> [HTML]? {
            arm.map { ["\(name)", "\($0.rate.counted)", "\(Case.exponent($0.fisher))"] }
        }
        let outside = controls.outside.flatMap {
            row("the same schedule outside the window, at \(Offsets.text($0.offset))", $0)
        }
        let latency =
            controls.latency.map { ", responding after \(Offsets.text($0).dropFirst())" } ?? ""
        let clean = row("the same schedule on a stand-in without faults\(latency)", controls.clean)
        return [outside, clean].compactMap(\.self)
    }

    private static func alternatives(_ found: Case) -> HTML {
        guard !found.alternatives.isEmpty else { return .none }
        return Table(
            caption: "Objections", columns: [.text("Objection"), .text("Ruled out by")],
            rows: found.alternatives.map {
                [
                    "\(Sanitizer.line($0.explanation))",
                    "\(Sanitizer.line($0.ruledOutBy, limit: 400))",
                ]
            }
        ).html
    }

    private static func exchanges(_ found: Case) -> HTML {
        guard let trial = found.trial, !trial.exchanges.isEmpty else { return .none }
        let links = CaseLinks(found)
        let table = Table(
            caption: "Requests and responses",
            columns: [
                .text("Request"), .text("Screen"), .text("Sent (UTC)"), .number("Took"),
                .number("Status"), .text("Answer"), .text("Server's clock"), .text("Request id"),
            ] + (links.isEmpty ? [] : [.text("Links")]),
            rows: trial.exchanges.map { entry in
                let took = Figures.time(milliseconds: Double(entry.firstByte - entry.sent) / 1e6)
                let mark: HTML = entry.isConflict ? "<span class=\"bad\">▸</span> " : .none
                return [
                    "\(mark)\(entry.named)\(line(entry.request))", "\(found.lane(of: entry))",
                    "<span class=\"name\">\(trial.time(entry.sent))</span>",
                    "\(entry.isOpen ? "–" : took)", "\(entry.status.map(String.init) ?? "–")",
                    "\(entry.answer)", "\(Sanitizer.line(clock(entry.serverDate)))",
                    "\(Sanitizer.line(entry.requestID, limit: 60))",
                ] + (links.isEmpty ? [] : [PageLink.html(links.links(of: entry))])
            }, isCards: true
        ).html
        let day = trial.utc(trial.exchanges[0].sent).prefix(10)
        let aside = found.trialAside.map { " " + $0 } ?? ""
        return
            "<p class=\"lead\">On \(String(day)). The contradicting requests are marked.\(aside)</p>\(table)"
    }

    /// What the server's log has of it.
    private static func line(_ request: Case.Request?) -> HTML {
        request.map {
            "<br><code>\(Sanitizer.line("\($0.method) \($0.url)", limit: 200))</code>"
        } ?? .none
    }

    /// `Sat, 21 Nov 2026 07:00:00 GMT` is `07:00:00`.
    private static func clock(_ date: String) -> String {
        let parts = date.split(separator: " ")
        return parts.count == 6 ? String(parts[4]) : date
    }

    private static func pairs(_ found: Case) -> HTML {
        let rows = found.facts.map { fact -> HTML in
            "<dt>\(fact.name)</dt><dd>\(Sanitizer.line(fact.value, limit: 800))</dd>"
        }
        // Beside the run that it comes from; elsewhere the number is still a name.
        let household: HTML =
            found.household.map {
                """
                <dt>Household</dt><dd><a href="../households/\($0).html">household \($0)</a>, step by step \
                (<code>screenrig show RUN --household \($0)</code>)</dd>
                """
            } ?? .none
        return "<dl class=\"pairs\">\(rows)\(household)</dl>"
    }
}

extension HTML.StringInterpolation {
    fileprivate mutating func appendInterpolation(_ text: Substring) {
        appendInterpolation(String(text))
    }
}

extension Case {
    /// A page that can be sent around, `cases/NAME.html` beside the JSON: one self-contained file; `file` is
    /// what a reader would type after `replay`.
    public func page(replaying file: String) -> String {
        CasePage.text(self, replaying: file)
    }

    /// `file`: what a reader would type after `replay`.
    public func replayCommand(of file: String) -> String {
        let option =
            target.isInProcess
            ? " --virtual" : ReplayPermission.option(forRig: rig.source, target: target.name)
        return "screenrig replay \(file)\(option)"
    }

    var windowText: String { evidence?.windowText ?? "not measured yet" }

    /// Nil where nothing was swept.
    var sweptOffset: Duration? { swept.flatMap { schedule[op: $0]?.offset } }

    /// Where the trial that is shown raced at another offset than the one that its schedule aims at: the first that the search
    /// came upon, for a limit ended it before others were made.
    var trialAside: String? {
        guard let swept, let aim = sweptOffset, let anchor = schedule[op: swept]?.anchor,
            let trial, let own = trial.exchanges.first(where: { $0.op == swept }),
            let other = trial.exchanges.first(where: { $0.op == anchor.op })
        else { return nil }
        let event: Int64
        switch anchor.event {
        case .lastByteSent: event = other.sent
        case .firstReplyByte: event = other.firstByte
        case .absolute: return nil
        }
        let offset = Duration.nanoseconds(own.sent - event)
        guard (offset - aim).magnitude > max(.milliseconds(1), aim.magnitude / 5) else {
            return nil
        }
        return
            "This trial raced at \(Offsets.text(offset)), and the schedule aims at \(Offsets.text(aim))."
    }

    /// The screen of an exchange; with its household where the schedule has no name for it there.
    func lane(of entry: Entry) -> String {
        let isTold =
            Set(schedule.actors.map(\.household)).count == 1
            || schedule[actor: entry.actor]?.household == entry.household
        return isTold ? entry.actor : "\(entry.actor) (\(entry.household + 1))"
    }

    static func when(_ op: Schedule.Op) -> String {
        guard let anchor = op.anchor else { return "in sequence" }
        let event =
            switch anchor.event {
            case .lastByteSent: "\(anchor.op) is sent"
            case .firstReplyByte: "\(anchor.op) is answered"
            case .absolute: "\(anchor.op) expires"
            }
        if op.offset == .zero { return "when \(event)" }
        let size = Offsets.text(op.offset.magnitude).dropFirst()
        return op.offset < .zero ? "\(size) before \(event)" : "\(size) after \(event)"
    }

    fileprivate var facts: [(name: String, value: String)] {
        var facts = [
            ("Target", target.name), ("Protocol", target.protocolName), ("Server", target.server),
            ("Server's clock", target.date), ("Policies", policies.joined(separator: ", ")),
            ("Rate limits", throttle), ("Rig", rig.name), ("Seed", String(seed)),
            ("screenrig", version), ("Signature", expected.signature),
        ]
        if let path {
            facts.append(
                (
                    "Through",
                    "\(path.via); the delay varies by \(Offsets.text(path.width).dropFirst())"
                ))
        }
        if let evidence {
            facts.append(("Found by", evidence.method))
            if let achieved = evidence.achieved {
                facts.append(
                    (
                        "Achieved offsets",
                        "p10 \(Offsets.text(achieved.p10)), p50 \(Offsets.text(achieved.p50)), "
                            + "p90 \(Offsets.text(achieved.p90))"
                    ))
            }
        }
        if !removed.isEmpty {
            facts.append(
                ("Removed by shrinking", removed.joined(separator: "; ")))
        }
        return facts.filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) }
    }
}

extension Case.Target {
    /// It was found in virtual time.
    public var isInProcess: Bool { name.hasPrefix("embedded (in process)") }
}

extension HitRate {
    var counted: String { trials == 0 ? "not measured" : "\(hits) of \(trials)" }
    /// Clopper and Pearson's, 95 %.
    var interval: Interval { Interval.exactShare(of: hits, in: trials) }
}
