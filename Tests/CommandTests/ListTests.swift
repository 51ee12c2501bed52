import Dialects
import Journal
import Reports
import TestSupport
import Testing
import Vocabulary

@Suite("The words of screenrig")
struct ListTests {
    /// What `list` prints, by its lines' first words.
    private static let listed = (Explanation.list() ?? "").split(separator: "\n")
        .filter { $0.hasPrefix("  ") && !$0.contains("none yet") }
        .compactMap { $0.split(separator: " ").first.map(String.init) }

    @Test("list prints operations, faults, invariants and race plans")
    func list() async throws {
        let ended = try await Trying.run(["list"])
        #expect(ended.code == 0)
        #expect(ended.output.contains("\n  token-flap "))
        try Golden.expect(
            ended.output, is: "list.txt")
    }

    @Test("every name that list prints can be explained", arguments: listed)
    func explained(name: String) {
        #expect(!Explanation.of(name).isEmpty)
    }

    @Test("every operation, outcome, fate, stage and exit code is explained, each once")
    func complete() {
        func names(_ kind: Explanation.Kind) -> [String] {
            Explanation.all.filter { $0.kind == kind }.map(\.name)
        }
        #expect(names(.operation) == OperationName.allCases.map(\.name))
        #expect(names(.outcome) == Outcome.allCases.map(\.name))
        #expect(names(.fate) == HouseholdRecord.Fate.allCases.map(\.name))
        #expect(names(.stage) == Stage.allCases.map(\.name))
        #expect(names(.exitCode) == ["0", "1", "2", "3", "4", "130"])
        #expect(names(.invariant) == Invariant.allCases.map(\.name))
        for word in Explanation.all {
            #expect(
                !word.line.isEmpty && !word.meaning.isEmpty && word.line.count <= 100,
                "\(word.name): \(word.line)")
        }
    }
}
