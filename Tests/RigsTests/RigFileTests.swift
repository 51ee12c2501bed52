import Foundation
import TestSupport
import Testing

@testable import Rigs

@Suite("The files under rigs/")
struct RigFileTests {
    /// The project's own rigs, by the table of contents. Others in the folder are a user's
    /// (`screenrig init rigs/mine.yaml`), and no concern of a test.
    static let files = listed(
        in: (try? String(contentsOf: Repository.rigs.appending(path: "README.md"), encoding: .utf8))
            ?? "")

    static func listed(in contents: String) -> [String] {
        contents.matches(of: /\]\(([^)]+\.yaml)\)/).map { String($0.1) }.sorted()
            .filter { !$0.hasPrefix("targets/") }
    }
    static let environment = ["SOFTWARE_STATEMENT": "header.body.signature"]

    /// They poll faster than any TV may, and are told so.
    static let benches = ["detection-v2.yaml", "detection.yaml", "noisy.yaml", "two-viewers.yaml"]

    @Test("the reader takes each, without a warning", arguments: files)
    func read(name: String) throws {
        let path = Repository.rigs.appending(path: name).path
        let reading = try Rig.read(
            contentsOf: path, with: RigSurroundings(environment: Self.environment))
        #expect(reading.warnings.count == (Self.benches.contains(name) ? 1 : 0))
        #expect(!reading.rig.source.contains("header.body.signature"))
        let plan = Plan(reading.rig, seed: reading.rig.seed)
        #expect(plan.household(0) != nil)
    }

    @Test("the schema takes each", arguments: files)
    func schema(name: String) throws {
        let text = try String(contentsOf: Repository.rigs.appending(path: name), encoding: .utf8)
        var problems: [RigProblem] = []
        let tree = try #require(YAMLTree.read(text, file: name, problems: &problems))
        #expect(SchemaValidator(RigSchema.json()).problems(tree) == [])
    }

    @Test("each runs alone: the embedded target, or it says how to get one", arguments: files)
    func embedded(name: String) throws {
        let path = Repository.rigs.appending(path: name).path
        let given = RigSurroundings(target: .embedded)
        #expect(try Rig.read(contentsOf: path, with: given).rig.target.base == .embedded)
    }

    @Test("the first line of each leads an editor to the schema", arguments: files)
    func schemaLine(name: String) throws {
        let file = Repository.rigs.appending(path: name)
        let line = try String(contentsOf: file, encoding: .utf8).prefix { $0 != "\n" }
        let match = try #require(
            line.wholeMatch(of: /# yaml-language-server: \$schema=(\S+)/), "\(line)")
        let schema = file.deletingLastPathComponent().appending(path: String(match.1))
        #expect(FileManager.default.fileExists(atPath: schema.path), "\(schema.path)")
    }

    @Test("each opens with what it shows and what to look for", arguments: files)
    func comment(name: String) throws {
        let text = try String(contentsOf: Repository.rigs.appending(path: name), encoding: .utf8)
        #expect(text.hasPrefix("# "))
        guard name != "reference.yaml" else { return }
        let head = text.prefix { $0 != ":" } + text.drop { $0 != ":" }.prefix(2_000)
        #expect(head.contains("# What it shows: ") && head.contains("# Look for: "))
        #expect(text.contains("rigs/\(name)"))
    }

    @Test("the table of contents names each rig that is committed, and none that is not there")
    func contents() throws {
        for name in Self.files {
            #expect(
                FileManager.default.fileExists(atPath: Repository.rigs.appending(path: name).path))
        }
        #expect(Self.files.count > 40 && Set(Self.files).count == Self.files.count)
        // An archive without git has nothing but what was committed, and perhaps a user's own.
        guard let committed = try Self.committed() else { return }
        #expect(committed == Self.files, "each rig under rigs/ has its row in rigs/README.md")
    }

    /// Rigs that git knows; nil outside of a clone.
    private static func committed() throws -> [String]? {
        let git = try Program([
            "git", "-c", "safe.directory=*", "-C", Repository.rigs.path, "ls-files", "*.yaml",
        ])
        guard git.status == 0, !git.output.isEmpty else { return nil }
        return git.output.split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("targets/") }.sorted()
    }

    @Test("a rig of a user's own is none of the project's, be it right or wrong")
    func strays() throws {
        let contents = "| [smoke.yaml](smoke.yaml) | x |\n| [a](races/a.yaml) | x |"
        #expect(Self.listed(in: contents) == ["races/a.yaml", "smoke.yaml"])
        let folder = Repository.rigs
        for (name, text) in [("stray-right.yaml", "rig: mine\n"), ("stray-wrong.yaml", "rig: [")] {
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(
                !Self.listed(
                    in: try String(
                        contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
                ).contains(name))
            if let committed = try Self.committed() { #expect(!committed.contains(name)) }
        }
    }

    @Test("the reference rig is written from the format, and names every key of it")
    func reference() throws {
        let yaml = RigReference.yaml()
        try Golden.expect(yaml, matches: Repository.rigs.appending(path: "reference.yaml"))
        func expectNamed(_ keys: [KeyRow]) {
            for key in keys {
                #expect(
                    yaml.contains("\(key.name):") || yaml.contains("\(key.name) ("), "\(key.name)")
                switch key.shape {
                case .map(let inner), .list(.map(let inner)): expectNamed(inner)
                default: break
                }
            }
        }
        expectNamed(Rig.keys.map(\.row))
    }

    @Test("the second-screen rig is the one that was asked for")
    func secondScreen() throws {
        let path = Repository.rigs.appending(path: "second-screen.yaml").path
        let rig = try Rig.read(contentsOf: path).rig
        let plan = Plan(rig, seed: rig.seed)
        #expect(plan.households == 2_000)
        #expect(plan.household(50)?.arrival == .seconds(1))
        let viewer = try #require(plan.household(7)?.viewer)
        #expect(viewer.noticesCode + viewer.signsIn == .seconds(10))
        #expect((0..<2_000).allSatisfy { plan.household($0)?.viewer.givesUp == false })
    }

    @Test(
        "after-success that ends before the next poll is due tests nothing, and is said so",
        arguments: [
            ("after-success: 3s", true), ("after-success: 12s", false), ("pollers: 1", false),
            ("pollers: 2, after-success: 3s", false),
            ("mode: continue(fixed 20s), after-success: 3s", false),
        ])
    func pollsOn(polling: String, isWarned: Bool) throws {
        let reading = try Rig.read(
            "rig: a\ntarget: {base: embedded}\nload: {closed: {households: 1}}\npolling: {every: 5s, \(polling)}\n",
            file: "a.yaml")
        #expect(
            reading.warnings.map(\.description)
                == (isWarned
                    ? [
                        "a.yaml:4:37: after-success ends before the next poll is due, so that it tests nothing: "
                            + "polling.every is 5s; write for example after-success: 12s"
                    ] : []))
    }
}

