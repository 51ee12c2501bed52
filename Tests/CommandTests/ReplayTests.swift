import Foundation
import TestSupport
import Testing

@Suite("Cases", .ownThread)
struct ReplayTests {
    private static let late = "ack-before-apply:window=30ms"

    /// The case of a race in virtual time.
    private static func raced(
        _ plan: String = "poll-authenticate", fault: String = ReplayTests.late,
        over protocolName: String = "adobe-pass-v1", breaking promise: String = "",
        in folder: TestFolder
    ) async throws -> String {
        let ended = try await Command.run(
            "race", Command.rig("races/\(plan).yaml"), "--virtual", "--quiet", "--fault", fault,
            "--set", "target.protocol=\(protocolName)", "--out", "race", in: folder)
        #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder.path("race/cases"))
                .sorted().first { $0.hasSuffix("\(promise).json") })
        return "race/cases/\(name)"
    }

    @Test("what a race found replays, and no longer where the fault is mended")
    func race() async throws {
        let folder = TestFolder()
        let file = try await Self.raced(in: folder)
        let text = try folder.read(file)
        #expect(text.contains("\"minimal\": true"))
        #expect(folder.holds(file.replacing(".json", with: ".html")))
        let again = try await Command.run(
            "replay", file, "--virtual", "--times", "20", "--quiet", in: folder)
        #expect(again.code == 1)
        #expect(
            again.output.firstMatch(of: #/^\d+ of 20 \(Clopper-Pearson 95 %: \d+-\d+ %\), window /#)
                != nil, "\(again.output)")
        let mended = try await Command.run(
            "replay", file, "--virtual", "--fault", "none", "--fixed-at", "99%", in: folder)
        #expect(mended.code == 0, "\(mended.output)")
        #expect(mended.errors.contains("clean replays would prove a fix with 99 % confidence"))
        #expect(mended.output.contains("fixed with 99 % confidence: 0 of "))
    }

    @Test("a text for the maintainers, with the script that goes with it; nothing is sent")
    func finding() async throws {
        let folder = TestFolder()
        let file = try await Self.raced(in: folder)
        let printed = try await Command.run("explain-finding", file, in: folder)
        #expect(printed.code == 0, "\(printed.errors)")
        #expect(printed.output.hasPrefix("# sign-in-visible violated\n"))
        #expect(printed.output.contains("\n## How often\n"))
        let kept = try await Command.run(
            "explain-finding", file, "--server", "Acme Auth 4.2", "--out", "findings", in: folder)
        let name = "findings/poll-authenticate-sign-in-visible"
        #expect(kept.output == "\(name).md\n\(name).py\n", "\(kept.errors)")
        #expect(try folder.read(name + ".md").contains("| Server | Acme Auth 4.2 |"))
        let script = try await Command.run("replay", file, "--emit", "python", in: folder)
        #expect(try folder.read(name + ".py") + "\n" == script.output)
        let none = try await Command.run("explain-finding", "no.json", in: folder)
        #expect(none.code == 2 && none.errors.contains("no such file"), "\(none.errors)")
    }

    @Test("JSON lines, and nothing else")
    func json() async throws {
        let folder = TestFolder()
        let file = try await Self.raced(in: folder)
        let ended = try await Command.run(
            "replay", file, "--virtual", "--times", "5", "--json", in: folder)
        #expect(ended.code == 1 && ended.errors.isEmpty, "\(ended.errors)")
        let lines = ended.output.split(separator: "\n")
        let last = try #require(lines.last)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
        #expect(object["schema"] as? String == "screenrig/replay/1")
        #expect(object["of"] as? Int == 5 && object["exitCode"] as? Int == 1)
        #expect(lines.dropLast().allSatisfy { $0.contains("\"event\": \"progress\"") })
    }

    @Test(
        "a violation of a run leaves a case that replays",
        arguments: [
            ("token-flap:window=30ms", "token-monotonic"),
            ("device-blind-cache", "token-isolation"),
            ("double-consume:window=150ms", "one-owner"),
            ("poll-erases-approval", "sign-in-delivered"), ("poll-double-mint", "one-token"),
            ("logout-resurrection", "logout-final"), ("delete-loses", "delete-final"),
            ("mvpd-torn:window=1s", "one-token"),
        ])
    func run(fault: String, name: String) async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "simulate", Command.rig("detection.yaml"), "--fault", fault, "--out", "run", "--quiet",
            // With seed 1 the first violation of poll-erases-approval is 3 ms beyond the bound, and its
            // case has a poll in it that a replay finds answered.
            "--set", "seed=\(fault == "poll-erases-approval" ? 2 : 1)",
            "--set", "load.arrivals=[{ramp-to: 10/s, over: 0s}, {hold: 4s}]", in: folder)
        #expect(ended.code == 1, "\(ended.output)")
        let file = "run/cases/\(name).json"
        #expect(folder.holds("run/cases/\(name).html"))
        #expect(try folder.read(file).contains("\"evidence\": null"))
        let replayed = try await Command.run(
            "replay", file, "--virtual", "--times", "10", "--save", in: folder)
        #expect(replayed.code == 1, "\(replayed.output)\(replayed.errors)")
        let hits = replayed.output.prefix { $0.isNumber }
        #expect((Int(hits) ?? 0) >= 8, "\(replayed.output)")
        #expect(
            try folder.read(file).firstMatch(of: #/"k": \d+,\s+"n": 10/#) != nil,
            "--save keeps what was measured")
    }

    @Test(
        "where a session went to another home, the case has both",
        arguments: ["code-binds-device", "token-isolation", "logout-final"])
    func hijacked(name: String) async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "simulate", Command.rig("detection-v2.yaml"), "--fault", "session-hijack", "--out",
            "run", "--quiet", "--set", "load.arrivals.1.hold=6s", in: folder)
        #expect(ended.code == 1, "\(ended.output)")
        let replayed = try await Command.run(
            "replay", "run/cases/\(name).json", "--virtual", "--times", "3", in: folder)
        #expect(replayed.output.contains("3 of 3"), "\(replayed.output)\(replayed.errors)")
    }

    @Test("a run that kept its promises leaves no cases")
    func clean() async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--out", "run", "--quiet", in: folder)
        #expect(ended.code == 0 && !folder.holds("run/cases"))
    }

    @Test(
        "the Python script sees the fault, and nothing on a service that keeps its promises",
        arguments: [
            ("adobe-pass-v1", "poll-authenticate", Self.late, "sign-in-visible"),
            ("adobe-pass-v2", "poll-authenticate", Self.late, "sign-in-visible"),
            (
                "adobe-pass-v2", "poll-authenticate", "poll-double-mint:window=30ms",
                "profile-not-prolonged"
            ),
            ("adobe-pass-v2", "logout-media", "stale-decision:window=30ms", "logout-final"),
            (
                "adobe-pass-v2", "logout-authenticate", "logout-all-providers",
                "provider-independence"
            ),
            (
                "adobe-pass-v1", "logout-authenticate", "lost-authentication:probability=50%",
                "sign-in-delivered"
            ),
            (
                "adobe-pass-v1", "authorize-media", "media-token-reuse:mode=expired",
                "authorization-gates"
            ),
            ("adobe-pass-v2", "authorize-media", "media-token-reuse:mode=expired", "decision-true"),
            (
                "adobe-pass-v1", "logout-media", "error-but-applied:op=logout",
                "errors-have-no-effect"
            ),
            (
                "adobe-pass-v2", "logout-media", "error-but-applied:op=logout",
                "errors-have-no-effect"
            ),
            (
                "adobe-pass-v1", "authenticate-timeout-retry", "retry-applies-twice:window=30ms",
                "one-owner"
            ),
        ])
    func python(protocolName: String, plan: String, planted: String, promise: String)
        async throws
    {
        let folder = TestFolder()
        let file = try await Self.raced(
            plan, fault: planted, over: protocolName, breaking: promise, in: folder)
        let script = try await Command.run("replay", file, "--emit", "python", in: folder)
        #expect(script.code == 0 && script.errors.isEmpty, "\(script.errors)")
        _ = try folder.write(script.output, to: "race.py")
        for (fault, code, users) in [
            (planted, Int32(1), "login"), ("none", 0, "login"), (planted, 1, "opaque"),
            ("none", 0, "opaque"),
        ] {
            let hits = try await Self.hits("race.py", where: fault, users: users, code, in: folder)
            #expect(code == 0 ? hits == 0 : hits > 0, "user-ids=\(users)")
        }
    }

    @Test(
        "the script sees a media token that is issued twice to one TV, in a plan of the rig's own")
    func media() async throws {
        let folder = TestFolder()
        _ = try folder.write(
            """
            rig: media-media
            target: {base: "http://127.0.0.1:1"}
            load: {closed: {households: 4}}
            race:
              plans:
                - name: media-media
                  actors:
                    tv: [registration-code]
                    phone: [authenticate]
                    tv-2: [authorize]
                    tv-3: [media-token]
                    tv-4: [media-token]
                  sweep: [tv-3.media-token, tv-4.media-token]
            """, to: "media.yaml")
        let fault = "media-token-reuse"
        let raced = try await Command.run(
            "race", "media.yaml", "--virtual", "--quiet", "--fault", fault, "--out", "race",
            in: folder)
        #expect(raced.code == 1, "\(raced.output)\(raced.errors)")
        let script = try await Command.run(
            "replay", "race/cases/media-media-authorization-gates.json", "--emit", "python",
            in: folder)
        _ = try folder.write(script.output, to: "race.py")
        #expect(try await Self.hits("race.py", where: fault, 1, in: folder) > 0)
        #expect(try await Self.hits("race.py", where: "none", 0, in: folder) == 0)
    }

    @Test("a script walks pages that lead on by themselves, by refreshes, scripts and silent forms")
    func scriptedPages() async throws {
        let folder = TestFolder()
        let file = try await Self.raced(
            "poll-authenticate", fault: Self.late, over: "adobe-pass-v1",
            breaking: "sign-in-visible",
            in: folder)
        let script = try await Command.run("replay", file, "--emit", "python", in: folder)
        _ = try folder.write(script.output, to: "race.py")
        let pages = ["--rig", Command.rig("scripted-pages.yaml")]
        for (fault, code) in [(Self.late, Int32(1)), ("none", 0)] {
            let hits = try await Self.hits(
                "race.py", where: fault, code, serving: pages, in: folder)
            #expect(code == 0 ? hits == 0 : hits > 0)
        }
    }

    /// In how many of eight trials a script saw the promise broken by a stand-in with that fault.
    private static func hits(
        _ script: String, where fault: String, users: String = "login", _ code: Int32,
        accounts: String = "", serving: [String] = [], in folder: TestFolder
    ) async throws -> Int {
        let server = try Command(
            [
                "serve", "--port", "0", "--no-throttle", "--fault", fault, "--policy",
                "user-ids=\(users)",
            ] + serving, in: folder)
        let url = try await server.url()
        let ended = try await Command(
            ["python3", script, "8"], in: folder,
            environment: ["SCREENRIG_TARGET": url, "SCREENRIG_ACCOUNTS": accounts],
            program: "/usr/bin/env"
        ).ended()
        #expect(ended.code == code, "\(ended.output)\(ended.errors)")
        let hits = ended.output.firstMatch(of: #/(\d+) of 8 (?:trials|\(Clopper-Pearson)/#)?.1
        server.send(SIGINT)
        _ = try await server.ended()
        return try #require(hits.flatMap { Int($0) }, "\(ended.output)\(ended.errors)")
    }

    @Test(
        "the Python script knows the way back from a provider of another shape",
        .enabled(if: ForeignServer.hasPython, "needs python3, for the server in Tests/Foreign"))
    func wayBack() async throws {
        let folder = TestFolder()
        let file = try await Self.raced(in: folder)
        let script = try await Command.run("replay", file, "--emit", "python", in: folder)
        _ = try folder.write(script.output, to: "race.py")
        let server = try ForeignServer(["--shape", "oidc"], in: folder)
        let ended = try await Command(
            ["python3", "race.py", "3"], in: folder,
            environment: ["SCREENRIG_TARGET": try await server.command.url()],
            program: "/usr/bin/env"
        ).ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("0 of 3 (Clopper-Pearson"), "\(ended.output)")
    }

    @Test(
        "the Python script of a device grant finds the button that decides by what it says, and the fault",
        arguments: [
            (Self.late, "sign-in-visible"), ("premature-token", "no-token-before-sign-in"),
        ])
    func button(planted: String, promise: String) async throws {
        let folder = TestFolder()
        let rig = Command.rig("races/device-grant.yaml")
        let ended = try await Command.run(
            "race", rig, "--virtual", "--quiet", "--plan",
            "approve-poll", "--fault", planted, "--out", "race", in: folder)
        #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
        let script = try await Command.run(
            "replay", "race/cases/approve-poll-\(promise).json", "--emit", "python", in: folder)
        #expect(script.output.contains(#""approve": null"#), "\(script.errors)")
        _ = try folder.write(script.output, to: "race.py")
        for (fault, code) in [(planted, Int32(1)), ("none", 0)] {
            let hits = try await Self.hits(
                "race.py", where: fault, code, accounts: "ann:pw,bob:pw", serving: ["--rig", rig],
                in: folder)
            #expect(code == 0 ? hits == 0 : hits > 0)
        }
    }

    @Test("two logins of one phone race in the script, though its case keeps one connection")
    func oneConnection() async throws {
        let folder = TestFolder()
        let double = "double-consume:window=40ms"
        let file = try await Self.raced(
            "authenticate-authenticate", fault: double, breaking: "one-owner", in: folder)
        let text = try folder.read(file)
        #expect(text.contains("\"actor\": \"phone-2\"") && text.contains("\"fresh\""))
        _ = try folder.write(
            text.replacing("\"actor\": \"phone-2\"", with: "\"actor\": \"phone\"")
                .replacing("\"fresh\"", with: "\"kept:0\""), to: "one.json")
        let script = try await Command.run("replay", "one.json", "--emit", "python", in: folder)
        #expect(script.code == 0 && script.errors.isEmpty, "\(script.errors)")
        _ = try folder.write(script.output, to: "one.py")
        #expect(try await Self.hits("one.py", where: double, 1, in: folder) > 0)
        #expect(try await Self.hits("one.py", where: "none", 0, in: folder) == 0)
    }

    @Test("a case is played in the steps of the target's protocol, or refused with the remedy")
    func otherProtocol() async throws {
        let folder = TestFolder()
        let file = try await Self.raced(in: folder)
        let toV2 = ["--virtual", "--times", "5", "--set", "target.protocol=adobe-pass-v2"]
        let moved = try await Command(["replay", file] + toV2, in: folder).ended()
        #expect(moved.code == 1, "\(moved.output)\(moved.errors)")
        #expect(moved.errors.contains("in the steps of adobe-pass-v2"), "\(moved.errors)")
        #expect(moved.output.contains("profiles-by-code"), "\(moved.output)")
        let saved = try await Command(["replay", file, "--save"] + toV2, in: folder).ended()
        #expect(saved.code == 2 && saved.errors.contains("leave --save out"), "\(saved.errors)")
        try FileManager.default.removeItem(atPath: folder.path("race"))
        let newer = try await Self.raced(over: "adobe-pass-v2", in: folder)
        let back = try await Command.run(
            "replay", newer, "--virtual", "--set", "target.protocol=adobe-pass-v1", in: folder)
        #expect(back.code == 2, "\(back.output)\(back.errors)")
        #expect(
            back.errors.contains("adobe-pass-v1 has no operation create-session")
                && back.errors.contains("--set target.protocol=adobe-pass-v2"), "\(back.errors)")
    }

    @Test("a case out of a run of two protocols is of its household's, and replays as that")
    func mixed() async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "simulate", Command.rig("migration.yaml"), "--fault", "ack-before-apply:window=6s",
            "--out", "run", "--quiet", "--set",
            "load.arrivals=[{ramp-to: 10/s, over: 0s}, {hold: 4s}]", in: folder)
        #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
        let cases = try FileManager.default.contentsOfDirectory(atPath: folder.path("run/cases"))
            .filter { $0.hasSuffix(".json") }
        var reproduced: Set<String> = []
        for name in cases.sorted() {
            let text = try folder.read("run/cases/\(name)")
            #expect(!text.contains("adobe-pass-v1+adobe-pass-v2"), "\(name)")
            let own = text.contains("\"create-session\"") ? "adobe-pass-v2" : "adobe-pass-v1"
            #expect(text.contains("\"protocol\": \"\(own)\""), "\(name)")
            let replayed = try await Command.run(
                "replay", "run/cases/\(name)", "--virtual", "--times", "5", in: folder)
            // A web view's case may not show on a TV; each can be played.
            #expect(replayed.code <= 1, "\(name): \(replayed.output)\(replayed.errors)")
            if replayed.code == 1 { reproduced.insert(own) }
        }
        #expect(reproduced.count == 2, "\(cases)")
    }

    @Test("through a proxy it is told by how much the way varies, and so the window's edges")
    func proxy() async throws {
        let folder = TestFolder()
        let file = try await Self.raced(in: folder)
        let server = try Command(
            ["serve", "--port", "0", "--no-throttle", "--fault", Self.late], in: folder)
        let url = try await server.url()
        // Like every server of HTTP/1.1 it takes requests that name it whole (RFC 9112, 3.2.2), which
        // is all that there is to a proxy in front of itself.
        let ended = try await Command.run(
            "replay", file, "--times", "5", "--target", url, "--set", "target.proxy=\(url)",
            in: folder)
        #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
        let told = #/the delay through http:\/\/127\.0\.0\.1:\d+ varies by [\d.]+ [mu]s; each edge/#
        #expect(ended.output.firstMatch(of: told) != nil, "\(ended.output)")
        server.send(SIGINT)
        _ = try await server.ended()
    }

    @Test("HAR of the trial: what was really sent; a race is no curl line, and that is said")
    func others() async throws {
        let folder = TestFolder()
        let file = try await Self.raced(in: folder)
        let shell = try await Command.run("replay", file, "--emit", "curl", in: folder)
        #expect(shell.code == 2 && shell.errors.contains("cannot hold back the last byte"))
        let har = try await Command.run("replay", file, "--emit", "har", in: folder)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(har.output.utf8)) as? [String: Any])
        let log = try #require(object["log"] as? [String: Any])
        #expect(log["version"] as? String == "1.2")
        let entries = try #require(log["entries"] as? [[String: Any]])
        let urls = entries.compactMap { ($0["request"] as? [String: Any])?["url"] as? String }
        #expect(urls.count == entries.count && urls.count > 6)
        #expect(urls.allSatisfy { $0.hasPrefix("http") && !$0.contains("$") })
        #expect(urls.contains { $0.contains("/api/v1/tokens/authn?") })
    }

    @Test("what is wrong is said, and ends with 2 or 3")
    func mistakes() async throws {
        let folder = TestFolder()
        let missing = try await Command.run("replay", "no.json", in: folder)
        #expect(missing.code == 2)
        #expect(missing.errors == "no.json cannot be read: no such file\n")
        _ = try folder.write("{\"schema\": \"screenrig/case/7\"}", to: "old.json")
        let old = try await Command.run("replay", "old.json", in: folder)
        #expect(old.code == 2 && old.errors.contains("this version reads 'screenrig/case/1'"))
        let file = try await Self.raced(in: folder)
        let sure = try await Command.run("replay", file, "--fixed-at", "100%", in: folder)
        #expect(
            sure.code == 2
                && sure.errors.contains(
                    "--fixed-at is '100%'; it must be a "
                        + "confidence")
        )
        let closed = try await Command.run(
            "replay", file, "--target", "http://127.0.0.1:1", "--times", "2", in: folder)
        #expect(closed.code == 3, "\(closed.output)\(closed.errors)")
    }

    @Test("a case of somebody else's sends no secret and runs no program unasked")
    func secrets() async throws {
        let folder = TestFolder()
        let file = try await Self.raced(in: folder)
        var text = try folder.read(file)
        let base = "base: embedded"
        #expect(text.contains(base))
        // Faults are of the embedded stand-in.
        text = text.replacing("faults:\\n  - \\\"\(Self.late)\\\"\\n", with: "").replacing(
            base,
            with: "base: http://127.0.0.1:1\\n  headers: {X-A: '${CANARY}', X-B: '${file:b.txt}'}")
        _ = try folder.write(text, to: "theirs.json")
        _ = try folder.write("B", to: "b.txt")
        let environment = ["CANARY": "kept-secret"]
        let refused = try await Command.run(
            "replay", "theirs.json", in: folder, environment: environment)
        #expect(refused.code == 2)
        #expect(
            refused.errors.contains(
                "reads ${CANARY}, ${file:b.txt} from this machine and sends it to 127.0.0.1; if "
                    + "that is intended, pass --allow 127.0.0.1"), "\(refused.errors)")
        #expect(!refused.errors.contains("kept-secret"))
        for option in [["--allow", "127.0.0.1"], ["--target", "http://127.0.0.1:1"], ["--trust"]] {
            let sent = try await Command(
                ["replay", "theirs.json", "--times", "1"] + option, in: folder,
                environment: environment
            ).ended()
            #expect(sent.code == 3, "\(option): \(sent.errors)")
        }
        _ = try folder.write(
            text.replacing("b.txt", with: folder.path("b.txt")), to: "theirs.json")
        let beyond = try await Command.run(
            "replay", "theirs.json", "--allow", "127.0.0.1", in: folder, environment: environment)
        #expect(beyond.code == 2 && beyond.errors.contains("pass --trust"), "\(beyond.errors)")
    }

    @Test("cases kept beside a race rig are replayed first")
    func kept() async throws {
        let folder = TestFolder()
        let file = try await Self.raced(in: folder)
        let rig = try String(
            contentsOfFile: Command.rig("races/poll-authenticate.yaml"), encoding: .utf8)
        _ = try folder.write(rig, to: "plan.yaml")
        try FileManager.default.createDirectory(
            atPath: folder.path("cases"), withIntermediateDirectories: true)
        _ = try folder.write(try folder.read(file), to: "cases/late.json")
        let ended = try await Command.run(
            "race", "plan.yaml", "--virtual", "--quiet", "--trials", "10", "--fault", Self.late,
            "--out", "again", in: folder)
        #expect(ended.code == 1)
        #expect(ended.output.hasPrefix("stored case "), "\(ended.output)")
    }
}
