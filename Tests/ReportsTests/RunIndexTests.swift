import Formats
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Trends

@Suite("The index of a folder")
struct RunIndexTests {
    private let folder = TestFolder()

    private func put(_ text: String, _ name: String) throws {
        let file = URL(filePath: "\(folder.path)/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func summary(
        _ rig: String, _ outcome: String, _ started: String, violated: Int = 0
    ) -> String {
        """
        {"schema": "screenrig/summary/1", "run": {"rig": "\(rig)", "started": "\(started)", "virtual": false},
         "outcome": "\(outcome)", "headline": "\(outcome): <b>", "households": {"started": 8, "signedIn": 7},
         "exchanges": {"sent": 201, "completed": 200, "errors": 3}, "signInMs": {"p95": 5210.5},
         "invariants": [{"name": "sign-in-visible", "violations": \(violated)}]}
        """
    }

    @Test("runs, races, runs without a report and nights at any depth, the newest first")
    func everything() throws {
        try put(
            summary("smoke", "pass", "2026-11-01T02:00:00Z"), "smoke-20261101T020000Z/summary.json")
        try put("", "smoke-20261101T020000Z/report.html")
        try put(
            summary("smoke", "fail", "2026-11-03T02:00:00Z", violated: 2),
            "team/a b/smoke-20261103T020000Z/summary.json")
        try put("", "team/a b/smoke-20261103T020000Z/report.html")
        try put("killed", "fleet-20261102T020000Z/history.sqlite")
        try put(
            """
            {"schema": "screenrig/race/1", "rig": "poll", "started": "2026-11-04T02:00:00Z", "end": "complete", "trials": 900,
             "findings": [{"invariant": "sign-in-visible", "sentence": "A poll came too early."}]}
            """, "race-poll-20261104T020000Z/summary.json")
        let book = try NightBook(path: folder.path + "/nights.sqlite", creates: true)
        for night in MadeUp.story { try book.add(night) }
        try put("no database", "other.sqlite")
        let index = RunIndex(folder.path)
        #expect(index.entries.map(\.rig) == ["poll", "smoke", "fleet-20261102T020000Z", "smoke"])
        #expect(index.entries.map(\.outcome) == ["fail", "fail", "", "pass"])
        #expect(index.entries[1].violated == ["sign-in-visible"])
        #expect(index.entries[1].signInP95 == 5210.5 && index.entries[1].errors?.0 == 3)
        #expect(index.entries[1].errors?.1 == 201, "what got no response counts")
        #expect(
            index.entries[0].headline == "Race: 1 finding in 900 trials: A poll came too early.")
        #expect(index.books.map(\.path) == ["nights.sqlite"] && index.troubles.isEmpty)
        let page = try String(
            contentsOfFile: RunIndexFiles.write(folder.path).page, encoding: .utf8)
        #expect(page.contains("href=\"./team/a%20b/smoke-20261103T020000Z/report.html\""))
        #expect(page.contains("fail: &lt;b&gt;") && !page.contains(": <b>"))
        #expect(page.contains("href=\"./nights.html\""))
        #expect(page.contains("The run ended without a report"))
        #expect(!page.contains("<script") && !page.contains("src="))
        // What needs a look comes first.
        let (boxes, tables) = (page.ranges(of: "class=\"verdict fail\""), page.ranges(of: "<table"))
        #expect(boxes.count == 3 && boxes[0].lowerBound < tables[0].lowerBound)
        #expect(page.contains("<title>4 to look at: "))
    }

    @Test("a search of find-limit is one entry: that its last step misses is no cause to look")
    func limit() throws {
        let folder = "limit-premiere-20261105T020000Z"
        func search(_ ending: String, held: Bool) -> String {
            """
            {"schema": "screenrig/limit/1", "rig": "premiere", "started": "2026-11-05T02:00:00Z", "virtual": false,
             "ending": "\(ending)", "headline": "42.0 households/s", "steps": [{"held": \(held)}, {"held": false}]}
            """
        }
        try put(search("found", held: true), "\(folder)/limit.json")
        try put("", "\(folder)/limit.html")
        try put(
            summary("premiere", "fail", "2026-11-05T02:01:00Z"), "\(folder)/step-2/summary.json")
        let index = RunIndex(self.folder.path)
        #expect(index.entries.map(\.rig) == ["premiere"])
        #expect(index.entries.map(\.outcome) == ["pass"])
        #expect(index.entries.map(\.headline) == ["42.0 households/s"])
        let page = try String(
            contentsOfFile: RunIndexFiles.write(self.folder.path).page, encoding: .utf8)
        #expect(page.contains("href=\"./\(folder)/limit.html\"") && !page.contains("step-2"))
        #expect(page.contains("Nothing needs a look"))
        for (ending, held, outcome) in [
            ("steps-used", true, "pass"), ("steps-used", false, "fail"), ("holds-to", true, "pass"),
            ("misses-from", false, "fail"), ("rig-was-limit", true, "invalid"),
            ("interrupted", true, "aborted"), ("could-not-run", false, "aborted"),
        ] {
            try put(search(ending, held: held), "\(folder)/limit.json")
            #expect(RunIndex(self.folder.path).entries.map(\.outcome) == [outcome], "\(ending)")
        }
    }

