import Foundation
import TestSupport
import Testing

@Suite("The command merge", .ownThread)
struct MergeCommandTests {
    /// Three shards of one run in virtual time, under `s` of a folder that all tests of this suite read.
    private static func shards() async throws -> TestFolder {
        let folder = TestFolder()
        for number in 0..<3 {
            let ended = try await Command.run(
                "simulate", Command.rig("shards.yaml"), "--shard", "\(number)/3", "--out",
                "s/\(number)", "--quiet", in: folder)
            #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        }
        return folder
    }

    private func copy(_ from: String, to name: String, in folder: TestFolder) throws {
        try FileManager.default.copyItem(atPath: folder.path(from), toPath: folder.path(name))
    }

    @Test("the exit code and the sentence say how complete the merge is")
    func codes() async throws {
        let folder = try await Self.shards()
        func merge(_ words: String...) async throws -> Command.Ended {
            try await Command(["merge"] + words, in: folder).ended()
        }

        let whole = try await merge("s", "--out", "whole")
        #expect(whole.code == 0, "\(whole.output)\(whole.errors)")
        #expect(whole.output.hasPrefix("Passed: all 40 households signed in"))
        #expect(whole.output.contains("merged from 3 of 3 shards"))
        try expectComplete(folder, "whole")
        #expect(folder.holds("whole/shards.csv"))

        let missing = try await merge("s/0", "s/2", "--out", "missing")
        #expect(missing.code == 4)
        let run = try Run(folder, "missing")
        #expect(
            run["headline"] as? String
                == "Invalid: 27 of 40 planned households (67.5 %) were seen to their end: shard 1 of 3 is "
                + "missing; all 27 households signed in.")
        #expect(run["outcome"] as? String == "invalid")
        #expect(try folder.read("missing/junit.xml").contains("<failure message=\"27 of 40"))

        try copy("s/1", to: "again", in: folder)
        let again = try await merge("s", "again", "--out", "twice")
        #expect(again.code == 0)
        #expect(again.output.contains("note: shard 1 was given twice (s/1, again); it counts once"))

        let overwritten = try await merge("s", "--out", "whole")
        #expect(overwritten.code == 3)
        #expect(overwritten.errors.contains("whole is not empty, and a run never overwrites"))
    }

