import Foundation

/// A folder of one test, gone with this value.
final class TestFolder: Sendable {
    let url = FileManager.default.temporaryDirectory
        .appending(path: "screenrig-merge-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }
}
