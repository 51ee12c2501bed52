/// The tables of `history.sqlite`, as documented for users: any SQLite tool can query them.
///
/// ```sql
/// SELECT operation, count(*), avg(ended_ns - planned_ns) / 1e6 AS ms FROM exchanges GROUP BY 1;
/// ```
public enum HistorySchema {
    /// Value of `schema` in `meta`.
    public static let version = "screenrig/history/6"
    /// What can be read: before version 2 nothing was known of paths, before version 3 nothing of profiles,
    /// before version 4 nothing of a household's provider and of events of the run, before version 5 nothing of shards,
    /// before version 6 nothing of times without the rig's lateness.
    static let readable = (1...6).map { "screenrig/history/\($0)" }

    struct SchemaTable: Sendable {
        var name: String
        /// What a row is.
        var note: String
        var columns: [SchemaColumn]
        var constraint = ""
        /// Whether a row may be written again, as its state changes.
        var replaces = false

        /// `CREATE TABLE` with the notes as comments, which SQLite keeps: `.schema` shows them.
        var sql: String {
            let lines = columns.enumerated().map { position, column in
                let comma = position < columns.count - 1 || !constraint.isEmpty ? "," : ""
                return "  \(column.name) \(column.type)\(comma)  -- \(column.note)"
            }
            let last = constraint.isEmpty ? [] : ["  \(constraint)"]
            return "CREATE TABLE \(name) (  -- \(note)\n"
                + (lines + last).joined(separator: "\n") + "\n)"
        }

        var insertion: String {
            let marks = columns.map { _ in "?" }.joined(separator: ", ")
            return "INSERT \(replaces ? "OR REPLACE " : "")INTO \(name) VALUES (\(marks))"
        }

        var selection: String { selection(of: nil) }

        /// Columns that a file of an older version lacks are NULL; `present` are those that it has.
        func selection(of present: Set<String>?) -> String {
            let terms = columns.map { column in
                present?.contains(column.name) ?? true ? column.name : "NULL AS \(column.name)"
            }
            return "SELECT \(terms.joined(separator: ", ")) FROM \(name)"
        }
    }

    struct SchemaColumn: Sendable {
        var name: String
        var type: String
        var note: String

        init(_ name: String, _ type: String, _ note: String) {
            self.name = name
            self.type = type
            self.note = note
        }
    }

    /// Built only once the run has ended: they would slow it down.
    static let indices = [
        "CREATE INDEX IF NOT EXISTS exchanges_by_household ON exchanges (household, sequence)"
    ]

    static let all = [
        meta, exchanges, messages, households, events, cells, errors, health, runEvents,
        watermarks, shards,
    ]

    /// The tables in Markdown: `docs/history.md`.
    public static var documentation: String {
        let opening =
            "# history.sqlite\n\nWritten from the code; a test keeps it current. Any SQLite tool reads it.\n\n"
        return opening
            + all.map { table in
                let rows = table.columns.map {
                    "| `\($0.name)` | \($0.type.lowercased()) | \($0.note) |"
                }
                return "## `\(table.name)`\n\nOne row: \(table.note).\n\n| column | type | what |\n"
                    + "|---|---|---|\n" + rows.joined(separator: "\n") + "\n"
            }.joined(separator: "\n")
    }

    static let meta = SchemaTable(
        name: "meta",
        note:
            "one fact about the run, such as its rig, seed, target and outcome; of a shard, under keys that begin with "
            + "`shard_`, its number (from 0), count, attempt, host, asked start and clock",
        columns: [
            SchemaColumn("key", "TEXT PRIMARY KEY", "name of the fact"),
            SchemaColumn("value", "TEXT", "its value"),
        ], replaces: true)

