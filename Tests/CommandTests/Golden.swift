import Foundation
import Testing

/// Texts that a user reads, kept beside the tests. `SCREENRIG_UPDATE_GOLDEN=1 swift test` rewrites
/// them; the difference is then read like code.
enum Golden {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "Golden")

    static func expect(_ text: String, matches name: String) throws {
        let file = folder.appending(path: name)
        if ProcessInfo.processInfo.environment["SCREENRIG_UPDATE_GOLDEN"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        let golden = try? String(contentsOf: file, encoding: .utf8)
        #expect(text == golden, "\(name); SCREENRIG_UPDATE_GOLDEN=1 rewrites it")
    }
}
