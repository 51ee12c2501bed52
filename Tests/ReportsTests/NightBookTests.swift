import Foundation
import GRDB
import Journal
import Rigs
import TestSupport
import Testing

@testable import Reports
@testable import Trends

@Suite("The book of nights")
struct NightBookTests {
    @Test("what is added is read back, in the order of time, by rig")
    func roundTrip() throws {
        let folder = TestFolder()
        let book = try NightBook(path: folder.path + "/deep/nights.sqlite", creates: true)
        var other = MadeUp.story[3]
        (other.rig, other.run) = ("other", "other-3")
        for night in MadeUp.story.reversed() + [other] { try book.add(night) }
        #expect(try book.nights(of: "nightly") == MadeUp.story)
        #expect(try book.nights(of: "other") == [other])
        #expect(try book.nights().count == MadeUp.story.count + 1)
        let again = try NightBook(path: book.path, creates: false)
        #expect(try again.nights(of: "nightly") == MadeUp.story)
    }

    @Test("marks, alarm factors and acceptances are kept; a book of an older version takes them")
    func marks() throws {
        let folder = TestFolder()
        let path = folder.path + "/nights.sqlite"
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let database = try DatabaseQueue(path: path)
        try database.write {
            try $0.execute(
                sql: """
                    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
                    INSERT INTO meta VALUES ('schema', 'screenrig/nights/1');
                    CREATE TABLE nights (
                        id INTEGER PRIMARY KEY, rig TEXT NOT NULL, started TEXT NOT NULL,
                        run TEXT NOT NULL, path TEXT NOT NULL, ours INTEGER NOT NULL,
                        outcome TEXT NOT NULL, headline TEXT NOT NULL, gap TEXT NOT NULL,
                        version TEXT NOT NULL, terms TEXT NOT NULL, series TEXT NOT NULL);
                    INSERT INTO nights VALUES (1, 'nightly', '2026-01-01T02:00:00Z', 'old', '', 0,
                        'pass', '', '', '0.1.0', 'a', 'errors');
                    """)
        }
        try database.close()
        let book = try NightBook(path: path, creates: false)
        #expect(try book.nights().map(\.mark) == [""] && book.nights().map(\.alarm) == [nil])
        var night = MadeUp.story[0]
        (night.mark, night.alarm) = ("4f2a91c", 3)
        night.facts = [
            NightFact(
                kind: .promise, name: "one-owner", fails: true, count: 2, text: "2 violations"),
            NightFact(kind: .event, name: "rollout", fails: false, count: 0, text: "event rollout"),
        ]
        try book.add(night)
        #expect(try book.nights().last == night)
        let first = Acceptance(rig: "nightly", series: "errors", through: "x", note: "why")
        try book.accept(first)
        #expect(try book.accepted() == [first])
        let second = Acceptance(rig: "nightly", series: "errors", through: "y", note: "")
        try book.accept(second)
        #expect(try book.accepted() == [second])
    }

    @Test("the same run again takes the place of its row; two nights that failed both stay")
    func again() throws {
        let folder = TestFolder()
        let book = try NightBook(path: folder.path + "/nights.sqlite", creates: true)
        var night = MadeUp.story[0]
        try book.add(night)
        night.values = ["errors": 0.5]
        try book.add(night)
        #expect(try book.nights() == [night])
        try book.add(MadeUp.story[12])
        try book.add(MadeUp.story[26])
        #expect(try book.nights().count == 3)
        try book.add(MadeUp.story[12], insteadOf: night)
        #expect(try !book.nights().contains { $0.run == night.run } && book.nights().count == 3)
    }

