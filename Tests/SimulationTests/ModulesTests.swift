import Foundation
import TestSupport
import Testing

/// The picture of the modules in ARCHITECTURE.md, drawn from the `import` lines of the sources.
@Suite("The picture of the modules")
struct ModulesTests {
    private static let marks = ("<!-- modules -->\n", "<!-- end of modules -->")

    @Test("is what the imports are (SCREENRIG_UPDATE_GOLDEN=1 draws it again)")
    func page() throws {
        let root = Repository.root
        let file = root.appending(path: "ARCHITECTURE.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(page.firstRange(of: Self.marks.0))
        let end = try #require(page.firstRange(of: Self.marks.1))
        let drawn = try Self.picture(Self.imports(root.appending(path: "Sources")))
        if Golden.isUpdating {
            try page.replacingCharacters(in: start.upperBound..<end.lowerBound, with: drawn)
                .write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(page[start.upperBound..<end.lowerBound] == drawn)
        }
    }

    /// Faults and stores serve every protocol; another codec is another line in `Service.question`.
    @Test("the stand-in names a protocol only in its codec and in one line that chooses it")
    func codec() throws {
        let standin = Repository.root.appending(path: "Sources/Standin")
        var lines: [String] = []
        let inside = FileManager.default.enumerator(at: standin, includingPropertiesForKeys: nil)
        while let file = inside?.nextObject() as? URL {
            guard file.pathExtension == "swift",
                !["V1", "V2", "DeviceGrant"].contains(where: {
                    file.path.contains("/Standin/\($0)/")
                })
            else {
                continue
            }
            lines += try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { $0.contains("V1") && !$0.contains(".adobePassV1") && !$0.hasPrefix("//") }
        }
        #expect(lines == ["return GrantQuestion.read(request) ?? V1Question(request)"])
    }

    /// For each module of ours the modules of ours that its files import.
    private static func imports(_ sources: URL) throws -> [String: Set<String>] {
        let files = FileManager.default
        let modules = try files.contentsOfDirectory(atPath: sources.path)
        let line = /(?m)^(?:@\w+(?:\(\w+\))? )?(?:public |package |internal )?import (\w+)$/
        var imports: [String: Set<String>] = [:]
        for module in modules {
            imports[module] = []
            let folder = sources.appending(path: module)
            let inside = files.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let file = inside?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: line) where modules.contains(String(match.1)) {
                    imports[module]?.insert(String(match.1))
                }
            }
        }
        return imports
    }

    /// One line for each module, the command line first, those that import nothing last. What a module
    /// reaches through another of its imports is left out.
    private static func picture(_ imports: [String: Set<String>]) throws -> String {
        var heights: [String: Int] = [:]
        var reached: [String: Set<String>] = [:]
        while heights.count < imports.count {
            let ready = imports.filter { name, below in
                heights[name] == nil && below.allSatisfy { heights[$0] != nil }
            }
            try #require(!ready.isEmpty, "the arrows have a cycle")
            for (name, below) in ready {
                heights[name] = (below.compactMap { heights[$0] }.max() ?? -1) + 1
                reached[name] = below.union(below.flatMap { reached[$0] ?? [] })
            }
        }
        let names = imports.keys.sorted { (-heights[$0]!, $0) < (-heights[$1]!, $1) }
        let width = names.map(\.count).max() ?? 0
        let lines = names.map { name in
            let below = imports[name]!
            let direct = below.filter { one in
                !below.contains { reached[$0]!.contains(one) }
            }
            let arrow = direct.isEmpty ? "" : " -> " + direct.sorted().joined(separator: ", ")
            let padded = name.padding(toLength: width, withPad: " ", startingAt: 0)
            return "\(heights[name]!)  \(arrow.isEmpty ? name : padded)\(arrow)\n"
        }
        return "```\n" + lines.joined() + "```\n"
    }
}
