internal import Checker
internal import Dialects
internal import Formats
internal import Journal
internal import Rendering

/// What a row of the list opens: times, what was learnt, what the judge made of it, headers and bodies.
struct TraceDetail {
    private let trace: Trace

    /// Characters of a body that are shown: as many as are kept of one.
    private static let bodyLimit = 16_384
    /// Of a row of like exchanges so many are listed.
    private static let listed = 400

    init(_ trace: Trace) { self.trace = trace }

    /// Opens one exchange.
    func html(_ position: Int) -> HTML {
        "<div class=\"detail\">\(heading(position))\(body(position))</div>"
    }

    /// Opens a row of like exchanges: what they have in common, each with its times, the first in full.
    func many(_ positions: [Int]) -> HTML {
        let entries = positions.map { trace.exchanges[$0] }
        let rows = entries.prefix(Self.listed).map { entry -> [HTML] in
            let exchange = entry.exchange
            return [
                "#\(exchange.sequence)", "\(trace.clock(exchange.sent))",
                "\(Figures.time(milliseconds: (exchange.ended - exchange.sent).milliseconds))",
                "\(entry.pause.map { Figures.time(milliseconds: $0.milliseconds) } ?? "–")",
                PageLink.html(trace.links.links(of: exchange, entry.message)),
            ]
        }
        let rest = entries.count - rows.count
        let more: HTML =
            rest > 0 ? "<p class=\"empty\">and \(Figures.counted(rest, "more"))</p>" : .none
        let hasLinks = rows.contains { !$0[4].text.isEmpty }
        let table = Table(
            caption: "Each of them",
            columns: [
                .text("Request"), .text("Sent"), .number("Took"), .number("Paused"),
            ] + (hasLinks ? [.text("Links")] : []),
            rows: rows.map { hasLinks ? $0 : Array($0.dropLast()) }
        ).html
        return """
            <div class="detail"><h3>\(TracePage.title(entries))</h3>
            <p class="soft">They got the same response and changed nothing that is known of the TV. The \
            first in full, then the times of each.</p>
            \(body(positions[0]))<h4>Each of them</h4>\(table)\(more)</div>
            """
    }

    private func heading(_ position: Int) -> HTML {
        let exchange = trace.exchanges[position].exchange
        return """
            <h3>\(exchange.operation.name) <span class="answer\(Self.tone(exchange))">\
            \(Self.answer(exchange))</span></h3><p class="soft">\(exchange.operation.declaration.line): \
            \(trace.name(of: exchange.device)), request \(exchange.sequence) of household \
            \(exchange.device.household)</p>
            """
    }

    private func body(_ position: Int) -> HTML {
        let entry = trace.exchanges[position]
        let rows = (times(entry) + learnt(entry) + wire(entry)).map { name, body in
            "<dt>\(name)</dt><dd>\(body)</dd>" as HTML
        }
        return "<dl class=\"pairs\">\(rows)</dl>\(talk(entry))"
    }

    // MARK: Pairs

    private func times(_ entry: Trace.TraceExchange) -> [(String, HTML)] {
        let exchange = entry.exchange
        var sent: HTML =
            "\(trace.clock(exchange.sent)) (\(Export.timestamp(exchange.sent, trace.header)))"
        let late = exchange.lateness.milliseconds
        if late >= 1 { sent = "\(sent), \(Figures.time(milliseconds: late)) later than planned" }
        let first = exchange.firstByte.map {
            ", first byte after \(Figures.time(milliseconds: ($0 - exchange.sent).milliseconds))"
        }
        let took = Figures.time(milliseconds: (exchange.ended - exchange.sent).milliseconds)
        var pairs: [(String, HTML)] = [("Sent", sent), ("Took", "\(took)\(first ?? "")")]
        if let pause = entry.pause {
            let text =
                pause < .zero
                ? "sent before the previous response of this device had come"
                : "\(Figures.time(milliseconds: pause.milliseconds)) since the previous response to "
                    + trace.name(of: exchange.device)
            pairs.append(("Paused", "\(text)"))
        }
        return pairs
    }