    @Test("a run whose process was killed was cut short; that it could not run is something else")
    func killed() throws {
        let text = summary("smoke", "aborted", "2026-11-01T02:00:00Z")
        try put(
            text.replacing("\"virtual\": false", with: "\"virtual\": false, \"cutShort\": true"),
            "smoke-20261101T020000Z/summary.json")
        try put(text, "smoke-20261102T020000Z/summary.json")
        #expect(RunIndex(folder.path).entries.map(\.wasInterrupted) == [false, true])
    }

    @Test("a folder in which all is well says so; one without runs says how to make one")
    func calm() throws {
        try put(
            summary("smoke", "pass", "2026-11-01T02:00:00Z"), "smoke-20261101T020000Z/summary.json")
        let page = try String(
            contentsOfFile: RunIndexFiles.write(folder.path).page, encoding: .utf8)
        #expect(page.contains("Nothing needs a look"))
        let empty = TestFolder()
        try FileManager.default.createDirectory(
            atPath: empty.path, withIntermediateDirectories: true)
        let other = try String(
            contentsOfFile: RunIndexFiles.write(empty.path).page, encoding: .utf8)
        #expect(other.contains("No run in this folder yet"))
    }

    @Test("a run that may go on is no run without a report, and the one before it counts")
    func underWay() throws {
        try put(
            summary("smoke", "pass", "2026-11-01T02:00:00Z"), "smoke-20261101T020000Z/summary.json")
        try put("", "smoke-20261102T020000Z/history.sqlite")
        let written = UTCTime(seconds: Int64(Date().timeIntervalSince1970))
        for (later, words, isCalm) in [
            (1, "… may go on", true), (90, "The run ended without a report", false),
        ] {
            let now = UTCTime(seconds: written.seconds + Int64(later))
            let page = try String(
                contentsOfFile: RunIndexFiles.write(folder.path, now: now).page, encoding: .utf8)
            #expect(page.contains(words), "\(page)")
            #expect(page.contains("Nothing needs a look") == isCalm)
        }
    }

    @Test("nights that should have run by now are missing")
    func missingNights() throws {
        let book = try NightBook(path: folder.path + "/nights.sqlite", creates: true)
        for night in MadeUp.story { try book.add(night) }
        let last = try #require(MadeUp.story.last.flatMap { UTCTime(rfc3339: $0.started) })
        let now = UTCTime(seconds: last.seconds + 5 * 86_400)
        let page = try String(
            contentsOfFile: RunIndexFiles.write(folder.path, now: now).page, encoding: .utf8)
        #expect(page.contains("nights missing: none ran since"), "\(page)")
    }

    @Test("it is refreshed only where it is, and never in place of another program's page")
    func refresh() throws {
        try put(
            summary("smoke", "pass", "2026-11-01T02:00:00Z"), "smoke-20261101T020000Z/summary.json")
        try RunIndexFiles.refresh(folder.path)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/index.html"))
        try put("<html>mine</html>", "index.html")
        #expect(throws: NightError.self) { try RunIndexFiles.write(folder.path) }
        try RunIndexFiles.refresh(folder.path)
        #expect(
            try String(contentsOfFile: folder.path + "/index.html", encoding: .utf8)
                == "<html>mine</html>")
    }

    @Test(
        "other databases, links and damaged summaries are passed over, and nothing is written to them"
    )
    func foreign() throws {
        let path = folder.path + "/shop.sqlite"
        try put("", "x/y")
        let database = try DatabaseQueue(path: path)
        try database.write { try $0.execute(sql: "CREATE TABLE goods (name TEXT)") }
        try database.close()
        let before = try Data(contentsOf: URL(filePath: path))
        try put("{\"schema\": 1", "broken-20261101T020000Z/summary.json")
        try put("", "broken-20261101T020000Z/history.sqlite")
        try put("{\"outcome\": \"pass\"}", "another program/summary.json")
        symlink("/", folder.path + "/root")
        let index = RunIndex(folder.path)
        #expect(index.entries.map(\.outcome) == [""] && index.books.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }
}