    @Test(
        "two runs whose directories have one name are two nights, also in a book that identified runs by their names"
    )
    func oneName() throws {
        let folder = TestFolder()
        let path = folder.path + "/nights.sqlite"
        _ = try NightBook(path: path, creates: true)
        try DatabaseQueue(path: path).write {
            try $0.execute(sql: "CREATE UNIQUE INDEX nights_by_run ON nights (run) WHERE run <> ''")
        }
        let book = try NightBook(path: path, creates: false)
        var nights = Array(MadeUp.story[0..<3])
        for position in nights.indices { nights[position].run = "merged" }
        nights[2].started = nights[1].started
        nights[2].rig = "another"
        for night in nights + nights { try book.add(night) }
        #expect(try Set(book.nights()) == Set(nights))
        // 'nights add' of a run that was killed while 'nightly' recorded it.
        var killed = nights[0]
        (killed.run, killed.gap) = ("killed", Night.unfinished)
        try book.add(killed)
        (killed.gap, killed.started) = ("", "2026-11-04T02:00:03Z")
        try book.add(killed)
        #expect(try book.nights().filter { $0.run == "killed" } == [killed])
        try book.remove(killed)
        try book.forget(nights[0])
        #expect(try book.nights().map(\.path) == ["", nights[1].path, nights[2].path])
        try book.remove(nights[1])
        #expect(try book.nights().count == 2)
    }

