internal import Checker
internal import Dialects
internal import Reports

/// The trial of a case as requests that anybody can send or read: what was really asked, in order,
/// with the times of this machine and the server's.
extension Emission {
    /// A shell script: one curl for each request with the waits between, for the eye rather than for
    /// exactness; it says so. Codes and bearers are shell variables, secrets come from the
    /// environment.
    public func curl() throws(EmitError) -> String {
        guard let trial = emitted.trial else { throw .noTrial("curl") }
        var lines = [
            "#!/bin/sh", "# \(emitted.name): \(emitted.expected.sentence)".oneLine,
            "# Sends what the trial sent, at its pace. A shell starts a request some milliseconds late:",
            "# for windows below 50 ms take --emit python.", "set -eu",
            "BASE=\"${SCREENRIG_TARGET:-\(target.base)}\"",
            "DEVICE=\"${DEVICE:-case-$(date +%s)-$$}\"",
            "BEARER=\"${BEARER:?an access token of POST $BASE/o/client/token}\"",
            "start=$(date +%s%N)",
            "at() { # nanoseconds since the first",
            "  while [ $(( $(date +%s%N) - start )) -lt \"$1\" ]; do sleep 0.002; done; }",
            "ask() { # name, method, path",
            "  printf '%s  %s ' \"$(date -u +%H:%M:%S.%3N)\" \"$1\"",
            "  curl -sS -X \"$2\" -H \"Authorization: Bearer $BEARER\" -H 'Accept: application/json' \\",
            "    -H 'X-Device-Info: \(target.firstInfo)' -o \"/tmp/case-$1\" \\",
            "    -w '%{http_code}  %{time_total} s\\n' \"$BASE$3\"; }", "",
        ]
        let first = trial.exchanges.first?.sent ?? 0
        for entry in trial.exchanges {
            lines.append("at \(max(0, entry.sent - first))")
            lines.append(contentsOf: command(entry))
        }
        lines.append("wait")
        return lines.joined(separator: "\n") + "\n"
    }

    private func command(_ entry: Case.Entry) -> [String] {
        let was = "# was: \(entry.answer)\(entry.status.map { " (\($0))" } ?? "")"
        guard let (method, path) = request(entry) else {
            return [
                "# \(entry.named) \(was.dropFirst(2)): sign in with code $CODE in a browser now,",
                "# or take --emit python, which walks the login by itself.",
                "printf 'sign in with code %s at %s, then press return ' \"$CODE\" \"$BASE\"; read -r _",
            ]
        }
        let name = "\(entry.operation.name)-\(entry.sequence)"
        if entry.operation == .registrationCode {
            return [
                "ask \(name) \(method) \"\(path)\"  \(was)",
                "CODE=$(sed -n 's/.*\"code\": *\"\\([^\"]*\\)\".*/\\1/p' /tmp/case-\(name))",
            ]
        }
        return ["ask \(name) \(method) \"\(path)\" &  \(was)"]
    }

    /// Nil for what only a browser can do.
    func request(_ entry: Case.Entry) -> (method: String, path: String)? {
        let requestor = FormEncoding.encode(target.requestor)
        let keyed = "?requestor=\(requestor)&deviceId=$DEVICE"
        let resource = "&resource=" + FormEncoding.encode(target.resources.first ?? "")
        let record = "/reggie/v1/\(requestor)/regcode"
        return switch entry.operation {
        case .registrationCode: ("POST", "\(record)?deviceId=$DEVICE")
        case .registrationRecord: ("GET", "\(record)/$CODE")
        case .deleteRegistration: ("DELETE", "\(record)/$CODE")
        case .checkCode: ("GET", "/api/v1/checkauthn/$CODE?requestor=\(requestor)")
        case .pollToken: ("GET", "/api/v1/tokens/authn\(keyed)")
        case .checkAuthentication: ("GET", "/api/v1/checkauthn\(keyed)")
        case .authorize: ("GET", "/api/v1/authorize\(keyed)\(resource)")
        case .authorizationToken: ("GET", "/api/v1/tokens/authz\(keyed)\(resource)")
        case .mediaToken: ("GET", "/api/v1/tokens/media\(keyed)\(resource)")
        case .logout: ("DELETE", "/api/v1/logout\(keyed)")
        case .configuration: ("GET", "/api/v1/config/\(requestor)")
        default: nil
        }
    }

    /// The trial as an HTTP Archive 1.2, which browsers' tools open: requests without their secrets,
    /// answers without bodies, times to the millisecond, the server's own clock beside.
    public func har() throws(EmitError) -> String {
        guard let trial = emitted.trial else { throw .noTrial("HAR") }
        let entries = trial.exchanges.map { entry -> JSON in
            let (method, path) = request(entry) ?? ("GET", "/\(entry.operation.name)")
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
                        ("method", .text(method)), ("url", .text(target.base + path)),
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

extension String {
    var oneLine: String { String(map { $0.isNewline ? " " : $0 }) }
}
