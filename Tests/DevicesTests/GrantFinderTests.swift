import Dialects
import Journal
import Testing

@testable import Devices
@testable import Lanes

/// The pages of `Pages/Grants` are those that django-oauth-toolkit 3.4.1 and django-allauth 65.21.1 served.
@Suite struct GrantFinderTests {
    private func step(
        _ name: String, _ progress: GrantProgress = GrantProgress(),
        _ pages: GrantPages = GrantPages()
    ) -> String {
        words(HTMLPage(Pages.html("Grants/\(name)")), progress, pages)
    }

    private func words(
        _ page: HTMLPage, _ progress: GrantProgress, _ pages: GrantPages, isForCode: Bool = false,
        isAfterLogin: Bool = false
    ) -> String {
        let finder = GrantFinder(
            page: page, pages: pages, progress: progress, isForCode: isForCode,
            isAfterLogin: isAfterLogin)
        switch finder.step {
        case .enter(let form, let field):
            let fields = form.filled(field, with: "AB-12").map { "\($0.0)=\($0.1)" }
            return "enter \(fields.joined(separator: " "))"
        case .decide(let form, let button):
            let fields = form.pressed(button).map { "\($0.0)=\($0.1)" }
            return "decide \(fields.joined(separator: " "))"
        case .turnedDown: return "turned down"
        case .stuck: return "stuck"
        case .other: return "other"
        }
    }

    private let entered = GrantProgress(hasEnteredCode: true)
    private let refusing = GrantProgress(refuses: true, hasEnteredCode: true)

    @Test("the code goes into the field for it, with what the form holds besides")
    func enter() {
        #expect(step("dot-code") == "enter csrfmiddlewaretoken=CSRF user_code=AB-12")
        #expect(step("allauth-code") == "enter code=AB-12")
    }

