import Foundation
import Journal
import TestSupport
import Testing

@Suite("Runs that are cut short", .ownThread)
struct EndingTests {
    private func start(_ more: [String], in folder: TestFolder) throws -> Command {
        try Command(["run", Command.rig("smoke.yaml"), "--out", "run"] + more, in: folder)
    }

    /// Its progress lines tell that it is in full swing.
    private func inFullSwing(_ command: Command) async throws {
        try await command.wait("a progress line with sign-ins") {
            command.errors.contains(/\b[1-9]\d* signed in/)
        }
    }

    @Test(
        "Ctrl-C ends a run within six seconds, with everything so far",
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func interrupted(signal: Int32) async throws {
        let folder = TestFolder()
        let command = try start(long, in: folder)
        try await inFullSwing(command)
        let (sent, sentAt) = (ContinuousClock.now, Date.now)
        command.send(signal)
        let ended = try await command.ended()
        #expect(ended.code == 130, "\(ended.output)\(ended.errors)")
        // Five seconds for what runs; writing the report of an unoptimised build comes on top.
        #expect(try grace(of: folder, from: sentAt) < 5.5)
        #expect(ended.at - sent < .seconds(20))
        #expect(ended.output.hasPrefix("Interrupted after "), "\(ended.output)")
        #expect(ended.errors.contains("interrupted: no more arrivals"))
        try expectComplete(folder, "run")
        let run = try Run(folder, "run")
        #expect(run["run", "interrupted"] as? Bool == true)
        #expect(run["outcome"] as? String == "aborted")
        #expect(run.number("households", "signedIn") ?? 0 > 0)
        #expect(run.number("exchanges", "errors") == 0)
        #expect(run.number("households", "running") == 0)
        let arrivals = try run.table("households.csv").count
        #expect(arrivals == run.number("households", "started"))
    }

    @Test(
        "a process that stood still is told by its lateness, exit code 4; no response that it could not read is missed"
    )
    func stoodStill() async throws {
        let folder = TestFolder()
        let server = try Command(
            ["serve", "--port", "0", "--fault", "slow:delay=400ms"], in: folder)
        let rig = """
            rig: frozen
            target: {base: "\(try await server.url())", timeout: 6s}
            load: {arrivals: [{ramp-to: 20/s, over: 0s}, {hold: 9s}], settle: 1s}
            polling: {every: 1s}
            kinds:
              - name: living room
                viewer: {notices-code: 100ms, signs-in: 100ms, gives-up: 0%}
            """
        _ = try folder.write(rig, to: "frozen.yaml")
        let command = try Command(["run", "frozen.yaml", "--out", "run"], in: folder)
        try await command.wait("the first households") {
            command.errors.contains(/\b[1-9]\d* households/)
        }
        command.send(SIGSTOP)
        try await Task.sleep(for: .seconds(7))
        command.send(SIGCONT)
        let ended = try await command.ended()
        #expect(ended.code == 4, "\(ended.output)\(ended.errors)")
        let run = try Run(folder, "run")
        // Those that were to arrive meanwhile came late, by up to seven seconds.
        let lateness = run["rigHealth", "latenessP99Ms"] as? Double
        #expect(lateness ?? 0 > 1_000, "\(ended.output)")
        #expect(run.number("exchanges", "errors") == 0, "\(ended.output)")
        #expect(
            ended.errors.contains(/note: this process did not run for \d+\.\d s, until second \d/),
            "\(ended.errors)")
        let notes = run["notes"] as? [String] ?? []
        #expect(notes.contains { $0.hasPrefix("this process did not run") }, "\(notes)")
    }

    @Test("Ctrl-C also ends a run that began with a probe, which hears of Ctrl-C itself")
    func interruptedAfterProbe() async throws {
        let folder = TestFolder()
        let server = try Command(["serve", "--port", "0"], in: folder)
        let url = try await server.url()
        let command = try start(
            long + ["--target", url, "--set", "target.probe=on"], in: folder)
        try await inFullSwing(command)
        command.send(SIGINT)
        let ended = try await command.ended()
        #expect(ended.code == 130, "\(ended.output)\(ended.errors)")
        #expect(ended.output.hasPrefix("Interrupted after "), "\(ended.output)")
    }

    @Test(
        "Ctrl-C ends at once what Ctrl-C or 'control stop' has begun to end, still with everything so far",
        arguments: [false, true])
    func twice(byControl: Bool) async throws {
        let folder = TestFolder()
        // Viewers that would use up all of the five seconds.
        let slow = ["--set", "kinds.0.viewer.signs-in=uniform(1s, 30s)"]
        let command = try start(long + slow, in: folder)
        try await inFullSwing(command)
        if byControl {
            let control = try await Command.run("control", "stop", "--run", "run", in: folder)
            #expect(control.code == 0, "\(control.errors)")
        } else {
            command.send(SIGINT)
        }
        try await command.wait("its word about the first") {
            command.errors.contains("interrupted: no more arrivals")
        }
        let sentAt = Date.now
        command.send(SIGINT)
        let ended = try await command.ended()
        #expect(ended.code == 130)
        #expect(try grace(of: folder, from: sentAt) < 0.5)
        try expectComplete(folder, "run")
        let run = try Run(folder, "run")
        #expect(run["run", "interrupted"] as? Bool == true)
        #expect(run.number("households", "abandoned") ?? 0 > 0)
    }

