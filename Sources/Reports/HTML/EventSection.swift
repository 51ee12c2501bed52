internal import Rendering

/// The events of a run: before, during and after each, and how long the service took to recover.
enum EventSection {
    static func html(_ events: [EventRow]) -> HTML {
        let lead: HTML = """
            <p class="lead">What happened to the service or the load meanwhile. Before: since the event before \
            it. After: until the next one. Recovery: from its begin to the end of the last second with more errors, or \
            a median above twice the p95, than before it.</p>
            """
        return "\(lead)\(table(events))\(outputs(events))"
    }

    private static func table(_ events: [EventRow]) -> HTML {
        /// Before, during and after in one cell: the page stays narrow.
        func each(_ event: EventRow, _ text: (EventRow.Phase) -> String?) -> HTML {
            let texts = EventRow.Phase.Name.allCases.map { event[$0].flatMap(text) ?? "–" }
            return "\(texts.joined(separator: " / "))"
        }
        return Table(
            caption: "Events",
            columns: [
                .text("Event"), .number("Begin"), .number("Length"), .text("Recovery"),
                .number("Errors before / during / after"), .number("p99 before / during / after"),
                .number("Violations"),
            ],
            rows: events.map { event in
                let length: HTML =
                    event.through.map {
                        .number($0 - event.from, shown: Figures.span(seconds: $0 - event.from))
                    } ?? "–"
                return [
                    "\(event.name)", .number(event.from, shown: Figures.span(seconds: event.from)),
                    length, "\(event.recovery.text)",
                    each(event) {
                        $0.requests == 0 ? nil : Figures.percent($0.errors, of: $0.requests)
                    },
                    each(event) { $0.p99.map { Figures.time(milliseconds: $0) } },
                    each(event) { Figures.count($0.violations) },
                ]
            }, isCards: true
        ).html
    }

    /// What commands printed.
    private static func outputs(_ events: [EventRow]) -> HTML {
        let parts = events.filter { !$0.command.isEmpty }.map { event -> HTML in
            let result = event.trouble ?? "exit status 0"
            let output: HTML =
                event.output.isEmpty
                ? "<p class=\"empty\">It printed nothing.</p>" : "<pre>\(event.output)</pre>"
            return """
                <details><summary>\(event.name): <code>\(event.command)</code>, \(result)</summary>\(output)</details>
                """
        }
        return "\(parts)"
    }
}
