import Checker
import Foundation
import GRDB

@testable import Journal
@testable import Reports
@testable import Trends

extension Reader {
    /// Input: rows of a `history.sqlite`, as `HistoryRows` spells them. What can be opened is judged
    /// again, reported, exported and compared.
    static let history = Reader("history", limit: 16_384) { bytes in
        do {
            let path = try HistoryRows.file(String(decoding: bytes, as: UTF8.self))
            let history = try History(path: path)
            let findings = try Findings(rejudging: history)
            for (name, text) in try Report.texts(history, thresholds: [], findings: findings)
            where text.isEmpty {
                return "\(name) is empty"
            }
            var households: [Int] = []
            try history.households { households.append($0.household) }
            for household in households.prefix(2) {
                let export = try Export(history, household: household)
                for format in Export.Format.allCases { _ = export.text(as: format) }
            }
            let run = try ComparedRun(history)
            _ = Comparison(run, run, draws: 2)
            return nil
        } catch {
            return "\(error)".isEmpty ? "an error without words" : nil
        }
    }
}

/// Rows of a history as text, one a line: `TABLE|VALUE|VALUE...`. A value is empty for NULL, begins
/// with `'` for a text, with `#` for a blob in hexadecimal, and is a number otherwise; in texts, `\n`,
/// `\p` and `\\` stand for a line end, a bar and a backslash. Facts of `meta` that no row names have
/// values with which a file can be opened.
enum HistoryRows {
    /// Writes a file of these rows, in the place of the one before. Columns have neither keys nor
    /// `NOT NULL`: a file from elsewhere need not have them.
    static func file(_ text: String) throws -> String {
        try? FileManager.default.removeItem(atPath: path)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { database in
            for table in HistorySchema.all {
                let columns = table.columns.map { column in
                    "\(column.name) \(column.type.prefix { $0 != " " })"
                }
                try database.execute(
                    sql: "CREATE TABLE \(table.name) (\(columns.joined(separator: ", ")))")
            }
            for line in text.split(separator: "\n") { try insert(line, into: database) }
            for (key, value) in facts.sorted(by: { $0.key < $1.key }) {
                try database.execute(
                    sql: "INSERT INTO meta VALUES (?, ?)", arguments: [key, value])
            }
        }
        try database.close()
        return path
    }

    private static let path = FileManager.default.temporaryDirectory
        .appending(path: "screenrig-fuzz-\(getpid()).sqlite").path

    private static let configuration = {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        }
        return configuration
    }()

    /// The first fact of a name counts, so these stand last.
    private static let facts = [
        "schema": HistorySchema.version, "recording": "all", "run": "fuzz", "rig_name": "fuzz",
        "rig_source": "rig: fuzz\n", "seed": "1", "started_us": "1763708400000000",
        "target": "embedded", "protocol": "adobe-pass-v1", "version": "0", "virtual": "false",
        "lanes": "1", "kinds": "[\"living room\"]", "load": "once", "thresholds": "[]",
        "valid_lateness_ns": "50000000", "valid_busy": "0.8", "breach_fails": "true",
        "ended_ns": "2000000000", "interrupted": "false", "failure": "", "cpu_percent": "12.5",
        "history_hash": "",
    ]

    private static func insert(_ line: Substring, into database: Database) throws {
        let parts = line.split(separator: "|", omittingEmptySubsequences: false)
        guard let table = HistorySchema.all.first(where: { $0.name == parts[0] }) else { return }
        var values = parts.dropFirst().prefix(table.columns.count).map(value)
        while values.count < table.columns.count { values.append(.null) }
        let marks = values.map { _ in "?" }.joined(separator: ", ")
        try database.cachedStatement(sql: "INSERT INTO \(table.name) VALUES (\(marks))")
            .execute(arguments: StatementArguments(values))
    }

    private static func value(_ text: Substring) -> DatabaseValue {
        switch text.first {
        case nil: .null
        case "'": unescaped(text.dropFirst()).databaseValue
        case "#": Data(blob(text.dropFirst())).databaseValue
        default: Int64(text)?.databaseValue ?? Double(text)?.databaseValue ?? .null
        }
    }

    private static func unescaped(_ text: Substring) -> String {
        guard text.contains("\\") else { return String(text) }
        var result = ""
        var isEscaped = false
        for character in text {
            switch character {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "n" where isEscaped: result += "\n"
            case "p" where isEscaped: result += "|"
            default: result.append(character)
            }
            isEscaped = false
        }
        return result
    }

    private static func blob(_ text: Substring) -> [UInt8] {
        let digits = Array(text.utf8.prefix { $0 != UInt8(ascii: "|") })
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { position in
            UInt8(String(decoding: digits[position..<position + 2], as: UTF8.self), radix: 16)
        }
    }
}
