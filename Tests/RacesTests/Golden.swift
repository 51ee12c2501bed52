import Foundation
import Testing

/// Texts that a user reads, kept beside the tests. `SCREENRIG_UPDATE_GOLDEN=1 swift test` rewrites
/// them; the difference is then reviewed like code.
enum Golden {
    static func expect(
        _ text: String, is name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Golden/\(name)")
        if ProcessInfo.processInfo.environment["SCREENRIG_UPDATE_GOLDEN"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        if text == golden { return }
        let (left, right) = (text.split(separator: "\n"), golden.split(separator: "\n"))
        let line = zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }
        let found = line.map {
            "line \($0.offset + 1):\n  now  \($0.element.0)\n  was  \($0.element.1)"
        }
        Issue.record(
            "\(name) differs; \(found ?? "one is longer"); SCREENRIG_UPDATE_GOLDEN=1 rewrites it",
            sourceLocation: sourceLocation)
    }
}
