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

    struct Table: Sendable {
        var name: String
        /// What a row is.
        var note: String
        var columns: [Column]
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

    struct Column: Sendable {
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

    static let meta = Table(
        name: "meta", note: "one fact about the run: its rig, seed, target, and how it ended",
        columns: [
            Column("key", "TEXT PRIMARY KEY", "name of the fact"),
            Column("value", "TEXT", "its value"),
        ], replaces: true)

    static let exchanges = Table(
        name: "exchanges",
        note: "one request and what became of it; times in nanoseconds since the run began",
        columns: [
            Column("id", "INTEGER PRIMARY KEY", "counts rows in the order in which they were kept"),
            Column("household", "INTEGER NOT NULL", "number of the household"),
            Column("sequence", "INTEGER NOT NULL", "counts exchanges of the household from 1"),
            Column("lane", "INTEGER NOT NULL", "lane that it ran on"),
            Column("device", "TEXT NOT NULL", "tv, phone, phone-2 ..."),
            Column("operation", "TEXT NOT NULL", "poll-token, authenticate ..."),
            Column("code", "TEXT", "registration code that it was about"),
            Column("planned_ns", "INTEGER NOT NULL", "when it was due"),
            Column(
                "begun_ns", "INTEGER NOT NULL",
                "handed to the transport: begun - planned is the rig's own lateness"),
            Column("sent_ns", "INTEGER NOT NULL", "before its last byte left"),
            Column("first_byte_ns", "INTEGER", "at the first byte of the final answer"),
            Column("ended_ns", "INTEGER NOT NULL", "at the end of the answer, or when given up"),
            Column(
                "delivery", "TEXT NOT NULL",
                "answered, refused (it never reached the service) or unknown (it may have)"),
            Column("status", "INTEGER", "HTTP status of the answer"),
            Column("error", "TEXT", "kind of transport error: timeout, connection-refused ..."),
            Column("error_detail", "TEXT", "the transport error in words"),
            Column("outcome", "TEXT NOT NULL", "ok, pending, throttled, rejected ..."),
            Column("reason", "TEXT", "the service's own word for an error"),
            Column(
                "result", "TEXT NOT NULL",
                "what it tells about the service: success, absent, expired, denied or none"),
            Column("tag_mvpd", "TEXT", "provider of the sign-in that the answer shows"),
            Column("tag_user", "TEXT", "user of the sign-in that the answer shows"),
            Column("answer_code", "TEXT", "registration code in the answer"),
            Column("resource", "TEXT", "resource that it was about"),
            Column("generated_ms", "INTEGER", "the service's own time of making, epoch ms"),
            Column("expires_ms", "INTEGER", "the service's own time of expiry, epoch ms"),
            Column("record", "TEXT", "identity of the record or token seen, where it is no secret"),
            Column(
                "fingerprint", "TEXT",
                "of the secret in the answer: equal for equal secrets of this run"),
            Column(
                "deviations", "TEXT", "JSON: where the answer left the protocol page and how"),
            Column("connection", "INTEGER NOT NULL", "counts connections of the run; 0: none"),
            Column("reused", "INTEGER NOT NULL", "1 when the connection was used before"),
            Column("local", "TEXT", "own address and port"),
            Column("remote", "TEXT", "address and port of the service"),
            Column("http_version", "TEXT", "1.1 or 2"),
            Column("tls_resumed", "INTEGER", "1 when the TLS session was resumed"),
            Column("evidence", "TEXT", "JSON: headers of the answer that help to find it in logs"),
            Column("bytes_sent", "INTEGER NOT NULL", "bytes of the request's body"),
            Column("bytes_received", "INTEGER NOT NULL", "bytes of the answer's body"),
            Column("provoked", "INTEGER NOT NULL", "1 when the rig meant to be turned down"),
            Column("connect_ns", "INTEGER", "making the connection, if it needed a new one"),
            Column("tls_ns", "INTEGER", "securing that connection"),
        ])

    static let households = Table(
        name: "households", note: "one household's life; times in nanoseconds since the run began",
        columns: [
            Column("household", "INTEGER PRIMARY KEY", "its number"),
            Column("kind", "TEXT NOT NULL", "its kind in the rig"),
            Column("lane", "INTEGER NOT NULL", "lane that it ran on"),
            Column("arrived_ns", "INTEGER NOT NULL", "when it began"),
            Column("stage", "TEXT NOT NULL", "how far it got: arrived ... logged-out"),
            Column(
                "fate", "TEXT NOT NULL", "running, signed-in, pre-signed-in, failed or abandoned"),
            Column("cause", "TEXT NOT NULL", "what stopped it, in words"),
            Column("code_shown_ns", "INTEGER", "the TV showed its code"),
            Column("phone_done_ns", "INTEGER", "the sign-in's last answer reached the phone"),
            Column("token_seen_ns", "INTEGER", "the TV saw its token"),
            Column("viewer_ns", "INTEGER NOT NULL", "the viewer's own share of the sign-in"),
            Column("polls", "INTEGER NOT NULL", "polls sent"),
            Column("ended_ns", "INTEGER", "when it ended"),
            Column("sign_in_ns", "INTEGER", "code shown to token seen"),
            Column("sign_in_service_ns", "INTEGER", "the same less the viewer's share"),
            Column("token_visibility_ns", "INTEGER", "phone done to token seen"),
            Column(
                "not_entitled", "INTEGER",
                "times that the service said the account may not watch this"),
            Column("asked_path", "TEXT", "path that its kind asks for: platform, or none"),
            Column(
                "paths", "TEXT",
                "path of each sign-in, blanks between: code, web-view, platform, temp-pass"),
            Column("began_ns", "INTEGER", "the first sign-in began"),
            Column("steps", "TEXT", "steps of the platform's decision graph: 1-2-6-7-8-9-11"),
            Column("prompts", "INTEGER", "times that the system asked for the permission"),
            Column("pickers", "INTEGER", "times that the platform's picker was shown"),
            Column(
                "codes", "TEXT",
                "advanced codes of the SDK (VSA403) and errors of the platform (VSError-2)"),
            Column("silent_relogins", "INTEGER", "sign-ins by the account still on the device"),
            Column("diversion", "TEXT", "why it left the path that its kind asks for"),
            Column(
                "abandoned_by", "TEXT",
                "what ended an abandoned one: viewer (the rig drew it), service or run"),
        ], replaces: true)

    static let events = Table(
        name: "events",
        note: "something that happened on a device and is no exchange: a callback of the SDK, a "
            + "dialog of the platform",
        columns: [
            Column("household", "INTEGER NOT NULL", "number of the household"),
            Column("sequence", "INTEGER NOT NULL", "counts events of the household from 1"),
            Column("device", "TEXT NOT NULL", "tv, phone, phone-2 ..."),
            Column("at_ns", "INTEGER NOT NULL", "when, in nanoseconds since the run began"),
            Column("name", "TEXT NOT NULL", "what"),
            Column("detail", "TEXT NOT NULL", "its arguments"),
        ], constraint: "PRIMARY KEY (household, sequence)", replaces: true)

    static let cells = Table(
        name: "cells",
        note: "one operation of one kind of household in one second, counted over all exchanges",
        columns: [
            Column("second", "INTEGER NOT NULL", "second of the run"),
            Column("operation", "TEXT NOT NULL", "the operation"),
            Column("kind", "INTEGER NOT NULL", "position of the kind in meta's kinds"),
            Column("sent", "INTEGER NOT NULL", "sent in this second"),
            Column("completed", "INTEGER NOT NULL", "answered in this second, whichever answer"),
            Column("errors", "INTEGER NOT NULL", "ended in this second as an error"),
            Column("outcomes", "TEXT NOT NULL", "JSON: ended in this second, by outcome"),
            Column("statuses", "TEXT NOT NULL", "JSON: answered in this second, by HTTP status"),
            Column("latency", "BLOB NOT NULL", "histogram of ended - planned"),
            Column("service", "BLOB NOT NULL", "histogram of ended - sent"),
            Column("lateness", "BLOB NOT NULL", "histogram of sent - planned"),
        ], constraint: "PRIMARY KEY (second, operation, kind)", replaces: true)

    static let errors = Table(
        name: "errors", note: "errors that look the same, counted over all exchanges",
        columns: [
            Column("operation", "TEXT NOT NULL", "the operation"),
            Column("outcome", "TEXT NOT NULL", "the outcome"),
            Column("status", "INTEGER NOT NULL", "HTTP status; 0 without an answer"),
            Column("reason", "TEXT NOT NULL", "the service's word, or kind of transport error"),
            Column("count", "INTEGER NOT NULL", "how many"),
            Column("first_ns", "INTEGER NOT NULL", "end of the first"),
            Column("last_ns", "INTEGER NOT NULL", "end of the last"),
            Column("example", "INTEGER", "id of the first in exchanges"),
        ], constraint: "PRIMARY KEY (operation, outcome, status, reason)", replaces: true)

    static let health = Table(
        name: "health", note: "what a lane measured of itself over an interval",
        columns: [
            Column("lane", "INTEGER NOT NULL", "the lane"),
            Column("from_ns", "INTEGER NOT NULL", "beginning of the interval"),
            Column("through_ns", "INTEGER NOT NULL", "its end"),
            Column("turns", "INTEGER NOT NULL", "turns of its loop"),
            Column("busy_ns", "INTEGER NOT NULL", "time in turns, that is not waiting"),
            Column("longest_turn_ns", "INTEGER NOT NULL", "the longest turn"),
        ])

    static let watermarks = Table(
        name: "watermarks",
        note: "written at least every second: until when everything was on disk",
        columns: [
            Column("id", "INTEGER PRIMARY KEY", "counts them"),
            Column("through_ns", "INTEGER NOT NULL", "what ended before this is in the file"),
            Column("exchanges", "INTEGER NOT NULL", "exchanges counted so far"),
        ])
}
