import Formats
import Testing
import Vocabulary

@testable import Dialects

/// The table of rest-v1.md § 2, and that each kind of deviation from it is found.
@Suite("The conformance table")
struct ConformanceTests {
    private static let dialect = V1(
        origin: Origin(scheme: .http, host: "127.0.0.1", port: 80), requestor: "DEMOTV",
        domain: "demo.test", redirectURL: "https://demo.test/done")

    private static func call(_ row: ConformanceRow) -> Call {
        let method: Method = row.page == "L2" ? .get : row.page == "L1" ? .delete : .post
        let path =
            switch row.operation {
            case .authenticate: "/api/v1/authenticate"
            case .checkAuthentication: "/api/v1/checkauthn"
            default: "/x"
            }
        return Call(row.operation, method, WebAddress(origin: dialect.origin, target: path))
    }

    private static func deviations(_ row: ConformanceRow, _ reply: Reply) -> [Deviation] {
        dialect.read(reply, to: call(row)).deviations
    }

    private static func json(_ status: Int, _ tree: JSON) -> Reply {
        Reply(
            status: status, headers: ["Content-Type": "application/json;charset=utf-8"],
            body: Array(tree.json.utf8))
    }

    static let rows = V1.conformance

    @Test("every operation that goes to the service has a row, and every row a page")
    func complete() {
        let without = OperationName.allCases.filter { operation in
            !Self.rows.contains { $0.operation == operation }
        }
        // The provider's pages, the connection and another edition's operations are not the protocol's.
        #expect(
            without == [
                .mvpdLogin, .createSession, .resumeSession, .sessionByCode, .profiles,
                .profilesByMVPD, .profilesByCode, .partnerRequest, .ssoProfile, .mvpdLogout,
                .serverMetadata, .deviceAuthorization, .verificationPage, .approval, .refusal,
                .deviceToken, .refreshToken, .userinfo, .revocation, .otherClientToken,
                .otherClientRefresh, .otherClientRevocation, .connect, .tls,
            ])
        #expect(Self.rows.allSatisfy { !$0.page.isEmpty && !$0.answers.isEmpty })
        #expect(Set(Self.rows.map(\.page)).count == Self.rows.count)
    }

    /// RFC 9110, 15.6: any server may fail at any request. It counts as an error, whatever its body.
    @Test("a 408 or 5xx is never a deviation, whatever it carries", arguments: Self.rows)
    func serverErrors(row: ConformanceRow) {
        for status in [408, 500, 501, 502, 503, 504, 599] {
            let replies = [
                Reply(status: status, headers: [:], body: []),
                Reply(
                    status: status, headers: ["Content-Type": "text/html"],
                    body: Array("<html>Bad Gateway</html>".utf8)),
                Self.json(
                    status, .object([JSON.Member(name: "status", value: .string("no number"))])),
            ]
            for reply in replies {
                #expect(Self.deviations(row, reply).isEmpty, "\(row.page): \(status)")
            }
        }
    }

    @Test("an answer with every field, and more, does not deviate", arguments: Self.rows)
    func full(row: ConformanceRow) {
        for expected in row.answers {
            switch expected.content {
            case .document(let fields), .json(let fields):
                let tree = JSON.sample(fields, and: true)
                #expect(
                    Self.deviations(row, Self.json(expected.status, tree)) == [], "\(tree.json)")
            case .none: #expect(Self.deviations(row, Reply(status: expected.status)) == [])
            case .location:
                let reply = Reply(status: expected.status, headers: ["Location": "/next"])
                #expect(Self.deviations(row, reply) == [])
            case .page, .anything: Issue.record("no row of V1 has such an answer")
            case .bytes:
                let type: Headers = ["Content-Type": "application/octet-stream"]
                let reply = Reply(status: expected.status, headers: type, body: [1, 2, 3])
                #expect(V1.judged(row, reply) == [])
            case .error, .errorOrPage:
                for error in [JSON.sample(V1.classic), .sample(V1.enhanced), .grantError] {
                    let error = error.replacing("status", by: .number("\(expected.status)"))
                    #expect(Self.deviations(row, Self.json(expected.status, error)) == [])
                }
            }
        }
    }

    @Test(
        "what real services were seen to answer is no deviation (observed.md)",
        arguments: Recorded.all)
    func recorded(answer: Recorded) {
        var headers = Headers()
        if !answer.type.isEmpty { headers.append("Content-Type", answer.type) }
        let reply = Reply(status: answer.status, headers: headers, body: Array(answer.body.utf8))
        let target = WebAddress(origin: Self.dialect.origin, target: answer.path)
        let reading = Self.dialect.read(reply, to: Call(answer.operation, .get, target))
        #expect(reading.deviations == [])
        #expect(reading.outcome == answer.outcome)
    }

    @Test("a provider's redirect that leads nowhere is no breach of the service's")
    func provider() {
        for (operation, path) in [(OperationName.mvpdLogin, "/idp"), (.assertion, "/sp/saml/x")] {
            let target = WebAddress(origin: Self.dialect.origin, target: path)
            let reading = Self.dialect.read(
                Reply(status: 302), to: Call(operation, .get, target))
            #expect(reading.outcome == .malformed)
            #expect(reading.deviations.isEmpty == (operation == .mvpdLogin))
        }
    }

    @Test("each required field is missed", arguments: Self.rows)
    func missing(row: ConformanceRow) {
        for expected in row.answers {
            for (path, field) in ConformanceField.all(in: expected.content) {
                let whole = JSON.sample(ConformanceField.top(of: expected.content))
                guard field.presence == .always || field.presence == .inJSON else { continue }
                let reply = Self.json(expected.status, whole.replacing(path, by: nil))
                let found = Self.deviations(row, reply)
                #expect(found.count == 1, "\(path): \(found)")
                #expect(found.first?.rule == "REST V1, \(row.page): \(path) is present")
                #expect(found.first?.found == "missing")
                #expect(found.first?.source == field.source)
            }
        }
    }

    @Test("each mistyped field is found, also one that need not be there", arguments: Self.rows)
    func mistyped(row: ConformanceRow) {
        for expected in row.answers {
            for (path, field) in ConformanceField.all(in: expected.content) {
                let whole = JSON.sample(ConformanceField.top(of: expected.content), and: true)
                let wrong = JSON.number("-1.5")
                if case .number = field.kind { continue }
                let found = Self.deviations(
                    row, Self.json(expected.status, whole.replacing(path, by: wrong)))
                #expect(found.count == 1, "\(path): \(found)")
                #expect(
                    found.first?.rule
                        == "REST V1, \(row.page): \(path) is \(field.kind.wanted)")
                #expect(found.first?.found == "a number")
            }
        }
    }

    @Test(
        "a field's text is looked at where the page says how it is spelled",
        arguments: [
            (.code, "ABCDE"), (.code, "abcdefg"), (.code, "ABCDEFGH"), (.code, "ABC-EF"),
            (.identifier, ""), (.epoch, ""), (.epoch, "12a"), (.base64, "not base64!"),
            (.base64, ""),
            (.word(["SUPPORTED", "PICKER"]), "supported"), (.number, "12"), (.flag, "true"),
        ] as [(ConformanceField.Kind, String)])
    func spelled(kind: ConformanceField.Kind, text: String) {
        let row = ConformanceRow(page: "X", operation: .pollToken, answers: [])
        let fields = [ConformanceField.required("f", kind)]
        let tree = JSON.object([JSON.Member(name: "f", value: .string(text))])
        let judge = ConformanceJudge(
            table: V1.table, row: row, source: ReplyDocument(Self.json(200, tree)))
        let found = judge.deviations(from: .init(200, .document(fields)))
        #expect(found.map(\.rule) == ["REST V1, X: f is \(kind.wanted)"])
    }

    @Test("an undocumented status is found, with the source of the rule", arguments: Self.rows)
    func statuses(row: ConformanceRow) {
        let all = [200, 201, 202, 204, 302, 400, 401, 403, 404, 405, 409, 410, 412, 418]
        let known = Set((row.answers + V1.anywhere).map(\.status))
        for status in all where !known.contains(status) {
            let reply = Self.json(status, JSON.sample(V1.classic))
            let found = V1.judged(row, reply)
            #expect(found.map(\.found) == ["status \(status)"])
            #expect(found.first?.rule.hasPrefix("REST V1, \(row.page): ") == true)
            let ownsRefusals = ["R2", "R3", "C1", "L2"].contains(row.page) && status >= 400
            #expect(
                found.first?.source
                    == (status == 412 ? .reading : ownsRefusals ? .own : row.others))
        }
    }

    @Test("a wrong content type is found, and one that does not fit the body")
    func types() {
        let row = Self.rows.first { $0.page == "N4" }
        guard let row, case .document(let fields) = row.answers[0].content else { return }
        var reply = Self.json(200, JSON.sample(fields))
        reply.headers = ["Content-Type": "text/plain"]
        #expect(Self.deviations(row, reply).map(\.found) == ["text/plain"])
        reply.headers = [:]
        #expect(Self.deviations(row, reply).map(\.found) == ["none"])
        reply.headers = ["Content-Type": "application/xml"]
        #expect(Self.deviations(row, reply).map(\.source) == [.reading])
        #expect(Self.deviations(row, reply).map(\.found) == ["JSON"])
        let register = Self.rows.first { $0.operation == .registerClient }
        guard let register, case .json(let client) = register.answers[0].content else { return }
        var answer = Self.json(201, JSON.sample(client))
        answer.headers = ["Content-Type": "application/xml"]
        #expect(Self.deviations(register, answer).map(\.found) == ["application/xml"])
    }

    @Test("errors: classic, enhanced, of registration; and none of them")
    func errors() {
        guard let row = Self.rows.first(where: { $0.page == "Z3" }) else { return }
        func found(_ body: String, _ status: Int = 403) -> [String] {
            Self.deviations(
                row,
                Reply(
                    status: status, headers: ["Content-Type": "application/json"],
                    body: Array(body.utf8))
            ).map(\.description)
        }
        #expect(found(#"{"status":403,"message":"User not authorized","details":null}"#) == [])
        #expect(found(#"{"error":"invalid_client"}"#) == [])
        #expect(
            found(#"{"status":403}"#) == ["REST V1, Z3: message is present: missing"])
        #expect(
            found(#"{"status":403,"message":null}"#)
                == ["REST V1, Z3: message is present: null"])
        #expect(
            found(#"{"status":"403","message":"m"}"#)
                == ["REST V1, Z3: status is a number: a string"])
        #expect(
            found(#"{"status":404,"message":"m"}"#)
                == ["REST V1, Z3: the status of an error is that of the answer: 404"])
        #expect(
            found(
                #"{"action":"panic","status":403,"code":"c","message":"m","helpUrl":"u","trace":"t"}"#
            ).first?.hasPrefix("REST V1, Z3: action is one of none") == true)
        #expect(
            found(#"{"action":"none","status":403,"code":"c","message":"m","trace":"t"}"#)
                == ["REST V1, Z3: helpUrl is present: missing"])
        #expect(found("") == ["REST V1, Z3: an error has a body: none"])
        #expect(found("nonsense") == ["REST V1, Z3: the body is JSON or XML: neither"])
    }

    @Test("a 429 is no evidence, whoever answers it and in whatever form (§ 14)")
    func throttling() {
        guard let row = Self.rows.first(where: { $0.page == "N4" }) else { return }
        let page = Reply(status: 429, headers: ["Content-Type": "text/html"], body: [60])
        let gateway = Reply(
            status: 429, headers: ["Content-Type": "application/json", "Retry-After": "3600"])
        for reply in [page, gateway] { #expect(Self.deviations(row, reply) == []) }
    }

    @Test("XML is judged by the same rows: all is text, lists repeat, the root may be the list")
    func xml() {
        func found(_ page: String, _ status: Int, _ body: String) -> [String] {
            guard let row = Self.rows.first(where: { $0.page == page }) else { return ["no row"] }
            let type: Headers = ["Content-Type": "application/xml;charset=utf-8"]
            return Self.deviations(
                row, Reply(status: status, headers: type, body: Array(body.utf8))
            ).map(\.description)
        }
        let token =
            "<authentication><expires>1767776000000</expires><userId>u</userId><mvpd>m</mvpd>"
            + "<requestor>DEMOTV</requestor></authentication>"
        #expect(found("N4", 200, token) == [])
        #expect(
            found("N4", 200, token.replacing("1767776000000", with: "soon"))
                == [
                    "REST V1, N4: expires is a number of milliseconds, also as a string: a string"
                ])
        #expect(
            found("N4", 200, token.replacing("<userId>u</userId>", with: ""))
                == ["REST V1, N4: userId is present: missing"])
        let list =
            "<resources><resource><id>a</id><authorized>true</authorized></resource>"
            + "<resource><id>b</id><authorized>false</authorized></resource></resources>"
        #expect(found("Z1", 200, list) == [])
        #expect(
            found("Z1", 200, list.replacing("false", with: "perhaps"))
                == ["REST V1, Z1: resources.authorized is true or false: a string"])
        #expect(
            found("N4", 404, "<error><status>404</status><message>Not found</message></error>")
                == [])
        #expect(
            found("N4", 200, "<authentication>") == [
                "REST V1, N4: the body is JSON or XML: neither"
            ])
    }
}