    @Test(
        "the only text of the page for the code is the code, unless it asks for a user",
        arguments: [
            ("otp", true), ("otc", true), ("pin", true), ("token", true), ("x", true),
            ("username", false), ("email", false), ("login", false),
        ])
    func loneField(name: String, isCode: Bool) {
        let page = HTMLPage("<form method=post><input name=\(name)><button>Next</button></form>")
        let pages = GrantPages()
        let start = GrantProgress()
        #expect(
            words(page, start, pages, isForCode: true)
                == (isCode ? "enter \(name)=AB-12" : "other"))
        // After a login it may be that login's one-time code.
        #expect(
            words(page, start, pages, isForCode: true, isAfterLogin: true)
                == (isCode && name != "otp" ? "enter \(name)=AB-12" : "other"))
        // A login, or its one-time code, on another page.
        #expect(words(page, start, pages) == "other")
        #expect(words(page, entered, pages, isForCode: true) == "other")
        var back = entered
        back.codeField = name
        #expect(words(page, back, pages) == (isCode ? "turned down" : "other"))
        let two = HTMLPage("<form method=post><input name=\(name)><input name=b></form>")
        #expect(words(two, start, pages, isForCode: true) == "other")
    }

    @Test(
        "a page for the code that comes back turns the code down",
        arguments: ["dot-wrong-code", "allauth-wrong-code"])
    func wrongCode(name: String) {
        #expect(step(name, entered) == "turned down")
    }

    @Test("a page that asks for a code which a link should hold is told as that")
    func linkWithoutCode() throws {
        func reason(_ progress: GrantProgress) throws -> String {
            let page = HTMLPage("<form method=post><input name=user_code></form>")
            let finder = GrantFinder(page: page, pages: GrantPages(), progress: progress)
            guard case .turnedDown(let reason) = finder.step else { return "" }
            return OutputGate(Fingerprinter(key: 1)).text(reason)
        }
        #expect(
            try reason(entered).hasPrefix("the page that verification_uri_complete leads to asks"))
        var typed = entered
        typed.codeField = "user_code"
        #expect(try reason(typed) == "the page that asks for the code came back after it was sent")
    }

    @Test(
        "a code that the link has filled in is sent as it is, whatever its field is called (RFC 8628, 3.3.1)"
    )
    func filledIn() {
        for value in ["AB-12", "ab12"] {
            let page = HTMLPage(
                "<form method=post><input type=hidden name=t value=1><input name=screen_letters value=\(value)></form>"
            )
            func step(_ progress: GrantProgress, _ code: String) -> String {
                let finder = GrantFinder(
                    page: page, pages: GrantPages(), progress: progress, code: code)
                guard case .enter(_, let field) = finder.step else { return "" }
                return field
            }
            #expect(step(entered, "AB-12") == "screen_letters")
            #expect(step(entered, "CD-34").isEmpty)
            var sent = entered
            sent.codeField = "screen_letters"
            #expect(
                words(page, sent, GrantPages()) == "turned down", "it came back after it was sent")
        }
    }

    @Test("a decision that is led on goes on as in a browser until a response shows its result")
    func ledOn() throws {
        let origin = Origin(scheme: .https, host: "tv.example.test")
        var terms = DeviceGrantTerms.Preset.standard.terms
        terms.approvedWhen = ["linked"]
        let dialect = DeviceGrant(origin: origin, prefix: "", terms: terms)
        var sent = dialect.hop(
            .post, WebAddress(origin: origin, target: "/consent"), form: [("d", "allow")],
            referer: WebAddress(origin: origin, target: "/device"))
        (sent.operation, sent.code) = (.approval, Code("AB-12"))
        func answered(_ status: Int, _ location: String, to call: Call) -> Answered {
            let reply = Reply(status: status, headers: ["Location": location], body: [])
            let reading = dialect.read(reply, to: call)
            let exchange = Exchange(
                lane: 0, sequence: 0, device: DeviceID(household: 0, role: .secondScreen),
                operation: call.operation, planned: .start, sent: .start, ended: .start,
                delivery: .answered(status: status), outcome: reading.outcome,
                observation: reading.observation)
            return Answered(exchange: exchange, answer: reading.answer, page: nil)
        }
        let kept = try #require(
            dialect.next(ofDecision: sent, after: answered(307, "/final", to: sent)))
        #expect(kept.method == .post && kept.body == sent.body && kept.decided == .approval)
        #expect(kept.address.target == "/final" && kept.operation == .verificationPage)
        let page = try #require(
            dialect.next(ofDecision: kept, after: answered(303, "/end", to: kept)))
        #expect(page.method == .get && page.body.isEmpty && page.decided == .approval)
        #expect(kept.code == sent.code && page.code == sent.code, "it is about the same code")
        #expect(
            dialect.next(ofDecision: kept, after: answered(303, "/end?s=linked", to: kept)) == nil)
        sent.operation = .verificationPage
        #expect(dialect.next(ofDecision: sent, after: answered(303, "/end", to: sent)) == nil)
    }

    @Test("the buttons of a decision are found by their names")
    func decide() {
        #expect(
            step("dot-decision", entered)
                == "decide csrfmiddlewaretoken=CSRF action=accept")
        #expect(
            step("dot-decision", refusing)
                == "decide csrfmiddlewaretoken=CSRF action=deny")
        #expect(step("allauth-decision", entered).hasSuffix(" action=confirm"))
        #expect(step("allauth-decision", refusing).hasSuffix(" action=deny"))
    }

    @Test(
        "the buttons of a decision are found by what stands on them",
        arguments: [
            """
            <form method=post><button name=b value=1>Don't allow</button>
            <button name=b value=2><b>Allow</b> access</button></form>
            """,
            """
            <form method=post><input type=hidden name=b value=1><button>Deny</button></form>
            <form method=post><input type=hidden name=b value=2><button>Allow</button></form>
            """,
            """
            <form method=post action=/0><input type=hidden name=b value=1><button>No, this is not my TV</button></form>
            <form method=post action=/1><input type=hidden name=b value=2><button>Yes, connect it</button></form>
            """,
        ])
    func labels(html: String) {
        let page = HTMLPage(html)
        #expect(words(page, entered, GrantPages()) == "decide b=2")
        #expect(words(page, refusing, GrantPages()) == "decide b=1")
    }

    @Test("of two forms without words, a hidden field that a rig names tells which decides")
    func hiddenFields() throws {
        let html = ["deny", "allow"].map { word in
            """
            <form method=post><input type=hidden name=csrf value=c-\(word)-17>
            <input type=hidden name=for value=tv><input type=hidden name=d value=\(word)>
            <button>\(word == "deny" ? "Weg" : "Weiter")</button></form>
            """
        }
        let page = HTMLPage(html.joined())
        let pages = GrantPages(approveButton: "d=allow", refuseButton: "d=deny")
        #expect(words(page, entered, pages) == "decide csrf=c-allow-17 for=tv d=allow")
        #expect(words(page, refusing, pages) == "decide csrf=c-deny-17 for=tv d=deny")
        guard
            case .stuck(let reason) = GrantFinder(
                page: page, pages: GrantPages(), progress: entered
            ).step
        else {
            Issue.record("no reason")
            return
        }
        let text = OutputGate(Fingerprinter(key: 1)).text(reason)
        #expect(text.contains("with a name, and the hidden fields 'd=deny', 'd=allow'; name"))
    }

    @Test("a rig's own buttons come first, and others are not pressed in their place")
    func ownButtons() {
        let html = """
            <form method=post><input type=hidden name=t value=1><button name=go value=no>Stop</button>
            <button name=go value=yes>Go</button></form>
            """
        let page = HTMLPage(html)
        let pages = GrantPages(approveButton: "go=yes", refuseButton: "go=no")
        #expect(words(page, entered, pages) == "decide t=1 go=yes")
        #expect(words(page, refusing, pages) == "decide t=1 go=no")
        #expect(words(page, entered, GrantPages(approveButton: "go=maybe")) == "stuck")
        #expect(words(page, entered, GrantPages()) == "stuck")
    }

    @Test(
        "a decision among radio buttons is made by the rig's NAME=VALUE, and sent by the form's button"
    )
    func radioButtons() {
        let html = """
            <form method=post><input type=hidden name=t value=1><input type=radio name=d value=allow>
            <input type=radio name=d value=deny checked><input type=radio name=for value=day checked>
            <button>OK</button></form>
            """
        let page = HTMLPage(html)
        let pages = GrantPages(approveButton: "d=allow", refuseButton: "d=deny")
        #expect(words(page, entered, pages) == "decide t=1 d=allow for=day")
        #expect(words(page, refusing, pages) == "decide t=1 d=deny for=day")
        func reason(_ pages: GrantPages) -> String {
            guard
                case .stuck(let reason) = GrantFinder(page: page, pages: pages, progress: entered)
                    .step
            else { return "" }
            return OutputGate(Fingerprinter(key: 1)).text(reason)
        }
        #expect(
            reason(GrantPages())
                == "asks for a decision, and none of its buttons is known to approve; it has 'd=allow', 'd=deny', "
                + "'for=day'; name the button, the radio button to choose, or a hidden field of the form, with target.device-grant: "
                + "{approve-button: \"NAME=VALUE\"}")
        #expect(
            reason(GrantPages(approveButton: "d=yes"))
                == "asks for a decision, and has no button or radio button 'd=yes' "
                + "(target.device-grant.approve-button); it has 'd=allow', 'd=deny', 'for=day'; write one of its "
                + "own as NAME=VALUE")
    }

    @Test("a decision of two forms is told apart by their addresses")
    func twoForms() {
        let html = """
            <form method=post action=/device/deny><button>No</button></form>
            <form method=post action=/device/ok><button>Allow this device</button></form>
            """
        let pages = GrantPages()
        guard
            case .decide(let form, _) = GrantFinder(
                page: HTMLPage(html), pages: pages, progress: refusing
            ).step
        else {
            Issue.record("no decision was found")
            return
        }
        #expect(form.action == "/device/deny")
    }

    @Test("a page of a login, and one that asks for nothing, are none of a device grant")
    func others() {
        #expect(step("dot-status", entered) == "other")
        let login = "<form method=post><input name=code><input type=password name=p></form>"
        #expect(words(HTMLPage(login), GrantProgress(), GrantPages()) == "other")
    }
}
