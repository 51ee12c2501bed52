import Foundation
import TestSupport
import Testing

/// What the README shows is what is there.
@Suite("The README") struct ReadmeTests {

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    }

    @Test("quotes the smallest rig as it is")
    func rig() throws {
        let readme = try Self.text("README.md")
        let start = try #require(readme.range(of: "```yaml\n"))
        let end = try #require(readme.range(of: "```", range: start.upperBound..<readme.endIndex))
        let quoted = String(readme[start.upperBound..<end.lowerBound])
        #expect(quoted.hasPrefix("rig: smoke\n"))
        #expect(try Self.text("rigs/smoke.yaml").hasSuffix(quoted))
    }

    @Test("links to files that are there")
    func links() throws {
        for document in ["README.md", "rigs/README.md", "ARCHITECTURE.md"] {
            let folder = Repository.root.appending(path: document).deletingLastPathComponent()
            for part in try Self.text(document).components(separatedBy: "](").dropFirst() {
                let link = String(part.prefix { $0 != ")" && $0 != "#" })
                guard !link.isEmpty, !link.contains("://") else { continue }
                let target = folder.appending(path: link).path
                #expect(FileManager.default.fileExists(atPath: target), "\(document): \(link)")
            }
        }
    }

    @Test("names commands that are there, and no more")
    func commands() throws {
        let readme = try Self.text("README.md")
        let help = try Self.text("Tests/CommandTests/Golden/help/screenrig.txt")
        for line in readme.split(separator: "\n") where line.hasPrefix("| `") {
            let name = line.dropFirst(3).prefix { $0 != "`" && $0 != " " }
            guard line.contains("` |"), name.allSatisfy(\.isLetter) else { continue }
            #expect(help.contains("  \(name) "), "\(name)")
        }
    }
}
