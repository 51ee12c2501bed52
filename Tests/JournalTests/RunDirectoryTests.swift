import Foundation
import TestSupport
import Testing

@testable import Journal

@Suite("A run directory")
struct RunDirectoryTests {
    let scratch = TestFolder()
    var root: String { scratch.path + "/reports" }
    /// 2026-11-21 07:00:00 UTC.
    let start: Int64 = 1_795_244_400_000_000

    private func run(_ rig: String, after seconds: Int64 = 0) throws -> RunDirectory {
        let directory = try RunDirectory.create(
            rig: rig, startedMicroseconds: start + seconds * 1_000_000, under: root)
        try Data().write(to: URL(fileURLWithPath: directory.history))
        return directory
    }

    @Test(
        "is named after rig and start",
        arguments: [
            ("smoke", "smoke"), ("Second Screen, 2 phones!", "second-screen-2-phones"),
            ("  Première ", "premi-re"), ("日本", "run"), ("a--b/../c", "a-b-c"),
            (
                String(repeating: "wide ", count: 80),
                String(repeating: "wide-", count: 19) + "wide"
            ),
        ])
    func named(rig: String, slug: String) throws {
        #expect(try run(rig).path == "\(root)/\(slug)-20261121T070000Z")
    }

    @Test("is never shared: a second one in the same second gets a number")
    func numbered() throws {
        #expect(try run("smoke").name == "smoke-20261121T070000Z")
        #expect(try run("smoke").name == "smoke-20261121T070000Z-2")
        #expect(try run("smoke").name == "smoke-20261121T070000Z-3")
    }

    @Test("only its owner may look into it, and read what is in it")
    func isPrivate() throws {
        func rights(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        let directory = try RunDirectory.create(rig: "a", startedMicroseconds: start, under: root)
        #expect(try rights(directory.path) == 0o700)
        let other = try RunDirectory.create(
            rig: "a", startedMicroseconds: start, out: scratch.path + "/out")
        #expect(try rights(other.path) == 0o700)
        let writer = try HistoryWriter(path: directory.history, header: Samples.header())
        for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            #expect(try rights(directory.file(file)) == 0o600, "\(file)")
        }
        _ = writer.finish(Samples.end)
        for text in ["one", "two"] {
            try PrivateFile.write(Data(text.utf8), to: directory.file("a.txt"))
            #expect(try rights(directory.file("a.txt")) == 0o600)
            #expect(try String(contentsOfFile: directory.file("a.txt"), encoding: .utf8) == text)
        }
        #expect(throws: (any Error).self) {
            try PrivateFile.write(Data(), to: directory.file("none/a.txt"))
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
                == ["a.txt", "history.sqlite"])
    }

    @Test("is where latest points to, relative to its folder")
    func latest() throws {
        _ = try run("smoke")
        let second = try run("ramp", after: 1)
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: root + "/latest")
        #expect(target == second.name)
    }

    @Test("is found as latest, latest~1, path, file or name")
    func found() throws {
        let first = try run("zebra")
        let second = try run("smoke", after: 60)
        let third = try run("smoke", after: 60)
        #expect(try RunDirectory.find("latest", under: root) == third)
        #expect(try RunDirectory.find("latest~1", under: root) == second)
        #expect(try RunDirectory.find("latest~2", under: root) == first)
        #expect(try RunDirectory.find(first.path, under: root) == first)
        #expect(try RunDirectory.find(first.history, under: root) == first)
        // A copy of another run's history beside it is not this run.
        let copy = first.file("monday.sqlite")
        try Data().write(to: URL(filePath: copy))
        #expect(throws: JournalError.notARun(path: copy)) {
            try RunDirectory.find(copy, under: root)
        }
        #expect(try RunDirectory.find(first.name, under: root) == first)
    }

    @Test("that is not there is told from one that is")
    func missing() throws {
        #expect(throws: JournalError.noSuchRun(argument: "latest", runs: 0, folder: root)) {
            try RunDirectory.find("latest", under: root)
        }
        _ = try run("smoke")
        #expect(throws: JournalError.noSuchRun(argument: "latest~1", runs: 1, folder: root)) {
            try RunDirectory.find("latest~1", under: root)
        }
        #expect(throws: JournalError.notFound(path: "latest~x")) {
            try RunDirectory.find("latest~x", under: root)
        }
    }

    @Test("without a history is no run to be found")
    func withoutHistory() throws {
        let first = try run("smoke")
        _ = try RunDirectory.create(
            rig: "ramp", startedMicroseconds: start + 5_000_000, under: root)
        #expect(try RunDirectory.find("latest", under: root) == first)
    }

    @Test("given by --out is exactly that one, and never one that holds something")
    func out() throws {
        let wanted = scratch.path + "/here/run"
        let made = try RunDirectory.create(
            rig: "smoke", startedMicroseconds: start, out: wanted, under: root)
        #expect(made.path == wanted)
        #expect(made.file("report.html") == wanted + "/report.html")
        #expect(!FileManager.default.fileExists(atPath: root))
        _ = try RunDirectory.create(rig: "smoke", startedMicroseconds: start, out: wanted)
        try Data().write(to: URL(fileURLWithPath: made.history))
        #expect(throws: JournalError.notEmpty(path: wanted)) {
            try RunDirectory.create(rig: "smoke", startedMicroseconds: start, out: wanted)
        }
        #expect(throws: JournalError.cannotCreate(path: made.history, reason: "it is a file")) {
            try RunDirectory.create(rig: "smoke", startedMicroseconds: start, out: made.history)
        }
    }
}
