import Foundation
import TestSupport
import Testing

/// Rigs by name, by a program that was installed with rigs: a link to the one that is tested, in a tree of its own.
@Suite("Rigs by name", .ownThread)
struct RigNameTests {
    private let folder: TestFolder
    private var installed: String { folder.path("usr/share/screenrig/rigs") }

    init() throws {
        folder = TestFolder()
        let files = FileManager.default
        for name in [
            "usr/share/screenrig/rigs/races", "usr/share/screenrig/rigs/targets", "work",
        ] {
            try files.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: true)
        }
        try folder.install(to: "usr/bin/screenrig")
        for name in ["smoke.yaml", "v2-smoke.yaml", "races/poll-poll.yaml", "targets/staging.yaml"]
        {
            try files.copyItem(atPath: Command.rig(name), toPath: "\(installed)/\(name)")
        }
    }

    /// In the folder 'work'.
    private func run(_ words: String) async throws -> Command.Ended {
        try await Command(
            ["-c", "cd work && exec ../usr/bin/screenrig \(words)"], in: folder, program: "/bin/sh"
        ).ended()
    }

    private func keep(_ name: String, at path: String) throws {
        let url = folder.url.appending(path: "work/\(path)")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Command.rig(name), toPath: url.path)
    }

    @Test("an installed rig is found from anywhere, also in a folder")
    func found() async throws {
        for name in ["smoke", "races/poll-poll"] {
            let ended = try await run("validate \(name)")
            #expect(ended.code == 0, "\(ended.errors)")
            #expect(
                ended.output.hasPrefix("\(installed)/\(name).yaml: rig is valid\n"),
                "\(ended.output)")
        }
    }

    @Test("one's own rig comes first: in the working directory, then in rigs")
    func order() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("work/smoke"), withIntermediateDirectories: true)
        #expect(try await run("validate smoke").output.hasPrefix(installed))
        try keep("smoke.yaml", at: "rigs/smoke.yaml")
        #expect(try await run("validate smoke").output.hasPrefix("rigs/smoke.yaml: "))
        try keep("smoke.yaml", at: "smoke.yaml")
        #expect(try await run("validate smoke").output.hasPrefix("smoke.yaml: "))
    }

    @Test(
        "a path is that file and no other: the installed rig of that name is only proposed",
        arguments: [
            ("rigs/smoke.yaml", "did you mean 'smoke'?"),
            ("smoke.yaml", "did you mean 'smoke'?"),
            ("races/poll-poll.yaml", "did you mean 'races/poll-poll'?"),
            ("smok", "did you mean 'smoke'?"),
            ("races/pol-poll", "did you mean 'races/poll-poll'?"),
            ("premiere-of-mine", "'screenrig list rigs' shows the rigs that have a name"),
            ("rigs/mine.yaml", "rigs/mine.yaml: no such file, or not readable as UTF-8 text\n"),
        ])
    func missing(word: String, remedy: String) async throws {
        let ended = try await run("validate \(word)")
        #expect(ended.code == 2)
        #expect(ended.errors.contains(remedy), "\(ended.errors)")
    }

    @Test("a run says which file it was, unless it is to be quiet")
    func told() async throws {
        let ended = try await run("simulate smoke --out told")
        #expect(ended.code == 0 && ended.errors.hasPrefix("rig: \(installed)/smoke.yaml\n"))
        let quiet = try await run("simulate smoke --quiet --out quiet")
        #expect(quiet.code == 0 && quiet.errors.isEmpty, "\(quiet.errors)")
    }

    @Test(
        "every command that reads a rig takes a name",
        arguments: [
            "migrate smoke", "race races/poll-poll --virtual --trials 5 --quiet",
            "serve --rig nowhere", "nightly smoke --virtual --quiet",
        ])
    func commands(words: String) async throws {
        let ended = try await run(words)
        let refusal = "nowhere: no such file"
        #expect(ended.code == (words.contains("nowhere") ? 2 : 0), "\(ended.errors)")
        #expect(ended.errors.contains(refusal) == words.contains("nowhere"))
    }

    @Test("list rigs shows one's own, then the installed ones that are not hidden")
    func list() async throws {
        try keep("smoke.yaml", at: "rigs/smoke.yaml")
        let ended = try await run("list rigs")
        #expect(ended.code == 0)
        let what =
            "The smallest useful run: eight households in about five seconds, against the embedded stand-in"
        #expect(
            ended.output.hasPrefix(
                "rigs in rigs\n  smoke            \(what)\n\nrigs in \(installed)\n  v2-smoke  "),
            "\(ended.output)")
        #expect(ended.output.contains("\n  races/poll-poll  Two polls at once"))
        #expect(!ended.output.contains("staging"))
    }

    @Test("without any, list rigs says how to get one")
    func none() async throws {
        let ended = try await Command.run("list", "rigs", in: folder)
        #expect(ended.code == 2 && ended.errors.contains("screenrig init rigs/mine.yaml"))
    }
}
