internal import Dialects
internal import Formats
internal import Journal
internal import Rendering

/// HTTP Archive 1.2 (w3c.github.io/web-performance/specs/HAR): one page for each screen, one entry for
/// each exchange. Where requests and replies were not kept, entries hold times and outcomes only and
/// say so in their comment.
enum HARText {
    static func text(_ export: Export) -> String {
        let screens = export.items.reduce(into: [Export.ExportItem]()) { firsts, item in
            if !firsts.contains(where: { $0.exchange.device == item.exchange.device }) {
                firsts.append(item)
            }
        }
        let log = JSON.members([
            ("version", .string("1.2")),
            (
                "creator",
                .members([
                    ("name", .string("screenrig")), ("version", .string(export.header.version)),
                ])
            ),
            ("pages", .array(screens.map { page($0.exchange, export) })),
            ("entries", .array(export.items.map { entry($0, export) })),
        ])
        return JSON.members([("log", log)]).text(.page) + "\n"
    }

    private static func page(_ first: Exchange, _ export: Export) -> JSON {
        .members([
            ("startedDateTime", .string(Export.timestamp(first.planned, export.header))),
            ("id", .string(first.device.name)),
            ("title", .string("\(first.device.name) of household \(export.household)")),
            ("pageTimings", .members([])),
        ])
    }

    private static func entry(_ item: Export.ExportItem, _ export: Export) -> JSON {
        let exchange = item.exchange
        let timings = Timings(exchange)
        var members: [(String, JSON)] = [
            ("pageref", .string(exchange.device.name)),
            ("startedDateTime", .string(Export.timestamp(exchange.planned, export.header))),
            ("time", .decimal(timings.total)),
            ("request", request(item)), ("response", response(item)),
            ("cache", .members([])), ("timings", timings.json),
        ]
        if let host = exchange.route.remote.split(separator: ":").dropLast().first {
            members.append(("serverIPAddress", .string(String(host))))
        }
        members.append(("connection", .string(String(exchange.route.connection))))
        let kept = item.message == nil ? "; request and response not recorded" : ""
        members.append(
            (
                "comment",
                .string(
                    "\(exchange.operation.name) #\(exchange.sequence): \(exchange.outcome.name)"
                        + (exchange.reason.map { ", \(Sanitizer.line($0))" } ?? "") + kept)
            ))
        return .members(members)
    }

    private static func request(_ item: Export.ExportItem) -> JSON {
        let message = item.message
        let url = message?.url ?? "about:blank#\(item.exchange.operation.name)"
        var members: [(String, JSON)] = [
            ("method", .string(message?.method ?? "GET")), ("url", .string(url)),
            ("httpVersion", .string(version(item.exchange))), ("cookies", .array([])),
            ("headers", headers(message?.requestHeaders)), ("queryString", query(url)),
            ("headersSize", .integer(-1)), ("bodySize", .integer(item.exchange.bytesSent)),
        ]
        if let message, !message.requestBody.isEmpty {
            let type = message.requestHeaders["Content-Type"] ?? "application/octet-stream"
            members.append(
                (
                    "postData",
                    .members([
                        ("mimeType", .string(type)), ("params", .array([])),
                        ("text", .string(message.requestBody)),
                    ])
                ))
        }
        return .members(members)
    }

    private static func response(_ item: Export.ExportItem) -> JSON {
        let exchange = item.exchange
        let headers = item.message?.responseHeaders
        let error = exchange.delivery.error.map { $0.kind.rawValue } ?? ""
        return .members([
            ("status", .integer(exchange.delivery.status ?? 0)), ("statusText", .string(error)),
            ("httpVersion", .string(version(exchange))), ("cookies", .array([])),
            ("headers", self.headers(headers)),
            (
                "content",
                .members([
                    ("size", .integer(exchange.bytesReceived)),
                    ("mimeType", .string(headers?["Content-Type"] ?? "")),
                    ("text", .string(item.message?.responseBody ?? "")),
                ])
            ),
            ("redirectURL", .string(headers?["Location"] ?? "")), ("headersSize", .integer(-1)),
            ("bodySize", .integer(exchange.bytesReceived)),
        ])
    }

    private static func version(_ exchange: Exchange) -> String {
        let version = exchange.route.httpVersion
        return "HTTP/\(version.isEmpty ? "1.1" : version)"
    }

    private static func headers(_ headers: Headers?) -> JSON {
        .array((headers?.fields ?? []).map { pair($0.name, $0.value) })
    }

    private static func query(_ url: String) -> JSON {
        let query = url.drop { $0 != "?" }.dropFirst()
        return .array(
            query.split(separator: "&").map { part in
                let name = part.prefix { $0 != "=" }
                return pair(String(name), String(part.dropFirst(name.count + 1)))
            })
    }

    private static func pair(_ name: String, _ value: String) -> JSON {
        .members([("name", .string(name)), ("value", .string(value))])
    }

    /// In milliseconds; -1 is what the format says for "does not apply".
    private struct Timings {
        var blocked, connect, ssl, send, wait, receive: Double

        init(_ exchange: Exchange) {
            func milliseconds(_ from: Instant, _ through: Instant) -> Double {
                max(0, through.milliseconds - from.milliseconds)
            }
            let made = exchange.connect.map { Instant($0).milliseconds }
            let secured = exchange.tls.map { Instant($0).milliseconds }
            let opening = (made ?? 0) + (secured ?? 0)
            let first = exchange.firstByte ?? exchange.ended
            blocked = milliseconds(exchange.planned, exchange.begun)
            // The format counts securing as part of connecting.
            connect = made == nil ? -1 : opening
            ssl = secured ?? -1
            send = max(0, milliseconds(exchange.begun, exchange.sent) - opening)
            wait = milliseconds(exchange.sent, first)
            receive = milliseconds(first, exchange.ended)
        }

        var total: Double { blocked + max(0, connect) + send + wait + receive }

        var json: JSON {
            .members([
                ("blocked", .decimal(blocked)), ("dns", .integer(-1)),
                ("connect", .decimal(connect)), ("ssl", .decimal(ssl)), ("send", .decimal(send)),
                ("wait", .decimal(wait)), ("receive", .decimal(receive)),
            ])
        }
    }
}
