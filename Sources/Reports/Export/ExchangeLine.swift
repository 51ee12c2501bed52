internal import Dialects
internal import Journal
internal import Rendering

/// One exchange as a line of JSON (schema `screenrig/exchange/1`, docs/reports.md).
enum ExchangeLine {
    static func text(_ item: Export.ExportItem, _ header: HistoryHeader) -> String {
        let exchange = item.exchange
        func time(_ instant: Instant?) -> JSON {
            instant.map { .number($0.milliseconds, decimals: 3) } ?? .null
        }
        var members: [(String, JSON)] = [
            ("schema", .text("screenrig/exchange/1")),
            ("household", .integer(exchange.device.household)),
            ("sequence", .integer(exchange.sequence)), ("device", .text(exchange.device.name)),
            ("operation", .text(exchange.operation.name)),
            ("at", .text(Export.timestamp(exchange.sent, header))),
            ("plannedMs", time(exchange.planned)), ("begunMs", time(exchange.begun)),
            ("sentMs", time(exchange.sent)), ("firstByteMs", time(exchange.firstByte)),
            ("endedMs", time(exchange.ended)),
            ("status", exchange.delivery.status.map(JSON.integer) ?? .null),
            ("error", exchange.delivery.error.map { .text($0.kind.rawValue) } ?? .null),
            ("outcome", .text(exchange.outcome.name)),
            ("reason", exchange.reason.map { .text(Sanitizer.line($0)) } ?? .null),
            ("remote", .text(exchange.route.remote)),
            ("connection", .integer(exchange.route.connection)),
            ("bytesSent", .integer(exchange.bytesSent)),
            ("bytesReceived", .integer(exchange.bytesReceived)),
            ("deviations", .array(exchange.deviations.map { .text($0.description) })),
        ]
        if let message = item.message {
            members.append(
                (
                    "request",
                    .object([
                        ("method", .text(message.method)), ("url", .text(message.url)),
                        ("headers", headers(message.requestHeaders)),
                        ("body", .text(message.requestBody)),
                    ])
                ))
            members.append(
                (
                    "response",
                    message.status.map { status in
                        .object([
                            ("status", .integer(status)),
                            ("headers", headers(message.responseHeaders)),
                            ("body", .text(message.responseBody)),
                        ])
                    } ?? .null
                ))
        }
        return JSON.object(members).line()
    }

    /// Pairs in an array: a name may come twice.
    private static func headers(_ headers: Headers) -> JSON {
        .array(headers.fields.map { .array([.text($0.name), .text($0.value)]) })
    }
}
