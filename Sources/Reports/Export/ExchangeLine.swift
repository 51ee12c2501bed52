internal import Dialects
internal import Formats
internal import Journal
internal import Rendering

/// One exchange as a line of JSON (schema `screenrig/exchange/1`, docs/reports.md).
enum ExchangeLine {
    static func text(_ item: Export.ExportItem, _ header: HistoryHeader) -> String {
        let exchange = item.exchange
        func time(_ instant: Instant?) -> JSON {
            instant.map { .decimal($0.milliseconds, 3) } ?? .null
        }
        var members: [(String, JSON)] = [
            ("schema", .string("screenrig/exchange/1")),
            ("household", .integer(exchange.device.household)),
            ("sequence", .integer(exchange.sequence)), ("device", .string(exchange.device.name)),
            ("operation", .string(exchange.operation.name)),
            ("at", .string(Export.timestamp(exchange.sent, header))),
            ("plannedMs", time(exchange.planned)), ("begunMs", time(exchange.begun)),
            ("sentMs", time(exchange.sent)), ("firstByteMs", time(exchange.firstByte)),
            ("endedMs", time(exchange.ended)),
            ("status", exchange.delivery.status.map(JSON.integer) ?? .null),
            ("error", exchange.delivery.error.map { .string($0.kind.rawValue) } ?? .null),
            ("outcome", .string(exchange.outcome.name)),
            ("reason", exchange.reason.map { .string(Sanitizer.line($0)) } ?? .null),
            ("remote", .string(exchange.route.remote)),
            ("connection", .integer(exchange.route.connection)),
            ("bytesSent", .integer(exchange.bytesSent)),
            ("bytesReceived", .integer(exchange.bytesReceived)),
            ("deviations", .array(exchange.deviations.map { .string($0.description) })),
        ]
        if let message = item.message {
            members.append(
                (
                    "request",
                    .members([
                        ("method", .string(message.method)), ("url", .string(message.url)),
                        ("headers", headers(message.requestHeaders)),
                        ("body", .string(message.requestBody)),
                    ])
                ))
            members.append(
                (
                    "response",
                    message.status.map { status in
                        .members([
                            ("status", .integer(status)),
                            ("headers", headers(message.responseHeaders)),
                            ("body", .string(message.responseBody)),
                        ])
                    } ?? .null
                ))
        }
        return JSON.members(members).text(.compact)
    }

    /// Pairs in an array: a name may come twice.
    private static func headers(_ headers: Headers) -> JSON {
        .array(headers.fields.map { .array([.string($0.name), .string($0.value)]) })
    }
}
