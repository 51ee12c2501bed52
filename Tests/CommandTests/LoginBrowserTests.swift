import Foundation
import TestSupport
import Testing

/// rigs/login-browser.py, the example program for `login: {command: ...}`, with a real browser.
@Suite(
    "A login program that drives a browser", .enabled(if: Browser.isThere, Browser.advice),
    .enabled(if: ForeignServer.hasPython, "needs python3, for rigs/login-browser.py"),
    .ownThread)
struct LoginBrowserTests {
    @Test("the rig signs both households in at the stand-in")
    func rig() async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "run", Command.rig("login-browser.yaml"), "--out", "run", "--set",
            "validity.on-breach=warn", in: folder)
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        #expect(try Run(folder, "run").number("households", "signedIn") == 2)
    }

    /// The form is made by a script; so is what the service is sent.
    private static func page(_ method: String, accepts: Bool) -> String {
        let words = method == "POST" ? "That is not right" : ""
        let action = accepts ? "/sso" : "/login"
        return """
            <html><head><title>Sign in</title></head><body><div id=root></div><p role=alert>\(words)</p><script>
            setTimeout(() => {
              const form = document.createElement('form');
              form.method = 'post';
              form.action = '\(action)';
              for (const [name, type] of [['email', 'email'], ['pass', 'password'], ['\(accepts ? "SAMLResponse" : "state")', 'hidden']]) {
                const field = document.createElement('input');
                field.name = name;
                field.type = type;
                form.append(field);
              }
              const button = document.createElement('button');
              button.append('Sign in');
              form.append(button);
              form.onsubmit = () => { form.elements[2].value = btoa(form.email.value + '/' + form.pass.value.length); };
              document.getElementById('root').append(form);
            }, 300);
            </script></body></html>
            """
    }

    @Test("a form that a script makes is filled in, and what it sends goes on to the service")
    func scripted() async throws {
        let server = loginServer { Self.page($0, accepts: true) }
        defer { server.stop() }
        let program = Repository.root.appending(path: "rigs/login-browser.py").path
        let trying = try await Trying.run(
            ["try", "rig.yaml", "--bodies"],
            files: [
                "rig.yaml": trialRig("http://127.0.0.1:\(server.port)")
                    + "\nlogin: {command: \(program)}\n"
            ])
        #expect(trying.row("form").contains("passed"), "\(trying.output)\(trying.errors)")
        #expect(trying.output.contains("/sso"), "\(trying.output)")
    }

    @Test("a password that is not taken is told in the page's words")
    func refused() async throws {
        let server = loginServer { Self.page($0, accepts: false) }
        defer { server.stop() }
        let program = Repository.root.appending(path: "rigs/login-browser.py").path
        let trying = try await Trying.run(
            ["try", "rig.yaml"],
            files: [
                "rig.yaml": trialRig("http://127.0.0.1:\(server.port)")
                    + "\nlogin: {command: \(program)}\n"
            ])
        let told = trying.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            told.contains("the login page came back after the password: That is not right"),
            "\(trying.output)\(trying.errors)")
    }
}
