import Formats
import TestSupport
import Testing

@Suite struct ShellTextTests {
    static let words: [(String, String)] = [
        ("rigs/mine.yaml", "rigs/mine.yaml"),
        ("load.settle=1s", "load.settle=1s"),
        ("", "''"),
        ("two words", "'two words'"),
        ("it's", "'it'\\''s'"),
        ("$HOME `id` \\ \"x\" *", "'$HOME `id` \\ \"x\" *'"),
        ("~/mine", "'~/mine'"),
        ("path=~/mine", "'path=~/mine'"),
        ("two\nlines", "'two\nlines'"),
        ("größe", "'größe'"),
        ("red\u{1b}[31m", "'red'\"$(printf '\\033')\"'[31m'"),
    ]

    @Test("a word is quoted where a shell would read more into it", arguments: words)
    func word(text: String, word: String) {
        #expect(ShellText.word(text) == word)
    }

    @Test("a shell reads each word back as it was")
    func readBack() throws {
        let shell = try Program([
            "sh", "-c",
            "printf '%s\\001' " + Self.words.map { ShellText.word($0.0) }.joined(separator: " "),
        ])
        let texts = shell.output.split(separator: "\u{1}", omittingEmptySubsequences: false)
        #expect(texts.dropLast().map(String.init) == Self.words.map(\.0))
    }
}
