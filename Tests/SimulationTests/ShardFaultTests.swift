import Checker
import Foundation
import Journal
import Reports
import Rigs
import Runner
import Statistics
import Testing
import Vocabulary

@Suite("What is wrong with shards is named")
struct ShardFaultTests {
    private typealias Attempt = PlantedShards.Attempt

    private func note(_ summary: Summary, _ words: String) -> Bool {
        summary.notes.contains { $0.contains(words) }
    }

    // MARK: Promises between shards

    /// Two shards on two machines, in which households 1 and 2 got one code 100 ms apart.
    private func twins(
        _ shards: PlantedShards, hosts: [String] = ["node-0", "node-1"],
        clocks: [ClockReading?] = Array(
            repeating: ClockReading(isSynchronised: true, errorMicroseconds: 1_000), count: 2)
    ) throws {
        for number in 0..<2 {
            var attempt = Attempt(host: hosts[number], clock: clocks[number])
            attempt.codes = number == 0 ? [2: "SAME"] : [1: "SAME"]
            try shards.write(number, as: "\(number)", attempt)
        }
    }

    @Test("one code for households of two shards is found where they had one target")
    func twins() throws {
        let shards = try PlantedShards()
        try twins(shards)
        let summary = try shards.merge(["0", "1"])
        let found = summary.findings?.violations ?? []
        #expect(found.map(\.invariant) == [.codeUnique])
        #expect(found.first?.sentence.contains("household 1") == true)
        // The shards by themselves have nothing to find.
        for name in ["0", "1"] {
            let history = try History(path: shards.folder.path(name))
            #expect(try Findings(rejudging: history)?.violations.isEmpty == true)
        }
        // The merged history says by which bounds, so that it is judged alike.
        let merged = try History(path: shards.folder.path("merged"))
        #expect(try Findings(rejudging: merged)?.violations == found)
        #expect(note(summary, "the clocks of 2 machines may be up to 2 ms apart"))
    }

    @Test(
        "where each had a stand-in of its own it is none, and the report says what was not compared"
    )
    func embedded() throws {
        var shards = try PlantedShards()
        shards.target = "embedded (http://127.0.0.1:40001)"
        try twins(shards)
        let summary = try shards.merge(["0", "1"])
        #expect(summary.findings?.violations.isEmpty == true)
        #expect(summary.findings?[.codeUnique].checked == 8)
        #expect(note(summary, "each shard had a stand-in of its own"))
        #expect(summary.run.target == "embedded (http://127.0.0.1:40001)")
    }

    @Test("two targets are judged each for itself")
    func targets() throws {
        let shards = try PlantedShards()
        for number in 0..<2 {
            var attempt = Attempt(codes: number == 0 ? [2: "SAME"] : [1: "SAME"])
            attempt.change = { $0.target = "https://auth-\(number).example" }
            try shards.write(number, as: "\(number)", attempt)
        }
        let summary = try shards.merge(["0", "1"])
        #expect(summary.findings?.violations.isEmpty == true)
        #expect(note(summary, "the shards had 2 targets"))
    }

    @Test(
        "between machines of which no clock error is known nothing is ordered, unless a bound is given"
    )
    func unknownClocks() throws {
        let shards = try PlantedShards()
        let unknown = ClockReading(isSynchronised: false, errorMicroseconds: 16_000_000)
        try twins(shards, clocks: [nil, unknown])
        let summary = try shards.merge(["0", "1"])
        #expect(summary.findings?.violations.isEmpty == true)
        #expect(note(summary, "--clock-bound 5ms"))
        let bound = try shards.merge(["0", "1"], as: "bound", clockBound: .milliseconds(5))
        #expect(bound.findings?.violations.map(\.invariant) == [.codeUnique])
        #expect(note(bound, "may be up to 10 ms apart"))
    }

    @Test("two shards of one machine have one clock, by its boot id or its name")
    func oneMachine() throws {
        for (name, hosts, boot) in [
            ("name", ["node-0", "node-0"], nil), ("boot", ["pod-a", "pod-b"], "6f0d"),
        ] as [(String, [String], String?)] {
            let shards = try PlantedShards()
            let clock = ClockReading(
                isSynchronised: false, errorMicroseconds: 16_000_000, bootID: boot)
            try twins(shards, hosts: hosts, clocks: [clock, clock])
            let summary = try shards.merge(["0", "1"])
            #expect(summary.findings?.violations.map(\.invariant) == [.codeUnique], "\(name)")
        }
    }

