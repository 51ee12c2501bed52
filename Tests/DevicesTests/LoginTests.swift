import Dialects
import Foundation
import Journal
import Testing

@testable import Devices

/// Logins at providers of different make, each invented in the style of one that is met.
@Suite struct LoginTests {
    typealias Turn = FakeTarget.Turn

    /// The provider's pages, and what the next request after each must be. USER and PASSWORD stand
    /// for the account's.
    struct Provider: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var pages: [String]
        var requests: [(String, [String])]
        var rig = ""
    }

    static let providers = [
        Provider(
            testDescription: "a plain form beside a search, with a relative action",
            pages: ["plain"],
            requests: [
                (
                    "POST /check.php?from=tv&lang=en",
                    ["token=a\"b", "customer=USER", "pwd=PASSWORD", "submit=Log in"]
                )
            ]),
        Provider(
            testDescription: "SAML: session storage, login, consent with a reject button first",
            pages: ["shibboleth-storage", "shibboleth-login", "shibboleth-consent"],
            requests: [
                (
                    "POST /idp/profile/SAML2/Redirect/SSO?execution=e1s1",
                    ["csrf_token=_c0ffee", "shib_idp_ls_supported=", "_eventId_proceed="]
                ),
                (
                    "POST /idp/profile/SAML2/Redirect/SSO?execution=e1s2",
                    [
                        "csrf_token=_decaf", "j_username=USER", "j_password=PASSWORD",
                        "_eventId_proceed=",
                    ]
                ),
                (
                    "POST /idp/profile/SAML2/Redirect/SSO?execution=e1s3",
                    [
                        "csrf_token=_babe", "_shib_idp_consentIds=uid",
                        "_shib_idp_consentOptions=_shib_idp_rememberConsent",
                        "_eventId_proceed=Accept",
                    ]
                ),
            ]),
        Provider(
            testDescription: "a realm with a language form and an absolute action",
            pages: ["keycloak"],
            requests: [
                (
                    "POST /realms/demo/login-actions/authenticate?session_code=mNx8&execution=8c1a&client_id=sp&tab_id=9Z",
                    ["username=USER", "password=PASSWORD", "credentialId=", "login=Sign In"]
                )
            ]),
        Provider(
            testDescription: "a federation service whose button is no button",
            pages: ["adfs"],
            requests: [
                (
                    "POST /adfs/ls/?SAMLRequest=fZJ&RelayState=r1",
                    ["UserName=USER", "Password=PASSWORD", "AuthMethod=FormsAuthentication"]
                )
            ]),
        Provider(
            testDescription: "two steps, with a base address and a newsletter form",
            pages: ["okta-user", "okta-password"],
            requests: [
                ("POST /signin/identify", ["stateToken=02.id.x", "identifier=USER"]),
                (
                    "POST /signin/challenge/verify",
                    ["stateToken=02.id.y", "credentials.passcode=PASSWORD"]
                ),
            ]),
        Provider(
            testDescription: "hidden state, no action, social logins beside",
            pages: ["auth0"],
            requests: [
                (
                    "POST /login?SAMLRequest=q",
                    [
                        "state=hKFo2SBxT1lDUGJXd0hGZ3dxTmx", "username=USER",
                        "password=PASSWORD", "action=default",
                    ]
                )
            ]),
        Provider(
            testDescription: "view state, a list, and buttons with addresses of their own",
            pages: ["aspnet"],
            requests: [
                (
                    "POST /SignIn.aspx?step=2",
                    [
                        "__VIEWSTATE=/wEPDwUKLTI2NjY5NDcyMA9kFgICAw9kFgICBQ8PFgIeBFRleHQFBUhlbGxvZGRk+K1Zz5Yw==",
                        "__EVENTTARGET=", "ctl00$Main$txtUser=USER", "ctl00$Main$txtPass=PASSWORD",
                        "ctl00$Main$region=S", "ctl00$Main$btnLogin=Sign in",
                    ]
                )
            ]),
        Provider(
            testDescription: "a carrier with five forms, the login twice, terms to accept",
            pages: ["carrier"],
            requests: [
                (
                    "POST /login/password",
                    ["csrf=1", "phoneNumber=USER", "pin=PASSWORD", "terms=yes"]
                )
            ]),
        Provider(
            testDescription: "a page that leads on by itself, and then a login",
            pages: ["refresh", "plain"],
            requests: [
                ("GET /go/next?x=1&y=2", ["x=1", "y=2"]),
                (
                    "POST /go/check.php?from=tv&lang=en",
                    ["token=a\"b", "customer=USER", "pwd=PASSWORD", "submit=Log in"]
                ),
            ]),
        Provider(
            testDescription: "two logins, and a rig that says which",
            pages: ["two-logins"],
            requests: [("POST /customer", ["kunde=USER", "geheim=PASSWORD"])],
            rig: "login: {form: 2}"),
        Provider(
            testDescription: "two logins, and a rig that names the fields",
            pages: ["two-logins"],
            requests: [("POST /customer", ["kunde=USER", "geheim=PASSWORD"])],
            rig: "login: {user: kunde, password: geheim}"),
    ]

    @Test(
        "a login is walked to its end, and every request is what a browser would send",
        arguments: providers)
    func walked(provider: Provider) throws {
        let run = try FakeRun(provider.rig) { fields, number in
            let page = number < provider.pages.count ? provider.pages[number] : "hand-over"
            let turn = Turn.page(page)
            guard number > 0, number <= provider.requests.count else { return turn }
            let (target, expected) = provider.requests[number - 1]
            let user = FakeRun.user
            let secret = fields.first { $0.contains("=pw-") }?.split(separator: "=").last ?? ""
            return turn.when(
                target,
                expected.map { Self.typed($0, user: user, password: String(secret)) })
        }
        #expect(run.target.complaints == [])
        #expect(run.causes == [""])
        #expect(run.fates == [.signedIn])
        #expect(run.ledger.pages.isEmpty)
    }

    private static func typed(_ field: String, user: String, password: String) -> String {
        if field.hasSuffix("=USER") { return field.dropLast(4) + user }
        return field.hasSuffix("=PASSWORD") ? field.dropLast(8) + password : field
    }

    @Test(
        "what cannot be got past says why, with the remedy, and the page is kept",
        arguments: [
            (
                "script-only", "",
                "the page at http://idp.test/login ('TV Sign-in') needs JavaScript and has no "
                    + "form that can be sent without ('You need to enable JavaScript to run this "
                    + "app.'); let a program do the login with login: {command: PROGRAM}"
            ),
            (
                "one-time-code", "",
                "the page at http://idp.test/login ('Two-step verification') asks for a one-time "
                    + "code (field 'otp'); let a program do the login with login: {command: "
                    + "PROGRAM}"
            ),
            (
                "two-logins", "",
                "the page at http://idp.test/login ('Welcome') has 2 forms that ask for a "
                    + "password: form 1 (POST /staff) with staff_user, staff_pw[password]; form "
                    + "2 (POST /customer) with kunde, geheim[password]; choose one with login: "
                    + "{form: N}"
            ),
            (
                "two-logins", "login: {form: 3}",
                "the page at http://idp.test/login ('Welcome') has 2 forms, and login: {form: 3} asks for another: form 1 (POST /staff) with staff_user, staff_pw[password]; form 2 (POST /customer) with kunde, geheim[password]"
            ),
            (
                "captcha", "",
                "mvpd-login answered 200 a reCAPTCHA: it blocks automated clients; ask for an "
                    + "exception "
                    + "for the rig's addresses, or let a program do the login with login: "
                    + "{command: PROGRAM}"
            ),
        ])
    func stuck(page: String, rig: String, cause: String) throws {
        let run = try FakeRun(rig, provider: FakeRun.script(.page(page)))
        #expect(run.causes == [cause])
        #expect(run.fates == [.failed])
        #expect(run.ledger.pages.map(\.cause) == [cause])
    }

    @Test("a login that ends on a page is complete where the service says so, and the page is kept")
    func endsOnPage() throws {
        let cause =
            "the login ended on the page at http://idp.test/check.php ('Signed in') and never reached the redirect URL"
        for signsIn in [true, false] {
            let run = try FakeRun(
                stopAfter: .seconds(60),
                provider: FakeRun.script(.page("plain"), .page("signed-in").signing(in: signsIn)))
            #expect(run.fates == [signsIn ? .signedIn : .failed])
            #expect(
                run.causes
                    == [
                        signsIn ? "" : "check-code still reported no sign-in 5 tries after \(cause)"
                    ])
            #expect(run.ledger.pages.map(\.cause) == [cause])
        }
    }

    @Test("a page without a login that comes before the password is where it stops")
    func noLogin() throws {
        let run = try FakeRun(provider: FakeRun.script(.page("signed-in")))
        #expect(run.fates == [.failed])
        #expect(run.causes.first?.contains("none asks for a password") == true)
    }

    @Test("the requests from the credentials on name the account, unless they are turned down")
    func namesAccount() throws {
        let run = try FakeRun(
            provider: FakeRun.script(.page("keycloak"), .page("keycloak-refused")))
        let logins = run.ledger.exchanges.filter { $0.operation == .mvpdLogin }
        #expect(logins.map(\.observation.tag) == [nil, nil])
        #expect(logins.map(\.observation.result) == [.none, .denied])
        let page = try FakeRun(
            stopAfter: .seconds(60),
            provider: FakeRun.script(.page("plain"), .page("signed-in").signing(in: true)))
        let hops = page.ledger.exchanges.filter { $0.operation == .mvpdLogin }
        #expect(hops.map(\.observation.tag?.user) == [nil, FakeRun.user])
    }

    @Test("a page of what stands in front is blocked, by its marks or its headers")
    func blocked() throws {
        let cases: [(Turn, String)] = [
            (.page("captcha"), "a reCAPTCHA"),
            (.page("cloudflare", status: 403), "a Cloudflare challenge"),
            (.page("cloudflare", status: 503), "a Cloudflare challenge"),
            (
                .page("refresh", status: 403, headers: ["cf-mitigated": "challenge"]),
                "a Cloudflare challenge"
            ),
            (
                .page("refresh", status: 403, headers: ["Server": "AkamaiGHost"]),
                "a block page of Akamai"
            ),
        ]
        for (turn, reason) in cases {
            let run = try FakeRun(provider: FakeRun.script(turn))
            let hop = run.ledger.exchanges.last { $0.operation == .mvpdLogin }
            #expect(hop?.outcome == .blocked)
            #expect(hop?.reason == reason)
        }
    }

    @Test("a captcha beside a login form asks nobody yet: the form is used")
    func captchaBesideForm() {
        let html = Pages.html("plain") + "<div class=g-recaptcha></div>"
        let reply = Reply(
            status: 200, headers: ["Content-Type": "text/html"], body: Array(html.utf8))
        #expect(Wall.kind(of: reply) == nil)
    }

    @Test(
        "a password that is not taken is told from everything else, with the provider's words",
        arguments: [
            (200, ""), (401, ""), (200, "login: {failed-when: Invalid username}"),
        ])
    func refused(status: Int, rig: String) throws {
        let run = try FakeRun(
            rig,
            provider: FakeRun.script(
                .page("keycloak"), .page("keycloak-refused", status: status)))
        let cause = try #require(run.causes.first)
        #expect(
            cause
                == (rig.isEmpty
                    ? "the provider's login page came back after the password: 'Invalid username or password.'"
                    : "the page after the password says 'Invalid username'"))
        #expect(run.ledger.pages.count == 1)
    }

    @Test(
        "a question after the password turns no account down, and what cannot be answered is named",
        arguments: [
            (
                "<form method=post action=/pin><input type=password name=pin></form>",
                "asks for something else after the password: form 1 (POST /pin) with pin[password]; let a "
                    + "program do the login with login: {command: PROGRAM}"
            ),
            (
                "<form method=post action=/pet><input name=pet></form>",
                "asks for something else after the password: form 1 (POST /pet) with pet; let a "
                    + "program do the login with login: {command: PROGRAM}"
            ),
        ])
    func asksMore(page: String, reason: String) throws {
        let run = try FakeRun(
            provider: FakeRun.script(
                .page("keycloak"),
                .html("<html><head><title>PIN</title></head><body>\(page)</body></html>")))
        let cause = try #require(run.causes.first)
        #expect(cause.hasPrefix("the page at http://idp.test/"), "\(cause)")
        #expect(cause.hasSuffix(" ('PIN') \(reason)"), "\(cause)")
    }

    @Test("a page's form is sent in what the page is in")
    func otherCharset() throws {
        let form = """
            <form method=post action=/login><input type=hidden name=kunde value='Größe'>
            <input name=user><input type=password name=pass></form>
            """
        let bytes = form.unicodeScalars.map { UInt8($0.value) }
        let page = Reply(
            status: 200, headers: ["Content-Type": "text/html; charset=iso-8859-1"], body: bytes)
        let run = try FakeRun(
            provider: FakeRun.script(
                FakeTarget.Turn(reply: page),
                .page("hand-over").when("POST /login")))
        #expect(run.fates == [.signedIn], "\(run.causes)")
        #expect(run.target.bodies.contains { $0.hasPrefix("kunde=Gr%F6%DFe&user=") })
    }

    @Test("a viewer who mistypes the password types it again, and the first try is no error")
    func mistyped() throws {
        let run = try FakeRun(
            "kinds: [{viewer: {notices-code: 1s, signs-in: 2s, gives-up: 0%, wrong-password: 100%}}]",
            provider: FakeRun.script(
                .page("keycloak"), .page("keycloak-refused"), .page("hand-over")))
        #expect(run.fates == [.signedIn])
        #expect(run.ledger.exchanges.filter(\.provoked).map(\.operation) == [.mvpdLogin])
        #expect(!run.ledger.events.contains { $0.name == "wrong password accepted" })
    }

    @Test("a login that does not look at the password is told")
    func anyPassword() throws {
        let run = try FakeRun(
            "kinds: [{viewer: {notices-code: 1s, signs-in: 2s, gives-up: 0%, wrong-password: 100%}}]",
            provider: FakeRun.script(.page("keycloak"), .page("hand-over")))
        #expect(run.fates == [.signedIn])
        let event = try #require(
            run.ledger.events.first { $0.name == "wrong password accepted" })
        #expect(event.detail == "idp.test")
    }

    @Test(
        "who a mistyped password signs in is known from there on: the provider may take it, and lead on by itself"
    )
    func anyPasswordLedOn() throws {
        let run = try FakeRun(
            "kinds: [{viewer: {notices-code: 1s, signs-in: 2s, gives-up: 0%, wrong-password: 100%}}]",
            provider: FakeRun.script(
                .page("keycloak"),
                FakeTarget.Turn(
                    reply: Reply(status: 303, headers: ["Location": "/done"], body: [])),
                .page("hand-over").when("GET /done")))
        #expect(run.fates == [.signedIn], "\(run.causes)")
        let hops = run.ledger.exchanges.filter { $0.operation == .mvpdLogin }
        #expect(hops.count == 3)
        #expect(hops.dropFirst().allSatisfy { $0.observation.tag != nil })
        #expect(run.ledger.events.contains { $0.name == "wrong password accepted" })
    }

    @Test("the page of the app is fetched once where the rig says so, and whatever it answers")
    func fetchedReturn() throws {
        for (line, fetched) in [("", 0), ("fetch-redirect: true, ", 1)] {
            let run = try FakeRun(
                target: line + "redirect-url: \"http://idp.test/app/done\", ",
                provider: { _, number in
                    number == 1
                        ? .page("plain", status: 404).when("GET /app/done") : .page("hand-over")
                }, returns: "http://idp.test/app/done")
            #expect(run.fates == [.signedIn])
            #expect(run.target.complaints.isEmpty, "\(run.target.complaints)")
            #expect(run.target.calls.count { $0 == "GET /app/done" } == fetched)
        }
    }

    @Test("one text field on the first page is for the user, whatever its name; a search is not")
    func loneField() throws {
        let first = FakeTarget.Turn(
            reply: Reply(
                status: 200, headers: ["Content-Type": "text/html"],
                body: Array(
                    """
                    <script>1</script><form action="/find"><input name="q"></form>
                    <form method="post" action="/who"><input name="_x" type="hidden" value="1">
                    <input name="kennung"><button>Weiter</button></form>
                    <form method="post" action="/newsletter"><input type="email" name="e"></form>
                    """.utf8)))
        let run = try FakeRun(
            provider: FakeRun.script(
                first, .page("okta-password").when("POST /who"),
                .page("hand-over").when("POST /signin/challenge/verify")))
        #expect(run.target.complaints.isEmpty, "\(run.target.complaints)")
        #expect(run.fates == [.signedIn])
    }

    @Test("redirects 307 and 308 keep the form, others do not", arguments: [307, 308, 302, 303])
    func keptForms(status: Int) throws {
        let isKept = status >= 307
        let run = try FakeRun(provider: { fields, number in
            switch number {
            case 0: return .page("plain")
            case 1:
                return Turn(
                    reply: Reply(status: status, headers: ["Location": "/moved?step=2"]))
            case 2:
                let isSame = fields.contains { $0.hasPrefix("pwd=") }
                return (isKept == isSame ? Turn.page("hand-over") : .page("signed-in"))
                    .when("\(isKept ? "POST" : "GET") /moved?step=2")
            default: return .page("signed-in")
            }
        })
        #expect(run.fates == [.signedIn], "\(run.causes)")
        #expect(run.target.complaints.isEmpty, "\(run.target.complaints)")
    }

    @Test("a page that leads on by a script is followed, relative to its base, with its delay")
    func scripted() throws {
        let first = FakeTarget.Turn(
            reply: Reply(
                status: 200, headers: ["Content-Type": "text/html"],
                body: Array(
                    """
                    <html><head><base href="/deep/"></head><body onload="go()"><p>One moment</p><script>
                    function go() { setTimeout(function () { location.replace("next?x=1") }, 1500); }
                    </script></body></html>
                    """.utf8)))
        let run = try FakeRun(
            provider: FakeRun.script(
                first, .page("plain").when("GET /deep/next?x=1"),
                .page("hand-over").when("POST /deep/check.php?from=tv&lang=en")))
        #expect(run.target.complaints.isEmpty, "\(run.target.complaints)")
        #expect(run.fates == [.signedIn])
    }

    @Test(
        "a script that leads elsewhere than to an address ends the login with the page kept",
        arguments: [
            (
                "location.href = 'app://done'",
                "the page at http://idp.test/login leads on to what is no address of http or https; let a "
                    + "program do the login with login: {command: PROGRAM}"
            ),
            (
                "location.href = next",
                "the page at http://idp.test/login needs JavaScript: its script leads on, and not to an "
                    + "address that is written out, nor by a form that it names; let a program do the login "
                    + "with login: {command: PROGRAM}, such as rigs/login-browser.py"
            ),
        ])
    func astray(script: String, cause: String) throws {
        let page = FakeTarget.Turn(
            reply: Reply(
                status: 200, headers: ["Content-Type": "text/html"],
                body: Array("<p>One moment</p><script>\(script)</script>".utf8)))
        let run = try FakeRun(provider: FakeRun.script(page))
        #expect(run.causes == [cause])
        #expect(run.ledger.pages.map(\.cause) == [cause])
    }

    @Test("cookies are those of one login")
    func cookies() throws {
        let run = try FakeRun("after-sign-in: [{again: 100%}]") { _, number in
            number % 2 == 0
                ? .page("plain", headers: ["Set-Cookie": "S=\(number); Path=/"])
                : .page("hand-over")
        }
        #expect(run.fates == [.signedIn])
        #expect(run.target.cookies == ["S=0", "S=2"])
    }

    @Test(
        "cookies that did not fit are the cause of a login that fails after them, and are counted")
    func tooManyCookies() throws {
        let flood = Headers((0..<60).map { Headers.Field("Set-Cookie", "c\($0)=1; Path=/") })
        let run = try FakeRun { _, number in
            number == 0
                ? .page("plain", headers: flood)
                : FakeTarget.Turn(
                    reply: Reply(
                        status: 400, headers: ["Content-Type": "text/html"],
                        body: Array("<p>No session</p>".utf8)))
        }
        let cause = try #require(run.causes.first)
        #expect(
            cause.hasPrefix(
                "10 cookies did not fit into the browser, which keeps 50 of a host (RFC 6265, 6.1), so "
                    + "that the login may have lost its session: "), "\(cause)")
    }

    @Test("a kept page tells what was seen, and holds no value and no password")
    func keptPage() {
        var known = KnownSecrets()
        known.note(Secret("secret9"))
        let page = HTMLPage(
            Pages.html("aspnet") + Pages.html("script-only") + "<p>secret9 twice: secret9</p>")
        let text = KeptPage.text(
            page, at: WebAddress("http://idp.test/a?ticket=x")!, status: 200,
            cause: "because <script>-- of", household: 3,
            through: OutputGate(Fingerprinter(key: 1)).knowing(known))
        #expect(text.contains("<pre>screenrig: a login stopped at this page"))
        #expect(text.contains("form 1 (POST ./Login.aspx) with __VIEWSTATE[hidden]"))
        #expect(text.contains("&lt;title&gt;"))
        for secret in ["/wEPDw", "3kd93kdk", "secret9", "ticket", "ReturnUrl=%2fsso"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        // Nothing of the page is markup: a browser that opens the file runs and fetches nothing.
        let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
        #expect(text.hasPrefix("<!DOCTYPE html>\n<html><head>\(policy)"))
        let tags = Set(text.matches(of: #/<[a-z]+/#).map { String($0.output) })
        #expect(tags == ["<html", "<head", "<meta", "<title", "<body", "<pre", "<hr"])
    }
}
