import Foundation
import TestSupport
import Testing

/// `login: {command: PROGRAM}` with real programs, and the pages that a run keeps.
@Suite("Login programs and kept pages", .ownThread)
struct LoginProgramTests {
    /// Runs one household at a login page that needs `program`.
    private func trying(_ program: String, timeout: String = "20s") async throws -> Trying {
        let server = loginServer { _ in
            "<html><head><script>1</script></head><body><div id=root></div></body></html>"
        }
        defer { server.stop() }
        return try await Trying.run(
            ["try", "rig.yaml"],
            files: [
                "rig.yaml": trialRig("http://127.0.0.1:\(server.port)")
                    + "\nlogin: {command: ./login.sh, timeout: \(timeout)}\n",
                "login.sh": "#!/bin/sh\n\(program)\n",
            ], executables: ["login.sh"])
    }

    @Test(
        "what a program does wrong is said in its own words",
        arguments: [
            ("echo 'no such user' >&2; exit 3", "ended with status 3 and says 'no such user'"),
            (
                "printf 'Traceback:\\n line 3\\nKeyError: form\\n' >&2; exit 1",
                "ended with status 1 and says 'KeyError: form'"
            ),
            ("exit 4", "ended with status 4"),
            ("echo hello", "did not answer with JSON, but printed 6 bytes of something else"),
            ("true", "did not answer with JSON, but printed nothing"),
            ("yes", "printed more than 4 MB; an answer is one JSON object"),
            ("echo '{}'", "answered neither 'form' nor 'url' nor 'cookies' nor 'failed'"),
            ("echo '{\"failed\": \"locked\"}'", "says 'locked'"),
            ("kill -9 $$", "was killed by signal 9"),
        ])
    func wrong(program: String, words: String) async throws {
        let trying = try await trying("cat > /dev/null; " + program)
        #expect(trying.code == 1, "\(trying.output)\(trying.errors)")
        let told = trying.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(told.contains("the login program \(words)"), "\(trying.output)")
    }

    @Test("one that takes too long is ended, with what it started")
    func slow() async throws {
        let trying = try await trying("sleep 600 & echo $! > child; wait", timeout: "2s")
        #expect(trying.output.contains("did not answer within 2 s"), "\(trying.output)")
        let child = try trying.read("child").trimmingCharacters(in: .whitespacesAndNewlines)
        let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
        #expect(state?.contains(") Z ") ?? true, "\(state ?? "")")
    }

    @Test("one that has answered and ended is heard, though what it started still holds its output")
    func leftChild() async throws {
        let trying = try await trying(
            "cat > /dev/null; sleep 30 & echo '{\"failed\": \"locked\"}'", timeout: "60s")
        #expect(trying.output.contains("says 'locked'"), "\(trying.output)")
    }

    @Test("one that is not there, or may not be run, is named")
    func missing() async throws {
        let trying = try await Trying.run(
            ["try", "rig.yaml"],
            files: ["rig.yaml": trialRig("embedded") + "\nlogin: {command: nowhere.sh}\n"])
        #expect(trying.output.contains("./nowhere.sh cannot be started"), "\(trying.output)")
    }

    @Test(
        "its cookies are the browser's, its address is where the browser goes, its form is sent",
        arguments: [
            #"{"url": "/sso?done=1", "cookies": {"S": "7"}}"#,
            #"{"form": {"action": "/sso", "method": "POST", "fields": {"done": "1"}}, "cookies": {"S": "7"}}"#,
        ])
    func right(answer: String) async throws {
        let trying = try await trying("cat > question.json; printf '%s' '\(answer)'")
        #expect(trying.row("form").contains("passed"), "\(trying.output)")
        let question = try #require(
            try JSONSerialization.jsonObject(with: Data(trying.folder.read("question.json").utf8))
                as? [String: String])
        #expect(
            Set(question.keys) == [
                "url", "user", "password", "mvpd", "code", "cookies", "userAgent", "page",
            ])
        #expect(question["page"]?.contains("<div id=root>") == true)
    }

    @Test("of pages that were not got past five are kept, without what was in them")
    func pages() async throws {
        let server = loginServer { _ in
            """
            <html><body><h1>Two logins</h1><form method=post action=/a><input name=u>
            <input type=password name=p value=planted-secret></form>
            <form method=post action=/b><input name=v><input type=password name=q></form></body></html>
            """
        }
        defer { server.stop() }
        let folder = TestFolder()
        let rig = try folder.write(
            """
            rig: pages
            target: {base: "http://127.0.0.1:\(server.port)"}
            load: {closed: {households: 8}, settle: 0s}
            kinds: [{name: a, viewer: {notices-code: 10ms, signs-in: 10ms, gives-up: 0%}}]
            validity: {on-breach: warn}
            """, to: "pages.yaml")
        let ended = try await Command.run("run", rig, "--out", "run", in: folder)
        #expect(ended.errors.contains("pages at which a login stopped or was not confirmed are in"))
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path("run/pages"))
        #expect(kept.sorted() == (1...5).map { "cause-1-page-\($0).html" })
        for name in kept {
            let page = try folder.read("run/pages/\(name)")
            #expect(page.contains("has 2 forms that ask for a password"))
            #expect(!page.contains("planted-secret"))
        }
    }
}
