import Testing
import Vocabulary

@testable import Dialects

/// What a refusal tells of sign-in, code and authorization (rest-v1.md §§ 4, 6.3, 11; observed.md).
@Suite struct V1RefusalTests {
    private static let dialect = V1(
        origin: Origin(scheme: .http, host: "127.0.0.1", port: 8080), requestor: "DEMOTV",
        domain: "demo.test", redirectURL: "https://demo.test/done")

    struct Row: Sendable, CustomTestStringConvertible {
        var label: String
        var status: Int
        var body: String
        var result: Observation.Result
        var testDescription: String { label }

        init(_ label: String, _ status: Int, _ body: String, _ result: Observation.Result) {
            self.label = label
            self.status = status
            self.body = body
            self.result = result
        }
    }

    private func result(_ operation: OperationName, _ row: Row) -> Observation.Result {
        let type =
            row.body.hasPrefix("<") ? "application/xml;charset=utf-8" : "application/json"
        let reading = Self.dialect.read(
            Reply(status: row.status, headers: ["Content-Type": type], body: Array(row.body.utf8)),
            to: Call(operation, .get, WebAddress(origin: Self.dialect.origin, target: "/x")))
        let isNothingShared = operation == .userMetadata && row.status == 404
        #expect(
            isNothingShared
                ? reading.outcome == .ok
                : reading.outcome == .rejected || reading.outcome == .notEntitled)
        return reading.observation.result
    }

    static let gated: [OperationName] = [
        .preauthorize, .authorize, .authorizationToken, .mediaToken, .userMetadata,
    ]

    static let sessions: [Row] = [
        Row(
            "412", 412, #"{"status":412,"message":"User not authenticated","details":null}"#,
            .unauthenticated),
        Row("412 without a body", 412, "", .unauthenticated),
        Row(
            "412 in XML", 412,
            "<error><status>412</status><message>User not authenticated</message></error>",
            .unauthenticated),
        Row(
            "412 of an expired session", 412,
            #"{"status":412,"code":"authentication_session_expired","message":"Expired"}"#,
            .unauthenticated),
        Row(
            "412 for another reason", 412,
            #"{"status":412,"code":"missing_resource","message":"Missing"}"#, .denied),
        Row(
            "403 as the page writes it", 403,
            #"{"status":403,"message":"User not authenticated"}"#, .unauthenticated),
        Row(
            "403 as services write it", 403,
            #"{"status":403,"message":"User not Authenticated"}"#, .unauthenticated),
        Row(
            "403 of a session that the provider ended", 403,
            #"{"status":403,"message":"User not authorized","details":"The session has ended."}"#,
            .denied),
        Row("403 that says nothing", 403, "", .denied),
    ]

    @Test("nobody is signed in, says a call that needs it", arguments: gated, sessions)
    func session(operation: OperationName, row: Row) {
        #expect(result(operation, row) == row.result)
    }

    static let authorizations: [Row] = [
        Row(
            "not authorized", 403,
            #"{"status":403,"message":"User not authorized","details":null}"#, .unauthorized),
        Row("noAuthz", 403, #"{"status":403,"message":"noAuthz"}"#, .unauthorized),
        Row(
            "authorization_not_found", 403,
            #"{"status":403,"code":"authorization_not_found","message":"None"}"#, .unauthorized),
        Row(
            "the provider's no, in its words", 403,
            #"{"status":403,"message":"noAuthz","details":"Upgrade to Gold."}"#, .denied),
        Row(
            "parental controls", 403,
            #"{"status":403,"code":"authorization_denied_by_parental_controls","message":"User not authorized"}"#,
            .denied),
    ]

    @Test(
        "what is asked for is not authorized",
        arguments: [OperationName.authorize, .authorizationToken, .mediaToken], authorizations)
    func authorization(operation: OperationName, row: Row) {
        #expect(result(operation, row) == row.result)
    }

    @Test("preauthorization and metadata need no authorization", arguments: authorizations)
    func noAuthorization(row: Row) {
        for operation in [OperationName.preauthorize, .userMetadata] {
            #expect(result(operation, row) == .denied)
        }
    }

    @Test("Z4's 404 and 410 are of the authorization, U1's 404 of the metadata")
    func missing() {
        let missing = Row("404", 404, #"{"status":404,"message":"Not Found"}"#, .absent)
        let gone = Row("410", 410, #"{"status":410,"message":"Gone"}"#, .expired)
        #expect(result(.authorizationToken, missing) == .unauthorized)
        #expect(result(.authorizationToken, gone) == .expired)
        #expect(result(.userMetadata, missing) == .absent)
    }

    @Test("Z2 tells of its code, and of no device")
    func ofCode() {
        for row in Self.sessions {
            let expected: Observation.Result = row.result == .unauthenticated ? .absent : .denied
            #expect(result(.preauthorizeCode, row) == expected, "\(row.label)")
        }
    }

    @Test(
        "an answer for another resource than the one asked for deviates",
        arguments: [
            ("demo-1", "demo-2", true), ("demo-1", "demo-1", false),
            ("demo-1 ", "Demo-1", false), ("a,b", "a", true),
            ("<rss><title>Demo</title></rss>", "Demo", false),
        ])
    func otherResource(asked: String, answered: String, deviates: Bool) {
        let json: Headers = ["Content-Type": "application/json;charset=utf-8"]
        let bodies: [(OperationName, String, String)] = [
            (
                .authorize, "Z3",
                #"{"mvpd":"D","resource":"\#(answered)","requestor":"DEMOTV","expires":"1"}"#
            ),
            (
                .authorizationToken, "Z4",
                #"{"mvpd":"D","resource":"\#(answered)","requestor":"DEMOTV","expires":"1"}"#
            ),
            (
                .mediaToken, "Z5",
                #"{"resource":"\#(answered)","requestor":"DEMOTV","expires":"1","serializedToken":"PHg+","userId":"u","mvpdId":"D"}"#
            ),
        ]
        for (operation, page, body) in bodies {
            let address = WebAddress(origin: Self.dialect.origin, target: "/x")
            let reading = Self.dialect.read(
                Reply(status: 200, headers: json, body: Array(body.utf8)),
                to: Call(operation, .get, address, resource: asked))
            #expect(reading.outcome == .ok)
            #expect(
                reading.deviations.map(\.rule)
                    == (deviates ? ["REST V1, \(page): resource is the one asked for"] : []))
        }
    }
}
