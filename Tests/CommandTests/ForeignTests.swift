import Foundation
import Journal
import TestSupport
import Testing

/// Runs against Tests/Foreign/server.py, a service that shares nothing with this project and is judged
/// as anybody's staging server.
@Suite(
    "A foreign server",
    .enabled(if: ForeignServer.hasPython, "needs python3, for the server in Tests/Foreign"),
    .ownThread)
struct ForeignTests {
    @Test(
        "answers as they were recorded from real services are signed in by, and accused of nothing",
        arguments: [
            [], ["id", "code"], ["info"], ["form"], ["meta"], ["bare", "words"],
            ["id", "info", "form"],
        ])
    func shapes(shapes: [String]) async throws {
        let folder = TestFolder()
        let server = try ForeignServer(
            shapes.flatMap { ["--shape", $0] }, in: folder)
        let run = try await server.run(Command.rig("smoke.yaml"))
        #expect(run.number("households", "signedIn") == 8)
        #expect(run.statuses["authenticate"]?["200"] == (Self.isPage(shapes) ? 8 : nil))
    }

    @Test(
        "whatever way leads from the provider back to the app signs in, and is accused of nothing",
        arguments: ["oidc", "direct", "own"])
    func waysBack(shape: String) async throws {
        let folder = TestFolder()
        let run = try await ForeignServer(["--shape", shape], in: folder)
            .run(Command.rig("smoke.yaml"))
        #expect(run.number("households", "signedIn") == 8)
        // A sign-in has one request by which it is made.
        #expect(run.statuses["assertion"] == ["302": 8])
    }