/// An answer of a real service, as observed.md records it.
struct Recorded: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var operation: OperationName
    var path = "/x"
    var status: Int
    var type = "application/json"
    var body: String
    var outcome = Outcome.ok

    private static let older =
        #""info":{"deviceId":"dmQx","deviceType":null,"deviceUser":null,"appId":null,"#
        + #""appVersion":null,"registrationURL":null}"#
    private static let page = "<html><body onload='document.forms[0].submit()'><form method=post"

    private static func record(_ id: String, _ info: String) -> String {
        #"{"id":"\#(id)","code":"TJJCFK","requestor":"DEMOTV","mvpd":null,"generated":1466208969000,"#
            + #""expires":1466210769000,\#(info)}"#
    }

    static let all: [Recorded] =
        [
            "22fe236f-5a57198b-8ef1-4594-83ec-7bc19583ce95",
            "678f9fea-9d364b29-246c-488f-b97e-298566d1b9e0",
            "4b1f6a0e-52c3-4d1e-9a77-0d6c1c9e2f31",
        ].map { id in
            Recorded(
                testDescription: "R1, id \(id)", operation: .registrationCode, status: 201,
                body: record(id, #""info":{"deviceId":"dmQx","deviceInfo":"e30="}"#))
        } + [
            Recorded(
                testDescription: "R1, older info", operation: .registrationCode, status: 201,
                body: record("4b1f6a0e-52c3-4d1e-9a77-0d6c1c9e2f31", older)),
            Recorded(
                testDescription: "R2, older info", operation: .registrationRecord, status: 200,
                body: record("678f9fea-9d364b29-246c-488f-b97e-298566d1b9e0", older)),
            Recorded(
                testDescription: "hop 2 of N1, a form that posts itself", operation: .authenticate,
                path: "/adobe-services/authenticate/saml?mso_id=x", status: 200, type: "text/html",
                body: page + "><input type=hidden name=SAMLRequest value=x></form></body></html>"),
            Recorded(
                testDescription: "hop 2 of N1, a meta refresh", operation: .authenticate,
                path: "/adobe-services/authenticate/oauth2", status: 200, type: "text/html",
                body: "<html><meta http-equiv=refresh content='0; url=/next'></html>"),
            Recorded(
                testDescription: "N4", operation: .pollToken, path: "/api/v1/tokens/authn",
                status: 200,
                body: #"{"mvpd":"m","requestor":"DEMOTV","userId":"u","expires":"1466208969000"}"#),
            Recorded(
                testDescription: "N4, pending", operation: .pollToken, path: "/api/v1/tokens/authn",
                status: 404, body: #"{"status":404,"message":"Not Found"}"#, outcome: .pending),
            Recorded(
                testDescription: "N4, pending, without a body", operation: .pollToken,
                path: "/api/v1/tokens/authn", status: 404, type: "", body: "", outcome: .pending),
            Recorded(
                testDescription: "N4 under load, without a body", operation: .pollToken,
                path: "/api/v1/tokens/authn", status: 503, type: "", body: "", outcome: .serverError
            ),
            Recorded(
                testDescription: "Z3, expiry as a string", operation: .authorize, status: 200,
                body: #"{"resource":"r","mvpd":"m","requestor":"DEMOTV","expires":"1466208969000"}"#
            ),
            Recorded(
                testDescription: "Z3, expiry as a number", operation: .authorize, status: 200,
                body: #"{"resource":"r","mvpd":"m","requestor":"DEMOTV","expires":1466208969000}"#),
            Recorded(
                testDescription: "Z5", operation: .mediaToken, status: 200,
                body:
                    #"{"mvpdId":"m","expires":1466208969000,"serializedToken":"PHg+","userId":"u","#
                    + #""requestor":"DEMOTV","resource":"r"}"#),
            Recorded(
                testDescription: "U1", operation: .userMetadata, status: 200,
                body: #"{"updated":1466208969,"encrypted":["zip"],"data":{"zip":"PHg+","#
                    + #""hba_status":"false","userID":"u","mvpd":"m"}}"#),
            Recorded(
                testDescription: "C1, XML with a prefix and iFrame elements",
                operation: .configuration,
                status: 200, type: "application/xml",
                body:
                    #"<ns2:config xmlns:ns2="x"><requestor><id>D</id><name>D</name><domains><domain>"#
                    + "<name>demo.test</name></domain></domains><mvpds><mvpd><id>m</id><displayName>M</displayName>"
                    + "<logoUrl>l</logoUrl><iFrameRequired>true</iFrameRequired><iFrameWidth>640"
                    + "</iFrameWidth></mvpd></mvpds></requestor></ns2:config>"),
        ]
}

extension ConformanceTests {
    @Test(
        "where the page's 404 is our own, another answer that something is gone is no breach of the page",
        arguments: [OperationName.registrationRecord, .deleteRegistration, .configuration],
        [403, 404, 410])
    func gone(operation: OperationName, status: Int) throws {
        let row = try #require(V1.conformance.first { $0.operation == operation })
        let reply = Reply(
            status: status, headers: ["Content-Type": "application/json"],
            body: Array(#"{"status":\#(status),"message":"Gone"}"#.utf8))
        #expect(V1.judged(row, reply).allSatisfy { $0.source != .documented })
        let other = Reply(status: 202, headers: [:], body: [])
        #expect(V1.judged(row, other).contains { $0.source == .documented })
    }
}

extension ConformanceRow: CustomTestStringConvertible {
    public var testDescription: String { page }
}

extension V1 {
    /// The table's word alone, without the device's reading before it.
    fileprivate static func judged(_ row: ConformanceRow, _ reply: Reply) -> [Deviation] {
        let dialect = V1(
            origin: Origin(scheme: .http, host: "h", port: 80), requestor: "DEMOTV", domain: "d",
            redirectURL: "https://d.test/")
        let method: Method = row.page == "L2" ? .get : .delete
        let path =
            switch row.operation {
            case .authenticate: "/api/v1/authenticate"
            case .checkAuthentication: "/api/v1/checkauthn"
            default: "/x"
            }
        let target = WebAddress(origin: dialect.origin, target: path)
        return dialect.deviations(of: reply, to: Call(row.operation, method, target))
    }
}
