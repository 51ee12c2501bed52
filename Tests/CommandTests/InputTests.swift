import Foundation
import TestSupport
import Testing

@Suite("What cannot be run", .ownThread)
struct InputTests {
    /// Exit code 2 is ours: the parser's own would be 64 (README.md, Commands).
    @Test(
        "a bad command line is exit code 2, and says what would be right",
        arguments: [
            (["run"], "Missing expected argument '<rig>'"),
            (["run", "--nope", "rig.yaml"], "Unknown option '--nope'"),
            (["rnu", "rig.yaml"], "'rnu'"),
            (["run", "rig.yaml", "--seed", "x"], "The value 'x' is invalid for '--seed <N>'"),
            (["run", "rig.yaml", "--lanes", "0"], "--lanes is 0; it must be 1 to 64"),
            (["serve", "--port", "70000"], "--port is 70000; it must be 0 to 65535"),
            (
                ["serve", "--host", "0.0.0.0:80/x"],
                "--host is '0.0.0.0:80/x'; it must be an address"
            ),
            (["try", "rig.yaml", "--json"], "try has no JSON output"),
            (["explain"], "Missing expected argument '<NAME> ...'"),
            (["list", "much"], "unknown list 'much'; there are protocols, operations"),
            (["calibrate", "--connections", "0"], "--connections is 0; it must be 1 to 50000"),
            (["calibrate", "--rate", "5"], "--rate is '5'; it must be a rate such as 2000/s"),
            (["calibrate", "--for", "1h"], "--for is 1h; it must be 100ms to 10m"),
            (["calibrate", "--target", "ftp://a"], "--target is 'ftp://a'; it must be a URL"),
            (["calibrate", "--record", "some"], "--record is 'some'; it must be none, aggregates"),
            (["run", "rig.yaml", "--set", "seed"], "--set 'seed' has no value"),
            (["rnu", "rig.yaml"], "unknown command 'rnu'; did you mean 'run'?"),
            (
                ["help", "vaildate"],
                "unknown command 'vaildate'; did you mean 'validate'?"
            ),
            (["xyzzy"], "unknown command 'xyzzy'; 'screenrig --help' lists the commands"),
            (["run", "rig.yaml", "--targt", "x"], "Did you mean '--target'?"),
            (["run", Command.rig("smok.yaml")], "did you mean '\(Command.rig("smoke.yaml"))'?"),
            (
                ["run", Command.rig("smoke.yaml"), "--max-rate", "5"],
                "--max-rate is '5', which has no unit"
            ),
            (
                ["run", Command.rig("smoke.yaml"), "--record", "bla"],
                "--record is 'bla'; it must be all"
            ),
            (
                ["run", Command.rig("smoke.yaml"), "--set", "record=bla", "--seed", "3"],
                "--set record: record is 'bla'"
            ),
            (
                ["run", Command.rig("smoke.yaml"), "--dashboard=abc"],
                "--dashboard is 'abc'; it must be a port"
            ),
            (
                ["run", Command.rig("smoke.yaml"), "--metrics=0"],
                "--metrics is '0'; it must be a port"
            ),
            // Half of its letters are the ending that all share: 'known.yaml' was not meant.
            (["try", Command.rig("nope.yaml")], "or not readable as UTF-8 text\n"),
            (["run", "nowhere.yaml"], "nowhere.yaml: no such file, or not readable"),
            (["simulate", "nowhere.yaml"], "nowhere.yaml: no such file, or not readable"),
            (["validate", "nowhere.yaml"], "nowhere.yaml: no such file, or not readable"),
        ])
    func badCommandLine(arguments: [String], words: String) async throws {
        let folder = TestFolder()
        let ended = try await Command(arguments, in: folder).ended()
        #expect(ended.code == 2)
        #expect(ended.errors.contains(words), "\(ended.errors)")
        #expect(ended.output.isEmpty)
        #expect(!folder.holds("reports"))
    }

    @Test(
        "a rig with three typos names all three places", arguments: ["run", "simulate", "validate"])
    func typos(command: String) async throws {
        let folder = TestFolder()
        _ = try folder.write(
            """
            rig: typos
            target: {base: embedded}
            load:
              closed: {households: twenty}
            polings: {every: 5s}
            kinds: [{name: home, viewer: {signs-in: 20}}]

            """, to: "typos.yaml")
        let ended = try await Command.run(command, "typos.yaml", in: folder)
        #expect(ended.code == 2)
        #expect(ended.output.isEmpty && !folder.holds("reports"))
        for place in ["typos.yaml:4:", "typos.yaml:5:1:", "typos.yaml:6:"] {
            #expect(ended.errors.contains(place), "\(place) of\n\(ended.errors)")
        }
        try Golden.expect(ended.errors, is: "errors/three-typos.txt")
    }

    @Test("a host that is not allowed is refused before a byte is sent, with the line to paste")
    func hostNotAllowed() async throws {
        let folder = TestFolder()
        // A documentation address (RFC 5737): even a mistake would reach nobody.
        let ended = try await Command.run(
            "run", Command.rig("smoke.yaml"), "--target", "http://192.0.2.1:9", in: folder)
        #expect(ended.code == 3)
        try Golden.expect(ended.errors, is: "errors/host-not-allowed.txt")
        #expect(ended.after < .seconds(10))
    }

