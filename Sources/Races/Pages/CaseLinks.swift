internal import Journal
internal import Rendering
internal import Rigs

/// Where the exchanges of a case are found in the tools of the server's team: the `links` of its rig.
struct CaseLinks {
    private let templates: [LinkTemplate]
    private let found: Case

    /// None where the rig has none, or is of another version.
    init(_ found: Case) {
        let reading = try? Rig.read(
            found.rig.source, file: found.rig.name,
            with: .recorded)
        templates = reading?.rig.links ?? []
        self.found = found
    }

    var isEmpty: Bool { templates.isEmpty }

    func links(of entry: Case.Entry) -> [PageLink] {
        templates.compactMap { template in
            template.address { value(of: $0, entry) }.map {
                PageLink(name: Sanitizer.line(template.name, limit: 40), address: $0)
            }
        }
    }

    private func value(of placeholder: LinkTemplate.Placeholder, _ entry: Case.Entry) -> String? {
        switch placeholder {
        case .trace: traceContext(entry)?.trace
        case .span: traceContext(entry)?.span
        case .request: entry.requestID
        // Of the second household of a case the number is not kept.
        case .household: entry.household == 0 ? found.household.map(String.init) : nil
        case .exchange: String(entry.sequence)
        case .operation: entry.operation.name
        case .run, .runID: nil
        case .time: found.trial?.utc(entry.sent)
        case .milliseconds:
            found.trial.map { String(($0.startedMicroseconds + entry.sent / 1000) / 1000) }
        }
    }

    private func traceContext(_ entry: Case.Entry) -> (trace: String, span: String)? {
        entry.traceparent.flatMap(TraceContext.parts)
    }
}
