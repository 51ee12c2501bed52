internal import Formats

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
            return .members([
                ("startedDateTime", .string(trial.utc(entry.begun))), ("time", .decimal(total)),
                (
                    "request",
                    .members([
                        ("method", .string(request.method)), ("url", .string(request.url)),
                        ("httpVersion", .string("HTTP/1.1")), ("cookies", .array([])),
                        ("headers", .array([])), ("queryString", .array([])),
                        ("headersSize", .integer(-1)), ("bodySize", .integer(-1)),
                    ])
                ),
                (
                    "response",
                    .members([
                        ("status", .integer(entry.status ?? 0)),
                        ("statusText", .string(entry.answer)), ("httpVersion", .string("HTTP/1.1")),
                        ("cookies", .array([])),
                        (
                            "headers",
                            .array(
                                [("Date", entry.serverDate), ("X-Request-Id", entry.requestID)]
                                    .filter { !$0.1.isEmpty }.map {
                                        .members([
                                            ("name", .string($0.0)), ("value", .string($0.1)),
                                        ])
                                    })
                        ),
                        ("content", .members([("size", .integer(0)), ("mimeType", .string(""))])),
                        ("redirectURL", .string("")), ("headersSize", .integer(-1)),
                        ("bodySize", .integer(-1)),
                    ])
                ), ("cache", .members([])),
                (
                    "timings",
                    .members([
                        ("send", .decimal(max(0, send))), ("wait", .decimal(max(0, wait))),
                        ("receive", .decimal(max(0, total - send - wait))),
                    ])
                ), ("comment", .string(comment)),
            ])
        }
        let log = JSON.members([
            ("version", .string("1.2")),
            (
                "creator",
                .members([
                    ("name", .string("screenrig")), ("version", .string(emitted.version)),
                ])
            ), ("entries", .array(entries)), ("comment", .string(emitted.expected.sentence)),
        ])
        return JSON.members([("log", log)]).text(.page) + "\n"
    }
}
