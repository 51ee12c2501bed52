import Dialects
import Standin
import Testing

/// The table of rest-v1.md § 6.3, row by row: what each call says of a code in each state.
@Suite("the life of a code (rest-v1.md § 6.3)")
struct LifecycleTests {
    struct CounterRow: CustomTestStringConvertible, Sendable {
        var state: String
        var record: Int
        var authenticate: Int
        var checkCode: Int
        var preauthorizeCode: Int
        var poll: Int
        var reach: @Sendable (inout Caller) -> String

        var testDescription: String { state }
    }

    static let rows = [
        CounterRow(
            state: "CREATED", record: 200, authenticate: 302, checkCode: 403, preauthorizeCode: 412,
            poll: 404
        ) {
            $0.issue()
        },
        CounterRow(
            state: "USED", record: 200, authenticate: 302, checkCode: 403, preauthorizeCode: 412,
            poll: 404
        ) {
            let code = $0.issue()
            _ = $0.get(Caller.authenticate(code))
            return code
        },
        CounterRow(
            state: "BOUND", record: 200, authenticate: 400, checkCode: 200, preauthorizeCode: 200,
            poll: 200
        ) {
            let code = $0.issue()
            $0.logIn(code)
            return code
        },
        CounterRow(
            state: "FAILED login", record: 200, authenticate: 302, checkCode: 403,
            preauthorizeCode: 412, poll: 404
        ) {
            let code = $0.issue()
            let page = $0.openLogin($0.get(Caller.authenticate(code)))
            let cancel = page.after("<a href=\"", upTo: "\"") ?? ""
            let last = $0.finish($0.get(cancel))
            #expect(last.headers["Location"] == "https://demo.test/done?error=access_denied")
            return code
        },
        CounterRow(
            state: "EXPIRED", record: 404, authenticate: 400, checkCode: 403, preauthorizeCode: 412,
            poll: 404
        ) {
            let code = $0.issue()
            $0.advance(.seconds(1800))
            return code
        },
        CounterRow(
            state: "EXPIRED after BOUND", record: 404, authenticate: 400, checkCode: 403,
            preauthorizeCode: 412, poll: 200
        ) {
            let code = $0.issue()
            $0.logIn(code)
            $0.advance(.seconds(1800))
            return code
        },
        CounterRow(
            state: "DELETED", record: 404, authenticate: 400, checkCode: 403, preauthorizeCode: 412,
            poll: 404
        ) {
            let code = $0.issue()
            _ = $0.delete("\(Caller.codePath)/\(code)")
            return code
        },
        CounterRow(
            state: "DELETED after BOUND", record: 404, authenticate: 400, checkCode: 403,
            preauthorizeCode: 412, poll: 200
        ) {
            let code = $0.issue()
            $0.logIn(code)
            _ = $0.delete("\(Caller.codePath)/\(code)")
            return code
        },
        CounterRow(
            state: "superseded", record: 404, authenticate: 400, checkCode: 403,
            preauthorizeCode: 412, poll: 404
        ) {
            let code = $0.issue()
            _ = $0.issue()
            return code
        },
    ]

    @Test("each call answers as the table says", arguments: rows)
    func row(row: CounterRow) {
        var caller = Caller.registered()
        let code = row.reach(&caller)
        #expect(caller.get("\(Caller.codePath)/\(code)").status == row.record)
        #expect(
            caller.get("/api/v1/checkauthn/\(code)?requestor=DEMOTV").status == row.checkCode)
        #expect(
            caller.get("/api/v1/preauthorize/\(code)?requestor=DEMOTV&resource=a").status
                == row.preauthorizeCode)
        #expect(caller.poll().status == row.poll)
        #expect(caller.get(Caller.authenticate(code)).status == row.authenticate)
    }

    @Test("a failed login may be tried again")
    func retry() {
        var caller = Caller.registered()
        let code = caller.issue()
        let page = caller.openLogin(caller.get(Caller.authenticate(code)))
        let again = caller.submit(page, user: "ann", password: "wrong")
        #expect(again.status == 200)
        #expect(again.text.contains("class=\"error\""))
        let last = caller.finish(caller.submit(again, user: "ann", password: "right"))
        #expect(last.headers["Location"] == "https://demo.test/done")
        #expect(caller.poll().status == 200)
    }

    @Test("a login that ends after the code makes no token")
    func late() {
        var caller = Caller.registered()
        let code = caller.issue()
        let page = caller.openLogin(caller.get(Caller.authenticate(code)))
        caller.advance(.seconds(1800))
        let last = caller.finish(caller.submit(page, user: "ann", password: "right"))
        #expect(last.status == 302)
        #expect(last.headers["Location"] == "https://demo.test/done?error=access_denied")
        #expect(caller.poll().status == 404)
    }

    @Test("the last browser to begin wins, with its provider and its user")
    func lastWins() {
        var caller = Caller.registered()
        let code = caller.issue()
        let first = caller.get(Caller.authenticate(code, mvpd: "DemoCable"))
        let firstCookie = caller.cookies["AP_FLOW"]
        let firstPage = caller.openLogin(first)
        let firstCookies = caller.cookies
        let second = caller.get(Caller.authenticate(code, mvpd: "DemoSat"))
        #expect(caller.cookies["AP_FLOW"] != firstCookie)
        let secondPage = caller.openLogin(second)
        let secondCookies = caller.cookies
        caller.cookies = firstCookies
        let lost = caller.finish(caller.submit(firstPage, user: "ann", password: "right"))
        #expect(lost.headers["Location"]?.hasSuffix("?error=access_denied") == true)
        #expect(caller.poll().status == 404)
        caller.cookies = secondCookies
        caller.finish(caller.submit(secondPage, user: "bob", password: "right"))
        let token = caller.poll()
        #expect(token.member("mvpd") == "DemoSat")
        #expect(token.member("userId") == "bob")
    }

    @Test("neither polls nor a look at the record consume the code")
    func notConsumed() {
        var caller = Caller.registered()
        let code = caller.issue()
        for _ in 0..<20 {
            _ = caller.poll()
            _ = caller.get("\(Caller.codePath)/\(code)")
        }
        #expect(caller.logIn(code).headers["Location"] == "https://demo.test/done")
    }

    @Test("in the strict variant the first token answer deletes the record (A10)")
    func deletedOnRetrieval() {
        var caller = Caller.registered(
            ServiceSettings(policies: .init(throttle: nil), deleteOnFirstRetrieve: true))
        let code = caller.issue()
        caller.logIn(code)
        #expect(caller.get("\(Caller.codePath)/\(code)").status == 200)
        #expect(caller.poll().status == 200)
        #expect(caller.get("\(Caller.codePath)/\(code)").status == 404)
        #expect(caller.poll().status == 200)
    }

    @Test("a second sign-in replaces the first, whose code then leads nowhere")
    func newestWins() {
        var caller = Caller.registered()
        let first = caller.issue()
        caller.logIn(first, user: "ann")
        let second = caller.issue()
        caller.logIn(second, user: "bob")
        #expect(caller.poll().member("userId") == "bob")
        #expect(caller.get("/api/v1/checkauthn/\(first)?requestor=DEMOTV").status == 403)
        #expect(caller.get("/api/v1/checkauthn/\(second)?requestor=DEMOTV").status == 200)
    }
}
