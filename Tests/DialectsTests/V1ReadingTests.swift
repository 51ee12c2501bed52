import Testing
import Vocabulary

@testable import Dialects

/// One row per kind of answer of rest-v1.md: what was asked, what came, and what it means.
struct ReadingCase: Sendable, CustomTestStringConvertible {
    var label: String
    var operation: OperationName
    var status: Int
    var type = "application/json;charset=utf-8"
    var body = ""
    var outcome: Outcome
    var answer: String
    var result: Observation.Result
    var reason: String?
    var testDescription: String { label }
}

@Suite struct V1ReadingTests {
    private static let dialect = V1(
        origin: Origin(scheme: .http, host: "127.0.0.1", port: 8080), requestor: "DEMOTV",
        domain: "demo.test",
        redirectURL: "https://demo.test/done")
    private static let html = "text/html"

    static let cases: [ReadingCase] = [
        ReadingCase(
            label: "D1 201", operation: .registerClient, status: 201,
            body:
                #"{"client_id":"c1","client_secret":"s","client_id_issued_at":1,"grant_types":["client_credentials"]}"#,
            outcome: .ok, answer: "client", result: .success),
        ReadingCase(
            label: "D1 400", operation: .registerClient, status: 400,
            body: #"{"error":"invalid_software_statement"}"#,
            outcome: .rejected, answer: "denied", result: .denied,
            reason: "invalid_software_statement"),
        ReadingCase(
            label: "D2 201", operation: .accessToken, status: 201,
            body:
                #"{"id":"x","access_token":"t","created_at":1,"expires_in":"21600","token_type":"bearer"}"#,
            outcome: .ok, answer: "accessToken", result: .success),
        ReadingCase(
            label: "D2 200 of the older edition (A1)", operation: .accessToken, status: 200,
            body: #"{"access_token":"t","expires_in":3600}"#, outcome: .ok, answer: "accessToken",
            result: .success),
        ReadingCase(
            label: "D2 without a token", operation: .accessToken, status: 201, body: "{}",
            outcome: .malformed,
            answer: "fault", result: .none, reason: "a body without its fields"),
        ReadingCase(
            label: "D2 400 invalid_client", operation: .accessToken, status: 400,
            body: #"{"error":"invalid_client"}"#,
            outcome: .rejected, answer: "staleClient", result: .denied, reason: "invalid_client"),
        ReadingCase(
            label: "any 401", operation: .authorize, status: 401,
            body: #"{"error":"access_denied"}"#,
            outcome: .rejected, answer: "staleToken", result: .denied, reason: "access_denied"),
        ReadingCase(
            label: "any 403 invalid_client", operation: .pollToken, status: 403,
            body: #"{"error":"invalid_client"}"#,
            outcome: .rejected, answer: "staleClient", result: .denied, reason: "invalid_client"),
        ReadingCase(
            label: "N3 200", operation: .checkAuthentication, status: 200, outcome: .ok,
            answer: "signedIn", result: .success),
        ReadingCase(
            label: "N3 204", operation: .checkAuthentication, status: 204, outcome: .malformed,
            answer: "pending", result: .none, reason: "status 204, where 200 or 403 tells"),
        ReadingCase(
            label: "N2 206", operation: .checkCode, status: 206, outcome: .malformed,
            answer: "pending", result: .none, reason: "status 206, where 200 or 403 tells"),
        ReadingCase(
            label: "N3 403", operation: .checkAuthentication, status: 403,
            body: #"{"status":403,"message":"Authentication token not found","details":null}"#,
            outcome: .pending,
            answer: "pending", result: .absent),
        ReadingCase(
            label: "N3 403 expired", operation: .checkAuthentication, status: 403,
            body: #"{"status":403,"message":"Authentication token expired"}"#, outcome: .pending,
            answer: "pending",
            result: .expired),
        ReadingCase(
            label: "R1 201", operation: .registrationCode, status: 201,
            body:
                #"{"id":"i","code":"q7mk2xa","requestor":"DEMOTV","generated":1760000000000,"expires":1760001800000,"info":{}}"#,
            outcome: .ok, answer: "code", result: .success),
        ReadingCase(
            label: "R1 201 in XML", operation: .registrationCode, status: 201,
            type: "application/xml;charset=utf-8",
            body:
                "<?xml version=\"1.0\"?><ns2:regcode xmlns:ns2=\"model.mvc.reggie.pass.adobe.com\"><id>i</id><code>Q7MK2X</code><requestor>DEMOTV</requestor><mvpd/><generated>1</generated><expires>1800001</expires><info/></ns2:regcode>",
            outcome: .ok, answer: "code", result: .success),
        ReadingCase(
            label: "R1 without an expiry", operation: .registrationCode, status: 201,
            body: #"{"code":"Q7MK2XA"}"#,
            outcome: .malformed, answer: "fault", result: .none, reason: "a body without its fields"
        ),
        ReadingCase(
            label: "R1 400", operation: .registrationCode, status: 400,
            body: #"{"status":400,"message":"Required 'deviceId' is not present"}"#,
            outcome: .rejected,
            answer: "denied", result: .denied, reason: "Required 'deviceId' is not present"),
        ReadingCase(
            label: "R2 404", operation: .registrationRecord, status: 404,
            body: #"{"status":404,"message":"Not Found"}"#,
            outcome: .rejected, answer: "denied", result: .absent, reason: "Not Found"),
        ReadingCase(
            label: "R3 204", operation: .deleteRegistration, status: 204, outcome: .ok,
            answer: "done", result: .success),
        ReadingCase(
            label: "C1 200", operation: .configuration, status: 200,
            body:
                #"{"requestor":{"id":"DEMOTV","mvpds":[{"id":"A","displayName":"a"},{"id":"B"}]}}"#,
            outcome: .ok,
            answer: "configuration", result: .success),
        ReadingCase(
            label: "C1 200 in XML", operation: .configuration, status: 200, type: "application/xml",
            body:
                "<config><requestor><id>D</id><mvpds><mvpd><id>A</id></mvpd><mvpd><id>B</id></mvpd></mvpds></requestor></config>",
            outcome: .ok, answer: "configuration", result: .success),
        ReadingCase(
            label: "N1 302", operation: .authenticate, status: 302, outcome: .ok,
            answer: "redirect", result: .none),
        ReadingCase(
            label: "N1 400 as a page", operation: .authenticate, status: 400, type: html,
            body: "<html>bad code</html>",
            outcome: .rejected, answer: "denied", result: .denied, reason: "status 400"),
        ReadingCase(
            label: "login page", operation: .mvpdLogin, status: 200, type: html,
            body: "<html></html>", outcome: .ok,
            answer: "page", result: .none),
        ReadingCase(
            label: "ACS 503", operation: .assertion, status: 503, outcome: .serverError,
            answer: "fault", result: .none,
            reason: "status 503"),
        ReadingCase(
            label: "a front's 408", operation: .checkCode, status: 408, outcome: .serverError,
            answer: "fault", result: .none, reason: "status 408"),
        ReadingCase(
            label: "N2 200", operation: .checkCode, status: 200, outcome: .ok, answer: "signedIn",
            result: .success),
        ReadingCase(
            label: "N2 403", operation: .checkCode, status: 403,
            body: #"{"status":403,"message":"Forbidden"}"#,
            outcome: .pending, answer: "pending", result: .absent),
        ReadingCase(
            label: "N4 200", operation: .pollToken, status: 200,
            body:
                #"{"requestor":"DEMOTV","mvpd":"DemoCable","userId":"u-8f31","expires":"1767776000000"}"#,
            outcome: .ok,
            answer: "signedIn", result: .success),
        ReadingCase(
            label: "N4 200 without a user", operation: .pollToken, status: 200,
            body: #"{"mvpd":"D","expires":"1"}"#,
            outcome: .malformed, answer: "fault", result: .none, reason: "a body without its fields"
        ),
        ReadingCase(
            label: "N4 404", operation: .pollToken, status: 404,
            body: #"{"status":404,"message":"Not Found"}"#,
            outcome: .pending, answer: "pending", result: .absent),
        ReadingCase(
            label: "N4 410 is pending, never evidence of expiry (A14)", operation: .pollToken,
            status: 410,
            body: #"{"status":410,"message":"Gone"}"#, outcome: .pending, answer: "pending",
            result: .absent),
        ReadingCase(
            label: "429 of the front server (§ 14)", operation: .pollToken, status: 429, type: html,
            body: "<html>429</html>",
            outcome: .throttled, answer: "slow", result: .none),
        ReadingCase(
            label: "a page where JSON is due", operation: .pollToken, status: 200, type: html,
            body: "<html>Pardon</html>",
            outcome: .blocked, answer: "blocked", result: .none,
            reason: "HTML where the service answers JSON or XML"),
        ReadingCase(
            label: "a page that says it is JSON", operation: .authorize, status: 403,
            body: "<!DOCTYPE html><p>WAF",
            outcome: .blocked, answer: "blocked", result: .none,
            reason: "HTML where the service answers JSON or XML"),
        ReadingCase(
            label: "500", operation: .authorize, status: 500,
            body: #"{"status":500,"message":"boom"}"#,
            outcome: .serverError, answer: "fault", result: .none, reason: "boom"),
        ReadingCase(
            label: "garbage", operation: .pollToken, status: 200, body: "hello",
            outcome: .malformed, answer: "fault",
            result: .none, reason: "a body that is neither JSON nor XML"),
        ReadingCase(
            label: "Z1 200", operation: .preauthorize, status: 200,
            body: #"{"resources":[{"id":"a","authorized":true},{"id":"b","authorized":false}]}"#,
            outcome: .ok,
            answer: "decisions", result: .success),
        ReadingCase(
            label: "Z1 412", operation: .preauthorize, status: 412,
            body: #"{"status":412,"message":"User not authenticated","details":null}"#,
            outcome: .rejected,
            answer: "signedOut", result: .unauthenticated, reason: "User not authenticated"),
        ReadingCase(
            label: "Z3 403 as a public client recorded it", operation: .authorize, status: 403,
            body: #"{"status":403,"message":"noAuthz","details":"Not in your package"}"#,
            outcome: .notEntitled, answer: "notEntitled", result: .denied, reason: "noAuthz"),
        ReadingCase(
            label: "Z3 403 of the page, in XML", operation: .authorize, status: 403,
            type: "application/xml",
            body: "<error><status>403</status><message>User not authorized</message></error>",
            outcome: .notEntitled, answer: "notEntitled", result: .unauthorized,
            reason: "User not authorized"),
        ReadingCase(
            label: "Z3 403 without a body", operation: .authorize, status: 403,
            outcome: .notEntitled, answer: "notEntitled", result: .denied, reason: "status 403"),
        ReadingCase(
            label: "Z3 403 by parents", operation: .authorize, status: 403,
            body: #"{"code":"authorization_denied_by_parental_controls","message":"no"}"#,
            outcome: .notEntitled, answer: "notEntitled", result: .denied,
            reason: "authorization_denied_by_parental_controls"),
        ReadingCase(
            label: "Z3 403 of a session that is gone", operation: .authorize, status: 403,
            body: #"{"status":403,"message":"User not Authenticated"}"#,
            outcome: .rejected, answer: "signedOut", result: .unauthenticated,
            reason: "User not Authenticated"),
        ReadingCase(
            label: "Z3 403 of a session that is gone, enhanced", operation: .authorize, status: 403,
            body: #"{"code":"authentication_session_expired","message":"x"}"#,
            outcome: .rejected, answer: "signedOut", result: .unauthenticated,
            reason: "authentication_session_expired"),
        ReadingCase(
            label: "Z3 403 of a provider that did not answer", operation: .authorize, status: 403,
            body: #"{"code":"network_connection_timeout","action":"retry"}"#,
            outcome: .rejected, answer: "fault", result: .denied,
            reason: "network_connection_timeout"),
        ReadingCase(
            label: "Z3 403 of a client that is gone", operation: .authorize, status: 403,
            body: #"{"error":"invalid_client"}"#,
            outcome: .rejected, answer: "staleClient", result: .denied, reason: "invalid_client"),
        ReadingCase(
            label: "Z5 403 noAuthz", operation: .mediaToken, status: 403,
            body: #"{"status":403,"message":"noAuthz"}"#,
            outcome: .notEntitled, answer: "notEntitled", result: .unauthorized, reason: "noAuthz"),
        ReadingCase(
            label: "Z5 403 without an authorization", operation: .mediaToken, status: 403,
            body: #"{"status":403,"message":"User not authorized"}"#,
            outcome: .rejected, answer: "denied", result: .unauthorized,
            reason: "User not authorized"),
        ReadingCase(
            label: "Z3 200", operation: .authorize, status: 200,
            body:
                #"{"mvpd":"D","resource":"demo-1","requestor":"DEMOTV","expires":"1767776000000"}"#,
            outcome: .ok,
            answer: "done", result: .success),
        ReadingCase(
            label: "Z4 410", operation: .authorizationToken, status: 410,
            body: #"{"status":410,"message":"Gone"}"#,
            outcome: .rejected, answer: "expired", result: .expired, reason: "Gone"),
        ReadingCase(
            label: "Z5 200", operation: .mediaToken, status: 200,
            body:
                #"{"resource":"demo-1","expires":"1","serializedToken":"PHg+","userId":"u","mvpdId":"D"}"#,
            outcome: .ok, answer: "media", result: .success),
        ReadingCase(
            label: "L1 204", operation: .logout, status: 204, outcome: .ok, answer: "done",
            result: .success),
    ]