    private func learnt(_ entry: Trace.TraceExchange) -> [(String, HTML)] {
        let exchange = entry.exchange
        var pairs: [(String, HTML)] = []
        if let said = Self.said(exchange) { pairs.append(("Response says", "\(said)")) }
        if let after = entry.after {
            let now: HTML =
                "<span class=\"chip \(BeliefText.style(after))\">\(BeliefText.words(after))</span>"
            let before = entry.before.map { " (before: \(BeliefText.words($0)))" } ?? ""
            pairs.append(
                ("State of the TV", entry.changesBelief ? "\(now)\(before)" : "\(now) (unchanged)"))
        }
        for position in entry.violations {
            let violation = trace.violations[position].violation
            pairs.append(
                (
                    "Evidence of",
                    "<a href=\"#v\(position + 1)\" class=\"bad\">\(violation.invariant.name)</a>"
                ))
        }
        pairs += exchange.deviations.prefix(5).map {
            ("Protocol deviation", "\(Sanitizer.line($0.description, limit: 400))")
        }
        if let error = exchange.delivery.error {
            let effect: HTML =
                if case .refused = exchange.delivery {
                    " It never reached the service."
                } else {
                    " The service may have acted on it."
                }
            pairs.append(
                (
                    "No response",
                    "\(Sanitizer.line("\(error.kind.rawValue): \(error.detail)")).\(effect)"
                ))
        }
        return pairs
    }

    private func wire(_ entry: Trace.TraceExchange) -> [(String, HTML)] {
        let exchange = entry.exchange
        var pairs: [(String, HTML)] = []
        let links = PageLink.html(trace.links.links(of: exchange, entry.message))
        if !links.text.isEmpty { pairs.append(("Links", links)) }
        if exchange.route.connection > 0 {
            let kept = exchange.route.reused ? "kept open" : "new"
            let to = Sanitizer.line(exchange.route.remote, limit: 80)
            // Its number has that of the lane in its upper bits, so that none is there twice in a run.
            let number = exchange.route.connection & (1 << 40 - 1)
            pairs.append(
                ("Connection", "\(number) of lane \(exchange.lane) (\(kept)) to \(to)"))
        }
        if entry.message == nil {
            pairs += exchange.evidence.fields.prefix(12).map {
                ("Header", "\(Sanitizer.line("\($0.name): \($0.value)", limit: 200))")
            }
        }
        return pairs
    }

    // MARK: In words

    /// `404 pending`, `no response (timeout)`.
    static func answer(_ exchange: Exchange) -> String {
        guard let status = exchange.delivery.status else {
            return
                "no response (\(exchange.delivery.error?.kind.rawValue ?? exchange.outcome.name))"
        }
        let reason = exchange.reason.map { " \(Sanitizer.line($0, limit: 80))" } ?? ""
        return "\(status) \(exchange.outcome.name)\(exchange.outcome.isError ? reason : "")"
    }

    /// A class of the page's sheet, with a space before it.
    static func tone(_ exchange: Exchange) -> String {
        if exchange.isError { return " bad" }
        return exchange.outcome == .ok ? " good" : " soft"
    }

    /// What the answer says to the judge: `code K7DPQ2X`, `token of viewer-3 of DemoCable`.
    private static func said(_ exchange: Exchange) -> String? {
        let observation = exchange.observation
        var parts: [String] = []
        switch observation.result {
        case .success:
            if let tag = observation.tag { parts.append("token of \(BeliefText.name(tag))") }
            if exchange.signInStep == .issueCode, let code = observation.code {
                parts.append("code \(code.text)")
            }
            parts += observation.profiles.dropFirst().map { profile in
                "token of \(BeliefText.name(Tag(mvpd: profile.mvpd, user: profile.user ?? "?")))"
            }
            if let resource = observation.resource { parts.append("resource \(resource)") }
            if let expiry = observation.expiryText { parts.append(expiry) }
        case .absent: parts.append("not there yet")
        case .expired: parts.append("over")
        case .denied: parts.append("refused")
        case .unauthenticated: parts.append("nobody is signed in")
        case .unauthorized: parts.append("not authorized")
        case .ledBack: parts.append("led back to the app")
        case .ledOn: parts.append("led on")
        case .none: break
        }
        return parts.isEmpty ? nil : Sanitizer.line(parts.joined(separator: ", "), limit: 300)
    }

