internal import Vocabulary

/// What a protocol's page says of the answers to all of its operations.
final class ConformanceTable: Sendable {
    /// `REST V1`.
    let page: String
    /// What any endpoint may give.
    let anywhere: [ConformanceRow.ExpectedReply]
    /// Statuses that one part of the page allows where another does not: told as readings.
    let disputed: [Int]
    /// Errors without a code of their own, in protocols that have them.
    let classic: [ConformanceField]?
    let enhanced: [ConformanceField]
    let knowsXML: Bool
    /// The rows by operation, so that a poll need not search.
    private let byOperation: [[ConformanceRow]]

    init(
        page: String, rows: [ConformanceRow], anywhere: [ConformanceRow.ExpectedReply],
        disputed: [Int], classic: [ConformanceField]? = nil, enhanced: [ConformanceField],
        knowsXML: Bool = false
    ) {
        self.page = page
        self.anywhere = anywhere
        self.disputed = disputed
        self.classic = classic
        self.enhanced = enhanced
        self.knowsXML = knowsXML
        byOperation = OperationName.allCases.map { operation in
            rows.filter { $0.operation == operation }
        }
    }

    /// What documents are written in.
    var spelling: String { knowsXML ? "JSON or XML" : "JSON" }

    func rows(of operation: OperationName) -> [ConformanceRow] {
        byOperation[Int(operation.rawValue)]
    }

    /// Holds an answer against `row`; nil: the page has none for the call. The device itself is lenient;
    /// what it overlooks is noted here, and only where the page speaks: unknown fields are no deviation.
    func deviations(
        of document: ReplyDocument, to call: Call, _ row: ConformanceRow?
    ) -> [Deviation] {
        let reply = document.reply
        // It may be a gateway's, of which no page speaks: a 429 is no evidence, whatever its form.
        if reply.status == 429 { return [] }
        if reply.isServerFailure, reply.status < 600 { return [] }
        guard let row else { return [] }
        guard let expected = expected(document, row) else {
            let listed = row.answers.map { String($0.status) }.joined(separator: ", ")
            return [
                Deviation(
                    rule: "\(page), \(row.page): \(call.operation.name) answers \(listed)",
                    found: "status \(reply.status)",
                    source: disputed.contains(reply.status)
                        ? .reading : row.source(ofOther: reply.status))
            ]
        }
        return ConformanceJudge(table: self, row: row, source: document).deviations(from: expected)
    }

    private func expected(
        _ document: ReplyDocument, _ row: ConformanceRow
    ) -> ConformanceRow.ExpectedReply? {
        let status = document.reply.status
        if let own = row.answers.first(where: { $0.status == status }) { return own }
        if let any = anywhere.first(where: { $0.status == status }) { return any }
        // rest-v1.md § 5 [old]: the client is no longer known.
        let isUnknownClient =
            status == 403 && !document.isXML
            && document.read()?["error"]?.text == "invalid_client"
        return isUnknownClient ? .init(403, .error, .reading) : nil
    }
}