    @Test(
        "a keep-alive timeout that ends as a request arrives is no error, and no request is hidden",
        arguments: [
            (ForeignServer.Version.v1, ["--fault", "keep-alive:60"]),
            (.v2, ["--close-kept", "60"]),
        ])
    func keepAlive(version: ForeignServer.Version, options: [String]) async throws {
        let folder = TestFolder()
        let server = try ForeignServer(version.options + options, in: folder, version: version)
        let run = try await server.run(Command.rig(version.rig))
        #expect(run.number("households", "signedIn") == run.number("households", "started"))
        #expect(
            run.texts("notes").contains {
                $0.contains("closed a kept connection") && $0.contains("keep-alive timeout")
            })
        #expect(try run.table("latencies.csv").allSatisfy { $0["errors"] == "0" })
    }

    @Test(
        "a logout that was lost on a kept connection, and finds nothing left when it is sent again, is no error"
    )
    func lostLogout() async throws {
        let folder = TestFolder()
        let server = try ForeignServer(["--fault", "lost-logout"], in: folder)
        let run = try await server.run(
            Command.rig("smoke.yaml"),
            setting: ["after-sign-in=[authorize, media-token, {logout: 100%}]"])
        #expect(run.number("households", "failed") == 0)
        #expect(run.statuses["logout"] == ["404": 8])
        #expect(
            run.texts("notes").contains {
                $0.hasPrefix("8 logout requests that were sent again found nothing left to end")
            }, "\(run.texts("notes"))")
        #expect(try run.table("latencies.csv").allSatisfy { $0["errors"] == "0" })
    }

    @Test(
        "where nothing says which request signs in, none is accused from the credentials on",
        arguments: ["hops", "hosted", "page"], [ForeignServer.Version.v1, .v2])
    func unknownWays(shape: String, version: ForeignServer.Version) async throws {
        let folder = TestFolder()
        let server = try ForeignServer(
            version.options + ["--shape", shape], in: folder, version: version)
        // A poll lies between the hop that signs in and the one that leads back.
        let run = try await server.run(
            Command.rig(version.rig), setting: ["load.settle=10s"])
        #expect(run.number("households", "signedIn") == 8)
        #expect(run.statuses["assertion"] == (shape == "page" ? nil : ["302": 8]))
        let notes = run.texts("notes")
        let told = notes.filter { $0.hasPrefix("8 logins ended on a page without reaching") }
        #expect(told.count == (shape == "page" ? 1 : 0), "\(notes)")
    }

    @Test(
        "a token before the credentials is found all the same",
        arguments: ["hops", "hosted", "page", "oidc"])
    func earlyToken(shape: String) async throws {
        let folder = TestFolder()
        let server = try ForeignServer(
            ["--shape", shape, "--fault", "early-token"], in: folder)
        let rig = try folder.write(Self.slowTyper, to: "rig.yaml")
        let ended = try await server.start(rig, as: "run").ended()
        #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
        #expect(ended.output.hasPrefix("Failed: the service violated no-token-before-sign-in"))
    }

    /// Its viewers type for longer than a TV waits between two polls.
    private static let slowTyper = """
        rig: slow typers
        target: {base: embedded}
        load: {closed: {households: 4}, settle: 10s}
        kinds:
          - name: living room
            viewer: {notices-code: fixed 100ms, signs-in: fixed 5s, gives-up: 0%}
        polling: {every: 3s}
        thresholds: [errors < 100%, households failed <= 100%, violations == 0]

        """

    private static func isPage(_ shapes: [String]) -> Bool {
        shapes.contains("form") || shapes.contains("meta")
    }

    @Test("the same in XML", arguments: [[], ["id", "info", "form", "bare"]])
    func xml(shapes: [String]) async throws {
        let folder = TestFolder()
        let server = try ForeignServer(shapes.flatMap { ["--shape", $0] }, in: folder)
        let run = try await server.run(Command.rig("xml.yaml"))
        #expect(run.number("households", "signedIn") == run.number("households", "started"))
    }

    @Test(
        "an app of many years: polls by its code, deprecated fields, resources in MRSS",
        arguments: [["echo", "trim", "words"], ["code", "bare", "form"]])
    func olderApp(shapes: [String]) async throws {
        let folder = TestFolder()
        let server = try ForeignServer(shapes.flatMap { ["--shape", $0] }, in: folder)
        let run = try await server.run(Command.rig("older-app.yaml"))
        #expect(run.number("households", "signedIn") == 8)
        #expect(run.statuses["poll-token"]?["200"] == 8)
    }

    @Test("what the account may not watch, and polls that are answered 503, are no violations")
    func denied() async throws {
        let folder = TestFolder()
        let server = try ForeignServer(
            ["--deny", "DemoChannel", "--fault", "busy:10"], in: folder)
        let rig = try folder.write(Self.deniedRig, to: "rig.yaml")
        let run = try await server.run(rig)
        let denied = try #require(run.number("households", "notEntitled"))
        #expect(denied > 0 && denied == run.number("households", "signedIn"))
    }

    @Test("a provider that shares nothing about its users fails no household")
    func noMetadata() async throws {
        let folder = TestFolder()
        let run = try await ForeignServer(["--no-metadata"], in: folder)
            .run(Command.rig("smoke.yaml"))
        #expect(run.number("households", "failed") == 0)
        #expect(run.statuses["user-metadata"] == ["404": 8])
        #expect(run.statuses["media-token"] == ["200": 8])
        #expect(try run.table("latencies.csv").allSatisfy { $0["errors"] == "0" })
    }

    @Test("clients in nine observed styles, of which none knows screenrig, sign in to serve")
    func clients() async throws {
        let folder = TestFolder()
        let server = try Command(
            [
                "serve", "--port", "0", "--auth", "any", "--domain", "adobe.com", "--no-throttle",
                "--policy", "verify-statements=false",
            ], in: folder)
        let ended = try await Self.clients(await server.url(), in: folder)
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        #expect(ended.output.split(separator: "\n").count == 9)
        #expect(!ended.output.contains("FAILED"), "\(ended.output)")
    }

    @Test("a client that signs with the older header is turned away unless --auth says any")
    func olderHeader() async throws {
        let folder = TestFolder()
        let server = try Command(
            ["serve", "--port", "0", "--domain", "adobe.com", "--no-throttle"], in: folder)
        let ended = try await Self.clients(
            await server.url(), in: folder, styles: ["older_header"])
        #expect(ended.code == 1)
        #expect(
            ended.output.hasPrefix("older_header: FAILED before anybody signed in 401"),
            "\(ended.output)")
    }

    private static func clients(
        _ url: String, in folder: TestFolder, styles: [String] = []
    ) async throws -> Command.Ended {
        let script = Repository.root.appending(path: "Tests/Foreign/clients/all.py").path
        return try await Command(
            ["python3", script, url] + styles, in: folder, program: "/usr/bin/env"
        ).ended()
    }

    @Test("iPads, whose browser is a web view, pass the same pages", arguments: ["form", "meta"])
    func webViews(shape: String) async throws {
        let folder = TestFolder()
        let server = try ForeignServer(["--shape", shape], in: folder)
        let run = try await server.run(Command.rig("ipad.yaml"))
        #expect(run.number("households", "signedIn") == run.number("households", "started"))
    }

    @Test("a free preview plays without a sign-in")
    func freePreview() async throws {
        let folder = TestFolder()
        let run = try await ForeignServer([], in: folder).run(Command.rig("temp-pass.yaml"))
        #expect(run.statuses["free-preview"]?["204"] == 6)
        #expect(run.statuses["media-token"]?["200"] == 6)
    }

    /// Households take accounts in turn, log out and sign in again; the service shows them as users
    /// whose names have nothing of the login in them.
    @Test(
        "accounts of a file, logouts and second sign-ins, with opaque user ids",
        arguments: [true, false])
    func accounts(haveUsers: Bool) async throws {
        let folder = TestFolder()
        let columns = "mvpd,user,password" + (haveUsers ? ",user-id" : "")
        let rows = (1...12).map { number in
            "demo-\(number % 3 + 1),acct-\(number),pw-\(number)"
                + (haveUsers ? ",member-\(1000 + number)" : "")
        }
        let accounts = try folder.write(
            ([columns] + rows).joined(separator: "\n") + "\n", to: "accounts.csv")
        chmod(accounts, 0o600)
        let rig = try folder.write(Self.accountsRig, to: "rig.yaml")
        let run = try await ForeignServer(["--accounts", accounts], in: folder).run(rig)
        let started = try #require(run.number("households", "started"))
        #expect(run.number("households", "signedIn") == started && started >= 12)
        // Some of them twice.
        #expect(try #require(run.statuses["assertion"]?["302"]) > started)
    }

    @Test("runs whose directories have one name, begun in one second, are strangers to each other")
    func oneName() async throws {
        let folder = TestFolder()
        let server = try ForeignServer([], in: folder)
        let rig = Command.rig("smoke.yaml")
        let together = try await [
            server.start(rig, as: "one/ci"), server.start(rig, as: "two/ci"),
        ]
        var ids: [String?] = []
        for (name, command) in zip(["one/ci", "two/ci"], together) {
            ids.append(try await server.finish(command, name)["run", "runId"] as? String)
        }
        ids.append(try await server.run(rig, as: "three/ci")["run", "runId"] as? String)
        #expect(Set(ids).count == 3)
        #expect(ids.allSatisfy { $0?.count == 32 })
    }

    /// A fault of a server that nobody here wrote, and what a run has to say of it.
    struct Planted: Sendable, CustomTestStringConvertible {
        var fault: String
        var code: Int32
        /// How the verdict begins.
        var headline: String
        var invariant: String
        /// `violations` or `observed`, of every household.
        var standing: String
        var testDescription: String { fault }
    }

    @Test(
        "what a foreign server does wrong is told for what it is, with promises as documented",
        arguments: [
            Planted(
                fault: "never-delivered", code: 1,
                headline: "Failed: the service violated sign-in-delivered",
                invariant: "sign-in-delivered", standing: "violations"),
            Planted(
                fault: "late-visibility:4000", code: 0,
                headline: "Passed, with observations: 8 of 8 TVs", invariant: "sign-in-visible",
                standing: "observed"),
            Planted(
                fault: "lost-session", code: 1,
                headline: "Failed: 2 of 5 thresholds were missed; all 8 households signed in, 8 of "
                    + "them failed later", invariant: "token-monotonic", standing: "observed"),
            Planted(
                fault: "other-device", code: 0, headline: "Passed, with observations: 8 of 8",
                invariant: "conforms", standing: "observed"),
            Planted(
                fault: "other-requestor", code: 1,
                headline: "Failed: the service violated conforms", invariant: "conforms",
                standing: "violations"),
        ])
    func planted(_ planted: Planted) async throws {
        let folder = TestFolder()
        let server = try ForeignServer(["--fault", planted.fault], in: folder)
        let ended = try await server.start(
            Command.rig("smoke.yaml"), as: "run", setting: ["load.settle=12s"]
        ).ended()
        #expect(ended.code == planted.code, "\(ended.output)")
        let words = ended.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.hasPrefix(planted.headline), "\(words)")
        let run = try Run(folder, "run")
        let rows = run["invariants"] as? [[String: Any]] ?? []
        let row = try #require(rows.first { $0["name"] as? String == planted.invariant })
        #expect(row[planted.standing] as? Int == 8, "\(row)")
        // Signed in is signed in, whatever came after.
        let shows = run["shows"] as? [[String: Any]] ?? []
        let signedIn = shows.first { ($0["expression"] as? String) == "households signed-in" }
        let isLost = planted.fault == "never-delivered"
        #expect(signedIn?["held"] as? Bool == !isLost, "\(shows)")
    }

    @Test(
        "a sign-in that is still served after its expiry is found, though no poll shows it",
        arguments: [
            (
                ForeignServer.Version.v1, "session-ended.yaml",
                ["--token-ms", "4000", "--fault", "outlives-expiry"], []
            ),
            (
                .v2, "v2-smoke.yaml", ["--profile-life", "4", "--fault", "expired-profile-served"],
                ["after-sign-in=[{watch: 5s}, authorize]"]
            ),
        ] as [(ForeignServer.Version, String, [String], [String])])
    func outlived(
        version: ForeignServer.Version, rig: String, options: [String], changes: [String]
    ) async throws {
        let folder = TestFolder()
        let server = try ForeignServer(version.options + options, in: folder, version: version)
        let ended = try await server.start(Command.rig(rig), as: "run", setting: changes).ended()
        #expect(ended.code == 1, "\(ended.output)")
        let words = ended.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.hasPrefix("Failed: the service violated expiry-respected"), "\(words)")
        #expect(words.contains("authorize #"), "\(words)")
        let found = try Run(folder, "run").table("violations.csv")
        #expect(found.count == 8 && found.allSatisfy { $0["invariant"] == "expiry-respected" })
    }

    @Test("a poll that shows another household's sign-in names the household that was shown it")
    func crossed() async throws {
        let folder = TestFolder()
        let server = try ForeignServer(
            ["--mvpd", "demo-1", "--fault", "crossed-poll:30"], in: folder)
        let rig = try folder.write(Self.crossedRig, to: "rig.yaml")
        let ended = try await server.start(rig, as: "run").ended()
        #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
        // Only polls go astray: a media token names the household's own user.
        var polled: [Int: String] = [:]
        var own: [Int: String] = [:]
        try History(path: folder.path("run")).exchanges { exchange in
            guard let user = exchange.observation.tag?.user else { return }
            let household = exchange.device.household
            switch exchange.operation {
            case .pollToken: polled[household] = user
            case .mediaToken: own[household] = user
            default: break
            }
        }
        let crossed = polled.keys.filter { polled[$0] != own[$0] }.sorted()
        let named = try Run(folder, "run").table("violations.csv")
        #expect(!named.isEmpty && named.allSatisfy { $0["invariant"] == "token-isolation" })
        #expect(named.compactMap { $0["household"].flatMap { Int($0) } }.sorted() == crossed)
    }

    private static let crossedRig = """
        rig: crossed
        target: {base: embedded}
        load: {closed: {households: 24}, settle: 6s}
        kinds:
          - name: living room
            viewer: {notices-code: fixed 100ms, signs-in: fixed 100ms, gives-up: 0%}
        forwarded-for: per-device
        polling: {every: 3s}
        after-sign-in: [user-metadata, authorize, media-token]

        """

    @Test(
        "a case of logout-final is not reproduced by the check of a code, which stays as it was recorded"
    )
    func mendedLogout() async throws {
        let ended = try await replay(
            "poll-logout", "logout-final", of: "logout-resurrection", trials: 200, times: 4,
            on: ["--shape", "recorded"])
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("0 of 4 "), "\(ended.output)")
    }

    /// However soon the race that found the case asked for the last time.
    @Test(
        "a lost sign-in is lost in a replay where it would be in a run, and not before",
        arguments: [("late-visibility:3500", 0, "0 of 2 "), ("never-delivered", 1, "2 of 2 ")]
            as [(String, Int32, String)])
    func replayedDelivery(fault: String, code: Int32, hits: String) async throws {
        let ended = try await replay(
            "poll-authenticate", "sign-in-delivered", of: "lost-authentication", times: 2,
            on: ["--fault", fault], ["--set", "load.settle=1s"])
        #expect(ended.code == code, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains(hits), "\(ended.output)")
    }

    @Test(
        "a case is replayed where a provider's login ends without an assertion",
        arguments: ["direct", "own", "page"])
    func replayedLogin(shape: String) async throws {
        let ended = try await replay(
            "poll-authenticate", "sign-in-visible", of: "ack-before-apply:window=30ms", times: 4,
            on: ["--shape", shape, "--fault", "late-visibility:1500"])
        #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("4 of 4 "), "\(ended.output)")
    }

    /// Replays on a foreign server the case that a race in virtual time finds of a fault of the stand-in.
    private func replay(
        _ plan: String, _ invariant: String, of fault: String, trials: Int = 300, times: Int,
        on server: [String], _ options: [String] = []
    ) async throws -> Command.Ended {
        let folder = TestFolder()
        let raced = try await Command.run(
            "race", Command.rig("races/\(plan).yaml"), "--virtual", "--fault", fault, "--trials",
            "\(trials)", "--out", "race", in: folder)
        #expect(raced.code == 1, "\(raced.output)\(raced.errors)")
        let foreign = try ForeignServer(server, in: folder)
        return try await Command(
            [
                "replay", "race/cases/\(plan)-\(invariant).json", "--target",
                await foreign.command.url(), "--times", "\(times)",
            ] + options, in: folder
        ).ended()
    }

    @Test(
        "a run in which no household signed in fails, whatever its thresholds say",
        arguments: [
            (
                "code-life:1",
                "Failed: none of 4 households signed in: the code expired before the viewer "
                    + "signed in: the service gave it 1 ms"
            ),
            ("expired-token", "Failed: the service violated expiry-respected"),
        ])
    func noSignIn(fault: String, headline: String) async throws {
        let folder = TestFolder()
        let server = try ForeignServer(["--fault", fault], in: folder)
        let rig = try folder.write(Self.lenientRig, to: "rig.yaml")
        let ended = try await server.start(rig, as: "run").ended()
        #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
        let words = ended.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.hasPrefix(headline), "\(words)")
        #expect(words.contains("none of 4 households signed in"), "\(words)")
        let run = try Run(folder, "run")
        #expect(run["outcome"] as? String == "fail")
        #expect(run.number("households", "signedIn") == 0)
        #expect(try folder.read("run/junit.xml").contains("none of 4 households signed in"))
    }

    @Test("a trial fails at a code that ran out before the phone was done, and says what to do")
    func codeRanOut() async throws {
        let folder = TestFolder()
        let server = try ForeignServer(["--fault", "code-life:1"], in: folder)
        let rig = try folder.write(Self.lenientRig, to: "rig.yaml")
        let ended = try await Command.run(
            "try", rig, "--target", await server.command.url(), "--out", "trial", in: folder)
        #expect(ended.code == 1)
        let words = ended.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("code FAILED the code expired"), "\(words)")
        #expect(words.contains("what to do about 'code' the code expired before"), "\(words)")
        #expect(words.contains("it gave this one 1.00 ms"), "\(words)")
    }

    /// Its own thresholds forgive everything.
    private static let lenientRig = """
        rig: lenient
        target: {base: embedded}
        load: {closed: {households: 4}, settle: 6s}
        kinds:
          - name: living room
            viewer: {notices-code: fixed 100ms, signs-in: fixed 100ms, gives-up: 0%}
        polling: {every: 3s}
        thresholds: [errors < 100%, households failed <= 100%, households abandoned <= 100%]

        """

    private static let deniedRig = """
        rig: denied
        target: {base: embedded, resources: [DemoChannel]}
        load: {closed: {households: 6}, settle: 5s}
        kinds:
          - name: living room
            viewer: {notices-code: fixed 100ms, signs-in: fixed 100ms, gives-up: 0%}
        polling: {every: 3s}
        after-sign-in: [authorize, media-token]
        thresholds: [errors < 90%, households failed <= 50%, households abandoned <= 50%]

        """

    private static let accountsRig = """
        rig: accounts
        target: {base: embedded}
        load: {closed: {households: 10, for: 8s}, settle: 1s}
        kinds:
          - name: living room
            viewer: {notices-code: fixed 100ms, signs-in: fixed 100ms, gives-up: 0%, wrong-password: 10%}
        polling: {every: 3s}
        accounts: {file: accounts.csv}
        after-sign-in: [user-metadata, preauthorize, authorize, media-token, {logout: 70%}, {again: 60%}]
        clean-up: true
        thresholds: [errors < 1%, households failed == 0]

        """
}

