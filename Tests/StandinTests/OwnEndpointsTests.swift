import Dialects
import Standin
import Testing

@Suite("the stand-in's own endpoints")
struct OwnEndpointsTests {
    @Test("counters tell what was asked and answered, by our names, and do not count themselves")
    func counters() {
        var caller = Caller.signedIn()
        _ = caller.poll()
        _ = caller.get("/nowhere")
        _ = caller.get("/_standin/counters")
        let text = caller.get("/_standin/counters").text
        #expect(
            text.hasPrefix(
                #"{"requests":10,"operations":{"register-client":{"201":1},"access-token":{"201":1},"registration-code":{"201":1},"authenticate":{"302":2},"mvpd-login":{"200":2},"assertion":{"302":1},"poll-token":{"200":1},"other":{"404":1}},"codesIssued":1,"signIns":1,"tokensIssued":1,"mediaTokens":0,"throttled":0,"held":{"codes":1,"#
            ), "\(text)")
        let counted = caller.service.counted()
        #expect(counted.requests == 10)
        #expect(counted.count(of: .authenticate) == 2)
        #expect(counted.count(of: .authenticate, status: 400) == 0)
    }

    @Test("an approval signs in at once, without a browser")
    func approve() {
        var caller = Caller.registered()
        let code = caller.issue()
        let reply = caller.post(
            "/_standin/approve", body: #"{"code":"\#(code)","mvpd":"DemoSat","user":"ann"}"#)
        #expect(reply.status == 204)
        #expect(caller.poll().member("mvpd") == "DemoSat")
        #expect(caller.poll().member("userId") == "ann")
    }

    @Test("a delayed approval answers first and acts later")
    func delayed() {
        var caller = Caller.registered()
        let code = caller.issue()
        let body = #"{"code":"\#(code)","mvpd":"DemoCable","outcome":"success","delayMs":500}"#
        #expect(caller.post("/_standin/approve", body: body).status == 202)
        caller.advance(.milliseconds(499))
        #expect(caller.poll().status == 404)
        caller.advance(.milliseconds(1))
        #expect(caller.poll().status == 200)
    }

    @Test("fail and cancel leave the code to be tried again", arguments: ["fail", "cancel"])
    func failed(outcome: String) {
        var caller = Caller.registered()
        let code = caller.issue()
        let body = #"{"code":"\#(code)","mvpd":"DemoCable","outcome":"\#(outcome)"}"#
        #expect(caller.post("/_standin/approve", body: body).status == 204)
        #expect(caller.poll().status == 404)
        #expect(caller.logIn(code).headers["Location"] == "https://demo.test/done")
    }

    @Test(
        "an approval that cannot be is turned down",
        arguments: [
            ("", 400), (#"{"mvpd":"DemoCable"}"#, 400), (#"{"code":"AAAAAAA"}"#, 400),
            (#"{"code":"AAAAAAA","mvpd":"DemoCable"}"#, 404),
            (#"{"code":"-","mvpd":"DemoCable"}"#, 404),
            (#"{"code":"CODE","mvpd":"Nobody"}"#, 409),
            (#"{"code":"CODE","mvpd":"DemoCable","outcome":"maybe"}"#, 400),
            (#"{"code":"CODE","mvpd":"DemoCable","delayMs":-1}"#, 400),
        ])
    func refuses(body: String, status: Int) {
        var caller = Caller.registered()
        let code = caller.issue()
        let reply = caller.post("/_standin/approve", body: body.replacing("CODE", with: code))
        #expect(reply.status == status)
    }

    @Test("in strict mode there is no shortcut")
    func strict() {
        var caller = Caller.registered(
            ServiceSettings(fidelity: .strict, policies: .init(throttle: nil)))
        let code = caller.issue()
        let body = #"{"code":"\#(code)","mvpd":"DemoCable"}"#
        #expect(caller.post("/_standin/approve", body: body).status == 404)
        #expect(caller.get("/_standin/counters").status == 200)
    }
}
