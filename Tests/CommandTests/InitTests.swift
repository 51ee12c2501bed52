import Foundation
import Rigs
import TestSupport
import Testing

@Suite("A rig to fill in")
struct InitTests {
    @Test("init writes it once, and says what comes next")
    func written() async throws {
        let first = try await Trying.run(["init", "rigs/mine.yaml"])
        #expect(first.code == 0, "\(first.errors)")
        #expect(first.output.contains("screenrig validate rigs/mine.yaml"))
        #expect(try first.read("rigs/mine.yaml") == RigTemplate.text(for: "rigs/mine.yaml"))
    }

    @Test("what is there already is not overwritten")
    func kept() async throws {
        let again = try await Trying.run(["init", "mine.yaml"], files: ["mine.yaml": "precious"])
        #expect(again.code == 2)
        #expect(again.errors.contains("mine.yaml already exists"))
        #expect(try again.read("mine.yaml") == "precious")
    }

    @Test("a place that cannot be written is exit code 3")
    func nowhere() async throws {
        let ended = try await Trying.run(["init", "/proc/nowhere/mine.yaml"])
        #expect(ended.code == 3)
        #expect(ended.errors.contains("cannot be written"))
    }

    @Test("the reader points at each blank, and at nothing else")
    func blanks() throws {
        let text = RigTemplate.text(for: "mine.yaml")
        let surroundings = RigSurroundings(environment: ["SOFTWARE_STATEMENT": "s"])
        let errors = #expect(throws: RigErrors.self) {
            try Rig.read(text, file: "mine.yaml", with: surroundings)
        }
        let problems = try #require(errors).problems
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let expected = lines.indices.filter {
            lines[$0].contains("???") && !lines[$0].contains("#")
        }
        .map { $0 + 1 }
        #expect(problems.map(\.place.line) == expected)
        for problem in problems {
            #expect(problem.description.contains("is not filled in yet: "))
        }
        try Golden.expect(
            text + "---\n" + (try #require(errors)).description + "\n", is: "init/template.txt"
        )
    }

    @Test(
        "filled in, it is in order, and lacks accounts only, which no server needs that is a stand-in"
    )
    func filledIn() throws {
        var text = RigTemplate.text(for: "mine.yaml")
        for value in [
            "https://auth.demo.test", "DEMOTV", "demo.test", "https://demo.test/done", "demo-1",
            "auth.demo.test",
        ] {
            let blank = try #require(text.firstRange(of: " ???\n"))
            text.replaceSubrange(blank, with: " \(value)\n")
        }
        let surroundings = RigSurroundings(environment: ["SOFTWARE_STATEMENT": "s"])
        let reading = try Rig.read(text, file: "mine.yaml", with: surroundings)
        #expect(reading.warnings.isEmpty && reading.needs.count == 1)
        #expect(reading.needs.first?.description.contains("generated accounts work only") == true)
        #expect(reading.rig.target.allow == ["auth.demo.test"])
    }

    @Test(
        "validate names the keys that operations need and a target of others lacks",
        arguments: [
            ("", ["software-statement", "requestor", "domain", "redirect-url", "resources"]),
            ("requestor: A, domain: a.test", ["software-statement", "redirect-url", "resources"]),
            ("auth: none", ["requestor", "domain", "redirect-url", "resources"]),
        ])
    func needs(given: String, lacking: [String]) throws {
        func read(_ base: String) throws -> [RigProblem] {
            let target = given.isEmpty ? "{base: \(base)}" : "{base: \(base), \(given)}"
            return try Rig.read(
                """
                rig: needs
                target: \(target)
                load: {closed: {households: 1}}
                after-sign-in: [authorize]
                """, file: "needs.yaml"
            ).needs
        }
        let warnings = try read("https://auth.demo.test").map(\.description)
        let named = warnings.compactMap { $0.firstMatch(of: /target has no '([a-z-]+)'/)?.1 }
        #expect(named.map(String.init) == lacking)
        #expect(warnings.allSatisfy { $0.hasPrefix("needs.yaml:2:") })
        // A stand-in on this machine needs none of them.
        for base in ["embedded", "http://127.0.0.1:8080", "http://localhost"] {
            #expect(try read(base).isEmpty)
        }
    }

    @Test("validate names what is known until a day that has passed")
    func known() async throws {
        let rig = """
            rig: known
            target: {base: embedded}
            load: {closed: {households: 1}}
            known:
              - {invariant: one-owner, ticket: AUTH-1, until: 2020-01-31}
              - {invariant: code-unique, ticket: AUTH-2, until: 2999-12-31}

            """
        let ended = try await Trying.run(["validate", "rig.yaml"], files: ["rig.yaml": rig])
        #expect(ended.code == 0)
        #expect(
            ended.errors.contains("known: one-owner (AUTH-1) is accepted until 2020-01-31 only"),
            "\(ended.errors)")
        #expect(!ended.errors.contains("AUTH-2"))
    }

    @Test("validate says that nothing is sent without leave")
    func leave() async throws {
        let ended = try await Trying.run(
            ["validate", "rig.yaml"], files: ["rig.yaml": trialRig("https://auth.demo.test")])
        #expect(ended.code == 0)
        #expect(ended.errors.contains("add 'allow: [auth.demo.test]'"), "\(ended.errors)")
        #expect(ended.errors.contains("target has no 'requestor'"), "\(ended.errors)")
    }
}