    @Test("no book, another file, another schema: each with what to do about it")
    func refusals() throws {
        let folder = TestFolder()
        let missing = #expect(throws: NightError.self) {
            try NightBook(path: folder.path + "/none.sqlite", creates: false)
        }
        #expect("\(try #require(missing))".contains("screenrig nights add RUN"))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/none.sqlite"))
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let text = folder.path + "/text.sqlite"
        try String(repeating: "no database ", count: 100)
            .write(toFile: text, atomically: true, encoding: .utf8)
        let other = #expect(throws: NightError.self) { try NightBook(path: text, creates: true) }
        #expect("\(try #require(other))".contains("--nights"))
    }

    @Test(
        "tables of somebody else stay as they are, and no book is made of them",
        arguments: [
            "CREATE TABLE users (a)", "CREATE TABLE meta (key TEXT, value TEXT)",
            "CREATE TABLE meta (name TEXT)", "",
        ])
    func foreign(table: String) throws {
        let folder = TestFolder()
        let path = folder.path("other.sqlite")
        let other = try DatabaseQueue(path: path)
        func tables() throws -> [String] {
            try other.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
        }
        try other.write { try $0.execute(sql: table) }
        let before = try tables()
        #expect(throws: NightError.otherSchema(path: path, found: "none")) {
            try NightBook(path: path, creates: false)
        }
        if !table.isEmpty {
            #expect(throws: NightError.self) { try NightBook(path: path, creates: true) }
        }
        #expect(try tables() == before)
    }

    @Test("a recorded run becomes a night with what it follows, and what it may follow one day")
    func night() throws {
        let series = [
            Series(
                subject: .operation(.pollToken), measure: .percentile(0.999, .service),
                text: "poll-token service p99.9"),
            Series(subject: .everything, measure: .errors, text: "errors"),
        ]
        let sample = Sample()
        let summary = try Summary(sample, thresholds: [])
        let night = try Night(
            sample, series: series, started: "2026-11-21T07:00:00Z", path: "x", isOurs: true)
        #expect(night.series == ["poll-token service p99.9", "errors"])
        #expect(!night.isGap && night.outcome == "pass")
        let poll = try #require(summary.operations.first { $0.name == "poll-token" })
        #expect(night.values["poll-token service p99.9"] == poll.service?.p999)
        #expect(night.values["poll-token p99"] == poll.latency?.p99)
        #expect(night.values["sign-in-service p95"] == summary.signInService?.p95)
        let errors = Double(summary.exchanges.errors) / Double(summary.exchanges.sent)
        #expect(abs((night.values["errors"] ?? 0) - errors) < 0.002)
        let all = try #require(night.values[Night.whole(of: "errors")])
        #expect(abs((night.values["errors"] ?? 0) * all - Double(summary.exchanges.errors)) < 1e-6)
        #expect(night.values[Night.whole(of: "rate")] == nil)
        #expect(night.values["rate"] == summary.exchanges.perSecond)
    }

    @Test("a run that proves nothing is a gap with its reason; a failed threshold is none")
    func gaps() throws {
        var busy = Shape()
        busy.busy = 1.5
        var stopped = Shape()
        stopped.isInterrupted = true
        for (shape, reason) in [(busy, "the rig was the bottleneck"), (stopped, "Interrupted")] {
            let night = try Night(
                Sample(shape), series: [], started: "x", path: "", isOurs: false)
            #expect(night.gap.hasPrefix(reason), "\(night.gap)")
        }
        let failed = try Night(
            Sample(), series: [], started: "x", path: "", isOurs: false,
            stored: StoredRun(outcome: "fail", headline: "Failed: 1 of 5 thresholds was missed"))
        #expect(!failed.isGap && failed.outcome == "fail")
        var broken = Sample()
        broken.end?.breaker = "more than 50 % errors for 10 s"
        let cut = try Night(broken, series: [], started: "x", path: "", isOurs: false)
        #expect(cut.gap == "stopped by the breaker: more than 50 % errors for 10 s")
    }

    @Test("old directories go, only those of nightly's own making that still hold a run")
    func retention() throws {
        let folder = TestFolder()
        let files = FileManager.default
        func make(_ name: String, holdsRun: Bool = true) throws {
            try files.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
            guard holdsRun else {
                try "x".write(
                    toFile: "\(folder.path)/\(name)/thesis.txt", atomically: true, encoding: .utf8)
                return
            }
            var header = Sample().header
            header.run = name
            let writer = try HistoryWriter(
                path: "\(folder.path)/\(name)/history.sqlite", header: header)
            _ = writer.finish(
                HistoryEnd(
                    ended: .start, interrupted: false, failure: "", cpuPercent: 0, historyHash: ""))
        }
        var nights = (0..<8).map { MadeUp.night($0, [:]) }
        nights[1].isOurs = false
        nights[3].path = "somewhere-else"
        for night in nights { try make(night.run) }
        try make("nightly-2", holdsRun: false)
        try files.removeItem(atPath: "\(folder.path)/nightly-2/history.sqlite")
        try make("somewhere-else")
        let shelf = NightShelf(book: folder.path + "/nights.sqlite")
        let gone = shelf.prune(nights, keep: 3)
        #expect(gone.map(\.run) == ["nightly-0", "nightly-4"])
        let left = try files.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(
            left == [
                "nightly-1", "nightly-2", "nightly-3", "nightly-5", "nightly-6", "nightly-7",
                "somewhere-else",
            ])
    }

    @Test("directories below the book are named from it, others in full")
    func names() {
        let folder = TestFolder()
        let shelf = NightShelf(book: folder.path + "/nights.sqlite")
        #expect(shelf.name(of: folder.path + "/a/b") == "a/b")
        #expect(shelf.name(of: "/elsewhere/run") == "/elsewhere/run")
        #expect(shelf.path(of: "a") == folder.path + "/a")
        #expect(shelf.path(of: "/elsewhere/run") == "/elsewhere/run")
        #expect(NightShelf(book: "nights.sqlite").folder == ".")
        #expect(NightsFiles.page(of: "reports/nights.sqlite") == "reports/nights.html")
    }

    @Test("the page beside the book links to reports that are there, spaces and all")
    func links() throws {
        let folder = TestFolder()
        let directory = "\(folder.path)/night 1"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        try "x".write(toFile: directory + "/report.html", atomically: true, encoding: .utf8)
        var night = MadeUp.story[0]
        (night.path, night.run) = ("night 1", "night 1")
        let book = folder.path + "/nights.sqlite"
        let views = NightsView.all([night, MadeUp.story[1]])
        try NightsFiles.write(views, book: book, to: folder.path + "/nights.html")
        let page = try folder.read("nights.html")
        #expect(page.contains("href=\"./night%201/report.html\""))
        #expect(!page.contains("nightly-1/report.html"))
        try NightsFiles.write(views, book: book, to: folder.path + "/deep/er/n.html")
        #expect(try folder.read("deep/er/n.html").contains("href=\"file://"))
    }
}