    // MARK: Headers and bodies

    private func talk(_ entry: Trace.TraceExchange) -> HTML {
        guard let message = entry.message else {
            return "<p class=\"empty\">Headers and bodies of this exchange were not recorded.</p>"
        }
        let talk = ErrorRow.RecordedMessages(message, bodyLimit: Self.bodyLimit)
        let name =
            "request \(entry.exchange.sequence) of household \(entry.exchange.device.household)"
        return talk.html(name)
    }

    // MARK: Violations

    func violation(_ position: Int) -> HTML {
        let found = trace.violations[position]
        let violation = found.violation
        let proof = violation.exchanges.map { sequence -> HTML in
            guard let place = trace.position(of: sequence) else { return "#\(sequence)" }
            let exchange = trace.exchanges[place].exchange
            return """
                <a href="#\(trace.anchor(place))">\(trace.name(of: exchange.device)): \
                \(exchange.operation.name) #\(sequence)</a> at \(trace.clock(exchange.sent)), \
                \(Self.answer(exchange))\(exchange.requestID.map { ", request id \(Sanitizer.line($0, limit: 120))" } ?? "")
                """
        }
        var pairs: [(String, HTML)] = [
            ("Promise", "\(violation.invariant.line)"),
            ("What it means", "\(violation.invariant.meaning)"),
            ("Found", "\(Sanitizer.line(violation.sentence, limit: 600))"),
            (
                "Certainty",
                "\(certainty(violation)). Source: \(violation.source.words). \(violation.standing.words)"
            ),
            ("Harmless causes", "\(violation.invariant.harmless)"),
        ]
        if let gap = violation.gap {
            let time = Figures.time(milliseconds: Double(gap) / 1e6)
            pairs.insert(
                (
                    "Gap",
                    "\(time), from the end of the first to the sending of the second"
                ),
                at: 3)
        }
        pairs += proof.map { ("Proved by", $0) }
        if !violation.companions.isEmpty {
            pairs.append(
                ("Also violates", "\(violation.companions.map(\.name).joined(separator: ", "))"))
        }
        if let last = violation.exchanges.last.flatMap(trace.position(of:)) {
            let entry = trace.exchanges[last]
            let links = PageLink.html(trace.links.links(of: entry.exchange, entry.message))
            if !links.text.isEmpty { pairs.append(("Links", links)) }
        }
        if let name = found.caseName {
            let page: HTML =
                trace.isAlone
                ? "case \(name)" : "<a href=\"../cases/\(name).html\">case page</a>"
            pairs.append(("Replay", page))
        }
        let rows = pairs.map { "<dt>\($0)</dt><dd>\($1)</dd>" as HTML }
        let tone = violation.standing == .fails ? "fail" : "observed"
        return """
            <li id="v\(position + 1)" class="violation \(tone)"><h3>Violation proved here: \
            \(violation.invariant.name)</h3><dl class="pairs">\(rows)</dl></li>

            """
    }

    private func certainty(_ violation: Violation) -> String {
        switch violation.certainty {
        case .certain: "Certain"
        case .given(let bound): Sanitizer.line("Certain if this holds: \(bound)")
        case .suspicion(let reason): Sanitizer.line("Suspected only: \(reason)")
        }
    }
}

extension ErrorRow.RecordedMessages {
    /// Request and response side by side, and a command that repeats the request; `name` is for those who
    /// do not see them.
    func html(_ name: String) -> HTML {
        let reply = reply.isEmpty ? "(no response)" : reply.joined(separator: "\n")
        return """
            <div class="talk"><div><h4>Request</h4><pre tabindex="0" aria-label="Request: \(name)">\
            \(request.joined(separator: "\n"))</pre></div>\
            <div><h4>Response</h4><pre tabindex="0" aria-label="Response: \(name)">\(reply)</pre></div></div>
            <h4 class="curl-h">curl command</h4><pre class="curl" tabindex="0" \
            aria-label="curl command for \(name)">\(curl)</pre>
            """
    }
}
