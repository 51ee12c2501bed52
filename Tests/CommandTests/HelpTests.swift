import Foundation
import TestSupport
import Testing

@Suite("Help", .ownThread)
struct HelpTests {
    @Test("without arguments the program says what it is")
    func overview() async throws {
        let folder = TestFolder()
        let bare = try await Command.run(in: folder)
        let asked = try await Command.run("--help", in: folder)
        #expect(bare.code == 0 && asked.code == 0)
        #expect(bare.output == asked.output && bare.errors.isEmpty)
        try Golden.expect(asked.output, is: "help/screenrig.txt")
    }

    @Test("each command explains itself, with an example that names it")
    func commands() async throws {
        let folder = TestFolder()
        let names = Self.subcommands(try await Command.run("--help", in: folder).output)
        #expect(names.contains("run") && names.contains("report"))
        for name in names {
            let help = try await Command.run(name, "--help", in: folder)
            #expect(help.code == 0)
            #expect(help.output.contains("Example:\n    screenrig \(name)"), "\(name)")
            let ragged = Self.ragged(help.output)
            #expect(ragged.isEmpty, "\(name): \(ragged)")
            try Golden.expect(help.output, is: "help/\(name).txt")
        }
    }

    @Test("the version is a number")
    func version() async throws {
        let ended = try await Command.run("--version", in: TestFolder())
        #expect(ended.code == 0)
        #expect(ended.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    }

    /// Lines before USAGE that break off although the next word would have fitted, and those of an
    /// example that the terminal broke: such a command cannot be pasted.
    private static func ragged(_ help: String) -> [String] {
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { !$0.hasPrefix("USAGE") }
        return zip(lines, lines.dropFirst()).filter { line, next in
            guard !line.isEmpty, !next.isEmpty, !line.hasSuffix(":") else { return false }
            if line.hasPrefix("    ") {
                return !next.hasPrefix("    screenrig") && !line.hasSuffix("\\")
            }
            return line.count + 1 + next.prefix { $0 != " " }.count < 80
        }.map { String($0.0) }
    }

    /// The names in the first column below `SUBCOMMANDS:`.
    private static func subcommands(_ help: String) -> [String] {
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        let list = lines.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { !$0.isEmpty }
        return list.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }
}
