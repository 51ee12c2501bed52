import Foundation
import Rigs
import TestSupport
import Testing

@Suite("What a user reads about a rig that is wrong")
struct ErrorTextTests {
    static let folder = Golden.folder().appending(path: "errors")

    /// By their paths within the folder, sorted.
    static func files(ending: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        return (names ?? []).filter { $0.hasSuffix(ending) }.sorted()
    }

    /// A first line `# --set a=b --target X` gives options.
    static func surroundings(_ text: String) -> RigSurroundings {
        var given = RigSurroundings(environment: ["PRESENT": "s3cret"]) { path in
            Disk.contents(Self.folder.appending(path: path).path)
        }
        let words = text.prefix { !$0.isNewline }.split(separator: " ").map(String.init)
        for (option, argument) in zip(words, words.dropFirst()) {
            if option == "--target" { given.target = .init(argument) }
            if option == "--set", let equals = argument.firstIndex(of: "=") {
                given.overrides.append(
                    (
                        String(argument[..<equals]),
                        String(argument[argument.index(after: equals)...])
                    ))
            }
        }
        return given
    }

    @Test(
        "each mistake has its place and its remedy",
        arguments: files(ending: ".yaml").filter { !$0.contains("/") })
    func golden(name: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        var printed = ""
        do throws(RigErrors) {
            let reading = try Rig.read(text, file: name, with: Self.surroundings(text))
            printed = "accepted\n"
            for warning in reading.warnings { printed += "warning: \(warning)\n" }
        } catch {
            printed = "\(error)\n"
        }
        #expect(!printed.contains("s3cret"))
        let file = Self.folder.appending(path: name.replacing(".yaml", with: ".txt"))
        try Golden.expect(printed, matches: file)
    }

    @Test("there are at least twenty-five of them")
    func enough() {
        #expect(Self.files(ending: ".txt").count >= 25)
    }

    @Test("a file that is not there says so")
    func noFile() {
        #expect(throws: RigErrors.self) { try Rig.read(contentsOf: "/nowhere/a.yaml") }
    }
}