/// Tests/Foreign/server.py in a process of its own.
struct ForeignServer {
    let command: Command

    static let hasPython = (try? Program(["python3", "-c", ""]))?.status == 0

    /// Which of the two servers.
    enum Version: CaseIterable {
        case v1, v2

        var rig: String { self == .v1 ? "smoke.yaml" : "v2-smoke.yaml" }
        var options: [String] { self == .v1 ? [] : ["--rate", "0"] }
        fileprivate var script: String { self == .v1 ? "server.py" : "v2/server.py" }
    }

    init(_ options: [String], in folder: TestFolder, version: Version = .v1) throws {
        let script = Repository.root.appending(path: "Tests/Foreign/\(version.script)").path
        command = try Command(["python3", script] + options, in: folder, program: "/usr/bin/env")
    }

    /// Runs `rig` against it as `name`, and expects that nothing is held against it.
    func run(
        _ rig: String, as name: String = "run", setting changes: [String] = []
    ) async throws -> Run {
        try await finish(start(rig, as: name, setting: changes), name)
    }

    func start(
        _ rig: String, as name: String, setting changes: [String] = []
    ) async throws -> Command {
        try Command(
            ["run", rig, "--target", await command.url(), "--out", name] + unhurried
                + changes.flatMap { ["--set", $0] },
            in: command.folder)
    }

    func finish(_ run: Command, _ name: String) async throws -> Run {
        let ended = try await run.ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        #expect(!command.output.contains("defect:"), "\(command.output)")
        let run = try Run(command.folder, name)
        #expect(try run.table("violations.csv").isEmpty, "\(ended.output)")
        return run
    }
}
