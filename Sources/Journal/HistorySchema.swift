/// The tables of `history.sqlite`, as documented for users: any SQLite tool can query them.
///
/// ```sql
/// SELECT operation, count(*), avg(ended_ns - planned_ns) / 1e6 AS ms FROM exchanges GROUP BY 1;
/// ```
public enum HistorySchema {
    /// Value of `schema` in `meta`.
    public static let version = "screenrig/history/2"
    /// What can be read: before version 2 nothing was known of paths.
    static let readable = ["screenrig/history/1", version]

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
        "CREATE INDEX exchanges_by_household ON exchanges (household, sequence)"
    ]

    static let all = [
        meta, exchanges, messages, households, events, cells, errors, health, watermarks,
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
        name: "meta", note: "one fact about the run: its rig, seed, target, and how it ended",
        columns: [
            SchemaColumn("key", "TEXT PRIMARY KEY", "name of the fact"),
            SchemaColumn("value", "TEXT", "its value"),
        ], replaces: true)

    static let exchanges = SchemaTable(
        name: "exchanges",
        note: "one request and what became of it; times in nanoseconds since the run began",
        columns: [
            SchemaColumn(
                "id", "INTEGER PRIMARY KEY", "counts rows in the order in which they were kept"),
            SchemaColumn("household", "INTEGER NOT NULL", "number of the household"),
            SchemaColumn(
                "sequence", "INTEGER NOT NULL", "counts exchanges of the household from 1"),
            SchemaColumn("lane", "INTEGER NOT NULL", "lane that it ran on"),
            SchemaColumn("device", "TEXT NOT NULL", "tv, phone, phone-2 ..."),
            SchemaColumn("operation", "TEXT NOT NULL", "poll-token, authenticate ..."),
            SchemaColumn("code", "TEXT", "registration code that it was about"),
            SchemaColumn("planned_ns", "INTEGER NOT NULL", "when it was due"),
            SchemaColumn(
                "begun_ns", "INTEGER NOT NULL",
                "handed to the transport: begun - planned is the rig's own lateness"),
            SchemaColumn("sent_ns", "INTEGER NOT NULL", "before its last byte left"),
            SchemaColumn("first_byte_ns", "INTEGER", "at the first byte of the final answer"),
            SchemaColumn(
                "ended_ns", "INTEGER NOT NULL", "at the end of the answer, or when given up"),
            SchemaColumn(
                "delivery", "TEXT NOT NULL",
                "answered, refused (it never reached the service) or unknown (it may have)"),
            SchemaColumn("status", "INTEGER", "HTTP status of the answer"),
            SchemaColumn(
                "error", "TEXT", "kind of transport error: timeout, connection-refused ..."),
            SchemaColumn("error_detail", "TEXT", "the transport error in words"),
            SchemaColumn("outcome", "TEXT NOT NULL", "ok, pending, throttled, rejected ..."),
            SchemaColumn("reason", "TEXT", "the service's own word for an error"),
            SchemaColumn(
                "result", "TEXT NOT NULL",
                "what it tells about the service: success, absent, expired, denied or none"),
            SchemaColumn("tag_mvpd", "TEXT", "provider of the sign-in that the answer shows"),
            SchemaColumn("tag_user", "TEXT", "user of the sign-in that the answer shows"),
            SchemaColumn("answer_code", "TEXT", "registration code in the answer"),
            SchemaColumn("resource", "TEXT", "resource that it was about"),
            SchemaColumn("generated_ms", "INTEGER", "the service's own time of making, epoch ms"),
            SchemaColumn("expires_ms", "INTEGER", "the service's own time of expiry, epoch ms"),
            SchemaColumn(
                "record", "TEXT", "identity of the record or token seen, where it is no secret"),
            SchemaColumn(
                "fingerprint", "TEXT",
                "of the secret in the answer: equal for equal secrets of this run"),
            SchemaColumn(
                "deviations", "TEXT", "JSON: where the answer left the protocol page and how"),
            SchemaColumn(
                "connection", "INTEGER NOT NULL", "counts connections of the run; 0: none"),
            SchemaColumn("reused", "INTEGER NOT NULL", "1 when the connection was used before"),
            SchemaColumn("local", "TEXT", "own address and port"),
            SchemaColumn("remote", "TEXT", "address and port of the service"),
            SchemaColumn("http_version", "TEXT", "1.1 or 2"),
            SchemaColumn("tls_resumed", "INTEGER", "1 when the TLS session was resumed"),
            SchemaColumn(
                "evidence", "TEXT", "JSON: headers of the answer that help to find it in logs"),
            SchemaColumn("bytes_sent", "INTEGER NOT NULL", "bytes of the request's body"),
            SchemaColumn("bytes_received", "INTEGER NOT NULL", "bytes of the answer's body"),
            SchemaColumn("provoked", "INTEGER NOT NULL", "1 when the rig meant to be turned down"),
            SchemaColumn("connect_ns", "INTEGER", "making the connection, if it needed a new one"),
            SchemaColumn("tls_ns", "INTEGER", "securing that connection"),
        ])

    static let households = SchemaTable(
        name: "households", note: "one household's life; times in nanoseconds since the run began",
        columns: [
            SchemaColumn("household", "INTEGER PRIMARY KEY", "its number"),
            SchemaColumn("kind", "TEXT NOT NULL", "its kind in the rig"),
            SchemaColumn("lane", "INTEGER NOT NULL", "lane that it ran on"),
            SchemaColumn("arrived_ns", "INTEGER NOT NULL", "when it began"),
            SchemaColumn("stage", "TEXT NOT NULL", "how far it got: arrived ... logged-out"),
            SchemaColumn(
                "fate", "TEXT NOT NULL", "running, signed-in, pre-signed-in, failed or abandoned"),
            SchemaColumn("cause", "TEXT NOT NULL", "what stopped it, in words"),
            SchemaColumn("code_shown_ns", "INTEGER", "the TV showed its code"),
            SchemaColumn("phone_done_ns", "INTEGER", "the sign-in's last answer reached the phone"),
            SchemaColumn("token_seen_ns", "INTEGER", "the TV saw its token"),
            SchemaColumn("viewer_ns", "INTEGER NOT NULL", "the viewer's own share of the sign-in"),
            SchemaColumn("polls", "INTEGER NOT NULL", "polls sent"),
            SchemaColumn("ended_ns", "INTEGER", "when it ended"),
            SchemaColumn("sign_in_ns", "INTEGER", "code shown to token seen"),
            SchemaColumn("sign_in_service_ns", "INTEGER", "the same less the viewer's share"),
            SchemaColumn("token_visibility_ns", "INTEGER", "phone done to token seen"),
            SchemaColumn(
                "not_entitled", "INTEGER",
                "times that the service said the account may not watch this"),
            SchemaColumn("asked_path", "TEXT", "path that its kind asks for: platform, or none"),
            SchemaColumn(
                "paths", "TEXT",
                "path of each sign-in, blanks between: code, web-view, platform, temp-pass"),
            SchemaColumn("began_ns", "INTEGER", "the first sign-in began"),
            SchemaColumn("steps", "TEXT", "steps of the platform's decision graph: 1-2-6-7-8-9-11"),
            SchemaColumn("prompts", "INTEGER", "times that the system asked for the permission"),
            SchemaColumn("pickers", "INTEGER", "times that the platform's picker was shown"),
            SchemaColumn(
                "codes", "TEXT",
                "advanced codes of the SDK (VSA403) and errors of the platform (VSError-2)"),
            SchemaColumn(
                "silent_relogins", "INTEGER", "sign-ins by the account still on the device"),
            SchemaColumn("diversion", "TEXT", "why it left the path that its kind asks for"),
            SchemaColumn(
                "abandoned_by", "TEXT",
                "what ended an abandoned one: viewer (the rig drew it), service or run"),
        ], replaces: true)

    static let events = SchemaTable(
        name: "events",
        note: "something that happened on a device and is no exchange: a callback of the SDK, a "
            + "dialog of the platform",
        columns: [
            SchemaColumn("household", "INTEGER NOT NULL", "number of the household"),
            SchemaColumn("sequence", "INTEGER NOT NULL", "counts events of the household from 1"),
            SchemaColumn("device", "TEXT NOT NULL", "tv, phone, phone-2 ..."),
            SchemaColumn("at_ns", "INTEGER NOT NULL", "when, in nanoseconds since the run began"),
            SchemaColumn("name", "TEXT NOT NULL", "what"),
            SchemaColumn("detail", "TEXT NOT NULL", "its arguments"),
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
                "completed", "INTEGER NOT NULL", "answered in this second, whichever answer"),
            SchemaColumn("errors", "INTEGER NOT NULL", "ended in this second as an error"),
            SchemaColumn("outcomes", "TEXT NOT NULL", "JSON: ended in this second, by outcome"),
            SchemaColumn(
                "statuses", "TEXT NOT NULL", "JSON: answered in this second, by HTTP status"),
            SchemaColumn("latency", "BLOB NOT NULL", "histogram of ended - planned"),
            SchemaColumn("service", "BLOB NOT NULL", "histogram of ended - sent"),
            SchemaColumn("lateness", "BLOB NOT NULL", "histogram of sent - planned"),
        ], constraint: "PRIMARY KEY (second, operation, kind)", replaces: true)

    static let errors = SchemaTable(
        name: "errors", note: "errors that look the same, counted over all exchanges",
        columns: [
            SchemaColumn("operation", "TEXT NOT NULL", "the operation"),
            SchemaColumn("outcome", "TEXT NOT NULL", "the outcome"),
            SchemaColumn("status", "INTEGER NOT NULL", "HTTP status; 0 without an answer"),
            SchemaColumn(
                "reason", "TEXT NOT NULL", "the service's word, or kind of transport error"),
            SchemaColumn("count", "INTEGER NOT NULL", "how many"),
            SchemaColumn("first_ns", "INTEGER NOT NULL", "end of the first"),
            SchemaColumn("last_ns", "INTEGER NOT NULL", "end of the last"),
            SchemaColumn("example", "INTEGER", "id of the first in exchanges"),
        ], constraint: "PRIMARY KEY (operation, outcome, status, reason)", replaces: true)

    static let health = SchemaTable(
        name: "health", note: "what a lane measured of itself over an interval",
        columns: [
            SchemaColumn("lane", "INTEGER NOT NULL", "the lane"),
            SchemaColumn("from_ns", "INTEGER NOT NULL", "beginning of the interval"),
            SchemaColumn("through_ns", "INTEGER NOT NULL", "its end"),
            SchemaColumn("turns", "INTEGER NOT NULL", "turns of its loop"),
            SchemaColumn("busy_ns", "INTEGER NOT NULL", "time in turns, that is not waiting"),
            SchemaColumn("longest_turn_ns", "INTEGER NOT NULL", "the longest turn"),
        ])

    static let watermarks = SchemaTable(
        name: "watermarks",
        note: "written at least every second: until when everything was on disk",
        columns: [
            SchemaColumn("id", "INTEGER PRIMARY KEY", "counts them"),
            SchemaColumn("through_ns", "INTEGER NOT NULL", "what ended before this is in the file"),
            SchemaColumn("exchanges", "INTEGER NOT NULL", "exchanges counted so far"),
        ])
}
