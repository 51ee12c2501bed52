import Foundation
import Testing

/// Texts that a user reads, kept beside the tests. `SCREENRIG_UPDATE_GOLDEN=1 swift test` rewrites
/// them; the difference is then read like code.
enum Golden {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "Golden")
    /// The clone's `rigs/`.
    static let rigs = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "rigs")

    static func expect(_ text: String, matches file: URL) throws {
        if ProcessInfo.processInfo.environment["SCREENRIG_UPDATE_GOLDEN"] == "1" {
            try text.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        let golden = try? String(contentsOf: file, encoding: .utf8)
        #expect(text == golden, "\(file.lastPathComponent); SCREENRIG_UPDATE_GOLDEN=1 rewrites it")
    }

    /// Names of the files with this ending under a folder, sorted.
    static func files(under folder: URL, ending: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        return (names ?? []).filter { $0.hasSuffix(ending) }.sorted()
    }
}
