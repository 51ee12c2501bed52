import Foundation
import TestSupport
import Testing

@testable import Rigs

/// Rigs that nobody means: each has a problem with its place. Reading is linear: one that were not would
/// be noticed by the time limit, and by nothing less.
@Suite("Hostile rigs")
struct HostileRigTests {
    private static let base = "rig: x\ntarget: {base: embedded}\n"
    private static let whole = base + "load: {closed: {households: 20}}\n"

    private static func lines(_ count: Int, _ line: (Int) -> String) -> String {
        (0..<count).map(line).joined()
    }

    private static func levels(_ count: Int) -> String {
        "a0: &a0 [x, x]\n"
            + lines(count) { level in
                let inner = Array(repeating: "*a\(level)", count: 10).joined(separator: ", ")
                return "a\(level + 1): &a\(level + 1) [\(inner)]\n"
            }
    }

    /// Named by its name alone: the texts are long, and one has a NUL, which ends a line of a log.
    struct HostileRig: CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var problem: String

        init(_ name: String, _ text: String, _ problem: String) {
            (testDescription, self.text, self.problem) = (name, text, problem)
        }
    }

    static let rigs: [HostileRig] = [
        HostileRig(
            "a plan of 2.7 million years",
            base + "load:\n  arrivals:\n"
                + lines(1_000) { _ in "    - {ramp-to: 1000000/s, over: 1000d}\n" },
            "hostile.yaml:5:5: the run would take"
        ),
        HostileRig(
            "10 million million households",
            base + "load: {arrivals: [{ramp-to: 1000000/s, over: 0s}, {hold: 116d}]}\n",
            "hostile.yaml:3:18: 10022400000000 households would arrive"
        ),
        HostileRig(
            "as many at random",
            base + "load: {spacing: poisson, arrivals: [{ramp-to: 1000000/s, over: 0s}, "
                + "{hold: 116d}]}\n",
            "hostile.yaml:3:36: 10022400000000 households would arrive"
        ),
        HostileRig(
            "a closed load of years",
            base + "load: {closed: {households: 1, for: 1000d}, settle: 1000d}\n",
            "hostile.yaml:3:37: the run would take 2000 days"
        ),
        HostileRig("an alias bomb", whole + levels(10), "more than 100000 values"),
        HostileRig("a small one", whole + levels(5), "more than 100000 values"),
        HostileRig("one in a key", whole + levels(10) + "? *a10\n: 1\n", "more than 100000 values"),
        HostileRig("an anchor in itself", whole + "a: &a [*a]\n", "unknown anchor"),
        HostileRig(
            "20,000 keys that stand twice", whole + lines(20_000) { _ in "seed: 1\n" },
            "hostile.yaml:1:1: this is a map of more than 1000 keys"
        ),
        HostileRig(
            "900 keys that stand twice", whole + lines(900) { _ in "seed: 1\n" },
            "hostile.yaml:5:1: duplicate key 'seed', first in line 4"
        ),
        HostileRig(
            "90,000 unknown keys", whole + lines(90_000) { "k\($0): 1\n" },
            "hostile.yaml:1:1: this is a map of more than 1000 keys"
        ),
        HostileRig(
            "900 unknown keys", whole + lines(900) { "pollin\($0): 1\n" },
            "hostile.yaml:4:1: unknown key 'pollin0'; did you mean 'polling'?"
        ),
        HostileRig(
            "10,000 kinds", whole + "kinds:\n" + lines(10_000) { "  - {name: k\($0)}\n" },
            "hostile.yaml:5:3: this is a list of more than 1000 items"
        ),
        HostileRig(
            "weights that nobody can deal out",
            whole + "kinds:\n" + lines(1_000) { "  - {name: k\($0), weight: \($0 % 99 + 1)}\n" },
            "hostile.yaml:5:3: 1000 kinds with a total weight of"
        ),
        HostileRig(
            "40,000 lines of shows", whole + "shows:\n" + lines(40_000) { _ in "  - logout 204\n" },
            "hostile.yaml:5:3: this is a list of more than 1000 items"
        ),
        HostileRig(
            "a scalar of 1 MB", whole + "identities: " + String(repeating: "x", count: 900_000),
            "hostile.yaml:4:13: identities is 'xxx"
        ),
        HostileRig(
            "a rig of 2 MB", whole + "identities: " + String(repeating: "x", count: 2_000_000),
            "bytes, and a rig may have at most 1000000"
        ),
        HostileRig(
            "10,000 brackets", whole + "seed: " + String(repeating: "[", count: 10_000),
            "hostile.yaml:4:8: this is not YAML: Maximum nesting level reached"
        ),
        HostileRig(
            "10,000 dashes", whole + "seed:\n  " + String(repeating: "- ", count: 10_000) + "x\n",
            "lists and maps are nested more than 64 deep"
        ),
        HostileRig(
            "900 brackets that do not close",
            whole + "resources: [" + lines(900) { _ in "(, " } + "]\n",
            "hostile.yaml:4:1: unknown key 'resources'"
        ),
        HostileRig(
            "a NUL", whole + "a\0b: 1\n",
            "hostile.yaml:4:2: this is not YAML: control characters are not allowed"),
    ]

    @Test("each has a problem with its place", .timeLimit(.minutes(10)), arguments: rigs)
    func refused(rig: HostileRig) throws {
        var told = ""
        do throws(RigErrors) {
            _ = try Rig.read(rig.text, file: "hostile.yaml")
        } catch {
            told = "\(error)"
        }
        #expect(told.contains(rig.problem), "\(told.prefix(300))")
        #expect(told.count < 20_000)
        #expect(told.split(separator: "\n").count <= 21)
    }

    @Test(
        "a text where a map without a default belongs is told",
        arguments: ["12e03", "|2-\n      x", "[]", "no"])
    func textForAMap(value: String) {
        #expect(throws: RigErrors.self) {
            try Rig.read(
                Self.whole + "kinds: [{platform-sign-on: \(value)}]\n", file: "a.yaml")
        }
    }

    @Test("what is beyond twenty problems is counted")
    func counted() throws {
        let text = Self.whole + Self.lines(900) { "k\($0): 1\n" }
        let error = try #require(throws: RigErrors.self) { try Rig.read(text, file: "a.yaml") }
        #expect(error.description.hasSuffix("\nand 880 more"))
    }

    @Test("a plan at its limits is estimated without an overflow")
    func atItsLimits() throws {
        let rig = try Rig.sample(
            "polling: {every: 1us, pollers: 10, after-success: 1000d}\nafter-sign-in:\n"
                + Self.lines(900) { _ in "  - {watch: 1000d}\n" },
            load: "{closed: {households: 1000000, for: 350d}, settle: 1d}")
        let plan = Plan(rig, seed: rig.seed)
        let machine = MachineLimits(
            descriptors: 1_024, descriptorsAtMost: 1_024, ports: 28_000, cores: 2, memoryMB: 100)
        #expect(PlanEstimate(plan, on: machine).description.contains("households"))
        #expect(plan.household(999_999) != nil)
    }

    @Test("a pipe, a device and a folder are no rigs", .timeLimit(.minutes(1)))
    func noFiles() throws {
        let folder = FileManager.default.temporaryDirectory.path
        let pipe = folder + "/hostile-\(UUID().uuidString)"
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        for (path, reason) in [
            (folder, "a folder"), ("/dev/zero", "a device"), (pipe, "the file is empty"),
        ] {
            let error = try #require(throws: RigErrors.self) { try Rig.read(contentsOf: path) }
            #expect(error.description.contains(reason))
        }
    }

    @Test(
        "files with accounts that are none are refused",
        arguments: [
            (String(repeating: ",", count: 10_000_000), ":1: more than 100 cells"),
            (
                "mvpd,user,password\n\"" + String(repeating: "x", count: 1_000_000),
                "missing "
                    + "closing quote"
            ),
            ("mvpd,user,password\na,b\0,c\n", ":2: a cell contains a NUL character"),
            ("mvpd,user,user,password\na,b,c,d\n", ":1: duplicate column"),
            ("mvpd,user,password\n" + String(repeating: "a\n", count: 100_000), "and 980 more"),
        ].map { (LongText($0), $1) })
    func accounts(text: LongText, problem: String) throws {
        var surroundings = RigSurroundings(contents: { _ in text.text })
        surroundings.isOpenToOthers = { _ in false }
        let error = try #require(throws: RigErrors.self) {
            try Rig.sample("accounts: {file: a.csv}", with: surroundings)
        }
        #expect(error.description.contains(problem), "\(error.description.prefix(300))")
    }
}