    @Test(
        "where not every exchange was recorded the shards' verdicts are added, and what they cannot say is named"
    )
    func sampled() throws {
        let shards = try PlantedShards()
        for number in 0..<2 {
            // Of one shard, so that its own judge has found it.
            let codes: [Int: String] = number == 0 ? [2: "SAME", 4: "SAME"] : [:]
            try shards.write(
                number, as: "\(number)", Attempt(codes: codes, recording: .aggregates))
        }
        let summary = try shards.merge(["0", "1"])
        let verdict = try #require(summary.findings?[.codeUnique])
        #expect(verdict.checked == 8 && verdict.violations + verdict.observed == 1)
        #expect(summary.findings?.violations.map(\.household) == [4])
        #expect(note(summary, "promises between households of different shards"))
        // So it stays when the report is made again.
        let merged = RunDirectory(path: shards.folder.path("merged"))
        let again = try RunReports.write(merged, thresholds: [], complain: { print($0) })
        #expect(again.findings?.verdicts == summary.findings?.verdicts)
    }

    // MARK: Missing, cut short, repeated

    @Test(
        "a missing shard is named with the share of the plan that was seen, and the run does not pass"
    )
    func missing() throws {
        var shards = try PlantedShards()
        shards.count = 4
        for number in [0, 1, 3] { try shards.write(number, as: "\(number)") }
        let summary = try shards.merge(["0", "1", "3"])
        #expect(summary.exitStatus == .untrusted)
        #expect(
            summary.mergeGaps == [
                "6 of 8 planned households (75 %) were seen to their end: shard 2 of 4 is missing"
            ])
        #expect(summary.headline.hasPrefix("Invalid: 6 of 8 planned households"))
    }

    @Test("a shard that was cut short is named, with what it lost")
    func cutShort() throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        try shards.write(
            1, as: "1", Attempt(only: [1, 3, 5], unended: [3], isCutShort: true))
        let summary = try shards.merge(["0", "1"])
        #expect(summary.exitStatus == .untrusted)
        #expect(summary.mergeGaps.first?.contains("shard 1 was cut short after 30 s") == true)
        #expect(note(summary, "shard 1: 1 household was lost (3)"))
        let loss = try #require(summary.losses.first { $0.cause == HouseholdRecord.lost })
        #expect(loss.households == 1 && loss.example == 3)
        #expect(summary.shards.map(\.lost) == [0, 1])
        #expect(summary.shards.map { $0.ended == nil } == [false, true])
        #expect(summary.households.started == 7)
    }

    @Test(
        "the lanes of a shard that was not continued tell which households it had begun"
    )
    func unseen() throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        let cut = try shards.write(
            1, as: "1", Attempt(only: [1, 3, 5], unended: [3], isCutShort: true))
        var words = [Int64](repeating: 0, count: 2 * LaneTurn.words)
        (words[0], words[1], words[LaneTurn.words + LaneTurn.begunWord]) = (LaneTurn.mark, 1, 4)
        try words.withUnsafeBytes { Data($0) }
            .write(to: URL(filePath: cut.file(LaneTurn.file)))
        let summary = try shards.merge(["0", "1"])
        #expect(summary.shards.map(\.lost) == [0, 2] && summary.households.started == 8)
        #expect(note(summary, "2 households were lost (3, 7)"), "\(summary.notes)")
    }

    @Test("a shard that was cut short when all its households had begun leaves nothing to run")
    func cutShortAtTheEnd() throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        try shards.write(1, as: "1", Attempt(unended: [3], isCutShort: true))
        let summary = try shards.merge(["0", "1"])
        #expect(summary.mergeGaps.isEmpty && summary.exitStatus == .passed, "\(summary.headline)")
        #expect(
            note(
                summary,
                "shard 1 was cut short after 30 s, when all of its households had begun; 1 household was lost (3)"
            ), "\(summary.notes)")
        #expect(summary.headline.contains("1 lost in shard 1"), "\(summary.headline)")
    }

    @Test("a shard whose machine had a wrong clock is named, and has no part in the run")
    func wrongClock() throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        var attempt = Attempt(host: "node-1")
        attempt.change = { $0.startedMicroseconds = 5_000_000 }
        try shards.write(1, as: "1", attempt)
        let summary = try shards.merge(["1", "0"])
        #expect(summary.exitStatus == .untrusted)
        #expect(
            summary.mergeGaps.contains {
                $0.contains("by the clock of node-1 it began 20778 days before the other shards")
            }, "\(summary.mergeGaps)")
        #expect(summary.households.started == 4)
    }

    @Test(
        "attempts of one shard count together; those that were lost are named, and the run may pass"
    )
    func attempts() throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        try shards.write(
            1, as: "1", Attempt(only: [1, 3], unended: [3], isCutShort: true))
        try shards.write(
            1, as: "1-2", Attempt(attempt: 2, late: 12_000_000, only: [7], lost: [3, 5]))
        let summary = try shards.merge(["0", "1", "1-2"])
        #expect(summary.mergeGaps.isEmpty && summary.exitStatus == .passed)
        #expect(summary.shards.map(\.attempt) == [1, 1, 2])
        // One was in the record, of the other the later attempt knows.
        #expect(summary.shards.map(\.lost) == [0, 2, 0])
        #expect(summary.shards.map(\.started) == [4, 3, 1] && summary.households.started == 8)
        #expect(note(summary, "was continued by attempt 2; 2 households were lost (3, 5)"))
        #expect(
            summary.headline.hasPrefix(
                "Passed: 6 of 8 households signed in, 2 lost in shard 1 (75 % of the plan seen to its end)"
            ), "\(summary.headline)")
        #expect(summary.startSkew?.shards == 2 && summary.startSkew?.max == 0)
    }

    @Test("one run given twice counts once; two runs of one shard are an error that is named")
    func repeated() throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        try shards.write(1, as: "1")
        let files = FileManager.default
        try files.copyItem(atPath: shards.folder.path("1"), toPath: shards.folder.path("copy"))
        let same = try shards.merge(["0", "1", "copy", "1"])
        #expect(same.exitStatus == .passed && same.exchanges.sent == 8)
        #expect(note(same, "shard 1 was given twice"))
        try shards.write(1, as: "other", Attempt(host: "node-2", late: 5_000_000))
        let twice = try shards.merge(["0", "1", "other"], as: "twice")
        #expect(twice.exitStatus == .untrusted && twice.exchanges.sent == 8)
        #expect(twice.mergeGaps.contains { $0.contains("shard 1 ran twice") })
    }

    @Test("a household of two shards is an error that is named, and counts once")
    func doubles() throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        try shards.write(1, as: "1", Attempt(only: [1, 3, 4, 5, 7]))
        let summary = try shards.merge(["0", "1"])
        #expect(summary.exitStatus == .untrusted)
        #expect(
            summary.mergeGaps.contains {
                $0.contains("household 4 ran twice, in shard 0 and shard 1")
            })
        #expect(summary.households.started == 8 && summary.exchanges.sent == 9)
    }

    @Test(
        "a damaged history is left out and named, wherever the damage is",
        arguments: [
            "UPDATE meta SET value = 'x' WHERE key = 'seed'",
            "UPDATE exchanges SET outcome = 'odd' WHERE id = 3",
            "UPDATE cells SET latency = x'00ff' WHERE rowid = 1",
            "UPDATE meta SET value = '100000000000' WHERE key = 'shard_count'",
            "UPDATE meta SET value = '2' WHERE key = 'shard_number'",
            "UPDATE meta SET value = '100000000000' WHERE key = 'shard_households_of_plan'",
            "UPDATE meta SET value = '-1' WHERE key = 'shard_attempt'",
        ])
    func damaged(statement: String) throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        try shards.edit(try shards.write(1, as: "1"), statement)
        let summary = try shards.merge(["0", "1"])
        #expect(summary.exitStatus == .untrusted)
        let gap = try #require(summary.mergeGaps.first)
        #expect(gap.hasPrefix("4 of 8 planned households (50 %) were seen to their end: "))
        #expect(gap.contains("damaged") && gap.contains(shards.folder.path("1")))
        #expect(summary.exchanges.sent == 4)
        #expect(throws: RunError.self) { try shards.merge(["1"], as: "alone") }
    }

    @Test("the bottleneck of one shard is that of the run")
    func bottleneck() throws {
        var shards = try PlantedShards()
        shards.households = 400
        try shards.write(0, as: "0")
        try shards.write(1, as: "1", Attempt(host: "node-1", lateness: 40))
        let summary = try shards.merge(["0", "1"])
        #expect(summary.shards.map(\.isValid) == [true, false])
        #expect(
            summary.rigHealth.reasons.contains {
                $0.hasPrefix("shard 1 on node-1: it sent 200 of 200")
            })
        #expect(summary.exitStatus == .untrusted)
    }

    @Test(
        "a shard that was stopped is as one that was killed: whole when all had begun, else a gap")
    func interrupted() throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        try shards.write(1, as: "1", Attempt(interrupted: true))
        let whole = try shards.merge(["0", "1"])
        #expect(whole.mergeGaps.isEmpty && whole.exitStatus == .passed, "\(whole.headline)")
        #expect(
            note(
                whole,
                "shard 1 was stopped from outside after 30 s, when all of its households had begun"
            ), "\(whole.notes)")
        // Those that were cut off count as what is missing; and once, where the next attempt names them as lost.
        try shards.write(1, as: "cut", Attempt(cutOff: [1, 3, 5], interrupted: true))
        let cut = try shards.merge(["0", "cut"], as: "most")
        #expect(cut.exitStatus == .untrusted)
        #expect(
            cut.mergeGaps.first?.hasSuffix(
                "when 4 of its 4 households had begun and 3 were under way") == true,
            "\(cut.mergeGaps)")
        try shards.write(1, as: "c1", Attempt(only: [1, 3, 5], cutOff: [3], interrupted: true))
        try shards.write(
            1, as: "c2", Attempt(attempt: 2, late: 12_000_000, only: [7], lost: [3]))
        let continued = try shards.merge(["0", "c1", "c2"], as: "continued")
        #expect(continued.mergeGaps.isEmpty && continued.households.started == 8)
        #expect(continued.shards.map(\.lost) == [0, 0, 0])
        #expect(continued.losses.map(\.cause) == [HouseholdRecord.stopped])
        // Households that never began are missing, as if their shard had been killed.
        try shards.write(1, as: "2", Attempt(only: [1], interrupted: true))
        let summary = try shards.merge(["0", "2"], as: "part")
        #expect(summary.exitStatus == .untrusted)
        let gap = try #require(summary.mergeGaps.first)
        #expect(
            gap.hasPrefix(
                "5 of 8 planned households (62.5 %) were seen to their end: shard 1 was stopped from outside after "
            ),
            "\(gap)")
        #expect(gap.hasSuffix("when 1 of its 4 households had begun"), "\(gap)")
        #expect(summary.headline.contains("5 of 8 planned households"), "\(summary.headline)")
    }

    @Test("shards whose rigs are written in other ways are of one run")
    func spelled() throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        var attempt = Attempt()
        attempt.change = { header in
            header.rigSource =
                "# another comment\nseed: \(header.seed)\n"
                + header.rigSource.replacing(/base: (?<url>\S+)/) { "base: \"\($0.output.url)\"" }
        }
        try shards.write(1, as: "1", attempt)
        #expect(try shards.merge(["0", "1"]).exitStatus == .passed)
    }

    @Test("start skew is against --start-at, where shards were asked to")
    func skew() throws {
        let shards = try PlantedShards()
        for number in 0..<2 {
            try shards.write(
                number, as: "\(number)",
                Attempt(startAt: PlantedShards.started, late: 3_000 + Int64(number) * 40_000))
        }
        let skew = try #require(try shards.merge(["0", "1"]).startSkew)
        #expect(skew.isAsked)
        #expect((skew.p50, skew.p99, skew.max) == (3, 43, 43))
    }

    @Test(
        "shards that did not start together, or all late, have a note",
        arguments: [
            ([0, 15_300_000], ["shard 1 started 15.3 s after shard 0"]),
            ([7_200_000_000, 7_200_050_000], ["all shards started at least 2 h after the common"]),
            ([0, 99_000], []),
        ] as [([Int64], [String])])
    func apart(late: [Int64], words: [String]) throws {
        let shards = try PlantedShards()
        for number in 0..<2 {
            try shards.write(
                number, as: "\(number)", Attempt(startAt: PlantedShards.started, late: late[number])
            )
        }
        let notes = try shards.merge(["0", "1"]).notes.filter { $0.contains(" started ") }
        #expect(notes.count == words.count, "\(notes)")
        for (note, start) in zip(notes, words) { #expect(note.hasPrefix(start), "\(note)") }
    }

    // MARK: Refused

    @Test("a file of accounts is known by the users in it, not by where it lies")
    func accounts() throws {
        for marks in [[1, 1], [1, 2]] as [[UInt64]] {
            let shards = try PlantedShards()
            for number in 0..<2 {
                var attempt = Attempt()
                attempt.change = { header in
                    header.shard?.accounts = marks[number]
                    header.rigSource += "\naccounts: {file: /home/\(number)/accounts.csv}\n"
                }
                try shards.write(number, as: "\(number)", attempt)
            }
            if marks[0] == marks[1] {
                _ = try shards.merge(["0", "1"])
            } else {
                let error = #expect(throws: RunError.self) { try shards.merge(["0", "1"]) }
                #expect(
                    "\(try #require(error))".contains("their files of accounts have other users"))
            }
        }
    }

    @Test(
        "runs that are not of one run are refused, with the first difference",
        arguments: [
            ("rig", "differ in load: "), ("seed", "they have the seeds 7 and 8"),
            ("run", "they have the run ids"), ("version", "written by screenrig 0.1.0 and 0.2.0"),
            ("count", "split into 2 shards and 3 shards"),
            ("rules", "held to different promises or policies"), ("whole", "is not a shard"),
        ])
    func refused(what: String, words: String) throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        var attempt = Attempt()
        attempt.change = { header in
            switch what {
            case "rig":
                header.rigSource = header.rigSource.replacing("load:", with: "load:\n  settle: 9s")
            case "seed": header.seed = 8
            case "run": header.runID = RunID(of: Seed(2))
            case "version": header.version = "0.2.0"
            case "count": header.shard?.count = 3
            case "rules":
                header.judging = header.judging.map {
                    $0.replacing("promises=documented", with: "promises=strict")
                }
            default: header.shard = nil
            }
        }
        try shards.write(1, as: "1", attempt)
        let error = #expect(throws: RunError.self) { try shards.merge(["0", "1"]) }
        guard case .badInput(let message) = try #require(error) else {
            Issue.record("it must be bad input: \(String(describing: error))")
            return
        }
        #expect(message.contains(words), "\(message)")
        #expect(message.contains(shards.folder.path("1")))
        #expect(!FileManager.default.fileExists(atPath: shards.folder.path("merged")))
    }

    @Test("a merged run cannot be merged again, and a folder of no runs is none")
    func notShards() throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "set/0")
        try shards.write(1, as: "set/1")
        _ = try shards.merge(["set"], as: "set/merged")
        // What an earlier merge left there is no shard.
        #expect(try shards.merge(["set"], as: "again").exchanges.sent == 8)
        for name in ["set/merged", "empty", "nowhere"] {
            if name == "empty" {
                try FileManager.default.createDirectory(
                    atPath: shards.folder.path("empty"), withIntermediateDirectories: true)
            }
            #expect(throws: RunError.self, "\(name)") { try shards.merge([name], as: "x") }
        }
    }

    // MARK: Fetching

    @Test("what is not on this machine is brought by a command, whatever is in its name")
    func fetched() throws {
        let shards = try PlantedShards()
        for number in 0..<2 { try shards.write(number, as: "far away'\(number)") }
        let fetch = try FetchCommand(
            "name={}; cat \"$(printf %s \"$name\" | sed s,^far://,,)/history.sqlite\"")
        let names = (0..<2).map { "far://\(shards.folder.path("far away'\($0)"))" }
        let summary = try shards.merge(names, fetch: fetch)
        #expect(summary.exitStatus == .passed && summary.exchanges.sent == 8)
    }

    @Test(
        "a command that fails, prints nothing or prints something else is named",
        arguments: [
            ("echo no such key >&2; exit 3 # {}", "ended with 3: no such key"),
            ("true {}", "printed nothing"), ("echo {}", "is not a history"),
            ("kill -9 $$ # {}", "was ended by signal 9"),
        ])
    func fetchFails(command: String, words: String) throws {
        let shards = try PlantedShards()
        try shards.write(0, as: "0")
        let summary = try shards.merge(["0", "s3://far/1"], fetch: try FetchCommand(command))
        #expect(summary.exitStatus == .untrusted)
        #expect(summary.mergeGaps.first?.contains(words) == true, "\(summary.mergeGaps)")
        #expect(summary.mergeGaps.first?.contains("s3://far/1") == true)
    }

    @Test("a command without a place for the name is refused, and so is a name without a command")
    func noCommand() throws {
        #expect(throws: RunError.self) { try FetchCommand("aws s3 cp") }
        let shards = try PlantedShards()
        let error = #expect(throws: RunError.self) { try shards.merge(["s3://far/1"]) }
        #expect(error?.description.contains("--fetch 'aws s3 cp {} -'") == true)
    }
}
