internal import Dialects
internal import Journal
internal import Rendering
internal import Rigs

/// Where exchanges are found in the tools of the server's team: the rig's `links`, filled in.
struct ExchangeLinks {
    private let header: HistoryHeader
    private let templates: [LinkTemplate]

    /// Those of the rig of a recorded run; none where that has none, or cannot be read any more.
    init(_ header: HistoryHeader) { self.init(header, LoadStage.rig(of: header)) }

    init(_ header: HistoryHeader, _ rig: Rig?) {
        self.header = header
        templates = rig?.links ?? []
    }

    /// Those of one exchange, in the order of the rig. `message`: its request, where that was kept.
    func links(of exchange: Exchange, _ message: KeptMessage? = nil) -> [PageLink] {
        templates.compactMap { template in
            template.address { value(of: $0, exchange, message) }.map {
                PageLink(name: Sanitizer.line(template.name, limit: 40), address: $0)
            }
        }
    }

    private func value(
        of placeholder: LinkTemplate.Placeholder, _ exchange: Exchange, _ message: KeptMessage?
    ) -> String? {
        switch placeholder {
        case .trace: traceContext(exchange, message)?.trace
        case .span: traceContext(exchange, message)?.span
        case .request: exchange.requestID
        case .household: String(exchange.device.household)
        case .exchange: String(exchange.sequence)
        case .operation: exchange.operation.name
        case .run: header.run
        case .runID: header.runID?.description
        case .time: Export.timestamp(exchange.sent, header)
        case .milliseconds:
            String((header.startedMicroseconds + exchange.sent.nanoseconds / 1000) / 1000)
        }
    }

    /// As the request carried it: what was kept of it tells, else how this version makes it.
    private func traceContext(
        _ exchange: Exchange, _ message: KeptMessage?
    ) -> (trace: String, span: String)? {
        if let message {
            return message.requestHeaders["traceparent"].flatMap(TraceContext.parts)
        }
        guard header.sendsTraceContext, let run = header.runID else { return nil }
        let context = TraceContext(run: run.description, household: exchange.device.household)
        return (context.trace, context.span(exchange.sequence))
    }
}
