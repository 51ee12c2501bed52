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
        func share(_ phase: EventRow.Phase?) -> HTML {
            guard let phase, phase.requests > 0 else { return "–" }
            return .number(
                Double(phase.errors) / Double(phase.requests),
                shown: Figures.percent(phase.errors, of: phase.requests))
        }
        func time(_ phase: EventRow.Phase?) -> HTML {
            guard let p99 = phase?.p99 else { return "–" }
            return .number(p99, shown: Figures.time(milliseconds: p99))
        }
        func violations(_ event: EventRow) -> HTML {
            let counts = EventRow.Phase.Name.allCases.map { name in
                event[name].map { Figures.count($0.violations) } ?? "–"
            }
            return "\(counts.joined(separator: " / "))"
        }
        let phases = EventRow.Phase.Name.allCases
        return Table(
            caption: "Events",
            columns: [.text("Event"), .number("Begin"), .number("Length"), .text("Recovery")]
                + phases.map { .number("Errors \($0.rawValue)") }
                + phases.map { .number("p99 \($0.rawValue)") } + [.number("Violations by phase")],
            rows: events.map { event in
                let length: HTML =
                    event.through.map {
                        .number($0 - event.from, shown: Figures.span(seconds: $0 - event.from))
                    } ?? "–"
                return [
                    "\(event.name)", .number(event.from, shown: Figures.span(seconds: event.from)),
                    length, "\(event.recovery.text)",
                ] + phases.map { share(event[$0]) } + phases.map { time(event[$0]) }
                    + [violations(event)]
            }
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