    static let exchanges = SchemaTable(
        name: "exchanges",
        note: "one request and its outcome; times in nanoseconds since the start of the run",
        columns: [
            SchemaColumn(
                "id", "INTEGER PRIMARY KEY", "row number, in the order of recording"),
            SchemaColumn("household", "INTEGER NOT NULL", "number of the household"),
            SchemaColumn(
                "sequence", "INTEGER NOT NULL",
                "number of the exchange within its household, from 1"),
            SchemaColumn("lane", "INTEGER NOT NULL", "lane on which it ran"),
            SchemaColumn("device", "TEXT NOT NULL", "tv, phone, phone-2 ..."),
            SchemaColumn("operation", "TEXT NOT NULL", "poll-token, authenticate ..."),
            SchemaColumn("code", "TEXT", "registration code of the request"),
            SchemaColumn("planned_ns", "INTEGER NOT NULL", "when it was due"),
            SchemaColumn(
                "begun_ns", "INTEGER NOT NULL",
                "when it was handed to the transport; begun - planned is the rig's lateness"),
            SchemaColumn("sent_ns", "INTEGER NOT NULL", "just before its last byte was sent"),
            SchemaColumn(
                "first_byte_ns", "INTEGER",
                "first byte of the final response: its arrival by the kernel; when it was read, where that is not known"
            ),
            SchemaColumn(
                "ended_ns", "INTEGER NOT NULL",
                "end of the response, likewise, or when the rig gave up"),
            SchemaColumn(
                "delivery", "TEXT NOT NULL",
                "answered, refused (never reached the service) or unknown (may have reached it)"),
            SchemaColumn("status", "INTEGER", "HTTP status of the response"),
            SchemaColumn(
                "error", "TEXT", "kind of transport error: timeout, connection-refused ..."),
            SchemaColumn("error_detail", "TEXT", "description of the transport error"),
            SchemaColumn("outcome", "TEXT NOT NULL", "ok, pending, throttled, rejected ..."),
            SchemaColumn("reason", "TEXT", "error code given by the service"),
            SchemaColumn(
                "result", "TEXT NOT NULL",
                "what the response says about the service's state: success, absent, expired, denied, unauthenticated, unauthorized or none; of a login's hop also led-on or led-back"
            ),
            SchemaColumn("tag_mvpd", "TEXT", "provider of the sign-in in the response"),
            SchemaColumn("tag_user", "TEXT", "user of the sign-in in the response"),
            SchemaColumn("answer_code", "TEXT", "registration code in the response"),
            SchemaColumn("resource", "TEXT", "resource of the request"),
            SchemaColumn(
                "generated_ms", "INTEGER",
                "creation time by the service's clock, epoch ms; 0 where the response states a lifetime"
            ),
            SchemaColumn(
                "expires_ms", "INTEGER",
                "expiry time by the service's clock, epoch ms; the lifetime in ms where generated_ms is 0"
            ),
            SchemaColumn(
                "record", "TEXT",
                "identity of the record or token in the response, unless it is secret"),
            SchemaColumn(
                "fingerprint", "TEXT",
                "fingerprint of the secret in the response; equal for equal secrets of this run"),
            SchemaColumn(
                "deviations", "TEXT", "JSON: deviations of the response from the protocol page"),
            SchemaColumn(
                "connection", "INTEGER NOT NULL",
                "number of the connection within the run; 0 if none"),
            SchemaColumn("reused", "INTEGER NOT NULL", "1 if the connection was used before"),
            SchemaColumn("local", "TEXT", "local address and port"),
            SchemaColumn("remote", "TEXT", "address and port of the service"),
            SchemaColumn("http_version", "TEXT", "1.1 or 2"),
            SchemaColumn("tls_resumed", "INTEGER", "1 if the TLS session was resumed"),
            SchemaColumn(
                "evidence", "TEXT", "JSON: response headers that help to find it in logs"),
            SchemaColumn("bytes_sent", "INTEGER NOT NULL", "size of the request body, bytes"),
            SchemaColumn("bytes_received", "INTEGER NOT NULL", "size of the response body, bytes"),
            SchemaColumn(
                "provoked", "INTEGER NOT NULL", "1 if the rig meant the request to be rejected"),
            SchemaColumn(
                "connect_ns", "INTEGER", "duration of connecting, if a new connection was needed"),
            SchemaColumn("tls_ns", "INTEGER", "duration of that connection's TLS handshake"),
            SchemaColumn(
                "mvpd", "TEXT",
                "provider that the request named, where a device has several sign-ins"
            ),
            SchemaColumn(
                "subject", "TEXT", "user that the identity tokens of the request named"),
            SchemaColumn(
                "profiles", "TEXT",
                "JSON: every profile in the response, with its times in epoch ms (REST V2)"),
        ])

