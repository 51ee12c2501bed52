import Dialects
import Foundation
import TestSupport
import Testing
import Vocabulary

@testable import Reports

@Suite("Explanations")
struct ExplainTests {
    @Test("a word is explained with harmless causes and what to send")
    func word() async throws {
        let ended = try await Trying.run(["explain", "sign-in-visible"])
        #expect(ended.code == 0)
        for words in ["(invariant)", "harmless causes: ", "what to send: "] {
            #expect(ended.output.contains(words))
        }
    }

    @Test("a word with two meanings has both, and case does not matter")
    func two() {
        #expect(Explanation.of("Signed-In").map(\.kind) == [.fate, .stage])
    }

    @Test(
        "a word that is none is exit code 2, with the nearest one",
        arguments: [
            ("pol-token", "did you mean 'poll-token'?"),
            ("sign-in-visable", "did you mean 'sign-in-visible'?"),
            ("throtled", "did you mean 'throttled'?"),
            ("zzzzzzzzzzzzzzzz", "'screenrig list' shows the names"),
        ])
    func near(name: String, remedy: String) async throws {
        let ended = try await Trying.run(["explain", name])
        #expect(ended.code == 2)
        #expect(ended.errors.contains("unknown name '\(name)'"))
        #expect(ended.errors.contains(remedy), "\(ended.errors)")
    }

    @Test("every head of a table, every number at the top and every level of a report is explained")
    func heads() throws {
        for page in [
            "reports/samples/evening/report.html", "Tests/ReportsTests/Golden/evening/report.html",
            "Tests/ReportsTests/Golden/comparison/worse.html",
            "Tests/ReportsTests/Golden/nights/story.html",
            "Tests/ReportsTests/Golden/nights/digest.html",
        ] {
            let text = try String(
                contentsOf: Repository.root.appending(path: page), encoding: .utf8)
            let heads = text.matches(of: #/<th scope="col"[^>]*>(.*?)<\/th>/#).map { String($0.1) }
            let facts = text.matches(of: #/<div><dt>(.*?)<\/dt>/#).map { String($0.1) }
            #expect(heads.count >= 3)
            for word in Set(heads + facts) {
                // Units, and the scale of an interval, are no words.
                let plain = word.replacing(#/<span class="unit">.*?<\/span>/#, with: "")
                    .replacing("&#39;", with: "'").trimmingCharacters(in: .whitespaces)
                guard !plain.isEmpty else { continue }
                // A series of nights is named by its operation.
                let isKnown = !Explanation.of(plain).isEmpty || plain.contains(" p9")
                #expect(isKnown, "\(plain)")
            }
        }
    }

    @Test(
        "so is every policy, level and word of what is judged",
        arguments: Policies().lines + Promises.Level.allCases.map { "promises: \($0.rawValue)" }
            + [
                "service time", "staleness", "Turnbull", "clopper", "Clopper-Pearson",
                "linearizable",
                "undecided", "observed", "read your writes", "p99.9", "sure", "cut off", "late p99",
                "95 % from", "Window after", "Windows", "Looked at", "1 ms",
                "10 ms",
                "30 ms", "100 ms", "1 s", "detectable windows",
            ])
    func judged(word: String) {
        #expect(!Explanation.of(word).isEmpty)
    }

    @Test(
        "so is every reason why a request got no response", arguments: TransportError.Kind.allCases)
    func reason(kind: TransportError.Kind) {
        #expect(!Explanation.of(kind.rawValue).isEmpty)
    }

    @Test("other names lead to words that there are")
    func otherNames() {
        for (name, word) in Explanation.otherNames {
            #expect(Explanation.of(name).contains { $0.name == word }, "\(name)")
        }
    }

    @Test("every explanation reads well", arguments: [80])
    func texts(width: Int) throws {
        let all = Explanation.all.map { $0.text(width: width) }.joined(separator: "\n\n")
        try Golden.expect(
            all + "\n", is: "explanations.txt")
        for line in all.split(separator: "\n") where line.hasPrefix("  ") {
            #expect(line.count <= width)
        }
    }
}