    @Test("each answer means what the page says", arguments: cases)
    func reading(row: ReadingCase) {
        let reading = Self.read(row)
        #expect(reading.outcome == row.outcome)
        #expect(Self.name(of: reading.answer) == row.answer)
        #expect(reading.observation.result == row.result)
        #expect(reading.reason == row.reason.map { Untrusted($0) })
    }

    @Test("a token names its sign-in and its end")
    func tokenTag() {
        let row = Self.cases.first { $0.label == "N4 200" }!
        let observation = Self.read(row).observation
        #expect(observation.tag == Tag(mvpd: "DemoCable", user: "u-8f31"))
        #expect(observation.expires == 1_767_776_000_000)
    }

    @Test("a code is upper case and lives as long as the service says")
    func codeLife() {
        guard case .code(let issued) = Self.read(Self.cases.first { $0.label == "R1 201" }!).answer
        else {
            Issue.record("no code")
            return
        }
        #expect(issued.code.text == "Q7MK2XA")
        #expect(issued.lifetime == .seconds(1800))
    }

    @Test("the media token is kept as a secret only")
    func mediaSecret() {
        let observation = Self.read(Self.cases.first { $0.label == "Z5 200" }!).observation
        #expect(observation.secret == Secret("PHg+"))
        #expect(!"\(observation)".contains("PHg+"))
    }

