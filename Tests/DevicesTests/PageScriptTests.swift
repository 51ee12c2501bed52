import TestSupport
import Testing

@testable import Devices
@testable import Rigs

/// What the inline scripts of a page do by themselves (`PageScripts`).
@Suite struct PageScriptTests {
    private static func told(_ html: String) -> String {
        switch HTMLPage(html).scripted {
        case .none: "none"
        case .unclear: "unclear"
        case .go(let target, let delay): "go \(target)\(delay == .zero ? "" : " after \(delay)")"
        case .submit(let form, let delay):
            "submit \(form.action)\(delay == .zero ? "" : " after \(delay)")"
        }
    }

    private static func script(_ text: String) -> String {
        told(
            "<html><body><form id=a name=first action=/one method=post><input type=hidden name=x></form>"
                + "<form id=b name=second action=/two method=post><input type=hidden name=y></form>"
                + "<script>\(text)</script></body></html>")
    }

    @Test(
        "the literal forms are followed",
        arguments: [
            (#"location = "/next""#, "go /next"),
            (#"window.location = '/next';"#, "go /next"),
            (#"location.href = "/next";"#, "go /next"),
            (#"window.location.href='/next'"#, "go /next"),
            (#"document.location.href = '/next'"#, "go /next"),
            (#"self.location = '/next'"#, "go /next"),
            (#"top.location.href = '/next'"#, "go /next"),
            (#"location.assign("/next")"#, "go /next"),
            (#"window.location.replace('/next');"#, "go /next"),
            (#"location.href = `/next`"#, "go /next"),
            (
                #"location.href = "https:\/\/sp.test\/acs?a=1\u0026b=2\x26c=3""#,
                "go https://sp.test/acs?a=1&b=2&c=3"
            ),
            ("var n = 1;\nlocation.href = '/next'\nvar m = 2", "go /next"),
            ("<!--\nlocation.href = '/next';\n//-->", "go /next"),
            ("//<![CDATA[\nlocation.href = '/next';\n//]]>", "go /next"),
            ("/* leave */ location /* here */ . href = '/next'", "go /next"),
            ("(function () { location.href = '/next'; })();", "go /next"),
            ("!function(){location.replace('/next')}()", "go /next"),
            ("(() => { location.href = '/next' })()", "go /next"),
            ("window.onload = function () { location.href = '/next'; };", "go /next"),
            ("function go() { location.href = '/next'; } window.onload = go;", "go /next"),
            ("go(); function go() { location.href = '/next'; }", "go /next"),
            (
                "document.addEventListener('DOMContentLoaded', () => { location.href = '/next' })",
                "go /next"
            ),
            (
                "setTimeout(function () { location.href = '/next' }, 2000);",
                "go /next after 2.0 seconds"
            ),
            ("setTimeout(\"location.href = '/next'\", 0)", "go /next"),
            ("try { location.href = '/next' } catch (e) { alert(e) }", "go /next"),
            (
                "if (self !== top) { top.location = '/frame'; }\nlocation.href = '/next';",
                "go /next"
            ),
            ("location.href = '/next'; location.href = '/next';", "go /next"),
            ("document.forms[0].submit()", "submit /one"),
            ("document.forms[1].submit();", "submit /two"),
            ("document.forms['second'].submit()", "submit /two"),
            ("document.forms.second.submit()", "submit /two"),
            ("document.second.submit()", "submit /two"),
            ("window.document.getElementById('b').submit()", "submit /two"),
            ("document.querySelector('#b').submit()", "submit /two"),
            ("document.querySelector('form').submit()", "submit /one"),
            ("document.getElementsByTagName('form')[1].submit()", "submit /two"),
        ])
    func followed(text: String, expected: String) {
        #expect(Self.script(text) == expected, "\(text)")
    }

    @Test(
        "what a script may do, and what a click would do, is not followed",
        arguments: [
            "function go() { location.href = '/next'; }",
            "button.onclick = function () { location.href = '/next'; };",
            "button.addEventListener('click', function () { location.href = '/next'; })",
            "document.addEventListener('click', () => { location.href = '/next' })",
            "window.onbeforeunload = function () { location.href = '/next' }",
            "if (old) location.href = '/next';",
            "if (old)\n  location.href = '/next'\nelse\n  location.href = '/other'",
            "if (old) { location.href = '/next' }",
            "while (more()) location = '/next'",
            "for (;;) { location = '/next' }",
            "switch (n) { case 1: location = '/next' }",
            "ok && (location.href = '/next')",
            "ok ? location.assign('/a') : location.assign('/b')",
            "location.href = '/next' + id",
            "location.href = base + '/next'",
            "location.href = ok ? '/a' : '/b'",
            "location.href == '/next'",
            "location.href += '/next'",
            "location.href = next",
            "location.hash = '/next'",
            "location.href = `/next/${id}`",
            "location.replace('/next' + id)",
            "location.href = '#top'",
            "frame.location = '/next'",
            "x = { location: '/next' }",
            "const f = () => { location.href = '/next' }",
            "(function (document, location) { location.href = '/next' })(d, l)",
            "(function () { var location = {}; location.href = '/next' })()",
            "(function () { if (old) { return; } location.href = '/next' })()",
            "(function () { return; location.href = '/next' })()",
            "throw new Error('no');\nlocation.href = '/next'",
            "location.href = '/a'; location.replace('/b')",
            "setTimeout(function () { location.href = '/next' }, 60000)",
            "setTimeout(function () { location.href = '/next' }, delay)",
            "location.href = '/next",
            "location.href = '/next' }",
            "var a = (1 + 2; location.href = '/next'",
            "document.forms[7].submit()",
            "document.forms[n].submit()",
            "document.getElementById('none').submit()",
            "document.third.submit()",
            "form.submit()",
            "class A { go() { location.href = '/next' } }",
            "again(); function again() { again(); location.href = next }",
        ])
    func left(text: String) {
        #expect(Self.script(text) == "unclear", "\(text)")
    }

    @Test(
        "a script that says nothing of a way on is none",
        arguments: [
            "", "1", "// location.href = '/next'", "/* document.forms[0].submit() */",
            "var s = \"location.href = '/next'\"",
        ])
    func silent(text: String) {
        let said = Self.script(text)
        #expect(said == "none", "\(text)")
    }

    @Test(
        "only scripts that a browser runs count",
        arguments: [
            ("<script src=/a.js>location.href = '/next'</script>", "none"),
            ("<script type=text/template>location.href = '/next'</script>", "none"),
            ("<script type=application/json>location.href = '/next'</script>", "none"),
            ("<script nomodule>location.href = '/next'</script>", "none"),
            ("<script type=text/javascript>location.href = '/next'</script>", "go /next"),
            ("<script type=module>location.href = '/next'</script>", "go /next"),
            ("<noscript><script>location.href = '/next'</script></noscript>", "none"),
            ("<template><script>location.href = '/next'</script></template>", "none"),
            ("<!-- <script>location.href = '/next'</script> -->", "none"),
            ("<textarea><script>location.href = '/next'</script></textarea>", "none"),
            ("<a href=# onclick=\"location.href='/next'\">on</a>", "none"),
            ("<body onload=\"location.href=&quot;/next&quot;\">", "go /next"),
            ("<body onload='document.forms[0].submit()'><form action=/acs></form>", "submit /acs"),
            (
                "<body onload='return go()'><script>function go() { location = '/next' }</script>",
                "unclear"
            ),
            (
                "<body onload='go()'><script>function go() { location = '/next' }</script>",
                "go /next"
            ),
            ("<script>(</script><script>location = '/next'</script>", "go /next"),
            // The form is not there yet.
            ("<script>document.forms[0].submit()</script><form action=/acs></form>", "unclear"),
            // A field of that name hides the method.
            (
                "<form action=/acs><input type=submit name=submit></form><script>document.forms[0].submit()</script>",
                "unclear"
            ),
            // Two of one name are a list.
            (
                "<form name=a action=/1></form><form name=a action=/2></form><script>document.a.submit()</script>",
                "unclear"
            ),
            // The first element of an id is another one.
            (
                "<p id=a></p><form id=a action=/1></form><script>document.getElementById('a').submit()</script>",
                "unclear"
            ),
        ])
    func places(html: String, expected: String) {
        #expect(Self.told(html) == expected, "\(html)")
    }

    @Test(
        "a form that a script sends is sent without its button; a page that asks for a password is filled in"
    )
    func entries() throws {
        func step(_ html: String) -> FormFinder.Step {
            FormFinder(
                page: HTMLPage(html), login: Rig.Login.LoginFields(), progress: LoginProgress()
            ).step
        }
        guard
            case .send(let entry) = step(
                "<form action=/lang method=post><input type=hidden name=l value=en></form>"
                    + "<form action=/acs method=post><input name=t value=1><input type=submit name=go value=Go></form>"
                    + "<script>document.forms[1].submit()</script>")
        else {
            Issue.record("not sent")
            return
        }
        #expect(entry.fields(user: "ann", password: "pw").map { "\($0.0)=\($0.1)" } == ["t=1"])
        #expect(entry.form.action == "/acs")
        guard
            case .send(let login) = step(
                "<form action=/in method=post><input name=u><input type=password name=p></form>"
                    + "<script>location.href = '/next'</script>")
        else {
            Issue.record("not filled in")
            return
        }
        #expect(login.typesPassword)
    }

    @Test(
        "a script of any make is read in one pass", .timeLimit(.minutes(2)),
        arguments: [
            String(repeating: "(", count: 400_000), String(repeating: "{location", count: 90_000),
            String(repeating: "function f(){f();", count: 50_000) + "location = '/a'",
            String(repeating: "function f(){f();f();f();location}f();", count: 20_000),
            (0..<20_000).map { "function f\($0)(){f\($0 + 1)();f\($0 + 1)()}" }.joined()
                + "f0();location",
            String(repeating: "if(location)", count: 80_000),
            String(repeating: "'", count: 800_000) + "location",
            String(repeating: "location='/a';", count: 70_000),
            String(repeating: "`${`", count: 200_000) + "location",
            String(repeating: "/*", count: 400_000) + "location",
            String(repeating: "try{", count: 200_000) + "location",
            String(repeating: "setTimeout('", count: 60_000) + "location",
        ].map(LongText.init))
    func hostile(text: LongText) {
        #expect(["unclear", "none", "go /a"].contains(Self.script(text.text)))
    }
}
