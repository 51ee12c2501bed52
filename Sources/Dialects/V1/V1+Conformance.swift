internal import Formats
internal import Vocabulary

/// Holds an answer against the table of rest-v1.md.
extension V1 {
    static let table = ConformanceTable(
        page: "REST V1", rows: conformance, anywhere: anywhere,
        // A16: one table allows 412 in places, the other does not.
        disputed: [412], classic: classic, enhanced: enhanced, knowsXML: true)

    /// The row of a call. N3 as a poll target is N3 (rest-v1.md § 15), L2 is L1's GET; the hops after
    /// N1 have none (observed.md: 302, a form that posts itself, a meta refresh), nor has a question of
    /// that kind to anything but N3 (`calibrate`).
    static func row(of call: Call) -> ConformanceRow? {
        switch call.operation {
        case .pollToken where isCheck(call):
            table.rows(of: .checkAuthentication).first
        case .authenticate where !startsLogin(call): nil
        case .checkAuthentication where !isCheck(call): nil
        case .logout where call.method == .get: table.rows(of: .logout).last
        default: table.rows(of: call.operation).first
        }
    }

    /// A poll that asks N3, with or without a format at the end of its path (§ 3.3).
    static func isCheck(_ call: Call) -> Bool {
        checkPaths.contains { call.address.hasPath(endingWith: $0) }
    }

    private static let checkPaths = ["/checkauthn", "/checkauthn.json", "/checkauthn.xml"]

    func deviations(of reply: Reply, to call: Call) -> [Deviation] {
        deviations(of: ReplyDocument(reply), to: call)
    }

    func deviations(of document: ReplyDocument, to call: Call) -> [Deviation] {
        if Self.isPlainError(document) { return [] }
        let row = Self.row(of: call)
        let found = Self.table.deviations(of: document, to: call, row)
        guard let row else { return found }
        return found + echoes(of: document, to: call, row.page)
    }

    /// The commonest answer of all, the "not yet" of a poll in its documented spelling, and its
    /// kind: known to be right without being read.
    private static func isPlainError(_ document: ReplyDocument) -> Bool {
        let reply = document.reply
        guard reply.body.count == plainPoll.count, reply.status == 404 else { return false }
        return reply.body == plainPoll && document.mediaType == .json
    }

    private static let plainPoll = Array(#"{"status":404,"message":"Not Found"}"#.utf8)
}
