public import Foundation
public import Testing

/// Texts that a user reads, kept in the folder `Golden` beside the test that asks. `SCREENRIG_UPDATE_GOLDEN=1 swift test`
/// rewrites them; the difference is then reviewed like code.
public enum Golden {
    public static let isUpdating =
        ProcessInfo.processInfo.environment["SCREENRIG_UPDATE_GOLDEN"] == "1"

    public static func folder(beside test: String = #filePath) -> URL {
        URL(filePath: test).deletingLastPathComponent().appending(path: "Golden")
    }

    public static func expect(
        _ text: String, is name: String, beside test: String = #filePath,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(
            text, matches: folder(beside: test).appending(path: name),
            sourceLocation: sourceLocation)
    }

    public static func expect(
        _ text: String, matches file: URL, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        if isUpdating {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let golden = try String(contentsOf: file, encoding: .utf8)
        if text == golden { return }
        let (left, right) = (text.split(separator: "\n"), golden.split(separator: "\n"))
        let line = zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }
        let found = line.map {
            "line \($0.offset + 1):\n  now  \($0.element.0)\n  was  \($0.element.1)"
        }
        Issue.record(
            "\(file.lastPathComponent) differs; \(found ?? "one is longer"); SCREENRIG_UPDATE_GOLDEN=1 rewrites it",
            sourceLocation: sourceLocation)
    }
}
