import Dialects
import Testing

/// Requests and answers as they stand on the wire, byte for byte (rest-v2.md §§ 5 to 9). Whoever changes
/// one of these changes what devices see.
@Suite("V2 on the wire")
struct V2TranscriptTests {
    /// One exchange; `$code` and the like stand for what an earlier answer has said.
    private func exchange(
        _ caller: inout Caller, _ request: String, _ headers: Headers = [:], _ body: String = ""
    ) -> String {
        let parts = request.split(separator: " ", maxSplits: 1)
        let reply = caller.send(
            Method(rawValue: String(parts[0])), String(parts[1]), headers: headers, body: body)
        return "\(reply.status) \(reply.text)"
    }

    private static let tv: Headers = [
        "AP-Device-Identifier": "fingerprint dmQtMDAwMDAwMDAwMDAx",
        "X-Device-Info": Caller.plainDeviceInfo,
    ]
    private static let form: Headers = [
        "AP-Device-Identifier": "fingerprint dmQtMDAwMDAwMDAwMDAx",
        "X-Device-Info": Caller.plainDeviceInfo,
        "Content-Type": "application/x-www-form-urlencoded",
    ]
    private static let json: Headers = [
        "AP-Device-Identifier": "fingerprint dmQtMDAwMDAwMDAwMDAx",
        "X-Device-Info": Caller.plainDeviceInfo, "Content-Type": "application/json; charset=UTF-8",
    ]

    @Test("a sign-in by two screens, a decision and a logout")
    func story() throws {
        var caller = try Caller.ofV2()
        #expect(
            exchange(&caller, "GET /api/v2/DEMOTV/profiles", Self.tv) == #"200 {"profiles":{}}"#)

        let resume = exchange(&caller, "POST /api/v2/DEMOTV/sessions", Self.form)
        let code = try #require(Reply.text(resume).member("code"))
        let session = try #require(Reply.text(resume).member("sessionId"))
        #expect(
            resume
                == #"200 {"actionName":"resume","actionType":"direct","reasonType":"none","#
                + #""url":"/api/v2/DEMOTV/sessions/\#(code)","#
                + #""missingParameters":["mvpd","domainName","redirectUrl"],"code":"\#(code)","#
                + #""sessionId":"\#(session)","serviceProvider":"DEMOTV","#
                + #""notBefore":"1760000000000","notAfter":"1760001800000"}"#)

        let complete = exchange(
            &caller, "POST /api/v2/DEMOTV/sessions/\(code)",
            ["Content-Type": "application/x-www-form-urlencoded"],
            "mvpd=DemoCable&domainName=demo.test&redirectUrl=https%3A%2F%2Fdemo.test%2Fdone")
        #expect(
            complete
                == #"200 {"actionName":"authenticate","actionType":"interactive","#
                + #""reasonType":"none","url":"/api/v2/authenticate/DEMOTV/\#(code)","#
                + #""code":"\#(code)","sessionId":"\#(session)","mvpd":"DemoCable","#
                + #""serviceProvider":"DEMOTV","notBefore":"1760000000000","#
                + #""notAfter":"1760001800000"}"#)

        let poll = "GET /api/v2/DEMOTV/profiles/code/\(code)"
        #expect(exchange(&caller, poll) == #"200 {"profiles":{}}"#)
        caller.advance(.seconds(100))
        caller.logIn(by: Reply.text(complete))
        let profile =
            #"200 {"profiles":{"DemoCable":{"notBefore":1760000100000,"#
            + #""notAfter":1760021700000,"issuer":"DemoCable","type":"regular","attributes":{"#
            + #""userID":{"value":"viewer-1","state":"plain"},"#
            + #""householdID":{"value":"h-viewer-1","state":"plain"},"#
            + #""zip":{"value":"12345","state":"plain"}}}}}"#
        #expect(exchange(&caller, poll) == profile)
        #expect(exchange(&caller, poll, Self.tv) == profile)
        #expect(exchange(&caller, "GET /api/v2/DEMOTV/profiles/DemoCable", Self.tv) == profile)

        #expect(
            exchange(
                &caller, "POST /api/v2/DEMOTV/decisions/preauthorize/DemoCable", Self.json,
                #"{"resources":["c1"]}"#)
                == #"200 {"decisions":[{"resource":"c1","serviceProvider":"DEMOTV","#
                + #""mvpd":"DemoCable","source":"mvpd","authorized":true}]}"#)
        let permit = exchange(
            &caller, "POST /api/v2/DEMOTV/decisions/authorize/DemoCable", Self.json,
            #"{"resources":["c1"]}"#)
        let token = try #require(Reply.text(permit).member("serializedToken"))
        #expect(
            permit
                == #"200 {"decisions":[{"resource":"c1","serviceProvider":"DEMOTV","#
                + #""mvpd":"DemoCable","source":"mvpd","authorized":true,"token":{"#
                + #""notBefore":1760000100000,"notAfter":1760000520000,"#
                + #""serializedToken":"\#(token)"},"notBefore":1760000100000,"#
                + #""notAfter":1760086500000}]}"#)
        let deny = exchange(
            &caller, "POST /api/v2/DEMOTV/decisions/authorize/DemoCable", Self.json,
            #"{"resources":["deny-1"]}"#)
        let trace = try #require(Reply.text(deny).member("trace"))
        #expect(
            deny
                == #"200 {"decisions":[{"resource":"deny-1","serviceProvider":"DEMOTV","#
                + #""mvpd":"DemoCable","source":"mvpd","authorized":false,"error":{"#
                + #""action":"none","status":403,"code":"authorization_denied_by_mvpd","#
                + #""message":"Not authorized","#
                + #""details":"Your package of DemoCable does not include this channel.","#
                + #""helpUrl":"https://experienceleague.adobe.com/docs/pass/authentication/"#
                + #"enhanced-error-codes","trace":"\#(trace)"}}]}"#)

        let logout =
            "GET /api/v2/DEMOTV/logout/DemoCable?redirectUrl=https%3A%2F%2Fdemo.test%2Fout"
        #expect(
            exchange(&caller, logout, Self.tv)
                == #"200 {"logouts":{"DemoCable":{"actionName":"logout","#
                + #""actionType":"interactive","mvpd":"DemoCable","url":"/adobe-services/logout"#
                + "?noflash=true&mso_id=DemoCable&requestor_id=DEMOTV"
                + #"&redirect_url=https%3A%2F%2Fdemo.test%2Fout&pt_device_id=vd-000000000001"}}}"#)
        #expect(
            exchange(&caller, logout, Self.tv)
                == #"200 {"logouts":{"DemoCable":{"actionName":"invalid","actionType":"none","#
                + #""mvpd":"DemoCable"}}}"#)
        #expect(exchange(&caller, poll) == #"200 {"profiles":{}}"#)
    }
}

extension Reply {
    /// An answer that is only read.
    fileprivate static func text(_ text: String) -> Reply {
        Reply(status: 200, body: Array(text.utf8))
    }
}
