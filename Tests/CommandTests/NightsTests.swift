import Foundation
import TestSupport
import Testing

@testable import Trends

@Suite("Comparing runs and keeping nights, from outside", .ownThread)
struct NightsTests {
    private func simulate(_ folder: TestFolder, _ out: String, _ more: [String] = []) async throws {
        let ended = try await Command(
            ["simulate", Command.rig("twenty.yaml"), "--quiet", "--out", out] + more, in: folder
        ).ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
    }

    /// As a book has them that does not know of how many values they are: twenty households are too few for a p95.
    private static func values(_ night: Night, fasterBy factor: Double) -> [String: Double] {
        night.values.filter { !$0.key.hasSuffix(" values") }.mapValues { $0 / factor }
    }

    @Test("a run against a slower service is worse, exit code 1; against itself it is an error")
    func compare() async throws {
        let folder = TestFolder()
        try await simulate(folder, "base")
        try await simulate(
            folder, "slow",
            ["--set", "standin.network.latency=lognormal(median 60ms, p95 80ms)"])
        let worse = try await Command.run(
            "compare", "base", "slow", "--html", "compare.html", in: folder)
        #expect(worse.code == 1, "\(worse.output)\(worse.errors)")
        #expect(worse.output.contains("Worse: "))
        #expect(worse.output.contains("warning: different rig keys: standin"))
        #expect(try folder.read("compare.html").contains("<h1>twenty</h1>"))
        let better = try await Command.run("compare", "slow", "base", "--json", in: folder)
        #expect(better.code == 0)
        let read = try #require(
            try JSONSerialization.jsonObject(with: Data(better.output.utf8)) as? [String: Any])
        #expect(read["verdict"] as? String == "better")
        #expect(read["schema"] as? String == "screenrig/comparison/1")
        let same = try await Command.run("compare", "base", "base/history.sqlite", in: folder)
        #expect(same.code == 2)
        #expect(same.errors.contains("are the same run"))
    }

    @Test("a run whose verdict got lost is not taken for one without violations")
    func lostVerdict() async throws {
        let folder = TestFolder()
        try await simulate(folder, "base")
        try await simulate(folder, "other", ["--seed", "5"])
        let whole = try folder.read("other/summary.json")
        for left in [nil, "", String(whole.prefix(whole.count / 2))] {
            try FileManager.default.removeItem(atPath: folder.path("other/summary.json"))
            if let left { _ = try folder.write(left, to: "other/summary.json") }
            for arguments in [
                ["compare", "base", "other"], ["compare", "other", "base"],
                ["nights", "add", "other"],
            ] {
                let ended = try await Command(arguments, in: folder).ended()
                #expect(ended.code == 3, "\(arguments): \(ended.output)\(ended.errors)")
                #expect(ended.errors.contains("'screenrig report "), "\(ended.errors)")
            }
            _ = try folder.write("", to: "other/summary.json")
        }
        let written = try await Command(["report", "other"], in: folder).ended()
        #expect(written.code == 0, "\(written.errors)")
        let compared = try await Command(["compare", "base", "other"], in: folder).ended()
        #expect(compared.code != 3, "\(compared.errors)")
    }

    @Test("what cannot be compared is told, with 2 for the command line and 3 for the runs")
    func refusals() async throws {
        let folder = TestFolder()
        try await simulate(folder, "base")
        for (arguments, code, word) in [
            (["nowhere", "base"], 3 as Int32, "no history at nowhere"),
            (["7d", "base"], 3, "is at least 7d older"),
            (["base", "nowhere"], 3, "no history at nowhere"),
            (["base"], 3, "names no run"),
            ([], 2, "BASE"),
            (["base", "base", "--floor", "much"], 2, "not a share"),
        ] {
            let ended = try await Command(["compare"] + arguments, in: folder).ended()
            #expect(ended.code == code, "\(arguments): \(ended.errors)")
            #expect(ended.errors.contains(word), "\(arguments): \(ended.errors)")
        }
    }

    @Test("nights gather: page, table, message, old directories gone, and a night that failed")
    func nightly() async throws {
        let folder = TestFolder()
        defer { folder.endProcesses(in: "left") }
        func night(_ seed: Int, _ more: [String] = []) async throws -> Command.Ended {
            try await Command(
                [
                    "nightly", Command.rig("twenty.yaml"), "--seed", String(seed), "--quiet",
                    "--notify", "cat >> messages; echo told >&2; sleep 600 & echo $! >> left",
                ] + more, in: folder
            ).ended()
        }
        for seed in 1...3 {
            let ended = try await night(seed, ["--virtual", "--keep", "2"])
            #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
            #expect(ended.errors.contains("told"))
            // Whom it leaves running is not waited for.
            #expect(!ended.errors.contains("still running"), "\(ended.errors)")
        }
        // Nobody listens there: exit code 3, a gap, and an alarm, since the service's host answered nothing.
        let failed = try await night(
            4, ["--target", "http://127.0.0.1:1", "--set", "load.closed.households=1"])
        #expect(failed.code == 3, "\(failed.output)\(failed.errors)")
        #expect(failed.output.contains("no values on "))
        let messages = try folder.read("messages").split(separator: "\n").map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        }
        #expect(messages.map { $0["exitCode"] as? Int } == [0, 0, 0, 3])
        #expect(messages.map { $0["alarm"] as? Bool } == [false, false, false, true])
        #expect(messages[3]["gap"] is String)
        #expect(messages.allSatisfy { $0.keys.sorted() == NightsDocsTests.keys.sorted() })
        let digests = messages.compactMap { $0["digest"] as? [String: Any] }
        #expect(digests.map { $0["colour"] as? String } == ["green", "green", "green", "red"])
        #expect(digests.allSatisfy { $0.keys.sorted() == NightsDocsTests.digestKeys.sorted() })
        let page = try #require(digests[3]["htmlFile"] as? String)
        #expect(try folder.read(page).contains("No values last night"))
        let all = try folder.read("reports/nights.html")
        #expect(all.contains("4 nights, 1 of them without values"))
        let shown = try await Command.run("nights", in: folder)
        #expect(shown.code == 1 && shown.output.contains("sign-in-service p95"))
        #expect(shown.output.hasPrefix("The service did not answer on the night of "))
        // Three nights in virtual time, of which the first went, and the one that failed.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("reports"))
            .filter { $0.hasPrefix("twenty-") }
        #expect(names.count == 3, "\(names)")
        for name in names {
            #expect(all.contains("\(name)/report.html"), "\(name)")
        }
    }

    @Test(
        "a night that was killed is a night without values, in its own morning and beside the next")
    func killed() async throws {
        let folder = TestFolder()
        let night = ["nightly", Command.rig("twenty.yaml"), "--quiet"]
        let command = try Command(night + ["--mark", "v1"], in: folder)
        try await command.wait("its history") {
            FileManager.default.fileExists(atPath: folder.path("reports/latest/history.sqlite"))
        }
        command.send(SIGKILL)
        _ = try await command.ended()
        func plain(_ text: String) -> String {
            text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let words = "the run is unfinished: it was killed, or is still going on"
        let morning = try await Command.run("nights", in: folder)
        #expect(
            morning.code == 0 && plain(morning.output).contains(words),
            "\(morning.output)\(morning.errors)")
        let next = try await Command(night + ["--virtual"], in: folder).ended()
        #expect(next.code == 0, "\(next.output)\(next.errors)")
        #expect(next.output.contains("twenty: 2 nights, 1 without values"), "\(next.output)")
        #expect(plain(next.output).contains(words), "\(next.output)")
        let nights = try NightBook(path: folder.path(NightBook.usual), creates: false).nights()
        #expect(nights.map(\.isGap) == [true, false] && nights[0].mark == "v1")
    }

    @Test("a change for the worse ends with 1 until it is accepted")
    func alarm() async throws {
        let folder = TestFolder()
        try await simulate(folder, "base")
        // Six nights twice as fast, then three as they were measured; this is the third.
        let first = try await Command.run(
            "nights", "add", "base", "--nights", "n.sqlite", in: folder)
        #expect(first.code == 0, "\(first.errors)")
        let book = try NightBook(path: folder.path("n.sqlite"), creates: false)
        let real = try #require(try book.nights().first)
        for number in 1...8 {
            var night = real
            night.run = "made-\(number)"
            night.started = "2000-01-0\(number)T02:00:00Z"
            night.values = Self.values(real, fasterBy: number < 7 ? 2 : 1)
            try book.add(night)
        }
        let told = try await Command.run("nights", "--nights", "n.sqlite", in: folder)
        #expect(told.code == 1, "\(told.output)")
        #expect(told.output.contains("It got worse: "))
        let again = try await Command.run(
            "nights", "add", "base", "--nights", "n.sqlite", "--json", in: folder)
        #expect(again.code == 1)
        #expect(again.output.contains("\"alarm\":true"))
        try await simulate(folder, "later")
        let next = try await Command.run(
            "nights", "add", "later", "--nights", "n.sqlite", "--mark", "v2.3", in: folder)
        #expect(next.code == 1, "\(next.output)")
        #expect(next.output.hasPrefix("Still worse since 2000-01-07: "), "\(next.output)")
        let wrong = try await Command.run(
            "nights", "accept", "--series", "rate", "--nights", "n.sqlite", in: folder)
        #expect(wrong.code == 2)
        #expect(wrong.errors.contains("'rate' is not worse; worse are '"), "\(wrong.errors)")
        let accepted = try await Command.run(
            "nights", "accept", "--note", "new page", "--nights", "n.sqlite", in: folder)
        #expect(accepted.code == 0, "\(accepted.errors)")
        #expect(accepted.output.hasPrefix("accepted: "), "\(accepted.output)")
        let page = try folder.read("n.html")
        #expect(page.contains("accepted: new page") && page.contains("v2.3"))
        let after = try await Command.run("nights", "--nights", "n.sqlite", in: folder)
        #expect(after.code == 0 && after.output.hasPrefix("No lasting change for the worse"))
        let nothing = try await Command.run(
            "nights", "accept", "--nights", "n.sqlite", in: folder)
        #expect(nothing.code == 2 && nothing.errors.contains("no series is worse now"))
    }

    @Test("one night far beyond its level is unusual, exit code 0; beyond nightly.alarm it is 1")
    func unusual() async throws {
        let folder = TestFolder()
        for (book, more, code, words) in [
            ("a.sqlite", [], 0 as Int32, "Unusual tonight: "),
            (
                "b.sqlite", ["--set", "nightly.alarm=3x"], 1,
                "Alarm: far worse than its level tonight: "
            ),
        ] {
            try await simulate(folder, book + "-run", more)
            _ = try await Command.run(
                "nights", "add", book + "-run", "--nights", book, in: folder)
            let nights = try NightBook(path: folder.path(book), creates: false)
            let real = try #require(try nights.nights().first)
            for number in 1...8 {
                var night = real
                night.run = "made-\(number)"
                night.started = "2000-01-0\(number)T02:00:00Z"
                night.values = Self.values(real, fasterBy: 28)
                try nights.add(night)
            }
            var newest = real
            newest.values = Self.values(real, fasterBy: 1)
            try nights.add(newest)
            let told = try await Command.run("nights", "--nights", book, in: folder)
            #expect(told.code == code, "\(told.output)")
            #expect(told.output.hasPrefix(words), "\(told.output)")
            #expect(
                told.output.replacing("\n", with: " ").contains("28 times"), "\(told.output)")
        }
    }

    @Test("no nights, a run that is none, a bad option: each with its code and a remedy")
    func badInput() async throws {
        let folder = TestFolder()
        for (arguments, code, word) in [
            (["nights"], 3 as Int32, "no nights at reports/nights.sqlite"),
            (["nights", "add", "nowhere"], 3, "no history at nowhere"),
            (["nightly", "none.yaml"], 2, "none.yaml"),
            (["nightly", Command.rig("smoke.yaml"), "--keep", "0"], 2, "at least 1"),
            (["nightly"], 2, "rig"),
        ] {
            let ended = try await Command(arguments, in: folder).ended()
            #expect(ended.code == code, "\(arguments): \(ended.errors)")
            #expect(ended.errors.contains(word), "\(arguments): \(ended.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("reports/nights.sqlite")))
    }
}
