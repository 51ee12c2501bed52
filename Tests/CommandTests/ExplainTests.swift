import Reports
import Testing

@Suite("Explanations")
struct ExplainTests {
    @Test("a word is explained with harmless causes and what to send")
    func word() async throws {
        let ended = try await Trying.run(["explain", "sign-in-visible"])
        defer { ended.remove() }
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
        defer { ended.remove() }
        #expect(ended.code == 2)
        #expect(ended.errors.contains("'\(name)' is no word"))
        #expect(ended.errors.contains(remedy), "\(ended.errors)")
    }

    @Test("every explanation reads well", arguments: [80])
    func texts(width: Int) throws {
        let all = Explanation.all.map { $0.text(width: width) }.joined(separator: "\n\n")
        try Golden.expect(
            all + "\n", matches: "explanations.txt")
        for line in all.split(separator: "\n") where line.hasPrefix("  ") {
            #expect(line.count <= width)
        }
    }
}
