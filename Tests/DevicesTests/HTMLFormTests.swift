import Testing

@testable import Devices

@Suite struct HTMLFormTests {
    @Test("a login form is found among others, its hidden fields echoed")
    func login() throws {
        let html = """
            <!doctype html><html><head><script>var a = "<form><input type=password></form>";</script></head><body>
            <!-- <form action="/old"><input type="password" name="p"></form> -->
            <form action="/search"><input name="q"></form>
            <FORM METHOD='post' Action="/login?x=1&amp;y=2"><input type="hidden" name="csrf" value="a&quot;b&#38;c">
            <input name="j_username" value=""><input TYPE=password name=j_password>
            <input type=checkbox name=remember checked><input type=checkbox name=no>
            <button type=submit name=go value=1>Sign in</button><button name=other value=2>Other</button></form>
            """
        let forms = HTMLPage(html).forms
        #expect(forms.map(\.asksPassword) == [false, true])
        let login = try #require(forms.last)
        #expect(login.isPost)
        #expect(login.action == "/login?x=1&y=2")
        let fields = login.filled(user: "ann", password: "pw").map { "\($0.0)=\($0.1)" }
        #expect(
            fields == ["csrf=a\"b&c", "j_username=ann", "j_password=pw", "remember=on", "go=1"])
    }

    @Test(
        "the field that names the user gets the user, else the first text field",
        arguments: [
            (
                "<input name=pin><input name=email><input type=password name=p>",
                "pin= email=ann p=pw"
            ),
            ("<input name=a><input name=b><input type=password name=p>", "a=ann b= p=pw"),
            ("<input type=tel name=phone value=1><input type=password name=p>", "phone=ann p=pw"),
        ])
    func userField(inputs: String, expected: String) throws {
        let form = try #require(HTMLPage("<form method=post>\(inputs)</form>").forms.first)
        let fields = form.filled(user: "ann", password: "pw").map { "\($0.0)=\($0.1)" }
        #expect(fields.joined(separator: " ") == expected)
    }

    @Test(
        "what has its value between its tags is sent as well",
        arguments: [
            ("<textarea name=a hidden>PHg+&#43;&lt;b&gt;</textarea>", "a=PHg++<b>"),
            ("<textarea name=a>\nline\r\n<i>two</textarea>", "a=line\r\n<i>two"),
            ("<textarea name=a></textarea><textarea name=b></TextArea>", "a= b="),
            ("<select name=a><option>Demo &amp; Co\n <option selected> East </select>", "a=East"),
            ("<select name=a><option>Demo &amp; Co\n <option value=''>x</select>", "a=Demo & Co"),
        ])
    func contents(fields: String, expected: String) throws {
        let form = try #require(HTMLPage("<form method=post>\(fields)</form>").forms.first)
        let sent = form.filled(user: nil, password: nil).map { "\($0.0)=\($0.1)" }
        #expect(sent.joined(separator: " ") == expected)
    }

    @Test(
        "of a consent's buttons the one that says no is not pressed, wherever it stands",
        arguments: [
            "<button name=wahl value=nein>Ablehnen</button><button name=wahl value=ja>Zustimmen</button>",
            "<button name=wahl value=ja>Zustimmen</button><button name=wahl value=nein>Ablehnen</button>",
            "<input type=submit name=no value=Cancel><input type=submit name=wahl value=ja>",
            "<button name=wahl value=No>Cancel</button><button name=wahl value=ja>Continue</button>",
        ])
    func consent(buttons: String) throws {
        let form = try #require(HTMLPage("<form method=post>\(buttons)</form>").forms.first)
        let fields = form.filled(user: nil, password: nil).map { "\($0.0)=\($0.1)" }
        #expect(fields == ["wahl=ja"])
    }

    @Test("a form that submits itself keeps its values")
    func selfSubmitting() throws {
        let html =
            "<body onload=\"document.forms[0].submit()\"><form method=\"POST\" action=\"http://sp/acs\">"
            + "<input type=hidden name=SAMLResponse value=\"PHg+/=\"/><input type='hidden' name='RelayState' value='r'/>"
            + "<noscript><input type=submit value=Continue></noscript></form>"
        let form = try #require(HTMLPage(html).forms.first)
        let fields = form.filled(user: "ann", password: "pw").map { "\($0.0)=\($0.1)" }
        #expect(fields == ["SAMLResponse=PHg+/=", "RelayState=r"])
    }

    @Test(
        "broken pages end, and give what they have",
        arguments: [
            "", "<", "<form", "<form action=\"x", "<!-- <form>", "<script><form></form>",
            "<form><input name='a",
        ])
    func broken(html: String) {
        #expect(HTMLPage(html).forms.count <= 1)
    }

    @Test(
        "character references are read",
        arguments: [
            ("a&amp;b", "a&b"), ("&#65;&#x42;", "AB"), ("&nope;&", "&nope;&"),
            ("&#xffffffff;", "&#xffffffff;"),
        ])
    func entities(text: String, expected: String) {
        #expect(HTMLEntities.decode(text) == expected)
    }
}
