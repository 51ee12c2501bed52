import Dialects
import Journal
import Standin
import Testing

@Suite("sessions and codes (rest-v2.md § 5)")
struct V2SessionTests {
    // MARK: § 5.2, first match

    @Test("complete: authenticate, with a code of half an hour")
    func complete() throws {
        var caller = try Caller.ofV2()
        let reply = caller.session()
        let code = try #require(reply.member("code"))
        #expect(reply.action == "authenticate interactive none")
        #expect(reply.member("url") == "/api/v2/authenticate/DEMOTV/\(code)")
        #expect(code.count == 7)
        #expect(reply.member("sessionId")?.count == 36)
        #expect(reply.member("mvpd") == "DemoCable")
        #expect(reply.member("serviceProvider") == "DEMOTV")
        #expect(reply.text.contains(#""notBefore":"1760000000000","notAfter":"1760001800000""#))
        #expect(!reply.text.contains("missingParameters"))
    }

    @Test(
        "something is missing: resume, and its names",
        arguments: [
            ("", #""mvpd","domainName","redirectUrl""#),
            ("mvpd=DemoCable", #""domainName","redirectUrl""#),
            ("domainName=demo.test&redirectUrl=myapp%3A%2F%2Fdone", #""mvpd""#),
            ("mvpd=&domainName=https%3A%2F%2Fwww.demo.test", #""mvpd","redirectUrl""#),
        ])
    func resume(form: String, missing: String) throws {
        var caller = try Caller.ofV2()
        let reply = caller.session(form)
        #expect(reply.action == "resume direct none")
        #expect(reply.after(#""missingParameters":["#, upTo: "]") == missing)
        #expect(
            reply.member("url") == "/api/v2/DEMOTV/sessions/\(reply.member("code") ?? "")")
    }

    @Test("a live profile: authorize, without a code; without the provider's name: resume (B21)")
    func authenticated() throws {
        var caller = try Caller.ofV2()
        caller.signIn()
        let reply = caller.session()
        #expect(reply.action == "authorize direct authenticated")
        #expect(reply.member("url") == "/api/v2/DEMOTV/decisions/authorize/DemoCable")
        #expect(reply.member("code") == nil && reply.member("notAfter") == nil)
        #expect(caller.session("").action == "resume direct none")
        #expect(caller.session("mvpd=DemoSat").action == "resume direct none")
        #expect(caller.session(device: "tv-2").action == "authenticate interactive none")
    }

    @Test("a trial: temporary; a rule: degraded, before all others; an identity: authenticatedSSO")
    func reasons() throws {
        var caller = try Caller.ofV2()
        #expect(caller.session("mvpd=TempPass").action == "authorize direct temporary")
        let token: Headers = ["AD-Service-Token": Caller.serviceToken("u-1")]
        caller.signIn("DemoCable", token)
        #expect(
            caller.session("mvpd=DemoCable", device: "tv-2", token).action
                == "authorize direct authenticatedSSO")
        caller.degrade("AuthNAll")
        #expect(
            caller.session("mvpd=DemoCable", device: "tv-3").action == "authorize direct degraded")
        #expect(caller.session("mvpd=DemoCable").action == "authorize direct degraded")
        caller.degrade("AuthZAll", mvpd: "DemoSat")
        #expect(caller.session("mvpd=DemoSat").action == "resume direct none")
    }

    @Test("an authorize answer supersedes nothing (B41)")
    func noCode() throws {
        var caller = try Caller.ofV2()
        let code = caller.session("").member("code") ?? ""
        #expect(caller.session("mvpd=TempPass").member("actionName") == "authorize")
        #expect(caller.pollCode(code).isEmptyMap)
    }

    // MARK: S2 and S3

    @Test("S2 completes a session, under the same code and times (B22)")
    func completes() throws {
        var caller = try Caller.ofV2()
        let first = caller.session("mvpd=DemoCable")
        let code = first.member("code") ?? ""
        caller.advance(.seconds(10))
        let half = caller.phone(.post, "sessions/\(code)", body: "domainName=demo.test")
        #expect(half.action == "retry direct none")
        #expect(half.after(#""missingParameters":["#, upTo: "]") == #""redirectUrl""#)
        let whole = caller.phone(
            .post, "sessions/\(code.lowercased())",
            body: "mvpd=DemoSat&redirectUrl=https%3A%2F%2Fdemo.test%2Fdone")
        #expect(whole.action == "authenticate interactive none")
        for name in ["code", "sessionId", "notBefore", "notAfter"] {
            #expect(whole.member(name) == first.member(name))
        }
        #expect(whole.member("mvpd") == "DemoSat")
        caller.logIn(by: whole)
        #expect(caller.pollCode(code).profileShown == "DemoSat regular")
    }

    @Test("S2 finds the profile of the session's device, not the caller's, and completes the code")
    func resumesSignedIn() throws {
        var caller = try Caller.ofV2()
        caller.signIn()
        let code = caller.session("").member("code") ?? ""
        let other = caller.session("", device: "tv-2").member("code") ?? ""
        let reply = caller.phone(.post, "sessions/\(code)", body: "mvpd=DemoCable")
        #expect(reply.action == "authorize direct authenticated")
        #expect(reply.member("code") == nil)
        #expect(caller.pollCode(code).profileShown == "DemoCable regular")
        #expect(
            caller.phone(.post, "sessions/\(code)").refusal
                == "400 invalid_authentication_session")
        #expect(
            caller.tv(.post, "sessions/\(other)", body: "mvpd=DemoCable").action
                == "retry direct none")
    }

    @Test("S2 with a trial lets the waiting screen know (§ 5.5)")
    func resumesTrial() throws {
        var caller = try Caller.ofV2()
        let code = caller.session("").member("code") ?? ""
        #expect(
            caller.phone(.post, "sessions/\(code)", body: "mvpd=TempPass").action
                == "authorize direct temporary")
        #expect(caller.pollCode(code).profileShown == "TempPass temporary")
    }

    @Test("S3 describes the session and the streaming device")
    func shows() throws {
        var caller = try Caller.ofV2()
        let code = caller.session("mvpd=DemoCable").member("code") ?? ""
        let reply = caller.phone(.get, "sessions/\(code)")
        #expect(
            reply.text.hasPrefix(
                #"{"existingParameters":{"mvpd":"DemoCable","serviceProvider":"DEMOTV"},"#
                    + #""missingParameters":["domainName","redirectUrl"],"device":{"#
                    + #""model":"AppleTV","version":{"major":11,"minor":1}"#))
        #expect(reply.text.hasSuffix(#""notBefore":"1760000000000","notAfter":"1760001800000"}"#))
    }

    @Test("S2, S3 and P3 serve another client of the channel (B23)")
    func otherClient() throws {
        var caller = try Caller.ofV2()
        let session = caller.session("")
        let code = session.member("code") ?? ""
        caller.registerV2(#","software_name":"web page""#)
        #expect(caller.phone(.get, "sessions/\(code)").status == 200)
        let whole = caller.phone(
            .post, "sessions/\(code)", body: "mvpd=DemoCable" + Caller.complete)
        caller.logIn(by: whole)
        #expect(caller.phone(.get, "profiles/code/\(code)").profileShown == "DemoCable regular")
        // The profile is the session's client's.
        #expect(caller.profiles().isEmptyMap)
    }

    // MARK: § 5.5, cell by cell

    /// What S2, S3, A and P3 answer of a code: statuses, `{}` for an empty map, `profile` for one.
    private func cells(_ caller: inout Caller, _ code: String) -> [String] {
        let record = caller.phone(.get, "sessions/\(code)").status
        let poll = caller.phone(.get, "profiles/code/\(code)")
        let shown =
            poll.isEmptyMap
            ? "{}" : poll.profileShown == nil ? "\(poll.status)" : "profile"
        let form = "redirectUrl=https%3A%2F%2Fdemo.test%2Fdone"
        let begin = caller.get("/api/v2/authenticate/DEMOTV/\(code)").status
        let resume = caller.phone(.post, "sessions/\(code)", body: form).status
        return ["\(resume)", "\(record)", "\(begin)", shown]
    }

    @Test("INCOMPLETE")
    func incomplete() throws {
        var caller = try Caller.ofV2()
        let code = caller.session("").member("code") ?? ""
        #expect(cells(&caller, code) == ["200", "200", "400", "{}"])
    }

    @Test("READY, and IN_LOGIN: the last one to begin wins")
    func ready() throws {
        var caller = try Caller.ofV2()
        let session = caller.session()
        let code = session.member("code") ?? ""
        #expect(cells(&caller, code) == ["200", "200", "302", "{}"])
        #expect(cells(&caller, code) == ["200", "200", "302", "{}"])
        let early = caller.submit(
            caller.openLogin(caller.get(session.member("url") ?? "")), user: "a", password: "x")
        let late = caller.submit(
            caller.openLogin(caller.get(session.member("url") ?? "")), user: "b", password: "x")
        caller.finish(early)
        #expect(caller.pollCode(code).isEmptyMap)
        caller.finish(late)
        #expect(caller.pollCode(code).text.contains(#""value":"b""#))
    }

    @Test("COMPLETED: single use, and polls go on")
    func completed() throws {
        var caller = try Caller.ofV2()
        let code = caller.signIn()
        #expect(cells(&caller, code) == ["400", "400", "400", "profile"])
        #expect(cells(&caller, code) == ["400", "400", "400", "profile"])
        _ = caller.logOut()
        #expect(cells(&caller, code) == ["400", "400", "400", "{}"])
    }

    @Test("EXPIRED without a login, and with one (B24)")
    func expired() throws {
        for (policy, shown) in [("profile", "profile"), ("refuse", "400")] {
            var settings = ServiceSettings.unthrottled
            settings.policies.codeAfterExpiry = policy == "profile" ? .profile : .refuse
            var caller = try Caller.ofV2(settings)
            let pending = caller.session(device: "tv-2").member("code") ?? ""
            let code = caller.signIn()
            caller.advance(.seconds(1800))
            #expect(cells(&caller, pending) == ["400", "400", "400", "400"])
            #expect(cells(&caller, code) == ["400", "400", "400", shown])
            caller.advance(.seconds(21_600 - 1800))
            caller.registerV2()
            #expect(cells(&caller, code) == ["400", "400", "400", "400"])
        }
    }

    @Test("a login that ends after the code saves nothing")
    func lateLogin() throws {
        var caller = try Caller.ofV2()
        let session = caller.session()
        let page = caller.openLogin(caller.get(session.member("url") ?? ""))
        caller.advance(.seconds(1800))
        let last = caller.finish(caller.submit(page, user: "a", password: "x"))
        #expect(last.headers["Location"] == "https://demo.test/done")
        #expect(caller.profiles().isEmptyMap)
    }

    @Test("SUPERSEDED by a newer session of the device, client and channel, and by no other (B41)")
    func superseded() throws {
        var caller = try Caller.ofV2()
        let code = caller.session().member("code") ?? ""
        let other = caller.session(device: "tv-2").member("code") ?? ""
        let newer = caller.session().member("code") ?? ""
        #expect(cells(&caller, code) == ["400", "400", "400", "400"])
        #expect(cells(&caller, other) == ["200", "200", "302", "{}"])
        #expect(cells(&caller, newer) == ["200", "200", "302", "{}"])
        caller.registerV2()
        _ = caller.session(device: "tv-2")
        #expect(caller.pollCode(other).isEmptyMap)
    }

    @Test("a completed code's profile stays when a newer session comes (B40)")
    func completedStays() throws {
        var caller = try Caller.ofV2()
        let code = caller.signIn()
        _ = caller.session("")
        #expect(caller.pollCode(code).profileShown == "DemoCable regular")
    }

    // MARK: A

    @Test("A leads to the provider at once, and no cookie is needed (§ 18)")
    func provider() throws {
        var caller = try Caller.ofV2()
        let session = caller.session()
        let start = caller.get(session.member("url") ?? "")
        #expect(start.status == 302)
        #expect(start.headers["Location"]?.hasPrefix("/mvpd/DemoCable/sso?SAMLRequest=") == true)
        #expect(start.headers["Set-Cookie"] == nil)
        caller.cookies = [:]
        let handOver = caller.submit(caller.openLogin(start), user: "viewer-1", password: "x")
        caller.cookies = [:]
        #expect(caller.finish(handOver).headers["Location"] == "https://demo.test/done")
        #expect(caller.profile().profileShown == "DemoCable regular")
    }

    @Test("a cancelled login arrives without a word, and the code stays usable")
    func cancelled() throws {
        var caller = try Caller.ofV2()
        let session = caller.session()
        let page = caller.openLogin(caller.get(session.member("url") ?? ""))
        let cancel = page.after("<a href=\"", upTo: "\"") ?? ""
        let last = caller.finish(caller.get(cancel))
        #expect(last.headers["Location"] == "https://demo.test/done")
        #expect(caller.pollCode(session.member("code") ?? "").isEmptyMap)
        caller.logIn(by: session)
        #expect(caller.profile().profileShown == "DemoCable regular")
    }

    @Test("A refuses in HTML")
    func html() throws {
        var caller = try Caller.ofV2()
        let reply = caller.get("/api/v2/authenticate/DEMOTV/ABC1234")
        #expect(reply.status == 400)
        #expect(reply.headers["Content-Type"] == "text/html;charset=utf-8")
    }

    @Test("the session's provider is the one whose login finished (B44)")
    func switched() throws {
        var caller = try Caller.ofV2()
        let session = caller.session()
        let code = session.member("code") ?? ""
        let page = caller.openLogin(caller.get(session.member("url") ?? ""))
        _ = caller.phone(.post, "sessions/\(code)", body: "mvpd=DemoSat")
        caller.finish(caller.submit(page, user: "viewer-1", password: "x"))
        #expect(caller.pollCode(code).profileShown == "DemoCable regular")
        #expect(caller.profile("DemoSat").isEmptyMap)
    }

    // MARK: Both protocols (I34)

    @Test("codes and sign-ins of one protocol are unknown to the other")
    func apart() throws {
        var caller = try Caller.ofV2()
        let session = caller.session().member("code") ?? ""
        caller.signIn(device: "tv-2")
        let bearer = caller.bearer
        caller.sendsDeviceInfo = true
        caller.register()
        let code = caller.issue()
        #expect(caller.record(session).status == 404)
        #expect(caller.logIn(session).status == 400)
        #expect(caller.check(session).status == 403)
        #expect(caller.poll("tv-2").status == 404)
        caller.logIn(code)
        #expect(caller.poll().status == 200)
        caller.bearer = bearer
        caller.sendsDeviceInfo = false
        #expect(caller.profiles().isEmptyMap)
        #expect(
            caller.phone(.get, "profiles/code/\(code)").refusal
                == "400 invalid_authentication_session")
        #expect(caller.get("/api/v2/authenticate/DEMOTV/\(code)").status == 400)
        // And a code of V1 does not supersede a session of the same device.
        #expect(caller.pollCode(session).isEmptyMap)
    }

    @Test("the approval shortcut signs in with a session's code")
    func approve() throws {
        var caller = try Caller.ofV2()
        let code = caller.session("").member("code") ?? ""
        let body = #"{"code":"\#(code)","mvpd":"DemoSat","user":"u"}"#
        #expect(caller.post("/_standin/approve", body: body).status == 204)
        #expect(caller.pollCode(code).profileShown == "DemoSat regular")
    }
}

extension Caller {
    /// From now on for that many seconds.
    mutating func degrade(_ rule: String, mvpd: String = "DemoCable", seconds: Int64 = 600) {
        let until = Self.epoch + now.nanoseconds / 1_000_000 + seconds * 1000
        let body =
            #"{"mvpd":"\#(mvpd)","rule":"\#(rule)","until":\#(until),"message":"back soon"}"#
        #expect(post("/_standin/degrade", body: body).status == 204)
    }
}
