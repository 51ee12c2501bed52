internal import Checker
internal import Dialects
internal import Rendering

/// The trial of a case as requests that anybody can read: what was really asked, in order, with the times
/// of this machine and the server's.
extension Emission {
    /// The trial as an HTTP Archive 1.2, which browsers' tools open: requests as they were sent, without
    /// their secrets and bodies, answers without bodies, the server's own clock beside. A request that was
    /// not kept is left out: nothing is made up for it.
    public func har() throws(EmitError) -> String {
        guard let trial = emitted.trial else { throw .noTrial("HAR") }
        guard trial.exchanges.contains(where: { $0.request != nil }) else { throw .noRequests }
        let entries = trial.exchanges.compactMap { entry -> JSON? in
            guard let request = entry.request else { return nil }
            let total = Double(entry.ended - entry.begun) / 1e6
            let send = Double(entry.sent - entry.begun) / 1e6
            let wait = Double(entry.firstByte - entry.sent) / 1e6
            let comment =
                "\(entry.actor) \(entry.named)\(entry.isConflict ? ", of the conflict" : "")"
            return .object([
                ("startedDateTime", .text(trial.utc(entry.begun))), ("time", .number(total)),
                (
                    "request",
                    .object([
                        ("method", .text(request.method)), ("url", .text(request.url)),
                        ("httpVersion", .text("HTTP/1.1")), ("cookies", .array([])),
                        ("headers", .array([])), ("queryString", .array([])),
                        ("headersSize", .integer(-1)), ("bodySize", .integer(-1)),
                    ])
                ),
                (
                    "response",
                    .object([
                        ("status", .integer(entry.status ?? 0)),
                        ("statusText", .text(entry.answer)), ("httpVersion", .text("HTTP/1.1")),
                        ("cookies", .array([])),
                        (
                            "headers",
                            .array(
                                [("Date", entry.serverDate), ("X-Request-Id", entry.requestID)]
                                    .filter { !$0.1.isEmpty }.map {
                                        .object([("name", .text($0.0)), ("value", .text($0.1))])
                                    })
                        ), ("content", .object([("size", .integer(0)), ("mimeType", .text(""))])),
                        ("redirectURL", .text("")), ("headersSize", .integer(-1)),
                        ("bodySize", .integer(-1)),
                    ])
                ), ("cache", .object([])),
                (
                    "timings",
                    .object([
                        ("send", .number(max(0, send))), ("wait", .number(max(0, wait))),
                        ("receive", .number(max(0, total - send - wait))),
                    ])
                ), ("comment", .text(comment)),
            ])
        }
        let log = JSON.object([
            ("version", .text("1.2")),
            (
                "creator",
                .object([
                    ("name", .text("screenrig")), ("version", .text(emitted.version)),
                ])
            ), ("entries", .array(entries)), ("comment", .text(emitted.expected.sentence)),
        ])
        return JSON.object([("log", log)]).rendered() + "\n"
    }
}