    static let households = SchemaTable(
        name: "households", note: "one household; times in nanoseconds since the start of the run",
        columns: [
            SchemaColumn("household", "INTEGER PRIMARY KEY", "number of the household"),
            SchemaColumn("kind", "TEXT NOT NULL", "kind in the rig"),
            SchemaColumn("lane", "INTEGER NOT NULL", "lane on which it ran"),
            SchemaColumn("arrived_ns", "INTEGER NOT NULL", "when it started"),
            SchemaColumn("stage", "TEXT NOT NULL", "furthest stage: arrived ... logged-out"),
            SchemaColumn(
                "fate", "TEXT NOT NULL", "running, signed-in, pre-signed-in, failed or abandoned"),
            SchemaColumn("cause", "TEXT NOT NULL", "what stopped it, as a sentence"),
            SchemaColumn("code_shown_ns", "INTEGER", "when the TV showed its code"),
            SchemaColumn(
                "phone_done_ns", "INTEGER",
                "when the last response of the sign-in reached the phone"),
            SchemaColumn("token_seen_ns", "INTEGER", "when the TV received its token"),
            SchemaColumn(
                "viewer_ns", "INTEGER NOT NULL", "the viewer's share of the sign-in, nanoseconds"),
            SchemaColumn("polls", "INTEGER NOT NULL", "number of polls"),
            SchemaColumn("ended_ns", "INTEGER", "when it ended"),
            SchemaColumn("sign_in_ns", "INTEGER", "from code shown to token received"),
            SchemaColumn("sign_in_service_ns", "INTEGER", "the same without the viewer's share"),
            SchemaColumn(
                "token_visibility_ns", "INTEGER", "from the phone's last response to the TV's token"
            ),
            SchemaColumn(
                "not_entitled", "INTEGER",
                "number of responses that the account may not watch this"),
            SchemaColumn(
                "asked_path", "TEXT", "sign-in path that its kind asks for: platform, or none"),
            SchemaColumn(
                "paths", "TEXT",
                "path of each sign-in, separated by blanks: code, web-view, platform, temp-pass, "
                    + "no-login"),
            SchemaColumn("began_ns", "INTEGER", "when the first sign-in started"),
            SchemaColumn("steps", "TEXT", "steps of the platform's decision graph: 1-2-6-7-8-9-11"),
            SchemaColumn("prompts", "INTEGER", "number of permission prompts"),
            SchemaColumn("pickers", "INTEGER", "number of times the platform's picker was shown"),
            SchemaColumn(
                "codes", "TEXT",
                "advanced codes of the SDK (VSA403) and errors of the platform (VSError-2)"),
            SchemaColumn(
                "silent_relogins", "INTEGER",
                "number of sign-ins by the account still on the device"),
            SchemaColumn("diversion", "TEXT", "why it left the path that its kind asks for"),
            SchemaColumn(
                "abandoned_by", "TEXT",
                "who ended an abandoned household: viewer (drawn by the rig), service or run"),
            SchemaColumn(
                "mvpd", "TEXT", "provider (MVPD) of its login, or as its token says; NULL: none"),
            SchemaColumn(
                "throttled_first_screen", "INTEGER", "number of the TV's requests answered 429"),
            SchemaColumn(
                "throttled_second_screens", "INTEGER",
                "number of its phones' requests answered 429"),
            SchemaColumn(
                "throttled_sign_in", "INTEGER",
                "number of both before the TV received its token"),
            SchemaColumn(
                "late_sign_in_ns", "INTEGER",
                "for how long the rig was late with its requests in the time of its sign-in"),
            SchemaColumn(
                "late_visibility_ns", "INTEGER",
                "the same from the phone's last response to the TV's token"),
        ], replaces: true)

    static let events = SchemaTable(
        name: "events",
        note: "an event on a device other than an exchange: a callback of the SDK, a "
            + "dialog of the platform",
        columns: [
            SchemaColumn("household", "INTEGER NOT NULL", "number of the household"),
            SchemaColumn(
                "sequence", "INTEGER NOT NULL", "number of the event within its household, from 1"),
            SchemaColumn("device", "TEXT NOT NULL", "tv, phone, phone-2 ..."),
            SchemaColumn(
                "at_ns", "INTEGER NOT NULL", "time in nanoseconds since the start of the run"),
            SchemaColumn("name", "TEXT NOT NULL", "name of the event"),
            SchemaColumn("detail", "TEXT NOT NULL", "arguments of the event"),
        ], constraint: "PRIMARY KEY (household, sequence)", replaces: true)

