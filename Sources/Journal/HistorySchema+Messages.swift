internal import Dialects
internal import GRDB

extension HistorySchema {
    static let messages = SchemaTable(
        name: "messages",
        note:
            "a request and its response, with secrets as fingerprints: of households with a violation, "
            + "of the first error of each sort, and of the first household of each kind",
        columns: [
            SchemaColumn("household", "INTEGER NOT NULL", "number of the household"),
            SchemaColumn(
                "sequence", "INTEGER NOT NULL", "number of the exchange within its household"),
            SchemaColumn("method", "TEXT NOT NULL", "GET, POST or DELETE"),
            SchemaColumn("url", "TEXT NOT NULL", "URL"),
            SchemaColumn(
                "request_headers", "TEXT NOT NULL", "JSON: names and values, in order"),
            SchemaColumn("request_body", "TEXT NOT NULL", "as text; at most 16 KB"),
            SchemaColumn("status", "INTEGER", "HTTP status; NULL without a response"),
            SchemaColumn(
                "response_headers", "TEXT NOT NULL", "JSON: names and values, in order"),
            SchemaColumn("response_body", "TEXT NOT NULL", "as text; at most 16 KB"),
        ], constraint: "PRIMARY KEY (household, sequence)", replaces: true)
}

extension KeptMessage {
    var row: [ColumnValue] {
        [
            ColumnValue(household), ColumnValue(sequence), .text(method), ColumnValue(url),
            ColumnValue(FlatJSON.object(requestHeaders)), ColumnValue(requestBody),
            ColumnValue(status),
            ColumnValue(FlatJSON.object(responseHeaders)), ColumnValue(responseBody),
        ]
    }

    init?(_ columns: inout Columns) {
        guard let household = columns.int(), let sequence = columns.int(),
            let method = columns.text(), Method(rawValue: method) != nil,
            let url = columns.text(), let requestHeaders = columns.headers(),
            let requestBody = columns.text()
        else { return nil }
        let status = columns.int()
        guard let responseHeaders = columns.headers(), let responseBody = columns.text() else {
            return nil
        }
        self.init(
            household: household, sequence: sequence, method: method, url: url,
            requestHeaders: requestHeaders, requestBody: requestBody, status: status,
            responseHeaders: responseHeaders, responseBody: responseBody)
    }
}

extension Columns {
    mutating func headers() -> Headers? {
        text().flatMap(FlatJSON.readObject).map { pairs in
            Headers(
                pairs.compactMap { pair in
                    if case .text(let value) = pair.value {
                        Headers.Field(pair.name, value)
                    } else {
                        nil
                    }
                })
        }
    }
}