@Suite("The schema")
struct SchemaTests {
    static let validator = SchemaValidator(RigSchema.json())

    static let whole = "target: {base: embedded}\nload: {closed: {households: 2}}\nrig: a\n"

    func problems(_ text: String) throws -> [String] {
        var problems: [RigProblem] = []
        let tree = try #require(YAMLTree.read(text, file: "a", problems: &problems))
        return Self.validator.problems(tree)
    }

    @Test("is committed beside the rigs, for editors that read their first lines")
    func golden() throws {
        try Golden.expect(
            RigSchema.json(), matches: Repository.rigs.appending(path: "screenrig.schema.json"))
    }

    @Test(
        "refuses what the reader refuses for its spelling",
        arguments: [
            "polings: {every: 5s}", "polling: {every: 5}", "polling: {every: soon}", "kinds: 3",
            "kinds: [{weight: 0}]", "kinds: [{weight: 101}]", "kinds: [{weight: many}]",
            "race: {plans: all}", "faults: noisy", "polling: {pollers: 0}",
            "accounts: {file: a, sharing: mine}",
            "code: {new-code: 3}", "thresholds: [errors below 1]", "connections: none",
            "after-sign-in: [sing]", "after-sign-in: [{watch: 3s, logout: 3%}]",
            "kinds: [{viewer: {signs-in: normal(3s)}}]", "lanes: 1.5", "record: some",
            "validity: {busy: 90}", "standin: {enhanced-errors: perhaps}", "rig2: a",
        ])
    func refuses(line: String) throws {
        #expect(try !problems(Self.whole + line).isEmpty)
        #expect(throws: RigErrors.self) { try Rig.read(Self.whole + line, file: "a") }
    }

    @Test(
        "takes what the reader takes, in every spelling",
        arguments: [
            "polling: {every: 1m30s, pollers: 2, after-success: 2s}", "kinds: [{weight: \"7\"}]",
            "lanes: ${LANES}", "seed: 18446744073709551615",
            "faults: [noisy, {token-flap: {window: 30ms}}]", "clean-up: false",
            "after-sign-in: [authorize, {watch: \"uniform(1s, 2s)\"}, {again: 10%}]",
            "thresholds: [{'kind \"household\"': errors < 1%}, poll-token p99.9 <= 1s]",
            "record: sample(1%)", "forwarded-for: none",
            "forwarded-for: [203.0.113.0/24, \"2001:db8::/40\"]",
            "standin: {nodes: 1, throttle: off}",
        ])
    func takes(line: String) throws {
        #expect(try problems(Self.whole + line) == [])
        #expect(throws: Never.self) {
            try Rig.read(
                Self.whole + line, file: "a", with: RigSurroundings(environment: ["LANES": "2"]))
        }
    }

    @Test("lacks nothing that is required")
    func required() throws {
        #expect(
            try problems("seed: 3\n").sorted() == [" lacks load", " lacks rig", " lacks target"])
    }
}
