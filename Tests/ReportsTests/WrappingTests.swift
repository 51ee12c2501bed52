import Testing

@testable import Rendering

@Suite("Text in a terminal's width")
struct WrappingTests {
    @Test(
        "a command to copy stays on one line, at any width",
        arguments: [
            "replay: screenrig replay reports/evening/cases/sign-in-visible.json --times 50",
            "  replay: screenrig replay cases/one-owner.json --virtual",
            "the numbers mislead; 'screenrig calibrate --rate 2000/s' says what this machine can do",
            "what to do: give it a core ('screenrig validate rigs/mine.yaml'), or fewer households",
        ], [20, 40, 80])
    func commands(text: String, width: Int) throws {
        let command = try #require(text.firstMatch(of: /screenrig [^']+/)).output
        let lines = Wrapping.lines(text, width: width, hanging: 2)
        #expect(lines.contains { $0.contains(command) }, "\(lines)")
        #expect(lines.map(\.count).max() ?? 0 <= max(width, command.count + 7))
        let words = lines.joined(separator: " ").split(separator: " ")
        #expect(words == text.split(separator: " "), "nothing is lost")
    }

    @Test("words are broken at spaces, and quotes that hold no command do not matter")
    func words() {
        #expect(
            Wrapping.lines("it's the rig's own 'key: value' here", width: 12, hanging: 2)
                == ["it's the", "  rig's own", "  'key:", "  value'", "  here"])
    }

    @Test("an entry of a list has a column of its own, and its name also where there is no text")
    func entry() {
        #expect(
            Wrapping.entry("  smoke   ", "eight households in front of it", width: 32)
                == ["  smoke   eight households in", "          front of it"])
        #expect(Wrapping.entry("  smoke   ", "", width: 32) == ["  smoke   "])
    }
}