    /// R1's record for a device, as the answer to a request that names it.
    private static func code(
        requestor: String = "DEMOTV", mvpd: String? = nil, device: String = "vd-1",
        in style: RequestStyle.CodeRequest = .form
    ) -> [Deviation] {
        let identity = DeviceIdentity(
            id: "vd-1",
            info: DeviceInfo(
                model: "AppleTV", version: "11,1", osName: "tvOS", osVersion: "17.4",
                primaryHardwareType: "TV", applicationId: "demo-tv"),
            userAgent: "DemoTV/1.0", forwardedFor: nil, style: RequestStyle(codeRequest: style))
        let call = dialect.issueCode(
            Credential(device: identity, bearer: nil), lifetime: nil,
            mvpd: mvpd == nil ? nil : "DemoCable")
        let named = mvpd.map { #","mvpd":"\#($0)""# } ?? ""
        let body =
            #"{"id":"4b1f6a0e-52c3-4d1e-9a77-0d6c1c9e2f31","code":"Q7MK2XA","requestor":"\#(requestor)"\#(named),"#
            + #""generated":1760000000000,"expires":1760001800000,"info":{"deviceId":"\#(device)","#
            + #""registrationURL":"http://login.demo.test/activate"}}"#
        let reply = Reply(
            status: 201, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
        return dialect.read(reply, to: call!).deviations
    }

    @Test(
        "a code that is said to be another device's, requestor's or provider's",
        arguments: [RequestStyle.CodeRequest.form, .query])
    func echoes(style: RequestStyle.CodeRequest) {
        #expect(Self.code(device: "dmQtMQ==", in: style) == [])
        let other = Self.code(device: "dmQtMg==", in: style)
        #expect(other.map(\.rule) == ["REST V1, R1: info.deviceId is the one asked for"])
        #expect(other.map(\.found) == ["'vd-2' for 'vd-1'"])
        #expect(other.map(\.source) == [.reading])
        let foreign = Self.code(requestor: "OTHER", device: "dmQtMQ==", in: style)
        #expect(foreign.map(\.rule) == ["REST V1, R1: requestor is the one asked for"])
        #expect(foreign.map(\.found) == ["'OTHER' for 'DEMOTV'"])
        #expect(foreign.map(\.source) == [.documented])
        #expect(Self.code(mvpd: "DemoCable", device: "dmQtMQ==", in: style) == [])
        // A27.
        #expect(Self.code(mvpd: "", device: "dmQtMQ==", in: style) == [])
        let elsewhere = Self.code(mvpd: "OtherCable", device: "dmQtMQ==", in: style)
        #expect(elsewhere.map(\.rule) == ["REST V1, R1: mvpd is the one asked for"])
    }

    @Test("a token of another requestor is told as our reading")
    func otherRequestor() {
        var row = Self.cases.first { $0.label == "N4 200" }!
        row.body = row.body.replacing("DEMOTV", with: "OTHER")
        let found = Self.read(row).deviations
        #expect(found.map(\.rule) == ["REST V1, N4: requestor is the one asked for"])
        #expect(found.map(\.source) == [.reading])
    }

    private static func read(_ row: ReadingCase) -> Reading {
        var headers: Headers = ["Content-Type": row.type]
        if row.answer == "redirect" { headers.append("Location", "/next?x=1") }
        let reply = Reply(status: row.status, headers: headers, body: Array(row.body.utf8))
        let target = row.operation == .pollToken ? "/api/v1/tokens/authn" : "/x"
        return dialect.read(
            reply, to: Call(row.operation, .get, WebAddress(origin: dialect.origin, target: target))
        )
    }

    private static func name(of answer: Answer) -> String {
        let label = Mirror(reflecting: answer).children.first?.label
        return label ?? "\(answer)"
    }
}
