internal import Dialects
internal import GRDB

extension HistorySchema {
    static let messages = Table(
        name: "messages",
        note:
            "a request and its reply, every secret a fingerprint: of households with a violation, "
            + "of the first error of each sort, and of the first household of each kind",
        columns: [
            Column("household", "INTEGER NOT NULL", "number of the household"),
            Column("sequence", "INTEGER NOT NULL", "of the exchange, within its household"),
            Column("method", "TEXT NOT NULL", "GET, POST or DELETE"),
            Column("url", "TEXT NOT NULL", "the address"),
            Column("request_headers", "TEXT NOT NULL", "JSON: names and values, in their order"),
            Column("request_body", "TEXT NOT NULL", "as text; at most 16 KB"),
            Column("status", "INTEGER", "HTTP status; NULL when no reply came"),
            Column("response_headers", "TEXT NOT NULL", "JSON: names and values, in their order"),
            Column("response_body", "TEXT NOT NULL", "as text; at most 16 KB"),
        ], constraint: "PRIMARY KEY (household, sequence)", replaces: true)
}

extension KeptMessage {
    var row: [Field] {
        [
            Field(household), Field(sequence), .text(method), Field(url),
            Field(FlatJSON.object(requestHeaders)), Field(requestBody), Field(status),
            Field(FlatJSON.object(responseHeaders)), Field(responseBody),
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