    @Test("a plan that this machine cannot carry is refused before the run, with what to change")
    func beyondLimits() async throws {
        let folder = TestFolder()
        let ended = try await Command(
            [
                "-c",
                "ulimit -n 100; exec \(Command.binary) run \(Command.rig("second-screen.yaml"))",
            ], in: folder, program: "/bin/sh"
        ).ended()
        #expect(ended.code == 3 && ended.output.isEmpty)
        #expect(
            ended.errors.contains(
                "this plan needs 2964 file descriptors, and this machine allows 100: raise "
                    + "'ulimit -Hn'"),
            "\(ended.errors)")
        #expect(!folder.holds("reports"))
    }

    @Test(
        "too small a limit of this process is refused before anything begins, with the numbers",
        arguments: [
            ("ulimit -n 8", "try RIG", "descriptors, and the limit is 8; raise it: ulimit -n"),
            ("ulimit -n 8", "run RIG", "descriptors, and the limit is 8; raise it: ulimit -n"),
            ("ulimit -n 8", "serve --port 0", "descriptors, and the limit is 8"),
            (
                "ulimit -n 8", "judge run",
                "this command needs 16 file descriptors, and the limit "
                    + "is 8"
            ),
            // With less than 16 MB the allocator does not come as far as any code of ours.
            (
                "ulimit -d 20480", "report run",
                "a data segment of about 30 MB, and the limit is 20 MB"
            ),
            (
                "ulimit -d 30720", "try RIG",
                "MB, and the limit is 30 MB; raise it: ulimit -d"
            ),
            (
                "ulimit -v 500000", "simulate RIG",
                "MB, and the limit is 488 MB; raise it: ulimit "
                    + "-v"
            ),
        ])
    func processLimits(limit: String, command: String, words: String) async throws {
        let folder = TestFolder()
        let arguments = command.replacing("RIG", with: Command.rig("smoke.yaml"))
        let ended = try await Command(
            ["-c", "\(limit); exec \(Command.binary) \(arguments)"], in: folder, program: "/bin/sh"
        ).ended()
        #expect(ended.code == 3 && !ended.wasSignalled && ended.output.isEmpty)
        #expect(ended.errors.contains(words), "\(ended.errors)")
    }

    @Test("a port at which nobody listens: what failed first, and exit code 3")
    func nothingListens() async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "run", Command.rig("smoke.yaml"), "--target", "http://127.0.0.1:\(closedPort)",
            "--out", "run", "--quiet", in: folder)
        #expect(ended.code == 3)
        #expect(ended.errors.isEmpty, "\(ended.errors)")
        #expect(
            ended.output.contains("got no response (connection-refused)"),
            "\(ended.output)")
        let summary = try Run(folder, "run")
        #expect(summary["outcome"] as? String == "aborted")
        #expect(summary.number("exchanges", "completed") == 0)
        #expect(summary.number("exchanges", "sent") ?? 0 > 0)
        #expect(summary.number("households", "failed") == 8)
        try expectComplete(folder, "run")
    }

    @Test("a run directory that holds something is left alone")
    func outTaken() async throws {
        let folder = TestFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "run"), withIntermediateDirectories: false)
        _ = try folder.write("mine", to: "run/notes.txt")
        let ended = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--out", "run", in: folder)
        #expect(ended.code == 3)
        #expect(ended.errors.hasPrefix("run "), "\(ended.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("run")).count == 1)
    }

    @Test(
        "a place that cannot be made is told in plain words",
        arguments: ["/proc/self/o", "notes.txt/run"])
    func outImpossible(out: String) async throws {
        let folder = TestFolder()
        _ = try folder.write("mine", to: "notes.txt")
        let ended = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--out", out, in: folder)
        let reason = out.hasPrefix("/") ? "no such file or directory" : "not a directory"
        #expect(ended.code == 3)
        #expect(ended.errors.contains("\(out) cannot be written: \(reason);"), "\(ended.errors)")
    }

    @Test("what a rig or an option says reaches the terminal without what that would obey")
    func controls() async throws {
        let folder = TestFolder()
        let evil = "\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{1b}[31mred"
        for arguments in [
            ["validate", Command.rig("twenty.yaml"), "--set", "polling.every=\(evil)"],
            ["validate", Command.rig("twenty.yaml"), "--set", "\(evil)=1"],
            ["validate", "\(evil).yaml"], ["run", "--\(evil)"], ["explain", evil],
            ["simulate", Command.rig("twenty.yaml"), "--set", "rig=\(evil)", "--out", "run"],
        ] {
            let ended = try await Command(arguments, in: folder).ended()
            let told = ended.output + ended.errors
            #expect(
                !told.unicodeScalars.contains { $0.isControl && $0 != "\n" && $0 != "\t" },
                "\(told.debugDescription)")
        }
    }

    @Test("report of something that is no run")
    func noRun() async throws {
        let folder = TestFolder()
        let missing = try await Command.run("report", "nowhere", in: folder)
        #expect(missing.code == 3 && missing.errors.contains("nowhere"))
        let latest = try await Command.run("report", "latest", in: folder)
        #expect(latest.code == 3 && !latest.errors.isEmpty)
        _ = try folder.write("not a database, but long enough to look at", to: "history.sqlite")
        let damaged = try await Command.run("report", "history.sqlite", in: folder)
        #expect(damaged.code == 3 && damaged.errors.contains("history.sqlite"))
    }
}