    @Test("a damaged history is left out and named; alone it cannot be merged")
    func damaged() async throws {
        let folder = try await Self.shards()
        // As after a lost disk: the first pages of the file, and something else altogether.
        let history = try Data(contentsOf: folder.url.appending(path: "s/1/history.sqlite"))
        for (name, data) in [("cut", history.prefix(20_000)), ("other", Data("garbage".utf8))] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: true)
            try data.write(to: folder.url.appending(path: "\(name)/history.sqlite"))
            let merged = try await Command.run(
                "merge", "s/0", "s/2", name, "--out", "with-\(name)", in: folder)
            #expect(merged.code == 4, "\(merged.errors)")
            #expect(merged.output.hasPrefix("Invalid: 27 of 40 planned households (67.5 %)"))
            #expect(merged.output.contains("\(name)/history.sqlite"), "\(merged.output)")
            let alone = try await Command.run("merge", name, "--out", "no-\(name)", in: folder)
            #expect(alone.code == 3)
            #expect(alone.errors.hasPrefix("nothing can be merged: "), "\(alone.errors)")
        }
    }

    @Test(
        "--fetch brings what is elsewhere; what cannot be fetched is named like a damaged history")
    func fetched() async throws {
        let folder = try await Self.shards()
        func merge(_ fetch: String, _ names: [String], out: String) async throws -> Command.Ended {
            try await Command(["merge"] + names + ["--fetch", fetch, "--out", out], in: folder)
                .ended()
        }
        try FileManager.default.moveItem(
            atPath: folder.path("s"), toPath: folder.path("it's far away"))
        let names = (0..<3).map { "it's \($0)" }
        let brought = try await merge(
            "n={}; cat \"it's far away/${n#it?s }/history.sqlite\"", names, out: "fetched")
        #expect(brought.code == 0, "\(brought.output)\(brought.errors)")

        // What such a command leaves running, as ssh does with its connection, is not waited for.
        let leaving = "sleep 600 & echo $! >> left; cat \"it's far away/0/history.sqlite\" # {}"
        defer { folder.endProcesses(in: "left") }
        let left = try await merge(leaving, ["it's 0"], out: "leaving")
        #expect(left.code == 4, "\(left.output)\(left.errors)")

        let here = ["it's far away/0", "it's far away/1"]
        let lacking = try await merge(
            "echo no such key: {} >&2; exit 7 # {}", here + ["x"], out: "part")
        #expect(lacking.code == 4, "\(lacking.errors)")
        let gap = try Run(folder, "part")["headline"] as? String ?? ""
        #expect(
            gap.contains(
                "x could not be fetched: the command of --fetch ended with 7: no such key: x; "
                    + "shard 2 of 3 is missing"), "\(gap)")

        let none = try await merge("false {}", ["x", "y"], out: "none")
        #expect(none.code == 3)
        #expect(none.errors.contains("x could not be fetched: the command of --fetch ended with 1"))
        try FileManager.default.createDirectory(
            atPath: folder.path("empty"), withIntermediateDirectories: false)
        let late = try await merge(
            "cat \"it's far away/0/history.sqlite\" # {}", ["x", "empty"], out: "late")
        #expect(late.code == 2 && late.errors.contains("empty holds no run"), "\(late.errors)")
        // Nothing of what was fetched stays behind.
        let rest = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(rest.filter { $0.hasPrefix("screenrig-merge") }.isEmpty, "\(rest)")
    }

    @Test("Ctrl-C ends a merge that fetches, and what it has fetched goes away")
    func interrupted() async throws {
        let folder = TestFolder()
        let command = try Command(
            ["merge", "x", "--fetch", "echo $$ > begun; exec sleep 600 # {}", "--out", "merged"],
            in: folder)
        try await command.wait("the fetch") {
            (try? folder.read("begun"))?.hasSuffix("\n") == true
        }
        command.send(SIGINT)
        let ended = try await command.ended()
        #expect(ended.code == 130 && ended.errors.contains("interrupted: nothing was merged"))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(
            left.allSatisfy { $0 != "merged" && !$0.hasPrefix("screenrig-merge") }, "\(left)")
        let fetch = try folder.read("begun").trimmingCharacters(in: .whitespacesAndNewlines)
        // Empty or not there once the process has ended.
        func goesOn() -> Bool {
            let words = try? String(contentsOfFile: "/proc/\(fetch)/cmdline", encoding: .utf8)
            return words?.isEmpty == false
        }
        let limit = ContinuousClock.now + .seconds(60)
        while goesOn(), .now < limit { await OwnThread.shared.pause() }
        #expect(!goesOn())
    }

    @Test("two runs of one shard are named, and the merge does not pass")
    func repeated() async throws {
        let folder = TestFolder()
        // In real time, so that the second is another run, and not the same once more.
        let commands = try ["one", "two"].map {
            try Command(
                [
                    "run", Command.rig("smoke.yaml"), "--shard", "0/1", "--run-id", "t", "--out",
                    $0,
                    "--quiet", "--set", "shows=[]",
                ], in: folder)
        }
        for command in commands {
            let ended = try await command.ended()
            #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        }
        let merged = try await Command.run("merge", "one", "two", "--out", "both", in: folder)
        #expect(merged.code == 4, "\(merged.errors)")
        let headline = try Run(folder, "both")["headline"] as? String ?? ""
        #expect(headline.contains("shard 0 ran twice: "), "\(headline)")
        #expect(headline.contains("are different runs of it"))
    }

    @Test("what cannot be merged is refused, and the sentence says what to do")
    func refusals() async throws {
        let folder = try await Self.shards()
        _ = try await Command.run(
            "simulate", Command.rig("shards.yaml"), "--out", "alone", "--quiet", in: folder)
        _ = try await Command.run(
            "simulate", Command.rig("shards.yaml"), "--shard", "1/3", "--seed", "77", "--out",
            "seed", "--quiet", in: folder)
        _ = try await Command.run("merge", "s", "--out", "merged", in: folder)
        try FileManager.default.createDirectory(
            atPath: folder.path("empty"), withIntermediateDirectories: true)
        var sentences: [String] = []
        for words in [
            ["merge"], ["merge", "empty"], ["merge", "nowhere"], ["merge", "alone"],
            ["merge", "merged"], ["merge", "s/0", "seed"],
            ["merge", "bucket", "--fetch", "aws s3 cp"], ["merge", "s", "--clock-bound", "soon"],
        ] {
            let ended = try await Command(words, in: folder).ended()
            #expect(ended.code == 2, "\(words): \(ended.output)")
            sentences.append("\(words.joined(separator: " "))\n  \(ended.errors)")
        }
        try Golden.expect(sentences.joined(), is: "errors/merge.txt")
    }

    @Test("a merged run is read like any other: report, judge, compare, show, export, --share")
    func readers() async throws {
        let folder = try await Self.shards()
        for (names, out) in [(["s"], "merged"), (["s/0", "s/2"], "gap")] {
            _ = try await Command(["merge"] + names + ["--out", out], in: folder).ended()
        }
        for (name, code, start) in [
            ("merged", Int32(0), "Passed: all 40"), ("gap", 4, "Invalid: 27 of 40"),
        ] {
            let before = try folder.read("\(name)/summary.json")
            for command in ["report", "judge"] {
                let ended = try await Command.run(command, name, in: folder)
                #expect(ended.code == code && ended.output.hasPrefix(start), "\(ended.errors)")
            }
            #expect(try folder.read("\(name)/summary.json") == before)
            #expect(
                try folder.read("\(name)-judged/shards.csv") == folder.read("\(name)/shards.csv"))
            let shared = try await Command.run(
                "report", name, "--share", "\(name).zip", in: folder)
            #expect(shared.code == 0 && folder.holds("\(name).zip"), "\(shared.errors)")
            // Household 3 is of shard 0, in both.
            let shown = try await Command.run("show", name, "--household", "3", in: folder)
            #expect(shown.code == 0 && folder.holds("\(name)/households/3.html"))
            let exported = try await Command.run("export", name, "--household", "3", in: folder)
            #expect(exported.code == 0)
            #expect(exported.output.contains("\"operation\":\"registration-code\""))
        }
        let compared = try await Command.run("compare", "merged", "gap", in: folder)
        #expect(compared.code == 0, "\(compared.errors)")
        #expect(compared.output.contains("warning: the run was merged without a part of its plan"))
    }

    @Test("a run is named as for other commands: latest, or its name under reports")
    func named() async throws {
        let folder = try await Self.shards()
        let run = try await Command.run(
            "simulate", Command.rig("shards.yaml"), "--shard", "0/3", "--quiet", in: folder)
        #expect(run.code == 0, "\(run.errors)")
        let merged = try await Command(
            ["merge", "latest", "s/1", "s/2", "--out", "named"], in: folder
        ).ended()
        #expect(merged.code == 0, "\(merged.output)\(merged.errors)")
        #expect(merged.output.contains("merged from 3 of 3 shards"))
        let none = try await Command(["merge", "latest~7"], in: folder).ended()
        #expect(none.code == 2)
        #expect(none.errors.contains("there is no run at latest~7"))
    }
}
