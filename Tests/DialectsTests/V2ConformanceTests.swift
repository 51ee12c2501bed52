import Formats
import Testing
import Vocabulary

@testable import Dialects

/// The table of rest-v2.md § 2. What the rows cannot say is tested with the readings.
@Suite("The conformance table of V2")
struct V2ConformanceTests {
    private static let dialect = V2ReadingTests.dialect
    static let rows = V2.conformance

    private static func json(_ status: Int, _ tree: JSON) -> Reply {
        Reply(
            status: status, headers: ["Content-Type": "application/json;charset=UTF-8"],
            body: Array(tree.json.utf8))
    }

    private static func judged(
        _ row: ConformanceRow, _ expected: ConformanceRow.ExpectedReply, _ reply: Reply
    ) -> [Deviation] {
        ConformanceJudge(table: V2.table, row: row, source: ReplyDocument(reply))
            .deviations(from: expected)
    }

    private static func deviations(_ row: ConformanceRow, _ reply: Reply) -> [Deviation] {
        let path = row.operation == .authenticate ? "/api/v2/authenticate/DEMOTV/K3T9ZQ1" : "/x"
        let target = WebAddress(origin: dialect.origin, target: path)
        return dialect.read(reply, to: Call(row.operation, .get, target)).deviations
    }

    @Test("every operation of § 2 has a row, and every row a page")
    func complete() {
        let own = OperationName.allCases.filter { operation in
            Self.rows.contains { $0.operation == operation }
        }
        #expect(
            own == [
                .registerClient, .accessToken, .configuration, .authenticate, .assertion,
                .preauthorize, .authorize, .logout, .createSession, .resumeSession,
                .sessionByCode, .profiles, .profilesByMVPD, .profilesByCode, .partnerRequest,
                .ssoProfile,
            ])
        #expect(Self.rows.allSatisfy { !$0.page.isEmpty && !$0.answers.isEmpty })
        #expect(Set(Self.rows.map(\.page)).count == Self.rows.count)
    }

    @Test("a 408 or 5xx is never a deviation, whatever it carries", arguments: Self.rows)
    func serverErrors(row: ConformanceRow) {
        for status in [408, 500, 501, 502, 503, 504, 599] {
            let page = Reply(
                status: status, headers: ["Content-Type": "text/html"],
                body: Array("<html>Bad Gateway</html>".utf8))
            for reply in [Reply(status: status), page, Self.json(status, .grantError)] {
                #expect(Self.deviations(row, reply).isEmpty, "\(row.page): \(status)")
            }
        }
    }

    @Test("an answer with every field, and more, does not deviate", arguments: Self.rows)
    func full(row: ConformanceRow) {
        for expected in row.answers {
            let reply: Reply
            switch expected.content {
            case .json(let fields):
                reply = Self.json(expected.status, JSON.sample(fields, and: true))
            case .location: reply = Reply(status: expected.status, headers: ["Location": "/next"])
            case .page, .errorOrPage, .anything:
                reply = Reply(status: expected.status, headers: ["Content-Type": "text/html"])
            case .error:
                let error = JSON.sample(V2.enhanced)
                reply = Self.json(
                    expected.status,
                    error.replacing("status", by: .number("\(expected.status)")))
            default:
                Issue.record("no row of V2 has such an answer")
                return
            }
            #expect(Self.judged(row, expected, reply) == [], "\(row.page) \(expected.status)")
        }
    }

    @Test("each required field is missed", arguments: Self.rows)
    func missing(row: ConformanceRow) {
        for expected in row.answers {
            for (path, field) in ConformanceField.all(in: expected.content)
            where field.presence == .always {
                let whole = JSON.sample(ConformanceField.top(of: expected.content))
                let reply = Self.json(expected.status, whole.replacing(path, by: nil))
                let found = Self.judged(row, expected, reply)
                #expect(found.map(\.rule) == ["REST V2, \(row.page): \(path) is present"])
                #expect(found.first?.source == field.source)
            }
        }
    }

    @Test("a field under nearly its name is told beside the one that is missing")
    func lookalike() throws {
        let row = try #require(Self.rows.first { $0.operation == .registerClient })
        let expected = try #require(row.answers.first { $0.status == 201 })
        let whole = JSON.sample(ConformanceField.top(of: expected.content))
        let client = whole.replacing("client_id", by: nil).json
        let body = #"{"clientId":"x","# + client.dropFirst()
        let reply = Reply(
            status: 201, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
        let found = Self.judged(row, expected, reply)
        #expect(found.map(\.found) == ["missing; 'clientId' is there"])
    }

    @Test("each mistyped field is found, also one that need not be there", arguments: Self.rows)
    func mistyped(row: ConformanceRow) {
        for expected in row.answers {
            for (path, field) in ConformanceField.all(in: expected.content) {
                switch field.kind {
                case .number, .anything: continue
                default: break
                }
                let whole = JSON.sample(ConformanceField.top(of: expected.content), and: true)
                let reply = Self.json(
                    expected.status, whole.replacing(path, by: .number("-1.5")))
                let found = Self.judged(row, expected, reply)
                #expect(
                    found.map(\.rule)
                        == ["REST V2, \(row.page): \(path) is \(field.kind.wanted)"])
            }
        }
    }

    @Test("an undocumented status is found, with the source of the rule", arguments: Self.rows)
    func statuses(row: ConformanceRow) {
        let known = Set((row.answers + V2.anywhere).map(\.status))
        for status in [200, 201, 202, 204, 302, 403, 404, 409, 410, 412, 418]
        where !known.contains(status) {
            let found = V2.table.deviations(
                of: ReplyDocument(Self.json(status, JSON.sample(V2.enhanced))),
                to: Call(row.operation, .get, WebAddress(origin: Self.dialect.origin, target: "/")),
                row)
            #expect(found.map(\.found) == ["status \(status)"], "\(row.page)")
            let isDisputed = [403, 404, 410, 412].contains(status)
            #expect(found.first?.source == (isDisputed ? .reading : row.others))
        }
    }

    @Test("errors are enhanced; a trace may be missing (§ 12.1)")
    func errors() {
        guard let row = Self.rows.first(where: { $0.page == "Z2" }) else { return }
        func found(_ body: String, _ status: Int = 403) -> [String] {
            Self.deviations(
                row,
                Reply(
                    status: status, headers: ["Content-Type": "application/json"],
                    body: Array(body.utf8))
            ).map(\.description)
        }
        #expect(
            found(
                #"{"action":"none","status":403,"code":"c","message":"m","helpUrl":"u"}"#) == [])
        #expect(
            found(#"{"action":"none","status":403,"code":"c","message":"m"}"#)
                == ["REST V2, Z2: helpUrl is present: missing"])
        #expect(
            found(#"{"status":403,"message":"m","helpUrl":"u"}"#) == [
                "REST V2, Z2: action is present: missing",
                "REST V2, Z2: code is present: missing",
            ])
        #expect(found("", 401) == [])
        #expect(found("nonsense") == ["REST V2, Z2: the body is JSON: no JSON"])
    }

    @Test("a 429 is no evidence, whoever answers it and in whatever form (§ 13)")
    func throttling() {
        guard let row = Self.rows.first(where: { $0.page == "P3" }) else { return }
        let page = Reply(status: 429, headers: ["Content-Type": "text/html"], body: [60])
        let gateway = Reply(
            status: 429, headers: ["Content-Type": "application/json", "Retry-After": "3600"])
        for reply in [page, gateway] { #expect(Self.deviations(row, reply) == []) }
    }
}