    static let cells = SchemaTable(
        name: "cells",
        note: "one operation of one kind of household in one second, counted over all exchanges",
        columns: [
            SchemaColumn("second", "INTEGER NOT NULL", "second of the run"),
            SchemaColumn("operation", "TEXT NOT NULL", "the operation"),
            SchemaColumn("kind", "INTEGER NOT NULL", "position of the kind in meta's kinds"),
            SchemaColumn("sent", "INTEGER NOT NULL", "sent in this second"),
            SchemaColumn(
                "completed", "INTEGER NOT NULL", "answered in this second, with any response"),
            SchemaColumn("errors", "INTEGER NOT NULL", "ended in this second as an error"),
            SchemaColumn(
                "outcomes", "TEXT NOT NULL", "JSON: ended in this second, counted by outcome"),
            SchemaColumn(
                "statuses", "TEXT NOT NULL", "JSON: answered in this second, counted by HTTP status"
            ),
            SchemaColumn("latency", "BLOB NOT NULL", "histogram of ended - planned"),
            SchemaColumn("service", "BLOB NOT NULL", "histogram of ended - sent"),
            SchemaColumn("lateness", "BLOB NOT NULL", "histogram of begun - planned"),
            SchemaColumn(
                "punctual", "BLOB", "histogram of ended - begun: latency without the rig's lateness"
            ),
        ], constraint: "PRIMARY KEY (second, operation, kind)", replaces: true)

    static let errors = SchemaTable(
        name: "errors",
        note:
            "errors of the same operation, outcome, status and reason, counted over all exchanges",
        columns: [
            SchemaColumn("operation", "TEXT NOT NULL", "the operation"),
            SchemaColumn("outcome", "TEXT NOT NULL", "the outcome"),
            SchemaColumn("status", "INTEGER NOT NULL", "HTTP status; 0 without a response"),
            SchemaColumn(
                "reason", "TEXT NOT NULL",
                "error code given by the service, or kind of transport error"),
            SchemaColumn("count", "INTEGER NOT NULL", "number of errors"),
            SchemaColumn("first_ns", "INTEGER NOT NULL", "when the first ended"),
            SchemaColumn("last_ns", "INTEGER NOT NULL", "when the last ended"),
            SchemaColumn("example", "INTEGER", "id of the first one in exchanges"),
        ], constraint: "PRIMARY KEY (operation, outcome, status, reason)", replaces: true)

    static let health = SchemaTable(
        name: "health", note: "what a lane measured about itself over an interval",
        columns: [
            SchemaColumn("lane", "INTEGER NOT NULL", "the lane"),
            SchemaColumn("from_ns", "INTEGER NOT NULL", "beginning of the interval"),
            SchemaColumn("through_ns", "INTEGER NOT NULL", "its end"),
            SchemaColumn("turns", "INTEGER NOT NULL", "turns of its loop"),
            SchemaColumn("busy_ns", "INTEGER NOT NULL", "time in turns, that is, not waiting"),
            SchemaColumn("longest_turn_ns", "INTEGER NOT NULL", "duration of the longest turn"),
        ])

    static let runEvents = SchemaTable(
        name: "run_events",
        note: "what happened to the service or the run: a command of the rig's events, a mark, "
            + "a change of the load by hand",
        columns: [
            SchemaColumn("name", "TEXT NOT NULL", "name of the event"),
            SchemaColumn("origin", "TEXT NOT NULL", "rig, mark or control"),
            SchemaColumn("began_ns", "INTEGER NOT NULL", "when it began"),
            SchemaColumn("ended_ns", "INTEGER", "when it ended; NULL: a moment, or not yet"),
            SchemaColumn("command", "TEXT NOT NULL", "the command that was run; empty: none"),
            SchemaColumn("status", "INTEGER", "exit status of the command"),
            SchemaColumn("output", "TEXT NOT NULL", "end of what the command printed"),
        ], constraint: "PRIMARY KEY (name, began_ns)", replaces: true)

    static let watermarks = SchemaTable(
        name: "watermarks",
        note: "written at least every second: how far the history was on disk",
        columns: [
            SchemaColumn("id", "INTEGER PRIMARY KEY", "number of the watermark"),
            SchemaColumn(
                "through_ns", "INTEGER NOT NULL",
                "exchanges that ended before this time are in the file"),
            SchemaColumn("exchanges", "INTEGER NOT NULL", "number of exchanges so far"),
        ])
}
