import Foundation
import Testing

/// Texts that a user reads, kept beside the tests; `SCREENRIG_UPDATE_GOLDEN=1 swift test` rewrites
/// them.
enum Golden {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden")
    private static var isUpdating: Bool {
        ProcessInfo.processInfo.environment["SCREENRIG_UPDATE_GOLDEN"] == "1"
    }

    static func check(_ text: String, is name: String) throws {
        let file = folder.appendingPathComponent(name)
        if isUpdating {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        #expect(text == (try? String(contentsOf: file, encoding: .utf8)))
    }
}