    @Test("a server that dies half-way: errors, a verdict, and everything so far")
    func serverKilled() async throws {
        let folder = TestFolder()
        let server = try Command(["serve", "--port", "0"], in: folder)
        let url = try await server.url()
        // The run kills it by itself: this process may get its turn only when all is over.
        let death = "events=[{name: death, at: 15s, run: kill -9 \(server.processIdentifier)}]"
        let load = ["--set", "load.arrivals=[{ramp-to: 4/s, over: 0s}, {hold: 30s}]"]
        let command = try start(
            unhurried + load
                + ["--set", death, "--target", url, "--set", "load.settle=1s"], in: folder)
        let ended = try await command.ended()
        #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
        #expect(ended.output.hasPrefix("Failed: "), "\(ended.output)")
        #expect(
            ended.output.contains(
                /the service stopped responding at second \d+: none of \d+ requests/),
            "\(ended.output)")
        // One line for all that the dead server left.
        let refused = ended.output.matches(of: /\n *error: .*connection-refused/).count
        #expect(refused == 1, "\(ended.output)")
        #expect(
            ended.output.contains("connection-refused")
                || ended.output.contains("connection-lost"), "\(ended.output)")
        try expectComplete(folder, "run")
        let run = try Run(folder, "run")
        #expect(run.number("households", "signedIn") ?? 0 > 0)
        #expect(run.number("households", "failed") ?? 0 > 0)
        #expect(run.number("exchanges", "errors") ?? 0 > 0)
        #expect(run.number("households", "running") == 0)
        #expect(run.number("households", "abandoned") == 0)
        // The last arrival is at 30 s, and 10 s later nobody is waited for any more; codes would live for
        // half an hour, and TVs back off for up to 30 s.
        let seconds = try #require(run["run", "seconds"] as? Double)
        #expect(seconds < 47, "\(seconds) s")
    }

    @Test("after kill -9 report finds everything up to the last second")
    func killed() async throws {
        let folder = TestFolder()
        let command = try start(long, in: folder)
        try await inFullSwing(command)
        let killedAt = Date.now.timeIntervalSince1970
        command.send(SIGKILL)
        let ended = try await command.ended()
        #expect(ended.wasSignalled)
        #expect(!folder.holds("run/summary.json"))
        let report = try await Command.run("report", "run", in: folder)
        #expect(report.code == 130, "\(report.output)\(report.errors)")
        #expect(report.output.hasPrefix("Cut short: "), "\(report.output)")
        try expectComplete(folder, "run")
        let run = try Run(folder, "run")
        #expect(run["run", "cutShort"] as? Bool == true)
        #expect(
            run.texts("notes").contains { $0.hasPrefix("when the process ended, lane 0 was ") },
            "\(run.texts("notes"))")
        #expect(run.number("exchanges", "completed") ?? 0 > 50)
        let history = try History(path: folder.path("run"))
        let started = Double(history.header.startedMicroseconds) / 1e6
        let missing = killedAt - started - history.watermark.milliseconds / 1000
        // Time zero is a little after `started`, so that even less is missing than this says.
        #expect(missing < 1, "\(missing) s are missing")
        var kept = 0
        try history.exchanges { _ in kept += 1 }
        #expect(kept == run.number("exchanges", "sent"))
    }

    @Test("report and compare say of a run that goes on that it may")
    func goingOn() async throws {
        let folder = TestFolder()
        let command = try start(long, in: folder)
        try await inFullSwing(command)
        let words = "may be going on: its record has no end"
        let report = try await Command.run("report", "run", in: folder)
        #expect(report.errors.contains(words), "\(report.errors)")
        let comparison = try await Command.run("compare", "7d", "run", in: folder)
        #expect(comparison.code == 3, "\(comparison.output)")
        #expect(comparison.errors.contains(words), "\(comparison.errors)")
        command.send(SIGINT)
        _ = try await command.ended()
        let ended = try await Command.run("report", "run", in: folder)
        #expect(!ended.errors.contains(words), "\(ended.errors)")
    }

    @Test("a lane that is stuck does not keep a run from ending with its report")
    func stuck() async throws {
        let folder = TestFolder()
        let script = Repository.root.appending(path: "Tests/Foreign/frozen_lane.py").path
        let command = try Command(
            [
                "python3", script, Command.binary, "run", Command.rig("smoke.yaml"), "--out", "run",
                "--set", "lanes=1",
            ] + long, in: folder, program: "/usr/bin/env")
        let ended = try await command.ended()
        if ended.code == 75 {
            return print("skipped: this machine does not let a process trace its child")
        }
        #expect(ended.code == 130, "\(ended.output)\(ended.errors)")
        #expect(ended.output.hasPrefix("Interrupted after "), "\(ended.output)")
        try expectComplete(folder, "run")
        #expect(!folder.holds("run/lanes.bin"))
        let run = try Run(folder, "run")
        #expect(run.number("households", "started") ?? 0 > 0)
        #expect(
            run.texts("notes").contains {
                $0.hasPrefix("the run was ended without waiting for lane 0: lane 0 ")
            }, "\(run.texts("notes"))")
    }

    /// Seconds that the lanes went on after `date`.
    private func grace(of folder: TestFolder, from date: Date) throws -> Double {
        let history = try History(path: folder.path("run"))
        let end = try #require(history.end)
        let started = Double(history.header.startedMicroseconds) / 1e6
        return started + end.ended.milliseconds / 1000 - date.timeIntervalSince1970
    }
}
